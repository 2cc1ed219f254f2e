"""The objects written by orjson, and by json with a function for what it lacks."""

import json
from dataclasses import asdict

import orjson

from .objects import prepare


def dumps(objects):
    return orjson.dumps(objects)


def dumps_with_json(objects):
    return json.dumps(objects).encode("utf-8")


def loads(text):
    return orjson.loads(text)


def loads_with_json(text):
    return json.loads(text)


def dataclasses_with_json(objects):
    return json.dumps(objects, default=asdict).encode("utf-8")


def numpy_with_orjson(array):
    return orjson.dumps(array, option=orjson.OPT_SERIALIZE_NUMPY)


def numpy_with_json(array):
    return json.dumps(array, default=lambda one: one.tolist()).encode("utf-8")


def moments_before(objects):
    return orjson.dumps([one.isoformat() for one in objects])


def answer(result):
    """Return the values in few words: their text without spaces, by its length and sum."""
    values = json.loads(result) if isinstance(result, bytes) else result
    found = json.dumps(values, sort_keys=True)
    return [len(found), sum(map(ord, found))]
