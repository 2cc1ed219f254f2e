# as dataclasses_orjson_json_models.py, but for:
class Item:
    def __init__(self, price: float) -> None:
        if not isinstance(price, float):
            raise TypeError(f"price: expected float, got {price!r}")
        self.price = price
class Order:
    def __init__(self, title: str, placed: datetime, items: list[Item]) -> None:
        if not isinstance(title, str):
            raise TypeError(f"title: expected str, got {title!r}")
        if not isinstance(placed, datetime):
            raise TypeError(f"placed: expected datetime, got {placed!r}")
        if not isinstance(items, list):
            raise TypeError(f"items: expected list[Item], got {items!r}")
        if not all(isinstance(item, Item) for item in items):
            raise TypeError("items: expected Item inside")
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
