"""A value along its type: its parts, and the member of a union that it is of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from serbench.model.records import (
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
    at,
    member_of,
    replaced,
    walk_value,
)
from serbench.model.scalars import ANY, DATETIME, INT, STR

CAT = Record("Cat", (Field("name", STR), Field("lives", INT, "left", default=9)), tag_value="cat")
DOG = Record("Dog", (Field("name", STR), Field("toys", Map(Optional(Ref("Cat"))))), tag_value="dog")
TAGGED = Union((Ref("Cat"), Ref("Dog")), "kind")
UNTAGGED = Union((Ref("Cat"), Ref("Dog"), List(INT), Set(STR), DATETIME, STR))
SCHEMA = Schema(List(TAGGED), (CAT, DOG))


@pytest.mark.parametrize(
    ("union", "value", "member"),
    [
        (TAGGED, {"kind": "dog", "name": "x"}, Ref("Dog")),
        (TAGGED, {"kind": "cow", "name": "x"}, None),
        (UNTAGGED, {"name": "x"}, Ref("Cat")),
        (UNTAGGED, {"name": "x", "left": 1}, Ref("Cat")),
        (UNTAGGED, {"name": "x", "toys": {}}, Ref("Dog")),
        (UNTAGGED, {"name": "x", "surplus": 1}, None),
        (Union((Ref("Cat"), STR)), {"name": "x", "surplus": 1}, Ref("Cat")),
        (Union((Ref("Cat"), Map(INT))), {"a": 1}, Map(INT)),
        (UNTAGGED, [1], List(INT)),
        (UNTAGGED, {"x"}, Set(STR)),
        (Union((Tuple((INT, INT)), STR)), [1, 2], Tuple((INT, INT))),
        (UNTAGGED, datetime(2024, 1, 1, tzinfo=UTC), DATETIME),
        (UNTAGGED, "2024-01-01", STR),
        (UNTAGGED, 1.5, None),
    ],
)
def test_the_member_of_a_union(union, value, member):
    """A tag decides alone; otherwise the keys of records decide, then whether another member has the value's class."""
    assert member_of(SCHEMA, union, value) == member


def test_a_value_is_walked_outer_before_inner():
    """Each part has its path in the document, a value that may be None and one of a union once more as what it is."""
    cat = {"kind": "cat", "name": "y", "left": 1}
    dog = {"kind": "dog", "name": "x", "toys": {"a": cat, "b": None}}
    walked = [(path, type_) for path, type_, _ in walk_value(SCHEMA, SCHEMA.root, [dog])]
    assert walked == [
        ((), List(TAGGED)),
        ((0,), TAGGED),
        ((0,), Ref("Dog")),
        ((0, "name"), STR),
        ((0, "toys"), Map(Optional(Ref("Cat")))),
        ((0, "toys", "a"), Optional(Ref("Cat"))),
        ((0, "toys", "a"), Ref("Cat")),
        ((0, "toys", "a", "name"), STR),
        ((0, "toys", "a", "left"), INT),
        ((0, "toys", "b"), Optional(Ref("Cat"))),
    ]


def test_what_does_not_have_its_type_has_nothing_inside():
    """Another class of value, an absent key and any JSON end the walk."""
    for type_, value in ((List(INT), {"a": 1}), (Ref("Cat"), [1]), (ANY, [1]), (Map(INT), [1]), (Tuple((INT,)), "x")):
        assert [((), type_, value)] == list(walk_value(SCHEMA, type_, value))
    assert [(), ("left",)] == [path for path, _, _ in walk_value(SCHEMA, Ref("Cat"), {"left": 1})]


def test_a_part_is_replaced_and_the_rest_is_shared():
    """A document stays as it is; lists, tuples and dicts keep their class."""
    document = {"a": [1, ("x", {"b": 2})], "rest": [3]}
    path = ("a", 1, 1, "b")
    changed = replaced(document, path, 5)
    assert changed == {"a": [1, ("x", {"b": 5})], "rest": [3]}
    assert (at(document, path), at(changed, path), at(document, ("a", 7)), at({1}, (0,))) == (2, 5, None, None)
    assert changed["rest"] is document["rest"]
