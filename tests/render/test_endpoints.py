"""Endpoints of web frameworks are cases: rendered, proven and classed as any other, and each fault is a row."""

from __future__ import annotations

import json
import re
import sys
from copy import copy
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
from waits import run

import serbench
from serbench.api.calling import plan_of
from serbench.api.verifying import verify
from serbench.errors import PlanError
from serbench.machine.caretaker import with_us
from serbench.measure.plan import datasets
from serbench.render.case import lay_out, render
from serbench.render.environments import Environment, main_environment
from serbench.render.framework import Framework, Way, _rendered, endpoint_cases, frameworks
from serbench.results import FLOOR
from serbench.store.recorder import case_key

DOCS = "https://example.org"
APP = """\
import json


async def app(scope, receive, send):
    if scope["method"] == "POST":
        now["{name}"] = json.loads((await receive())["body"])
    body = json.dumps(now["{name}"]).encode()
    start = {{"status": 200, "headers": [(b"content-type", b"application/json")]}}
    {fault}
    await send({{"type": "http.response.start", **start}})
    await send({{"type": "http.response.body", "body": body}})"""
FAULTS = {
    "": ("ok", ""),
    'raise KeyError("boom")': ("failed", "KeyError: 'boom'"),
    'start["status"] = 404': ("failed", "status 404"),
    'body = body.replace(b"@", b"-")': ("failed", "value[0].user.email: expected"),
    'body = b"<html>"': ("failed", "JSONDecodeError"),
    'start["headers"] = []': ("failed", "content type"),
    'start["headers"].append((b"content-length", b"1"))': ("failed", "content length is 1"),
    "while True: pass": ("timeout", ""),
    "import os; os._exit(3)": ("crashed", ""),
}
CLASSES = {
    "aiohttp": {("default", "json"): "dicts, unchecked", ("response", "pydantic"): "objects, unchecked"},
    "blacksheep": {("default", "json"): "dicts, unchecked", ("response", "pydantic"): "objects, unchecked"},
    "fastapi": {
        ("default", "pydantic"): "objects, unchecked",
        ("response-model", "pydantic"): "objects, unchecked",
        ("response-model-dicts", "pydantic"): "dicts, coercing",
        ("jsonable-encoder", "pydantic"): "objects, unchecked",
        ("response", "orjson"): "dicts, unchecked",
        ("json-lines", "pydantic"): "objects as lines, unchecked",
        ("streaming-response", "orjson"): "dicts as lines, unchecked",
        (FLOOR, FLOOR): "bytes, unchecked",
    },
    "litestar": {
        ("default", "msgspec"): "objects, unchecked",
        ("default", "orjson"): "dicts, unchecked",
        ("dto", "dataclasses"): "objects, unchecked",
    },
    "flask": {("default", "json"): "dicts, unchecked"},
    "django": {("default", "json"): "dicts, unchecked"},
    "django-ninja": {("default", "pydantic"): "objects, coercing"},
    "djangorestframework": {},
    "falcon": {("default", "json"): "dicts, unchecked"},
    "mcp": {("default", "pydantic"): "objects, unchecked", ("text", "orjson"): "dicts, unchecked"},
    "starlette": {("default", "json"): "dicts, unchecked"},
}
"""Framework → way and writer → the work class of what it returns."""


def planted(fault: str) -> Framework:
    """A framework whose app is written out, with a fault."""

    def write(endpoint):
        endpoint.module.add(APP.format(name=endpoint.name, fault=fault))

    ways = {"default": Way(DOCS, ("json",), "{value}", taken="{read}"), FLOOR: Way(DOCS, (FLOOR,), "{value}")}
    return Framework(name="planted", summary="", docs=DOCS, write=write, ways=ways)


