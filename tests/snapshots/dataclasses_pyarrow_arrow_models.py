# as dataclasses_json_models.py, but for:
import pyarrow
from pyarrow import ipc
SCHEMA = pyarrow.schema(
    [
        ("title", pyarrow.string()),
        ("placed", pyarrow.timestamp("us", tz="UTC")),
        ("items", pyarrow.list_(pyarrow.struct([("price", pyarrow.float64())]))),
    ]
)
def to_stream(table: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
def dump_order(order: Order) -> dict[str, Any]:
    return {
        "title": order.title,
        "placed": order.placed,
        "items": [dump_item(entry) for entry in order.items],
    }
def load_order(data: dict[str, Any]) -> Order:
    return Order(
        title=data["title"],
        placed=data["placed"],
        items=[load_item(entry) for entry in data["items"]],
    )
def encode(orders: list[Order]) -> bytes:
    return to_stream(
        pyarrow.Table.from_pylist(
            [dump_order(entry) for entry in orders], schema=SCHEMA
        )
    )
def decode(blob: bytes) -> list[Order]:
    return [
        load_order(entry)
        for entry in ipc.open_stream(blob)
        .read_all()
        .to_pylist(maps_as_pydicts="strict")
    ]
def dumps(data: Any) -> bytes:
    return to_stream(pyarrow.Table.from_pylist(data, schema=SCHEMA))
def loads(blob: bytes) -> Any:
    return ipc.open_stream(blob).read_all().to_pylist(maps_as_pydicts="strict")
