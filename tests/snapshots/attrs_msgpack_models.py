# as dataclasses_msgpack_models.py, but for:
import attrs
@attrs.define
class Item:
    price: float
@attrs.define
class Order:
    title: str
    placed: datetime
    items: list[Item]
