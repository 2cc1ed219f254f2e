"""An endpoint of the user's own app as a case: requested as it is, beside rewritten ways of returning the same body."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import shorten
from typing import Any
from urllib.parse import quote

from serbench.errors import PlanError, WorkloadError
from serbench.model.data.files import parse_json
from serbench.model.records import Schema
from serbench.model.scalars import ANY
from serbench.render.codec import Calls, Codec
from serbench.render.environments import main_environment, run_script
from serbench.render.library import Library, Rendered
from serbench.render.requests import DRIVERS
from serbench.render.source.module import Module, literal
from serbench.render.user_class.find import function_located

_DOCS = "https://asgi.readthedocs.io/en/latest/specs/www.html"
_REQUEST = re.compile(r"GET (/\S*)")
_START_S = 60.0
_HELPER = Path(__file__).parents[1] / "measure" / "worker" / "user_code.py"  # which workers load for the case
_MARK = "serbench answers "
_SCRIPT = """
import base64, importlib.util, json, os, sys
spec = importlib.util.spec_from_file_location("_serbench_user_code", {helper})
sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[spec.name])
names, dumps = {{}}, json.dumps
try:
    exec({source}, names)
    found = {{"answer": base64.b64encode(names["answer"]).decode()}}
except Exception as error:
    found = {{"error": f"{{type(error).__name__}}: {{error}}"}}
print("\\n" + {mark} + dumps(found), flush=True)
os._exit(0)  # whatever the app has left running
"""
_PROTOCOL = """
import inspect
def takes(*arguments):
    try:
        inspect.signature(app).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # a compiled app does not tell
        pass
    return True
waits = inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(getattr(app, "__call__", None))
if not callable(app) or not (takes({}, None) or takes({}, None, None)):
    answer = b""
else:
    answer = b"asgi with lifespan" if waits or not takes({}, None) else b"wsgi"
"""
_ANSWER = "\nanswer = fetch(None)\n"


@dataclass(frozen=True)
class OwnApp(Library):
    """An app of the user's as a library of its own.

    Attributes:
        protocol: by which it is called, a key of `DRIVERS`.
    """

    protocol: str = "asgi"


def is_own_app(text: str) -> bool:
    """Return True if an endpoint is `file.py:app` or `module:app`."""
    return ":" in text


def located_app(text: str) -> str:
    """The place of an app as "folder:module:app", which means the same anywhere and stays as it is; so does any other endpoint.

    Raises:
        PlanError: the text has another form, there is no such file, or nothing in it has the name.
    """
    if not is_own_app(text) or Path(text.rpartition(":")[0].rpartition(":")[0]).is_absolute():
        return text
    place = function_located(text)
    if place is None:
        raise PlanError(f"{text!r} does not name an app; write file.py:app or module:app, such as shop/api.py:app")
    return ":".join(place)


def own_cases(apps: Sequence[str], request: str) -> list[tuple[OwnApp, str, Codec]]:
    """The apps as libraries of their own, with what they answer to a request.

    Raises:
        PlanError: an app cannot be imported.
    """
    return [_own_case(located, name, request) for located, name in _names(list(dict.fromkeys(apps))).items()]


def _names(apps: Sequence[str]) -> dict[str, str]:
    """Each app with its module and name, behind as many of its folders as tell it from the others."""
    names = []
    for app in apps:
        others = [other for other in apps if other != app]
        for folders in range(len(Path(app.rsplit(":", 2)[0]).parts)):
            name = _name(app, folders)
            if name not in [_name(other, folders) for other in others]:
                break
        names.append(name)
    if len({"_".join(re.findall("[a-z0-9]+", name)) for name in names}) < len(names):  # as modules are named
        names = [f"{name}-{number}" for number, name in enumerate(names, 1)]
    return dict(zip(apps, names, strict=True))


def _name(app: str, folders: int) -> str:
    """An app as a library's name, behind the last of its folders."""
    folder, module, name = app.rsplit(":", 2)
    parts = Path(folder).parts
    text = ".".join([*parts[len(parts) - folders :], module.removesuffix(".py"), name]).lower()
    return re.sub(r"[^a-z0-9._-]", "-", text).lstrip("._-0123456789") or "app"


