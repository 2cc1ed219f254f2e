"""Guarantees of `infer` and `normalise` for any JSON document, and expected results for real ones."""

from __future__ import annotations

import json
import uuid
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serbench.errors import SchemaError
from serbench.model.inference.infer import DEEPEST, infer
from serbench.model.normalise import normalise
from serbench.model.records import Field, List, Map, Optional, Record, Ref, Schema, Union
from serbench.model.scalars import (
    ANY,
    BIGINT,
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    FLOAT,
    INT,
    NAIVE_DATETIME,
    STR,
    UINT64,
    UUID,
)

PAYLOADS = Path(__file__).parents[3] / "shared" / "payloads"

keys = st.one_of(
    st.sampled_from(["id", "a", "b", "a-b", "a_b", "children", "class", "2024-01-01", "17", "", "Id"]), st.text()
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
)
documents = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.dictionaries(keys, inner, max_size=6),
        st.lists(st.fixed_dictionaries({"id": scalars}, optional={"a": inner, "children": inner}), max_size=4),
    ),
    max_leaves=40,
)


CLASSES = {
    STR: str,
    INT: int,
    UINT64: int,
    BIGINT: int,
    FLOAT: float,
    BOOL: bool,
    DATE: date,
    DATETIME: datetime,
    UUID: uuid.UUID,
}
CLASSES |= {NAIVE_DATETIME: datetime, BYTES: bytes}


def without_nones(value: Any) -> Any:
    """Return the document with all None items of objects removed."""
    if isinstance(value, dict):
        return {key: without_nones(item) for key, item in value.items() if item is not None}
    return [without_nones(item) for item in value] if isinstance(value, list) else value


def matches(value: Any, type_: Any, schema: Schema) -> bool:
    """Return whether a neutral value has the type; written independently of the code under test."""
    match type_:
        case Optional(item):
            return value is None or matches(value, item, schema)
        case List(item):
            return type(value) is list and all(matches(v, item, schema) for v in value)
        case Map(item):
            return type(value) is dict and all(matches(v, item, schema) for v in value.values())
        case Ref(name):
            fields = schema.record(name).fields
            return (
                type(value) is dict
                and list(value) == [*([schema.tags[name]] if name in schema.tags else []), *(f.wire for f in fields)]
                and all(matches(value[f.wire], f.type, schema) or (value[f.wire] is f.default is None) for f in fields)
            )
        case Union(members, None):
            return any(matches(value, member, schema) for member in members)
        case Union(members, tag):
            variants = {schema.record(m.record).tag_value: m for m in members}
            return tag in value and matches(value, variants[value[tag]], schema)
    return type_ == ANY or type(value) is CLASSES[type_]


def fields_of(schema: Schema, record: str = "Record") -> dict[str, Any]:
    """Field name → type."""
    return {f.name: f.type for f in schema.record(record).fields}


@settings(max_examples=200, deadline=None)
@given(documents)
def test_nothing_is_lost(document: Any) -> None:
    """The neutral value minus its Nones equals the document minus its nulls."""
    assert without_nones(document) == without_nones(normalise(document, infer(document)))


@settings(max_examples=200, deadline=None)
@given(documents)
def test_values_have_their_types(document: Any) -> None:
    """Every value of the neutral form has exactly its type in the schema, and every field is present."""
    schema = infer(document)

    assert matches(normalise(document, schema), schema.root, schema)


@pytest.mark.full
@settings(max_examples=200, deadline=None)
@given(documents)
def test_class_names_are_not_field_names(document: Any) -> None:
    """No record has the name of a field, which would shadow it in the class body."""
    schema = infer(document)

    assert not {record.name for record in schema.records} & {f.name for r in schema.records for f in r.fields}


@settings(max_examples=100, deadline=None)
@given(documents)
def test_is_deterministic(document: Any) -> None:
    """A document has the same schema after conversion to JSON text and back."""
    assert infer(document) == infer(json.loads(json.dumps(document)))


@pytest.mark.parametrize(
    ("document", "root"),
    [
        (None, ANY),
        (True, BOOL),
        (3, INT),
        ("", STR),
        ([], List(ANY)),
        ([None], List(ANY)),
        ([1, None], List(Optional(INT))),
        ([1, 2.5], List(FLOAT)),
        ([1, True], List(Union((INT, BOOL)))),
        ([1, "1"], List(Union((INT, STR)))),
        ([[1.5], []], List(List(FLOAT))),
        ([[], {}], List(Union((Map(ANY), List(ANY))))),
        ([[1], "a", None, {"x": 1}, 2.5], List(Optional(Union((Ref("Record"), FLOAT, STR, List(INT)))))),
        ([2**53, 0.5], List(FLOAT)),
        ([2**53 + 1, 0.5], List(Union((FLOAT, INT)))),
        ([2**64 - 1, -(2**63)], List(BIGINT)),
        ([2**64, 1], List(BIGINT)),
        ([2**63, 0], List(UINT64)),
        ([2**64 - 1, 2**63 - 1], List(UINT64)),
        ([2**63 - 1, -(2**63)], List(INT)),
        ([2**63, 0.5], List(Union((FLOAT, UINT64)))),
        ([2**64, "a", 0.5], List(Union((FLOAT, BIGINT, STR)))),
        ({}, Map(ANY)),
        ([{}], List(Map(ANY))),
    ],
)
def test_types(document: object, root: object) -> None:
    """Ints among floats are floats if that is exact; other values of several types form a union."""
    assert root == infer(document).root


