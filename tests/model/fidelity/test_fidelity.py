"""A difference is found wherever it is, and nothing else is called one."""

from __future__ import annotations

import base64
import math
import time as timing
from collections import OrderedDict
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from functools import cached_property
from types import SimpleNamespace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from single_changes import Holder

from serbench.model import fidelity
from serbench.model.fidelity import comparison
from serbench.model.fidelity.parts import short
from serbench.model.records import Enum as EnumType
from serbench.model.records import Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Union, walk
from serbench.model.scalars import (
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
)
from serbench.model.scalars import UUID as UUID_TYPE

NOW = datetime(2024, 6, 15, 9, 41, 23, 123456, tzinfo=UTC)
KEY = UUID(int=77)


class Special(datetime):
    """A datetime of another class."""


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
        return f"{type(value).__name__} of {' '.join(sorted(map(str, value)))}"
    if callable(value):
        return value.__name__
    return value.hex() if isinstance(value, bytes) else str(value)


DIFFERENT = [
    (STR, "a", "b"),
    (STR, "1", 1),
    (INT, 1, True),
    (INT, 1, 1.0),
    (BOOL, True, 1),
    (FLOAT, 1.0, 1),
    (FLOAT, 0.0, -0.0),
    (FLOAT, 1.0, math.nan),
    (FLOAT, math.nan, 1.0),
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
    (Union((INT, FLOAT)), 1, 1.0),
    (Union((INT, FLOAT)), 1.0, 1),
    (Union((INT, BOOL)), True, 1),
    (Union((INT, BOOL)), 1, True),
    (Union((List(INT), List(FLOAT))), [1], [1.0]),
    (Set(INT), {1}, {True}),
    (Set(INT), {0, 2}, {0, 2.0}),
    (Set(FLOAT), {0.0}, {-0.0}),
    (Set(DATE), {date(2024, 1, 1)}, {date(2024, 1, 2)}),
    (TIME, time(1, 2), time(1, 2, tzinfo=UTC)),
    (TIME, time(1, tzinfo=UTC), time(10, tzinfo=timezone(timedelta(hours=9)))),
    (TIME, time(1), time(2)),
    (TIMEDELTA, timedelta(1), timedelta(2)),
    (Map(INT), {"x": 1}, {"x": True}),
    (Map(INT), {"x": 1}, None),
    (List(INT), [1, 2], [2, 1]),
    (List(INT), [], [1]),
    (Tuple((STR, INT)), ("a", 1), ("a", 1, 2)),
    (ANY, [1, 2], [2, 1]),
    (ANY, [1], [1, 1]),
    (ANY, {"a": 1}, {"a": 1, "b": None}),
    (ANY, 0.0, -0.0),
    (ANY, "a", "b"),
]


@pytest.mark.parametrize(("type_", "expected", "actual"), DIFFERENT, ids=in_short)
@pytest.mark.parametrize("made", [dict, SimpleNamespace], ids=["dicts", "objects"])
def test_one_of_many_records_that_differs_is_found(type_, expected, actual, made):
    """A changed value or type differs alone and, where columns are compared, in its place among others."""
    assert differs(type_, expected, actual) is not None
    made = made if made is dict else type("Row", (SimpleNamespace,), {})
    row = Record("Row", (Field("number", INT), Field("value", type_)))
    documents = [{"number": 1, "value": expected}] * 3
    same = [made(number=1, value=expected) for _ in range(3)]
    assert differs(List(Ref("Row")), documents, same, (row,)) is None
    changed = [same[0], made(number=1, value=actual), same[2]]
    assert differs(List(Ref("Row")), documents, changed, (row,)).startswith("[1].value")


