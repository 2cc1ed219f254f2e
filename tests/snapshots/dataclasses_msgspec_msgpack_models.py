# as dataclasses_msgspec_json_models.py, but for:
encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder(list[Order])
