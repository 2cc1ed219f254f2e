"""Reads serbench's NumPy records, without NumPy, by the layout file beside the module, for verification."""

from __future__ import annotations

import datetime as dt
import json
import struct
from collections.abc import Callable
from typing import Any

_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001  # origin of microsecond counts
_SCALARS = {"int": "<q", "uint64": "<Q", "float": "<d", "bool": "<?"}
_MEANINGS: dict[str, Callable[[Any], Any]] = {
    "datetime": lambda count: (_EPOCH + dt.timedelta(microseconds=count)).replace(tzinfo=dt.UTC),
    "naive_datetime": lambda count: _EPOCH + dt.timedelta(microseconds=count),
    "date": lambda days: (_EPOCH + dt.timedelta(days=days)).date(),
    "timedelta": lambda count: dt.timedelta(microseconds=count),
}
_SCALARS |= dict.fromkeys(_MEANINGS, "<q")
_TEXT = frozenset({"str", "time", "decimal", "uuid"})


def read(blob: bytes, spec: dict[str, Any], text: str) -> Any:
    """Decode the records of a document."""
    (count,) = struct.unpack_from("<Q", blob)
    return _Layout(blob, spec, json.loads(text)["enums"]).items(spec["root"][1], 8, count)


class _Layout:
    """A document and the sizes of its types."""

    def __init__(self, blob: bytes, spec: dict[str, Any], enums: dict[str, list[Any]]) -> None:
        self.blob, self.spec, self.enums = blob, spec, enums

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
            return self.enums[type_[1]][number]
        if kind in _SCALARS:
            (number,) = struct.unpack_from(_SCALARS[kind], self.blob, at)
            return _MEANINGS[kind](number) if kind in _MEANINGS else number
        start, size = struct.unpack_from("<QQ", self.blob, at)
        if kind in _TEXT or kind == "bytes":
            piece = self.blob[start : start + size]
            return piece.decode() if kind in _TEXT else piece
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
