"""Readers of BSON, UBJSON, CBOR, marshal and property lists by their specifications, for verification."""

from __future__ import annotations

import base64
import datetime as dt
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID
from xml.etree import ElementTree as ET


class Cursor:
    """Reads `blob` from offset `at`; raises ValueError if it ends too early."""

    def __init__(self, blob: bytes, at: int = 0) -> None:
        self.blob, self.at = blob, at

    def take(self, count: int) -> bytes:
        """Read the next `count` bytes."""
        piece = self.blob[self.at : self.at + count]
        if len(piece) < count:
            raise ValueError(f"{count} bytes expected at offset {self.at}, but the document ends at {len(self.blob)}")
        self.at += count
        return piece

    def number(self, code: str) -> Any:
        """Read the next number; `code` is its format in `struct`, with byte order."""
        return struct.unpack(code, self.take(struct.calcsize(code)))[0]

    def until(self, end: bytes) -> bytes:
        """Read the bytes before the next `end`, and skip `end`."""
        end_at = self.blob.index(end, self.at)
        piece = self.take(end_at - self.at)
        self.at += len(end)
        return piece

    @property
    def done(self) -> bool:
        """True if all bytes have been read."""
        return self.at >= len(self.blob)


def whole(blob: bytes, read: Callable[[Cursor], Any]) -> Any:
    """Return the document that is all of the bytes.

    Raises:
        ValueError: bytes follow the document.
    """
    cursor = Cursor(blob)
    value = read(cursor)
    if not cursor.done:
        raise ValueError(f"{len(cursor.blob) - cursor.at} bytes follow the document")
    return value


_BSON_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_BSON_NUMBERS = {0x01: "<d", 0x08: "<?", 0x10: "<i", 0x12: "<q"}


def read_bson(blob: bytes) -> Any:
    """Decode a document."""
    return whole(blob, _document)


def _document(cursor: Cursor) -> dict[str, Any]:
    cursor.number("<i")
    document = {}
    while kind := cursor.number("<B"):
        key = cursor.until(b"\0").decode()
        document[key] = _bson_value(cursor, kind)
    return document


def _bson_value(cursor: Cursor, kind: int) -> Any:
    if kind in _BSON_NUMBERS:
        return cursor.number(_BSON_NUMBERS[kind])
    match kind:
        case 0x02:
            return cursor.take(cursor.number("<i"))[:-1].decode()
        case 0x03:
            return _document(cursor)
        case 0x04:
            return list(_document(cursor).values())
        case 0x05:
            size, subtype = cursor.number("<i"), cursor.number("<B")
            piece = cursor.take(size)
            return UUID(bytes=piece) if subtype == 4 else piece
        case 0x09:
            return _BSON_EPOCH + dt.timedelta(milliseconds=cursor.number("<q"))
        case 0x0A:
            return None
    raise ValueError(f"unexpected type {kind:#x}")


_UBJSON_NUMBERS = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q", b"d": ">f", b"D": ">d"}


def read_ubjson(blob: bytes) -> Any:
    """Decode a document."""
    return whole(blob, lambda cursor: _ubjson_value(cursor, cursor.take(1)))


def _ubjson_value(cursor: Cursor, kind: bytes) -> Any:
    if kind in _UBJSON_NUMBERS:
        return cursor.number(_UBJSON_NUMBERS[kind])
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
    return cursor.take(_ubjson_value(cursor, cursor.take(1))).decode()


def _container(cursor: Cursor) -> tuple[bytes | None, int | None, bytes]:
    """Return the declared type and number of items, each None if not declared, and the next marker."""
    kind, count, marker = None, None, cursor.take(1)
    if marker == b"$":
        kind, marker = cursor.take(1), cursor.take(1)
    if marker == b"#":
        count = _ubjson_value(cursor, cursor.take(1))
        marker = b"" if kind or not count else cursor.take(1)
    return kind, count, marker


def _array(cursor: Cursor) -> Any:
    kind, count, marker = _container(cursor)
    if kind == b"U" and count is not None:
        return cursor.take(count)
    items: list[Any] = []
    while marker != b"]" if count is None else len(items) < count:
        items.append(_ubjson_value(cursor, kind or marker))
        if kind is None and (count is None or len(items) < count):
            marker = cursor.take(1)
    return items


def _object(cursor: Cursor) -> dict[str, Any]:
    kind, count, marker = _container(cursor)
    items: dict[str, Any] = {}
    while marker != b"}" if count is None else len(items) < count:
        size = _ubjson_value(cursor, marker if kind is None else cursor.take(1))
        key = cursor.take(size).decode()
        items[key] = _ubjson_value(cursor, kind or cursor.take(1))
        if kind is None and (count is None or len(items) < count):
            marker = cursor.take(1)
    return items


