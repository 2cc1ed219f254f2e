# as class_msgspec_json_models.py, but for:
encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder()
def dump_order(order: Order) -> dict[str, Any]:
    return {
        "title": order.title,
        "placed": order.placed.isoformat(),
        "items": [dump_item(entry) for entry in order.items],
    }
