"""Readers of Cap'n Proto, FlatBuffers, NumPy records, Protocol Buffers and Thrift by their specifications, for verification."""

from __future__ import annotations

import datetime as dt
import re
import struct
from collections.abc import Callable
from itertools import repeat
from typing import Any

from serbench.model.scalars import SCALAR_KINDS
from serbench.render.reading.self_describing import Cursor, whole

_NUMBERS = {"int": "<q", "uint64": "<Q", "float": "<d", "timedelta": "<d", "bool": "<?"}


def _kind(spec: dict[str, Any], type_: list[Any]) -> str:
    """Return the kind of a type; an enumeration is its values, which are ints or texts."""
    return type(spec["enums"][type_[1]][0]).__name__ if type_[0] == "enum" else str(type_[0])


def read_capnp(blob: bytes, spec: dict[str, Any], _: str) -> Any:
    """Decode a document by its schema."""
    root = spec["root"]
    message = _Message(blob, spec)
    if root[0] == "ref":
        return message.record(root, message.struct(0, 0))
    return message.field(root, message.struct(0, 0)[1][0])


class _Message:
    """A message's segments and its schema."""

    def __init__(self, blob: bytes, spec: dict[str, Any]) -> None:
        self.spec = spec
        count = struct.unpack_from("<I", blob)[0] + 1
        sizes = struct.unpack_from(f"<{count}I", blob, 4)
        at = (4 + 4 * count + 7) // 8 * 8
        self.segments = []
        for size in sizes:
            self.segments.append(blob[at : at + 8 * size])
            at += 8 * size

    def follow(self, segment: int, at: int) -> tuple[int, int, int]:
        """Resolve a pointer, following far pointers; return the target's segment and offset, and the final pointer."""
        (pointer,) = struct.unpack_from("<Q", self.segments[segment], at)
        if pointer & 3 == 2:
            target, landing_at = pointer >> 32, (pointer >> 3 & 0x1FFFFFFF) * 8
            if not pointer & 4:
                return self.follow(target, landing_at)
            (landing, tag) = struct.unpack_from("<QQ", self.segments[target], landing_at)
            return landing >> 32, (landing >> 3 & 0x1FFFFFFF) * 8, tag
        offset = pointer >> 2 & 0x3FFFFFFF
        offset -= (offset >> 29) << 30
        return segment, at + 8 + 8 * offset, pointer

    def struct(self, segment: int, at: int) -> tuple[bytes, list[tuple[int, int] | None]]:
        """Return the data section and the pointers' locations of the struct that a pointer refers to."""
        segment, start, pointer = self.follow(segment, at)
        return self._sections(segment, start, pointer >> 32 & 0xFFFF, pointer >> 48)

    def _sections(self, segment: int, at: int, words: int, count: int) -> tuple[bytes, list[tuple[int, int] | None]]:
        body = self.segments[segment]
        data, start = body[at : at + 8 * words], at + 8 * words
        places = [(segment, start + 8 * index) for index in range(count)]
        return data, [pointer if any(body[pointer[1] : pointer[1] + 8]) else None for pointer in places]

    def _fields(self, type_: list[Any]) -> list[list[Any]]:
        if type_[0] == "map":  # of an entry
            return [["key", "key", ["str"]], ["value", "value", type_[1]]]
        fields: list[list[Any]] = self.spec["records"][type_[1]]["fields"]
        return fields

    def record(self, type_: list[Any], sections: tuple[bytes, list[tuple[int, int] | None]]) -> dict[str, Any]:
        """Decode a struct, a record or an entry of a map; numbers occupy one word each, bools share words, all other fields are pointers."""
        data, pointers = sections
        record: dict[str, Any] = {}
        bit, bits_end, word, number = 0, 0, 0, 0
        for _, wire, inner in self._fields(type_):
            kind = _kind(self.spec, inner)
            if kind == "bool":
                if bit == bits_end:
                    bit, bits_end, word = 64 * word, 64 * word + 64, word + 1
                record[wire] = bool(data[bit // 8] >> bit % 8 & 1)
                bit += 1
            elif kind in _NUMBERS:
                record[wire] = struct.unpack_from(_NUMBERS[kind], data, 8 * word)[0]
                word += 1
            else:
                record[wire] = self.field(inner, pointers[number])
                number += 1
        return record

    def field(self, type_: list[Any], pointer: tuple[int, int] | None) -> Any:
        kind = type_[0]
        if kind == "optional":
            return None if pointer is None else self.field(type_[1], pointer)
        if kind == "ref":
            return self.record(type_, self.struct(*pointer) if pointer else (b"", []))
        if kind in ("list", "set", "tuple"):
            item = type_[1][0] if kind == "tuple" else type_[1]
            return [] if pointer is None else self.items(item, *pointer)
        if kind == "map":
            entries = [] if pointer is None else self.items(type_, *pointer)
            return {entry["key"]: entry["value"] for entry in entries}
        piece = b"" if pointer is None else self.bytes(*pointer)
        return piece if kind == "bytes" else piece.removesuffix(b"\0").decode()

    def bytes(self, segment: int, at: int) -> bytes:
        segment, start, pointer = self.follow(segment, at)
        return self.segments[segment][start : start + (pointer >> 35)]

    def items(self, type_: list[Any], segment: int, at: int) -> list[Any]:
        segment, start, pointer = self.follow(segment, at)
        code, count, body = pointer >> 32 & 7, pointer >> 35, self.segments[segment]
        kind = _kind(self.spec, type_)
        if code == 1:
            return [bool(body[start + index // 8] >> index % 8 & 1) for index in range(count)]
        if code == 7:
            (tag,) = struct.unpack_from("<Q", body, start)
            words, pointers, length = tag >> 32 & 0xFFFF, tag >> 48, tag >> 2 & 0x3FFFFFFF
            starts = [start + 8 + 8 * index * (words + pointers) for index in range(length)]
            return [self.record(type_, self._sections(segment, start, words, pointers)) for start in starts]
        if kind in _NUMBERS:
            return [struct.unpack_from(_NUMBERS[kind], body, start + 8 * index)[0] for index in range(count)]
        places = [(segment, start + 8 * index) for index in range(count)]
        return [self.field(type_, place if any(body[place[1] : place[1] + 8]) else None) for place in places]


def read_flatbuffers(blob: bytes, spec: dict[str, Any], _: str) -> Any:
    """Decode a document by its schema.

    Raises:
        ValueError: an offset is out of range, or a required field is absent.
    """
    buffer = _Buffer(blob, spec)
    root, start = spec["root"], buffer.target(0)
    return buffer.record(root[1], start) if root[0] == "ref" else buffer.slots([root], start)[0]


class _Buffer:
    def __init__(self, blob: bytes, spec: dict[str, Any]) -> None:
        self.blob, self.spec = blob, spec

    def number(self, code: str, at: int) -> Any:
        if at < 0:
            raise ValueError(f"offset {at} is negative")
        return Cursor(self.blob, at).number(code)

    def target(self, at: int) -> int:
        """Return the target of the relative offset stored at `at`."""
        return at + int(self.number("<I", at))

    def record(self, name: str, at: int) -> dict[str, Any]:
        fields = self.spec["records"][name]["fields"]
        values = self.slots([type_ for _, _, type_ in fields], at)
        return {wire: value for (_, wire, _), value in zip(fields, values, strict=True)}

    def slots(self, types: list[Any], at: int) -> list[Any]:
        """Decode the fields of the table at an offset; a field with no offset in the vtable is absent."""
        vtable = at - self.number("<i", at)
        size = self.number("<H", vtable)
        values = []
        for slot, type_ in enumerate(types):
            entry = 4 + 2 * slot
            offset = self.number("<H", vtable + entry) if entry + 2 <= size else 0
            values.append(self.value(type_, at + offset) if offset else self.absent(type_))
        return values

    def absent(self, type_: list[Any]) -> Any:
        kind = _kind(self.spec, type_)
        if kind == "optional":
            return None
        if kind in ("int", "uint64", "bool"):
            return False if kind == "bool" else 0
        raise ValueError(f"a field of type {kind} is absent but has no default")

    def value(self, type_: list[Any], at: int) -> Any:
        """Decode the value of a field, or of an item of a vector, at an offset."""
        kind = _kind(self.spec, type_)
        if kind == "optional":
            return self.value(type_[1], at)
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind], at)
        start = self.target(at)
        if kind == "ref":
            return self.record(type_[1], start)
        if kind in ("list", "set", "tuple", "map"):
            return self.vector(type_, start)
        piece = Cursor(self.blob, start + 4).take(self.number("<I", start))
        return piece if kind == "bytes" else piece.decode()

    def vector(self, type_: list[Any], start: int) -> Any:
        """Decode a vector; map entries are tables of a key and a value."""
        item = type_[1][0] if type_[0] == "tuple" else type_[1]
        code = "<I" if type_[0] == "map" else _NUMBERS.get(_kind(self.spec, item), "<I")
        count, size = self.number("<I", start), struct.calcsize(code)
        places = range(start + 4, start + 4 + count * size, size)
        if type_[0] == "map":
            return dict(self.slots([["str"], item], self.target(at)) for at in places)
        return [self.value(item, at) for at in places]


_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001  # origin of microsecond counts
_MEANINGS: dict[str, Callable[[Any], Any]] = {
    "datetime": lambda count: (_EPOCH + dt.timedelta(microseconds=count)).replace(tzinfo=dt.UTC),
    "naive_datetime": lambda count: _EPOCH + dt.timedelta(microseconds=count),
    "date": lambda days: (_EPOCH + dt.timedelta(days=days)).date(),
    "timedelta": lambda count: dt.timedelta(microseconds=count),
}
_SCALARS = {**_NUMBERS, **dict.fromkeys(_MEANINGS, "<q")}


def read_numpy_records(blob: bytes, spec: dict[str, Any], _: str) -> Any:
    """Decode the records of a document."""
    (count,) = struct.unpack_from("<Q", blob)
    return _Layout(blob, spec).items(spec["root"][1], 8, count)


class _Layout:
    """A document and the sizes of its types."""

    def __init__(self, blob: bytes, spec: dict[str, Any]) -> None:
        self.blob, self.spec = blob, spec

    def parts(self, type_: list[Any]) -> list[list[Any]] | None:
        """Return the types of a value's consecutive parts, or None if it has no parts."""
        match type_[0]:
            case "ref":
                return [f[2] for f in self.spec["records"][type_[1]]["fields"]]
            case "tuple":
                return list(type_[1])
            case "optional":
                return [["bool"], type_[1]]
            case "entry":
                return [["str"], type_[1]]
        return None

    def size(self, type_: list[Any]) -> int:
        """Return the size of a value in bytes, excluding variable-length data stored elsewhere."""
        parts = self.parts(type_)
        if parts is not None:
            return sum(self.size(part) for part in parts)
        if type_[0] == "enum":
            return 8
        return struct.calcsize(_SCALARS[type_[0]]) if type_[0] in _SCALARS else 16

    def items(self, type_: list[Any], at: int, count: int) -> list[Any]:
        size = self.size(type_)
        return [self.value(type_, at + index * size) for index in range(count)]

    def value(self, type_: list[Any], at: int) -> Any:
        parts = self.parts(type_)
        if parts is not None:
            return self._whole(type_, parts, at)
        kind = type_[0]
        if kind == "enum":
            (number,) = struct.unpack_from("<q", self.blob, at)
            return self.spec["enums"][type_[1]][number]
        if kind in _SCALARS:
            (number,) = struct.unpack_from(_SCALARS[kind], self.blob, at)
            return _MEANINGS[kind](number) if kind in _MEANINGS else number
        start, size = struct.unpack_from("<QQ", self.blob, at)
        if kind in SCALAR_KINDS:
            piece = self.blob[start : start + size]
            return piece if kind == "bytes" else piece.decode()
        if kind == "map":
            return dict(self.items(["entry", type_[1]], start, size))
        return self.items(type_[1], start, size)

    def _whole(self, type_: list[Any], parts: list[list[Any]], at: int) -> Any:
        values = []
        for part in parts:
            values.append(self.value(part, at))
            at += self.size(part)
        match type_[0]:
            case "ref":
                wires = [f[1] for f in self.spec["records"][type_[1]]["fields"]]
                return dict(zip(wires, values, strict=True))
            case "optional":
                return values[1] if values[0] else None
        return tuple(values)


def read_protobuf(blob: bytes, spec: dict[str, Any], text: str) -> Any:
    """Decode a document by its schema and the wire format (https://protobuf.dev/programming-guides/encoding/)."""
    spans = "double" if "google/protobuf/duration" not in text else "message"
    spec = {**spec, "spans": spans, "numbered": re.findall(r"^enum (\w+) {", text, re.MULTILINE)}
    root = spec["root"]
    if root[0] == "ref":
        return _message(blob, spec, root[1])
    return _field(_parts(blob).get(1, []), root, spec)


def _parts(blob: bytes) -> dict[int, list[Any]]:
    cursor = Cursor(blob)
    parts: dict[int, list[Any]] = {}
    while not cursor.done:
        key = _varint(cursor)
        match key & 7:
            case 0:
                value: Any = _varint(cursor)
            case 1:
                value = cursor.take(8)
            case 2:
                value = cursor.take(_varint(cursor))
            case other:
                raise ValueError(f"unexpected wire type {other}")
        parts.setdefault(key >> 3, []).append((key & 7, value))
    return parts


def _varint(cursor: Cursor) -> int:
    value = shift = 0
    while True:
        byte: int = cursor.number("<B")
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value


def _message(blob: bytes, spec: dict[str, Any], name: str) -> dict[str, Any]:
    parts = _parts(blob)
    fields = spec["records"][name]["fields"]
    return {wire: _field(parts.get(number, []), type_, spec) for number, (_, wire, type_) in enumerate(fields, 1)}


def _field(values: list[Any], type_: list[Any], spec: dict[str, Any]) -> Any:
    if type_[0] == "optional":
        return _field(values, type_[1], spec) if values else None
    if type_[0] in ("list", "set", "tuple"):
        item = type_[1][0] if type_[0] == "tuple" else type_[1]
        return [_scalar([value], item, spec) for value in _unpacked(values, item, spec)]
    if type_[0] == "map":
        entries = [_parts(blob) for _, blob in values]
        return {
            entry[1][0][1].decode() if 1 in entry else "": _scalar(entry.get(2, []), type_[1], spec)
            for entry in entries
        }
    return _scalar(values, type_, spec)


def _unpacked(values: list[Any], item: list[Any], spec: dict[str, Any]) -> list[Any]:
    """Return the values of a repeated field, expanding packed numbers."""
    kind = "int" if item[-1] in spec["numbered"] else _kind(spec, item)
    doubles = kind == "float" or (kind == "timedelta" and spec["spans"] == "double")
    if kind not in ("int", "uint64", "bool") and not doubles:
        return values
    unpacked: list[Any] = []
    for wire, value in values:
        if wire != 2:
            unpacked.append((wire, value))
            continue
        cursor = Cursor(value)
        while not cursor.done:
            unpacked.append((1, cursor.take(8)) if doubles else (0, _varint(cursor)))
    return unpacked


def _scalar(values: list[Any], type_: list[Any], spec: dict[str, Any]) -> Any:
    value: Any = values[-1][1] if values else None
    kind = _kind(spec, type_)
    if type_[-1] in spec["numbered"]:
        return spec["enums"][type_[1]][_signed(value or 0)]
    match kind:
        case "ref":
            return _message(value or b"", spec, type_[1])
        case "int":
            return _signed(value or 0)
        case "uint64":
            return value or 0
        case "bool":
            return bool(value)
        case "bytes":
            return value or b""
        case "float" | "timedelta" if kind == "float" or spec["spans"] == "double":
            return struct.unpack("<d", value)[0] if values else 0.0
        case "datetime" | "timedelta" if not values or not value[:2].isdigit():  # which ISO 8601 begins with
            return _moment(value or b"", kind)
    return (value or b"").decode()


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _moment(blob: bytes, kind: str) -> Any:
    parts = _parts(blob)
    seconds = _signed(parts.get(1, [(0, 0)])[0][1])
    nanoseconds = _signed(parts.get(2, [(0, 0)])[0][1])
    span = dt.timedelta(seconds=seconds, microseconds=nanoseconds // 1000)
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + span if kind == "datetime" else span


def read_thrift(blob: bytes, spec: dict[str, Any], _: str) -> Any:
    """Decode a document by its schema and the binary protocol."""
    root = spec["root"]
    fields = spec["records"][root[1]]["fields"] if root[0] == "ref" else [["items", "items", root]]
    document = whole(blob, lambda cursor: _struct(cursor, fields, spec))
    return document if root[0] == "ref" else document["items"]


def _struct(cursor: Cursor, fields: list[Any], spec: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(wire for _, wire, _ in fields)
    while cursor.number(">b"):
        _, wire, type_ = fields[cursor.number(">h") - 1]
        found[wire] = _thrift_value(cursor, type_, spec)
    return found


def _thrift_value(cursor: Cursor, type_: list[Any], spec: dict[str, Any]) -> Any:
    kind = _kind(spec, type_)
    match kind:
        case "optional":
            return _thrift_value(cursor, type_[1], spec)
        case "ref":
            return _struct(cursor, spec["records"][type_[1]]["fields"], spec)
        case "list" | "set" | "tuple":
            cursor.take(1)
            count = cursor.number(">i")
            items = type_[1] if kind == "tuple" else repeat(type_[1], count)
            return [_thrift_value(cursor, item, spec) for item in items]
        case "map":
            cursor.take(2)
            count = cursor.number(">i")
            return {_thrift_value(cursor, ["str"], spec): _thrift_value(cursor, type_[1], spec) for _ in range(count)}
    if kind in _NUMBERS:
        return cursor.number(_NUMBERS[kind].replace("<", ">"))
    piece = cursor.take(cursor.number(">i"))
    return piece if kind == "bytes" else piece.decode()
