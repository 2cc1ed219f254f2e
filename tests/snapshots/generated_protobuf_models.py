# as dataclasses_protobuf_models.py, but for:
from datetime import UTC
def encode(orders: Any) -> bytes:
    return orders.SerializeToString()
def decode(blob: bytes) -> Any:
    return DocumentMessage.FromString(blob)
def build(values: Any) -> Any:
    return DocumentMessage(items=values)
def plain(orders: Any) -> Any:
    return from_document(orders)
# without Item, Order, dump_item, dump_order, load_item, load_order, dump, dumps, loads, load
