"""Recognises texts that encode datetimes, dates, UUIDs or base64.

A column of texts has one of these kinds only if every text in it has the same form, and if the parsed value
reproduces the text character by character, so that parsing loses nothing. A single exception makes the column plain
text.
"""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

_Form: TypeAlias = tuple[str, ...]  # the kind, and details that all texts of a column share

_MOMENT = re.compile(
    r"(?:19|20)\d\d-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d{3}(?:\d{3})?)?(Z|\+00:00)?",
    re.ASCII,
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BASE64 = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9+/=])(?:[A-Za-z0-9+/]{4}){3,}[A-Za-z0-9+/]{2,4}={0,2}")
_SHORTEST = 10  # a date


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:
        raise ValueError(text) from None


READERS: dict[str, tuple[type, Callable[[str], Any]]] = {
    "datetime": (datetime, datetime.fromisoformat),
    "naive_datetime": (datetime, datetime.fromisoformat),
    "date": (date, date.fromisoformat),
    "time": (time, time.fromisoformat),
    "timedelta": (timedelta, lambda seconds: timedelta(seconds=float(seconds))),
    "decimal": (Decimal, _decimal),
    "uuid": (uuid.UUID, uuid.UUID),
    "bytes": (bytes, lambda text: base64.b64decode(text, validate=True)),
}
"""Kind → its class, and a parser that raises ValueError for malformed text."""


def text_kind(texts: Iterable[str]) -> str:
    """Return the common kind of texts: "datetime", "naive_datetime", "date", "uuid", "bytes" or "str".

    - A datetime is ISO 8601 with seconds, milliseconds or microseconds, from 1900 to 2099, in UTC (`Z` or `+00:00`);
      some codecs lose other offsets, or digits of remote years. If it has no offset it is naive.
    - A date is YYYY-MM-DD; a UUID is lower case with four hyphens.
    - Bytes are base64 of at least 14 characters, each text with lower case, upper case, and digits or signs; at least
      one text ends in `=`, because plain identifiers may look like unpadded base64.
    """
    found = iter(texts)
    first = next(found, "")
    form = _form(first)
    if form is None:
        return "str"
    padded = first.endswith("=")
    for text in found:
        if _form(text) != form:
            return "str"
        padded = padded or text.endswith("=")
    return "str" if form[0] == "bytes" and not padded else form[0]


def _form(text: str) -> _Form | None:
    if len(text) < _SHORTEST:
        return None
    try:
        if match := _MOMENT.fullmatch(text):
            separator, fraction, zone = match.groups(default="")
            datetime.fromisoformat(text)
            return ("datetime" if zone else "naive_datetime", separator, str(len(fraction)), zone)
        if _DATE.fullmatch(text):
            date.fromisoformat(text)
            return ("date",)
        if _UUID.fullmatch(text):
            return ("uuid",)
        if _BASE64.fullmatch(text) and base64.b64encode(base64.b64decode(text, validate=True)).decode() == text:
            return ("bytes",)
    except ValueError:
        pass  # an impossible date, such as month 13
    return None
