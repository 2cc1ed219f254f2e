# as marshmallow_orjson_json_models.py, but for:
import chili
models_encoder = chili.Encoder[Order]()
models_decoder = chili.Decoder[Order]()
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps([models_encoder.encode(order) for order in orders])
def decode(blob: bytes) -> list[Order]:
    return [models_decoder.decode(order) for order in orjson.loads(blob)]
def dump(orders: list[Order]) -> Any:
    return [models_encoder.encode(order) for order in orders]
def load(data: Any) -> list[Order]:
    return [models_decoder.decode(order) for order in data]
# without ItemSchema, OrderSchema, schema
