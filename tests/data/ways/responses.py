"""A response of FastAPI: of a model, or of bytes that pydantic wrote."""

from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel


class Item(BaseModel):
    id: int
    name: str
    tags: list[str]


def make(number):
    return Item(id=number, name=f"item {number}", tags=["a", "b", "c"] * 5)


def json_response(item):
    return JSONResponse(jsonable_encoder(item)).body


def bytes_response(item):
    return Response(item.model_dump_json().encode(), media_type="application/json").body
