# as dataclasses_json_models.py, but for:
import cbor2
def dump_order(order: Order) -> dict[str, Any]:
    return {
        "title": order.title,
        "placed": order.placed,
        "items": [dump_item(entry) for entry in order.items],
    }
def load_order(data: dict[str, Any]) -> Order:
    return Order(
        title=data["title"],
        placed=data["placed"],
        items=[load_item(entry) for entry in data["items"]],
    )
def encode(orders: list[Order]) -> bytes:
    return cbor2.dumps([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in cbor2.loads(blob)]
def dumps(data: Any) -> bytes:
    return cbor2.dumps(data)
def loads(blob: bytes) -> Any:
    return cbor2.loads(blob)
