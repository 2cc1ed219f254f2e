"""FlatBuffers: what lies where, what its names allow, and a reader that refuses what cannot be."""

from __future__ import annotations

import importlib.util
import struct

import pytest

from serbench.model.records import Field, List, Optional, Record, Ref, Schema, Type
from serbench.model.scalars import FLOAT, INT, STR
from serbench.render.case import Case, render
from serbench.render.codec import codecs
from serbench.render.library import libraries
from serbench.render.reading.with_schema import read_flatbuffers

CODEC = next(codec for codec in codecs() if codec.name == "flatbuffers")
# root offset; vtable and table of a Document; vector of one offset; vtable and table of a Row; its text
BY_HAND = struct.pack("<I HHHH iI II HHHH iI I4s", 12, 6, 8, 4, 0, 8, 4, 1, 12, 6, 8, 4, 0, 8, 4, 1, b"a\0\0\0")


def case(*fields: Field, library: str = "typeddict") -> Case:
    return render(libraries()[library], "default", CODEC, schema(*fields))


def schema(*fields: Field) -> Schema:
    return Schema(List(Ref("Row")), (Record("Row", fields),))


def module(rendered: Case, folder, name: str):
    path = folder / f"{name}.py"
    path.write_text(rendered.source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_bytes_laid_out_by_hand_are_read(tmp_path):
    """A document put together by the specification is the same to the rendered module and to the independent reader."""
    rendered = case(Field("text", STR))
    assert [{"text": "a"}] == module(rendered, tmp_path, "by_hand").decode(BY_HAND)
    assert [{"text": "a"}] == read_flatbuffers(BY_HAND, schema(Field("text", STR)).as_data(), rendered.schema_text)


def laid_out(items: int, length: int, text: bytes) -> bytes:
    """A document of one record with one text, with the numbers that it announces."""
    return struct.pack("<I HHHH i II II HHHH i II", 12, 6, 8, 4, 0, 8, 4, items, 16, 0, 6, 8, 4, 0, 8, 4, length) + text


@pytest.mark.parametrize(
    "blob",
    [
        pytest.param(struct.pack("<I", 900), id="an offset beyond the end"),
        pytest.param(laid_out(900, 1, b"a\0\0\0"), id="more items than there are"),
        pytest.param(laid_out(1, 900, b"a\0\0\0"), id="more text than there is"),
        pytest.param(laid_out(1, 2, b"\xff\xfe\0\0"), id="no UTF-8"),
    ],
)
def test_the_reader_refuses_wrong_bytes(blob):
    """The independent reader refuses bytes that announce what is not there, or that are no text, with a ValueError."""
    text = case(Field("text", STR)).schema_text
    with pytest.raises(ValueError, match=r"but the document ends at|no default|invalid start byte"):
        read_flatbuffers(blob, schema(Field("text", STR)).as_data(), text)


def test_what_equals_its_default_comes_back(tmp_path):
    """Zero is left out and comes back as 0, -0.0 is kept, and None is neither."""
    fields = (Field("number", INT), Field("ratio", FLOAT), Field("maybe", Optional(INT)))
    value = [{"number": 0, "ratio": -0.0, "maybe": 0}, {"number": 0, "ratio": 0.0, "maybe": None}]
    rendered = case(*fields)
    assert "  number:long;\n  ratio:double = null;\n  maybe:long = null;" in rendered.schema_text
    made = module(rendered, tmp_path, "defaults")
    assert repr(value) == repr(made.decode(made.encode(value)))


@pytest.mark.parametrize(
    ("name", "type_"),
    [("init", INT), ("get_root_as", INT), ("a_b", INT), ("items", List(INT)), ("Row", INT)],
)
def test_names_that_would_meet_are_refused(name: str, type_: Type):
    """A field whose accessor or name would be another's is a reason, not a module that reads the wrong one."""
    others = (Field("aB", INT), Field("items_length", INT))
    assert "https://flatbuffers.dev" in (case(Field(name, type_), *others).reason or "")
