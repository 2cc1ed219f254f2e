# as marshmallow_orjson_json_models.py, but for:
from adaptix import Retort
retort = Retort()
load_document = retort.get_loader(list[Order])
dump_document = retort.get_dumper(list[Order])
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(dump_document(orders))
def decode(blob: bytes) -> list[Order]:
    return load_document(orjson.loads(blob))
def dump(orders: list[Order]) -> Any:
    return dump_document(orders)
def load(data: Any) -> list[Order]:
    return load_document(data)
# without ItemSchema, OrderSchema, schema
