# as dataclasses_json_models.py, but for:
import yyjson
def encode(orders: list[Order]) -> bytes:
    return yyjson.Document([dump_order(entry) for entry in orders]).dumps().encode()
def dumps(data: Any) -> bytes:
    return yyjson.Document(data).dumps().encode()
# without load_item, load_order, decode, loads, load
