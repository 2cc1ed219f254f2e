# as dataclasses_json_models.py, but for:
import simdjson
parser = simdjson.Parser()
def decode(blob: bytes) -> list[Order]:
    data: Any = parser.parse(blob, True)
    return [load_order(entry) for entry in data]
def loads(blob: bytes) -> Any:
    return parser.parse(blob, True)
# without dump_item, dump_order, encode, dump, dumps
