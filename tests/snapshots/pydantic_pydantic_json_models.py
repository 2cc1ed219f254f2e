from pydantic import BaseModel, TypeAdapter


class User(BaseModel):
    fullname: str
    email: str


class Client(BaseModel):
    user: User
    last_contact: str


adapter = TypeAdapter(list[Client])


def encode(clients: list[Client]) -> bytes:
    return adapter.dump_json(clients)


def decode(blob: bytes) -> list[Client]:
    return adapter.validate_json(blob)
