"""Reads CBOR as specified in RFC 8949, for verification."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID

from serbench.render.reading.cursor import Cursor, check_end


def _set(items: list[Any]) -> Any:
    """The set that a writer then writes as one again; a list if an item cannot be in a set."""
    try:
        return set(items)
    except TypeError:
        return items


_SIMPLE = {20: False, 21: True, 22: None, 23: None}
_EPOCH = dt.date(1970, 1, 1).toordinal()
_BREAK = object()
_TAGS: dict[int, Callable[[Any], Any]] = {
    0: dt.datetime.fromisoformat,
    1: lambda seconds: dt.datetime.fromtimestamp(seconds, dt.UTC),
    2: lambda piece: int.from_bytes(piece, "big"),
    3: lambda piece: -1 - int.from_bytes(piece, "big"),
    4: lambda parts: Decimal(f"{parts[1]}e{parts[0]}"),
    37: lambda piece: UUID(bytes=piece),
    100: lambda days: dt.date.fromordinal(_EPOCH + days),
    258: _set,
    1004: dt.date.fromisoformat,
}


def read(blob: bytes) -> Any:
    """Decode a document."""
    cursor = Cursor(blob)
    return check_end(cursor, _item(cursor, None))


def _item(cursor: Cursor, strings: list[Any] | None) -> Any:
    head = cursor.number(">B")
    major, low = head >> 5, head & 31
    if major == 7:
        return _simple(cursor, low)
    if low == 31:
        return _indefinite(cursor, major, strings)
    size = low if low < 24 else cursor.number((">B", ">H", ">I", ">Q")[low - 24])
    match major:
        case 0:
            return size
        case 1:
            return -1 - size
        case 2 | 3:
            piece = cursor.take(size)
            text = piece if major == 2 else piece.decode()
            if strings is not None and size >= _shortest(len(strings)):
                strings.append(text)
            return text
        case 4:
            return [_item(cursor, strings) for _ in range(size)]
        case 5:
            return {_item(cursor, strings): _item(cursor, strings) for _ in range(size)}
    return _tagged(cursor, size, strings)


def _indefinite(cursor: Cursor, major: int, strings: list[Any] | None) -> Any:
    items = []
    while (item := _item(cursor, strings)) is not _BREAK:
        items.append(item)
    if major == 5:
        return dict(zip(items[::2], items[1::2], strict=True))
    return items if major == 4 else type(items[0])().join(items)


def _simple(cursor: Cursor, low: int) -> Any:
    if low in _SIMPLE:
        return _SIMPLE[low]
    if low == 31:
        return _BREAK
    if low in (25, 26, 27):
        return cursor.number({25: ">e", 26: ">f", 27: ">d"}[low])
    raise ValueError(f"unexpected simple value {low}")


def _tagged(cursor: Cursor, tag: int, strings: list[Any] | None) -> Any:
    if tag == 256:  # http://cbor.schmorp.de/stringref
        return _item(cursor, [])
    value = _item(cursor, strings)
    if tag == 25 and strings is not None:
        return strings[value]
    if tag not in _TAGS:
        raise ValueError(f"unexpected tag {tag}")
    return _TAGS[tag](value)


def _shortest(count: int) -> int:
    """Return the minimum length of a string that gets number `count`."""
    return next(size for limit, size in ((24, 3), (256, 4), (65_536, 5), (1 << 32, 7), (1 << 64, 11)) if count < limit)
