# as dataclasses_msgspec_json_models.py, but for:
from mashumaro.codecs.msgpack import MessagePackDecoder, MessagePackEncoder
encoder = MessagePackEncoder(list[Order])
decoder = MessagePackDecoder(list[Order])
