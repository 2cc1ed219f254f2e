"""Reads Protocol Buffers by their wire format and the neutral schema, for verification."""

from __future__ import annotations

import datetime as dt
import re
import struct
from typing import Any

from serbench.render.reading.cursor import Cursor


def read(blob: bytes, spec: dict[str, Any], text: str) -> Any:
    """Decode a document by its schema and the wire format (https://protobuf.dev/programming-guides/encoding/)."""
    enums = re.findall(r"^enum (\w+) {\n(.*?)^}", text, re.DOTALL | re.MULTILINE)
    spec = {
        **spec,
        "spans": "double" if "google/protobuf/duration" not in text else "message",
        "enums": {name: re.findall(r"^  (\w+) =", lines, re.MULTILINE) for name, lines in enums},
    }
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
    doubles = item[0] == "float" or (item[0] == "timedelta" and spec["spans"] == "double")
    if item[0] not in ("int", "uint64", "bool", "enum") and not doubles:
        return values
    unpacked: list[Any] = []
    for kind, value in values:
        if kind != 2 or (item[0] == "enum" and min(value, default=0) >= 32):  # text
            unpacked.append((kind, value))
            continue
        cursor = Cursor(value)
        while not cursor.done:
            unpacked.append((1, cursor.take(8)) if doubles else (0, _varint(cursor)))
    return unpacked


def _scalar(values: list[Any], type_: list[Any], spec: dict[str, Any]) -> Any:
    kind: int | None
    value: Any
    kind, value = values[-1] if values else (None, None)
    match type_[0]:
        case "ref":
            return _message(value or b"", spec, type_[1])
        case "int":
            return _signed(value or 0)
        case "uint64":
            return value or 0
        case "bool":
            return bool(value)
        case "float":
            return struct.unpack("<d", value)[0] if values else 0.0
        case "bytes":
            return value or b""
        case "timedelta" if spec["spans"] == "double":
            return struct.unpack("<d", value)[0] if values else 0.0
        case "datetime" | "timedelta" if not values or not value[:2].isdigit():  # which ISO 8601 begins with
            return _moment(value or b"", type_[0])
        case "enum":
            if kind == 2 or (type_[1] not in spec["enums"] and not values):
                return (value or b"").decode() if values else 0
            number = _signed(value or 0)
            return spec["enums"][type_[1]][number] if type_[1] in spec["enums"] else number
    return (value or b"").decode()


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _moment(blob: bytes, kind: str) -> Any:
    parts = _parts(blob)
    seconds = _signed(parts.get(1, [(0, 0)])[0][1])
    nanoseconds = _signed(parts.get(2, [(0, 0)])[0][1])
    span = dt.timedelta(seconds=seconds, microseconds=nanoseconds // 1000)
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + span if kind == "datetime" else span
