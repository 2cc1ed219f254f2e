"""Reads FlatBuffers as specified (https://flatbuffers.dev/internals/), for verification."""

from __future__ import annotations

import re
from struct import calcsize
from typing import Any

from serbench.render.reading.cursor import Cursor

_NUMBERS = {"long": "<q", "ulong": "<Q", "double": "<d", "bool": "<?"}


def read(blob: bytes, spec: dict[str, Any], text: str) -> Any:
    """Decode a document by its schema and the tables of its .fbs file.

    Raises:
        ValueError: an offset is out of range, or a required field is absent.
    """
    tables = {
        name: re.findall(r"^  (\w+):([^ ;]+)", lines, re.MULTILINE)
        for name, lines in re.findall(r"^table (\w+) {\n(.*?)^}", text, re.DOTALL | re.MULTILINE)
    }
    root_type = re.search(r"^root_type (\w+);", text, re.MULTILINE)
    if root_type is None:
        raise ValueError("the .fbs file has no root_type")
    buffer = _Buffer(blob, spec, tables)
    root, start = spec["root"], buffer.target(0)
    if root[0] == "ref":
        return buffer.record(root[1], start)
    return buffer.slots(root_type[1], [root], start)[0]


class _Buffer:
    def __init__(self, blob: bytes, spec: dict[str, Any], tables: dict[str, list[tuple[str, str]]]) -> None:
        self.blob, self.spec, self.tables = blob, spec, tables

    def number(self, code: str, at: int) -> Any:
        if at < 0:
            raise ValueError(f"offset {at} is negative")
        return Cursor(self.blob, at).number(code)

    def target(self, at: int) -> int:
        """Return the target of the relative offset stored at `at`."""
        return at + int(self.number("<I", at))

    def record(self, name: str, at: int) -> dict[str, Any]:
        fields = self.spec["records"][name]["fields"]
        values = self.slots(name, [type_ for _, _, type_ in fields], at)
        return {wire: value for (_, wire, _), value in zip(fields, values, strict=True)}

    def slots(self, name: str, types: list[Any], at: int) -> list[Any]:
        """Decode the fields of the table at an offset; a field with no offset in the vtable is absent."""
        vtable = at - self.number("<i", at)
        size = self.number("<H", vtable)
        values = []
        for slot, (type_, (_, fbs)) in enumerate(zip(types, self.tables[name], strict=True)):
            entry = 4 + 2 * slot
            offset = self.number("<H", vtable + entry) if entry + 2 <= size else 0
            values.append(self.value(type_, fbs, at + offset) if offset else self.absent(type_, fbs))
        return values

    def absent(self, type_: list[Any], fbs: str) -> Any:
        if type_[0] == "optional":
            return None
        if fbs in ("long", "ulong", "bool"):
            return False if fbs == "bool" else 0
        raise ValueError(f"a field of type {fbs} is absent but has no default")

    def value(self, type_: list[Any], fbs: str, at: int) -> Any:
        """Decode the value of a field, or of an item of a vector, at an offset."""
        if type_[0] == "optional":
            return self.value(type_[1], fbs, at)
        if fbs in _NUMBERS:
            return self.number(_NUMBERS[fbs], at)
        start = self.target(at)
        if fbs in ("string", "[ubyte]"):
            piece = Cursor(self.blob, start + 4).take(self.number("<I", start))
            return piece if fbs == "[ubyte]" else piece.decode()
        if not fbs.startswith("["):
            return self.record(type_[1], start)
        return self.vector(type_, fbs[1:-1], start)

    def vector(self, type_: list[Any], fbs: str, start: int) -> Any:
        """Decode a vector; map entries are tables of a key and a value."""
        count, size = self.number("<I", start), calcsize(_NUMBERS.get(fbs, "<I"))
        places = range(start + 4, start + 4 + count * size, size)
        if type_[0] == "map":
            return dict(self.slots(fbs, [["str"], type_[1]], self.target(at)) for at in places)
        item = type_[1][0] if type_[0] == "tuple" else type_[1]
        return [self.value(item, fbs, at) for at in places]
