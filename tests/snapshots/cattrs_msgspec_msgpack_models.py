# as cattrs_msgspec_json_models.py, but for:
from cattrs import Converter
encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder()
converter = Converter()
converter.register_unstructure_hook(datetime, datetime.isoformat)
converter.register_structure_hook(
    datetime, lambda value, _: datetime.fromisoformat(value)
)
def encode(orders: list[Order]) -> bytes:
    return encoder.encode(converter.unstructure(orders, list[Order]))
def decode(blob: bytes) -> list[Order]:
    return converter.structure(decoder.decode(blob), list[Order])
