# as cattrs_orjson_json_models.py, but for:
import msgspec
from cattrs.preconf.msgspec import make_converter
encoder = msgspec.json.Encoder()
decoder = msgspec.json.Decoder()
def dumps(data: Any) -> bytes:
    return encoder.encode(data)
def loads(blob: bytes) -> Any:
    return decoder.decode(blob)
