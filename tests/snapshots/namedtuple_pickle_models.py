# as dataclasses_pickle_models.py, but for:
from typing import NamedTuple
class Item(NamedTuple):
    price: float
class Order(NamedTuple):
    title: str
    placed: datetime
    items: list[Item]
