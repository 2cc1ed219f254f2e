# as marshmallow_orjson_json_models.py, but for:
from marshmallow_dataclass import class_schema
OrderSchema = class_schema(Order)
# without ItemSchema
