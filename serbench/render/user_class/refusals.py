"""What a class says of a document that it refuses: the places in it, and the limits that their values must keep."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from serbench.render.user_class.messages import Path, asked, at_hand, hint_of

_LIMITS = {  # name in the context of an error of pydantic → limit, as `limits.limits_of` names it
    "ge": "low",
    "gt": "above",
    "le": "high",
    "lt": "below",
    "min_length": "least",
    "max_length": "most",
    "pattern": "pattern",
    "multiple_of": "step",
    "max_digits": "digits",
    "decimal_places": "places",
}
_TYPES = {  # how the name of an error of pydantic begins → the type in JSON that it asks for
    "string_": "text",
    "int_": "int",
    "float_": "float",
    "decimal_": "float",
    "bool_": "bool",
    **dict.fromkeys(("list_", "set_", "frozen_set_", "tuple_", "iterable_"), "array"),
    **dict.fromkeys(("dict_", "mapping_", "model_", "dataclass_type", "is_instance_"), "object"),
    **dict.fromkeys(("date", "time", "url_", "uuid_", "bytes_"), "text"),
}
_SAID_BY_CLASS = ("value_error", "assertion_error")
_MOST_VALUES = 10_000  # of a record that are looked at
_NAMED = re.compile(r"\b(?:in|at|for|field|key) ['\"`]([\w\-]+(?:\.[\w\-]+|\[\d+\])*)['\"`]")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'")


@dataclass(frozen=True)
class Complaint:
    """A place in a record that its class refuses, the limits that the refusal names, and other places that it mentions.

    Beside limits of `limits`, these may be "keys" that are missing, and what `messages.asked` finds; `text` is
    the message.
    """

    path: Path
    limits: Mapping[str, Any] = field(default_factory=dict)
    mentions: tuple[Path, ...] = ()
    text: str = field(default="", compare=False)


def complaints(error: BaseException, record: Any) -> list[Complaint]:
    """Return the places in a record that a refusal names, which was that of a list of it alone; the record if it names none."""
    document = [record]
    read, text = list[Complaint](), ""
    with suppress(Exception):  # an exception of the class's own may not even tell its text
        told = error.errors() if hasattr(error, "errors") else []  # of pydantic
        text = " ".join(one["msg"] for one in told) or str(error)
        read = [*_of_pydantic(told, document), *_of_msgspec(text, document), *_of_messages(error, document)]
        read = read or list(_of_paths(text, document))
        read = read or [Complaint(path, asked(text), text=text) for path in at_hand(error, document) or [()]]
    mentions = tuple(path[1:] for path in _mentioned(text, document))
    return [replace(one, path=one.path[1:], mentions=mentions) for one in read or [Complaint(())]]


def _of_pydantic(errors: list[Any], document: Any) -> Iterator[Complaint]:
    """Of pydantic: each error has its location, with names of a union's members between keys and indices."""
    for one in errors:
        context, type_, text = one.get("ctx") or {}, one.get("type", ""), one.get("msg", "")
        limits = {limit: context[name] for name, limit in _LIMITS.items() if context.get(name) is not None}
        if type_ in ("literal_error", "enum") and (choices := _QUOTED.findall(context.get("expected", ""))):
            limits["choices"] = choices
        if type_.endswith(("_past", "_future")):
            limits["when"] = type_.rpartition("_")[2]
        path = _path(one["loc"], document)
        if type_ == "missing" or ("required" in text and len(path) < len(one["loc"])):
            limits["keys"] = (one["loc"][-1],)
        if json := next((json for name, json in _TYPES.items() if type_.startswith(name) and not limits), None):
            limits |= {"json": json, **({"hint": hint} if json == "text" and (hint := hint_of(text)) else {})}
        if type_ not in _SAID_BY_CLASS:
            yield Complaint(path, limits, text=text)
            continue
        inner = [one for one in at_hand(context.get("error"), document) if one[: len(path)] == path]
        for where in inner or [path]:
            yield Complaint(where, limits | asked(text), text=text)


def _of_msgspec(text: str, document: Any) -> Iterator[Complaint]:
    """Of msgspec: a path such as `$[0].lines[2].sku` ends the message."""
    if match := re.search(r" - at `(?:key in )?\$(.*)`$", text):
        parts = re.findall(r"\.([^.\[]+)|\[(\d+)\]", match[1])
        yield Complaint(_path([name or int(index) for name, index in parts], document))


def _of_messages(error: BaseException, document: Any) -> Iterator[Complaint]:
    """Of marshmallow and Django REST framework: messages in dicts and lists that have the form of the document."""

    def within(messages: Any, path: list[Any]) -> Iterator[Complaint]:
        if isinstance(messages, Mapping):
            for key, inner in messages.items():
                yield from within(inner, [*path, key])
        elif isinstance(messages, list) and any(isinstance(one, Mapping) for one in messages):
            for index, inner in enumerate(messages):
                yield from within(inner, [*path, index])
        elif messages:
            yield Complaint(_path(path, document))

    messages = getattr(error, "messages", None) or getattr(error, "detail", None)
    if isinstance(messages, Mapping | list):
        yield from within(messages, [])


def _of_paths(text: str, document: Any) -> Iterator[Complaint]:
    """Of a class's own messages: a path in quotes, such as in 'lines[2].unit-price', whose keys may be spelled otherwise."""
    for match in _NAMED.finditer(text):
        here, path = document[0], list[Any]([0])
        for key, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", match[1]):
            step = int(index) if index else _spelled(key, here)
            try:
                here = here[step]
            except (KeyError, IndexError, TypeError):
                break
            path.append(step)
        else:
            yield Complaint(tuple(path), asked(text.replace(match[0], "")), text=text)


def _spelled(key: str, record: Any) -> str | None:
    """The key of a record that is this one but for signs and case."""
    plain = re.sub(r"[\W_]", "", key).lower()
    return next((one for one in record if re.sub(r"[\W_]", "", str(one)).lower() == plain), None)


def _path(location: Any, document: Any) -> Path:
    """The part of a location that exists in the document."""
    path: list[str | int] = []
    for part in location:
        with suppress(KeyError, IndexError, TypeError):  # the name of a union's member, or a field by another name
            document = document[part]
            path.append(part)
    return tuple(path)


def _mentioned(text: str, document: Any) -> Iterator[Path]:
    """The paths of values that occur in a message, or whose keys do."""
    words = set(re.findall(r"\w+", text))
    level: list[tuple[Path, Any]] = [((), document)]
    for path, value in level:
        if len(level) > _MOST_VALUES:
            return
        if isinstance(value, Mapping | list | tuple):
            parts = value.items() if isinstance(value, Mapping) else enumerate(value)
            level += [((*path, key), item) for key, item in parts]
        if len(path) > 1 and (path[-1] in words or (isinstance(value, str) and value and repr(value) in text)):
            yield path
