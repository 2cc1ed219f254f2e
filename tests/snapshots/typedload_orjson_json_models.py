# as marshmallow_orjson_json_models.py, but for:
from typedload.datadumper import Dumper
from typedload.dataloader import Loader
loader = Loader()
dumper = Dumper(isodates=True, hidedefault=False)
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(dumper.dump(orders, list[Order]))
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = loader.load(orjson.loads(blob), list[Order])
    return orders
def dump(orders: list[Order]) -> Any:
    return dumper.dump(orders, list[Order])
def load(data: Any) -> list[Order]:
    orders: list[Order] = loader.load(data, list[Order])
    return orders
# without ItemSchema, OrderSchema, schema
