"""The limits of a class's values, as its constraint objects tell them, and texts within them."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

TEXTS = {  # word in the name of a type or field class → a text of that form; `UserDrawing._formed` fills it in
    "url": "https://{}.example.com/{}",
    "dsn": "postgresql://{}@example.com:5432/{}",
    "email": "{}.{}@example.com",
    "ipv4": "192.0.2.[]",
    "ipv6network": "2001:db8:[]::/48",
    "ipv6": "2001:db8::[]",
    "ip": "192.0.2.[]",
    "slug": "{}-{}",
    "path": "{}/{}.txt",
    "fraction": "[]/251",
    "complex": "([]+2j)",
    "color": "#0a0b0c",
    "uuid": "0b5a4c1e-0000-4000-8000-0000000000[]",
}
_NAMES = {  # limit → the attributes that hold it, in any library
    "low": ("ge", "min_value", "min_inclusive_value"),
    "above": ("gt",),
    "high": ("le", "max_value"),
    "below": ("lt",),
    "least": ("min_length", "min_items"),
    "most": ("max_length", "max_items"),
    "pattern": ("pattern", "regex"),
    "choices": ("options", "choices"),
    "step": ("multiple_of",),
    "digits": ("max_digits",),
    "places": ("decimal_places",),
    "examples": ("examples",),
}
FORMS = (  # of texts that classes ask for without saying so
    "{}",
    "https://{}.example.com/{}",
    "2024-05-1()",
    "2024-05-1()T10:30:00Z",
    "10:30:1()",
    "[]",
    "0b5a4c1e-0000-4000-8000-0000000000[]",
    "{}.{}@example.com",
    "1.[].0",
    "{}/{}",
    "a",
    "aGFyYm91cjEy",
    "urn:{}:{}",
    "text/plain",
    "en",
    "US",
    "EUR",
    "+4930123456[]",
    "#0a0b[]",
    "192.0.2.[]",
    "P[]D",
    "0.[]",
    "EPSG:4326",
    "{}",
)
_MOST_REPEATS = 4


def limits_of(constraints: Iterable[Any]) -> dict[str, Any]:
    """The limits in constraint objects of annotated-types, pydantic, msgspec, attrs, marshmallow and Django."""
    limits: dict[str, Any] = {}
    for one in _flat(constraints):
        name = getattr(one, "__name__", type(one).__name__).lower()
        for limit, attributes in _NAMES.items():
            value = next((v for a in attributes if (v := getattr(one, a, None)) is not None and not callable(v)), None)
            if value is not None:
                limits[limit] = value
        if name in ("length", "range"):  # of marshmallow
            low, high = ("least", "most") if name == "length" else ("low", "high")
            bounds = (
                {low: one.min, high: one.max}
                if getattr(one, "equal", None) is None
                else dict.fromkeys((low, high), one.equal)
            )
            limits |= {key: value for key, value in bounds.items() if value is not None}
        if hasattr(one, "compare_op"):  # of attrs
            limits[{">=": "low", ">": "above", "<=": "high", "<": "below"}[one.compare_op]] = one.bound
        if "%" in str(getattr(one, "format", "")):
            limits["strftime"] = one.format
        form = next((text for word, text in TEXTS.items() if word in name), None)
        if form is not None:
            limits["form"] = form
    return limits


def _flat(constraints: Iterable[Any]) -> Iterator[Any]:
    for one in constraints:
        inner = getattr(one, "_validators", None) or getattr(one, "validators", None)
        yield one
        if isinstance(inner, list | tuple):
            yield from _flat(inner)
        if isinstance(metadata := getattr(one, "metadata", None), list):  # of a FieldInfo of pydantic
            yield from _flat(metadata)


def text_matching(pattern: str, random: Random) -> str:
    """A text that a regular expression matches; without look-around and back references."""
    return _drawn(_parsed(pattern), random)


@cache
def _parsed(pattern: str) -> Any:
    parser: Any = import_module("re._parser")
    return parser.parse(pattern)


_DIGITS, _LETTERS = string.digits, string.ascii_letters
_CATEGORIES = {"CATEGORY_DIGIT": _DIGITS, "CATEGORY_WORD": _LETTERS + _DIGITS, "CATEGORY_SPACE": " "}


def _drawn(parts: Any, random: Random) -> str:
    made = []
    for code, argument in parts:
        match str(code):
            case "LITERAL":
                made.append(chr(argument))
            case "ANY" | "NOT_LITERAL":
                made.append(random.choice([one for one in _LETTERS if one != chr(argument or 0)]))
            case "IN":
                made.append(random.choice(sorted(_members(argument))))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, inner = argument
                times = random.randint(low, min(int(high), low + _MOST_REPEATS))
                made += [_drawn(inner, random) for _ in range(times)]
            case "SUBPATTERN":
                made.append(_drawn(argument[-1], random))
            case "BRANCH":
                made.append(_drawn(random.choice(argument[1]), random))
            case "CATEGORY":
                made.append(random.choice(_CATEGORIES.get(str(argument), _LETTERS)))
    return "".join(made)


def _members(parts: Any) -> set[str]:
    characters: set[str] = set()
    outside = False
    for code, value in parts:
        match str(code):
            case "NEGATE":
                outside = True
            case "LITERAL":
                characters.add(chr(value))
            case "RANGE":
                characters |= {chr(number) for number in range(value[0], value[1] + 1)}
            case "CATEGORY":
                characters |= set(_CATEGORIES.get(str(value), _LETTERS))
    return set(_LETTERS + _DIGITS) - characters if outside else characters
