# as marshmallow_orjson_json_models.py, but for:
import json
def encode(orders: list[Order]) -> bytes:
    return schema.dumps(orders).encode()
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = schema.loads(blob)
    return orders
def dumps(data: Any) -> bytes:
    return json.dumps(data).encode()
def loads(blob: bytes) -> Any:
    return json.loads(blob)
