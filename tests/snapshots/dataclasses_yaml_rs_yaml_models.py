# as dataclasses_yyjson_json_models.py, but for:
import yaml_rs
def encode(orders: list[Order]) -> bytes:
    return yaml_rs.dumps([dump_order(entry) for entry in orders]).encode()
def dumps(data: Any) -> bytes:
    return yaml_rs.dumps(data).encode()
