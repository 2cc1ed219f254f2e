"""Users as Structs, as objects and as arrays, and with an encoder and decoder that are made once or for each call."""

from typing import List

import msgspec

FIELDS = {
    "first": "Ada",
    "last": "Byron",
    "street": "12 St James's Square",
    "town": "London",
    "number": 12,
    "active": True,
}
try:

    class Listed(msgspec.Struct, array_like=True):
        first: str
        last: str
        street: str
        town: str
        number: int
        active: bool

except TypeError:  # by its first name

    class Listed(msgspec.Struct, asarray=True):
        first: str
        last: str
        street: str
        town: str
        number: int
        active: bool


class Named(msgspec.Struct):
    first: str
    last: str
    street: str
    town: str
    number: int
    active: bool


CLASSES = {"Named": Named, "Listed": Listed}
ENCODER = msgspec.json.Encoder()
DECODERS = {name: msgspec.json.Decoder(List[one]) for name, one in CLASSES.items()}
ONE = msgspec.json.Decoder(Named)


def prepare(kind, count, text=False):
    """Return users of the class, or their decoder and text; a single one if the count is 0."""
    users = [CLASSES[kind](**FIELDS) for _ in range(count)]
    if not count:
        return ENCODER.encode(Named(**FIELDS)) if text else Named(**FIELDS)
    return (DECODERS[kind], ENCODER.encode(users)) if text else users


def encode(users):
    return ENCODER.encode(users)


def decode(asked):
    decoder, text = asked
    return decoder.decode(text)


def encode_by_function(user):
    return msgspec.json.encode(user)


def decode_by_decoder(text):
    return ONE.decode(text)


def decode_by_function(text):
    return msgspec.json.decode(text, type=Named)


def answer(result):
    """Return the users as lists of their fields."""
    if isinstance(result, bytes):
        result = msgspec.json.decode(result)
    users = result if isinstance(result, list) else [result]
    return [fields(user) for user in users]


def fields(user):
    if isinstance(user, list):
        return user
    return [user[name] if isinstance(user, dict) else getattr(user, name) for name in FIELDS]
