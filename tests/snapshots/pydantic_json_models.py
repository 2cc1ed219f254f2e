# as dataclasses_json_models.py, but for:
from pydantic import BaseModel, TypeAdapter
class Item(BaseModel):
    price: float
class Order(BaseModel):
    title: str
    placed: datetime
    items: list[Item]
adapter = TypeAdapter(list[Order])
def encode(orders: list[Order]) -> bytes:
    return json.dumps(adapter.dump_python(orders, mode="json")).encode()
def decode(blob: bytes) -> list[Order]:
    return adapter.validate_python(json.loads(blob))
def dump(orders: list[Order]) -> Any:
    return adapter.dump_python(orders, mode="json")
def load(data: Any) -> list[Order]:
    return adapter.validate_python(data)
# without dump_item, dump_order, load_item, load_order
