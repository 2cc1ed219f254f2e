"""Litestar: functions whose annotations say what a request takes and returns, with msgspec below.

- What a function returns is written by msgspec, pydantic models after `model_dump`; nothing is validated on the way out.
- A JSON body is read and validated by msgspec; pydantic validates its own models.
- A DTO copies each object into one of its own class, field by field, to one level of nesting by default.
- A `Response` of bytes is sent as it is.
"""

from __future__ import annotations

from serbench.render.framework import Endpoint, Framework, Way
from serbench.results import FLOOR

_DOCS = "https://docs.litestar.dev/latest"
_RESPONSES = f"{_DOCS}/usage/responses.html"
_SENT = 'Response({}, media_type="application/json")'


_DTOS = {
    "msgspec": ("litestar.dto", "MsgspecDTO"),
    "dataclasses": ("litestar.dto", "DataclassDTO"),
    "pydantic": ("litestar.plugins.pydantic", "PydanticDTO"),
}
"""What writes a body → where its DTO is."""


def write(endpoint: Endpoint) -> None:
    """The app with a handler for each method."""
    module, way, path = endpoint.module, endpoint.way, endpoint.name
    module.use("litestar", "Litestar", "Request", "Response", "get", "post")
    place, dto = _DTOS.get(endpoint.writer, ("litestar.dto", "DTO"))
    module.use(place, dto)
    options = way.options.replace("{dto}", dto)
    module.define(f'@get("/{path}"{options})\nasync def get_{path}(){endpoint.arrow}:', [f"return {way.value}"])
    handlers = [f"get_{path}"]
    if endpoint.takes:
        read = way.parameter.startswith("request: ")
        body = [*(["body = await request.body()"] if read else []), *endpoint.taking]
        module.define(f'@post("/{path}"{options})\nasync def post_{path}({way.parameter}) -> None:', body)
        handlers.append(f"post_{path}")
    module.add(f"app = Litestar([{', '.join(handlers)}])")


FRAMEWORK = Framework(
    name="litestar",
    summary="annotations that msgspec reads and writes",
    docs=_DOCS,
    distributions=("litestar", "msgspec"),
    write=write,
    ways={
        "default": Way(
            _RESPONSES,
            ("msgspec", "dataclasses", "pydantic", "orjson"),
            "{value}",
            returns="{type}",
            parameter="data: {type}",
            taken="data",
        ),
        "response": Way(
            _RESPONSES,
            ("msgspec", "orjson", "pydantic", "dataclasses", "pydantic+orjson"),
            _SENT.replace("{}", "{bytes}"),
            returns="Response[bytes]",
            parameter="request: Request[Any, Any, Any]",
            taken="{read}",
        ),
        "dto": Way(
            f"{_DOCS}/usage/dto/index.html",
            ("msgspec", "dataclasses", "pydantic"),
            "{value}",
            returns="{type}",
            options=", dto={dto}[{record_type}]",
            parameter="data: {type}",
            taken="data",
        ),
        FLOOR: Way(_RESPONSES, (FLOOR,), _SENT.replace("{}", "{value}"), returns="Response[bytes]"),
    },
)
