# as dataclasses_ijson_json_models.py, but for:
import jiter
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in jiter.from_json(blob)]
def loads(blob: bytes) -> Any:
    return jiter.from_json(blob)
