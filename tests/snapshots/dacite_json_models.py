# as dataclasses_json_models.py, but for:
from dataclasses import asdict, dataclass
from dacite import Config, from_dict
config = Config(type_hooks={datetime: datetime.fromisoformat})
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
def load(data: Any) -> list[Order]:
    return [from_dict(Order, order, config) for order in data]
# without dump_item, dump_order, load_item, load_order
