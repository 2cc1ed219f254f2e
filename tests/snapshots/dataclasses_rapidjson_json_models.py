# as dataclasses_json_models.py, but for:
import rapidjson
def encode(orders: list[Order]) -> bytes:
    return rapidjson.dumps([dump_order(entry) for entry in orders]).encode()
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in rapidjson.loads(blob)]
def dumps(data: Any) -> bytes:
    return rapidjson.dumps(data).encode()
def loads(blob: bytes) -> Any:
    return rapidjson.loads(blob)