def test_numbers_of_seconds_are_those_of_utc_or_of_here(monkeypatch):
    """A naive datetime may be written as the timestamp of that time in UTC or in the local zone, and no other."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        timing.tzset()
        here, utc = EPOCH.replace(tzinfo=None, year=1971), EPOCH.replace(year=1971).timestamp()
        said = [means(NAIVE_DATETIME, here, utc + hours * 3600) is None for hours in (-10, -9, -8, -1, 0, 1)]
        aware = [means(DATETIME, here.replace(tzinfo=UTC), utc + hours * 3600) is None for hours in (-9, 0)]
    timing.tzset()
    assert [False, True, False, False, True, False] == said
    assert [False, True] == aware


def test_values_that_cannot_be_compared_with_themselves_are_the_same():
    """NaN is the NaN that it was, and a signalling one raises nothing."""
    for type_, text in ((FLOAT, "nan"), (DECIMAL, "NaN"), (DECIMAL, "sNaN")):
        made = float if type_ is FLOAT else Decimal
        assert differs(List(type_), [made(text), made("1")], [made(text), made("1")]) is None
        assert differs(List(type_), [made(text), made("1")], [made(text), made("2")]) is not None


@pytest.mark.parametrize(
    ("allowed", "type_", "expected", "actual", "same"),
    [
        ("whole", FLOAT, 1.0, 1, True),
        ("whole", List(FLOAT), [1.0, 2.5], [1, 2.5], True),
        ("whole", FLOAT, 1.0, 2, False),
        ("whole", FLOAT, 1.0, True, False),
        ("whole", INT, 1, 1.0, False),
        ("whole", Ref("R"), {"a": 1, "b": None}, {"a": 1}, False),
        ("sparse", Ref("R"), {"a": 1, "b": None}, {"a": 1}, True),
        ("sparse", Ref("R"), {"a": 1, "b": 2}, {"a": 1}, False),
        ("sparse", Ref("R"), {"a": 1, "b": None}, {"b": None}, False),
        ("sparse", FLOAT, 1.0, 1, False),
    ],
)
def test_a_value_may_be_as_the_file_has_it(allowed, type_, expected, actual, same):
    """If that is asked for, an int is as good as its float, or a dict may lack what is None; by itself neither may."""
    spec = Schema(type_, (Record("R", (Field("a", INT), Field("b", Optional(INT), default=None))),)).as_data()
    assert fidelity.difference(spec, spec["root"], expected, actual) is not None
    assert same is (fidelity.difference({**spec, allowed: True}, spec["root"], expected, actual) is None)


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


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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
    (TIMEDELTA, timedelta(days=1000), 86_400_000_000_000.0),  # too many to be seconds
    (DECIMAL, Decimal("1.10"), "1.10"),
    (UUID_TYPE, KEY, str(KEY)),
    (BYTES, b"\x00\xff\xfe", base64.b64encode(b"\x00\xff\xfe").decode()),
    (BYTES, b"\x00\xff\xfe", base64.b85encode(b"\x00\xff\xfe").decode()),
    (BYTES, b"\x00\xff\xfe", b"\x00\xff\xfe"),
    (Set(STR), {"a", "b"}, ["b", "a"]),
    (Tuple((STR, INT)), ("a", 1), ["a", 1]),
    (FLOAT, 1.0, 1),
    (DATETIME, EPOCH, 4.9e-7),
    (DATETIME, EPOCH, -4.9e-7),
    (DATETIME, EPOCH, "1970-01-01T00:00:00z"),
    (NAIVE_DATETIME, EPOCH.replace(tzinfo=None), "1970-01-01T00:00:00"),
    (DATETIME, NOW, NOW.astimezone(timezone(timedelta(hours=9)))),
    (DATE, date(1970, 1, 2), 86400),
    (DATE, date(2024, 6, 15), date(2024, 6, 15)),
    (TIME, time(1, 2), time(1, 2)),
    (TIMEDELTA, timedelta(days=365), "P1Y"),
    (TIMEDELTA, timedelta(days=14), "P2W"),
    (TIMEDELTA, timedelta(minutes=5), "PT5M"),
    (TIMEDELTA, -timedelta(days=1, hours=2), "-P1DT2H"),
    (TIMEDELTA, timedelta(hours=25, minutes=2, seconds=3.5), "1 01:02:03.5"),
    (TIMEDELTA, timedelta(seconds=-1.5), "-1 23:59:58.5"),
    (TIMEDELTA, timedelta(hours=1), "01:00:00"),
    (TIMEDELTA, timedelta(hours=1), timedelta(hours=1)),
    (DECIMAL, Decimal("1.10"), 1.1),
    (UUID_TYPE, KEY, KEY.hex),
    (UUID_TYPE, KEY, KEY),
    (BYTES, b"\xfb\xff\xfe", "-__-"),
    (BYTES, b"\xfb\xff\xfe", "+//+"),
    (Set(STR), {"a", "b"}, {"a", "b"}),
    (Set(STR), {"a", "b"}, ("b", "a")),
    (List(INT), [1, 2], (1, 2)),
    (Optional(INT), None, None),
    (Optional(DATE), date(2024, 6, 15), "2024-06-15"),
    (EnumType("Role", (("ADMIN", 20),)), 20, 20),
    (Union((BYTES, INT)), 1, 1),
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
        (FLOAT, -0.0, 0),
        (FLOAT, 1.0, True),
        (FLOAT, 1.0, "1.0"),
        (DATETIME, EPOCH, 5e-7),
        (DATETIME, EPOCH, -5e-7),
        (DATETIME, EPOCH, False),
        (DATETIME, NOW, Special(2024, 6, 15, 9, 41, 23, 123456, tzinfo=UTC)),
        (NAIVE_DATETIME, EPOCH.replace(tzinfo=None), "1970-01-01T00:00:00Z"),
        (DATE, date(1970, 1, 1), False),
        (DATE, date(1970, 1, 2), 86401),
        (DATE, date(2024, 6, 15), "2024-06-16"),
        (TIME, time(1, 2), "01:03"),
        (TIME, time(1, 2), 62),
        (TIMEDELTA, timedelta(seconds=1), True),
        (TIMEDELTA, timedelta(seconds=1), 2),
        (TIMEDELTA, timedelta(seconds=1), "PT1S "),
        (TIMEDELTA, timedelta(seconds=1), "-PT1S"),
        (TIMEDELTA, timedelta(seconds=1), timedelta(seconds=1, microseconds=1)),
        (TIMEDELTA, timedelta(hours=1), "01:00:01"),
        (DECIMAL, Decimal(1), True),
        (UUID_TYPE, KEY, str(UUID(int=78))),
        (BYTES, b"a", b"b"),
        (BYTES, b"a", 97),
        (BOOL, True, False),
        (List(INT), [1], {1}),
        (List(INT), [1], "1"),
        (List(INT), [1], [1, 2]),
        (List(INT), [1, 2], [2, 1]),
        (Tuple((STR, INT)), ("a", 1), ["a", "1"]),
        (Set(STR), {"a"}, "a"),
        (Set(STR), {"a"}, [["a"]]),
        (Set(INT), {1}, [True]),
        (Set(DATE), {date(2024, 1, 1), date(2024, 1, 2)}, ["2024-01-01", "2024-01-01"]),
        (Map(INT), {"x": 1, "y": 2}, {"x": 1}),
        (Map(INT), {"x": 1}, [1]),
        (Map(INT), {"x": 1}, {"x": 2}),
        (Optional(INT), 0, None),
        (EnumType("Role", (("ADMIN", 20), ("USER", 30))), 20, 30),
        (EnumType("Role", (("ADMIN", 1),)), 1, True),
        (Union((BYTES, INT)), 1, True),
        (Union((DECIMAL, INT)), 1, "1"),
        (Union((INT, STR)), "a", None),
        (ANY, {"a": 1}, {"a": 1.0}),
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


CIRCLE = {"kind": "a", "x": 1}


@pytest.mark.parametrize(
    ("parsed", "differs"),
    [
        (["a", 1], False),
        ({"kind": "a", "x": 1}, False),
        (["b", 1], True),
        (["a", 2], True),
        ([1, "a"], True),
        (["a"], True),
        (["a", 1, 2], True),
        ({"kind": "b", "x": 1}, True),
        ({"x": 1}, True),
        ("a", True),
    ],
)
def test_records_may_be_arrays_of_their_fields(parsed, differs):
    """An array has the tag first, then each field in order, and nothing else."""
    assert differs == (means(SHAPE, CIRCLE, parsed, SHAPES) is not None)
    assert differs == (means(List(SHAPE), [CIRCLE], [parsed], SHAPES) is not None)


def test_untagged_records_may_be_arrays():
    """An array without a tag has the fields alone."""
    assert means(Ref("User"), {"name": "a", "class": 1}, ["a", 1], (USER,)) is None
    assert means(Ref("User"), {"name": "a", "class": 1}, ["a", 2], (USER,)) == ".class: expected 1, got 2"


def test_computed_keys_are_no_surplus():
    """A key that the class computes may be there; if the document has it, it must be there as it was."""
    row = Record("Row", (Field("x", INT),), computed=("twice",))
    assert means(Ref("Row"), {"x": 1}, {"x": 1}, (row,)) is None
    assert means(Ref("Row"), {"x": 1}, {"x": 1, "twice": 2}, (row,)) is None
    assert means(Ref("Row"), {"x": 1}, {"x": 1, "other": 2}, (row,)) is not None
    assert means(Ref("Row"), {"x": 1, "twice": 2}, {"x": 1}, (row,)) is not None


@pytest.mark.parametrize("compare", [differs, means])
def test_the_path_leads_to_the_value(compare):
    """The text begins with each key and index on the way to the first difference."""
    expected = [{"a": [1, 2]}, {"b": [3, (4, 5)]}]
    actual = [{"a": [1, 2]}, {"b": [3, (4, 6)]}]
    either = Union((INT, Tuple((INT, INT))))
    assert compare(List(Map(List(either))), expected, actual).startswith("[1].b[1]")
    assert compare(List(Map(List(INT))), [{"a": [1, 2]}], [{"a": [1, 3]}]) == "[0].a[1]: expected 2, got 3"
    assert compare(ANY, {"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == ".a[1].b: expected 2, got 3"
    assert compare(Tuple((INT, STR)), (1, "a"), (1, "b")) == "[1]: expected 'a', got 'b'"


@pytest.mark.parametrize(
    ("expected", "actual", "text"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, ": expected the keys ['a'], got ['a', 'b']"),
        ({"a": 1, "b": None}, {"a": 1}, ": leaves out ['b'], which is null; here all libraries write null"),
        ({"a": 1, "b": 0}, {"a": 1}, ": leaves out ['b'], perhaps a default; here all libraries write it"),
        ({"a": None, "b": 0}, {}, ": leaves out ['a', 'b'], perhaps a default; here all libraries write it"),
        ({"a": 1}, {"b": 1}, ": expected the keys ['a'], got ['b']"),
    ],
)
def test_keys_that_differ_are_told(expected, actual, text):
    """What is left out is named, with what it was, unless there are other keys."""
    assert differs(ANY, expected, actual).startswith(text)


ROLE = EnumType("Role", (("ADMIN", 20),))
PLUS = User(name="a", class_=1, more=2)
TWO = {"members": [{"name": "a", "class": 1}, {"name": "b", "class": 2}]}
TEAMS = Team(members=[User(name="a", class_=1), User(name="b", class_=3)])
TOLD = [
    (differs, Ref("Team"), TWO, TEAMS, ".members[1].class_: expected 2, got 3"),
    (differs, ROLE, 20, 20, ": expected a member of Role, got 20"),
    (differs, ROLE, 20, Enum("Role", {"ADMIN": 30}).ADMIN, ": expected 20, got 30"),
    (differs, Optional(INT), None, 0, ": expected None, got 0"),
    (differs, Ref("User"), {"name": "a", "class": 1}, 5, ": expected a User, got 5 of type int"),
    (differs, Ref("User"), {"name": "a", "class": 1}, PLUS, ": the User also has ['more']"),
    (differs, Ref("User"), {"name": "a", "class": 1}, User(name="a"), ".class_: absent from the User"),
    (differs, List(SHAPE), [CIRCLE], [{"kind": "b", "x": 1}], "[0].kind: expected 'a', got 'b'"),
    (differs, SHAPE, CIRCLE, type("A", (SimpleNamespace,), {})(x=2), ".x: expected 1, got 2"),
    (differs, SHAPE, CIRCLE, type("A", (SimpleNamespace,), {})(x=1, a=2), ": the A also has ['a']"),
    (differs, SHAPE, CIRCLE, type("A", (SimpleNamespace,), {})(x=1, kind="b"), ".kind: expected 'a', got 'b'"),
    (differs, List(INT), [1], (1,), ": expected a list, got (1,) of type tuple"),
    (differs, Map(INT), {}, [], ": expected a dict, got [] of type list"),
    (differs, List(INT), [1], [1, 2], ": expected 1 items, got 2"),
    (differs, Set(STR), {"a"}, {"b"}, ": 'a' is missing from {'b'}"),
    (differs, Union((INT, STR)), 1, None, ": expected 1 of type int, got None of type NoneType"),
    (differs, Union((Ref("User"), FLOAT)), 0.5, 0, ": expected 0.5 of type float, got 0 of type int"),
    (differs, Union((Ref("User"), Ref("Team"))), "a", {}, ": 'a' is of no member of the union"),
    (differs, Union((List(STR), STR)), "ab", ["a", "b"], ": expected 'ab' of type str, got ['a', 'b'] of type list"),
    (differs, ANY, [1], [1, 1], ": expected 1 items, got 2"),
    (differs, ANY, {"a": 1}, {"a": "1"}, ".a: expected 1 of type int, got '1' of type str"),
    (differs, ANY, 0.0, -0.0, ": expected 0.0, got -0.0"),
    (differs, ANY, "a", "b", ": expected 'a', got 'b'"),
    (differs, INT, 1, 2, ": expected 1, got 2"),
    (means, Optional(INT), None, 0, ": expected null, got 0"),
    (means, List(INT), [1], "x", ": expected an array, got 'x'"),
    (means, List(INT), [1], [1, 2], ": expected 1 items, got 2"),
    (means, Map(INT), {"a": 1}, "x", ": expected an object, got 'x'"),
    (means, SHAPE, CIRCLE, ["a"], ": expected 2 items, got 1"),
    (means, SHAPE, CIRCLE, {"kind": "b", "x": 1}, ".kind: expected 'a', got 'b'"),
    (means, Ref("User"), {"name": "a", "class": 1}, {"name": "a", "class": 2}, ".class: expected 1, got 2"),
    (means, Set(STR), {"a"}, ["b"], ": 'a' is missing from ['b']"),
    (means, Map(INT), {"a": 1}, {"b": 1}, ": expected the keys ['a'], got ['b']"),
    (means, INT, 1, "1", ": expected 1, got '1'"),
]


@pytest.mark.parametrize(("compare", "type_", "expected", "actual", "text"), TOLD, ids=in_short)
def test_a_difference_is_told_with_both_values(compare, type_, expected, actual, text):
    """The text has the path, what was expected and what is there instead."""
    assert text == compare(type_, expected, actual, (USER, TEAM, *SHAPES))


def test_what_a_class_computes_or_hides_is_no_surplus():
    """A cached property and a private attribute are none of the record's, and are no difference, alone or among others."""
    cls = type("User", (SimpleNamespace,), {"twice": cached_property(lambda self: self.name * 2)})
    objects = [cls(name="a", class_=1, _private=2) for _ in range(2)]
    assert "aa" == vars(objects[0]).setdefault("twice", "aa")
    expected = {"name": "a", "class": 1}
    assert differs(List(Ref("User")), [expected] * 2, objects, (USER,)) is None
    assert differs(Tuple((Ref("User"), INT)), (expected, 1), (objects[0], 2), (USER,)) == "[1]: expected 1, got 2"


