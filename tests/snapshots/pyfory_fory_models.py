# as dataclasses_pickle_models.py, but for:
import pyfory
fory = pyfory.Fory(xlang=False)
fory.register(Item)
fory.register(Order)
def encode(orders: list[Order]) -> bytes:
    return fory.serialize(orders)
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = fory.deserialize(blob)
    return orders
