# as dataclasses_json_models.py, but for:
import csv
import io
@dataclass
class Order:
    title: str
    count: int
COLUMNS = ["title", "count"]
def to_csv(data: list[dict[str, Any]]) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, COLUMNS)
    writer.writeheader()
    writer.writerows(data)
    return stream.getvalue().encode()
def from_csv(blob: bytes) -> list[dict[str, Any]]:
    rows = csv.reader(io.StringIO(blob.decode(), newline=""))
    next(rows)
    return [{"title": row[0], "count": int(row[1])} for row in rows]
def dump_order(order: Order) -> dict[str, Any]:
    return {"title": order.title, "count": order.count}
def load_order(data: dict[str, Any]) -> Order:
    return Order(title=data["title"], count=data["count"])
def encode(orders: list[Order]) -> bytes:
    return to_csv([dump_order(item) for item in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(item) for item in from_csv(blob)]
def dump(orders: list[Order]) -> Any:
    return [dump_order(item) for item in orders]
def dumps(data: Any) -> bytes:
    return to_csv(data)
def loads(blob: bytes) -> Any:
    return from_csv(blob)
def load(data: Any) -> list[Order]:
    return [load_order(item) for item in data]
# without Item, dump_item, load_item
