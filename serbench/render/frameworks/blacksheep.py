"""BlackSheep: compiled requests and responses by ASGI; an app has to be started before its first request.

- `json` writes builtins with the standard library; a `Response` with a `Content` of bytes is sent as it is. Nothing is validated.
- `request.read()` has the body.
- All apps of a process share the router that the documentation shows first, so each has a process of its own.
"""

from __future__ import annotations

from serbench.render.framework import OF_BUILTINS, OF_BYTES, App, Framework, Way

_DOCS = "https://www.neoteroi.dev/blacksheep"
_RESPONSES = f"{_DOCS}/responses/"

FRAMEWORK = Framework(
    name="blacksheep",
    summary="compiled requests and responses by ASGI",
    docs=_DOCS,
    distributions=("blacksheep",),
    write=App(
        imports=("blacksheep: Application Content Request Response get post {options}",),
        before="app = Application()",
        get='@get("/{path}")\nasync def get_{path}() -> Response:',
        post='@post("/{path}")\nasync def post_{path}(request: Request) -> None:',
        body="await request.read()",
    ).write,
    protocol="asgi with lifespan",
    registers=True,
    ways={
        "default": Way(_RESPONSES, OF_BUILTINS, "json({builtins})", options="json"),
        "response": Way(
            _RESPONSES, OF_BYTES, 'Response(200, content=Content(b"application/json", {bytes}))', taken="{read}"
        ),
    },
)
