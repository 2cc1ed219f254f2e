"""FastAPI: functions whose annotations say what a request takes and returns, on Starlette and pydantic.

- A return annotation is a `response_model`: pydantic validates what is no instance of it and, since 0.130.0, writes its JSON.
- With an explicit `response_class`, pydantic makes builtins of what it validated (`dump_python(mode="json")`), and that
  class writes these. Without a response model, `jsonable_encoder` makes them.
- A `Response` is sent as it is: nothing validates it.
- A function that yields sends JSON Lines since 0.134.0: pydantic writes each record, of a type that it knows.
- A JSON body is read by the standard library and validated by pydantic; `Request` has the bytes.
"""

from __future__ import annotations

from serbench.judge.outcomes import ABSENT
from serbench.render.framework import OF_BUILTINS, App, Framework, Way

_DOCS = "https://fastapi.tiangolo.com"
_MODEL = f"{_DOCS}/tutorial/response-model/"
_DIRECT = f"{_DOCS}/advanced/response-directly/"
_CUSTOM = f"{_DOCS}/advanced/custom-response/"
_PYDANTIC = ("pydantic",)

FRAMEWORK = Framework(
    name="fastapi",
    summary="return annotations that pydantic validates and writes, on Starlette",
    docs=_DOCS,
    distributions=("fastapi", "starlette", "pydantic"),
    write=App(
        imports=(
            "fastapi: FastAPI Request Response",
            "fastapi.responses: JSONResponse ORJSONResponse StreamingResponse",
            "collections.abc: AsyncIterable",
            "fastapi.encoders: jsonable_encoder",
        ),
        before="app = FastAPI()",
        get='@app.get("/{path}"{options})\nasync def get_{path}(){arrow}:',
        post='@app.post("/{path}")\nasync def post_{path}({parameter}) -> None:',
        body="await request.body()",
    ).write,
    ways={
        "default": Way(
            _MODEL, ("pydantic", "dataclasses"), "{value}", returns="{type}", parameter="{name}: {type}", taken="{name}"
        ),
        "response-model": Way(
            f"{_MODEL}#response-model-parameter", _PYDANTIC, "{value}", options=", response_model={type}"
        ),
        "response-model-dicts": Way(
            f"{_MODEL}#response-model-parameter", _PYDANTIC, "{value}", options=", response_model={type}", of_dicts=True
        ),
        "exclude-none": Way(
            f"{_MODEL}#use-the-response-model-exclude-unset-parameter",
            _PYDANTIC,
            "{value}",
            returns="{type}",
            options=", response_model_exclude_none=True",
            parameter="{name}: {type}",
            taken="{name}",
            leaves_out=ABSENT,
        ),
        "dicts": Way(f"{_MODEL}#disable-response-model", ("json",), "{builtins}", options=", response_model=None"),
        "json-response": Way(_DIRECT, OF_BUILTINS, "JSONResponse({builtins})"),
        "orjson-response": Way(
            f"{_CUSTOM}#use-orjsonresponse",
            _PYDANTIC,
            "{value}",
            returns="{type}",
            options=", response_class=ORJSONResponse",
        ),
        "jsonable-encoder": Way(
            f"{_DIRECT}#using-the-jsonable_encoder-in-a-response", _PYDANTIC, "JSONResponse(jsonable_encoder({value}))"
        ),
        "response": Way(
            f"{_DIRECT}#returning-a-custom-response",
            ("pydantic", "msgspec", "orjson", "dataclasses", "pydantic+orjson"),
            'Response({bytes}, media_type="application/json")',
            parameter="request: Request",
            taken="{read}",
        ),
        "json-lines": Way(
            f"{_DOCS}/tutorial/stream-json-lines/",
            _PYDANTIC,
            "",
            returns="AsyncIterable[{record_type}]",
            each="{records}",
            line="record",
        ),
        "streaming-response": Way(
            f"{_CUSTOM}#streamingresponse",
            ("msgspec", "orjson", "dataclasses", "pydantic+orjson"),
            'StreamingResponse(lines(), media_type="application/jsonl")',
            returns="StreamingResponse",
            each="{builtins}",
            line='{bytes} + b"\\n"',
        ),
    },
)
