"""Names, defaults and unions in rendered models."""

from __future__ import annotations

import keyword

import pytest

from serbench.schema import DATE, INT, STR, Enum, Field, List, Map, Record, Ref, Schema, Union
from serbench.source.models import Unsupported, assignment, ordered_records, tag_field
from serbench.source.module import Module
from serbench.source.names import plural, root_name, snake
from serbench.source.refusals import refuse_lookalikes


@pytest.mark.parametrize("name", ["A", "Class", "Json", "Attr", "Id", "Config", "Type", "Lambda"])
def test_parameters_are_safe_names(name):
    """The document's name is no keyword and hides nothing that a module uses."""
    schema = Schema(List(Ref(name)), (Record(name, ()),))
    for text in (root_name(schema), snake(name)):
        assert text.isidentifier()
        assert not keyword.iskeyword(text)
        assert text not in {"json", "attrs", "id", "config", "type", "as"}


def test_plurals():
    """Documents of many records are called in the plural."""
    assert ["clients", "entries", "boxes", "days"] == [plural(w) for w in ("client", "entry", "box", "day")]


def test_records_come_before_their_users():
    """A class is defined before those that refer to it."""
    schema = Schema(Ref("A"), (Record("A", (Field("b", Ref("B")),)), Record("B", ())))
    assert ["B", "A"] == [record.name for record in ordered_records(schema)]


def test_deep_nesting_is_no_recursion_of_ours():
    """Ten thousand nested records do not reach Python's recursion limit."""
    records = [Record(f"R{i}", (Field("x", Ref(f"R{i + 1}")),)) for i in range(10_000)]
    schema = Schema(Ref("R0"), (*records, Record("R10000", ())))
    assert ordered_records(schema)[0].name == "R10000"


@pytest.mark.parametrize(
    ("default", "options", "expected"),
    [
        (10, (), "10"),
        (10, ('name="x"',), 'field(name="x", default=10)'),
        ([], (), "field(default_factory=list)"),
        ({}, ('name="x"',), 'field(name="x", default_factory=dict)'),
        (None, (), "None"),
    ],
)
def test_defaults(default, options, expected):
    """A plain default stands as it is; a container is made afresh, by the library's own means."""
    made = assignment(Module(), Field("x", INT, default=default), "dataclasses:field", "default_factory", *options)
    assert expected == made


def test_enum_default():
    """The default of an enumeration is its member."""
    role = Enum("Role", (("ADMIN", "admin"),))
    assert assignment(Module(), Field("x", role, default="admin"), "m:field", "factory") == "Role.ADMIN"


def test_default_without_source():
    """A default that has no literal is refused by name."""
    with pytest.raises(Unsupported, match="field x: no source for the default"):
        assignment(Module(), Field("x", List(INT), default=[1]), "m:field", "factory")


@pytest.mark.parametrize("members", [(STR, DATE), (Ref("A"), Map(STR)), (List(INT), List(STR))])
def test_lookalikes_are_refused(members):
    """Members that the bytes cannot tell apart need a tag."""
    schema = Schema(Union(members), (Record("A", ()),))
    with pytest.raises(Unsupported, match="needs a tag"):
        refuse_lookalikes(schema, frozenset(), "json")


def test_native_kinds_are_no_lookalikes():
    """A format that carries dates as themselves tells them from text."""
    refuse_lookalikes(Schema(Union((STR, DATE))), frozenset({"date"}), "cbor")


@pytest.mark.parametrize("tag", ["type", "@type", "from", "kind of"])
def test_tag_is_a_field(tag):
    """A tag that is no identifier gets a name, and keeps its key."""
    record = Record("A", (), tag_value="a")
    other = Record("B", (), tag_value="b")
    field = tag_field(Schema(Union((Ref("A"), Ref("B")), tag), (record, other)), record)
    assert field.name.isidentifier()
    assert not keyword.iskeyword(field.name)
    assert field.wire == tag
