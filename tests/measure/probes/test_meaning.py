"""What differs between a document and what has been written of it: its kind, its path, and what of it is a loss."""

from __future__ import annotations

import pytest

from serbench.measure.probes.adoption import KINDS, LOST, changes, defaults_of, parse
from serbench.model.records import Field, List, Optional, Record, Ref, Schema
from serbench.model.scalars import DATE, INT

SAME = [
    ('{"a": 1, "b": [true, null]}', '{"b":[true,null],"a":1}'),
    ("1.50", "1.5"),
    ("1e3", "1000.0"),
    ('"\\u00e9"', '"é"'),
    ("[]", "[ ]"),
]
ALIKE = [
    ("{}", '{"a": null}', "null", "a: absent, comes back as null"),
    ('{"a": null}', "{}", "no null", "a: null does not come back"),
    ("[1]", "[1.0]", "number", "[0]: 1, comes back as 1.0"),
    ("[1.0]", "[1]", "number", "[0]: 1.0, comes back as 1"),
    ("0.12345678901234567891", "0.12345678901234568", "digits", "the document: 0.12345678901234567891, comes back"),
    ('"2024-06-15T09:41:23Z"', '"2024-06-15T09:41:23+00:00"', "spelling", "the document: "),
    ('"2024-06-15T09:41:23.500Z"', '"2024-06-15T09:41:23.5Z"', "spelling", ""),
    ('"09:41:00"', '"09:41"', "spelling", ""),
    ('"{12345678-1234-5678-1234-567812345678}"', '"12345678-1234-5678-1234-567812345678"', "spelling", ""),
    ('"1E+2"', '"1e2"', "spelling", ""),
    ('"-_8="', '"+/8"', "spelling", ""),
]
LOSSES = [
    ('{"a": 1}', "{}", "a: 1 does not come back"),
    ("{}", '{"a": 1}', "a: absent, comes back as 1"),
    ('{"a": {"b c": "x"}}', '{"a": {"b c": "y"}}', 'a["b c"]: "x", comes back as "y"'),
    ("[1, 2]", "[1]", "the document: 2 items come back as 1"),
    ("[[1], [2]]", "[[1], [3]]", "[1][0]: 2, comes back as 3"),
    ("true", "1", "true, comes back as 1"),
    ("1", '"1"', '1, comes back as "1"'),
    ('"1.10"', '"1.1"', ""),
    ("-0.0", "0.0", ""),
    ("9007199254740993", "9007199254740992.0", ""),
    ('"2024-06-15T09:41:23+02:00"', '"2024-06-15T07:41:23Z"', ""),
    ('"2024-06-15T09:41:23"', '"2024-06-15T09:41:23Z"', ""),
    ('"2024-06-15T09:41:23.123456789Z"', '"2024-06-15T09:41:23.123456Z"', ""),
    ('"2024-06-15"', '"2024-06-15T00:00:00"', ""),
    ('"MDEw"', '"MDEx"', ""),
    ("[1]", '{"0": 1}', "a list of 1, comes back as an object"),
    ('{"a": 1, "a": 2}', '{"a": 2}', "a: the key occurs twice, and 1 is lost"),
]


def changed(before: str, after: str, defaults=None):
    """The changes between two texts."""
    return changes(parse(before.encode()), parse(after.encode()), defaults)


@pytest.mark.parametrize(("before", "after"), SAME)
def test_another_text_of_the_same_values_is_no_change(before, after):
    """The order of keys, blanks, escapes and the way to write a number mean nothing."""
    assert [] == changed(before, after)


@pytest.mark.parametrize(("before", "after", "kind", "text"), ALIKE)
def test_a_change_that_loses_nothing_has_a_kind(before, after, kind, text):
    """What comes back in another form is told with its path, both values and its kind."""
    assert [kind] == [change.kind for change in changed(before, after)]
    assert all(str(change).startswith(text) for change in changed(before, after))


@pytest.mark.parametrize(("before", "after", "text"), LOSSES)
def test_anything_else_is_a_loss(before, after, text):
    """A value that is gone, new, changed, rounded or of another type is a loss."""
    (change,) = changed(before, after)
    assert (LOST, True) == (change.kind, text in str(change))


def test_values_of_one_column_are_one_change():
    """A change is counted by column and kind, and told with the path of its first value in the document."""
    before = '[{"l": [{"p": 1}, {"p": 2}]}, {"l": [{"p": 3.5}], "n": 1}]'
    after = '[{"l": [{"p": 1.0}, {"p": 2.0}], "n": null}, {"l": [{"p": 3.5}], "n": 1}]'
    assert [
        ("[].l[].p", "[0].l[0].p: 1, comes back as 1.0 (2 times)"),
        ("[].n", "[0].n: absent, comes back as null"),
    ] == [(change.column, str(change)) for change in changed(before, after)]


def test_a_default_is_as_good_as_absent():
    """A key that comes back with its field's default, or that has it and is left out, is no loss; with another value it is."""
    fields = (Field("a", INT, default=5), Field("b", List(INT), default=[]), Field("c", Optional(DATE), default=None))
    defaults = defaults_of(Schema(Ref("R"), (Record("R", fields),)))
    assert ["default"] == [change.kind for change in changed("{}", '{"a": 5}', defaults)]
    assert ["no default"] == [change.kind for change in changed('{"b": []}', "{}", defaults)]
    assert [LOST] == [change.kind for change in changed("{}", '{"a": 6}', defaults)]
    assert [LOST] == [change.kind for change in changed("{}", '{"a": 5.0}', defaults)]


def test_what_is_told_is_one_line_of_plain_characters():
    """Whatever a document holds, a change is told in one printable line."""
    (change,) = changed('{"a\\nb\\u202e": "x\\r\\u001b[31m"}', "{}")
    assert str(change).isprintable()
    assert str(change).isascii()


def test_a_long_path_is_cut():
    """Of a path that is very long, both ends are told."""
    deep = '{"next": ' * 200
    (change,) = changed(deep + "1" + "}" * 200, deep + "2" + "}" * 200)
    assert str(change).startswith("next.next.")
    assert len(str(change)) < 200


def test_every_kind_is_tested():
    """Each kind of a change between two texts is in these tests."""
    assert set(KINDS) == {kind for *_, kind, _ in ALIKE} | {"default", "no default", "whole"}
