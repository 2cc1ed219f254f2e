"""What the article says of libraries and codecs beside their speed, each as a question that is answered."""

import dataclasses
import io
import json

import msgpack

RECORD = {"user": {"fullname": "JK", "email": "jk@example.com"}, "last_contact": "2024-06-15"}
WRONG = {"user": {"fullname": ["JK"], "email": "jk@example.com"}, "last_contact": "2024-06-15"}


def models(library):
    """The two classes of the article with a library."""
    if library == "pydantic":
        import pydantic

        class User(pydantic.BaseModel):
            fullname: str
            email: str

        class Client(pydantic.BaseModel):
            user: User
            last_contact: str

    elif library == "msgspec":
        import msgspec

        class User(msgspec.Struct):
            fullname: str
            email: str

        class Client(msgspec.Struct):
            user: User
            last_contact: str

    else:
        import attr

        decorator = attr.define if library == "attrs" else dataclasses.dataclass

        @decorator
        class User:
            fullname: str
            email: str

        @decorator
        class Client:
            user: User
            last_contact: str

    Client.__annotations__["user"] = User
    return Client


def read(library, document):
    """A client of a document, by the library's own way."""
    client = models(library)
    if library == "pydantic":
        return client(**document)
    if library == "msgspec":
        import msgspec

        return msgspec.convert(document, client)
    if library == "attrs":
        import cattrs

        return cattrs.structure(document, client)
    return client(**document)


def prepare(library=None):
    return library


def kind_of_user(library):
    """What the nested user is after reading: an object, or the dict as it was."""
    return "dict" if isinstance(read(library, RECORD).user, dict) else "object"


def refuses(library):
    """Whether a list where a text belongs is refused."""
    try:
        read(library, WRONG)
    except Exception:
        return True
    return False


def kind_without_checks(_):
    """What the nested user is if pydantic makes the client without checking."""
    client = models("pydantic")
    make = getattr(client, "model_construct", None) or client.construct
    return "dict" if isinstance(make(**RECORD).user, dict) else "object"


def readable(codec):
    """Whether the names of the fields and all that is between them can be read as text."""
    written = msgpack.dumps(RECORD) if codec == "msgpack" else json.dumps(RECORD).encode()
    return all(32 <= byte < 127 for byte in written)


def streamed(_):
    """How many records come out of a stream that is fed a byte at a time."""
    unpacker, records = msgpack.Unpacker(), 0
    for byte in io.BytesIO(msgpack.dumps(RECORD) * 3).getvalue():
        unpacker.feed(bytes([byte]))
        records += sum(1 for _ in unpacker)
    return records
