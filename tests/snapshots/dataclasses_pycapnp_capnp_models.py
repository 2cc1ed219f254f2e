# as dataclasses_json_models.py, but for:
from tempfile import NamedTemporaryFile
import capnp
SCHEMA = """\
@0xb45d8bd6cd6729b4;

struct Item {
  price @0 :Float64;
}

struct Order {
  title @0 :Text;
  placed @1 :Text;
  items @2 :List(Item);
}

struct Document {
  items @0 :List(Order);
}
"""
with NamedTemporaryFile("w", suffix=".capnp") as file:
    file.write(SCHEMA)
    file.flush()
    COMPILED = capnp.SchemaParser().load(file.name)
Root = COMPILED.Document
def to_item(data: Any) -> dict[str, Any]:
    return {"price": data["price"]}
def to_order(data: Any) -> dict[str, Any]:
    return {
        "title": data["title"],
        "placed": data["placed"],
        "items": [to_item(item) for item in data["items"]],
    }
def from_item(struct: Any) -> dict[str, Any]:
    return {"price": struct.price}
def from_order(struct: Any) -> dict[str, Any]:
    return {
        "title": struct.title,
        "placed": struct.placed,
        "items": [from_item(item) for item in struct.items],
    }
def from_bytes(blob: bytes) -> Any:
    return next(
        iter(Root.read_multiple_bytes(blob, traversal_limit_in_words=2**64 - 1))
    )
def encode(orders: list[Order]) -> bytes:
    return Root.new_message(
        items=[to_order(item) for item in [dump_order(entry) for entry in orders]]
    ).to_bytes()
def decode(blob: bytes) -> list[Order]:
    return [
        load_order(entry)
        for entry in [from_order(item) for item in from_bytes(blob).items]
    ]
def dumps(data: Any) -> bytes:
    return Root.new_message(items=[to_order(item) for item in data]).to_bytes()
def loads(blob: bytes) -> Any:
    return [from_order(item) for item in from_bytes(blob).items]
