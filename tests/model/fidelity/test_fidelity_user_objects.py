"""Objects of a user's class are compared by all that they hold, type by type."""

from __future__ import annotations

import enum
import functools
import math
import typing
from collections import abc, namedtuple
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta, timezone
from decimal import Decimal

import attrs
import msgspec
import pydantic
import pytest

from serbench.model.fidelity import user_difference
from serbench.model.fidelity.parts import holder_of

NOW = datetime(2024, 6, 15, 9, tzinfo=UTC)
THERE = NOW.astimezone(timezone(timedelta(hours=9)))


class Level(enum.IntEnum):
    """An enumeration of numbers."""

    LOW = 1
    HIGH = 2


@dataclass
class Data:
    """A dataclass, one of whose fields its own comparison leaves out."""

    x: object
    y: object = field(default=0, compare=False)


@attrs.define(eq=False)
class Attrs:
    """A slotted class of attrs, which compares by identity."""

    x: object


class Struct(msgspec.Struct):
    """A Struct."""

    x: object


class Model(pydantic.BaseModel):
    """A model of pydantic that keeps surplus keys, and computes another."""

    model_config = pydantic.ConfigDict(extra="allow")
    x: object

    @functools.cached_property
    def twice(self):
        """The value, twice."""
        return [self.x] * 2


class Older:
    """A class that looks like a model of pydantic 1, with an equality of its own."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return True

    __hash__ = None

    @classmethod
    def parse_obj(cls, values):
        """As models of pydantic 1 are made."""
        return cls(**values)


class Plain:
    """A class without an equality."""

    def __init__(self, x):
        self.x = x


class Slotted:
    """The same with slots, one of them named by a text."""

    __slots__ = "x"  # noqa: PLC0205  # Python takes it

    def __init__(self, x):
        self.x = x


class Deeper(Slotted):
    """A class with slots of its own and others that it inherits."""

    __slots__ = ("y",)

    def __init__(self, x, y=None):
        super().__init__(x)
        if y is not None:
            self.y = y


class Alike:
    """A class whose equality decides."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x % 10 == other.x % 10

    __hash__ = None


class Moment(datetime):
    """A datetime of a class of its own."""


Pair = namedtuple("Pair", "x y")  # noqa: PYI024  # as users write it
KINDS = [Data, Attrs, Struct, Plain, Slotted, Deeper]
HOLDERS = [*KINDS, lambda x: Model(x=x), Older, lambda x: Pair(0, x), lambda x: [x], lambda x: {"x": x}]
HOLDERS += [lambda x: (0, x), lambda x: [{"a": (x,)}]]
NAMES = ["dataclass", "attrs", "struct", "plain", "slots", "more slots", "pydantic", "pydantic 1", "namedtuple", "list"]
NAMES += ["dict", "tuple", "nested"]

SAME = [
    (1, 1),
    (1.5, 1.5),
    (math.nan, math.nan),
    (Decimal("NaN"), Decimal("NaN")),
    (Decimal("1.10"), Decimal("1.10")),
    (NOW, NOW),
    (Level.LOW, Level.LOW),
    (None, None),
    ({1, 2}, {2, 1}),
    (frozenset(), frozenset()),
    ({1: "a", "b": 2}, {"b": 2, 1: "a"}),
    (b"a", b"a"),
]
DIFFERENT = [
    (1, 2),
    (1, True),
    (1, 1.0),
    (0.0, -0.0),
    (1.5, math.nan),
    (Decimal("1.10"), Decimal("1.1")),
    (Decimal(0), Decimal("-0")),
    (NOW, THERE),
    (NOW, NOW.replace(tzinfo=None)),
    (NOW, NOW + timedelta(microseconds=1)),
    (Moment(2024, 6, 15, 9, tzinfo=UTC), Moment(2024, 6, 15, 18, tzinfo=timezone(timedelta(hours=9)))),
    (time(1, tzinfo=UTC), time(10, tzinfo=timezone(timedelta(hours=9)))),
    (Level.LOW, Level.HIGH),
    (Level.LOW, 1),
    (None, 0),
    ({1, 2}, {1, 3}),
    ({1, 2}, {1, 2, 3}),
    ({1, 2}, {True, 2}),
    ({0.0}, {-0.0}),
    ({Decimal("1.10")}, {Decimal("1.1")}),
    ({NOW}, {THERE}),
    ({1}, frozenset({1})),
    ([1, 2], [2, 1]),
    ([1], [1, 1]),
    ([1], (1,)),
    ({"a": 1}, {"a": 2}),
    ({"a": 1}, {"b": 1}),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({1: "a"}, {True: "a"}),
    (b"a", bytearray(b"a")),
]


@pytest.mark.parametrize("holder", HOLDERS, ids=NAMES)
def test_what_objects_hold_is_compared_type_by_type(holder):
    """Two objects are the same exactly if all that they hold is, in class, value, offset, digits and sign."""
    for one, other in SAME:
        assert user_difference(holder(one), holder(other)) is None, (one, other)
    for one, other in DIFFERENT:
        assert user_difference(holder(one), holder(other)) is not None, (one, other)
        assert user_difference(holder(other), holder(one)) is not None, (other, one)


