# as dataclasses_msgspec_json_models.py, but for:
from mashumaro.codecs.orjson import ORJSONDecoder, ORJSONEncoder
encoder = ORJSONEncoder(list[Order])
decoder = ORJSONDecoder(list[Order])
