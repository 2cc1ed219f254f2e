"""The table by which field objects are written."""

from __future__ import annotations

import pytest

from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import ANY, BIGINT, INT, STR
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Union
from serbench.render.source.fields import Entry, FieldClass, FieldTable, attempt, named
from serbench.render.source.models import Models, helper_blocks
from serbench.render.source.module import Unsupported

_COLOR = Enum("Color", (("RED", "red"),))
_TABLE: dict[str, Entry] = {
    **named("{}Field()", str="Text", int="Whole"),
    "any": "Json(null=True)",
    "enum": "Choice({})",
    "optional": "null=True",
    "list": "Many({})",
    "map": "Dict(str, {})",
    "tuple": lambda fields, type_: f"Fixed([{', '.join(fields.parts(type_))}])",
    "record": "Nested({})",
    "records": "Nested({}, many=True)",
    "late_record": 'Nested("{}")',
    "union": Unsupported("no field for a union"),
    "other": "Raw()",
}


def _fields(**changes: Entry) -> FieldTable:
    m = Models(schema=Schema(Ref("A"), (Record("A", (Field("a", INT),)),)))
    m.defined = {"A"}
    return FieldTable(m, {**_TABLE, **changes})


@pytest.mark.parametrize(
    ("type_", "made"),
    [
        (STR, "TextField()"),
        (BIGINT, "WholeField()"),
        (_COLOR, "Choice(Color)"),
        (Optional(INT), "WholeField(null=True)"),
        (Optional(ANY), "Json(null=True)"),
        (List(Optional(_COLOR)), "Many(Choice(Color, null=True))"),
        (Map(List(STR)), "Dict(str, Many(TextField()))"),
        (Tuple((INT, STR)), "Fixed([WholeField(), TextField()])"),
        (List(Ref("A")), "Nested(A, many=True)"),
        (List(Ref("B")), 'Many(Nested("B"))'),
        (Set(INT), "Raw()"),
    ],
)
def test_the_field_of_a_type(type_, made):
    """A template is filled with names or with the fields of the parts; a kind without one falls back."""
    assert made == _fields().field(type_)


def test_options_are_further_arguments():
    """Options stand behind the arguments that a field has, that of None before the others."""
    fields = _fields()
    assert "TextField(a=1)" == fields.field(STR, "a=1")
    assert "Nested(A, null=True, a=1)" == fields.field(Optional(Ref("A")), "a=1")


def test_none_may_be_a_field_around_another():
    """The template of an optional type can have a place for the item's field."""
    assert "Maybe(WholeField(), a=1)" == _fields(optional="Maybe({})").field(Optional(INT), "a=1")


def test_each_refusal_is_an_error_of_its_own():
    """A refused type raises the table's reason in a new error."""
    fields = _fields()
    with pytest.raises(Unsupported, match="no field for a union") as raised:
        fields.field(List(Union((INT, STR))))
    assert raised.value is not fields.table["union"]


def test_a_field_brings_its_name():
    """A field class is added if it is a helper block, and imported from the package otherwise."""
    class_ = FieldClass("Field", "load(self, value: Any)", "dump(self, value: Any)")
    source = class_.source(
        "Choice", "enum: Any", attempt("self.enum(value)", "ValueError", "Bad() from None"), "value.value"
    )
    m = Models(helpers=helper_blocks([source], "typing:Any", "library:Bad", "library:Field", "library:Other"))
    fields = FieldTable(m, _TABLE, "library")
    assert "Choice(Color)" == fields.field(_COLOR)
    assert "TextField()" == fields.field(STR)
    assert ["Choice"] == m.used_helpers
    assert {"typing": {"Any"}, "library": {"Bad", "Field", "TextField"}} == m.names
    assert """class Choice(Field):
    def __init__(self, enum: Any, **options: Any) -> None:
        super().__init__(**options)
        self.enum = enum

    def load(self, value: Any) -> Any:
        try:
            return self.enum(value)
        except ValueError:
            raise Bad() from None

    def dump(self, value: Any) -> Any:
        return value.value""" == m.blocks[0]


def test_what_a_loop_over_records_has_gone_past():
    """Inside the loop, `current` is its record and `defined` those before; after it, all are defined."""
    schema = Schema(Ref("B"), (Record("A", ()), Record("B", (Field("a", Ref("A")),))))
    m = Models(schema=schema)
    seen = [(m.current, set(m.defined)) for _ in m.records()]
    assert [("A", set()), ("B", {"A"})] == seen
    assert ("", {"A", "B"}) == (m.current, m.defined)
