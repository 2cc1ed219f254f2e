# as dataclasses_orjson_json_models.py, but for:
from typing import Any, TypedDict
import colander
class Item(TypedDict):
    price: float
class Order(TypedDict):
    title: str
    placed: datetime
    items: list[Item]
class ItemSchema(colander.MappingSchema):
    price = colander.SchemaNode(colander.Float())
class OrderSchema(colander.MappingSchema):
    title = colander.SchemaNode(colander.String(allow_empty=True))
    placed = colander.SchemaNode(colander.DateTime())
    items = colander.SchemaNode(colander.Sequence(), ItemSchema())
schema = colander.SchemaNode(colander.Sequence(), OrderSchema())
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = schema.deserialize(orjson.loads(blob))
    return orders
def load(data: Any) -> list[Order]:
    orders: list[Order] = schema.deserialize(data)
    return orders
# without load_item, load_order, encode
