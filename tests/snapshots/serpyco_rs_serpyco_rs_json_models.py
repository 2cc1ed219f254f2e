# as dataclasses_pickle_models.py, but for:
from serpyco_rs import JSON, Serializer
serializer = Serializer(list[Order], codec=JSON)
def encode(orders: list[Order]) -> bytes:
    return serializer.dump(orders)
def decode(blob: bytes) -> list[Order]:
    return serializer.load(blob)
