"""A class's refusals of documents: the places, limits and values that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, TypeAlias

from serbench.model.fidelity import innermost

Path: TypeAlias = tuple[str | int, ...]
_NUMBER = r"(-?\d+(?:\.\d+)?)(?!\w)"
_BOUNDS = {  # limit, as `limits_of` names it → the words before its number
    "high": r"at most|<=|≤|not? (?:be )?(?:more|greater|larger|longer) than|less than or equal to|not exceed|maximum(?: of| is)?",
    "low": r"at least|>=|≥|not? (?:be )?(?:less|smaller|fewer) than|greater than or equal to|minimum(?: of| is)?",
    "below": r"less than|smaller than|lower than|below|under|<",
    "above": r"greater than|more than|larger than|higher than|above|over|>",
}
_LENGTHS = {"low": "least", "high": "most"}
_FORMS = {  # words → a text of that form, as `UserDrawing` fills it in
    r"uuid": "0b5a4c1e-0000-4000-8000-0000000000[]",
    r"date-?time|timestamp|iso ?8601|rfc ?3339": "2024-05-1()T10:30:00Z",
    r"(?:iso)?date|isoformat": "2024-05-1()",
    r"time": "10:30:1()",
    r"e-?mail": "{}.{}@example.com",
    r"ur[il]": "https://{}.example.com/{}",
    r"base-?64": "aGFyYm91cjEy",
    r"sem(?:antic )?ver\w*|version": "1.[].0",
    r"hex\w*": "0a0b[]",
    r"u?int(?:eger|\d+)?|number|numeric|digits?": "[]",
}
_CHOOSING = re.compile(r"\b(?:one of|must be|expected|allowed|either|supported|permitted|valid)\b(.*)", re.DOTALL)
_MESSAGES_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_GOT = re.compile(r"\b(?:got|but|received|instead|not)\b")
_LISTED = re.compile(r"\bone of:?\s+([\w.:/-]+(?:(?:,\s*|\s+or\s+|\s*\|\s*)[\w.:/-]+)+)")
_AS_TEXT = re.compile(r"(?i)\b(?:as|expected|must be|be) (?:an? )?(?:str|string)\b")
_BEGINNING = re.compile(r"\b(?:start|begin)s?(?:ing)? with:? ['\"]?([^\s'\"{}\[\]()]+)")


def asked(message: str) -> dict[str, Any]:
    """The limits that a message names: those of `limits_of`, and "said", choices, "hint", a form, and "as_text"."""
    limits: dict[str, Any] = {}
    rest = message
    for limit, words in _BOUNDS.items():
        if match := re.search(rf"(?:^|[^\w<>])(?:{words}) ?{_NUMBER}", rest):
            rest, number = rest.replace(match[0], ""), float(match[1])
            limits.setdefault(limit, number)
            if limit in _LENGTHS and number.is_integer():
                limits.setdefault(_LENGTHS[limit], int(number))
    if choices := _choices(message):
        limits["said"] = tuple(choices)
    if hint := hint_of(message):
        limits["hint"] = hint
    if _AS_TEXT.search(message):
        limits["as_text"] = True
    return limits


def _choices(message: str) -> list[str]:
    """The words that a message offers: in quotes after such as "one of", or in a list without quotes after that."""
    match = _CHOOSING.search(message)
    if match is None:
        return []
    if quoted := [one or other for one, other in _MESSAGES_QUOTED.findall(_GOT.split(match[1])[0])]:
        return quoted
    listed = _LISTED.search(message)
    return re.split(r",\s*|\s+or\s+|\s*\|\s*", listed[1]) if listed else []


def hint_of(message: str) -> str:
    """The form of a text that a message names; empty if it names none."""
    if match := _BEGINNING.search(message):
        return f"{match[1]}{{}}"
    return next((form for words, form in _FORMS.items() if re.search(rf"(?i)(?<!\w)(?:{words})(?!\w)", message)), "")


def at_hand(error: BaseException | None, document: Any) -> list[Path]:
    """The paths of the texts and numbers of a document that the innermost function that raised, and knew any, had."""
    paths = {(type(value), value): path for path, value in leaves(document)}
    for variables in reversed(list(_variables(getattr(error, "__traceback__", None)))):
        held = [(type(variable), variable) for variable in variables if type(variable) in (str, int, float)]
        if known := list(dict.fromkeys(paths[one] for one in held if one in paths)):
            return known
    return []


def _variables(trace: TracebackType | None) -> Iterator[list[Any]]:
    """The values of the variables of each function in a file that an exception has passed, the outermost first."""
    while trace is not None:
        frame = trace.tb_frame
        generated = frame.f_code.co_filename.startswith("<")  # as an `__init__` that has all fields
        if not generated and not frame.f_globals.get("__name__", "").startswith("serbench."):
            yield list(frame.f_locals.values())
        trace = trace.tb_next


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The texts and numbers in a document, with their paths."""
    if isinstance(value, dict | list | tuple):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    elif type(value) in (str, int, float):
        yield path, value


