# as dataclasses_orjson_json_models.py, but for:
from marshmallow import Schema, fields, post_load
class ItemSchema(Schema):
    price = fields.Float(required=True)

    @post_load
    def make(self, data: dict[str, Any], **options: Any) -> Item:
        return Item(**data)
class OrderSchema(Schema):
    title = fields.String(required=True)
    placed = fields.AwareDateTime(required=True)
    items = fields.List(fields.Nested(ItemSchema), required=True)

    @post_load
    def make(self, data: dict[str, Any], **options: Any) -> Order:
        return Order(**data)
schema = OrderSchema(many=True)
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(schema.dump(orders))
def decode(blob: bytes) -> list[Order]:
    orders: list[Order] = schema.load(orjson.loads(blob))
    return orders
def dump(orders: list[Order]) -> Any:
    return schema.dump(orders)
def dumps(data: Any) -> bytes:
    return orjson.dumps(data)
def load(data: Any) -> list[Order]:
    orders: list[Order] = schema.load(data)
    return orders
# without load_item, load_order
