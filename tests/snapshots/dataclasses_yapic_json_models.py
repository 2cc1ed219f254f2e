# as dataclasses_json_models.py, but for:
import yapic.json as yapic_json
@dataclass
class Order:
    title: str
    count: int
def dump_order(order: Order) -> dict[str, Any]:
    return {"title": order.title, "count": order.count}
def encode(orders: list[Order]) -> bytes:
    return yapic_json.dumpb([dump_order(item) for item in orders])
def dump(orders: list[Order]) -> Any:
    return [dump_order(item) for item in orders]
def dumps(data: Any) -> bytes:
    return yapic_json.dumpb(data)
# without Item, dump_item, load_item, load_order, decode, loads, load
