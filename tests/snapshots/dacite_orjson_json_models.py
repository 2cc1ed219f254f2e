# as dataclasses_orjson_json_models.py, but for:
from dacite import Config, from_dict
config = Config(type_hooks={datetime: datetime.fromisoformat})
def decode(blob: bytes) -> list[Order]:
    return [from_dict(Order, order, config) for order in orjson.loads(blob)]
def load(data: Any) -> list[Order]:
    return [from_dict(Order, order, config) for order in data]
# without load_item, load_order
