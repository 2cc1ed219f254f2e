"""Byte formats: found by listing, and read independently of the codec under test."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
import textwrap
from datetime import UTC, date, datetime
from itertools import permutations
from typing import Any

import pytest
from installation import is_expected, what_is_missing
from packaging.markers import Marker
from round_trip import failure, imported

from serbench.model.fidelity import wire_difference
from serbench.model.records import Enum, Field, List, Map, Optional, Record, Ref, Schema, Union
from serbench.model.scalars import BOOL, DATE, DATETIME, FLOAT, INT, STR
from serbench.render.case import combinations, render
from serbench.render.codec import codecs, formats
from serbench.render.library import libraries

SCHEMA = Schema(
    List(Ref("Row")),
    (Record("Row", (Field("text", STR), Field("number", INT), Field("ratio", FLOAT), Field("flag", BOOL))),),
)
VALUE = [
    {"text": 'é"\\\n', "number": 2**40, "ratio": -0.0, "flag": True},
    {"text": "", "number": -1, "ratio": 1.0, "flag": False},
]
SERVING_ALL = [codec for codec in codecs() if not codec.only and is_expected(codec.distribution)]
WRITING = [
    codec for codec in SERVING_ALL if "encode" in render(libraries()["typeddict"], "default", codec, SCHEMA).operations
]


def name_of(codec) -> str:
    return f"{codec.format}/{codec.name}"


def test_there_are_many():
    """There are at least 25 codecs in at least 14 formats, each codec under one name in its format."""
    pairs = [(codec.format, codec.name) for codec in codecs()]
    assert len(pairs) == len(set(pairs))
    assert len({name.partition("[")[0] for _, name in pairs}) >= 25
    assert len(formats()) >= 14


@pytest.mark.parametrize("codec", SERVING_ALL, ids=name_of)
def test_flat_records_come_back(codec, tmp_path):
    """What a codec writes it reads, and each independent reader of its format reads the same; or a reason says why not."""
    case = render(libraries()["typeddict"], "default", codec, SCHEMA)
    if case.reason is not None:
        assert case.reason in codec.limits.lacks.values()
        return
    module = imported(case, tmp_path)
    writing = imported(case.writer, tmp_path) if case.writer else module
    blob = writing.encode(VALUE)
    assert type(blob) is bytes
    data = SCHEMA.as_data()
    if "decode" in case.operations:
        assert VALUE == module.decode(blob)
    readers = case.readers(data)
    assert readers or formats()[codec.format].reader_in_worker
    for read in readers.values():
        assert wire_difference(data, data["root"], VALUE, read(blob)) is None


def test_a_column_of_csv_may_have_any_name(tmp_path):
    """Columns have names as they are when pandas reads them: an index has none, and `a.1` is no second `a`."""
    record = Record("Row", (Field("index", INT, alias=""), Field("a", STR), Field("a_1", STR, alias="a.1")))
    schema, value = Schema(List(Ref("Row")), (record,)), [{"": 0, "a": "x", "a.1": "y"}]
    (codec,) = (codec for codec in codecs() if codec.format == "csv")
    case = render(libraries()["typeddict"], "default", codec, schema)
    blob = imported(case, tmp_path).encode(value)
    assert {"pandas": value} == {name: read(blob) for name, read in case.readers(schema.as_data()).items()}


def test_a_row_of_csv_may_be_blank(tmp_path):
    """Rows of one column may have nothing, or spaces alone, when pandas reads them."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("a", Optional(STR)),)),))
    value = [{"a": None}, {"a": "x"}, {"a": " "}]
    (codec,) = (codec for codec in codecs() if codec.format == "csv")
    case = render(libraries()["typeddict"], "default", codec, schema)
    blob = imported(case, tmp_path).encode(value)
    assert [value] == [read(blob) for read in case.readers(schema.as_data()).values()]


@pytest.mark.parametrize(
    "fields",
    [(Field("foo_bar", INT), Field("fooBar", INT)), (Field("fooBar", Map(INT)), Field("foobar", Map(INT)))],
)
def test_fields_of_one_name_in_protocol_buffers_are_unsupported(fields):
    """They have one name in JSON, or one for their entries, as protoc would tell."""
    schema = Schema(List(Ref("Row")), (Record("Row", fields),))
    (codec, *_) = (codec for codec in SERVING_ALL if codec.format == "protobuf")
    assert "two fields have the name" in render(libraries()["typeddict"], "default", codec, schema).reason


