"""Litestar: functions whose annotations say what a request takes and returns, with msgspec below.

- What a function returns is written by msgspec, pydantic models after `model_dump`; nothing is validated on the way out.
- A JSON body is read and validated by msgspec; pydantic validates its own models.
- A DTO copies each object into one of its own class, field by field, to one level of nesting by default.
- A `Response` of bytes is sent as it is.
"""

from __future__ import annotations

from dataclasses import replace

from serbench.render.framework import App, Endpoint, Framework, Way

_DOCS = "https://docs.litestar.dev/latest"
_RESPONSES = f"{_DOCS}/usage/responses.html"
_APP = App(
    imports=(
        "litestar: Litestar Request Response get post",
        "litestar.dto: DataclassDTO MsgspecDTO",
        "litestar.plugins.pydantic: PydanticDTO",
    ),
    get='@get("/{path}"{options})\nasync def get_{path}(){arrow}:',
    post='@post("/{path}"{options})\nasync def post_{path}({parameter}) -> None:',
    body="await request.body()",
    after="app = Litestar([get_{path}{and_post}])",
    and_post=", post_{path}",
)
_DTOS = {"msgspec": "MsgspecDTO", "dataclasses": "DataclassDTO", "pydantic": "PydanticDTO"}
"""What writes a body → its DTO."""


def write(endpoint: Endpoint) -> None:
    """The app with a handler for each method."""
    options = endpoint.way.options.replace("{dto}", _DTOS.get(endpoint.writer, ""))
    endpoint.way = replace(endpoint.way, options=options)
    _APP.write(endpoint)


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
            by_names=("dataclasses", "pydantic"),
        ),
        "response": Way(
            _RESPONSES,
            ("msgspec", "orjson", "pydantic", "dataclasses", "pydantic+orjson"),
            'Response({bytes}, media_type="application/json")',
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
            by_names=("msgspec", "dataclasses", "pydantic"),
        ),
    },
)
