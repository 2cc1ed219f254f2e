"""Starlette: the ASGI toolkit below FastAPI, whose endpoints return a response object.

- `JSONResponse` writes builtins with the standard library; a `Response` is sent as it is. Nothing is validated.
- A `StreamingResponse` sends what an asynchronous generator yields, a message for each line.
- `Request` has the body as bytes, or as builtins by the standard library.
"""

from __future__ import annotations

from serbench.render.framework import OF_BUILTINS, OF_BYTES, App, Framework, Way

_DOCS = "https://www.starlette.io"
_RESPONSES = f"{_DOCS}/responses/"

FRAMEWORK = Framework(
    name="starlette",
    summary="the ASGI toolkit below FastAPI",
    docs=_DOCS,
    distributions=("starlette",),
    write=App(
        imports=(
            "starlette.applications: Starlette",
            "starlette.requests: Request",
            "starlette.responses: JSONResponse Response StreamingResponse",
            "collections.abc: AsyncIterable",
            "starlette.routing: Route",
        ),
        get="async def get_{path}(request: Request) -> Response:",
        post="async def post_{path}(request: Request) -> Response:",
        body="await request.body()",
        answer="return Response()",
        after='app = Starlette(routes=[Route("/{path}", get_{path}){and_post}])',
        and_post=', Route("/{path}", post_{path}, methods=["POST"])',
    ).write,
    ways={
        "default": Way(f"{_RESPONSES}#jsonresponse", OF_BUILTINS, "JSONResponse({builtins})"),
        "response": Way(
            f"{_RESPONSES}#response", OF_BYTES, 'Response({bytes}, media_type="application/json")', taken="{read}"
        ),
        "streaming-response": Way(
            f"{_RESPONSES}#streamingresponse",
            ("msgspec", "orjson", "dataclasses", "pydantic+orjson"),
            'StreamingResponse(lines(), media_type="application/jsonl")',
            each="{builtins}",
            line='{bytes} + b"\\n"',
        ),
    },
)
