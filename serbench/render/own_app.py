"""An endpoint of the user's own app as a case: requested as it is, beside rewritten ways of returning the same body."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from serbench.errors import PlanError
from serbench.model.records import Schema
from serbench.model.scalars import ANY
from serbench.render.codec import Calls, Codec
from serbench.render.environments import main_environment, run_script
from serbench.render.format import codecs
from serbench.render.library import Library, Rendered
from serbench.render.requests import DRIVERS
from serbench.render.source.module import Module, laid_out, literal
from serbench.render.user_class.find import function_located

_DOCS = "https://asgi.readthedocs.io/en/latest/specs/www.html"
_REQUEST = re.compile(r"GET (/\S*)")
_START_S = 60.0
_PROTOCOL = """
import inspect
call = type(app).__call__ if not inspect.isroutine(app) else app
print("asgi" if inspect.iscoroutinefunction(call) else "wsgi")"""
_ANSWER = """
answer = fetch(None)
sys.stdout.buffer.write(b"\\n" + answer)"""


def is_own_app(text: str) -> bool:
    """Return True if an endpoint is `file.py:app` or `module:app`."""
    return ":" in text


def located_app(text: str) -> str:
    """The place of an app as "folder:module:app", which means the same anywhere; any other endpoint as it is.

    Raises:
        PlanError: there is no such file, or nothing in it has the name.
    """
    place = function_located(text) if is_own_app(text) else None
    return text if place is None else ":".join(place)


def own_case(located: str, request: str) -> tuple[Library, str, Codec]:
    """The app as a library of its own, with what it answers to a request.

    Raises:
        PlanError: the app cannot be imported.
    """
    _, module, name = located.rsplit(":", 2)
    protocol = _protocol(located)

    def render(_schema: Schema, _codec: Codec, _variant: str) -> Rendered:
        module = _module(located, request, protocol)
        module.define("def build(values: Any) -> Any:", ["return values"])
        return Rendered(module, encode="fetch(value)", schema=Schema(ANY))

    library = Library(
        name=re.sub(r"[^a-z0-9._-]", "-", f"{module.removesuffix('.py')}.{name}".lower().lstrip("_0123456789"))
        or "app",
        summary="your own app",
        docs=_DOCS,
        render=render,
        core=True,
        modules=(module.partition(".")[0],),
        cannot={"decode": f"its answers are measured alone ({_DOCS})"},
    )
    inner = next(codec for codec in codecs() if codec.format == "json")
    return library, "default", Codec(request, _DOCS, only=frozenset({library.name}), format=inner.format, calls=Calls())


def answer_of(located: str, request: str) -> Any:
    """What the app answers to a request, read as JSON.

    Raises:
        PlanError: the app cannot be imported, does not answer, or answers with anything else than JSON.
    """
    module = _module(located, request, _protocol(located))
    text = _run(located, module, _ANSWER, f"{request} fails")
    try:
        return json.loads(text)
    except ValueError as error:
        raise PlanError(f"{_shown(located)} answers {request} with no JSON ({error})") from None


@cache
def _protocol(located: str) -> str:
    return _run(located, _imported(located), _PROTOCOL, "it cannot be imported").strip()


def _run(located: str, module: Module, more: str, fails: str) -> str:
    """The last line that a module prints, with these further statements."""
    printed, code, words = run_script(main_environment(), laid_out([module.text() + more], (3, 11))[0], "", _START_S)
    if code is None:
        raise PlanError(f"{_shown(located)}: no answer within {_START_S:g} s")
    if code:
        raise PlanError(f"{_shown(located)}: {fails}: {words}")
    return printed.rstrip("\n").rpartition("\n")[2]


def _module(located: str, request: str, protocol: str) -> Module:
    match = _REQUEST.fullmatch(request)
    if match is None:
        raise PlanError(
            f"request is a method and a path, such as 'GET /orders?page=2', not {request!r}; only GET is measured"
        )
    module = _imported(located)
    module.use("typing", "Any")
    module.add("now: dict[str, Any] = {}")
    path, _, query = match[1].partition("?")
    DRIVERS[protocol](module, path.removeprefix("/"), takes=False, query=query)
    return module


def _imported(located: str) -> Module:
    folder, name, app = located.rsplit(":", 2)
    module = Module()
    module.plain |= {"importlib", "sys"}
    module.add(f"sys.path.insert(0, {literal(folder)})")
    module.add(f"app: Any = importlib.import_module({literal(name)}).{app}")
    module.use("typing", "Any")
    return module


def _shown(located: str) -> str:
    _, module, app = located.rsplit(":", 2)
    return f"{module}:{app}"
