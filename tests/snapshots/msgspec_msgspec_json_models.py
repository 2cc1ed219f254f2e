# as dataclasses_msgspec_json_models.py, but for:
class Item(msgspec.Struct):
    price: float
class Order(msgspec.Struct):
    title: str
    placed: datetime
    items: list[Item]
