"""Draws values for a class of the user's within the limits of its fields, as far as these can be read."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator
from contextlib import suppress
from decimal import Decimal
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

from serbench.schema import Enum, Field, List, Map, Optional, Record, Scalar, Set, Tuple, Type, Union
from serbench.schema.class_names import place_name
from serbench.schema.from_class import OPAQUE, ParsedClass
from serbench.schema.records import REQUIRED
from serbench.schema.scalars import INTEGERS
from serbench.workloads import Drawing

_MOST_ITEMS = 4
_ANY_JSON: list[Any] = ["amber", 7, 2.5, True, [], {}, [1], ["amber"], {"amber": 1}, {"amber": "delta"}]
_WORDS = ("amber", "delta", "ember", "field", "grain", "kernel", "ocean", "river", "signal", "window")
_TEXTS = {  # word in the name of a type or field class → a text of that form; {} is a word, [] a number below 250
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
}


def limits_of(constraints: Iterable[Any]) -> dict[str, Any]:
    """The limits in constraint objects of annotated-types, pydantic, msgspec, attrs, marshmallow and Django."""
    found: dict[str, Any] = {}
    for one in _flat(constraints):
        name = getattr(one, "__name__", type(one).__name__).lower()
        for limit, attributes in _NAMES.items():
            value = next((v for a in attributes if (v := getattr(one, a, None)) is not None and not callable(v)), None)
            if value is not None:
                found[limit] = value
        if name in ("length", "range"):  # of marshmallow
            low, high = ("least", "most") if name == "length" else ("low", "high")
            given = (
                {low: one.min, high: one.max}
                if getattr(one, "equal", None) is None
                else dict.fromkeys((low, high), one.equal)
            )
            found |= {key: value for key, value in given.items() if value is not None}
        if hasattr(one, "compare_op"):  # of attrs
            found[{">=": "low", ">": "above", "<=": "high", "<": "below"}[one.compare_op]] = one.bound
        if "%" in str(getattr(one, "format", "")):
            found["strftime"] = one.format
        form = next((text for word, text in _TEXTS.items() if word in name), None)
        if form is not None:
            found["form"] = form
    return found


def _flat(constraints: Iterable[Any]) -> Iterator[Any]:
    for one in constraints:
        inner = getattr(one, "_validators", None) or getattr(one, "validators", None)
        yield one
        if isinstance(inner, list | tuple):
            yield from _flat(inner)
        if isinstance(metadata := getattr(one, "metadata", None), list):  # of a FieldInfo of pydantic
            yield from _flat(metadata)


class OwnDrawing(Drawing):
    """Draws values of a class's types; the place of each value has its limits."""

    def __init__(self, parsed: ParsedClass, random: Random, depth: int) -> None:
        super().__init__(parsed.own, random, depth)
        self.limits = {place: found for place, given in parsed.limits.items() if (found := limits_of(given))}
        self.classes = parsed.classes
        self.place = ""
        self.full = False  # whether no optional value is absent

    def value(self, type_: Type) -> Any:
        """Draw one value of a type, within the limits of its place."""
        limits = self.limits.get(self.place, {})
        choices = limits.get("choices")
        if choices and not isinstance(type_, List | Set | Map | Optional | Enum):
            return self._pick(list(choices))
        match type_:
            case Optional(item):
                absent = not self.full and self.random.random() < 0.5
                return None if self._full(item) or absent else self.value(item)
            case List(item) | Set(item):
                made = [self._inner(item, "[]") for _ in range(self._number(item, limits))]
                return made if isinstance(type_, List) else set(made)
            case Tuple(items):
                return tuple(self._inner(item, f"[{index}]") for index, item in enumerate(items))
            case Map(item, key):
                count = self._number(item, limits)
                return {self._key(key, index): self._inner(item, "[]") for index in range(count)}
            case Scalar("str" | "path" | "fraction" | "complex" | "foreign" as kind):
                return self._text(kind, limits)
            case Scalar("bytearray"):
                return super().value(Scalar("bytes"))
            case Scalar("opaque"):
                return self._pick(_ANY_JSON)
            case Scalar("float" | "decimal" as kind) if limits:
                return self._real(kind, limits)
            case Scalar() if type_ in INTEGERS and limits:
                return self._integer(limits)
            case Union(members, None) if any(isinstance(m, Enum | Scalar) for m in members):
                return self.value(self._pick([m for m in members if not self._full(m)] or list(members)))
        return super().value(type_)

    def _record(self, name: str) -> Any:
        record, before = self.schema.record(name), self.place
        if len(self.inside) > 50 + self.depth:
            return super()._record(name)  # which says that it is endless
        self.inside.append(name)
        self.made += 1
        found = {self.schema.tags[name]: record.tag_value} if name in self.schema.tags else {}
        for f in record.fields:
            may_lack = f.wire in record.absent and not self.full
            lacks = may_lack and (self._full(f.type) or self.random.random() < 0.5)
            found[f.wire] = None if lacks else self.field(record, f)
        self.inside.pop()
        self.place = before
        return found[record.fields[0].wire] if record.root else found

    def field(self, record: Record, field: Field) -> Any:
        """Draw the value of a field, within its limits."""
        self.place = f"{place_name(self.classes[record.name], record.name)}.{field.name}"
        opaque = field.type in (OPAQUE, Optional(OPAQUE))
        if opaque and not field.required:
            return field.default
        return field.fill if opaque and field.fill is not REQUIRED else self.value(field.type)

    def _inner(self, type_: Type, step: str) -> Any:
        self.place, before = self.place + step, self.place
        value = self.value(type_)
        self.place = before
        return value

    def _number(self, item: Type, limits: dict[str, Any]) -> int:
        least = limits.get("least") or 0
        most = min(limits.get("most") or least + _MOST_ITEMS, least + _MOST_ITEMS)
        return least if self._full(item) else self._between(max(least, 1) if self.full and most else least, most)

    def _between(self, low: int, high: int) -> int:
        return low + int(self.random.random() * (high - low + 1))

    def _pick(self, items: list[Any]) -> Any:
        return items[int(self.random.random() * len(items))]

    def _key(self, key: Type, index: int) -> str:
        match key:
            case Enum(_, members):
                return str(members[index % len(members)][1])
            case Scalar("str" | "any"):
                return f"{self._pick(list(_WORDS))}_{index}"
        value = self.value(key)
        return value.isoformat() if hasattr(value, "isoformat") else str(value)

    def _text(self, kind: str, limits: dict[str, Any]) -> str:
        form = _TEXTS.get(kind) or limits.get("form")
        if form is not None:
            while "{}" in form or "[]" in form:
                form = form.replace("{}", self._pick(list(_WORDS)), 1).replace("[]", str(self._between(10, 99)), 1)
            return str(form)
        if "strftime" in limits:
            return str(super().value(Scalar("datetime")).strftime(limits["strftime"]))
        if pattern := limits.get("pattern"):
            with suppress(Exception):  # what it does not know, such as looking ahead
                return text_matching(getattr(pattern, "pattern", pattern), self.random)
        text = str(super().value(Scalar("str")))
        least, most = limits.get("least") or 0, limits.get("most")
        text += "".join(self._pick(list(string.ascii_lowercase)) for _ in range(least - len(text)))
        return text if most is None else text[:most].strip().ljust(min(least, most), "x")

    def _integer(self, limits: dict[str, Any]) -> int:
        step = int(limits.get("step") or 1)
        low, high = self._bounds(limits, 1, 100_000)
        low, high = -(-int(low) // step), int(high) // step
        return self._between(low, max(low, high)) * step

    def _real(self, kind: str, limits: dict[str, Any]) -> Any:
        places = limits.get("places")
        places = 2 if places is None else int(places)
        digits = limits.get("digits")
        most = 10 ** (int(digits) - places) - 1 if digits else 1000
        unit = 10.0**-places
        low, high = self._bounds(limits, unit, most)
        number = self._between(round(low / unit), round(min(high, low + most) / unit))
        return Decimal(number).scaleb(-places) if kind == "decimal" else number * unit

    def _bounds(self, limits: dict[str, Any], unit: float, span: float) -> tuple[float, float]:
        low = float(limits["low"]) if "low" in limits else float(limits["above"]) + unit if "above" in limits else None
        high = (
            float(limits["high"]) if "high" in limits else float(limits["below"]) - unit if "below" in limits else None
        )
        if low is None:
            low = min(0.0, high - span) if high is not None and high < 0 else 0.0
        return low, low + span if high is None else high


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
    for code, given in parts:
        match str(code):
            case "LITERAL":
                made.append(chr(given))
            case "ANY" | "NOT_LITERAL":
                made.append(random.choice([one for one in _LETTERS if one != chr(given or 0)]))
            case "IN":
                made.append(random.choice(sorted(_members(given))))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                low, high, inner = given
                times = random.randint(low, min(int(high), low + _MOST_ITEMS))
                made += [_drawn(inner, random) for _ in range(times)]
            case "SUBPATTERN":
                made.append(_drawn(given[-1], random))
            case "BRANCH":
                made.append(_drawn(random.choice(given[1]), random))
            case "CATEGORY":
                made.append(random.choice(_CATEGORIES.get(str(given), _LETTERS)))
    return "".join(made)


def _members(given: Any) -> set[str]:
    found: set[str] = set()
    outside = False
    for code, value in given:
        match str(code):
            case "NEGATE":
                outside = True
            case "LITERAL":
                found.add(chr(value))
            case "RANGE":
                found |= {chr(number) for number in range(value[0], value[1] + 1)}
            case "CATEGORY":
                found |= set(_CATEGORIES.get(str(value), _LETTERS))
    return set(_LETTERS + _DIGITS) - found if outside else found
