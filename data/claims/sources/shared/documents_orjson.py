"""The documents written and read by orjson and json."""

import json

import orjson

from .documents import prepare


def dumps(document):
    return orjson.dumps(document)


def dumps_with_json(document):
    return json.dumps(document).encode("utf-8")


def dumps_sorted(document):
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def dumps_sorted_with_json(document):
    return json.dumps(document, sort_keys=True).encode("utf-8")


def dumps_indented(document):
    return orjson.dumps(document, option=orjson.OPT_INDENT_2)


def dumps_indented_with_json(document):
    return json.dumps(document, indent=2).encode("utf-8")


def loads(text):
    return orjson.loads(text)


def loads_with_json(text):
    return json.loads(text)


def answer(result):
    """Return the document in few words: its text sorted, by its length and sum."""
    found = json.dumps(json.loads(result) if isinstance(result, bytes) else result, sort_keys=True)
    return [len(found), sum(map(ord, found))]
