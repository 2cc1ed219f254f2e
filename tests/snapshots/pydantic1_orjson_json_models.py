# as marshmallow_orjson_json_models.py, but for:
from pydantic import BaseModel, parse_obj_as
class Item(BaseModel):
    price: float
class Order(BaseModel):
    title: str
    placed: datetime
    items: list[Item]
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps([item.dict() for item in orders])
def decode(blob: bytes) -> list[Order]:
    return parse_obj_as(list[Order], orjson.loads(blob))
def dump(orders: list[Order]) -> Any:
    return [item.dict() for item in orders]
def load(data: Any) -> list[Order]:
    return parse_obj_as(list[Order], data)
# without ItemSchema, OrderSchema, schema
