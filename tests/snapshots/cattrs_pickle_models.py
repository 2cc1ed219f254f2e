# as cattrs_json_models.py, but for:
import pickle
def encode(orders: list[Order]) -> bytes:
    return pickle.dumps(orders)
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = pickle.loads(blob)
    return orders
# without converter, dump, dumps, loads, load
