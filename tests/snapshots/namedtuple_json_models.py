# as dataclasses_json_models.py, but for:
from typing import Any, NamedTuple
class Item(NamedTuple):
    price: float
class Order(NamedTuple):
    title: str
    placed: datetime
    items: list[Item]