def test_absent_and_null_fields_are_optional_and_last() -> None:
    """A field that is sometimes missing or null is optional with default None, after the required ones."""
    schema = infer([{"a": 1, "b": None, "c": None, "d": 1}, {"b": 2, "c": None, "d": 2}])

    assert schema.records == (
        Record(
            "Record",
            (
                Field("d", INT),
                Field("a", Optional(INT), None, None),
                Field("b", Optional(INT), None, None),
                Field("c", ANY, None, None),
            ),
        ),
    )


def test_int_becomes_float_in_the_value() -> None:
    """If a field became float, the neutral value holds a float."""
    document = [{"x": 1}, {"x": 2.5}]

    assert [type(record["x"]) for record in normalise(document, infer(document))] == [float, float]


def test_tree_is_one_recursive_record() -> None:
    """Children that resemble their parent share the parent's record."""
    leaf = {"name": "b", "children": []}
    schema = infer({"name": "a", "children": [leaf, {"name": "c", "children": [leaf]}]}, "Node")

    assert schema == Schema(Ref("Node"), (Record("Node", (Field("name", STR), Field("children", List(Ref("Node"))))),))


def test_equal_records_under_other_keys_are_shared() -> None:
    """Objects with the same three or more fields are one record; with fewer they are two."""
    person = {"login": "a", "id": 1, "url": "u"}
    schema = infer({"actor": person, "owner": person, "from_": {"x": 1}, "to": {"x": 1}})

    assert fields_of(schema) == {"actor": Ref("Actor"), "owner": Ref("Actor"), "from_": Ref("From"), "to": Ref("To")}


def test_objects_that_are_all_alike_are_named_after_their_collection() -> None:
    """Equal objects under different keys of `sizes` become the record Size."""
    size = {"w": 1, "h": 2, "resize": "fit"}

    assert set(fields_of(infer({"sizes": {"small": size, "large": size}}), "Sizes").values()) == {Ref("Size")}


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ([{"x": 1}], {"Order"}),
        ({"x": 1}, {"Orders"}),
        ({"prices": {str(day): {"low": 1, "high": 2} for day in range(20)}}, {"Orders", "Price"}),
    ],
)
def test_one_of_many_is_named_in_the_singular(document: object, names: set[str]) -> None:
    """So is a record of a list or of a map; one that stands alone has its name as it is."""
    assert {record.name for record in infer(document, "orders").records} == names


def test_unlike_records_of_one_name_are_told_apart() -> None:
    """A second record of the same name is prefixed with the outer record's name."""
    schema = infer({"entities": {"tags": [1]}, "user": {"entities": {"bio": "x"}}})

    assert [record.name for record in schema.records] == ["Record", "Entities", "User", "UserEntities"]


def test_class_named_like_a_field() -> None:
    """A record whose name equals that of a field gets a number."""
    assert infer({"user": {"x": 1}, "User": 2}).record("User2").fields == (Field("x", INT),)


@pytest.mark.parametrize(
    "document",
    [
        {"2024-01-01": 3},
        {"2024-01-01": {"high": 1.5, "low": 1.0}, "2024-01-02": {"high": 1.5, "low": 1.0}},
        {str(number): "x" for number in range(3)},
        {f"user_{number}": 1 for number in range(1000, 1010)},
        {"a/b.txt": 1, "c/d.txt": 2},
        {"a@example.org": "x", "b@example.org": "y"},
        {f"w{chr(97 + i // 26)}{chr(97 + i % 26)}": i for i in range(100)},
        {name: {"x": 1, "y": 2} for name in ["ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal"]},
        {f"key{'x' * number}": [1, "a", None][number % 3] for number in range(1001)},
        {f"{number:08x}": [1, "a"][number % 2] for number in range(60)},
    ],
)
def test_keys_that_are_data_make_a_map(document: dict[str, Any]) -> None:
    """Dates, numbers, ids, paths and addresses, or very many words, are keys of maps."""
    assert isinstance(infer(document).root, Map)


