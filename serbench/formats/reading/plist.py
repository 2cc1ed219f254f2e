"""Reads property lists, binary and XML, by Apple's CFBinaryPList.c and its DTD, for verification."""

from __future__ import annotations

import base64
import struct
from typing import Any
from xml.etree import ElementTree as ET

_FLOATS = {4: ">f", 8: ">d"}


def read(blob: bytes) -> Any:
    """The value of a document."""
    if blob.startswith(b"bplist00"):
        return _Binary(blob).value
    root = ET.fromstring(blob)  # noqa: S314  # bytes of this very run
    return _element(root[0])


class _Binary:
    """A binary property list: a table of places, and objects that refer to one another by number."""

    def __init__(self, blob: bytes) -> None:
        self.blob = blob
        offset_size, self.ref_size, count, top, table = struct.unpack(">6xBBQQQ", blob[-32:])
        ends = range(table, table + count * offset_size, offset_size)
        self.places = [int.from_bytes(blob[at : at + offset_size], "big") for at in ends]
        self.value = self.object(top)

    def object(self, number: int) -> Any:
        """The value of an object."""
        at = self.places[number]
        kind, low = self.blob[at] >> 4, self.blob[at] & 15
        match kind:
            case 0x0:
                return {0: None, 8: False, 9: True}[low]
            case 0x1:
                size = 1 << low
                return int.from_bytes(self.blob[at + 1 : at + 1 + size], "big", signed=size >= 8)
            case 0x2:
                size = 1 << low
                return struct.unpack(_FLOATS[size], self.blob[at + 1 : at + 1 + size])[0]
        size, at = self._size(at, low)
        match kind:
            case 0x4:
                return self.blob[at : at + size]
            case 0x5:
                return self.blob[at : at + size].decode("ascii")
            case 0x6:
                return self.blob[at : at + 2 * size].decode("utf-16-be")
            case 0xA:
                return [self.object(ref) for ref in self._refs(at, size)]
            case 0xD:
                refs = self._refs(at, 2 * size)
                return {self.object(k): self.object(v) for k, v in zip(refs[:size], refs[size:], strict=True)}
        raise ValueError(f"type {kind:#x} has no meaning here")

    def _size(self, at: int, low: int) -> tuple[int, int]:
        """The number of parts of an object, and where they begin."""
        if low < 15:
            return low, at + 1
        width = 1 << (self.blob[at + 1] & 15)
        return int.from_bytes(self.blob[at + 2 : at + 2 + width], "big"), at + 2 + width

    def _refs(self, at: int, count: int) -> list[int]:
        size = self.ref_size
        return [int.from_bytes(self.blob[at + i * size : at + (i + 1) * size], "big") for i in range(count)]


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
    raise ValueError(f"<{element.tag}> has no meaning here")
