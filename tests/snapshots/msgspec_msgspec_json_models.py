import msgspec


class User(msgspec.Struct):
    fullname: str
    email: str


class Client(msgspec.Struct):
    user: User
    last_contact: str


encoder = msgspec.json.Encoder()
decoder = msgspec.json.Decoder(list[Client])


def encode(clients: list[Client]) -> bytes:
    return encoder.encode(clients)


def decode(blob: bytes) -> list[Client]:
    return decoder.decode(blob)
