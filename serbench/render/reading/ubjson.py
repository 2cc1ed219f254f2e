"""Reads UBJSON as specified in draft 12 (https://ubjson.org), for verification."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from serbench.render.reading.cursor import Cursor, check_end

_NUMBERS = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q", b"d": ">f", b"D": ">d"}


def read(blob: bytes) -> Any:
    """Decode a document."""
    cursor = Cursor(blob)
    return check_end(cursor, _value(cursor, cursor.take(1)))


def _value(cursor: Cursor, kind: bytes) -> Any:
    if kind in _NUMBERS:
        return cursor.number(_NUMBERS[kind])
    match kind:
        case b"Z":
            return None
        case b"T" | b"F":
            return kind == b"T"
        case b"S":
            return _text(cursor)
        case b"C":
            return cursor.take(1).decode()
        case b"H":
            return Decimal(_text(cursor))
        case b"[":
            return _array(cursor)
        case b"{":
            return _object(cursor)
    raise ValueError(f"unexpected type {kind!r}")


def _text(cursor: Cursor) -> str:
    return cursor.take(_value(cursor, cursor.take(1))).decode()


def _container(cursor: Cursor) -> tuple[bytes | None, int | None, bytes]:
    """Return the declared type and number of items, each None if not declared, and the next marker."""
    kind, count, marker = None, None, cursor.take(1)
    if marker == b"$":
        kind, marker = cursor.take(1), cursor.take(1)
    if marker == b"#":
        count = _value(cursor, cursor.take(1))
        marker = b"" if kind or not count else cursor.take(1)
    return kind, count, marker


def _array(cursor: Cursor) -> Any:
    kind, count, marker = _container(cursor)
    if kind == b"U" and count is not None:
        return cursor.take(count)
    items: list[Any] = []
    while marker != b"]" if count is None else len(items) < count:
        items.append(_value(cursor, kind or marker))
        if kind is None and (count is None or len(items) < count):
            marker = cursor.take(1)
    return items


def _object(cursor: Cursor) -> dict[str, Any]:
    kind, count, marker = _container(cursor)
    items: dict[str, Any] = {}
    while marker != b"}" if count is None else len(items) < count:
        size = _value(cursor, marker if kind is None else cursor.take(1))
        key = cursor.take(size).decode()
        items[key] = _value(cursor, kind or cursor.take(1))
        if kind is None and (count is None or len(items) < count):
            marker = cursor.take(1)
    return items
