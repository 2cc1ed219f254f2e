# as dataclasses_json_models.py, but for:
from typing import Any, TypedDict
class Item(TypedDict):
    price: float
class Order(TypedDict):
    title: str
    placed: datetime
    items: list[Item]
def dump_order(order: Order) -> dict[str, Any]:
    return {
        "title": order["title"],
        "placed": order["placed"].isoformat(),
        "items": order["items"],
    }
def load_order(data: dict[str, Any]) -> Order:
    return {
        "title": data["title"],
        "placed": datetime.fromisoformat(data["placed"]),
        "items": data["items"],
    }
# without dump_item, load_item
