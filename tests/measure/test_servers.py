"""Requests through a server: an endpoint is proven behind it, each fault is one row with its reason, and nothing stays."""

from __future__ import annotations

import shutil
import socket
from importlib.util import find_spec

import psutil
import pytest

import serbench
from serbench.errors import PlanError
from serbench.measure import weighing
from serbench.render.framework import Framework, Way
from serbench.results import FLOOR

pytestmark = pytest.mark.skipif(find_spec("uvicorn") is None, reason="uvicorn is part of the extra `web`")
DOCS = "https://example.org"
APP = """\
import json
import sys

is_served = "uvicorn" in sys.modules
{at_start}


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    now["answers"] = now.get("answers", 0) + 1
    body = json.dumps(now["{name}"]).encode()
    start = {{"status": 200, "headers": [(b"content-type", b"application/json")]}}
    if is_served:
        {fault}
    await send({{"type": "http.response.start", **start}})
    await send({{"type": "http.response.body", "body": body}})"""
FAULTS = {
    'raise KeyError("boom")': ("failed", "status 500: Internal Server Error (KeyError: 'boom')"),
    "json.dumps(object())": ("failed", "TypeError: Object of type object is not JSON serializable"),
    'start["status"] = 404': ("failed", "status 404"),
    'body = body.replace(b"@", b"-")': ("failed", "value[0].user.email: expected"),
    'start["headers"] = []': ("failed", "content type"),
    "while True: pass": ("timeout", "no answer within"),
    "import os; os._exit(3)": ("crashed", "exit code 3"),
    'body = body if now["answers"] < 3 else b"[]"': ("failed", "value: expected 2 items"),
}
"""What the app does behind the server, but not without it → its row; the last one is right until it is proven again."""
SHOP = """\
from contextlib import asynccontextmanager
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

starts = []


@asynccontextmanager
async def lifespan(app):
    starts.append(app)
    yield


async def orders(request):
    return JSONResponse({"starts": len(starts), "page": request.query_params["page"]})


app = Starlette(routes=[Route("/orders", orders)], lifespan=lifespan)
"""
DONE = "[100, 1000000, 1500, 4000, 0, 0]"


@pytest.fixture
def wrk(tmp_path, monkeypatch):
    """A program in the place of wrk, which sends nothing and prints what it is told."""

    def printing(text):
        program = tmp_path / "wrk"
        program.write_text(f"#!/bin/sh\necho '{text}'\n")
        program.chmod(0o755)
        monkeypatch.setattr(weighing, "load_generator", lambda: str(program))
        monkeypatch.setattr("serbench.api.weighing.load_generator", lambda: str(program))

    printing(DONE)
    return printing


@pytest.fixture
def served(tmp_path, monkeypatch, wrk):
    """Serve the planted app with a fault; the rows of its endpoint, of which one with figures is four."""

    def rows(fault="pass", at_start="", **options):
        def write(endpoint):
            endpoint.module.add(APP.format(name=endpoint.name, fault=fault, at_start=at_start))

        ways = {"default": Way(DOCS, ("json",), "{value}"), FLOOR: Way(DOCS, (FLOOR,), "{value}")}
        planted = Framework(name="planted", summary="", docs=DOCS, write=write, ways=ways)
        monkeypatch.setattr("serbench.render.framework.frameworks", lambda: {"planted": planted})
        asked = {"records": 2, "effort": "quick", "store": tmp_path / "s.sqlite", **options}
        found = serbench.serve("client", endpoints="planted", **{"servers": "uvicorn", **asked})
        assert found.to_data()["indicative"]
        assert "indicative: the server had one of" in str(found)
        children = psutil.Process().children(recursive=True)
        assert not [child for child in children if "serbench_served" in " ".join(child.cmdline())]
        return [row for row in found.rows if row.codec == "json"]

    return rows


def test_a_right_answer_has_figures(served):
    """Each round has a fresh server, of whose figures the table has the median and the extremes, and says what they are."""
    rows = {row.quantity: row for row in served()}
    assert {name: (row.unit, len(row.readings)) for name, row in rows.items()} == {
        "requests": ("per s", 4),
        "p50": ("ns", 4),
        "p99": ("ns", 4),
        "memory": ("bytes", 4),
    }
    assert [rows[name].value for name in ("requests", "p50", "p99")] == [100, 1.5e6, 4e6]
    assert min(rows["memory"].readings) > 5 << 20


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_behind_a_server_is_a_row(fault, served):
    """It is one row, whatever came before; it says what the server answered, or how it ended."""
    status, reason = FAULTS[fault]
    (row,) = served(fault, time_limit=3 if status == "timeout" else 60)
    assert (row.status, row.value) == (status, None)
    assert reason in row.reason