@pytest.mark.parametrize("holder", KINDS)
def test_another_class_differs(holder):
    """Objects of two classes differ, though they hold the same."""
    other = Plain(1) if holder is not Plain else Data(1)
    assert user_difference(holder(1), other).startswith(": expected")


def test_fields_that_no_comparison_of_the_class_sees_are_compared():
    """A field outside of the class's own equality, a slot without a value and a surplus attribute count."""
    assert user_difference(Data(1, 2), Data(1, 2)) is None
    assert user_difference(Data(1, 2), Data(1, 3)) == ".y: expected 2, got 3"
    assert user_difference(Deeper(1, 2), Deeper(1, 2)) is None
    assert user_difference(Deeper(1, 2), Deeper(1)) is not None
    assert user_difference(Deeper(1, 2), Deeper(1, 3)) is not None
    more = Data(1)
    more.z = 3
    assert user_difference(more, Data(1)) is not None
    assert user_difference(Data(1), more) is not None
    assert user_difference(Model(x=1, y=2), Model(x=1, y=2)) is None
    assert user_difference(Model(x=1, y=2), Model(x=1, y=3)) == ".y: expected 2, got 3"
    assert user_difference(Model(x=1, y=2), Model(x=1)) is not None


def test_what_a_class_computes_does_not_count():
    """A cached property that only one of two objects was asked for is no difference, whatever its value."""
    one, other = Model(x=1), Model(x=1)
    assert one.twice == [1, 1]
    assert user_difference(one, other) is None
    assert user_difference(other, one) is None


def test_an_attribute_counts_though_its_class_has_a_default():
    """What an object holds counts if its class has a plain value of that name, as of a default."""

    class Defaults:
        x = 1

    one, other = Defaults(), Defaults()
    one.x = 2
    assert user_difference(one, other) is not None


def test_a_class_with_an_equality_of_its_own_decides():
    """Objects of any other class are the same if they say so."""
    assert user_difference(Alike(1), Alike(11)) is None
    assert user_difference(Alike(1), Alike(2)) is not None


def test_the_path_leads_to_the_attribute():
    """The text says where the first difference is."""
    one, other = Plain([{"a": Data({1})}]), Plain([{"a": Data({True})}])
    assert user_difference(one, other) == ".x[0].a.x: the item: expected 1 of type int, got True of type bool"
    assert user_difference(1, True) == ": expected 1 of type int, got True of type bool"
    assert user_difference(Level.LOW, Level.HIGH).startswith(": expected <Level.LOW: 1>, got <Level.HIGH: 2>")
    assert user_difference({1}, {2}) == ": expected {1}, got {2}"
    assert user_difference(b"a", b"b") == ": expected b'a', got b'b'"
    assert user_difference({"a": {"b": 1}}, {"a": {"b": 2}}) == ".a.b: expected 1, got 2"
    assert user_difference({"a": 1}, {"b": 1}) == ": expected the keys ['a'], got ['b']"
    assert user_difference({1: "a"}, {True: "a"}) == ": expected the keys [1], got [True]"
    assert user_difference(Deeper(1, 2), Deeper(1)).startswith(": leaves out ['y']")
    assert user_difference([1], [1, 2]) == ": expected 1 items, got 2"
    assert user_difference(1.5, 2.5) == ": expected 1.5, got 2.5"
    assert user_difference(Pair(1, 2), Pair(1, 3)) == "[1]: expected 2, got 3"


class Collection(list):  # type: ignore[type-arg]
    """A class of the user's with the name of one of typing's."""


@pytest.mark.parametrize(
    ("annotation", "any_sequence"),
    [
        (abc.Sequence[int], True),
        (typing.Collection, True),
        ("abc.Sequence[int] | None", True),
        ("OnlyForTypeCheckers | Sequence[int]", True),
        (list[int], False),
        ("list[Collection]", False),
        (Collection, False),
        (None, False),
    ],
)
def test_a_tuple_stands_for_a_list_only_where_any_sequence_may(annotation, any_sequence):
    read, made = type("Ports", (), {"__annotations__": {"ports": annotation}, "__slots__": ("ports",)}), [[80], (80,)]
    before, after = read(), read()
    before.ports, after.ports = made
    assert (user_difference(before, after) is None) is any_sequence


def test_annotations_that_cannot_be_read_allow_no_tuple():
    class Lazy(type):
        @property
        def __annotations__(cls):
            raise NameError("Sequence")

    read = Lazy("Ports", (), {"__slots__": ("ports",)})
    before, after = read(), read()
    before.ports, after.ports = [80], (80,)
    assert user_difference(before, after) == ".ports: expected [80] of type list, got (80,) of type tuple"


def test_what_holds_the_records_is_told():
    """A document's records are objects or dicts; an empty list has neither."""
    assert ["builtins", "dicts", "objects", "dicts", "objects"] == [
        holder_of(one) for one in ([], [{}], [[Plain(1)]], {}, Plain(1))
    ]
