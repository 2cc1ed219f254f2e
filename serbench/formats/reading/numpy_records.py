"""Reads serbench's NumPy records without NumPy, by the layout that stands beside the module, for verification."""

from __future__ import annotations

import datetime as dt
import json
import struct
from typing import Any

_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001  # the origin of a count of microseconds
_SCALARS = {"int": "<q", "uint64": "<Q", "float": "<d", "bool": "<?"}
_SCALARS |= dict.fromkeys(("datetime", "naive_datetime", "date", "timedelta"), "<q")
_TEXT = frozenset({"str", "time", "decimal", "uuid"})


def read(blob: bytes, spec: dict[str, Any], text: str) -> Any:
    """The records of a document."""
    (count,) = struct.unpack_from("<Q", blob)
    return _Layout(blob, spec, json.loads(text)["enums"]).items(spec["root"][1], 8, count)


class _Layout:
    """The bytes, and how long a value of each type is."""

    def __init__(self, blob: bytes, spec: dict[str, Any], enums: dict[str, list[Any]]) -> None:
        self.blob, self.spec, self.enums = blob, spec, enums

    def parts(self, type_: list[Any]) -> list[list[Any]] | None:
        """The types that lie one behind the other in a value; None where it has no parts."""
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
        """The bytes of a value, without what lies elsewhere."""
        parts = self.parts(type_)
        if parts is not None:
            return sum(self.size(part) for part in parts)
        if type_[0] == "enum":
            return 8
        return struct.calcsize(_SCALARS[type_[0]]) if type_[0] in _SCALARS else 16

    def items(self, type_: list[Any], at: int, count: int) -> list[Any]:
        """The values that lie one behind the other."""
        size = self.size(type_)
        return [self.value(type_, at + index * size) for index in range(count)]

    def value(self, type_: list[Any], at: int) -> Any:
        """The value at a place."""
        parts = self.parts(type_)
        if parts is not None:
            return self._whole(type_, parts, at)
        kind = type_[0]
        if kind == "enum":
            (number,) = struct.unpack_from("<q", self.blob, at)
            return self.enums[type_[1]][number]
        if kind in _SCALARS:
            return _scalar(kind, struct.unpack_from(_SCALARS[kind], self.blob, at)[0])
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


def _scalar(kind: str, value: Any) -> Any:
    match kind:
        case "datetime":
            return (_EPOCH + dt.timedelta(microseconds=value)).replace(tzinfo=dt.UTC)
        case "naive_datetime":
            return _EPOCH + dt.timedelta(microseconds=value)
        case "date":
            return (_EPOCH + dt.timedelta(days=value)).date()
        case "timedelta":
            return dt.timedelta(microseconds=value)
    return value
