"""Cap'n Proto: records whose names the language has."""

import pytest
from round_trip import failure

from serbench.model.records import Field, List, Map, Record, Ref, Schema
from serbench.model.scalars import STR
from serbench.render.format import codecs
from serbench.render.library import libraries
from serbench.render.rendering import render

CODEC = next(codec for codec in codecs() if codec.name == "pycapnp")


@pytest.mark.parametrize("library", ["typeddict", "generated"])
@pytest.mark.parametrize("root", [Ref, lambda name: List(Ref(name))], ids=["record", "list"])
@pytest.mark.parametrize("name", ["Text", "List", "Data", "Any", "Entry0", "Int64"])
def test_names_that_the_language_has(tmp_path, library, root, name):
    """A record may be called like a type of the language, or like an entry of a map: its struct gets an ending."""
    schema = Schema(root(name), (Record(name, (Field("kept", STR), Field("more", Map(STR)))),))
    value = {"kept": "a", "more": {"key": "b"}}
    case = render(libraries()[library], "default", CODEC, schema)
    assert failure(case, schema, value if root is Ref else [value], tmp_path) is None


def test_names_that_meet():
    """Two records of one struct are refused, by the names that the data has."""
    fields = (Field("a", Ref("Text")), Field("b", Ref("TextStruct")))
    records = (Record("Text", (Field("x", STR),)), Record("TextStruct", (Field("x", STR),)), Record("Row", fields))
    reason = render(libraries()["typeddict"], "default", CODEC, Schema(Ref("Row"), records)).reason
    assert "Text, TextStruct, Row" in (reason or "")