def _own_case(located: str, name: str, request: str) -> tuple[OwnApp, str, Codec]:
    protocol = _protocol(located)

    def render(_schema: Schema, _codec: Codec, _variant: str) -> Rendered:
        module = _module(located, request, protocol)
        return Rendered(module, encode="fetch(value)", schema=Schema(ANY))

    library = OwnApp(
        name=name,
        summary="your own app",
        docs=_DOCS,
        render=render,
        protocol=protocol,
        core=True,
        cannot={"decode": f"only its answers are measured, not what it takes ({_DOCS})"},
    )
    return library, "default", Codec(request, _DOCS, only=frozenset({name}), format="json", calls=Calls())


def answer_of(located: str, request: str) -> Any:
    """What the app answers to a request, read as JSON.

    Raises:
        PlanError: the app cannot be imported, does not answer, or answers with anything else than JSON.
    """
    module = _module(located, request, _protocol(located))
    body = _run(located, module, _ANSWER, f"{request} fails")
    if not body:
        raise PlanError(f"{shown(located)} answers {request} with an empty body; name a request that JSON answers")
    try:
        return parse_json(Path("body"), body)
    except WorkloadError as error:
        reason = str(error).removeprefix("body: ").rpartition("; ")[0]
        raise PlanError(f"{shown(located)} answers {request} with what cannot be read: {reason}") from None


@cache
def _protocol(located: str) -> str:
    protocol = _run(located, _imported(located), _PROTOCOL, "it cannot be imported").decode()
    if not protocol:
        raise PlanError(f"{shown(located)} is not an ASGI or WSGI app: it takes other arguments; name the app itself")
    return protocol


def _run(located: str, module: Module, more: str, fails: str) -> bytes:
    """The `answer` of a module with these further statements."""
    script = _SCRIPT.format(helper=literal(str(_HELPER)), source=literal(module.text() + more), mark=literal(_MARK))
    printed, code, words = run_script(main_environment(), script, "", _START_S)
    if code is None:
        raise PlanError(f"{shown(located)}: no answer within {_START_S:g} s")
    _, mark, text = printed.rpartition(f"\n{_MARK}")
    found = json.loads(text.partition("\n")[0]) if mark else {"error": words}
    if "error" in found:
        raise PlanError(f"{shown(located)}: {fails}: {shorten(found['error'].rstrip(': '), 300, placeholder=' …')}")
    return b64decode(found["answer"])


def _module(located: str, request: str, protocol: str) -> Module:
    path, query = path_and_query(request)
    module = _imported(located)
    module.add("now: dict[str, Any] = {}")
    module.define("def build(values: Any) -> Any:", ["return values"])
    DRIVERS[protocol](module, path, takes=False, query=query)
    return module


def path_and_query(request: str) -> tuple[str, str]:
    """The path of a request such as "GET /orders?page=2", without a slash in front, and its query, both quoted.

    Raises:
        PlanError: the request has another form.
    """
    match = _REQUEST.fullmatch(request)
    if match is None:
        raise PlanError(
            f"request is a method and a path, such as 'GET /orders?page=2', not {request!r}; only GET is measured"
        )
    path, _, query = match[1].partition("?")
    path, query = (quote(part, safe="/?%:@!$&'()*+,;=~", errors="surrogateescape") for part in (path, query))
    return path.removeprefix("/"), query


def _imported(located: str) -> Module:
    """A module with the app, whose place stands in it as texts and never as code."""
    folder, name, app = located.rsplit(":", 2)
    module = Module()
    module.use("_serbench_user_code")
    module.use("typing", "Any")
    module.add(f"imported = _serbench_user_code.module_at({literal(folder)}, {literal(name)})")
    module.add(f"app: Any = _serbench_user_code.attribute(imported, {literal(app)})")
    return module


def shown(located: str) -> str:
    """An app as the user writes it: its module and its name."""
    _, module, app = located.rsplit(":", 2)
    return f"{module}:{app}"