def test_a_server_that_does_not_start_is_a_row(served):
    """Its last words tell why."""
    (row,) = served(at_start='if is_served: raise KeyError("DATABASE")')
    assert (row.status, row.value) == ("crashed", None)
    assert "KeyError: 'DATABASE'" in row.reason


def test_a_taken_port_is_a_row(served, monkeypatch):
    """Nobody else's answers are taken for those of the server."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(weighing, "free_port", lambda: taken.getsockname()[1])
        (row,) = served()
    assert (row.status, row.value) == ("crashed", None)
    assert "address already in use" in row.reason


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        ("[9, 1000000, 1, 1, 2, 1]", "failed", "of 9 requests in 2 s, 2 were answered with an error and 1 not at all"),
        ("[0, 1000000, 0, 0, 0, 0]", "timeout", "of 0 requests in 2 s"),
        ("unable to connect", "failed", "wrk: unable to connect"),
    ],
)
def test_requests_that_fail_under_load_are_a_row(text, status, reason, served, wrk):
    """An error among many answers has no figures either."""
    wrk(text)
    (row,) = served()
    assert (row.status, row.value) == (status, None)
    assert reason in row.reason


def test_what_cannot_be_served_says_so(served, monkeypatch):
    """A server that is missing is a row with what installs it, one for other apps a row too; an unknown one is refused."""
    monkeypatch.setattr(
        "serbench.render.environments.Environment.installed", lambda _, name: None if name == "gunicorn" else "1"
    )
    (row,) = served(servers="gunicorn")
    assert (row.status, row.reason) == ("unavailable", "gunicorn is not installed in main: pip install gunicorn")
    monkeypatch.setattr("serbench.render.environments.Environment.installed", lambda *_: "1")
    (row,) = served(servers="gunicorn")
    assert (row.status, row.reason) == ("unsupported", "gunicorn serves no app of asgi")
    with pytest.raises(PlanError, match="did you mean uvicorn"):
        served(servers="uvicor")


def test_without_wrk_a_line_says_what_to_install(monkeypatch):
    """Nothing is prepared before."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PlanError, match="apt-get install wrk"):
        serbench.serve(endpoints="starlette", servers="uvicorn")


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "endpoint"),
    [
        ("uvicorn", "fastapi[json-lines]"),
        ("uvicorn", "flask[response]/msgspec"),
        ("granian", "mcp"),
        ("granian", "django"),
        ("hypercorn", "blacksheep"),
        ("hypercorn", "flask[response]/msgspec"),
        ("gunicorn", "django"),
    ],
)
def test_frameworks_behind_servers_are_proven(name, endpoint, tmp_path, wrk):
    """By ASGI and WSGI, with their lifespans, and a tool that is called by POST."""
    for package in (name, endpoint.partition("[")[0]):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    rows = serbench.serve(endpoints=endpoint, servers=name, records=3, effort="quick", store=tmp_path / "s.sqlite").rows
    assert [row.reason for row in rows if row.reason] == []
    assert {row.metric for row in rows} == {name}


@pytest.mark.full
@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is no part of Python: apt-get install wrk")
def test_an_app_of_ones_own_is_loaded_by_wrk(tmp_path):
    """Its lifespan starts once, and its request has a query; the rows beside it return the same."""
    (tmp_path / "shop.py").write_text(SHOP)
    asked = {"endpoints": [f"{tmp_path / 'shop.py'}:app", "starlette"], "request": "GET /orders?page=3"}
    rows = serbench.serve(servers="uvicorn", effort="quick", store=tmp_path / "s.sqlite", **asked).rows
    figures = {(row.library, row.codec, row.quantity): row.value for row in rows}
    assert [row.reason for row in rows if row.reason] == []
    own = {name: value for (library, _, name), value in figures.items() if library == "shop.app"}
    assert own["requests"] > 1
    assert 0 < own["p50"] <= own["p99"]
