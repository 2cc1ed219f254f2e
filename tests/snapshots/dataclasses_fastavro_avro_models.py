# as dataclasses_pyarrow_arrow_models.py, but for:
from io import BytesIO
import fastavro
SCHEMA = fastavro.parse_schema(
    {
        "type": "array",
        "items": {
            "type": "record",
            "name": "Order",
            "fields": [
                {"name": "title", "type": "string"},
                {
                    "name": "placed",
                    "type": {"type": "long", "logicalType": "timestamp-micros"},
                },
                {
                    "name": "items",
                    "type": {
                        "type": "array",
                        "items": {
                            "type": "record",
                            "name": "Item",
                            "fields": [{"name": "price", "type": "double"}],
                        },
                    },
                },
            ],
        },
    }
)
def to_avro(data: Any) -> bytes:
    stream = BytesIO()
    fastavro.schemaless_writer(stream, SCHEMA, data)
    return stream.getvalue()
def encode(orders: list[Order]) -> bytes:
    return to_avro([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    data: Any = fastavro.schemaless_reader(BytesIO(blob), SCHEMA, None)
    return [load_order(entry) for entry in data]
def dumps(data: Any) -> bytes:
    return to_avro(data)
def loads(blob: bytes) -> Any:
    return fastavro.schemaless_reader(BytesIO(blob), SCHEMA, None)
# without to_stream