def test_long_values_are_shortened():
    """A value of up to 120 characters is shown whole, a longer one by its first 60 and its length."""
    assert short("x" * 118) == f"'{'x' * 118}'"
    assert short("x" * 119) == f"'{'x' * 59}… (121 characters)"
    assert short("é") == "'\\xe9'"


def test_an_object_that_has_no_text_is_named_by_its_class():
    """A wrong object whose class fails to show it is a difference like others."""

    class Broken:
        def __repr__(self):
            raise RuntimeError

    assert differs(INT, 1, Broken()) == ": expected 1 of type int, got a Broken that has no text of type Broken"


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (List(Optional(FLOAT)), [1.5, None, 0.0]),
        (List(List(DATETIME)), [[NOW], [], [NOW, NOW]]),
        (List(Ref("User")), [{"name": "a", "class": 1}, {"name": "b", "class": 2}]),
        (List(Ref("Team")), [{"members": [{"name": "a", "class": 1}]}, {"members": []}]),
        (List(Optional(SHAPE)), [{"kind": "a", "x": 1}, None, {"kind": "b", "x": 2}]),
        (List(Ref("Both")), [{"one": {"kind": "a", "x": 1}, "either": {"kind": "b", "x": 2}}]),
        (List(DECIMAL), [Decimal("1.10")]),
        (List(TIME), [time(1)]),
        (List(UUID_TYPE), []),
        (Map(List(INT)), {"a": [1], "b": []}),
        (List(Map(Ref("User"))), [{"x": {"name": "a", "class": 1}}, {}, {"x": {"name": "b", "class": 2}}]),
    ],
    ids=in_short,
)
@pytest.mark.parametrize("made", ["dicts", "objects"])
def test_values_in_columns_are_not_compared_one_by_one(type_, value, made):
    """Columns of scalars, records, lists, maps, optional values and tagged unions are compared whole, and tell who holds them."""

    class InColumns(comparison.Objects):
        def one(self, spec, type_, expected, actual, seen):
            assert type_[0] == "any", f"{type_} compared one by one"
            return super().one(spec, type_, expected, actual, seen)

    both = Record("Both", (Field("one", Ref("A")), Field("either", SHAPE)))
    schema = Schema(type_, (USER, TEAM, *SHAPES, both))
    spec, seen = schema.as_data(), set()
    actual = Holder(schema, "dicts" if made == "dicts" else "class").objects(type_, value)
    assert InColumns().same(spec, spec["root"], [value], [actual], seen)
    assert {made} == seen or not any(isinstance(one, Ref) for one in walk(type_))


