"""A difference is found wherever it is, and nothing else is called one."""

from __future__ import annotations

import base64
import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from types import SimpleNamespace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serbench.schema import (
    ANY,
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    NAIVE_DATETIME,
    STR,
    TIME,
    TIMEDELTA,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Set,
    Tuple,
    Union,
)
from serbench.schema import UUID as UUID_TYPE
from serbench.schema import Enum as EnumType
from serbench.worker import fidelity

NOW = datetime(2024, 6, 15, 9, 41, 23, 123456, tzinfo=UTC)
KEY = UUID(int=77)


class Role(Enum):
    """An enumeration by value."""

    ADMIN = 20


def differs(type_, expected, actual, records=()):
    """What the comparison of objects says."""
    spec = Schema(type_, records).as_data()
    return fidelity.difference(spec, spec["root"], expected, actual)


def means(type_, expected, parsed, records=()):
    """What the comparison of parsed bytes says."""
    spec = Schema(type_, records).as_data()
    return fidelity.wire_difference(spec, spec["root"], expected, parsed)


def in_short(value):
    """A type or value as part of a test's id, the same in every process and without control characters."""
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__} of {' '.join(sorted(value))}"
    return value.hex() if isinstance(value, bytes) else str(value)


SAME = [
    (STR, "é"),
    (INT, 2**70),
    (FLOAT, -0.0),
    (FLOAT, math.nan),
    (FLOAT, math.inf),
    (BOOL, True),
    (BYTES, b"\x00\xff"),
    (DATETIME, NOW),
    (NAIVE_DATETIME, NOW.replace(tzinfo=None)),
    (DATE, date(2024, 6, 15)),
    (TIME, time(1, 2, 3, 4)),
    (TIMEDELTA, timedelta(days=-1, microseconds=1)),
    (DECIMAL, Decimal("1.10")),
    (UUID_TYPE, KEY),
    (ANY, {"a": [1, 1.0, None, "x"]}),
    (Optional(INT), None),
    (List(INT), [1, 2]),
    (Tuple((STR, INT)), ("a", 1)),
    (Set(STR), {"a", "b"}),
    (Map(INT), {"x": 1}),
    (Union((INT, STR)), "a"),
]


@pytest.mark.parametrize(("type_", "value"), SAME, ids=in_short)
def test_a_value_does_not_differ_from_itself(type_, value):
    """Every kind of value equals its copy."""
    assert differs(type_, value, value) is None


DIFFERENT = [
    (STR, "a", "b"),
    (STR, "1", 1),
    (INT, 1, True),
    (INT, 1, 1.0),
    (BOOL, True, 1),
    (FLOAT, 1.0, 1),
    (FLOAT, 0.0, -0.0),
    (FLOAT, 0.1, 0.1 + 1e-17 + 2**-56),
    (BYTES, b"a", bytearray(b"a")),
    (DATETIME, NOW, NOW.replace(microsecond=123000)),
    (DATETIME, NOW, NOW.replace(tzinfo=None)),
    (DATETIME, NOW, NOW.astimezone(timezone(timedelta(hours=9)))),
    (DATETIME, NOW, NOW.isoformat()),
    (DATE, date(2024, 6, 15), datetime(2024, 6, 15)),  # noqa: DTZ001
    (DECIMAL, Decimal("1.10"), Decimal("1.1")),
    (DECIMAL, Decimal("1.10"), 1.1),
    (UUID_TYPE, KEY, str(KEY)),
    (Optional(INT), None, 0),
    (Optional(INT), 0, None),
    (List(INT), [1, 2], (1, 2)),
    (List(INT), [1, 2], [1]),
    (Tuple((STR, INT)), ("a", 1), ["a", 1]),
    (Set(STR), {"a"}, frozenset({"a"})),
    (Set(STR), {"a"}, {"b"}),
    (Map(INT), {"x": 1}, {"y": 1}),
    (ANY, {"a": 1}, {"a": 1.0}),
    (Union((INT, STR)), "1", 1),
]


