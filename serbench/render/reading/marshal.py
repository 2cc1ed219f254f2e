"""Reads the output of `marshal`, by the type codes of CPython's Python/marshal.c, for verification."""

from __future__ import annotations

from typing import Any

from serbench.render.reading.cursor import Cursor, check_end

_CONSTANTS = {b"N": None, b"T": True, b"F": False}
_LATER = object()


def read(blob: bytes) -> Any:
    """Decode a document."""
    cursor = Cursor(blob)
    return check_end(cursor, _value(cursor, []))


def _value(cursor: Cursor, seen: list[Any]) -> Any:
    head = cursor.number("<B")
    kind = bytes([head & 0x7F])
    if kind == b"r":
        return seen[cursor.number("<I")]
    if not head & 0x80:
        return _plain(cursor, kind, seen)
    index = len(seen)
    seen.append(_LATER)
    seen[index] = _plain(cursor, kind, seen)
    return seen[index]


def _plain(cursor: Cursor, kind: bytes, seen: list[Any]) -> Any:
    if kind in _CONSTANTS:
        return _CONSTANTS[kind]
    match kind:
        case b"i":
            return cursor.number("<i")
        case b"l":
            return _long(cursor)
        case b"g":
            return cursor.number("<d")
        case b"s":
            return cursor.take(cursor.number("<i"))
        case b"z" | b"Z":
            return cursor.take(cursor.number("<B")).decode("ascii")
        case b"a" | b"A":
            return cursor.take(cursor.number("<i")).decode("ascii")
        case b"u" | b"t":
            return cursor.take(cursor.number("<i")).decode("utf-8", "surrogatepass")
        case b")" | b"(":
            count = cursor.number("<B" if kind == b")" else "<i")
            return tuple(_value(cursor, seen) for _ in range(count))
        case b"[" | b"<" | b">":
            return [_value(cursor, seen) for _ in range(cursor.number("<i"))]
        case b"{":
            return _dict(cursor, seen)
    raise ValueError(f"unexpected type {kind!r}")


def _long(cursor: Cursor) -> int:
    count = cursor.number("<i")
    value: int = sum(cursor.number("<h") << 15 * number for number in range(abs(count)))
    return -value if count < 0 else value


def _dict(cursor: Cursor, seen: list[Any]) -> dict[Any, Any]:
    items = {}
    while cursor.blob[cursor.at : cursor.at + 1] != b"0":
        key = _value(cursor, seen)
        items[key] = _value(cursor, seen)
    cursor.take(1)
    return items
