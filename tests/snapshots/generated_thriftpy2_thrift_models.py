# as dataclasses_thriftpy2_thrift_models.py, but for:
def dump_order(order: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": order["title"],
        "placed": order["placed"].isoformat(),
        "items": order["items"],
    }
def encode(orders: Any) -> bytes:
    return utils.serialize(orders, TCyBinaryProtocolFactory())
def decode(blob: bytes) -> Any:
    return utils.deserialize(idl.TheDocument(), blob, TCyBinaryProtocolFactory())
def build(values: Any) -> Any:
    return to_items([dump_order(entry) for entry in values])
def plain(orders: Any) -> Any:
    return from_items(orders)
# without Item, Order, dump_item, load_item, load_order, dump, dumps, loads, load
