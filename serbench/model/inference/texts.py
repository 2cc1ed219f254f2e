"""Recognises texts that encode datetimes, dates or UUIDs, and those that look like base64.

A column of texts has one of these kinds only if every text in it has the same form; a single exception makes the column
plain text. A kind is taken only if every library returns the value: dates, UUIDs and naive datetimes as the file's own
text, instants perhaps in another spelling. Base64 stays text: libraries write it as base64, as base85 or with a newline,
and some read the one as the other.
"""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

_Form: TypeAlias = tuple[str, ...]  # the kind, and details that all texts of a column share

_MOMENT = re.compile(
    r"(?:19|20)\d\d-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d{3}(?:\d{3})?)?(Z|\+00:00)?",
    re.ASCII,
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BASE64 = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9+/=])(?:[A-Za-z0-9+/]{4}){3,}[A-Za-z0-9+/]{2,4}={0,2}")
_SHORTEST = 10  # a date
_EXACT: set[_Form] = {("date",), ("uuid",), ("naive_datetime", "T", "0", ""), ("naive_datetime", "T", "7", "")}
"""The forms that every library writes as it reads them; others come back as the same value in another spelling."""


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


class Texts(NamedTuple):
    """The kind of a column of texts, what they look like if they stay texts, and whether libraries respell them."""

    kind: str = "str"
    like: str = ""
    respelled: bool = False


def text_kind(texts: Iterable[str]) -> Texts:
    """Return the common kind of texts: "datetime", "naive_datetime", "date", "uuid" or "str".

    - A datetime is ISO 8601 with seconds, milliseconds or microseconds, from 1900 to 2099, in UTC (`Z` or `+00:00`);
      some codecs lose other offsets, or digits of remote years. If it has no offset it is naive.
    - A date is YYYY-MM-DD; a UUID is lower case with four hyphens.
    - Texts look like base64 if they have at least 14 characters, each with lower case, upper case, and digits or signs,
      and at least one ends in `=`, because plain identifiers may look like unpadded base64.
    """
    remaining = iter(texts)
    first = next(remaining, "")
    form = _form(first)
    if form is None:
        return Texts()
    padded = first.endswith("=")
    for text in remaining:
        if _form(text) != form:
            return Texts()
        padded = padded or text.endswith("=")
    if form == ("base64",):
        return Texts(like="base64" if padded else "")
    return Texts(form[0], respelled=form not in _EXACT)


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
            return ("base64",)
    except ValueError:
        pass  # an impossible date, such as month 13
    return None
