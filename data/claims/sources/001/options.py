"""apischema's pass-through, one option at a time: whether the method gives back the very object that it was given."""

import enum
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from apischema import PassThroughOptions, serialization_method


class Color(enum.Enum):
    RED = "red"


class Word(str, enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int


IDS = [UUID(int=n) for n in range(1, 4)]
VALUES = {
    "any": (Any, IDS),
    "abstract collection of ints": (Collection[int], [1, 2]),
    "abstract collection of UUIDs": (Collection[UUID], IDS),
    "list of UUIDs": (list[UUID], IDS),
    "set": (set[int], {1, 2}),
    "dataclass": (Point, Point(1)),
    "enum": (Color, Color.RED),
    "list of enums": (list[Color], [Color.RED]),
    "enum of texts": (Word, Word.RED),
    "tuple": (tuple[int, str], (1, "a")),
    "UUID": (UUID, IDS[0]),
}


def prepare(value, options=None, types=False, checks=False):
    """The method for a value's type with some of the options, and the value."""
    kind, made = VALUES[value]
    chosen = {name: True for name in options or ()} | ({"types": {UUID}} if types else {})
    more = {"pass_through": PassThroughOptions(**chosen)} if chosen else {}
    return serialization_method(kind, check_type=checks, **more), made


def is_same(given):
    method, value = given
    return method(value) is value
