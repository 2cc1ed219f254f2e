# as dataclasses_json_models.py, but for:
import attrs
from cattrs.preconf.json import make_converter
@attrs.define
class Item:
    price: float
@attrs.define
class Order:
    title: str
    placed: datetime
    items: list[Item]
converter = make_converter()
def encode(orders: list[Order]) -> bytes:
    return converter.dumps(orders, list[Order]).encode()
def decode(blob: bytes) -> list[Order]:
    return converter.loads(blob, list[Order])
def dump(orders: list[Order]) -> Any:
    return converter.unstructure(orders, list[Order])
def load(data: Any) -> list[Order]:
    return converter.structure(data, list[Order])
# without dump_item, dump_order, load_item, load_order
