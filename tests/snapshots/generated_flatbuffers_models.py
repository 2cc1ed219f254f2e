# as dataclasses_flatbuffers_models.py, but for:
def dump_order(order: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": order["title"],
        "placed": order["placed"].isoformat(),
        "items": order["items"],
    }
def encode(orders: Any) -> bytes:
    return bytes(orders.Output())
def decode(blob: bytes) -> Any:
    return DocumentTable.GetRootAs(blob)
def build(values: Any) -> Any:
    return finished([dump_order(entry) for entry in values])
def plain(orders: Any) -> Any:
    return from_document(orders)["items"]
# without Item, Order, dump_item, load_item, load_order, dump, dumps, loads, load
