# as dataclasses_pyarrow_feather_models.py, but for:
def encode(orders: pyarrow.Table) -> bytes:
    return to_feather(orders)
def decode(blob: bytes) -> pyarrow.Table:
    return feather.read_table(pyarrow.BufferReader(blob))
def build(values: Any) -> pyarrow.Table:
    return pyarrow.Table.from_pylist(values, schema=SCHEMA)
def plain(orders: pyarrow.Table) -> Any:
    return orders.to_pylist(maps_as_pydicts="strict")
# without Item, Order, dump_item, dump_order, load_item, load_order, dump, dumps, loads, load