@pytest.mark.parametrize(("type_", "expected", "actual"), DIFFERENT, ids=in_short)
def test_a_changed_value_or_type_is_a_difference(type_, expected, actual):
    """What is equal but of another type differs as much as what is not equal."""
    assert differs(type_, expected, actual) is not None


@pytest.mark.parametrize(("type_", "expected", "actual"), DIFFERENT, ids=in_short)
@pytest.mark.parametrize("made", [dict, SimpleNamespace], ids=["dicts", "objects"])
def test_one_of_many_records_that_differs_is_found(type_, expected, actual, made):
    """What is compared column by column differs where one by one it does, and nowhere else."""
    made = made if made is dict else type("Row", (SimpleNamespace,), {})
    row = Record("Row", (Field("number", INT), Field("value", type_)))
    documents = [{"number": 1, "value": expected}] * 3
    same = [made(number=1, value=expected) for _ in range(3)]
    assert differs(List(Ref("Row")), documents, same, (row,)) is None
    changed = [same[0], made(number=1, value=actual), same[2]]
    assert differs(List(Ref("Row")), documents, changed, (row,)).startswith("[1].value")


def test_values_that_cannot_be_compared_with_themselves_are_the_same():
    """NaN is the NaN that it was, and a signalling one raises nothing."""
    for type_, text in ((FLOAT, "nan"), (DECIMAL, "NaN"), (DECIMAL, "sNaN")):
        made = float if type_ is FLOAT else Decimal
        assert differs(List(type_), [made(text), made("1")], [made(text), made("1")]) is None
        assert differs(List(type_), [made(text), made("1")], [made(text), made("2")]) is not None


def test_an_enum_is_its_member_and_not_its_value():
    """The bare value, or a member of another class, differs."""
    role = EnumType("Role", (("ADMIN", 20),))
    assert differs(role, 20, Role.ADMIN) is None
    assert differs(role, 20, 20) is not None
    assert differs(role, 20, Enum("Other", {"ADMIN": 20}).ADMIN) is not None


USER = Record("User", (Field("name", STR), Field("class_", INT, alias="class")))
TEAM = Record("Team", (Field("members", List(Ref("User"))),))


class User(SimpleNamespace):
    """A record as an object."""


class Team(SimpleNamespace):
    """A record that holds records."""


def test_the_path_leads_to_the_field():
    """The text says where the first difference is, by the names that the object has."""
    expected = {"members": [{"name": "a", "class": 1}, {"name": "b", "class": 2}]}
    actual = Team(members=[User(name="a", class_=1), User(name="b", class_=3)])
    assert differs(Ref("Team"), expected, actual, (USER, TEAM)) == ".members[1].class_: expected 2, got 3"


@pytest.mark.parametrize(
    "actual",
    [
        Team(members=[{"name": "a", "class": 1}]),
        Team(members=[Team(name="a", class_=1)]),
        Team(members=[User(name="a")]),
        {"members": [{"name": "a"}]},
        {"members": [{"name": "a", "class": 1, "more": 1}]},
        {"members": [User(name="a", class_=1)]},
    ],
    ids=in_short,
)
def test_a_record_is_wholly_of_its_class_or_wholly_dicts(actual):
    """A dict among objects, another class, a missing or an added field differ."""
    spec = Schema(Ref("Team"), (USER, TEAM)).as_data()
    expected = {"members": [{"name": "a", "class": 1}]}
    assert fidelity.difference(spec, spec["root"], expected, actual, set()) is not None


SHAPES = (Record("A", (Field("x", INT),), tag_value="a"), Record("B", (Field("x", INT),), tag_value="b"))
SHAPE = Union((Ref("A"), Ref("B")), "kind")


@pytest.mark.parametrize("actual", [{"kind": "b", "x": 1}, {"kind": None, "x": 1}, {"x": 1}], ids=in_short)
def test_the_tag_of_a_dict_record_is_compared(actual):
    """A member of a tagged union that is a dict differs if its tag is another or absent."""
    expected = {"kind": "a", "x": 1}
    assert differs(List(SHAPE), [expected], [dict(expected)], SHAPES) is None
    assert means(List(SHAPE), [expected], [actual], SHAPES) is not None
    assert differs(List(SHAPE), [expected], [actual], SHAPES) is not None


