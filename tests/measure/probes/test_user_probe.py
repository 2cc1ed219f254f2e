"""The wrong inputs of a user's class reach into unions, with values that no member takes."""

from __future__ import annotations

import pytest

from serbench.measure.probes.user_probe import user_probe
from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import FLOAT, INT, STR
from serbench.model.types import List, Ref, Union

CAT = Record("Cat", (Field("lives", INT),), tag_value="cat")
DOG = Record("Dog", (Field("name", STR),), tag_value="dog")


def wrong(type_, value):
    """The names of the wrong inputs of a record with one field of this type."""
    schema = Schema(Ref("Owner"), (Record("Owner", (Field("pet", type_),)), CAT, DOG))
    return {one.name for one in user_probe(schema, {"pet": value}).wrong}


@pytest.mark.parametrize(
    ("type_", "value", "names"),
    [
        (Union((INT, FLOAT)), 1, {"pet: 'no such value'", "pet: [[]]", "pet: missing"}),
        (Union((INT, STR)), 1, {"pet: [[]]", "pet: missing"}),
        (Union((Ref("Cat"), Ref("Dog"))), {"lives": 9}, {"pet: 'no such value'", "pet: 12", "pet: missing"}),
    ],
)
def test_a_union_gets_what_no_member_takes(type_, value, names):
    """A value of another form, and no field of a member that may be another one."""
    assert names == wrong(type_, value)


def test_a_tagged_union_is_tried_inside():
    """The tag says which record a value is, in a list too."""
    union = Union((Ref("Cat"), Ref("Dog")), tag="kind")
    assert {"pet.lives: 'x'", "pet.lives: missing"} <= wrong(union, {"kind": "cat", "lives": 9})
    assert {"pet.0.name: 12", "pet.0.name: missing"} <= wrong(List(union), [{"kind": "dog", "name": "Rex"}])
