# as cattrs_orjson_json_models.py, but for:
import json
from cattrs.preconf.json import make_converter
def encode(orders: list[Order]) -> bytes:
    return converter.dumps(orders, list[Order]).encode()
def dumps(data: Any) -> bytes:
    return json.dumps(data).encode()
def loads(blob: bytes) -> Any:
    return json.loads(blob)
