# as marshmallow_orjson_json_models.py, but for:
from apischema import deserialization_method, serialization_method
serialize = serialization_method(list[Order])
deserialize = deserialization_method(list[Order])
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(serialize(orders))
def decode(blob: bytes) -> list[Order]:
    return deserialize(orjson.loads(blob))
def dump(orders: list[Order]) -> Any:
    return serialize(orders)
def load(data: Any) -> list[Order]:
    return deserialize(data)
# without ItemSchema, OrderSchema, schema
