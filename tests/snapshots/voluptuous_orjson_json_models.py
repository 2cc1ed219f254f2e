# as dataclasses_orjson_json_models.py, but for:
from typing import Any, TypedDict
import voluptuous as vol
class Item(TypedDict):
    price: float
class Order(TypedDict):
    title: str
    placed: datetime
    items: list[Item]
valid_item = vol.Schema({vol.Required("price"): float})
valid_order = vol.Schema(
    {
        vol.Required("title"): str,
        vol.Required("placed"): vol.All(str, datetime.fromisoformat),
        vol.Required("items"): [valid_item],
    }
)
schema = vol.Schema([valid_order])
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = schema(orjson.loads(blob))
    return orders
def load(data: Any) -> list[Order]:
    orders: list[Order] = schema(data)
    return orders
# without load_item, load_order, encode
