"""Makes values of a schema that comes without data, as a JSON Schema does."""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

from serbench.schema import Enum, List, Map, Optional, Ref, Scalar, Schema, Set, Tuple, Type, Union
from serbench.workloads._contract import WorkloadError
from serbench.workloads._draw import WORDS, letters, moment, pick, sentence, whole

RECORDS, DEPTH = 100, 3
_MOST_ITEMS = 4
_DEEPEST = 50  # records that must hold one another
_MOST_RECORDS = 30  # in an item, before records are no longer put inside their own kind


def drawn(schema: Schema, records: int, depth: int, seed: int) -> tuple[Type, Any]:
    """A document of the schema: the type of its root, and its neutral value.

    Lists have up to four items, optional values are absent half of the time, and a record is not put inside
    itself more than `depth` times, nor into an item that has very many already, if it can be left out.

    Raises:
        WorkloadError: a record must hold another of its own kind, without an end.
    """
    drawing = _Drawing(schema, Random(seed), depth)
    item = schema.root.item if isinstance(schema.root, List) else schema.root
    if records == 1 and not isinstance(schema.root, List):
        return item, drawing.value(item)
    return List(item), [drawing.item(item) for _ in range(records)]


class _Drawing:
    """One document being made."""

    def __init__(self, schema: Schema, random: Random, depth: int) -> None:
        self.schema, self.random, self.depth = schema, random, depth
        self.inside: list[str] = []
        self.made = 0  # records in the item

    def item(self, type_: Type) -> Any:
        """One of the document's items."""
        self.made = 0
        return self.value(type_)

    def value(self, type_: Type) -> Any:
        """A neutral value of the type."""
        match type_:
            case Scalar(kind):
                return _scalar(self.random, kind)
            case Enum(_, members):
                return pick(self.random, members)[1]
            case Optional(item):
                return None if self._full(item) or self.random.random() < 0.5 else self.value(item)
            case List(item):
                return [self.value(item) for _ in range(self._count(item))]
            case Set(item):
                return {self.value(item) for _ in range(self._count(item))}
            case Map(item):
                return {f"{pick(self.random, WORDS)}_{i}": self.value(item) for i in range(self._count(item))}
            case Tuple(items):
                return tuple(self.value(item) for item in items)
            case Union(members):
                return self.value(pick(self.random, [m for m in members if not self._full(m)] or members))
            case Ref(name):
                return self._record(name)

    def _record(self, name: str) -> dict[str, Any]:
        if len(self.inside) > _DEEPEST + self.depth:
            raise WorkloadError(f"{name} must hold another {name} without an end; make one of its fields optional")
        record = self.schema.record(name)
        self.inside.append(name)
        self.made += 1
        tag = {self.schema.tags[name]: record.tag_value} if name in self.schema.tags else {}
        found = tag | {f.wire: self.value(f.type) for f in record.fields}
        self.inside.pop()
        return found

    def _count(self, item: Type) -> int:
        return 0 if self._full(item) else whole(self.random, 0, _MOST_ITEMS)

    def _full(self, type_: Type) -> bool:
        """Whether a value of the type would put a record deeper into itself than asked for."""
        match type_:
            case Ref(name):
                inside = self.inside.count(name)
                return inside >= self.depth or (inside > 0 and self.made >= _MOST_RECORDS)
            case Optional(item) | List(item) | Map(item):
                return self._full(item)
            case Union(members):
                return all(map(self._full, members))
        return False


def _scalar(random: Random, kind: str) -> Any:
    match kind:
        case "int":
            return whole(random, 0, 100_000)
        case "uint64":
            return (1 << 63) + whole(random, 0, 100_000)
        case "bigint":
            return whole(random, 0, 100_000) << 64
        case "float":
            return random.random() * 1000
        case "bool":
            return random.random() < 0.5
        case "bytes":
            return letters(random, whole(random, 0, 40)).encode()
        case "datetime":
            return moment(random)
        case "naive_datetime":
            return moment(random).replace(tzinfo=None)
        case "date":
            return date.fromordinal(whole(random, 730_000, 740_000))
        case "time":
            return time(whole(random, 0, 23), whole(random, 0, 59), whole(random, 0, 59))
        case "timedelta":
            return timedelta(seconds=whole(random, 0, 1_000_000))
        case "decimal":
            return Decimal(whole(random, 0, 10_000_000)).scaleb(-2)
        case "uuid":
            return UUID(int=random.getrandbits(128), version=4)
        case "any":
            return None
        case _:
            return sentence(random, whole(random, 1, 6))