@pytest.mark.parametrize(
    ("actual", "text"),
    [
        ([{"b": 2, "a": 1}, {}], None),
        ([{"a": 1}, {"b": 2}], "[0]: expected 2 items, got 1"),
        ([{"a": 2, "b": 1}, {}], "[0].a: expected 1, got 2"),
        ([{"a": 1, "b": 2.0}, {}], "[0].b: expected 2 of type int"),
        ([{"a": 1, "c": 2}, {}], "[0]: expected the keys"),
        ([{"a": 1, "b": 2}, []], "[1]: expected a dict"),
        ([OrderedDict({"a": 1, "b": 2}), {}], "[0]: expected a dict"),
    ],
)
def test_maps_differ_by_key_and_value(actual, text):
    """The order of keys is no difference; a key, a value, its class or another class of map is."""
    told = differs(List(Map(INT)), [{"a": 1, "b": 2}, {}], actual)
    assert (text is None) == (told is None)
    assert text is None or text in told


def test_a_member_that_the_value_is_not_of_says_nothing_about_holders():
    """A map that has the keys of a record beside it in a union is no record that is a dict."""
    either = List(Union((Ref("User"), Map(STR))))
    assert (
        differs(
            either,
            [{"name": "a", "class": "b"}, {"name": "a", "class": 1}],
            [{"name": "a", "class": "b"}, User(name="a", class_=1)],
            (USER,),
        )
        is None
    )


