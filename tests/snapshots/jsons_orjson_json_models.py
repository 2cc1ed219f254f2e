# as marshmallow_orjson_json_models.py, but for:
from typing import Any, List
import jsons
@dataclass
class Order:
    title: str
    placed: datetime
    items: List[Item]
def encode(orders: List[Order]) -> bytes:
    return orjson.dumps(jsons.dump(orders))
def decode(blob: bytes) -> List[Order]:
    orders: List[Order] = jsons.load(orjson.loads(blob), List[Order])
    return orders
def dump(orders: List[Order]) -> Any:
    return jsons.dump(orders)
def load(data: Any) -> List[Order]:
    orders: List[Order] = jsons.load(data, List[Order])
    return orders
# without ItemSchema, OrderSchema, schema
