# as marshmallow_orjson_json_models.py, but for:
from dataclasses_json import DataClassJsonMixin, global_config
@dataclass
class Item(DataClassJsonMixin):
    price: float
@dataclass
class Order(DataClassJsonMixin):
    title: str
    placed: datetime
    items: list[Item]
global_config.encoders[datetime] = datetime.isoformat
global_config.decoders[datetime] = datetime.fromisoformat
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps([order.to_dict(encode_json=True) for order in orders])
def decode(blob: bytes) -> list[Order]:
    return [Order.from_dict(order) for order in orjson.loads(blob)]
def dump(orders: list[Order]) -> Any:
    return [order.to_dict(encode_json=True) for order in orders]
def load(data: Any) -> list[Order]:
    return [Order.from_dict(order) for order in data]
# without ItemSchema, OrderSchema, schema