LINES = """\
import json


async def app(scope, receive, send):
    lines = [json.dumps(record) for record in now["{name}"]]
    start = {{"status": 200, "headers": [(b"content-type", b"application/jsonl")]}}
    {fault}
    await send({{"type": "http.response.start", **start}})
    for line in lines:
        await send({{"type": "http.response.body", "body": line.encode() + b"\\n", "more_body": True}})
    await send({{"type": "http.response.body"}})"""


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("", None),
        ("lines.pop()", "value: expected 2 items"),
        ("lines[0] = lines[1]", "value[0]."),
        ('lines[1] = "<html>"', "cannot be read"),
        ('start["headers"] = [(b"content-type", b"application/json")]', "not application/jsonl"),
    ],
)
def test_json_lines_are_proven(fault, reason, monkeypatch):
    """Each line is a record of the document, in its order, and the content type says so."""

    def write(endpoint):
        endpoint.module.add(LINES.format(name=endpoint.name, fault=fault))

    ways = {"default": Way(DOCS, ("json",), "", each="{value}", line="record"), FLOOR: Way(DOCS, (FLOOR,), "{value}")}
    lines = Framework(name="lines", summary="", docs=DOCS, write=write, ways=ways)
    monkeypatch.setattr("serbench.render.framework.frameworks", lambda: {"lines": lines})
    (cell,) = [
        one for one in verify("client", records=2, endpoints="lines", operations="encode") if one.codec == "json"
    ]
    assert (cell.status == "ok", cell.work_class) == (reason is None, None if reason else "dicts as lines, unchecked")
    assert (reason or "") in (cell.reason or "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("payload", "inside"),
    [
        ({"result": {"n": 1}, "content": "a"}, ("result", "structuredContent")),
        ([{"result": 1}], ("result", "structuredContent", "result")),
    ],
)
def test_the_result_of_a_tool_is_found(payload, inside):
    """It is below the keys that the protocol has for it, also if the data has keys of these names."""
    installed("mcp")
    assert failures(payload=payload, endpoints="mcp[*]") == []
    schema = next(datasets(plan_of({"payload": payload}))).schema
    (case,) = [render(*case[:3], schema) for case in endpoint_cases(["mcp"]) if case[1] != FLOOR]
    assert case.inside == inside


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_a_row_with_its_reason(fault, monkeypatch):
    """An app that raises, answers wrongly, hangs or ends its process is a row that says so; a right one is proven."""
    monkeypatch.setattr("serbench.render.framework.frameworks", lambda: {"planted": planted(fault)})
    status, reason = FAULTS[fault]
    limit = 2 if status == "timeout" else 60
    cells = verify("client", records=2, endpoints="planted", time_limit=limit, operations=["encode", "decode"])
    found = [cell for cell in cells if cell.codec == "json"]
    assert [cell.status for cell in found] == [status] * 2
    assert all(reason in (cell.reason or "") for cell in found)


def test_a_framework_that_is_not_installed_is_a_row(monkeypatch):
    """Its rows say what installs it."""
    lacking = copy(frameworks()["falcon"])
    object.__setattr__(lacking, "distributions", ("not-there",))
    monkeypatch.setattr("serbench.render.framework.frameworks", lambda: {"falcon": lacking})
    cells = verify("client", records=1, endpoints="falcon", operations="encode")
    assert {(cell.status, cell.reason) for cell in cells} == {
        ("unavailable", "not-there is not installed: pip install not-there")
    }


@pytest.mark.parametrize("framework", frameworks())
def test_every_way_is_clean_code(framework, tmp_path):
    """The app of each way and writer uses all that it imports and defines, and nothing else."""
    workload = (
        "client" if framework == "django-ninja" else "client-rich"
    )  # which has an Enum, for which there is no app
    schema = next(datasets(plan_of({"workload": workload, "records": 2}))).schema
    rendered = lay_out(
        render(library, way, codec, schema) for library, way, codec, _ in endpoint_cases([f"{framework}[*]/*"])
    )
    for number, case in enumerate(rendered):
        (tmp_path / f"app_{number}.py").write_text(case.source)
    checking = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F,I", "--quiet", str(tmp_path)]
    said = run(checking, check=False, **with_us()).stdout
    assert (said, [case.reason for case in rendered if case.reason]) == ("", [])


@pytest.mark.slow
@pytest.mark.parametrize("framework", frameworks())
def test_every_way_is_proven(framework):
    """Each way and writer returns and takes the data; the class says what is returned, and whether that is checked."""
    installed(framework)
    cells = verify("client", records=2, endpoints=f"{framework}[*]/*", operations=["encode", "decode"])
    takes_none = re.compile("takes no body|decodes as another way|none of its ways")
    refused = [cell for cell in cells if cell.status != "ok" and not takes_none.search(cell.reason)]
    assert [(cell.name, cell.codec, cell.reason) for cell in refused] == []
    classes = {(cell.variant, cell.codec): cell.work_class for cell in cells if cell.operation == "encode"}
    assert {key: classes[key] for key in CLASSES[framework]} == CLASSES[framework]


