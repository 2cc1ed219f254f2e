# as dataclasses_json_models.py, but for:
from io import StringIO
from thriftpy2 import utils
from thriftpy2.parser.parser import parse_fp
from thriftpy2.protocol import TCyBinaryProtocolFactory
IDL = """
struct Item {
  1: required double price
}

struct Order {
  1: required string title
  2: required string placed
  3: required list<Item> items
}

struct TheDocument {
  1: required list<Order> items
}
"""
idl = parse_fp(StringIO(IDL), "schema_thrift", enable_cache=False)
def to_item(data: Any) -> Any:
    return idl.Item(price=data["price"])
def to_order(data: Any) -> Any:
    return idl.Order(
        title=data["title"],
        placed=data["placed"],
        items=[to_item(item) for item in data["items"]],
    )
def from_item(struct: Any) -> Any:
    return {"price": struct.price}
def from_order(struct: Any) -> Any:
    return {
        "title": struct.title,
        "placed": struct.placed,
        "items": [from_item(item) for item in struct.items],
    }
def to_items(data: Any) -> Any:
    return idl.TheDocument(items=[to_order(item) for item in data])
def from_items(struct: Any) -> Any:
    return [from_order(item) for item in struct.items]
def encode(orders: list[Order]) -> bytes:
    return utils.serialize(
        to_items([dump_order(entry) for entry in orders]), TCyBinaryProtocolFactory()
    )
def decode(blob: bytes) -> list[Order]:
    return [
        load_order(entry)
        for entry in from_items(
            utils.deserialize(idl.TheDocument(), blob, TCyBinaryProtocolFactory())
        )
    ]
def dumps(data: Any) -> bytes:
    return utils.serialize(to_items(data), TCyBinaryProtocolFactory())
def loads(blob: bytes) -> Any:
    return from_items(
        utils.deserialize(idl.TheDocument(), blob, TCyBinaryProtocolFactory())
    )