@pytest.mark.parametrize("value", ["Level", "Document", "Row"])
def test_a_name_of_an_enum_is_no_other_name_in_protocol_buffers(value, tmp_path):
    """Else it is text, for the values of an enum stand beside the messages and enums."""
    row = Record("Row", (Field("level", Enum("Level", (("A", value), ("B", "Other")))),))
    schema, rows = Schema(List(Ref("Row")), (row,)), [{"level": value}]
    (codec, *_) = (codec for codec in SERVING_ALL if codec.format == "protobuf")
    case = render(libraries()["typeddict"], "default", codec, schema)
    assert failure(case, schema, rows, tmp_path) is None


_ONLY_A_TOOL = {"base64", "collections", "io", "re", "tempfile", "typing"}


@pytest.mark.parametrize("codec", codecs(), ids=name_of)
def test_no_codec_vouches_for_itself(codec):
    """What reads a codec's bytes for verification imports nothing of the codec; where nothing else reads them, the format says so."""
    format_ = formats()[codec.format]
    readers = format_.independent_readers(codec)
    assert readers or format_.reader_in_worker or format_.unread
    assert not codec.implementation & set(readers)
    own = {re.split("[.:]", name)[0] for name in codec.calls.imports} - _ONLY_A_TOOL
    own -= {"amazon", "ubjson"}  # each has an implementation in C, which is measured, and one in Python, which reads
    for read in readers.values():
        tree = ast.parse(textwrap.dedent(inspect.getsource(read)))
        of_imported = inspect.getclosurevars(read).nonlocals.get("name", "")
        names = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
        names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert own & {re.split("[.:]", name)[0] for name in (*names, of_imported)} == set()


@pytest.mark.parametrize("codec", WRITING, ids=name_of)
def test_a_wrong_byte_is_not_the_same_document(codec, tmp_path):
    """An independent reader finds a document that is another one to differ."""
    case = render(libraries()["typeddict"], "default", codec, SCHEMA)
    module = imported(case, tmp_path)
    data = SCHEMA.as_data()
    blob = module.encode([{**VALUE[0], "number": 7}, VALUE[1]])
    for read in case.readers(data).values():
        assert "expected 1099511627776, got 7" in wire_difference(data, data["root"], VALUE, read(blob))


@pytest.mark.parametrize("codec", WRITING, ids=name_of)
def test_a_refused_object_leaves_no_trace(codec, tmp_path):
    """A codec writes the same bytes before and after an object that it does not take."""
    module = imported(render(libraries()["typeddict"], "default", codec, SCHEMA), tmp_path)
    blob = module.encode(VALUE)
    with contextlib.suppress(Exception):  # whatever it raises, if it does
        module.encode([{**VALUE[0], "number": object()}])
    assert blob == module.encode(VALUE)


@pytest.mark.parametrize("codec", formats()["yaml"].codecs, ids=name_of)
def test_a_refused_document_leaves_no_trace(codec, tmp_path):
    """A codec of YAML reads the same after documents that it does not take, of which one is wrong in two places."""
    case = render(libraries()["typeddict"], "default", codec, SCHEMA)
    if "decode" not in case.operations:
        assert "decode" in codec.limits.cannot
        return
    module = imported(case, tmp_path)
    blob = module.encode(VALUE)
    for wrong in (b"- {a: {b: !unknown 1}}\n- !unknown 2\n", b"- &a [{", b"a: *b"):
        with contextlib.suppress(Exception):  # each codec raises its own, or ignores the tag
            module.decode(wrong)
        assert VALUE == module.decode(blob)


@pytest.mark.parametrize(
    "format_", [formats()[name] for name in {c.format: c for c in SERVING_ALL}], ids=lambda f: f.name
)
def test_bad_inputs_can_be_written(format_):
    """What a format writes for a bad input is read back as it was meant; typed bytes and pickles hold no wrong type."""
    document = {"text": "é", "number": 5, "ratio": 1.5, "flag": True, "inner": {"k": [1, "x"]}, "items": [1.5]}
    if format_.write is None:
        assert format_.reader_in_worker or format_.typed or format_.unread
        return
    assert {True} == {read(format_.write(document)) == document for read in format_.readers.values()}


