# as marshmallow_orjson_json_models.py, but for:
from althaia import Schema, fields, post_load
