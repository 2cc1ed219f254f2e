"""The table of scalar kinds: a row for each says what it is in Python, in JSON and in source.

A format or library names a kind only if it carries it in a way of its own; all others use the row.
"""

import base64
import datetime as dt
import decimal
import fractions
import pathlib
import uuid
from typing import Any, Callable, Dict, NamedTuple, Optional


class Kind(NamedTuple):
    """One kind of scalar.

    Attributes:
        cls: the class of its values in objects; None if that is any.
        json_schema: its keywords in JSON Schema.
        builtin: the kind that stands for it where nothing carries it, "float" (seconds) or "str"; empty for JSON's own.
        dump: the expression that makes this builtin, with `{}` for the value.
        load: the expression that makes a value of this builtin.
        ready: the function that makes a neutral value's JSON.
        read: the function that makes a value of its JSON; it raises ValueError for malformed text.
        of_user: the kind that documents have in its place, if only classes of the user's have it.
        key: what is equal for values that are the same, if equal values may differ: in digits, offset or the sign of zero.
        title: what a user reads in place of its name.
    """

    cls: Any
    json_schema: Dict[str, str]
    builtin: str = ""
    dump: str = ""
    load: str = ""
    ready: Optional[Callable[[Any], Any]] = None
    read: Optional[Callable[[Any], Any]] = None
    of_user: str = ""
    key: Optional[Callable[[Any], Any]] = None
    title: str = ""


def _iso(cls: Any, json_schema: Dict[str, str], **more: Any) -> Kind:
    """Return the row of a class with ISO 8601 text, which Python 3.6 can only write."""
    return Kind(
        cls,
        json_schema,
        "str",
        "{}.isoformat()",
        cls.__name__ + ".fromisoformat({})",
        lambda value: value.isoformat(),
        lambda text: cls.fromisoformat(text),  # noqa: PLW0108  # Python 3.6 has none
        **more,
    )


def _text(cls: Any, json_schema: Dict[str, str], read: Any = None, **more: Any) -> Kind:
    """Return the row of a class that makes its values of their text."""
    return Kind(cls, json_schema, "str", "str({})", cls.__name__ + "({})", str, read or cls, **more)


def _with_offset(value: Any) -> Any:
    return value, value.utcoffset()


def _seconds(value: dt.timedelta) -> Any:
    seconds = value.total_seconds()
    return int(seconds) if seconds == int(seconds) else seconds


def _decimal(text: Any) -> decimal.Decimal:
    try:
        return decimal.Decimal(text)
    except ArithmeticError:
        raise ValueError(text) from None


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


_BASE64 = "base64.b64encode({}).decode()"

KINDS: Dict[str, Kind] = {
    "float": Kind(float, {"type": "number"}, key=repr),
    "int": Kind(int, {"type": "integer"}),
    "uint64": Kind(int, {"type": "integer", "format": "uint64"}, title="unsigned int"),
    "bigint": Kind(int, {"type": "integer", "x-kind": "bigint"}, title="int of more than 64 bits"),
    "bool": Kind(bool, {"type": "boolean"}),
    "str": Kind(str, {"type": "string"}),
    "bytes": Kind(
        bytes,
        {"type": "string", "contentEncoding": "base64"},
        "str",
        _BASE64,
        "base64.b64decode({})",
        lambda value: base64.b64encode(value).decode(),
        _bytes,
    ),
    "date": _iso(dt.date, {"type": "string", "format": "date"}),
    "time": _iso(dt.time, {"type": "string", "format": "time"}, key=_with_offset),
    "timedelta": Kind(
        dt.timedelta,
        {"type": "string", "x-kind": "timedelta"},
        "float",
        "{}.total_seconds()",
        "timedelta(seconds={})",
        _seconds,
        lambda seconds: dt.timedelta(seconds=float(seconds)),
    ),
    "decimal": _text(decimal.Decimal, {"type": "string", "x-kind": "decimal"}, _decimal, key=decimal.Decimal.as_tuple),
    "uuid": _text(uuid.UUID, {"type": "string", "format": "uuid"}),
    "datetime": _iso(dt.datetime, {"type": "string", "format": "date-time"}, key=_with_offset),
    "naive_datetime": _iso(
        dt.datetime, {"type": "string", "x-kind": "naive_datetime"}, key=_with_offset, title="naive datetime"
    ),
    "any": Kind(None, {}, title="any JSON"),
    "path": _text(pathlib.Path, {}, of_user="str"),
    "fraction": _text(fractions.Fraction, {}, of_user="str"),
    "complex": _text(complex, {}, of_user="str"),
    "bytearray": Kind(
        bytearray,
        {},
        "str",
        _BASE64,
        "bytearray(base64.b64decode({}))",
        read=lambda text: bytearray(_bytes(text)),
        of_user="bytes",
    ),
    "foreign": Kind(None, {}, "str", of_user="str"),
    "opaque": Kind(None, {}, of_user="any"),
}
"""A number's kind stands in front of those that would take its values: so unions have their members."""

CLASSES: Dict[str, Any] = {kind: row.cls for kind, row in KINDS.items() if row.cls and not row.of_user}
"""Kind of neutral values → their class."""
