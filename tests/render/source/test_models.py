"""Names, defaults and unions in rendered models."""

from __future__ import annotations

import keyword

import pytest

from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import ANY, BYTES, DATE, DATETIME, DECIMAL, FLOAT, INT, STR, UUID
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Union
from serbench.render.format import codecs
from serbench.render.library import models
from serbench.render.source.defaults import assignment
from serbench.render.source.models import Models, ordered_records, tag_field
from serbench.render.source.module import Module, Unsupported
from serbench.render.source.names import plural, root_name, snake
from serbench.render.source.refusals import refuse_lookalikes


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


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("{}", "@dataclass(slots=True)\nclass Row:"),
        ("@fancy:model\n{}", "@model\n@dataclass(slots=True)\nclass Row:"),
        (lambda record: f"@fancy:model(name='{record.name.lower()}')", "@model(name='row')\nclass Row:"),
    ],
    ids=["none", "above", "instead"],
)
def test_decorators(decorator, expected):
    """A library's decorators stand above `@dataclass` or in its place, and what no class names is not imported."""
    m = Models(schema=Schema(Ref("Row"), (Record("Row", (Field("x", INT),)),)))
    m.dataclasses(options="slots=True", decorator=decorator)
    text = m.text()
    assert f"{expected}\n    x: int\n" in text
    assert ("from dataclasses import dataclass" in text, "from fancy import model" in text) == (
        "@dataclass" in expected,
        "@model" in expected,
    )


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [(None, "list[int] | None"), ((3, 9), "Optional[list[int]]"), ((3, 8), "Optional[List[int]]")],
)
def test_annotations_of_an_older_python(annotations, expected):
    """A library that does not understand a bar, or `list[…]`, gets the annotations of the Python that it is asked for."""
    schema = Schema(Ref("Row"), (Record("Row", (Field("x", Optional(List(INT))),)),))
    m = models(schema, codecs()[0], annotations=annotations)
    m.dataclasses()
    assert f"    x: {expected}\n" in m.text()


def test_enum_default():
    """The default of an enumeration is its member."""
    role = Enum("Role", (("ADMIN", "admin"),))
    assert assignment(Module(), Field("x", role, default="admin"), "m:field", "factory") == "Role.ADMIN"


def test_default_without_source():
    """A default that is no value of its type is refused by name."""
    with pytest.raises(Unsupported, match="field x: no source for the default"):
        assignment(Module(), Field("x", DATE, default="soon"), "m:field", "factory")


@pytest.mark.parametrize(
    ("type_", "default", "expected"),
    [
        (List(INT), [1], "field(default_factory=lambda: [1])"),
        (Map(List(STR)), {'"': ["a"]}, """field(default_factory=lambda: {'"': ["a"]})"""),
        (Set(STR), ["a", "a"], 'field(default_factory=lambda: {"a"})'),
        (Set(STR), [], "field(default_factory=set)"),
        (Tuple((STR, DATE)), ["a", "2024-02-29"], 'field(default_factory=lambda: ("a", date(2024, 2, 29)))'),
        (List(Union((INT, STR))), [1, "a"], 'field(default_factory=lambda: [1, "a"])'),
        (ANY, {"a": [None, 1.5]}, 'field(default_factory=lambda: {"a": [None, 1.5]})'),
        (Optional(DATE), "2024-02-29", "date(2024, 2, 29)"),
        (DATETIME, "2024-02-29T01:02:03Z", "datetime(2024, 2, 29, 1, 2, 3, tzinfo=timezone.utc)"),
        (DECIMAL, "1.50", 'Decimal("1.50")'),
        (UUID, "0" * 32, 'field(default_factory=lambda: UUID("00000000-0000-0000-0000-000000000000"))'),
        (BYTES, "YQ==", "b'a'"),
        (FLOAT, 1, "1.0"),
    ],
)
def test_defaults_of_every_type(type_, default, expected):
    """A default is the value of its type that a document would hold, as source; what can change is made afresh."""
    f = Field("x", type_, default=default)
    assert assignment(Module(), f, "dataclasses:field", "default_factory") == expected


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
