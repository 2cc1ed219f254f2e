# as dataclasses_pyarrow_arrow_models.py, but for:
from pyarrow import parquet
def to_parquet(table: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink)
    return sink.getvalue().to_pybytes()
def encode(orders: list[Order]) -> bytes:
    return to_parquet(
        pyarrow.Table.from_pylist(
            [dump_order(entry) for entry in orders], schema=SCHEMA
        )
    )
def decode(blob: bytes) -> list[Order]:
    return [
        load_order(entry)
        for entry in parquet.read_table(pyarrow.BufferReader(blob)).to_pylist(
            maps_as_pydicts="strict"
        )
    ]
def dumps(data: Any) -> bytes:
    return to_parquet(pyarrow.Table.from_pylist(data, schema=SCHEMA))
def loads(blob: bytes) -> Any:
    return parquet.read_table(pyarrow.BufferReader(blob)).to_pylist(
        maps_as_pydicts="strict"
    )
# without to_stream
