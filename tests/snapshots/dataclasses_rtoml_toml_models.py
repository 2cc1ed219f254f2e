# as dataclasses_cbor2_cbor_models.py, but for:
import rtoml
def encode(orders: list[Order]) -> bytes:
    return rtoml.dumps({"items": [dump_order(entry) for entry in orders]}).encode()
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in rtoml.loads(blob.decode())["items"]]
def dumps(data: Any) -> bytes:
    return rtoml.dumps({"items": data}).encode()
def loads(blob: bytes) -> Any:
    return rtoml.loads(blob.decode())["items"]
