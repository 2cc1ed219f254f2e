"""Reads binary and XML property lists, by Apple's CFBinaryPList.c and DTD, for verification."""

from __future__ import annotations

import base64
import struct
from typing import Any
from xml.etree import ElementTree as ET

from serbench.render.reading.cursor import Cursor

_FLOATS = {2: ">f", 3: ">d"}


def read(blob: bytes) -> Any:
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
