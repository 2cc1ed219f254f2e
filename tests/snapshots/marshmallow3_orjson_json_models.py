# as marshmallow_orjson_json_models.py
