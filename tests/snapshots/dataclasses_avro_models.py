# as dataclasses_fastavro_avro_models.py, but for:
from avro.io import BinaryDecoder, BinaryEncoder, DatumReader, DatumWriter
from avro.schema import make_avsc_object
SCHEMA = make_avsc_object(
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
writer = DatumWriter(SCHEMA)
reader = DatumReader(SCHEMA)
def to_avro(data: Any) -> bytes:
    stream = BytesIO()
    writer.write(data, BinaryEncoder(stream))
    return stream.getvalue()
def decode(blob: bytes) -> list[Order]:
    data: Any = reader.read(BinaryDecoder(BytesIO(blob)))
    return [load_order(entry) for entry in data]
def loads(blob: bytes) -> Any:
    return reader.read(BinaryDecoder(BytesIO(blob)))
