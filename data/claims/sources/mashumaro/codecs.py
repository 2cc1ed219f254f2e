"""Codecs of mashumaro: made once or for each call, by json and orjson, and with collections copied or not."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Dict, List

from mashumaro import DataClassDictMixin
from mashumaro.codecs.json import JSONDecoder, JSONEncoder, json_decode, json_encode
from mashumaro.codecs.orjson import ORJSONDecoder, ORJSONEncoder
from mashumaro.config import BaseConfig
from mashumaro.dialect import Dialect


@dataclass
class Event:
    id: int
    name: str
    at: datetime
    tags: List[str]


class Uncopied(Dialect):
    no_copy_collections = (list, dict)


@dataclass
class Copied(DataClassDictMixin):
    numbers: List[int] = field(default_factory=list)
    by_name: Dict[str, str] = field(default_factory=dict)


@dataclass
class AsTheyAre(DataClassDictMixin):
    numbers: List[int] = field(default_factory=list)
    by_name: Dict[str, str] = field(default_factory=dict)

    class Config(BaseConfig):
        dialect = Uncopied


EVENTS = [Event(n, f"event {n}", datetime(2024, 2, 29, 12, 30, n % 60), ["a", "b"]) for n in range(100)]
TEXT = JSONEncoder(List[Event]).encode(EVENTS)
ENCODER, DECODER = JSONEncoder(List[Event]), JSONDecoder(List[Event])
FAST_ENCODER, FAST_DECODER = ORJSONEncoder(List[Event]), ORJSONDecoder(List[Event])
LARGE = {"numbers": list(range(1000)), "by_name": {str(n): "x" for n in range(1000)}}


def prepare(kind):
    """Return events, their text, or an object with large collections."""
    return {"events": EVENTS, "text": TEXT, "Copied": Copied(**LARGE), "AsTheyAre": AsTheyAre(**LARGE)}[kind]


def encode(events):
    return ENCODER.encode(events)


def encode_once(events):
    return json_encode(events, List[Event])


def encode_with_orjson(events):
    return FAST_ENCODER.encode(events)


def decode(text):
    return DECODER.decode(text)


def decode_once(text):
    return json_decode(text, List[Event])


def decode_with_orjson(text):
    return FAST_DECODER.decode(text)


def to_dict(large):
    return large.to_dict()


def answer(result):
    """Return plain values."""
    if isinstance(result, dict):
        return result
    if isinstance(result, (bytes, str)):
        return json.loads(result)
    return [[one.id, one.name, one.at.isoformat(), one.tags] for one in result]
