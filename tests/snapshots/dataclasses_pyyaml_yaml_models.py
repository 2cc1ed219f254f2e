# as dataclasses_cbor2_cbor_models.py, but for:
import yaml
def encode(orders: list[Order]) -> bytes:
    return yaml.dump(
        [dump_order(entry) for entry in orders],
        Dumper=yaml.CSafeDumper,
        sort_keys=False,
    ).encode()
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in yaml.load(blob, Loader=yaml.CSafeLoader)]
def dumps(data: Any) -> bytes:
    return yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False).encode()
def loads(blob: bytes) -> Any:
    return yaml.load(blob, Loader=yaml.CSafeLoader)
