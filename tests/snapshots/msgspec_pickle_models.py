# as dataclasses_pickle_models.py, but for:
import msgspec
class Item(msgspec.Struct):
    price: float
class Order(msgspec.Struct):
    title: str
    placed: datetime
    items: list[Item]