@pytest.mark.slow
@pytest.mark.skipif(main_environment().installed("django-ninja") is None, reason="it is part of the extra `web`")
@pytest.mark.parametrize(("records", "words"), [(1, "objects, unchecked"), (2, "objects, coercing")])
def test_the_records_of_a_list_are_classed_in_one(records, words):
    """django-ninja sends an object of its `Schema` as it is, but validates those of a list."""
    cells = verify("client", records=records, endpoints="django-ninja", operations="encode")
    assert [cell.work_class for cell in cells if cell.codec != FLOOR] == [words]


AGAIN = """
for document in (object(), [{"n": 1}]) * 2:
    try:
        print(fetch(document).decode().replace(" ", ""))
    except ValueError as error:
        print(str(error)[:10])
"""


@pytest.mark.parametrize("endpoint", ["aiohttp", "aiohttp[response]/orjson", "blacksheep"])
def test_a_request_after_a_failure_is_answered(endpoint):
    """A document that cannot be written leaves no connection that answers no more, and no answer of the request before."""
    installed(endpoint)
    source = serbench.show(endpoint, workload="client", records=2).source
    said = run([sys.executable, "-c", source + AGAIN], **with_us()).stdout
    assert said.splitlines() == ["status 500", '[{"n":1}]'] * 2


NAMED = {"status": "flask[response]", "headers": "falcon[response]", "send": "starlette[response]", "now": "fastapi"}
NAMED |= {"fetch": "falcon[response]", "requests": "fastapi", "request": "litestar"}
NAMED |= {"connection": "aiohttp[response]", "web": "aiohttp[response]", "get": "blacksheep[response]", "server": "mcp"}
NAMED |= {"call": "mcp[text]"}
"""The stem of a file → an endpoint, whose code or requests mean something else by the name."""


@pytest.mark.parametrize("stem", NAMED)
def test_a_document_may_have_a_name_that_requests_have(stem, tmp_path):
    """Nothing that an endpoint or a request to it is made of is taken for the document."""
    installed(NAMED[stem])
    document = [{"n": 1}, {"n": 2}] if stem.endswith("s") and stem != "status" else {"n": 1, "text": "a"}
    (tmp_path / f"{stem}.json").write_text(json.dumps(document))
    assert failures(payload=tmp_path / f"{stem}.json", endpoints=NAMED[stem]) == []


@pytest.mark.slow
@pytest.mark.skipif(main_environment().installed("django-ninja") is None, reason="it is part of the extra `web`")
def test_a_framework_that_writes_names_of_an_enum_is_said_to():
    """The row has the reason before anything is asked of it, and the framework's source still does so."""
    floor, cell = verify("client-rich", endpoints="django-ninja", operations="encode")
    assert ("ok", "unsupported") == (floor.status, cell.status)
    assert cell.reason.startswith("django-ninja 1.7.1 writes members of a plain Enum as text")
    source = Path(find_spec("ninja").origin).with_name("responses.py").read_text()
    assert re.search(r"isinstance\(o, Enum\):\s+return str\(o\)", source)


@pytest.mark.slow
@pytest.mark.parametrize("document", ["5", '"client"', "null", "{}", "[null]", "[[1]]"])
@pytest.mark.parametrize("framework", ["fastapi", "litestar", "django-ninja", "djangorestframework", "falcon", "mcp"])
def test_a_document_of_no_records_is_proven_or_refused(framework, document, tmp_path):
    """A way that would read it from the address, or that is of records, has a reason; none fails."""
    installed(framework)
    (tmp_path / "lone.json").write_text(document)
    cells = verify(payload=tmp_path / "lone.json", endpoints=f"{framework}[*]")
    assert [] == [(c.variant, c.status, c.reason) for c in cells if c.status not in ("ok", "unsupported")]
    assert {"ok"} <= {cell.status for cell in cells}


@pytest.mark.parametrize("endpoint", ["django-ninja", "djangorestframework"])
def test_keys_that_are_no_names_of_fields_are_written(endpoint):
    """An endpoint answers with the keys of the document, which its models have as aliases."""
    installed(endpoint)
    found = failures(payload={"schema": {"a-b": 1}, "other": {"n": 2}}, endpoints=endpoint)
    if endpoint == "django-ninja" and version("django") >= "6":  # which takes an alias for a variable of a template
        assert {True} == {"attribute: TemplateSyn" in reason for _, reason in found}
    else:
        assert found == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fastapi", "litestar", "mcp"])
