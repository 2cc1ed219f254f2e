# as dataclasses_orjson_json_models.py, but for:
class Item:
    def __init__(self, price: float) -> None:
        self.price = price
class Order:
    def __init__(self, title: str, placed: datetime, items: list[Item]) -> None:
        self.title = title
        self.placed = placed
        self.items = items
def dump_item(item: Item) -> dict[str, Any]:
    return {"price": item.price}
def dump_order(order: Order) -> dict[str, Any]:
    return {
        "title": order.title,
        "placed": order.placed,
        "items": [dump_item(entry) for entry in order.items],
    }
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps([dump_order(entry) for entry in orders])
def dump(orders: list[Order]) -> Any:
    return [dump_order(entry) for entry in orders]
def dumps(data: Any) -> bytes:
    return orjson.dumps(data)
