"""A declared loss changes exactly the values of its kind, wherever they are, and is told by field."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone

import pytest

from serbench.model.fidelity import apply_losses
from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Union
from serbench.model.scalars import ANY, BYTES, DATETIME, INT, STR, TIME

THERE = timezone(timedelta(hours=9))
MOMENT = datetime(2024, 6, 15, 9, 41, 23, 123999, tzinfo=THERE)
IN_UTC = datetime(2024, 6, 15, 0, 41, 23, 123999, tzinfo=UTC)
ROW = Record("Row", (Field("at", DATETIME, alias="when"), Field("n", INT)), tag_value="row")
NOTE = Record("Note", (Field("text", STR),), tag_value="note")
EITHER = Union((Ref("Row"), Ref("Note")), "kind")


def left(type_, value, losses):
    """The value that is left, and what was lost."""
    lost = {}
    schema = Schema(type_, (ROW, NOTE)).as_data()
    return apply_losses(schema, schema["root"], value, losses, lost), lost


@pytest.mark.parametrize(
    ("losses", "type_", "value", "expected"),
    [
        ({"datetime": "utc"}, DATETIME, MOMENT, IN_UTC),
        ({"datetime": "utc milliseconds"}, DATETIME, MOMENT, IN_UTC.replace(microsecond=123000)),
        ({"datetime": "milliseconds"}, DATETIME, MOMENT, MOMENT.replace(microsecond=123000)),
        ({"time": "milliseconds"}, TIME, time(1, 2, 3, 4999), time(1, 2, 3, 4000)),
        ({"str": "newlines"}, STR, "a\r\nb\rc\n", "a\nb\nc\n"),
        ({"null": "null text"}, Optional(INT), None, "null"),
        ({"empty": "none for empty"}, Optional(STR), "", None),
        ({"empty": "none for empty"}, Optional(BYTES), b"", None),
        ({"empty": "none for empty"}, Optional(Enum("Role", (("NONE", ""), ("A", "a")))), "", None),
        ({"str": "newlines"}, Union((INT, STR)), "a\r", "a\n"),
        ({"datetime": "utc"}, Union((INT, DATETIME)), MOMENT, IN_UTC),
    ],
)
def test_a_loss_changes_the_values_of_its_kind(losses, type_, value, expected):
    """The value becomes what the format gives back, also inside of containers, and its kind is told."""
    (kind,) = losses
    for around, wrapped in (
        (type_, lambda one: one),
        (List(type_), lambda one: [one, one]),
        (Map(type_), lambda one: {"a": one}),
        (Tuple((INT, type_)), lambda one: (1, one)),
        (Optional(List(type_)), lambda one: [one]),
        (Union((INT, Map(type_), List(type_))), lambda one: [one]),
        (Union((INT, Map(type_), List(type_))), lambda one: {"a": one}),
    ):
        found, lost = left(around, wrapped(value), losses)
        assert (wrapped(expected), {"the document": kind}) == (found, lost)
        assert repr(wrapped(expected)) == repr(found)


@pytest.mark.parametrize(
    ("losses", "type_", "value"),
    [
        ({}, DATETIME, MOMENT),
        ({"datetime": "utc"}, DATETIME, IN_UTC),
        ({"datetime": "milliseconds"}, DATETIME, IN_UTC.replace(microsecond=123000)),
        ({"str": "newlines"}, STR, "a\nb"),
        ({"empty": "none for empty"}, STR, ""),
        ({"empty": "none for empty"}, Optional(STR), "a"),
        ({"empty": "none for empty"}, Optional(INT), 0),
        ({"null": "null text"}, Optional(INT), 1),
        ({"str": "newlines"}, Optional(INT), None),
        ({"str": "newlines"}, ANY, "a\r"),
        ({"str": "newlines"}, Enum("Role", (("A", "a\r"),)), "a\r"),
        ({"str": "newlines"}, Union((INT, STR)), 1),
        ({"str": "newlines"}, Union((INT, Enum("Role", (("A", "a\r"),)))), "a\r"),
        ({"empty": "none for empty"}, Optional(Enum("Level", (("LOW", 0),))), 0),
    ],
)
def test_nothing_else_changes(losses, type_, value):
    """Values that have nothing to lose, or are of another kind, stay, and nothing is told."""
    found, lost = left(type_, value, losses)
    assert (repr(value), {}) == (repr(found), lost)


def test_an_offset_is_lost_though_the_instant_is_the_same():
    """A datetime in UTC equals the one that it was, but is told as changed."""
    found, lost = left(DATETIME, MOMENT, {"datetime": "utc"})
    assert MOMENT == found
    assert {"the document": "datetime"} == lost


def test_sets_stay_sets():
    """The items of a set change, and it is still one."""
    assert ({"a\n"}, {"the document": "str"}) == left(Set(STR), {"a\r", "a\r\n"}, {"str": "newlines"})


@pytest.mark.parametrize("type_", [Ref("Row"), EITHER])
def test_records_keep_their_keys_and_tag(type_):
    """A field is changed under its wire name, by which it is told; the others and the tag stay."""
    value = {"kind": "row", "when": MOMENT, "n": 1}
    schema = Schema(List(EITHER), (ROW, NOTE)).as_data()
    lost = {}
    data = Schema(type_ if type_ == EITHER else List(type_), (ROW, NOTE)).as_data()["root"]
    found = apply_losses(schema, data, value if type_ == EITHER else [value], {"datetime": "utc"}, lost)
    expected = {"kind": "row", "when": IN_UTC, "n": 1}
    assert (expected if type_ == EITHER else [expected]) == found
    assert {"when": "datetime"} == lost
    assert value["when"].tzinfo is THERE


def test_the_member_of_a_union_is_that_of_the_keys():
    """Without a tag it is the record that has the keys of the value, and else the map."""
    note = Record("Note", (Field("text", STR),))
    schema = Schema(List(Union((Ref("Note"), Map(DATETIME), STR))), (note,)).as_data()
    lost = {}
    value = [{"text": "a\r"}, {"then": MOMENT}, "b\r"]
    losses = {"str": "newlines", "datetime": "utc"}
    assert [{"text": "a\n"}, {"then": IN_UTC}, "b\n"] == apply_losses(schema, schema["root"], value, losses, lost)
    assert {"text": "str", "the document": "str"} == lost


def test_the_member_of_a_union_is_that_of_the_tag():
    """Only the fields of the member that the value is of are changed."""
    value = [{"kind": "note", "text": "a\r"}, {"kind": "row", "when": IN_UTC, "n": 1}]
    found, lost = left(List(EITHER), value, {"str": "newlines", "datetime": "utc"})
    assert [{"kind": "note", "text": "a\n"}, value[1]] == found
    assert {"text": "str"} == lost
