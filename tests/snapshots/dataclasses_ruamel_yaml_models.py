# as dataclasses_fastavro_avro_models.py, but for:
from ruamel.yaml import YAML
def to_yaml(data: Any) -> bytes:
    stream = BytesIO()
    YAML(typ="safe", pure=True).dump(data, stream)
    return stream.getvalue()
def encode(orders: list[Order]) -> bytes:
    return to_yaml([dump_order(entry) for entry in orders])
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in YAML(typ="safe", pure=True).load(blob)]
def dumps(data: Any) -> bytes:
    return to_yaml(data)
def loads(blob: bytes) -> Any:
    return YAML(typ="safe", pure=True).load(blob)
# without SCHEMA, to_avro
