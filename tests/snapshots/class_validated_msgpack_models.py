# as class_validated_orjson_json_models.py, but for:
import msgpack
def dump_order(order: Order) -> dict[str, Any]:
    return {
        "title": order.title,
        "placed": order.placed.isoformat(),
        "items": [dump_item(entry) for entry in order.items],
    }
def encode(orders: list[Order]) -> bytes:
    return msgpack.packb([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in msgpack.unpackb(blob)]
def dumps(data: Any) -> bytes:
    return msgpack.packb(data)
def loads(blob: bytes) -> Any:
    return msgpack.unpackb(blob)
