# as namedtuple_json_models.py, but for:
import orjson
def dump_order(order: Order) -> dict[str, Any]:
    return {
        "title": order.title,
        "placed": order.placed,
        "items": [dump_item(entry) for entry in order.items],
    }
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in orjson.loads(blob)]
def dumps(data: Any) -> bytes:
    return orjson.dumps(data)
def loads(blob: bytes) -> Any:
    return orjson.loads(blob)
