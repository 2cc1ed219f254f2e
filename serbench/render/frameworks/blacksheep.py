"""BlackSheep: compiled requests and responses by ASGI; an app has to be started before its first request.

- `json` writes builtins with the standard library; a `Response` with a `Content` of bytes is sent as it is. Nothing is validated.
- `request.read()` has the body.
- All apps of a process share the router that the documentation shows first, so each has a process of its own.
"""

from __future__ import annotations

from serbench.render.framework import Endpoint, Framework, Way
from serbench.results import FLOOR

_DOCS = "https://www.neoteroi.dev/blacksheep"
_RESPONSES = f"{_DOCS}/responses/"
_SENT = 'Response(200, content=Content(b"application/json", {}))'


def write(endpoint: Endpoint) -> None:
    """The app with a handler for each method."""
    module, way, path = endpoint.module, endpoint.way, endpoint.name
    module.use("blacksheep", "Application", "Content", "Request", "Response", "get", "post", *way.options.split())
    module.add("app = Application()")
    module.define(f'@get("/{path}")\nasync def get_{path}() -> Response:', [f"return {way.value}"])
    if endpoint.takes:
        head = f'@post("/{path}")\nasync def post_{path}(request: Request) -> None:'
        module.define(head, ["body = await request.read()", *endpoint.taking])


FRAMEWORK = Framework(
    name="blacksheep",
    summary="compiled requests and responses by ASGI",
    docs=_DOCS,
    distributions=("blacksheep",),
    write=write,
    protocol="asgi with lifespan",
    registers=True,
    ways={
        "default": Way(_RESPONSES, ("json", "pydantic+json"), "json({builtins})", options="json"),
        "response": Way(
            _RESPONSES,
            ("orjson", "msgspec", "pydantic", "dataclasses", "pydantic+orjson"),
            _SENT.replace("{}", "{bytes}"),
            taken="{read}",
        ),
        FLOOR: Way(_RESPONSES, (FLOOR,), _SENT.replace("{}", "{value}")),
    },
)
