"""Draws awkward values of every type, and makes smaller ones of a value: what a sweep tries, and how it shrinks a fault.

Numbers are near powers of two and ten, texts mix escapes, signs of any plane and lengths near powers of two. A lone
surrogate is no such value: RFC 8259 leaves open what becomes of it, and a probe of its own shows it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import cache, partial
from random import Random
from typing import Any, TypeVar
from uuid import UUID

from serbench.model.data.values import Drawing
from serbench.model.records import Schema
from serbench.model.scalars import Scalar
from serbench.model.types import List, Map, Optional, Ref, Set, Tuple, Type

T = TypeVar("T")
DEPTH = 3
_RANGES = {"int": (-(2**63), 2**63 - 1), "uint64": (0, 2**64 - 1), "bigint": (-(10**40), 10**40)}
_PIECES = (
    "\\",
    '"',
    "'",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\x1b",
    "\x7f",
    "\\u0041",
    "\\n",
    "/",
    "</",
    "&amp;",
    "\u2028",
    "\ufeff",
    "e\u0301",
)
_PLANES = (
    (0x20, 0x7E),
    (0x20, 0x7E),
    (0x20, 0x7E),
    (0x01, 0x1F),
    (0x80, 0x7FF),
    (0x800, 0xD7FF),
    (0xE000, 0xFFFD),
    (0x10000, 0x10FFFF),
)
_FIELDS = {"microsecond": 0, "second": 0, "minute": 0, "hour": 0, "day": 1, "month": 1, "year": 2000}


@cache
def drawn(schema: Schema, type_: Type, count: int, seed: int) -> list[Any]:
    """Draw values of a type of the schema; the same for a seed in every process and on every platform."""
    drawing = Drawing(schema, Random(seed), DEPTH, DRAWS)
    return [drawing.item(type_) for _ in range(count)]


def _between(random: Random, low: int, high: int) -> int:
    """Draw an int from `low` to `high`, inclusive, of any size."""
    span: int = high - low + 1
    return low + random.getrandbits(span.bit_length() + 16) % span


def _pick(random: Random, items: tuple[T, ...]) -> T:
    return items[_between(random, 0, len(items) - 1)]


def _digits(random: Random, most: int) -> int:
    """Draw a number of any count of digits up to `most`."""
    most_digits: int = 10 ** _between(random, 1, most)
    return _between(random, 0, most_digits - 1)


def _integer(random: Random, low: int, high: int) -> int:
    """Draw an integer of any length, or one above or below 1, 2 or 5 times a power of two or ten."""
    while True:
        base, most = _pick(random, ((2, high.bit_length()), (10, len(str(high)))))
        power: int = _pick(random, (1, 2, 5)) * base ** _between(random, 0, most)
        number = _pick(random, (0, power)) + _pick(random, (-1, 1)) * _digits(random, len(str(power)))
        if low <= number <= high:
            return number


def _float(random: Random) -> float:
    """Draw random bits, a decimal fraction, or a whole number."""
    bits: float = struct.unpack("<d", random.getrandbits(64).to_bytes(8, "little"))[0]
    decimal = float(f"{_digits(random, 19)}e{_between(random, -30, 30)}") * _pick(random, (-1, 1))
    whole = float(_integer(random, *_RANGES["bigint"]))
    return _pick(random, (bits if math.isfinite(bits) else 0.1, decimal, whole))


def _length(random: Random, most: int) -> int:
    """Draw a length near a power of two, a long one now and then."""
    return max(0, (1 << _between(random, 0, _pick(random, (4, 4, 4, most)))) + _between(random, -2, 1))


def _text(random: Random, most: int = 9) -> str:
    length = _length(random, most)
    signs = (chr(_between(random, *_pick(random, _PLANES))) for _ in range(length))
    return "".join(_pick(random, _PIECES) if _between(random, 0, 15) == 0 else sign for sign in signs)[:length]


def _bytes(random: Random) -> bytes:
    length = _length(random, 9)
    return random.getrandbits(8 * length + 1).to_bytes(length + 1, "big")[1:]


def _time(random: Random) -> time:
    fraction = _pick(random, (0, 1, 999_999, 1000 * _between(random, 0, 999), _between(random, 0, 999_999)))
    return time(_between(random, 0, 23), _between(random, 0, 59), _between(random, 0, 59), fraction)


def _date(random: Random) -> date:
    first, last = _pick(random, ((date(2, 1, 1), date(9998, 12, 31)), (date(1900, 1, 1), date(2100, 1, 1))))
    return date.fromordinal(_between(random, first.toordinal(), last.toordinal()))


def _zone(random: Random) -> timezone:
    minutes = _pick(random, (0, 15 * _between(random, -48, 56), _between(random, -1439, 1439)))
    return timezone(timedelta(minutes=minutes)) if minutes else UTC


def _timedelta(random: Random) -> timedelta:
    days = _integer(random, -99_000, 99_000)
    clock = _time(random)
    return timedelta(days, _between(random, 0, 86_399), clock.microsecond)


def _decimal(random: Random) -> Decimal:
    digits = _pick(random, (_digits(random, 40), abs(_integer(random, *_RANGES["bigint"]))))
    sign = "-" if digits and _between(random, 0, 1) else ""
    return Decimal(f"{sign}{digits}e{_between(random, -30, 10)}")


def _any(random: Random, depth: int = DEPTH) -> Any:
    kind = _between(random, 0, 7 if depth else 5)
    if kind < 6:
        scalars: tuple[Callable[[Random], Any], ...] = (
            lambda _: None,
            lambda _: True,
            lambda _: False,
            DRAWS["int"],
            _float,
            DRAWS["key"],
        )
        return scalars[kind](random)
    items = [_any(random, depth - 1) for _ in range(_between(random, 0, 4))]
    return items if kind == 6 else {f"{DRAWS['key'](random)}{position}": item for position, item in enumerate(items)}


DRAWS: Mapping[str, Callable[[Random], Any]] = {
    **{kind: partial(_integer, low=low, high=high) for kind, (low, high) in _RANGES.items()},
    "str": _text,
    "float": _float,
    "bool": lambda random: _pick(random, (True, False)),
    "bytes": _bytes,
    "datetime": lambda random: datetime.combine(_date(random), _time(random), _zone(random)),
    "naive_datetime": lambda random: datetime.combine(_date(random), _time(random)),
    "date": _date,
    "time": _time,
    "timedelta": _timedelta,
    "decimal": _decimal,
    "uuid": lambda random: UUID(int=random.getrandbits(128)),
    "any": _any,
    "key": lambda random: _text(random, 4),
}
"""Kind → what draws a value of it; "key" draws the keys of maps."""


def smaller(schema: Schema, type_: Type, value: Any) -> list[Any]:
    """Return simpler values of the same type, the simplest first."""
    by_text = {repr(one): one for one in _smaller(schema, type_, value)}
    return [by_text[text] for text in sorted(by_text, key=_size) if _size(text) < _size(repr(value))]


def _size(text: str) -> tuple[int, int, str]:
    return len(text), sum(sign not in "0 a" for sign in text), text


def _smaller(schema: Schema, type_: Type, value: Any) -> Iterator[Any]:
    match type_:
        case Optional(item):
            yield from () if value is None else (None, *_smaller(schema, item, value))
        case List(item) | Set(item):
            items = list(value)
            yield from map(type(value), _parts(items))
            for position, one in enumerate(items):
                yield from (
                    type(value)([*items[:position], new, *items[position + 1 :]]) for new in _smaller(schema, item, one)
                )
        case Tuple(types):
            for position, item in enumerate(types):
                yield from (
                    (*value[:position], new, *value[position + 1 :]) for new in _smaller(schema, item, value[position])
                )
        case Map(item):
            yield from map(dict, _parts(list(value.items())))
            for key, one in value.items():
                yield from ({**value, key: new} for new in _smaller(schema, item, one))
                yield from ({new if old == key else old: one for old, one in value.items()} for new in _scalars(key))
        case Ref(name):
            for field in schema.record(name).fields:
                yield from ({**value, field.wire: new} for new in _smaller(schema, field.type, value[field.wire]))
        case Scalar("any"):
            item = Scalar("any")
            if isinstance(value, list | dict):
                yield from _smaller(schema, List(item) if isinstance(value, list) else Map(item), value)
                yield from value if isinstance(value, list) else value.values()
            else:
                yield from _scalars(value)
        case Scalar():
            yield from _scalars(value)


def _parts(items: Any) -> Iterator[Any]:
    """Return the items without some of them: halves, quarters, … down to single ones."""
    size = len(items)
    while size:
        yield from (items[:start] + items[start + size :] for start in range(0, len(items), size))
        size //= 2


def _scalars(value: Any) -> Iterator[Any]:
    match value:
        case bool() | None:
            return
        case int():
            text = str(abs(value))
            heads = {count: int(text[:count] or "0") for count in range(len(text))}
            shorter = {abs(value) - 1, *heads.values()}
            shorter |= {(head + up) * 10 ** (len(text) - count) for count, head in heads.items() for up in (0, 1)}
            shorter |= {int(text[:position] + "0" + text[position + 1 :]) for position in range(len(text))}
            yield from (sign * one for one in shorter for sign in ((1, -1) if value < 0 else (1,)))
        case float():
            yield from (float(f"{value:.{digits}g}") for digits in range(1, 17))
            yield from (abs(value), float(round(value)) if abs(value) < 1e16 else 0.0)
        case Decimal():
            digits, exponent = f"{value:e}".split("e")
            yield from (abs(value), Decimal(digits))
            yield from (
                Decimal(f"{digits[:count]}e{exponent}") for count in range(1, len(digits)) if digits[count - 1] != "-"
            )
        case str():
            yield from _parts(value)
            yield from (value[:position] + "a" + value[position + 1 :] for position in range(min(len(value), 64)))
        case bytes():
            yield from _parts(value)
            yield bytes(len(value))
        case timedelta():
            for unit in ("days", "seconds", "microseconds"):
                here = getattr(value, unit)
                yield from (value + timedelta(**{unit: new - here}) for new in _scalars(here))
        case datetime() | date() | time():
            known: dict[str, Any] = {name: least for name, least in _FIELDS.items() if hasattr(value, name)}
            yield from (value.replace(**{name: least}) for name, least in known.items())
            if isinstance(value, datetime) and value.tzinfo:
                yield value.replace(tzinfo=UTC)
