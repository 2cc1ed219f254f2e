# as cattrs_json_models.py, but for:
import orjson
from cattrs.preconf.orjson import make_converter
def encode(orders: list[Order]) -> bytes:
    return converter.dumps(orders, list[Order])
def dumps(data: Any) -> bytes:
    return orjson.dumps(data)
def loads(blob: bytes) -> Any:
    return orjson.loads(blob)
