# as dataclasses_pyarrow_arrow_models.py, but for:
import bson
from bson.binary import UuidRepresentation
from bson.codec_options import CodecOptions, TypeDecoder, TypeRegistry
from bson.int64 import Int64
class IntDecoder(TypeDecoder):
    bson_type = Int64

    def transform_bson(self, value: Any) -> int:
        return int(value)
BSON_OPTIONS: CodecOptions[dict[str, Any]] = CodecOptions(
    tz_aware=True,
    uuid_representation=UuidRepresentation.STANDARD,
    type_registry=TypeRegistry([IntDecoder()]),
)
def encode(orders: list[Order]) -> bytes:
    return bson.encode(
        {"items": [dump_order(entry) for entry in orders]}, codec_options=BSON_OPTIONS
    )
def decode(blob: bytes) -> list[Order]:
    return [
        load_order(entry)
        for entry in bson.decode(blob, codec_options=BSON_OPTIONS)["items"]
    ]
def dumps(data: Any) -> bytes:
    return bson.encode({"items": data}, codec_options=BSON_OPTIONS)
def loads(blob: bytes) -> Any:
    return bson.decode(blob, codec_options=BSON_OPTIONS)["items"]
# without SCHEMA, to_stream
