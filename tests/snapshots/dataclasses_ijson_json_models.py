# as dataclasses_json_models.py, but for:
import ijson
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in next(ijson.items(blob, "", use_float=True))]
def loads(blob: bytes) -> Any:
    return next(ijson.items(blob, "", use_float=True))
# without dump_item, dump_order, encode, dump, dumps
