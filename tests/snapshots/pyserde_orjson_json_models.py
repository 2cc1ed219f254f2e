# as dataclasses_pickle_models.py, but for:
from serde import serde
from serde.json import from_json, to_json
@serde
class Item:
    price: float
@serde
class Order:
    title: str
    placed: datetime
    items: list[Item]
def encode(orders: list[Order]) -> bytes:
    return to_json(orders, list[Order]).encode()
def decode(blob: bytes) -> list[Order]:
    return from_json(list[Order], blob)
