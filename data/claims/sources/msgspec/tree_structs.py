"""The tree as msgspec's Structs, as plain values with msgspec, and as plain values with orjson."""

import enum
from datetime import datetime
from typing import List, Optional, Union

import msgspec
import orjson

from .tree import plain, prepare


class Rights(enum.Enum):
    READ = "read"
    WRITE = "write"
    BOTH = "both"


class Document(msgspec.Struct, kw_only=True, omit_defaults=True, tag_field="kind", tag="document"):
    name: str
    owner: str
    made: datetime
    changed_by: Optional[str] = None
    changed: Optional[datetime] = None
    length: int
    rights: Rights


class Folder(msgspec.Struct, kw_only=True, omit_defaults=True, tag_field="kind", tag="folder"):
    name: str
    owner: str
    made: datetime
    changed_by: Optional[str] = None
    changed: Optional[datetime] = None
    entries: List[Union["Folder", Document]]


ENCODER, DECODER, ANY = msgspec.json.Encoder(), msgspec.json.Decoder(Folder), msgspec.json.Decoder()


def both_ways(text):
    return ENCODER.encode(DECODER.decode(text))


def decode_structs(text):
    return DECODER.decode(text)


def decode_plain(text):
    return ANY.decode(text)


def decode_with_orjson(text):
    return orjson.loads(text)


def both_ways_plain(text):
    return ENCODER.encode(ANY.decode(text))


def both_ways_with_orjson(text):
    return orjson.dumps(orjson.loads(text))


def answer(result):
    """Return what was read or written as plain values."""
    return plain(ANY.decode(result) if isinstance(result, bytes) else msgspec.to_builtins(result))