def _set(items: list[Any]) -> Any:
    """The items as a set, which is written as a set again; as a list if an item cannot be in a set."""
    try:
        return set(items)
    except TypeError:
        return items


_SIMPLE = {20: False, 21: True, 22: None, 23: None}
_CBOR_EPOCH = dt.date(1970, 1, 1).toordinal()
_BREAK = object()
_TAGS: dict[int, Callable[[Any], Any]] = {
    0: dt.datetime.fromisoformat,
    1: lambda seconds: dt.datetime.fromtimestamp(seconds, dt.UTC),
    2: lambda piece: int.from_bytes(piece, "big"),
    3: lambda piece: -1 - int.from_bytes(piece, "big"),
    4: lambda parts: Decimal(f"{parts[1]}e{parts[0]}"),
    37: lambda piece: UUID(bytes=piece),
    100: lambda days: dt.date.fromordinal(_CBOR_EPOCH + days),
    258: _set,
    1004: dt.date.fromisoformat,
}


def read_cbor(blob: bytes) -> Any:
    """Decode a document."""
    return whole(blob, lambda cursor: _item(cursor, None))


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


_CONSTANTS = {b"N": None, b"T": True, b"F": False}
_LATER = object()


def read_marshal(blob: bytes) -> Any:
    """Decode a document."""
    return whole(blob, lambda cursor: _marshal_value(cursor, []))


def _marshal_value(cursor: Cursor, seen: list[Any]) -> Any:
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
            return tuple(_marshal_value(cursor, seen) for _ in range(count))
        case b"[" | b"<" | b">":
            return [_marshal_value(cursor, seen) for _ in range(cursor.number("<i"))]
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
        key = _marshal_value(cursor, seen)
        items[key] = _marshal_value(cursor, seen)
    cursor.take(1)
    return items


_FLOATS = {2: ">f", 3: ">d"}


def read_plist(blob: bytes) -> Any:
    """Decode a document."""
    if blob.startswith(b"bplist00"):
        return _Binary(blob).value
    root = ET.fromstring(blob)  # noqa: S314  # bytes that this run wrote
    return _element(root[0])


class _Binary:
    """A binary property list: a table of offsets, and objects that refer to one another by number."""

    def __init__(self, blob: bytes) -> None:
        self.blob = blob
        offset_size, self.ref_size, count, top, table = struct.unpack(">6xBBQQQ", blob[-32:])
        ends = range(table, table + count * offset_size, offset_size)
        self.places = [int.from_bytes(blob[at : at + offset_size], "big") for at in ends]
        self.value = self.object(top)

    def object(self, number: int) -> Any:
        cursor = Cursor(self.blob, self.places[number])
        kind, low = divmod(cursor.number(">B"), 16)
        match kind:
            case 0x0:
                return {0: None, 8: False, 9: True}[low]
            case 0x1:
                return int.from_bytes(cursor.take(1 << low), "big", signed=low >= 3)
            case 0x2:
                return cursor.number(_FLOATS[low])
        size = low if low < 15 else int.from_bytes(cursor.take(1 << (cursor.number(">B") & 15)), "big")
        match kind:
            case 0x4:
                return cursor.take(size)
            case 0x5:
                return cursor.take(size).decode("ascii")
            case 0x6:
                return cursor.take(2 * size).decode("utf-16-be")
            case 0xA:
                return [self.object(ref) for ref in self._refs(cursor, size)]
            case 0xD:
                refs = self._refs(cursor, 2 * size)
                return {self.object(k): self.object(v) for k, v in zip(refs[:size], refs[size:], strict=True)}
        raise ValueError(f"unexpected type {kind:#x}")

    def _refs(self, cursor: Cursor, count: int) -> list[int]:
        return [int.from_bytes(cursor.take(self.ref_size), "big") for _ in range(count)]


def _element(element: ET.Element) -> Any:
    text = element.text or ""
    match element.tag:
        case "true" | "false":
            return element.tag == "true"
        case "integer":
            return int(text)
        case "real":
            return float(text)
        case "string":
            return text
        case "data":
            return base64.b64decode(text)
        case "array":
            return [_element(item) for item in element]
        case "dict":
            parts = list(element)
            return {key.text or "": _element(item) for key, item in zip(parts[::2], parts[1::2], strict=True)}
    raise ValueError(f"unexpected element <{element.tag}>")
