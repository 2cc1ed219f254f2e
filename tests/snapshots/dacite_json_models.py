# as dacite_orjson_json_models.py, but for:
import json
from dataclasses import asdict, dataclass
def to_builtin(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not serializable")
def encode(orders: list[Order]) -> bytes:
    return json.dumps([asdict(order) for order in orders], default=to_builtin).encode()
def decode(blob: bytes) -> list[Order]:
    return [from_dict(Order, order, config) for order in json.loads(blob)]
def dump(orders: list[Order]) -> Any:
    return [asdict(order) for order in orders]
def dumps(data: Any) -> bytes:
    return json.dumps(data, default=to_builtin).encode()
def loads(blob: bytes) -> Any:
    return json.loads(blob)
