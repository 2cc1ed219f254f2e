# as marshmallow_orjson_json_models.py, but for:
from dataclass_factory import Factory
factory = Factory()
parse = factory.parser(list[Order])
serialize = factory.serializer(list[Order])
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(serialize(orders))
def decode(blob: bytes) -> list[Order]:
    return parse(orjson.loads(blob))
def dump(orders: list[Order]) -> Any:
    return serialize(orders)
def load(data: Any) -> list[Order]:
    return parse(data)
# without ItemSchema, OrderSchema, schema
