# as typeddict_orjson_json_models.py, but for:
import json
def dump_order(order: Order) -> dict[str, Any]:
    return {
        "title": order["title"],
        "placed": order["placed"].isoformat(),
        "items": order["items"],
    }
def encode(orders: list[Order]) -> bytes:
    return json.dumps([dump_order(entry) for entry in orders]).encode()
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in json.loads(blob)]
def dump(orders: list[Order]) -> Any:
    return [dump_order(entry) for entry in orders]
def dumps(data: Any) -> bytes:
    return json.dumps(data).encode()
def loads(blob: bytes) -> Any:
    return json.loads(blob)
