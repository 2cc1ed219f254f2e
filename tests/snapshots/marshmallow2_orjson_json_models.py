# as marshmallow_orjson_json_models.py, but for:
class ItemSchema(Schema):
    class Meta:
        ordered = True
        strict = True

    price = fields.Float(required=True)

    @post_load
    def make(self, data: dict[str, Any]) -> Item:
        return Item(**data)
class OrderSchema(Schema):
    class Meta:
        ordered = True
        strict = True

    title = fields.String(required=True)
    placed = fields.LocalDateTime(required=True)
    items = fields.Nested(ItemSchema, many=True, required=True)

    @post_load
    def make(self, data: dict[str, Any]) -> Order:
        return Order(**data)
def encode(orders: list[Order]) -> bytes:
    return orjson.dumps(schema.dump(orders).data)
def decode(blob: bytes) -> list[Order]:
    data = orjson.loads(blob)
    orders: list[Order] = schema.load(data).data
    return orders
def dump(orders: list[Order]) -> Any:
    return schema.dump(orders).data
def load(data: Any) -> list[Order]:
    orders: list[Order] = schema.load(data).data
    return orders
