# as dataclasses_json_models.py, but for:
import plistlib
def encode(orders: list[Order]) -> bytes:
    return plistlib.dumps(
        [dump_order(entry) for entry in orders],
        fmt=plistlib.FMT_BINARY,
        sort_keys=False,
    )
def decode(blob: bytes) -> list[Order]:
    return [
        load_order(entry) for entry in plistlib.loads(blob, fmt=plistlib.FMT_BINARY)
    ]
def dumps(data: Any) -> bytes:
    return plistlib.dumps(data, fmt=plistlib.FMT_BINARY, sort_keys=False)
def loads(blob: bytes) -> Any:
    return plistlib.loads(blob, fmt=plistlib.FMT_BINARY)
