# as marshmallow_orjson_json_models.py, but for:
from serpyco_rs import Serializer
serializer = Serializer(list[Order])
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(serializer.dump(orders))
def decode(blob: bytes) -> list[Order]:
    return serializer.load(orjson.loads(blob))
def dump(orders: list[Order]) -> Any:
    return serializer.dump(orders)
def load(data: Any) -> list[Order]:
    return serializer.load(data)
# without ItemSchema, OrderSchema, schema