def test_ways_that_have_names_of_fields_for_keys_say_so(name, monkeypatch):
    """They are no failures, and each of them still would be one."""
    installed(name)
    unaware = copy(frameworks()[name])
    object.__setattr__(unaware, "ways", {way: replace(facts, by_names=()) for way, facts in unaware.ways.items()})
    object.__setattr__(unaware, "render", partial(_rendered, unaware))
    found = []
    for framework, status in ((frameworks()[name], "unsupported"), (unaware, "failed")):
        monkeypatch.setattr("serbench.render.framework.frameworks", lambda it=framework: {name: it})
        cells = verify(payload=[{"a-b": 1}], endpoints=f"{name}[*]/*", operations="encode")
        assert {cell.status for cell in cells} <= {"ok", status}
        found.append({(cell.variant, cell.codec) for cell in cells if cell.status == status})
    assert found[0] == found[1] != set()


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", ["django-ninja", "djangorestframework"])
def test_records_may_have_a_name_that_a_late_import_has(endpoint):
    """What is imported behind the settings gets another name then, and texts keep theirs."""
    installed(endpoint)
    payload = {
        f"{name}s": [{"n": 1, f"{name}_text": "class A(BaseModel)"}] for name in ("schema", "response", "request")
    }
    assert failures(payload=payload, endpoints=endpoint) == []


MODEL = "import pydantic\n\nclass Order(pydantic.BaseModel):\n    n: int\n"


@pytest.fixture
def model(tmp_path):
    """The place of a class of pydantic."""
    (tmp_path / "shop.py").write_text(MODEL)
    return f"{tmp_path}:shop.py:Order"


@pytest.mark.parametrize(
    ("text", "unfit"),
    [
        ("all", ("djangorestframework", "default")),
        ("fastapi[*]", ("fastapi", "dicts")),
        ("fastapi,fastapi[*]", ("fastapi", "dicts")),
        ("fastapi[*]/pydantic", None),
    ],
)
def test_of_all_ways_those_that_do_not_fit_say_so(text, unfit, model):
    """With a class, a way that does not return it is a case with the reason; a way without the writer is none."""
    cases = endpoint_cases(text.split(","), model)
    schema = next(datasets(plan_of({"model": model}))).schema
    reasons = {
        (library.name, way): render(library, way, codec, schema).reason or ""
        for library, way, codec, _ in cases
        if way != FLOOR
    }
    assert len(reasons) == len([way for _, way, _, _ in cases if way != FLOOR])
    refused = {
        case for case, reason in reasons.items() if re.search(r" returns .*, and not Order \(pydantic\)$", reason)
    }
    assert {case for case, reason in reasons.items() if reason} == refused
    assert (unfit in refused) if unfit else not refused


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        (
            "djangorestframework",
            "pydantic.BaseModel",
            r"\[default\] returns objects of djangorestframework, and not Order \(pydantic\); endpoints that do: .*flask",
        ),
        (
            "flask",
            "msgspec.Struct",
            r"\[default\] returns dicts or objects of pydantic, .*: .*, flask\[response\], litestar",
        ),
        ("flask", "typing.NamedTuple", r"and not Order \(namedtuple\); no endpoint does$"),
    ],
)
def test_a_class_that_an_endpoint_does_not_return_is_told_which_do(text, kind, line, tmp_path):
    """The line says what the endpoint returns, of what the class is, and which endpoints return such classes."""
    (tmp_path / "shop.py").write_text(f"import pydantic, msgspec, typing\n\nclass Order({kind}):\n    n: int\n")
    with pytest.raises(PlanError, match=line):
        endpoint_cases([text], f"{tmp_path}:shop.py:Order")


@pytest.mark.parametrize(
    ("text", "environment"),
    [
        ("fastapi@{0}", "main"),
        ("fastapi@{1}", "main"),
        ("fastapi@0.129", "fastapi==0.129.*"),
        ("fastapi@0.129.2+starlette==0.52", "fastapi==0.129.2 + starlette==0.52.*"),
        ("fastapi+starlette==0.52", "fastapi=={0} + starlette==0.52.*"),
    ],
)
def test_the_beginning_of_a_version_is_any_that_has_it(text, environment):
    """As with libraries: 0.165 is any 0.165.x, such as the installed one, which is meant if none is named."""
    installed("fastapi")
    here = main_environment().installed("fastapi")
    recipes = {recipe.name for *_, recipe in endpoint_cases([text.format(here, here.rpartition(".")[0])])}
    assert recipes == {environment.format(here)}


