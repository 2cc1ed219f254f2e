# as dataclasses_json_models.py, but for:
from amazon.ion import simpleion
from amazon.ion.simpleion import IonPyValueModel
BARE = IonPyValueModel.MAY_BE_BARE | IonPyValueModel.STRUCT_AS_STD_DICT
def encode(orders: list[Order]) -> bytes:
    return simpleion.dumps([dump_order(entry) for entry in orders], binary=True)
def decode(blob: bytes) -> list[Order]:
    return [load_order(entry) for entry in simpleion.loads(blob, value_model=BARE)]
def dumps(data: Any) -> bytes:
    return simpleion.dumps(data, binary=True)
def loads(blob: bytes) -> Any:
    return simpleion.loads(blob, value_model=BARE)
