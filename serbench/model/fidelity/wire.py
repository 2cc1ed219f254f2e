"""Compares parsed bytes with neutral values, accepting any documented text form."""

import base64
import datetime as dt
import decimal
import re
import uuid
from typing import Any, Callable, Dict, Optional

from .columns import Columns
from .kinds import CLASSES, KINDS
from .parts import (
    Spec,
    Type,
    json_difference,
    keys_difference,
    short,
    union_difference,
    unordered_difference,
)

_DURATION = re.compile(
    r"(?P<sign>-?)P(?:(?P<years>[\d.]+)Y)?(?:(?P<weeks>[\d.]+)W)?(?:(?P<days>[\d.]+)D)?(?:T(?:(?P<hours>[\d.]+)H)?(?:(?P<minutes>[\d.]+)M)?(?:(?P<seconds>[\d.]+)S)?)?"
)

_URL_SAFE = str.maketrans("-_", "+/")

# days and time, as Django writes a duration: "-1 23:59:58.5"
_CLOCK = re.compile(r"(?:(?P<days>-?\d+) )?(?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d(?:\.\d+)?)")


def wire_difference(spec: Spec, type_: Type, expected: Any, parsed: Any) -> Optional[str]:
    """Describe the first difference between the neutral value and parsed bytes, or return None.

    Any documented text form is accepted. A record may also be an array of its fields in order (the tag first), as
    `array_like` writes it.
    """
    if COLUMNS.same(spec, type_, [expected], [parsed], set()):
        return None
    return _wire_difference(spec, type_, expected, parsed)


def _wire_difference(spec: Spec, type_: Type, expected: Any, parsed: Any, *_: Any) -> Optional[str]:
    """Do the same one by one, up to the first that differs."""
    kind = type_[0]
    if kind == "any":
        return json_difference(expected, parsed)
    if kind == "optional":
        if expected is None:
            return None if parsed is None else ": expected null, got {}".format(short(parsed))
        return _wire_difference(spec, type_[1], expected, parsed)
    if kind == "union":
        return union_difference(_wire_difference, spec, type_, expected, parsed)
    if kind in ("list", "tuple", "set"):
        if not isinstance(parsed, (list, tuple, set) if kind == "set" else (list, tuple)):
            return ": expected an array, got {}".format(short(parsed))
        if len(expected) != len(parsed):
            return ": expected {} items, got {}".format(len(expected), len(parsed))
        if kind == "set":
            return unordered_difference(_wire_difference, spec, type_[1], expected, parsed)
        items = type_[1] if kind == "tuple" else [type_[1]] * len(expected)
        for index, (item, e, p) in enumerate(zip(items, expected, parsed)):
            text = _wire_difference(spec, item, e, p)
            if text is not None:
                return "[{}]{}".format(index, text)
        return None
    if kind in ("map", "ref"):
        return _object_difference(spec, type_, expected, parsed)
    try:
        same = type(expected) is CLASSES.get(kind, type(expected)) and _means(expected, parsed)  # or of another member
    except (ValueError, TypeError, ArithmeticError, AttributeError):
        same = False
    return None if same else ": expected {}, got {}".format(short(expected), short(parsed))


def _object_difference(spec: Spec, type_: Type, expected: Any, parsed: Any) -> Optional[str]:
    record = spec["records"][type_[1]] if type_[0] == "ref" else None
    if record and isinstance(parsed, list):
        keys = ([record["tag"][0]] if record["tag"] else []) + [f[1] for f in record["fields"]]
        if len(keys) != len(parsed):
            return ": expected {} items, got {}".format(len(keys), len(parsed))
        parsed = dict(zip(keys, parsed))
    if not isinstance(parsed, dict):
        return ": expected an object, got {}".format(short(parsed))
    computed = record.get("computed", ()) if record else ()
    surplus = {key for key in computed if key not in expected}
    if expected.keys() != parsed.keys() - surplus:
        return keys_difference(expected, parsed)
    if record is None:
        parts = [(key, type_[1]) for key in expected]
    else:
        parts = [(f[1], f[2]) for f in record["fields"]]
        if record["tag"]:
            parts.append((record["tag"][0], ["any"]))
    for key, t in parts:
        text = _wire_difference(spec, t, expected[key], parsed[key])
        if text is not None:
            return ".{}{}".format(key, text)
    return None


def _means(expected: Any, parsed: Any) -> bool:
    """Return whether a parsed scalar represents the expected one."""
    means = _MEANS.get(type(expected))
    return bool(means(expected, parsed) if means else type(parsed) is type(expected) and parsed == expected)


def _bytes_mean(expected: bytes, parsed: Any) -> bool:
    if not isinstance(parsed, str):
        return bool(parsed == expected)
    return expected in (_decoded(base64.b64decode, parsed.translate(_URL_SAFE)), _decoded(base64.b85decode, parsed))


def _decoded(decode: Callable[[str], bytes], text: str) -> Optional[bytes]:
    try:
        return decode(text)
    except ValueError:
        return None


def _date_means(expected: dt.date, parsed: Any) -> bool:
    if isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
        midnight = dt.datetime(expected.year, expected.month, expected.day, tzinfo=dt.timezone.utc)
        return parsed == midnight.timestamp()  # as cattrs writes it with msgpack
    return bool(parsed == expected) or dt.date.fromisoformat(parsed) == expected


def _datetime_means(expected: dt.datetime, parsed: Any) -> bool:
    if isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
        instants = [expected.timestamp(), expected.replace(tzinfo=expected.tzinfo or dt.timezone.utc).timestamp()]
        return any(abs(parsed - instant) < 5e-7 for instant in instants)
    if isinstance(parsed, str):
        parsed = dt.datetime.fromisoformat(re.sub("[zZ]$", "+00:00", parsed))
    return type(parsed) is dt.datetime and parsed == expected


def _timedelta_means(expected: dt.timedelta, parsed: Any) -> bool:
    if isinstance(parsed, str):
        match = _DURATION.fullmatch(parsed)
        clock = _CLOCK.fullmatch(parsed)
        if clock:
            return dt.timedelta(**{key: float(value or 0) for key, value in clock.groupdict().items()}) == expected
        if not match:
            return False
        parts = {key: float(value or 0) for key, value in match.groupdict().items() if key != "sign"}
        parts["days"] += 365 * parts.pop("years")  # as pydantic writes and reads a year
        return dt.timedelta(**parts) * (-1 if match["sign"] else 1) == expected
    if isinstance(parsed, dt.timedelta):
        return parsed == expected
    if isinstance(parsed, bool):
        return False
    return dt.timedelta(microseconds=parsed) == expected or dt.timedelta(seconds=parsed) == expected


_MEANS: Dict[Any, Callable[[Any, Any], bool]] = {
    float: lambda expected, parsed: type(parsed) in (int, float) and float(parsed).hex() == expected.hex(),
    bytes: _bytes_mean,
    dt.datetime: _datetime_means,
    dt.date: _date_means,
    dt.time: lambda expected, parsed: parsed == expected or dt.time.fromisoformat(parsed) == expected,
    dt.timedelta: _timedelta_means,
    decimal.Decimal: lambda expected, parsed: decimal.Decimal(str(parsed)) == expected,
    uuid.UUID: lambda expected, parsed: parsed == expected or uuid.UUID(parsed) == expected,
}
"""Class → whether a parsed value represents one of it, in any documented form; all others only as they are."""

COLUMNS = Columns(frozenset(kind for kind in CLASSES if not KINDS[kind].builtin), _wire_difference)
"""Only kinds that nearly every format has."""
