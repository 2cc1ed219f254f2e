# as marshmallow_orjson_json_models.py, but for:
from dataclass_wizard import asdict, fromlist
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps([asdict(order) for order in orders])
def decode(blob: bytes) -> list[Order]:
    return fromlist(Order, orjson.loads(blob))
def dump(orders: list[Order]) -> Any:
    return [asdict(order) for order in orders]
def load(data: Any) -> list[Order]:
    return fromlist(Order, data)
# without ItemSchema, OrderSchema, schema
