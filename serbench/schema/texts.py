"""Recognises texts that stand for something else: moments, dates, UUIDs and base64.

A column of texts has one of these kinds only if every text in it is written in one and the same
form, from which the value gives the text back character by character: nothing of the document is
lost by reading it as what it stands for. A single text that is otherwise makes the column plain.
"""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias

_Form: TypeAlias = tuple[str, ...]  # the kind, and what else all texts of a column have in common

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
"""The class of each kind, and what makes its value of a text, or raises a ValueError."""


def text_kind(texts: Iterable[str]) -> str:
    """The kind of all these texts: "datetime", "naive_datetime", "date", "uuid", "bytes" or "str".

    - A datetime is ISO 8601 to the second, the millisecond or the microsecond, from 1900 to 2099, in UTC
      (`Z` or `+00:00`): of other offsets some codecs keep the moment but not the offset, and of moments
      far away not all digits. Without an offset it is naive.
    - A date is YYYY-MM-DD, a UUID lower case with its four hyphens.
    - Bytes are base64 of 14 characters or more, each text with small letters, capitals and digits or signs;
      one of them at least ends in `=`, without which an id could pass for it.
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
        pass  # the thirteenth month
    return None
