"""The libraries with marshmallow's interface, those that this installation lacks too: what their sources say."""

from __future__ import annotations

import ast
import re

import pytest

from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Tuple, Type, Union
from serbench.model.scalars import DATE, DECIMAL, INT, STR
from serbench.render.case import Case, render
from serbench.render.codec import codec_named
from serbench.render.library import libraries

SECOND = ("marshmallow2", "toastedmarshmallow")
FAMILY = ("marshmallow", "marshmallow3", "althaia", *SECOND)


def case(library: str, schema: Schema, codec: str = "json") -> Case:
    """The library's case for JSON with the codec."""
    return render(libraries()[library], "default", codec_named(f"{codec}/json"), schema)


def rows(*fields: Field, records: tuple[Record, ...] = ()) -> Schema:
    """A list of rows with these fields."""
    return Schema(List(Ref("Row")), (*records, Record("Row", fields)))


def test_generations_three_and_four_are_written_alike():
    """What is written for marshmallow 4 is written for marshmallow 3, and for althaia under its own name."""
    schema = rows(
        Field("x", Optional(Enum("Role", (("A", "a"),))), alias="class", default=None), Field("y", INT, default=1)
    )
    source = case("marshmallow", schema).source
    assert source == case("marshmallow3", schema).source
    assert source.replace("from marshmallow import", "from althaia import") == case("althaia", schema).source


@pytest.mark.parametrize("library", SECOND)
def test_second_generation_is_strict_and_ordered(library):
    """Every schema of the second generation raises errors, and has its fields in order."""
    inner = Record("Inner", (Field("y", INT),))
    source = case(library, rows(Field("x", List(Ref("Inner"))), records=(inner,))).source
    assert 2 == source.count("        ordered = True\n        strict = True\n")
    assert "fields.Nested(InnerSchema, many=True, required=True)" in source
    assert "schema.loads(blob).data" in source


@pytest.mark.parametrize("library", SECOND)
@pytest.mark.parametrize(
    ("type_", "name"), [(Enum("Role", (("A", "a"),)), "EnumField"), (Tuple((INT, STR)), "TupleField")]
)
def test_second_generation_has_field_classes_where_needed(library, type_, name):
    """A custom field class is written only into a module that uses it."""
    assert f"class {name}(fields.Field):" in case(library, rows(Field("x", type_))).source
    assert "Field(fields.Field)" not in case(library, rows(Field("x", INT))).source


@pytest.mark.parametrize("library", SECOND)
def test_second_generation_keeps_order_in_containers(library):
    """A custom field is its items' parent, from which a nested schema takes whether it is ordered."""
    inner = Record("Inner", (Field("y", INT), Field("z", INT)))
    for type_ in (Tuple((Ref("Inner"), INT)), Map(Ref("Inner"))):
        source = case(library, rows(Field("x", type_), records=(inner,))).source
        assert "    ordered = True\n\n    def __init__" in source
        assert "item.parent = self" in source


@pytest.mark.parametrize("library", SECOND)
def test_second_generation_refuses_wire_names_that_it_mixes_up(library):
    """A key that is found under another field's name, or an empty one, would be read wrongly."""
    swapped = rows(Field("a", INT, alias="b"), Field("b", INT, alias="a"))
    assert "load_from is used only" in (case(library, swapped).reason or "")
    assert case(library, rows(Field("a", INT, alias=""))).reason is not None
    assert case("marshmallow3", swapped).reason is None


def test_toasted_is_given_no_text_for_code():
    """A wire name that toasted-marshmallow would write into its code as something else is refused."""
    for alias in ('"', "x; import os", "we ird", "@kind", "{0}", "a\nb"):
        reason = case("toastedmarshmallow", rows(Field("x", INT, alias=alias))).reason
        assert "not a valid attribute name" in (reason or "")
    assert case("toastedmarshmallow", rows(Field("x", INT, alias="class"))).reason is None


def test_toasted_has_decimals_as_text():
    """The compiled functions know no `as_string`, so the field is a class of its own."""
    schema = rows(Field("x", DECIMAL))
    assert "x = DecimalField(required=True)" in case("toastedmarshmallow", schema).source
    assert "x = fields.Decimal(as_string=True, required=True)" in case("marshmallow2", schema).source


@pytest.mark.parametrize("library", FAMILY)
def test_no_field_hides_what_its_schema_needs(library):
    """The method that makes the object steps aside for a field of its name, and so does what the module imports."""
    source = case(library, rows(Field("make", STR))).source
    assert "    make = fields.String(required=True)" in source
    assert "    def make_(" in source
    for name, aside in (("fields", "_fields.String("), ("post_load", "@_post_load"), ("dict", "dict")):
        source = case(library, rows(Field(name, STR))).source
        assert f"    {name} = " in source
        assert aside in source


@pytest.mark.parametrize("library", FAMILY)
def test_no_class_is_called_as_a_schema(library):
    """The schema of a record steps aside for another record that is called so."""
    twin = Record("RowSchema", (Field("y", INT),))
    source = case(library, rows(Field("x", Ref("RowSchema")), records=(twin,))).source
    assert "class RowSchema:" in source
    assert "class _RowSchema(" in source


@pytest.mark.parametrize("library", SECOND)
def test_second_generation_finds_a_later_schema_in_its_own_module(library):
    """A schema that stands below is named with its module, since another module may have its like."""
    node = Record("Row", (Field("kids", List(Ref("Row"))),))
    source = case(library, Schema(List(Ref("Row")), (node,))).source
    assert 'fields.Nested(f"{__name__}.RowSchema", many=True, required=True)' in source


def test_marshmallow_dataclass_maps_what_marshmallow_does_not():
    """The base schema is written only where a type needs it."""
    plain = case("marshmallow-dataclass", rows(Field("x", DATE))).source
    mapped = case("marshmallow-dataclass", rows(Field("x", List(DECIMAL)))).source
    assert "RowSchema = class_schema(Row)\n" in plain
    assert "Decimal: partial(fields.Decimal, as_string=True)" in mapped
    assert "RowSchema = class_schema(Row, base_schema=BaseSchema)\n" in mapped


@pytest.mark.parametrize(
    ("type_", "carried"),
    [
        (Union((STR, INT)), True),
        (Union((STR, List(INT))), True),
        (Union((INT, STR)), False),
        (Union((Enum("Level", (("LOW", 1),)), STR)), False),
        (Union((STR, DATE)), False),
    ],
)
def test_marshmallow_dataclass_carries_unions_that_it_tells_apart(type_: Type, carried: bool):
    """A union is refused where an earlier member would take the value of a later one."""
    assert (case("marshmallow-dataclass", rows(Field("x", type_))).reason is None) is carried


def test_marshmallow_dataclass_takes_no_field_for_a_schema():
    """A field that the library would take for the class's own schema is refused."""
    for name in ("Meta", "Schema"):
        reason = case("marshmallow-dataclass", rows(Field(name, STR, default="x"))).reason
        assert "would hide" in (reason or "")


@pytest.mark.parametrize("library", [*FAMILY, "marshmallow-dataclass"])
def test_text_of_a_wire_name_stays_text(library):
    """Whatever a wire name holds, the source has it as one string."""
    alias = "\"\\\n'{x}"
    source = case(library, rows(Field("x", INT, alias=alias))).source
    if source:
        assert alias in {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    else:
        assert re.search("not a valid attribute name", case(library, rows(Field("x", INT, alias=alias))).reason or "")
