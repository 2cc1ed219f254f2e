"""Takes documents of a given size out of a large one: fewer items of its lists and maps, evenly over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from serbench.model.records import Schema
from serbench.model.scalars import ANY
from serbench.model.types import List, Map, Optional, Ref, Set, Type, Union

_GOLDEN = (5**0.5 - 1) / 2


class Sampling:
    """Samples a document, as parsed, of this schema; `size` is that of one sample, in bytes of JSON."""

    def __init__(self, document: Any, schema: Schema, size: int) -> None:
        self.document, self.schema, self.size = document, schema, size

    def sample(self, number: int) -> Any:
        """Return the sample of this number, from 0: each has other items, as long as there are others."""
        return self._thinned(self.schema.root, self.document, self.size, number)

    def _thinned(self, type_: Type, value: Any, size: float, number: int) -> Any:
        whole = _size(value)
        if whole <= size:
            return value
        type_ = self._bare(type_, value)
        if isinstance(value, list) and value and (isinstance(type_, List | Set) or type_ == ANY):
            item = type_.item if isinstance(type_, List | Set) else ANY
            return [self._thinned(item, value[i], part, number) for i, part in _parts(value, size, whole, number)]
        if isinstance(value, dict) and isinstance(type_, Map) and value:
            keys, values = list(value), list(value.values())
            parts = _parts(values, size, whole, number)
            return {keys[i]: self._thinned(type_.value, values[i], part, number) for i, part in parts}
        if isinstance(value, dict):
            types = self._fields(type_, value)
            return {
                key: self._thinned(types.get(key, ANY), one, _size(one) * size / whole, number)
                for key, one in value.items()
            }
        return value

    def _bare(self, type_: Type, value: Any) -> Type:
        """Return the type of the value inside an optional type, a root record, or a union of lists and others."""
        while True:
            match type_:
                case Optional(item):
                    type_ = item
                case Ref(name) if self.schema.record(name).root in ("alias", "one"):
                    type_ = self.schema.record(name).fields[0].type
                case Union(members, None):
                    wanted = (List, Set) if isinstance(value, list) else (Map, Ref)
                    return next((member for member in members if isinstance(member, wanted)), type_)
                case _:
                    return type_

    def _fields(self, type_: Type, value: dict[str, Any]) -> dict[str, Type]:
        """Return the types of a record's fields by their keys."""
        members = type_.members if isinstance(type_, Union) else (type_,)
        records = [self.schema.record(one.record) for one in members if isinstance(one, Ref)]
        tag = type_.tag if isinstance(type_, Union) else None
        matching = [one for one in records if tag is None or one.tag_value == value.get(tag)]
        return {field.wire: field.type for one in matching[:1] for field in one.fields}


def _parts(items: Sequence[Any], size: float, whole: int, number: int) -> list[tuple[int, float]]:
    """Return which items to keep, and how large each may be.

    Items that are larger than the sample keep their part of it, so that no number misses them.
    """
    share, sizes = size / whole, list(map(_size, items))
    large = [index for index, one in enumerate(sizes) if one > size]
    few, rest = _evenly(large, share, number), [index for index, one in enumerate(sizes) if one <= size]
    each = share * sum(sizes[index] for index in large) / (len(few) or 1)
    kept = [(index, each) for index in few] + [(index, size) for index in _evenly(rest, share, number)]
    return sorted(kept)


def _evenly(items: Sequence[int], share: float, number: int) -> list[int]:
    """Return this share of the items, at least one, evenly over all of them; other numbers begin elsewhere."""
    count = min(len(items), max(1, round(len(items) * share)))
    step, start = len(items) / (count or 1), number * _GOLDEN % 1
    return [items[int((turn + start) * step)] for turn in range(count)]


def _size(value: Any) -> int:
    """Return the bytes of a value as JSON."""
    import msgspec

    return len(msgspec.json.encode(value))
