"""A name of data hides nothing that the code of its module imports, defines or takes from the builtins."""

from __future__ import annotations

from datetime import date

import pytest
from round_trip import AT_HAND, failure

from serbench.model.records import Enum, Field, List, Optional, Record, Ref, Schema
from serbench.model.scalars import DATE, INT, STR
from serbench.render.case import render
from serbench.render.codec import codec_named
from serbench.render.library import libraries


def case(library, codec, fields, name="Row"):
    """The library's case for rows with these fields, and the schema."""
    schema = Schema(List(Ref(name)), (Record(name, fields),))
    return render(libraries()[library], "default", codec_named(codec), schema), schema


@pytest.mark.parametrize(
    ("library", "name", "imported"),
    [
        ("pydantic", "Field", "from pydantic import Field as _Field\n"),
        ("pydantic", "str", "from builtins import str as _str\n"),
        ("msgspec", "msgspec", "import msgspec as _msgspec\n"),
        ("mashumaro", "field_options", "from mashumaro import field_options as _field_options\n"),
        ("dataclasses", "list", "from builtins import list as _list\n"),
        ("marshmallow", "fields", "from marshmallow import fields as _fields\n"),
        ("class-validated", "isinstance", "from builtins import isinstance as _isinstance\n"),
    ],
)
def test_import_under_another_name(tmp_path, library, name, imported):
    """What a field would hide is imported under another name; the field keeps its own, and its record comes back."""
    fields = (Field("text", STR), Field(name, STR, default=""), Field("x", List(STR), alias="a-b", default=[]))
    made, schema = case(library, "json/json", fields)
    assert imported in made.source
    assert failure(made, schema, [{"text": "a", name: "b", "a-b": ["c"]}], tmp_path) is None


@pytest.mark.parametrize("name", ["BaseModel", "TypeAdapter", "Any", "adapter", "json", "list"])
def test_class_that_has_the_name_of_an_import(tmp_path, name):
    """So it is with a class of the schema, and with what the module defines beside it."""
    made, schema = case("pydantic", "json/json", (Field("x", List(STR)),), name)
    assert f"class {name}(" in made.source
    assert failure(made, schema, [{"x": ["a"]}], tmp_path) is None


def test_class_that_has_the_name_of_an_import_and_of_a_variable(tmp_path):
    """A class `Config` hides neither what dacite calls so, nor the variable `config` of its module."""
    made, schema = case("dacite", "json/json", (Field("d", DATE),), "Config")
    assert "for config_ in" in made.source
    assert failure(made, schema, [{"d": date(2026, 1, 2)}], tmp_path) is None


@pytest.mark.full
@pytest.mark.parametrize("library", AT_HAND)
def test_class_that_has_the_name_of_anything(tmp_path, library):
    """Whatever any library's module imports or defines, a record may have its name."""
    names = [
        "Any",
        "Config",
        "Encoder",
        "Enum",
        "Factory",
        "Field",
        "Fields",
        "List",
        "Literal",
        "Mapper",
        "Optional",
        "Path",
    ]
    names += ["Resource", "Row", "RowSchema", "Schema", "Serializer", "Struct", "Text", "Type"]
    for name in names:
        fields = (Field("x", List(STR)), Field("z", Ref("Inner"), alias="a-b"), Field("y", Optional(INT), default=None))
        records = (Record("Inner", (Field("d", DATE),)), Record(name, fields))
        schema = Schema(List(Ref(name)), records)
        value = [{"x": ["a"], "y": None, "a-b": {"d": date(2024, 5, 6)}}]
        made = render(libraries()[library], "default", codec_named("json/json"), schema)
        assert made.reason is None or "http" in made.reason
        assert made.reason or failure(made, schema, value, tmp_path) is None, name


def test_enum_that_has_the_name_of_an_import(tmp_path):
    """And with an enumeration."""
    made, schema = case("class", "json/json", (Field("x", Enum("Enum", (("A", 1),))),))
    assert "class Enum(_Enum):" in made.source
    assert failure(made, schema, [{"x": 1}], tmp_path) is None


@pytest.mark.parametrize("library", sorted(libraries()))
def test_text_without_a_clash(library):
    """A field that has the name of something which nothing in its scope uses changes no other name."""
    plain, _ = case(library, "json/json", (Field("stem", STR), Field("x", INT)))
    other, _ = case(library, "json/json", (Field("encode", STR), Field("x", INT)))
    assert other.source == plain.source.replace("stem", "encode")


@pytest.mark.parametrize(("library", "name"), [("mashumaro", "Config"), ("jsons", "dump")])
def test_what_the_library_looks_for_in_a_class(library, name):
    """A field is refused that has the name of something which the library looks for in its class."""
    made, _ = case(library, "orjson/json", (Field(name, STR), Field("x", STR, alias="a-b")))
    found, _ = case(library, "json/json", (Field(name, STR), Field("x", STR, alias="a-b")))
    assert all(f"{name} would hide the library's own attribute" in (one.reason or "") for one in (made, found))
