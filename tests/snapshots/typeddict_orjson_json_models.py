# as dataclasses_orjson_json_models.py, but for:
from typing import Any, TypedDict
class Item(TypedDict):
    price: float
class Order(TypedDict):
    title: str
    placed: datetime
    items: list[Item]
def load_order(data: dict[str, Any]) -> Order:
    return {
        "title": data["title"],
        "placed": datetime.fromisoformat(data["placed"]),
        "items": data["items"],
    }
# without load_item
