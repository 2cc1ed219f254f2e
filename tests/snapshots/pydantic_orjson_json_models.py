# as marshmallow_orjson_json_models.py, but for:
from pydantic import BaseModel, TypeAdapter
class Item(BaseModel):
    price: float
class Order(BaseModel):
    title: str
    placed: datetime
    items: list[Item]
adapter = TypeAdapter(list[Order])
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(adapter.dump_python(orders))
def decode(blob: bytes) -> list[Order]:
    return adapter.validate_python(orjson.loads(blob))
def dump(orders: list[Order]) -> Any:
    return adapter.dump_python(orders)
def load(data: Any) -> list[Order]:
    return adapter.validate_python(data)
# without ItemSchema, OrderSchema, schema
