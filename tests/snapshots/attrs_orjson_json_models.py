# as dataclasses_orjson_json_models.py, but for:
import attrs
@attrs.define
class Item:
    price: float
@attrs.define
class Order:
    title: str
    placed: datetime
    items: list[Item]
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
