"""Compares parsed bytes with neutral values, accepting any documented text form."""

import base64
import datetime as dt
import decimal
import re
import uuid
from typing import Any, Callable, Dict, Optional, Set

from .comparison import Comparison
from .kinds import CLASSES, KINDS
from .parts import Spec, Type, keys_difference, short

_DURATION = re.compile(
    r"(?P<sign>-?)P(?:(?P<years>[\d.]+)Y)?(?:(?P<weeks>[\d.]+)W)?(?:(?P<days>[\d.]+)D)?(?:T(?:(?P<hours>[\d.]+)H)?(?:(?P<minutes>[\d.]+)M)?(?:(?P<seconds>[\d.]+)S)?)?"
)

_URL_SAFE = str.maketrans("-_", "+/")

# days and time, as Django writes a duration: "-1 23:59:58.5"
_CLOCK = re.compile(r"(?:(?P<days>-?\d+) )?(?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d(?:\.\d+)?)")


class Wire(Comparison):
    """Compares parsed bytes.

    Any documented text form is accepted. A record may also be an array of its fields in order (the tag first), as
    `array_like` writes it.
    """

    kinds = frozenset(kind for kind in CLASSES if not KINDS[kind].builtin)  # which nearly every format has
    null = "null"

    def unlike(self, kind: str, expected: Any, actual: Any) -> Optional[str]:
        """Describe that there is no array or object, or a difference in the number of items; or return None."""
        if kind == "map":
            return None if isinstance(actual, dict) else ": expected an object, got {}".format(short(actual))
        if not isinstance(actual, (list, tuple, set) if kind == "set" else (list, tuple)):
            return ": expected an array, got {}".format(short(actual))
        if len(expected) != len(actual):
            return ": expected {} items, got {}".format(len(expected), len(actual))
        return None

    def record(self, spec: Spec, name: str, expected: Any, actual: Any, seen: Set[str]) -> Optional[str]:
        """Describe the first difference of an object, or of an array in its place, or return None."""
        record = spec["records"][name]
        if isinstance(actual, list):
            keys = ([record["tag"][0]] if record["tag"] else []) + [f[1] for f in record["fields"]]
            if len(keys) != len(actual):
                return ": expected {} items, got {}".format(len(keys), len(actual))
            actual = dict(zip(keys, actual))
        if not isinstance(actual, dict):
            return ": expected an object, got {}".format(short(actual))
        surplus = {key for key in record.get("computed", ()) if key not in expected}
        if expected.keys() != actual.keys() - surplus:
            return keys_difference(expected, actual)
        types = [(f[1], f[2]) for f in record["fields"]] + ([(record["tag"][0], ["any"])] if record["tag"] else [])
        return self.parts(spec, ".{}", ((key, type_, expected[key], actual[key]) for key, type_ in types), seen)

    def scalar(self, _: Spec, type_: Type, expected: Any, actual: Any) -> Optional[str]:
        """Describe that a parsed scalar does not represent the expected one, or return None."""
        cls = CLASSES.get(type_[0], type(expected))
        try:
            same = type(expected) is cls and _means(expected, actual)  # or of another member
        except (ValueError, TypeError, ArithmeticError, AttributeError):
            same = False
        return None if same else ": expected {}, got {}".format(short(expected), short(actual))


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

wire_difference = Wire().difference
