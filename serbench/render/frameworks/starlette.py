"""Starlette: the ASGI toolkit below FastAPI, whose endpoints return a response object.

- `JSONResponse` writes builtins with the standard library; a `Response` is sent as it is. Nothing is validated.
- A `StreamingResponse` sends what an asynchronous generator yields, a message for each line.
- `Request` has the body as bytes, or as builtins by the standard library.
"""

from __future__ import annotations

from serbench.render.framework import Endpoint, Framework, Way
from serbench.results import FLOOR

_DOCS = "https://www.starlette.io"
_RESPONSES = f"{_DOCS}/responses/"
_SENT = 'Response({}, media_type="application/json")'


def write(endpoint: Endpoint) -> None:
    """The app with a route for each method."""
    module, way, path = endpoint.module, endpoint.way, endpoint.name
    module.use("starlette.applications", "Starlette")
    module.use("starlette.requests", "Request")
    module.use("starlette.responses", "JSONResponse", "Response", "StreamingResponse")
    module.use("collections.abc", "AsyncIterable")
    module.use("starlette.routing", "Route")
    if way.each:
        module.define("async def lines() -> AsyncIterable[bytes]:", endpoint.yielding)
    module.define(f"async def get_{path}(request: Request) -> Response:", [f"return {way.value}"])
    routes = [f'Route("/{path}", get_{path})']
    if endpoint.takes:
        body = ["body = await request.body()", *endpoint.taking, "return Response()"]
        module.define(f"async def post_{path}(request: Request) -> Response:", body)
        routes.append(f'Route("/{path}", post_{path}, methods=["POST"])')
    module.add(f"app = Starlette(routes=[{', '.join(routes)}])")


FRAMEWORK = Framework(
    name="starlette",
    summary="the ASGI toolkit below FastAPI",
    docs=_DOCS,
    distributions=("starlette",),
    write=write,
    ways={
        "default": Way(f"{_RESPONSES}#jsonresponse", ("json", "pydantic+json"), "JSONResponse({builtins})"),
        "response": Way(
            f"{_RESPONSES}#response",
            ("orjson", "msgspec", "pydantic", "dataclasses", "pydantic+orjson"),
            _SENT.replace("{}", "{bytes}"),
            taken="{read}",
        ),
        "streaming-response": Way(
            f"{_RESPONSES}#streamingresponse",
            ("msgspec", "orjson", "dataclasses", "pydantic+orjson"),
            'StreamingResponse(lines(), media_type="application/jsonl")',
            each="{builtins}",
            line='{bytes} + b"\\n"',
        ),
        FLOOR: Way(f"{_RESPONSES}#response", (FLOOR,), _SENT.replace("{}", "{value}")),
    },
)