_LIMITS = {  # name in the context of an error of pydantic → limit, as `limits_of` names it
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
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'")


@dataclass(frozen=True)
class Complaint:
    """A place in a record that its class refuses, and the limits that the refusal names.

    Beside limits of `limits_of`, these may be "keys" that are missing, and what `asked` finds.
    """

    path: Path
    limits: Mapping[str, Any] = field(default_factory=dict)


def complaints(error: BaseException, record: Any) -> list[Complaint]:
    """Return the places in a record that a refusal names, which was that of a list of it alone; the record if it names none."""
    document, (_, error) = [record], innermost(error)
    read, text = list[Complaint](), ""
    with suppress(Exception):  # an exception of the class's own may not even tell its text
        told = error.errors() if hasattr(error, "errors") else []  # of pydantic
        text = " ".join(one["msg"] for one in told) or str(error)
        read = [*_of_pydantic(told, document), *_of_msgspec(text, document), *_of_messages(error, document)]
        read = read or [Complaint(path, asked(text)) for path in at_hand(error, document) or [()]]
    return [replace(one, path=one.path[1:]) for one in read or [Complaint(())]]


def _of_pydantic(errors: list[Any], document: Any) -> Iterator[Complaint]:
    """Of pydantic: each error has its location, with names of a union's members between keys and indices."""
    for error in errors:
        context, type_, text = error.get("ctx") or {}, error.get("type", ""), error.get("msg", "")
        limits = {limit: context[name] for name, limit in _LIMITS.items() if context.get(name) is not None}
        if type_ in ("literal_error", "enum") and (choices := _QUOTED.findall(context.get("expected", ""))):
            limits["choices"] = choices
        if type_.endswith(("_past", "_future")):
            limits["when"] = type_.rpartition("_")[2]
        path = _path(error["loc"], document)
        if type_ == "missing" or ("required" in text and len(path) < len(error["loc"])):
            limits["keys"] = (error["loc"][-1],)
        if json := next((json for name, json in _TYPES.items() if type_.startswith(name) and not limits), None):
            limits |= {"json": json, **({"hint": hint} if json == "text" and (hint := hint_of(text)) else {})}
        if type_ not in _SAID_BY_CLASS:
            yield Complaint(path, limits)
            continue
        inner = [one for one in at_hand(context.get("error"), document) if one[: len(path)] == path]
        for where in inner or [path]:
            yield Complaint(where, limits | asked(text))


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
        elif isinstance(messages, list) and any(isinstance(message, Mapping) for message in messages):
            for index, inner in enumerate(messages):
                yield from within(inner, [*path, index])
        elif messages:
            yield Complaint(_path(path, document))

    messages = getattr(error, "messages", None) or getattr(error, "detail", None)
    if isinstance(messages, Mapping | list):
        yield from within(messages, [])


def _path(location: Any, document: Any) -> Path:
    """The part of a location that exists in the document."""
    path: list[str | int] = []
    for part in location:
        with suppress(KeyError, IndexError, TypeError):  # the name of a union's member, or a field by another name
            document = document[part]
            path.append(part)
    return tuple(path)


_NO_VALUE = re.compile(
    r"abstract (?:class|method)|unexpected keyword argument|missing \d+ required|takes no arguments|positional arguments? but"
    r"|(?:is|are) not supported|may not contain more than one|[Uu]nsupported type|not fully defined|[Nn]o (?:\w+ )?hook"
)


def no_value_helps(error: BaseException) -> bool:
    """Return True if a class raises this of any value: it is abstract or incomplete, or its library does not take it."""
    _, inner = innermost(error)
    names = {one.__name__ for one in type(inner).__mro__}
    if names & {
        "NotImplementedError",
        "ImportError",
        "NameError",
        "PydanticUserError",
        "StructureHandlerNotFoundError",
    }:
        return True
    with suppress(Exception):  # its class cannot tell it
        return isinstance(inner, TypeError) and _NO_VALUE.search(str(inner)) is not None
    return False


_GUESSED = ("hint", "said", "json")  # of what a refusal asks for: only the first counts


@dataclass
class Learned:
    """What the refusals of a class have told of the places of its values: limits, and how many forms were refused there.

    No value is drawn for the places in `left`; those in `needed` have one; those in `accepted` had one in a record that
    was accepted; those in `untried` are left out without a try. `untyped` says that a value may have another type than its field. `values` have been drawn in all.
    """

    limits: dict[str, dict[str, Any]] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    needed: set[str] = field(default_factory=set)
    accepted: set[str] = field(default_factory=set)
    untried: dict[str, None] = field(default_factory=dict)
    untyped: bool = False
    values: int = 0
    typed: bool = False  # whether each value keeps the type of its field

    def refused(self, where: str, limits: Mapping[str, Any]) -> None:
        """Take down that a value of a place was refused: its limits if they are new, or else that it has another form."""
        known = self.limits.setdefault(where, {})
        limits = {name: limit for name, limit in limits.items() if name not in _GUESSED or name not in known}
        if keys := limits.get("keys"):
            limits = {**limits, "keys": tuple(dict.fromkeys((*known.get("keys", ()), *keys)))}
        if limits and not limits.items() <= known.items():
            known.update(limits)
        else:
            self.turns[where] = self.turns.get(where, 0) + 1