def test_many_words_with_few_in_each_object_are_a_map() -> None:
    """Word counts are maps, because each object has a few of many keys."""
    words = [f"{a}{b}" for a in "abcdefgh" for b in "aeiouy"]

    assert infer([{words[i]: 1, words[i * 7 % 48]: 2} for i in range(48)]).root == List(Map(INT))


@pytest.mark.parametrize(
    "document",
    [
        {"id": 1, "name": "x"},
        {"sha256": "ab"},
        {"small": {"w": 1, "h": 1}, "large": {"w": 2, "h": 2}},
        {f"column_{name}": name for name in "abcdefghijklmnopqrstuvwxyz"},
        {f"c{'x' * n}": [1, "a", None, 2.5][n % 4] for n in range(300)},
        [{f"q{number}": 1.5 for number in range(1000, 1020)}] * 6,
        [
            {f"field_{'abcdefgh'[n % 8]}{'vwxyz'[n // 8]}": "x" for n in range(40) if (n * 7 + i) % 5 == 0}
            for i in range(50)
        ],
    ],
)
def test_names_of_fields_make_a_record(document: Any) -> None:
    """Ordinary records stay records, with one field or hundreds, and with most fields absent."""
    schema = infer(document)

    assert Ref("Record") in (schema.root, getattr(schema.root, "item", None))


def test_hostile_keys() -> None:
    """Any text can be a key: names are clean, and the wire names are the keys."""
    wires = [
        "__class__",
        "",
        '"); import os',
        "имя",
        "naïve",
        "class",
        "a-b",
        "a_b",
        "self",
        "model_config",
        "\ud800",
        "1",
    ]
    document = {key: [1, "x"][i % 2] for i, key in enumerate(wires)}
    schema = infer(document)

    assert document == normalise(document, schema)
    assert set(wires) == {f.wire for f in schema.record("Record").fields}
    assert all(f.name.isidentifier() and f.name.isascii() for f in schema.record("Record").fields)


def nested(levels: int, make: Any) -> Any:
    """Return a document with this number of levels."""
    document: Any = 1
    for level in range(levels):
        document = make(document, level)
    return document


@pytest.mark.parametrize(
    "make",
    [
        lambda inner, level: {"a": inner, "b": level},
        pytest.param(lambda inner, level: {f"k{'x' * level}": inner, f"n{'x' * level}": None}, marks=pytest.mark.full),
        pytest.param(
            lambda inner, level: {f"k{'x' * level}": inner} if level % 2 else [inner, None], marks=pytest.mark.full
        ),
    ],
    ids=["one name", "a name for each level", "records and lists"],
)
def test_deepest_document(make: Any) -> None:
    """A document of maximum depth is inferred and normalised; one more level is refused in one line."""
    document = nested(DEEPEST, make)

    assert without_nones(document) == without_nones(normalise(document, infer(document)))
    with pytest.raises(SchemaError, match=f"nested more than {DEEPEST} levels deep"):
        infer(nested(DEEPEST + 1, make))


@pytest.mark.parametrize(
    ("document", "other", "message"),
    [
        ({"a": 1}, {"b": 1}, "Record: .*'b'"),
        ({"a": 1}, [], "dict.*list"),
        ([1.5], ["1"], "int.*str"),
    ],
)
def test_another_document_is_refused(document: object, other: object, message: str) -> None:
    """A document that does not match the schema is refused, not truncated."""
    with pytest.raises(SchemaError, match=message):
        normalise(other, infer(document))


@pytest.mark.parametrize("name", ["canada", "github_events", "numbers", "random", "twitter"])
def test_real_payloads(name: str) -> None:
    """Well-known payloads are preserved and have no record whose name has a number."""
    path = PAYLOADS / f"{name}.json"
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    document = json.loads(path.read_bytes())
    schema = infer(document, name)

    plain = infer(document, name, literal_strings=True)
    assert without_nones(document) == without_nones(normalise(document, plain))
    assert {record.name for record in schema.records} == {record.name for record in plain.records}
    assert not any(record.name[-1].isdigit() for record in schema.records)


def test_twitter() -> None:
    """A retweeted status is a status, and users and sizes are separate records."""
    path = PAYLOADS / "twitter.json"
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    schema = infer(json.loads(path.read_bytes()), "twitter")
    status = fields_of(schema, "Status")

    assert Optional(Ref("Status")) == status["retweeted_status"]
    assert Ref("User") == status["user"]
    assert set(fields_of(schema, "Sizes").values()) == {Ref("Size")}


def test_lists_in_lists_have_an_end() -> None:
    """Lists nested beyond the maximum are refused, although inference skips the inner ones."""
    document: Any = []
    for _ in range(100_000):
        document = [document]
    with pytest.raises(SchemaError, match=f"nested more than {DEEPEST} levels deep"):
        infer(document)


