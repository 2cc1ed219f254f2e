# as marshmallow_orjson_json_models.py, but for:
from databind.json import get_object_mapper
mapper = get_object_mapper()
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(mapper.serialize(orders, list[Order]))
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = mapper.deserialize(orjson.loads(blob), list[Order])
    return orders
def dump(orders: list[Order]) -> Any:
    return mapper.serialize(orders, list[Order])
def load(data: Any) -> list[Order]:
    orders: list[Order] = mapper.deserialize(data, list[Order])
    return orders
# without ItemSchema, OrderSchema, schema
