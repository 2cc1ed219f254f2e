# as class_json_models.py, but for:
import pickle
def encode(orders: list[Order]) -> bytes:
    return pickle.dumps(orders)
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = pickle.loads(blob)
    return orders
# without dump_item, dump_order, load_item, load_order, dump, dumps, loads, load