@pytest.mark.parametrize(
    ("texts", "type_"),
    [
        (["2024-01-01T00:00:00Z", "2024-12-31T23:59:59Z"], DATETIME),
        (["2024-01-01T00:00:00.125+00:00"], DATETIME),
        (["2024-01-01 00:00:00"], NAIVE_DATETIME),
        (["2024-01-01T00:00:00Z", "2024-01-01T00:00:00+00:00"], STR),
        (["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.125Z"], STR),
        (["2024-01-01T00:00:00Z", "2024-01-01 00:00:00Z"], STR),
        (["2024-01-01T00:00:00Z", "2024-01-01T00:00:00"], STR),
        (["2024-01-01T00:00:00+02:00"], STR),
        (["2024-13-01T00:00:00Z"], STR),
        (["0001-01-01T00:00:00Z"], STR),
        (["2024-01-01", "2024-02-29"], DATE),
        (["2024-01-01", "2023-02-29"], STR),
        (["2024-01-01", "soon"], STR),
        (["20240101"], STR),
        (["٢٠٢٤-01-01"], STR),
        (["123e4567-e89b-12d3-a456-426614174000"], UUID),
        (["123E4567-e89b-12d3-a456-426614174000"], STR),
        (["123e4567e89b12d3a456426614174000"], STR),
        (["AAECAwQFBgcICQoLDA0ODw==", "AAECAwQFBgcICQoLDA0O"], STR),
        (["AAECAwQFBgcICQoLDA0O"], STR),
        (["AAECAwQFBgcICQoLDA0ODx=="], STR),
        (["abcdefghijklmnop"], STR),
        (["user-1", ""], STR),
    ],
)
def test_texts(texts: list[str], type_: object) -> None:
    """Texts have a kind if all have one reproducible form, and none with literal strings."""
    assert List(type_) == infer(texts).root
    assert List(STR) == infer(texts, literal_strings=True).root


@pytest.mark.parametrize(
    ("document", "tag"),
    [
        ([{"type": "a", "x": 1}, {"type": "b", "y": 2}] * 2, "type"),
        ([{"type": "a", "x": 1}, {"type": "b", "y": 2}, {"type": "b", "y": 2}], None),
        ([{"type": "a", "x": 1}, {"type": "b", "y": 2}], None),
        ([{"type": "a", "x": 1}, {"type": "b", "x": "1"}] * 2, "type"),
        ([{"eventType": "a", "x": 1}, {"eventType": "b"}] * 2, "eventType"),
        ([{"type": "a", "x": 1}, {"type": "b", "x": 2}] * 20, None),
        (
            [{"type": "a", "x": 1}, {"type": "b", "x": 2}, {"type": "c", "x": 2}, {"type": "d", "x": 2, "y": 1}] * 9,
            None,
        ),
        ([{"type": "a", "x": 1}, {"type": "a"}], None),
        ([{"type": "a", "x": 1}, {"y": 2}], None),
        ([{"type": "a", "x": 1}, {"type": None, "y": 2}], None),
        ([{"name": "a", "x": 1}, {"name": "b", "y": 2}], None),
        ([{"name": "a", "x": 1}, {"name": "b", "y": 2}] * 8, "name"),
        ([{"type": "not\na name", "x": 1}, {"type": "b", "y": 2}], None),
    ],
)
def test_tags(document: list[Any], tag: str | None) -> None:
    """A field is a tag if its value determines the other fields, judged by its name or by much evidence."""
    root = infer(document).root
    assert isinstance(root, List)
    assert tag == (root.item.tag if isinstance(root.item, Union) else None)


def test_a_tree_of_unions_is_recursive() -> None:
    """Tagged objects within tagged objects form the same union, even if a level has only one kind."""
    leaf = {"type": "number", "value": 1}
    inner = {"type": "add", "left": leaf, "right": {"type": "add", "left": leaf, "right": leaf}}
    schema = infer([inner, leaf], "node")
    union = Union((Ref("Add"), Ref("Number")), "type")

    assert List(union) == schema.root
    assert fields_of(schema, "Number") == {"value": INT}
    assert union == fields_of(schema, "Add")["left"]


def test_no_two_records_have_functions_of_one_name() -> None:
    """Keys that differ only in case give classes whose lower-case function names differ too."""
    schema = infer({"HTTPServer": {"a": 1, "b": 2}, "Httpserver": {"c": "x", "d": "y"}})
    assert ["Record", "HTTPServer2", "Httpserver3"] == [record.name for record in schema.records]


def test_records_with_functions_of_one_name_are_refused() -> None:
    """A hand-written schema may not have such names either."""
    with pytest.raises(SchemaError, match="UserA and User_A"):
        Schema(Ref("UserA"), (Record("UserA", (Field("b", Ref("User_A")),)), Record("User_A", (Field("x", INT),))))
