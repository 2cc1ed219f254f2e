"""Reads Cap'n Proto messages as specified (https://capnproto.org/encoding.html), for verification."""

from __future__ import annotations

import struct
from typing import Any

_WORDS = {"int": "<q", "uint64": "<Q", "float": "<d", "timedelta": "<d"}


def read(blob: bytes, spec: dict[str, Any], _: str) -> Any:
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
            kind = self._kind(inner)
            if kind == "bool":
                if bit == bits_end:
                    bit, bits_end, word = 64 * word, 64 * word + 64, word + 1
                record[wire] = bool(data[bit // 8] >> bit % 8 & 1)
                bit += 1
            elif kind in _WORDS:
                record[wire] = struct.unpack_from(_WORDS[kind], data, 8 * word)[0]
                word += 1
            else:
                record[wire] = self.field(inner, pointers[number])
                number += 1
        return record

    def _kind(self, type_: list[Any]) -> str:
        if type_[0] == "enum":
            return "int" if type_[1] in self.spec.get("numbers", ()) else "str"
        return str(type_[0])

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
        kind = self._kind(type_)
        if code == 1:
            return [bool(body[start + index // 8] >> index % 8 & 1) for index in range(count)]
        if code == 7:
            (tag,) = struct.unpack_from("<Q", body, start)
            words, pointers, length = tag >> 32 & 0xFFFF, tag >> 48, tag >> 2 & 0x3FFFFFFF
            starts = [start + 8 + 8 * index * (words + pointers) for index in range(length)]
            return [self.record(type_, self._sections(segment, start, words, pointers)) for start in starts]
        if kind in _WORDS:
            return [struct.unpack_from(_WORDS[kind], body, start + 8 * index)[0] for index in range(count)]
        places = [(segment, start + 8 * index) for index in range(count)]
        return [self.field(type_, one if any(body[one[1] : one[1] + 8]) else None) for one in places]
