"""Declared integers and datetimes become the document's, and numbers that a declared type cannot hold are refused."""

from __future__ import annotations

import re
from datetime import UTC, time

import pytest

from serbench.errors import SchemaError
from serbench.model.normalise import apply_schema, misfits
from serbench.model.records import Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Union
from serbench.model.scalars import BIGINT, DATETIME, FLOAT, INT, NAIVE_DATETIME, STR, TIME, TIMEDELTA, UINT64


@pytest.mark.parametrize(
    ("declared", "values", "found"),
    [
        (INT, [-(2**63), 2**63 - 1], INT),
        (INT, [2**63], UINT64),
        (INT, [-1, 2**63], BIGINT),
        (INT, [-(2**63) - 1], BIGINT),
        (UINT64, [0, 2**64 - 1], UINT64),
        (UINT64, [-1, 1], INT),
        (UINT64, [2**64], BIGINT),
        (BIGINT, [1], BIGINT),
    ],
)
def test_the_narrowest_type_that_holds_all(declared, values, found):
    """A declared type stays if it holds the values, and otherwise becomes the one that inference would choose."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("n", declared), Field("m", INT))),))
    fit, value = apply_schema([{"n": n, "m": 1} for n in values], schema)
    assert [found, INT] == [f.type for f in fit.records[0].fields]
    assert values == [row["n"] for row in value]


@pytest.mark.parametrize(
    ("declared", "value", "found"),
    [
        (Optional(INT), 2**63, Optional(UINT64)),
        (List(Optional(INT)), [None, 2**64], List(Optional(BIGINT))),
        (Set(INT), [2**63], Set(UINT64)),
        (Map(List(INT)), {"a": [2**63]}, Map(List(UINT64))),
        (Tuple((STR, INT)), ["a", 2**63], Tuple((STR, UINT64))),
        (Union((INT, STR)), 2**64, Union((BIGINT, STR))),
    ],
)
def test_wherever_it_stands(declared, value, found):
    """Integers inside containers and unions are widened too, in a record and at the root."""
    record = Record("Row", (Field("x", declared), Field("ratio", FLOAT)))
    fit, _ = apply_schema({"x": value, "ratio": 1}, Schema(Ref("Row"), (record,)))
    assert found == fit.records[0].fields[0].type
    assert found == apply_schema(value, Schema(declared))[0].root


NAIVE, AWARE = "2024-01-01T10:00:00", "2024-01-01T10:00:00Z"


@pytest.mark.parametrize(
    ("declared", "values", "found"),
    [
        (DATETIME, [NAIVE, NAIVE], NAIVE_DATETIME),
        (DATETIME, [AWARE], DATETIME),
        (NAIVE_DATETIME, [AWARE], DATETIME),
        (Optional(DATETIME), [None, NAIVE], Optional(NAIVE_DATETIME)),
        (Map(List(DATETIME)), [{"a": [NAIVE]}], Map(List(NAIVE_DATETIME))),
        (Optional(DATETIME), [None], Optional(DATETIME)),
        (DATETIME, [NAIVE, AWARE], DATETIME),
    ],
)
def test_datetimes_have_the_kind_of_the_document(declared, values, found):
    """Without an offset, a date-time is naive for every codec; both kinds in one field are refused where they may not be mixed."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("at", declared), Field("n", DATETIME, default=NAIVE))),))
    assert [] == list(misfits(schema))
    fit, _ = apply_schema([{"at": value, "n": AWARE} for value in values], schema)
    assert [found, DATETIME] == [f.type for f in fit.records[0].fields]
    assert found == apply_schema(values, Schema(List(declared)))[0].root.item
    if values == [NAIVE, AWARE]:
        with pytest.raises(SchemaError, match=r"^Row\.at: some datetimes have an offset from UTC and others none"):
            apply_schema([{"at": value, "n": AWARE} for value in values], schema, mixed=False)


def test_times_with_an_offset_are_texts():
    """Several formats have no such times: as texts, they are whole in each; a user's class has its own times."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("t", Optional(TIME)), Field("u", TIME))),))
    document = [{"t": "12:00:00Z", "u": "12:00:00"}, {"t": "13:30:00", "u": "12:00:00"}, {"t": None, "u": "12:00:00"}]
    fit, value = apply_schema(document, schema, mixed=False)
    assert [Optional(STR), TIME] == [f.type for f in fit.records[0].fields]
    assert ["12:00:00Z", "13:30:00", None] == [row["t"] for row in value]
    assert {time(12)} == {row["u"] for row in value}
    of_class, value = apply_schema(document, schema)
    assert (schema, time(12, tzinfo=UTC)) == (of_class, value[0]["t"])


def test_what_is_no_int_is_none():
    """A bool or a text in place of an int is refused, and the error names the field."""
    schema = Schema(Ref("Row"), (Record("Row", (Field("n", INT),)),))
    for value, kind in ((True, "bool"), ("1", "str")):
        with pytest.raises(SchemaError, match=rf"Row\.n: the schema requires int, but the document has {kind}"):
            apply_schema({"n": value}, schema)


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        (FLOAT, 2**53 + 1),
        (FLOAT, 12345678901234567891),
        (FLOAT, -(10**400)),
        (List(FLOAT), [0.5, 2**53 + 1]),
        (Union((FLOAT, STR)), 2**53 + 1),
        (TIMEDELTA, 10**400),
        (TIMEDELTA, 1e300),
        (TIMEDELTA, "1e300"),
    ],
    ids=map(str, range(8)),
)
def test_no_number_is_changed(declared, value):
    """An int that a float does not hold exactly, and seconds beyond a timedelta, are refused, and the field is named."""
    schema = Schema(Ref("Row"), (Record("Row", (Field("x", declared),)),))
    with pytest.raises(
        SchemaError, match=r"Row\.x: the schema requires (float|timedelta), but the document has (an? |the text)"
    ):
        apply_schema({"x": value}, schema)


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        (DATETIME, "2024-01-01T00:00:00.123456789Z"),
        (NAIVE_DATETIME, "2024-01-01T00:00:00,1234567"),
        (TIME, "12:00:00.0000001"),
    ],
)
def test_no_digit_of_a_second_is_cut(declared, text):
    """A text with more than microseconds is refused; zeros are no digits that are lost."""
    with pytest.raises(SchemaError, match="has more digits of a second than"):
        apply_schema([text], Schema(List(declared)))
    assert 1 == len(apply_schema([re.sub("[1-9]+(Z?)$", r"000000000\1", text)], Schema(List(declared)))[1])


def test_no_item_of_a_set_comes_twice():
    """A set would lose it."""
    with pytest.raises(SchemaError, match="an item twice"):
        apply_schema([1, 2, 1], Schema(Set(INT)))


def test_an_int_that_a_float_holds_is_one():
    """Ints among floats are floats where nothing is lost."""
    assert [2.0**60, 1.0] == apply_schema([2**60, 1], Schema(List(FLOAT)))[1]


def test_null_is_no_value_of_a_field_with_a_default():
    """A key that may be absent is null only if its type says so."""
    fields = (Field("a", STR, default="x"), Field("b", Optional(STR), default="x"))
    schema = Schema(Ref("Row"), (Record("Row", fields),))
    assert {"a": "x", "b": None} == apply_schema({"b": None}, schema)[1]
    with pytest.raises(SchemaError, match=r"Row\.a: the schema requires str, but the document has NoneType"):
        apply_schema({"a": None}, schema)
