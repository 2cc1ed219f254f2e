# as dataclasses_pyarrow_arrow_models.py, but for:
import cbor2
def encode(orders: list[Order]) -> bytes:
    return cbor2.dumps([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in cbor2.loads(blob)]
def dumps(data: Any) -> bytes:
    return cbor2.dumps(data)
def loads(blob: bytes) -> Any:
    return cbor2.loads(blob)
# without SCHEMA, to_stream
