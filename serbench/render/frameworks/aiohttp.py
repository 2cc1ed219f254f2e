"""aiohttp: handlers behind its own server, which has no ASGI or WSGI; nothing is validated.

- `json_response` writes builtins with the standard library; a `Response` is sent as it is.
- `request.read()` has the body, of at most 1 MiB.
- The server's protocol gets the request as bytes and writes the head of the answer: every row has that, the floor too.
"""

from __future__ import annotations

from serbench.render.framework import Endpoint, Framework, Way
from serbench.results import FLOOR

_DOCS = "https://docs.aiohttp.org/en/stable"
_JSON = f"{_DOCS}/web_quickstart.html#json-response"
_RESPONSE = f"{_DOCS}/web_reference.html#aiohttp.web.Response"
_SENT = 'web.Response(body={}, content_type="application/json")'


def write(endpoint: Endpoint) -> None:
    """The app with a table of routes."""
    module, way, path = endpoint.module, endpoint.way, endpoint.name
    module.use("aiohttp", "web")
    module.add("routes = web.RouteTableDef()")
    head = f'@routes.get("/{path}")\nasync def get_{path}(request: web.Request) -> web.Response:'
    module.define(head, [f"return {way.value}"])
    if endpoint.takes:
        head = f'@routes.post("/{path}")\nasync def post_{path}(request: web.Request) -> web.Response:'
        module.define(head, ["body = await request.read()", *endpoint.taking, "return web.Response()"])
    module.add("app = web.Application()")
    module.add("app.add_routes(routes)")


FRAMEWORK = Framework(
    name="aiohttp",
    summary="handlers behind its own server, without ASGI or WSGI",
    docs=_DOCS,
    distributions=("aiohttp",),
    write=write,
    protocol="aiohttp",
    ways={
        "default": Way(_JSON, ("json", "pydantic+json"), "web.json_response({builtins})"),
        "response": Way(
            _RESPONSE,
            ("orjson", "msgspec", "pydantic", "dataclasses", "pydantic+orjson"),
            _SENT.replace("{}", "{bytes}"),
            taken="{read}",
        ),
        FLOOR: Way(_RESPONSE, (FLOOR,), _SENT.replace("{}", "{value}")),
    },
)
