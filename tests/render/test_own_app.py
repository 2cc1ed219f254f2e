"""An app of the user's is found, started and requested as a server would; its text is never code."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from serbench.api.calling import plan_of
from serbench.api.verifying import verify
from serbench.display.words import class_words, footnotes
from serbench.errors import PlanError
from serbench.measure.plan import chosen_cases
from serbench.model.records import Schema
from serbench.model.scalars import ANY
from serbench.render.case import render, takes_part
from serbench.render.framework import answer_of, located_app, own_cases
from serbench.render.user_class.conversion import within
from serbench.results import FLOOR

SHOP = r'''
import asyncio
import datetime
import functools
import gzip
import json
import os
import sys


async def answer(send, value, status=200):
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": value if isinstance(value, bytes) else json.dumps(value).encode()})


async def told(scope, receive, send):
    """The places of the request."""
    await answer(send, [scope["path"], scope["raw_path"].decode(), scope["query_string"].decode()])


async def listens(scope, receive, send):
    """Reads on while it works, as Django does, and takes another body for a fault."""
    await receive()
    listening = asyncio.ensure_future(receive())
    await asyncio.sleep(0.01)
    await answer(send, {"goes on": not listening.done()})


async def lives(scope, receive, send):
    """Fails without its lifespan."""
    if scope["type"] == "lifespan":
        assert await receive() == {"type": "lifespan.startup"}
        scope["state"]["starts"] = scope["state"].get("starts", 0) + 1
        await send({"type": "lifespan.startup.complete"})
        await receive()
        return
    scope["state"]["request"] = scope["state"].get("request", 0) + 1
    await answer(send, scope["state"])


async def dies(scope, receive, send):
    await send({"type": "lifespan.startup.failed", "message": "Traceback\nKeyError: 'DATABASE'"})


async def counts(scope, receive, send):
    """Answers each process with another number."""
    await answer(send, [os.getpid()])


def answering(body):
    async def app(scope, receive, send):
        await answer(send, body)

    return app


infinite, huge, lone = answering(b"[NaN]"), answering(b"[1e999]"), answering(rb'["\ud800"]')
deep = answering(b"[" * 100_000 + b"]" * 100_000)


async def patches(scope, receive, send):
    """Replaces what others use."""
    json.dumps = lambda *_: "patched"
    await answer(send, b"[1]")


async def empty(scope, receive, send):
    await answer(send, b"", 204)


def no_app(request):
    return request


class Middleware:
    def __init__(self, app):
        self.app = app

    def __call__(self, scope, receive, send):
        return self.app(scope, receive, send)


around = Middleware(told)
partial = functools.partial(lambda settings, scope, receive, send: told(scope, receive, send), {})


def plain(environ, start_response):
    write = start_response("200 OK", [("Content-Type", "application/json")])
    write(b"[")
    keys = "PATH_INFO", "QUERY_STRING", "REMOTE_ADDR"
    yield json.dumps([environ[key] for key in keys]).encode()[1:]


def factory(prefix, environ, start_response):
    return plain(environ, start_response)


bound = functools.partial(factory, "v1")


def indented(environ, start_response):
    sys.stdout.buffer.write(b"printed \xff\n")
    start_response("200 OK", [])
    return [json.dumps({"a": [1, 2]}, indent=2).encode() + b"\n"]


def latin(environ, start_response):
    start_response("200 OK", [])
    return [b'["\xff"]']


def never(environ, start_response):
    return [b"5"]


async def mute(scope, receive, send):
    pass


async def headless(scope, receive, send):
    await send({"type": "http.response.body", "body": b"5"})


def page(environ, start_response):
    start_response("404 Not Found", [])
    return [b"<html>\n<p>n\xff</p>\n</html>"]


def moved(environ, start_response):
    start_response("307 Temporary Redirect", [("location", "/")])
    return [b""]


def packed(environ, start_response):
    start_response("200 OK", [("Content-Encoding", "gzip")])
    return [gzip.compress(b"[1]")]


def raises(environ, start_response):
    raise ValueError("status of no order")


async def now(scope, receive, send):
    await answer(send, {"at": datetime.datetime.now().isoformat()})
'''


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """The folder of `shop.py`, which is the working folder."""
    (tmp_path / "shop.py").write_text(SHOP)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        'shop:json:loads;open("pwned", "w")',
        'shop:told;open("pwned", "w")',
        'shop.py:told\nopen("pwned", "w")',
        "shop/api:app",
        "http://localhost:8000",
        ":app",
        "shop:",
    ],
)
def test_a_text_that_is_no_place_is_refused(text, shop):
    """Nothing of it is run, even if it stands in a plan that was stored."""
    with pytest.raises(PlanError, match="does not name an app; write"):
        located_app(text)
    for stored in (f"{shop}:{text}", f'{shop}:shop:told;open("pwned", "w")', f'{shop}:shop;open("pwned", "w"):told'):
        assert located_app(stored) == stored
        with pytest.raises(PlanError, match="cannot be imported"):
            own_cases([stored], "GET /")
    assert not (shop / "pwned").exists()


def test_a_request_is_no_code(shop):
    """Quotes in its path and query reach the app."""
    path = '/a"]=open("pwned","w")#\'{x}\\'
    assert answer_of(located_app("shop.py:told"), f"GET {path}?q={path}")[0] == path
    assert not (shop / "pwned").exists()


@pytest.mark.parametrize(
    ("app", "request_", "answer"),
    [
        ("told", "GET /caf%C3%A9?q=%C3%A9", ["/café", "/caf%C3%A9", "q=%C3%A9"]),
        ("told", "GET /café?q=é", ["/café", "/caf%C3%A9", "q=%C3%A9"]),
        ("plain", "GET /caf%C3%A9?q=é", ["/caf\xc3\xa9", "q=%C3%A9", "127.0.0.1"]),
        ("around", "GET /", ["/", "/", ""]),
        ("partial", "GET /", ["/", "/", ""]),
        ("bound", "GET /", ["/", "", "127.0.0.1"]),
        ("listens", "GET /", {"goes on": True}),
        ("lives", "GET /", {"starts": 1, "request": 1}),
        ("indented", "GET /", {"a": [1, 2]}),
        ("patches", "GET /", [1]),
    ],
)
def test_an_app_is_requested_as_by_a_server(app, request_, answer, shop):
    """Its path is decoded, its protocol found, its lifespan started; it may listen on, and lay out its JSON."""
    assert answer_of(located_app(f"shop.py:{app}"), request_) == answer


@pytest.mark.parametrize(
    ("app", "reason"),
    [
        ("page", "GET / fails: status 404 Not Found: <html> <p>n�</p> </html>"),
        ("moved", r"GET / fails: status 307 Temporary Redirect; name the request that it leads to$"),
        ("packed", r"GET / fails: its answer is compressed \(gzip\), which the request does not ask for; name the app"),
        ("raises", "GET / fails: ValueError: status of no order$"),
        ("latin", "answers GET / with what cannot be read: not UTF-8 in line 1"),
        ("infinite", "answers GET / with what cannot be read: NaN is not JSON$"),
        ("deep", "answers GET / with what cannot be read: nested too deeply"),
        ("huge", "answers GET / with what cannot be read: 1e999 exceeds the range of a float$"),
        ("lone", "answers GET / with what cannot be read: .* is a lone surrogate, which UTF-8 cannot encode$"),
        ("empty", "answers GET / with an empty body"),
        ("no_app", "shop:no_app is not an ASGI or WSGI app"),
        ("never", "GET / fails: the app does not call start_response$"),
        ("mute", "GET / fails: the app does not begin an answer by http.response.start$"),
        ("headless", "GET / fails: the app does not begin an answer by http.response.start$"),
        ("dies", "GET / fails: lifespan.startup.failed: KeyError: 'DATABASE'"),
    ],
)
def test_a_wrong_answer_is_a_reason(app, reason, shop):
    """It is one line, with the status and what the app says."""
    with pytest.raises(PlanError, match=reason):
        answer_of(located_app(f"shop.py:{app}"), "GET /")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("os._exit(0)", r"it cannot be imported: the process ended \(exit code 0\)$"),
        ("raise SystemExit", "it cannot be imported: SystemExit$"),
        ("os.write(2, b'noise'); raise ValueError('no')", "it cannot be imported: ValueError: no$"),
        ("import time; time.sleep(100)", r"no answer within 0\.\d+ s$"),
    ],
)
def test_an_app_that_cannot_be_imported_is_a_reason(line, reason, shop):
    """Whatever its module does, and within what is left of a budget."""
    (shop / "api.py").write_text(f"import os\n{line}\napp = print")
    with pytest.raises(PlanError, match=reason), within(0.5 if "sleep" in line else None):
        answer_of(located_app("api.py:app"), "GET /")


@pytest.mark.parametrize("file", ["my-shop.py", "calendar.py"])
def test_a_file_that_no_import_can_name(file, shop):
    """It is found by its path, beside the modules that it imports; another module of its name is not meant."""
    (shop / file).write_text("from shop import told as app")
    assert answer_of(located_app(f"{file}:app"), "GET /") == ["/", "/", ""]


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["api.py"], ["api.app"]),
        (["v1/api.py", "v2/api.py", "other.py"], ["v1.api.app", "v2.api.app", "other.app"]),
        (["v1/src/api.py", "v2/src/api.py"], ["v1.src.api.app", "v2.src.api.app"]),
        (["v1/api.py", "v1/api.py"], ["api.app"]),
        (["my-shop.py", "my_shop.py"], ["my-shop.app-1", "my_shop.app-2"]),
        (["my__shop.py", "my_shop.py"], ["my__shop.app-1", "my_shop.app-2"]),
        (["лавка.py"], ["app"]),
    ],
)
def test_apps_have_names_of_their_own(files, names, shop):
    """Files of the same name are told apart by their folders, and each has processes of its own."""
    for file in files:
        (shop / file).parent.mkdir(parents=True, exist_ok=True)
        (shop / file).write_text(f"async def app(scope, receive, send): {file!r}")
    apps = [located_app(f"{file}:app") for file in files]
    assert [library.name for library, _, _ in own_cases(apps, "GET /")] == names


@pytest.mark.parametrize("answer", ['"{folder}/data.json"', "null", "[1]", '"client"'])
def test_an_answer_is_data_whatever_it_says(answer, shop):
    """It names no file and no workload."""
    (shop / "data.json").write_text('{"secret": 1}')
    answer = answer.replace("{folder}", str(shop))
    (shop / "api.py").write_text(f"def app(environ, start):\n    start('200 OK', [])\n    return [{answer.encode()!r}]")
    plan = plan_of({"endpoints": "api.py:app", "request": "GET /"})
    assert (plan.workloads, Path(plan.payload).read_text()) == ((), answer)


def test_versions_of_an_app_are_rows_of_their_own_kind(shop):
    """What an app makes its answer of is not seen, so it is not ranked with rows that were probed; but it is ranked."""
    for version in ("v1", "v2"):
        (shop / version).mkdir()
        (shop / version / "api.py").write_text(SHOP)
    arguments = {"endpoints": "v1/api.py:lives,v2/api.py:lives", "request": "GET /"}
    cells = verify(**arguments, operations="encode")
    assert [(cell.library, cell.status, class_words(cell.work_class)) for cell in cells] == [
        ("v1.api.lives", "ok", "your own app"),
        ("v2.api.lives", "ok", "your own app"),
    ]
    for library, variant, codec, _ in chosen_cases(plan_of(arguments)):
        assert takes_part(render(library, variant, codec, Schema(ANY)), "encode")


def test_the_floor_has_a_footnote_of_its_own():
    """A framework does take part in returning ready bytes."""
    rows = [
        SimpleNamespace(
            library="flask",
            codec=FLOOR,
            format="json",
            measured=True,
            rank=None,
            clock="cpu",
            rewritten=False,
            size_bytes=1,
            work_class="bytes, unchecked",
        )
    ]
    assert [note for note in footnotes(rows) if note.startswith("–")] == [
        "– not ranked: it returns ready bytes, the floor of its framework"
    ]


def test_an_answer_that_differs_is_said_so(shop):
    """Each process gets its own, so none is the data; the version is not that of Python, and `ap` is near `app`."""
    (cell,) = verify(endpoints="shop.py:counts", request="GET /", operations="encode")
    assert ("failed", None) == (cell.status, cell.version)
    assert "it answers one request otherwise than the next" in cell.reason
    assert cell.reason.endswith("; measure it with a fixed clock and seed, or name another request")
    with pytest.raises(PlanError, match=r"unknown name in shop\.py 'aroun': did you mean around"):
        located_app("shop.py:aroun")


def test_a_time_that_differs_is_said_as_the_answer_has_it(shop):
    """The time that was expected and the one that came are both texts."""
    (cell,) = verify(endpoints="shop.py:now", request="GET /", operations="encode")
    assert re.search(r"value\.at: expected '\d{4}-[^']+', got '\d{4}-[^']+';", cell.reason)
