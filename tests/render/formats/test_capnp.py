"""Cap'n Proto: records whose names the language has, and documents that are read again and again."""

import capnp
import pytest
from round_trip import failure, imported

from serbench.model.records import Field, List, Map, Record, Ref, Schema
from serbench.model.scalars import STR
from serbench.render.case import render
from serbench.render.codec import codecs
from serbench.render.library import libraries

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


def test_a_document_is_read_as_often_as_one_likes(tmp_path):
    """A document of 1 MB is read a hundred times, past the limit at which a reader of pycapnp stops by default."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("note", STR),)),))
    module = imported(render(libraries()["generated"], "default", CODEC, schema, beside=["build", "read"]), tmp_path)
    blob = module.encode(module.build([{"note": "x" * 1_000_000}]))
    decoded = module.decode(blob)
    for _ in range(100):
        module.read(decoded)
    (limited,) = module.Root.read_multiple_bytes(blob)
    with pytest.raises(capnp.KjException, match="traversal limit"):
        all(module.read(limited) is None for _ in range(100))
