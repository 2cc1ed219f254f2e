# as dataclasses_json_models.py, but for:
import msgspec
encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder(list[Order])
def encode(orders: list[Order]) -> bytes:
    return encoder.encode(orders)
def decode(blob: bytes) -> list[Order]:
    return decoder.decode(blob)
# without dump_item, dump_order, load_item, load_order, dump, dumps, loads, load
