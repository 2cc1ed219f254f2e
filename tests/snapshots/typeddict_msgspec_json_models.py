# as dataclasses_msgspec_json_models.py, but for:
from typing import TypedDict
class Item(TypedDict):
    price: float
class Order(TypedDict):
    title: str
    placed: datetime
    items: list[Item]