WIRE = [
    (DATETIME, NOW, "2024-06-15T09:41:23.123456Z"),
    (DATETIME, NOW, "2024-06-15T18:41:23.123456+09:00"),
    (DATETIME, NOW, NOW.timestamp()),
    (DATE, date(2024, 6, 15), "2024-06-15"),
    (TIME, time(1, 2), "01:02:00"),
    (TIMEDELTA, timedelta(hours=25, seconds=1.5), "P1DT1H1.5S"),
    (TIMEDELTA, timedelta(days=9, hours=1), "P1W2DT1H"),
    (TIMEDELTA, timedelta(seconds=1.5), 1.5),
    (TIMEDELTA, timedelta(seconds=1.5), 1_500_000),
    (DECIMAL, Decimal("1.10"), "1.10"),
    (UUID_TYPE, KEY, str(KEY)),
    (BYTES, b"\x00\xff\xfe", base64.b64encode(b"\x00\xff\xfe").decode()),
    (BYTES, b"\x00\xff\xfe", base64.b85encode(b"\x00\xff\xfe").decode()),
    (BYTES, b"\x00\xff\xfe", b"\x00\xff\xfe"),
    (Set(STR), {"a", "b"}, ["b", "a"]),
    (Tuple((STR, INT)), ("a", 1), ["a", 1]),
    (FLOAT, 1.0, 1),
]


@pytest.mark.parametrize(("type_", "expected", "parsed"), WIRE, ids=in_short)
def test_bytes_may_say_it_in_any_documented_form(type_, expected, parsed):
    """ISO text, numbers of seconds, base64 and their like mean the value."""
    assert means(type_, expected, parsed) is None


@pytest.mark.parametrize(
    ("type_", "expected", "parsed"),
    [
        (DATETIME, NOW, "2024-06-15T09:41:23.123Z"),
        (DATETIME, NOW, "2024-06-15T09:41:23.123456"),
        (DATETIME, NOW, "yesterday"),
        (TIMEDELTA, timedelta(seconds=1.5), "1.5 s"),
        (DECIMAL, Decimal("1.10"), "1.11"),
        (BYTES, b"\x00\xff\xfe", "AP"),
        (INT, 1, 1.0),
        (INT, 1, "1"),
        (STR, "1", 1),
        (BOOL, True, 1),
        (Optional(INT), None, 0),
        (Set(STR), {"a", "b"}, ["a", "a"]),
        (Map(INT), {"x": 1}, {"x": 1, "y": 2}),
        (FLOAT, 0.1, 0.10000001),
    ],
    ids=in_short,
)
def test_bytes_that_say_something_else_differ(type_, expected, parsed):
    """A lost microsecond, a lost offset, a number for a text and their like are found."""
    assert means(type_, expected, parsed) is not None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values, json_values)
def test_any_json_is_compared_type_by_type(one, other):
    """Two documents are the same exactly if their representations are."""
    assert (differs(ANY, one, other) is None) == (normal(one) == normal(other))


def normal(value):
    """A text that two documents share exactly if they are the same, whatever the order of keys."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{normal(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(normal, value)) + "]"
    return f"{type(value).__name__}:{value!r}"


def test_objects_out_of_one_mapping():
    """A class that takes its fields in one mapping, as a Model of schematics does, is given one."""

    class Part:
        def __init__(self, raw_data):
            self.number = raw_data["number"]

        def import_data(self, raw_data):
            raise NotImplementedError

    schema = Schema(Ref("Part"), (Record("Part", (Field("number", INT, alias="no"),)),))
    data = schema.as_data()
    build = fidelity.builder(data, data["root"], SimpleNamespace(Part=Part))
    assert 5 == build({"no": 5}).number