def test_records_of_objects_and_dicts_are_told_where_they_mix():
    """One dict among objects differs, whether or not the caller asks for what holds them."""
    expected = [{"name": "a", "class": 1}] * 2
    mixed = [User(name="a", class_=1), {"name": "a", "class": 1}]
    for actual in (mixed, mixed[::-1]):
        assert "[1]: some records are objects and others dicts" == differs(List(Ref("User")), expected, actual, (USER,))


def test_what_holds_the_records_is_told():
    """`seen` gets the kind of the records, from columns and from one by one alike, and keeps what it had."""
    spec = Schema(Tuple((Ref("User"), INT)), (USER,)).as_data()
    for value, actual, kind in (
        (({"name": "a", "class": 1}, 1), (User(name="a", class_=1), 1), "objects"),
        (({"name": "a", "class": 1}, 1), ({"name": "a", "class": 1}, 1), "dicts"),
    ):
        seen = set()
        assert fidelity.difference(spec, spec["root"], value, actual, seen) is None
        assert {kind} == seen
        assert fidelity.difference(spec, spec["root"], value, actual, {"generated objects"}) is not None


@pytest.mark.parametrize(("item", "made"), [(DATE, str), (FLOAT, float)])
def test_the_items_of_a_large_set_are_found_in_no_time(item, made):
    """Each is found by its hash or its JSON; pairs of 50,000 items would take an hour."""
    values = {date.fromordinal(number + 1) if item == DATE else number / 7 for number in range(50_000)}
    spec = Schema(Set(item)).as_data()
    wire = [made(value) for value in values]
    assert fidelity.wire_difference(spec, spec["root"], values, wire) is None
    assert fidelity.difference(spec, spec["root"], values, set(values)) is None


@pytest.mark.parametrize("written", ["2024-10-04T09:52:17Z", "2024-10-04T11:52:17+02:00"])
def test_keys_that_are_moments(written):
    """A text for a key is another if it differs; a datetime may be written as another text of the same moment."""
    spec = {"root": ["map", ["int"]], "records": {}, "enums": {}}
    value, parsed = {"2024-10-04T09:52:17+00:00": 1}, {written: 1}
    assert fidelity.wire_difference(spec, spec["root"], value, parsed)
    assert fidelity.wire_difference({**spec, "moments": True}, spec["root"], value, parsed) is None
    assert fidelity.wire_difference({**spec, "moments": True}, spec["root"], value, {written[:-1]: 1})
