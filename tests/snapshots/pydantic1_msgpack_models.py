# as pydantic1_orjson_json_models.py, but for:
import msgpack
from pydantic.json import pydantic_encoder
def encode(orders: list[Order]) -> bytes:
    return msgpack.packb([item.dict() for item in orders], default=pydantic_encoder)
def decode(blob: bytes) -> list[Order]:
    return parse_obj_as(list[Order], msgpack.unpackb(blob))
def dumps(data: Any) -> bytes:
    return msgpack.packb(data, default=pydantic_encoder)
def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)
