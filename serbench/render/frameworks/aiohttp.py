"""aiohttp: handlers behind its own server, which has no ASGI or WSGI; nothing is validated.

- `json_response` writes builtins with the standard library; a `Response` is sent as it is.
- `request.read()` has the body, of at most 1 MiB.
- The server's protocol gets the request as bytes and writes the head of the answer: every row has that, the floor too.
"""

from __future__ import annotations

from serbench.render.framework import OF_BUILTINS, OF_BYTES, App, Framework, Way

_DOCS = "https://docs.aiohttp.org/en/stable"
_JSON = f"{_DOCS}/web_quickstart.html#json-response"
_RESPONSE = f"{_DOCS}/web_reference.html#aiohttp.web.Response"

FRAMEWORK = Framework(
    name="aiohttp",
    summary="handlers behind its own server, without ASGI or WSGI",
    docs=_DOCS,
    distributions=("aiohttp",),
    write=App(
        imports=("aiohttp: web",),
        before="routes = web.RouteTableDef()",
        get='@routes.get("/{path}")\nasync def get_{path}(request: web.Request) -> web.Response:',
        post='@routes.post("/{path}")\nasync def post_{path}(request: web.Request) -> web.Response:',
        body="await request.read()",
        answer="return web.Response()",
        after="app = web.Application()\napp.add_routes(routes)",
    ).write,
    protocol="aiohttp",
    ways={
        "default": Way(_JSON, OF_BUILTINS, "web.json_response({builtins})"),
        "response": Way(
            _RESPONSE, OF_BYTES, 'web.Response(body={bytes}, content_type="application/json")', taken="{read}"
        ),
    },
)