@pytest.mark.parametrize("text", ["flask[response]/pydantic+orjson", "litestar/pydantic"])
def test_what_is_known_of_an_endpoint_holds_for_the_version_of_what_writes(text):
    """That of pydantic is one of the versions on which its conduct depends."""
    library, way, codec, _ = endpoint_cases([text])[-1]
    keys = {
        case_key(library, way, codec, Environment("main", "python", packages={"pydantic": version}))
        for version in ("1", "2")
    }
    assert len(keys) == 2


def installed(endpoint):
    """Skip the test if the framework of an endpoint is not installed."""
    missing = [
        one
        for one in frameworks()[endpoint.partition("[")[0]].distributions
        if main_environment().installed(one) is None
    ]
    if missing:
        pytest.skip(f"{missing[0]} is not installed: it is part of the extra `web`")


def failures(**arguments):
    """The cases that are not proven, with their reasons; what returns ready bytes takes none, nor does a tool of MCP."""
    cells = verify(operations=["encode", "decode"], **arguments)
    asked = [cell for cell in cells if cell.codec != FLOOR and (cell.library, cell.operation) != ("mcp", "decode")]
    return [(cell.name, cell.reason) for cell in asked if cell.status != "ok"]


OWN = """
import json

async def app(scope, receive, send):
    status = 200 if scope["path"] == "/orders" else 404
    page = scope["query_string"].decode()
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": json.dumps([{"id": 1, "page": page}]).encode()})

def plain(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    return [b'[{"id": 1, "page": "two"}]']
"""


@pytest.mark.parametrize(("name", "request_"), [("app", "GET /orders?page=2"), ("plain", "GET /orders")])
def test_an_app_of_ones_own_is_requested_as_it_is(name, request_, tmp_path, monkeypatch):
    """Its answer is the data of the run; the row is proven beside a rewritten way of returning the same."""
    (tmp_path / "shop.py").write_text(OWN)
    monkeypatch.setattr("serbench.render.framework.frameworks", lambda: {"planted": planted("")})
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "store.sqlite"))
    cells = verify(endpoints=f"{tmp_path}/shop.py:{name},planted", request=request_, operations="encode")
    assert [(cell.library, cell.status) for cell in cells if cell.codec != FLOOR] == [
        (f"shop.{name}", "ok"),
        ("planted", "ok"),
    ]


def test_what_cannot_be_requested_is_said_in_one_line(tmp_path, monkeypatch):
    """A wrong name, request, app or answer is one line that says what to do."""
    (tmp_path / "shop.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    for arguments, message in (
        ({"endpoints": "fastapy"}, "unknown framework 'fastapy': did you mean fastapi"),
        ({"endpoints": "fastapi[respnse]"}, "unknown way of fastapi 'respnse': did you mean response"),
        ({"endpoints": "fastapi[response]/cattrs"}, "unknown writer of fastapi"),
        ({"endpoints": "fastapi[bytes]/cattrs"}, "unknown writer of fastapi"),
        ({"endpoints": "fastapi[*]/cattrs"}, "unknown writer of fastapi"),
        ({"endpoints": "shop.py:app"}, "name a request to it"),
        ({"endpoints": "fastapi", "request": "GET /"}, "name it with --endpoint"),
        ({"endpoints": "shop.py:app", "request": "POST /"}, "only GET is measured"),
        ({"endpoints": "shop.py:app", "request": "GET /none"}, "GET /none fails: status 404"),
        ({"endpoints": "shop.py:json", "request": "GET /"}, "is not an ASGI or WSGI app"),
        ({"endpoints": "fastapi", "libraries": "msgspec"}, "omit"),
    ):
        with pytest.raises(PlanError, match=message):
            verify(**arguments)


def test_an_endpoint_is_shown_without_a_codec():
    """`show` gives the app; a library needs a codec."""
    assert '@get("/clients")\nasync def get_clients() -> list[Client]:' in serbench.show("litestar/msgspec").source
    with pytest.raises(PlanError, match="name one too"):
        serbench.show("msgspec")
    for several, first in (("fastapi[*]", "default"), ("fastapi/*", "default"), ("flask[*]", "default")):
        with pytest.raises(PlanError, match=rf"names \d+ endpoints; show one, such as \w+\[{first}\]"):
            serbench.show(several)
