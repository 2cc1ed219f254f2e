"""Names of parameters and variables in rendered functions."""

from __future__ import annotations

import builtins
import keyword
from functools import lru_cache

from serbench.model.names import function_stem
from serbench.model.records import Schema
from serbench.model.types import List, Ref
from serbench.render.source.once import once

_VERBS = ("build_", "dump_", "from_", "load_", "pack_", "plain_", "read_", "to_")  # of functions of records
# Names that a rendered function body may mean something else by.
_LOCALS = """
    adapter attrs base64 asdict blob converter cattrs config data date datetime decoder deserialize dump_document
    dumper encoder json load_document loader mapper marshmallow mashumaro msgpack msgspec orjson pickle protocol
    pydantic schema self serialize time timedelta typing uuid
"""
_USED = {*dir(builtins), *_LOCALS.split()}


@once
def root_name(schema: Schema) -> str:
    """The name of the document in rendered functions: `client` or `clients`, `value` or `values`."""
    match schema.root:
        case List(Ref(name)):
            return _safe(plural(snake(name)))
        case Ref(name):
            return snake(name)
        case List(_):
            return "values"
        case _:
            return "value"


@lru_cache(1000)
def snake(name: str) -> str:
    """`CamelCase` as `camel_case`; safe as a parameter's name."""
    return _safe(function_stem(name))


def _safe(name: str) -> str:
    if name.startswith(_VERBS):  # the parameter dump_user would hide the function that dumps a user
        return f"the_{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in _USED else name


def plural(word: str) -> str:
    """The usual English plural."""
    if word.endswith(("s", "x", "ch", "sh")):
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"
