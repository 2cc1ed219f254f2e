# as dataclasses_cbor2_cbor_models.py, but for:
from io import BytesIO
from ruamel.yaml import YAML
yaml = YAML(typ="safe", pure=True)
def to_yaml(data: Any) -> bytes:
    stream = BytesIO()
    yaml.dump(data, stream)
    return stream.getvalue()
def encode(orders: list[Order]) -> bytes:
    return to_yaml([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in yaml.load(blob)]
def dumps(data: Any) -> bytes:
    return to_yaml(data)
def loads(blob: bytes) -> Any:
    return yaml.load(blob)
