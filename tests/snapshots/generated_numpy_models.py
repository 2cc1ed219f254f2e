# as dataclasses_numpy_models.py, but for:
from datetime import UTC
def encode(orders: Records) -> bytes:
    return bytes(orders.buffer)
def decode(blob: bytes) -> Records:
    return Records(blob)
def build(values: Any) -> Records:
    return to_records(values)
def plain(orders: Records) -> Any:
    return [plain_order(item) for item in orders]
# without Item, Order, dump_item, dump_order, load_item, load_order, dump, dumps, loads, load