@pytest.mark.parametrize("codec", [codec for codec in codecs() if codec.distribution], ids=name_of)
def test_it_is_installed(codec):
    """An installation of serbench has the codec, in a pinned version; its marker, if it has one, is valid."""
    Marker(codec.marker or "python_version > '3'")
    if line := what_is_missing(codec.distribution, "formats"):
        pytest.fail(line, pytrace=False)


@pytest.mark.parametrize("codec", [c for c in codecs() if c.calls.describe], ids=name_of)
def test_the_schema_stands_beside_the_module(codec):
    """A codec that describes its schema in a language of its own gives that text under a file's name."""
    case = render(libraries()["typeddict"], "default", codec, SCHEMA)
    if not case.schema_text:
        assert codec.format in ("csv", "json", "toml")
        return
    assert re.fullmatch(r"\w+\.\w+", case.schema_file)
    assert all(f.name in case.schema_text for f in SCHEMA.record("Row").fields)


def test_generated_objects_are_offered_where_there_are_some():
    """The format's own objects are a library with every codec that makes some, and with no other."""
    with_own = {name_of(codec) for library, codec in combinations([libraries()["generated"]])}
    assert with_own == {name_of(codec) for codec in codecs() if codec.objects.generates}
    assert {
        "protobuf/protobuf",
        "arrow/pyarrow",
        "numpy/numpy",
        "capnp/pycapnp",
        "thrift/thriftpy2",
        "flatbuffers/flatbuffers",
    } <= with_own


def test_a_document_that_is_no_record_is_wrapped():
    """BSON and TOML have a record at the root, under a key that the case names; a record needs none."""
    for name in ("bson", "toml"):
        codec = next(c for c in codecs() if c.format == name)
        roots = [render(libraries()["class"], "default", codec, Schema(root, SCHEMA.records)).root for root in _ROOTS]
        assert ["items", ""] == roots


_ROOTS: list[Any] = [List(Ref("Row")), Ref("Row")]


@pytest.mark.parametrize("text", ["3E4415", "1e5", "-1E+5", "1.e5", "0o17", "08", "-.5", "1_0e5"])
def test_a_text_that_is_a_number_in_another_yaml_is_a_text(text):
    """PyYAML writes YAML 1.1, where such a text needs no quotes, and is read as that; ruamel.yaml writes 1.2."""
    yaml, format_ = pytest.importorskip("yaml"), formats()["yaml"]
    values = {"text": text, "number": 1.5e300, "count": -17}
    written = {"pyyaml": yaml.safe_dump(values).encode(), "ruamel": text_of_ruamel(values)}
    for codec in format_.codecs:
        for name in format_.independent_readers(codec) if codec.name in written else ():
            assert values == format_.readers[name](written[codec.name]), (codec.name, name)


def text_of_ruamel(values: dict[str, Any]) -> bytes:
    """The bytes that ruamel.yaml writes."""
    stream = io.BytesIO()
    pytest.importorskip("ruamel.yaml").YAML(typ="safe", pure=True).dump(values, stream)
    return stream.getvalue()


@pytest.mark.parametrize("members", list(permutations((DATE, DATETIME))), ids=str)
@pytest.mark.parametrize("codec", [c for c in codecs() if c.format == "avro" and "[" not in c.name], ids=name_of)
def test_a_union_of_avro_tells_a_date_from_a_datetime(codec, members, tmp_path):
    """In either order, a date stays a date and a datetime a datetime, though its writers take the first that fits."""
    schema = Schema(List(Ref("Row")), (Record("Row", (Field("x", Union(members)),)),))
    value = [{"x": date(2024, 6, 15)}, {"x": datetime(2024, 6, 15, tzinfo=UTC)}]
    assert failure(render(libraries()["dataclasses"], "default", codec, schema), schema, value, tmp_path) is None
    doubled = Schema(List(Ref("Row")), (Record("Row", (Field("x", Union((INT, DATETIME))),)),))
    assert "no two members" in (render(libraries()["dataclasses"], "default", codec, doubled).reason or "")
