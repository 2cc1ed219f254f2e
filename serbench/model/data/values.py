"""Random values for a schema without data, the same on every platform."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from random import Random
from typing import Any, TypeVar
from uuid import UUID

from serbench.errors import WorkloadError
from serbench.model.records import Enum, List, Map, Optional, Ref, Schema, Set, Tuple, Type, Union, parts
from serbench.model.scalars import Scalar

T = TypeVar("T")


def words(text: str) -> tuple[str, ...]:
    """Split a text into words."""
    return tuple(text.split())


LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST_NAMES = words(
    "Alice Amara Ana Bruno Chen Clara Dara Elif Emeka Farid Grace Hana Igor Ines Ivan Jonas Kaito Leila Liam Lucia "
    "Maya Mateo Nadia Noah Olga Omar Priya Rosa Samir Sofia Tariq Uma Viktor Wanda Yara Zoe"
)
LAST_NAMES = words(
    "Abebe Ahmed Andersen Bauer Costa Diaz Dubois Evans Fischer Garcia Haddad Ito Jansen Kaya Khan Kim Kowalski Lopez "
    "Martin Mensah Nakamura Novak Okafor Olsen Patel Popov Rossi Sato Silva Smith Tanaka Ueda Virtanen Wang Yilmaz"
)
WORDS = words(
    "amber basin cable delta ember field grain harbor island jungle kernel ladder meadow night ocean paper quartz river "
    "signal timber umbrella valley window yellow zephyr anchor bridge copper desert engine forest garden"
)

_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
_YEAR_US = 366 * 86_400 * 1_000_000


def pick(random: Random, items: Sequence[T]) -> T:
    """Return a random item."""
    return items[int(random.random() * len(items))]


def random_int(random: Random, low: int, high: int) -> int:
    """Return an int from `low` to `high`, inclusive."""
    return low + int(random.random() * (high - low + 1))


def letters(random: Random, count: int) -> str:
    """Return `count` lower-case letters."""
    return "".join([LETTERS[int(random.random() * 26)] for _ in range(count)])


def sentence(random: Random, count: int) -> str:
    """Return `count` words separated by spaces."""
    return " ".join([WORDS[int(random.random() * len(WORDS))] for _ in range(count)])


def random_datetime(random: Random) -> datetime:
    """Return a datetime of 2024 in UTC, with non-zero microseconds."""
    return _EPOCH + timedelta(microseconds=int(random.random() * _YEAR_US) | 1)


RECORDS, DEPTH = 100, 3
_MOST_ITEMS = 4
_DEEPEST = 50  # levels of records that must contain one another
_MANY_VALUES, _MOST_VALUES = 5_000, 50_000  # in an item; beyond the first, lists are empty and optional values absent
MOST_RECORDS = 30  # in an item; beyond this, records are not nested in their own type
_SCALARS: dict[str, Callable[[Random], Any]] = {
    "str": lambda random: sentence(random, random_int(random, 1, 6)),
    "int": lambda random: random_int(random, 0, 100_000),
    "uint64": lambda random: (1 << 63) + random_int(random, 0, 100_000),
    "bigint": lambda random: random_int(random, 0, 100_000) << 64,
    "float": lambda random: random.random() * 1000,
    "bool": lambda random: random.random() < 0.5,
    "bytes": lambda random: letters(random, random_int(random, 0, 40)).encode(),
    "datetime": random_datetime,
    "naive_datetime": lambda random: random_datetime(random).replace(tzinfo=None),
    "date": lambda random: date.fromordinal(random_int(random, 730_000, 740_000)),
    "time": lambda random: time(random_int(random, 0, 23), random_int(random, 0, 59), random_int(random, 0, 59)),
    "timedelta": lambda random: timedelta(seconds=random_int(random, 0, 1_000_000)),
    "decimal": lambda random: Decimal(random_int(random, 0, 10_000_000)).scaleb(-2),
    "uuid": lambda random: UUID(int=random.getrandbits(128), version=4),
    "any": lambda _: None,
}


def draw_document(schema: Schema, records: int, depth: int, random: Random) -> tuple[Type, Any]:
    """Draw a document for the schema; return the type of its root and its neutral value.

    Lists have up to four items, and optional values are absent half of the time. If the schema allows it, a record is
    nested in itself at most `depth` times, and not at all in items that already have many records.

    Raises:
        WorkloadError: a record must contain another of its own type endlessly.
    """
    drawing = Drawing(schema, random, depth)
    item = schema.item
    if records == 1 and not isinstance(schema.root, List):
        return item, drawing.value(item)
    return List(item), [drawing.item(item) for _ in range(records)]


class Drawing:
    """Draws values of a schema's types."""

    many = _MANY_VALUES

    def __init__(self, schema: Schema, random: Random, depth: int) -> None:
        self.schema, self.random, self.depth = schema, random, depth
        self.inside: list[str] = []
        self.made = self.drawn = 0  # records and values in the item

    def item(self, type_: Type) -> Any:
        """Draw one item of the document."""
        self.made = self.drawn = 0
        return self.value(type_)

    def value(self, type_: Type) -> Any:
        """Draw one value of a type."""
        self.drawn += 1
        if self.drawn > _MOST_VALUES:
            raise WorkloadError(
                f"an item of this schema has more than {_MOST_VALUES:,} values; make parts of it optional"
            )
        match type_:
            case Scalar(kind):
                return _SCALARS[kind](self.random)
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
            raise WorkloadError(f"{name} must contain another {name} endlessly; make one of its fields optional")
        record = self.schema.record(name)
        self.inside.append(name)
        self.made += 1
        tag = {self.schema.tags[name]: record.tag_value} if name in self.schema.tags else {}
        record_value = tag | {f.wire: self.value(f.type) for f in record.fields}
        self.inside.pop()
        return record_value

    def _count(self, item: Type) -> int:
        return 0 if self._full(item) else random_int(self.random, 0, _MOST_ITEMS)

    def _full(self, type_: Type) -> bool:
        """Return whether a value of the type would exceed the limits on nested records and on values."""
        if self.drawn > self.many:
            return True
        if isinstance(type_, Ref):
            inside = self.inside.count(type_.record)
            return inside >= self.depth or (inside > 0 and self.made >= MOST_RECORDS)
        return isinstance(type_, Optional | List | Map | Union) and all(map(self._full, parts(type_)))
