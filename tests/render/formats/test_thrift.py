"""Thrift: fields whose names the language reserves, and what thriftpy2 makes of bytes and sets."""

from io import StringIO

import pytest
import thriftpy2.protocol
from round_trip import failure
from thriftpy2 import utils
from thriftpy2.parser import lexer
from thriftpy2.parser.parser import parse_fp
from thriftpy2.thrift import TPayload

from serbench.model.names import field_name
from serbench.model.records import Field, List, Record, Ref, Schema
from serbench.model.scalars import STR
from serbench.render.case import render
from serbench.render.codec import codecs
from serbench.render.library import libraries

CODEC = next(codec for codec in codecs() if codec.name == "thriftpy2")
RESERVED = [*lexer.keywords, *lexer.thrift_reserved_keywords, "true", "false"]
ATTRIBUTES = [name for name in dir(TPayload) if not name.startswith("__")]


@pytest.mark.parametrize("root", [Ref("Row"), List(Ref("Row"))], ids=["record", "list"])
@pytest.mark.parametrize("library", ["typeddict", "dataclasses", "generated", "msgspec"])
def test_names_that_the_language_reserves(tmp_path, library, root):
    """A field may have any name: each comes back under its own."""
    keys = sorted({*RESERVED, *ATTRIBUTES, "list_"})
    names: list[str] = []
    for key in keys:
        names.append(field_name(key, names))
    fields = tuple(Field(name, STR, alias=key) for name, key in zip(names, keys, strict=True))
    schema = Schema(root, (Record("Row", fields),))
    row = {key: f"value of {key}" for key in keys}
    case = render(libraries()[library], "default", CODEC, schema)
    assert failure(case, schema, row if root == Ref("Row") else [row], tmp_path) is None


PROTOCOLS = ("TCyBinaryProtocolFactory", "TBinaryProtocolFactory", "TCompactProtocolFactory", "TJSONProtocolFactory")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_bytes_stay_bytes_and_a_set_becomes_a_list(protocol):
    """Thriftpy2 gives a `binary` back as bytes, readable or not, and a `set` as a list: the format's file says so."""
    factory = getattr(thriftpy2.protocol, protocol)
    idl = parse_fp(StringIO("struct Row { 1: binary some, 2: set<string> names }"), "row_thrift", enable_cache=False)
    for some in (b"readable", b"\xff\xfe"):
        blob = utils.serialize(idl.Row(some=some, names={"a"}), factory())
        row = utils.deserialize(idl.Row(), blob, factory())
        assert (some, ["a"]) == (row.some, row.names)
