"""Names, defaults and unions in rendered models."""

from __future__ import annotations

import keyword

import pytest

from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Set, Tuple, Union
from serbench.model.scalars import ANY, BYTES, DATE, DATETIME, DECIMAL, FLOAT, INT, STR, UUID
from serbench.render.codec import codecs
from serbench.render.library import models
from serbench.render.source.classes import refuse_lookalikes
from serbench.render.source.models import assignment, external_classes, ordered_records, tag_field
from serbench.render.source.module import Module, Unsupported, root_name, snake


@pytest.mark.parametrize("name", ["A", "Class", "Json", "Attr", "Id", "Config", "Type", "Lambda"])
def test_parameters_are_safe_names(name):
    """The document's name is no keyword and hides nothing that a module uses."""
    schema = Schema(List(Ref(name)), (Record(name, ()),))
    for text in (root_name(schema), snake(name)):
        assert text.isidentifier()
        assert not keyword.iskeyword(text)
        assert text not in {"json", "attrs", "id", "config", "type", "as"}


def test_deep_nesting_is_no_recursion_of_ours():
    """Ten thousand nested records do not reach Python's recursion limit."""
    records = [Record(f"R{i}", (Field("x", Ref(f"R{i + 1}")),)) for i in range(10_000)]
    schema = Schema(Ref("R0"), (*records, Record("R10000", ())))
    assert ordered_records(schema)[0].name == "R10000"


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


def test_a_default_with_an_offset_has_its_names():
    """All classes of a default are imported."""
    module = Module()
    assignment(
        module, Field("x", DATETIME, default="2024-02-29T01:02:03+02:00"), "dataclasses:field", "default_factory"
    )
    assert {"datetime", "timedelta", "timezone"} == module.names["datetime"]


@pytest.mark.parametrize("members", [(STR, DATE), (Ref("A"), Map(STR)), (List(INT), List(STR))])
def test_lookalikes_are_refused(members):
    """Members that the bytes cannot tell apart need a tag."""
    schema = Schema(Union(members), (Record("A", ()),))
    with pytest.raises(Unsupported, match="needs a tag"):
        refuse_lookalikes(schema, frozenset(), "json")


@pytest.mark.parametrize("tag", ["type", "@type", "from", "kind of"])
def test_tag_is_a_field(tag):
    """A tag that is no identifier gets a name, and keeps its key."""
    record = Record("A", (), tag_value="a")
    other = Record("B", (), tag_value="b")
    field = tag_field(Schema(Union((Ref("A"), Ref("B")), tag), (record, other)), record)
    assert field.name.isidentifier()
    assert not keyword.iskeyword(field.name)
    assert field.wire == tag


def test_external_classes_are_not_defined():
    """A module for classes that are imported defines none of them, but what is made for its document."""
    level = Enum("Level", (("LOW", "low"),))
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", INT), Field("level", level))),))
    with external_classes(schema):
        m = models(schema, codecs()[0], enclose=True)
    m.dataclasses()
    assert ["class Document:"] == [line for line in m.text().splitlines() if line.startswith("class")]
