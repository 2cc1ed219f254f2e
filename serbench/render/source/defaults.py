"""The defaults of fields as source: the value that a document would hold, made into the field's type."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from serbench.model.inference.texts import READERS
from serbench.model.normalise import json_type
from serbench.model.records import Field
from serbench.model.scalars import STR, Scalar
from serbench.model.types import Enum, List, Map, Optional, Set, Tuple, Type, Union
from serbench.render.source.annotations import SCALARS
from serbench.render.source.module import Module, Unsupported, braced, call, literal, tuple_of

_SHARED = frozenset({"datetime", "naive_datetime", "date", "time", "timedelta", "decimal", "bytes"})


def needs_factory(f: Field) -> bool:
    """True if each object needs a default of its own, because it could change, or is made by a function that may do anything."""
    type_ = f.type.item if isinstance(f.type, Optional) else f.type
    made = isinstance(type_, Scalar) and type_.kind in READERS and type_.kind not in _SHARED
    return isinstance(f.default, list | dict | set) or (made and isinstance(f.default, str))


def factory(module: Module, f: Field) -> str:
    """What makes the default of a field anew, as "list" or a lambda; empty if all objects share it."""
    if not needs_factory(f):
        return ""
    if isinstance(f.default, list | dict | set) and not f.default:
        return "set" if isinstance(f.type, Set) else type(f.default).__name__
    return f"lambda: {default_source(module, f)}"


def default_of(module: Module, f: Field) -> str:
    """The default of an optional field, or what makes it, for a library that calls a default that can be called."""
    return factory(module, f) or default_source(module, f)


def assignment(module: Module, f: Field, function: str, factory_word: str, *options: str) -> str | None:
    """The text behind `=` in the class body: a default, or a call of the library's `function`; None for neither.

    `function` is a dotted name, or "module:name" if the name has to be imported; `factory_word` is its keyword for what
    makes a default; `options` are further arguments.
    """
    if f.required:
        arguments = options
    elif made := factory(module, f):
        arguments = (*options, f"{factory_word}={made}")
    elif options:
        arguments = (*options, f"default={default_source(module, f)}")
    else:
        return default_source(module, f)
    if not arguments:
        return None
    source, _, name = function.rpartition(":")
    if source:
        module.use(source, name)
    return call(name, *arguments)


def default_source(module: Module, f: Field) -> str:
    """The default of a field as an expression.

    Raises:
        Unsupported: there is none for its type.
    """
    try:
        return _source(module, f.type, f.default)
    except (ValueError, TypeError, KeyError):
        raise Unsupported(f"field {f.name}: no source for the default {f.default!r}; leave it out") from None


def _source(module: Module, type_: Type, value: Any) -> str:
    match type_:
        case _ if value is None:
            return "None"
        case Optional(item):
            return _source(module, item, value)
        case Enum(name, members):
            return {member: f"{name}.{key}" for key, member in members}[value]
        case Scalar(kind) if kind in READERS and isinstance(value, str):
            return _constructed(module, kind, READERS[kind][1](value))
        case List(item, "list") if isinstance(value, list):
            return f"[{_each(module, item, value)}]"
        case Set(item, "set") if isinstance(value, list):
            return f"{{{_each(module, item, dict.fromkeys(value))}}}"
        case Tuple(items):
            return tuple_of([_source(module, item, one) for item, one in zip(items, value, strict=True)])
        case Map(item) if isinstance(value, dict):
            return braced(f"{literal(key)}: {_source(module, item, one)}" for key, one in value.items())
        case Union(members, None):
            return _source(module, _member(members, value), value)
        case Scalar("any"):
            return _json(value)
        case Scalar("float") if isinstance(value, int):
            return literal(float(value))
        case _ if isinstance(value, str | int | float):
            return literal(value)
    raise TypeError


def _each(module: Module, item: Type, values: Iterable[Any]) -> str:
    return ", ".join(_source(module, item, value) for value in values)


def _member(members: tuple[Type, ...], value: Any) -> Type:
    """Return the member of an untagged union whose JSON a value is: an enum of that value, or else a text if there are texts."""
    kind = float if type(value) is int and int not in map(json_type, members) else type(value)
    fitting = [member for member in members if json_type(member) is kind]
    for one in fitting:
        if isinstance(one, Enum) and any(value == other for _, other in one.members):
            return one
    return STR if STR in fitting else fitting[0] if fitting else members[0]


def _json(value: Any) -> str:
    match value:
        case list():
            return f"[{', '.join(map(_json, value))}]"
        case dict():
            return braced(f"{literal(key)}: {_json(item)}" for key, item in value.items())
    return literal(value)


def _constructed(module: Module, kind: str, value: Any) -> str:
    """The call that makes a value, such as `date(2024, 2, 29)`."""
    source, name = SCALARS[kind]
    if source:
        module.use(source, name)
    text = re.sub(r"\bdatetime\.(?=[a-z]+[.(])", "", repr(value))
    if "timezone." in text:
        module.use("datetime", "timezone")
    return text.replace("'", '"') if kind in ("decimal", "uuid") else text
