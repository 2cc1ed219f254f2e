# as dataclasses_yyjson_json_models.py, but for:
import msgspec
from dacite import Config, from_dict
encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder()
config = Config(type_hooks={datetime: datetime.fromisoformat})
def encode(orders: list[Order]) -> bytes:
    return encoder.encode([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [from_dict(Order, order, config) for order in decoder.decode(blob)]
def dumps(data: Any) -> bytes:
    return encoder.encode(data)
def loads(blob: bytes) -> Any:
    return decoder.decode(blob)
def load(data: Any) -> list[Order]:
    return [from_dict(Order, order, config) for order in data]
