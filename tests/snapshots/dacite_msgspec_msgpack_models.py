# as dacite_msgspec_json_models.py, but for:
encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder()
def dump_item(item: Item) -> dict[str, Any]:
    return {"price": item.price}
def dump_order(order: Order) -> dict[str, Any]:
    return {
        "title": order.title,
        "placed": order.placed.isoformat(),
        "items": [dump_item(entry) for entry in order.items],
    }
def encode(orders: list[Order]) -> bytes:
    return encoder.encode([dump_order(entry) for entry in orders])
def dump(orders: list[Order]) -> Any:
    return [dump_order(entry) for entry in orders]
def dumps(data: Any) -> bytes:
    return encoder.encode(data)
