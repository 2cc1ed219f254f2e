# as dataclasses_cbor2_cbor_models.py, but for:
import tomllib
import tomli_w
def encode(orders: list[Order]) -> bytes:
    return tomli_w.dumps({"items": [dump_order(entry) for entry in orders]}).encode()
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in tomllib.loads(blob.decode())["items"]]
def dumps(data: Any) -> bytes:
    return tomli_w.dumps({"items": data}).encode()
def loads(blob: bytes) -> Any:
    return tomllib.loads(blob.decode())["items"]
