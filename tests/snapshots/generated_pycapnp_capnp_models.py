# as dataclasses_pycapnp_capnp_models.py, but for:
def dump_order(order: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": order["title"],
        "placed": order["placed"].isoformat(),
        "items": order["items"],
    }
def encode(orders: Any) -> bytes:
    return orders.to_bytes()
def decode(blob: bytes) -> Any:
    return from_bytes(blob)
def build(values: Any) -> Any:
    return Root.new_message(
        items=[to_order(item) for item in [dump_order(entry) for entry in values]]
    )
def plain(orders: Any) -> Any:
    return [from_order(item) for item in orders.items]
# without Item, Order, dump_item, load_item, load_order, dump, dumps, loads, load
