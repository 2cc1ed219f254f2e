# as marshmallow_orjson_json_models.py, but for:
from lima import Schema, fields
class ItemSchema(Schema):
    price = fields.Float()
class OrderSchema(Schema):
    title = fields.String()
    placed = fields.DateTime()
    items = fields.Embed(schema=ItemSchema, many=True)
# without decode, loads, load
