"""The wrong inputs of a user's class reach into unions, with values that no member takes."""

from __future__ import annotations

import pytest

from serbench.measure.probes.strictness import user_probe
from serbench.model.fidelity import json_ready
from serbench.model.records import Field, List, Map, Optional, Record, Ref, Schema, Union
from serbench.model.scalars import ANY, FLOAT, INT, STR

CAT = Record("Cat", (Field("lives", INT),), tag_value="cat")
DOG = Record("Dog", (Field("name", STR),), tag_value="dog")


def wrong(type_, value):
    """The names of the wrong inputs of a record with one field of this type."""
    schema = Schema(Ref("Owner"), (Record("Owner", (Field("pet", type_),)), CAT, DOG))
    return {one.name for one in user_probe(schema, {"pet": value}).wrong}


@pytest.mark.parametrize(
    ("type_", "value", "names"),
    [
        (Union((INT, FLOAT)), 1, {"pet: 'no such value'", "pet: [[]]", "pet: '12'", "pet: missing"}),
        (Union((INT, STR)), 1, {"pet: [[]]", "pet: missing"}),
    ],
)
def test_a_union_gets_what_no_member_takes(type_, value, names):
    """A value of another form, and digits in a text if it takes numbers and no texts."""
    assert names == wrong(type_, value)


def test_a_tagged_union_is_tried_inside():
    """The tag says which record a value is, in a list too."""
    union = Union((Ref("Cat"), Ref("Dog")), tag="kind")
    assert {"pet.lives: 'x'", "pet.lives: missing"} <= wrong(union, {"kind": "cat", "lives": 9})
    assert {"pet.0.name: 12", "pet.0.name: missing"} <= wrong(List(union), [{"kind": "dog", "name": "Rex"}])


PLAIN = Union((Ref("Cat"), Ref("Dog")))


def test_an_untagged_union_is_tried_inside_the_member_that_the_keys_name():
    """A member without its only key is no other one, either."""
    assert {"pet: 'no such value'", "pet: 12", "pet: missing", "pet.lives: 'x'", "pet.lives: '12'"} <= wrong(
        PLAIN, {"lives": 9}
    )
    assert {"pet.name: 12", "pet.name: missing"} <= wrong(PLAIN, {"name": "Rex"})


def test_what_is_right_for_another_member_is_no_error():
    """A text for the number of one is the text of the other."""
    one, other = Record("One", (Field("x", INT),)), Record("Other", (Field("x", STR), Field("y", STR, default="")))
    schema = Schema(Ref("Owner"), (Record("Owner", (Field("pet", Union((Ref("One"), Ref("Other")))),)), one, other))
    names = {each.name for each in user_probe(schema, {"pet": {"x": "a", "y": "b"}}).wrong}
    assert {"pet.x: missing"} == {name for name in names if name.startswith("pet.x")} - {"pet.x: None"}


@pytest.mark.parametrize(
    ("type_", "value", "names"),
    [
        (List(INT), [1], {"pet.0: '12'", "pet.0: 'x'"}),
        (Map(FLOAT), {"a": 1.5}, {"pet.a: 'x'", "pet.a: '1.5'"}),
        (Optional(List(Ref("Cat"))), [{"lives": 9}], {"pet.0.lives: 'x'", "pet.0: 'no such value'"}),
    ],
)
def test_items_are_tried(type_, value, names):
    """The first of a list or a map, also if the field may be null; an item is never missing."""
    assert names <= wrong(type_, value)
    assert not {name for name in wrong(type_, value) if name.startswith("pet.0: missing")}


def test_a_record_of_any_json_tells_nothing():
    """Nothing in it can be wrong, and a field that is missing tells nothing of types."""
    fields = (Field("pet", ANY), Field("kind", Union((INT, STR, List(ANY), Map(ANY)))))
    schema = Schema(Ref("Owner"), (Record("Owner", fields),))
    assert not user_probe(schema, {"pet": 1, "kind": 1}).tells


def test_a_large_value_in_a_union_is_written_once(monkeypatch):
    """Not for each of the wrong values in it, which share what is not around them."""
    asked = []
    monkeypatch.setattr(f"{user_probe.__module__}.json_ready", lambda value: asked.append(value) or json_ready(value))
    assert {"pet.lives: 'x'", "pet.lives: missing"} <= wrong(PLAIN, value := {"lives": 9})
    assert [value, {"pet": value}] == asked
