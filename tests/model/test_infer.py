"""Guarantees of `infer` and `normalise` for any JSON document, expected results for real ones, and the numbers that decide."""

from __future__ import annotations

import inspect
import json
import sys
import uuid
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from documents import without_nones
from hypothesis import given
from hypothesis import strategies as st

from serbench.errors import SchemaError
from serbench.model.inference.decided import Overrides
from serbench.model.inference.infer import DEEPEST, _all_of, _columns, infer, inferred
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


@given(documents)
def test_nothing_is_lost(document: Any) -> None:
    """The neutral value minus its Nones equals the document minus its nulls."""
    assert without_nones(document) == without_nones(normalise(document, infer(document)))


@given(documents)
def test_values_have_their_types(document: Any) -> None:
    """Every value of the neutral form has exactly its type in the schema, and every field is present."""
    schema = infer(document)

    assert matches(normalise(document, schema), schema.root, schema)


@pytest.mark.full
@given(documents)
def test_class_names_are_not_field_names(document: Any) -> None:
    """No record has the name of a field, which would shadow it in the class body."""
    schema = infer(document)

    assert not {record.name for record in schema.records} & {f.name for r in schema.records for f in r.fields}


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
    """A record whose name equals that of a field ends with Record."""
    assert infer({"user": {"x": 1}, "User": 2}).record("UserRecord").fields == (Field("x", INT),)


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


def nested(levels: int, make: Any = lambda inner, level: {"a": inner, "b": level}) -> Any:
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
    assert ["Record", "HTTPServerRecord", "HttpserverRecord2"] == [record.name for record in schema.records]


def test_records_with_functions_of_one_name_are_refused() -> None:
    """A hand-written schema may not have such names either."""
    with pytest.raises(SchemaError, match="UserA and User_A"):
        Schema(Ref("UserA"), (Record("UserA", (Field("b", Ref("User_A")),)), Record("User_A", (Field("x", INT),))))


NOW = datetime(2024, 1, 1, tzinfo=UTC)


def words(count):
    """Different words that do not look like data."""
    return [f"{a}{b}{c}" for a in "abcdefghij" for b in "klmnopqrst" for c in "uvwxyzabcdef"][:count]


def ids(count):
    """Different keys that look like data and are identifiers."""
    return [f"q{number}" for number in range(1000, 1000 + count)]


def numbers(count):
    """Different keys that look like data and are no identifiers."""
    return [f"{number:03}" for number in range(count)]


def each_of(keys, value):
    """An object with the same value for each key."""
    return {key: value for key in keys}  # noqa: C420  # nothing changes it


def is_map(documents):
    """Whether the objects of a list, or one object, are a map."""
    if isinstance(documents, dict):
        return isinstance(infer(documents).root, Map)
    return isinstance(infer(documents).root.item, Map)


def spread(names, objects, each, values=1):
    """So many objects that have `each` of the names in turn, and all of them between them."""
    made = [{names[(number * each + n) % len(names)]: values for n in range(each)} for number in range(objects)]
    assert len({name for one in made for name in one}) == len(names)
    return made


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        # more than 1000 keys, whatever the values
        ({name: n if n % 2 else "a" for n, name in enumerate(words(1000))}, False),
        ({name: n if n % 2 else "a" for n, name in enumerate(words(1001))}, True),
        # values of several kinds: 32 keys that look like data, and no others of other kinds
        ({name: n if n % 2 else "a" for n, name in enumerate(numbers(31))}, False),
        ({name: n if n % 2 else "a" for n, name in enumerate(numbers(32))}, True),
        ({name: n if n % 2 else "a" for n, name in enumerate(words(50))}, False),
        ({"name": "a", "code": "b", **dict.fromkeys(numbers(60), 1)}, False),
        # four fifths look like data
        (dict.fromkeys([*numbers(4), "word"], 1), True),
        (dict.fromkeys([*numbers(3), "word"], 1), False),
        (dict.fromkeys([*numbers(31), *words(8)], 1), False),
        (dict.fromkeys([*numbers(32), *words(8)], 1), True),
        # one key is enough if it is no identifier; of identifiers, three
        ({"001": 1}, True),
        ({"2024-01-01": {"high": 1.5, "low": 1.0}, "2024-01-02": {"high": 1.5, "low": 1.0}}, True),
        ({f"column_{letter}": letter for letter in "abcdefghijklmnopqrstuvwxyz"}, False),
        ({"q1001": 1}, False),
        ({"q1001": 1, "q1002": 1}, False),
        ({"q1001": 1, "q1002": 1, "q1003": 1}, True),
        ({"q1001": 1, "q1002": 1, "003": 1}, True),
        ({"q1001": 1, "002": 1}, False),
        # such identifiers are fields if all of three or more objects have one in common
        ([dict.fromkeys(ids(3), 1)] * 2, False),
        ([dict.fromkeys(["001", "002", "003"], 1)] * 5, True),
        (spread(ids(10), 10, 9), True),
        # words in a single object: 64, and similar objects 8
        (dict.fromkeys(words(63), 1), False),
        (dict.fromkeys(words(64), 1), True),
        (dict.fromkeys(words(64), None), False),
        ({name: n if n % 2 else 1.5 for n, name in enumerate(words(64))}, True),
        (each_of(words(7), {"x": 1, "y": 1}), False),
        (each_of(words(8), {"x": 1, "y": 1}), True),
        (each_of(words(8), {"x": 1}), False),
        (each_of(words(8), {}), False),
        (each_of(words(8), [{"x": 1, "y": 1}]), False),
        # such objects are similar if each has seven tenths of all their fields; empty ones and null do not count
        ({**each_of(words(8), {"x": 1, "y": 1}), "one": {}, "two": None}, True),
        (each_of(words(10), dict.fromkeys("abcdefg", 1)) | {"one": dict.fromkeys("abcdefghij", 1)}, True),
        (each_of(words(10), dict.fromkeys("abcdef", 1)) | {"one": dict.fromkeys("abcdefghij", 1)}, False),
        # words in several objects: half of what was seen was seen once, and there are four keys
        (spread(words(4), 4, 1), True),
        (spread(words(3), 3, 1), False),
        ([*spread(words(32), 8, 4), *spread(words(16), 4, 4)], True),
        ([*spread(words(16), 4, 4), *spread(words(8), 2, 4)], True),
        ([*spread(words(16), 4, 4), *spread(words(14), 7, 2)], False),
        (spread(words(40), 10, 4) * 2, False),
        # an empty object says nothing of its keys
        ([dict.fromkeys(words(8), "x"), {}], False),
        ([dict.fromkeys(words(4), "x"), dict.fromkeys(words(8)[4:], "x")], True),
        # a key that all objects have is a field
        ([one | {"name": 1} for one in spread(words(30), 10, 3)], False),
        # and similar objects, of which few keys were seen again
        (spread(words(8), 2, 4, {"x": 1, "y": 1}), True),
        (spread(words(8), 3, 5, {"x": 1, "y": 1}), True),
        (spread(words(8), 8, 5, {"x": 1, "y": 1}), False),
    ],
)
def test_keys_are_data_from_a_number_on(documents, expected):
    """An object is a map exactly from the documented number or share of keys on."""
    assert expected == is_map(documents)


DATA = [
    "x" * 81,
    "",
    "  ",
    "-3.5",
    "10:30",
    "12-15",
    "2024-01",
    "2024-01-01T00:00",
    "abcdef12",
    "abcdef12-ab",
    "user-123",
    "a@b",
    "user_1000",
]
DATA += ["/ab", "a/b", "a b.c", "a\\b.c", "Acme\\", "*.py", "1.0.0-beta", "v1.2"]
NAMES = ["x" * 80, "-", "2024-a", "abcdef1", "abcdefab", "user-12", "@b", "a b", "v12", "first-name", "sha256"]


@pytest.mark.parametrize("key", [*DATA, *NAMES])
def test_a_key_looks_like_data_or_like_a_name(key):
    """Numbers, dates, hashes, ids, addresses, paths and long texts are data; other words are names."""
    expected = key in DATA
    keys = [key, f"{key}2", f"{key}3"] if expected and key.isidentifier() else [key]
    assert expected == is_map(dict.fromkeys(keys, 1))


def arrays(levels, inner):
    """Arrays in one another."""
    for _ in range(levels):
        inner = [inner]
    return inner


def test_documents_may_be_250_levels_deep():
    """One level more is refused, in objects and in arrays, also where arrays are any JSON, and so are any number more."""
    infer(nested(250))
    infer(arrays(250, 1))
    for document in (
        nested(251),
        arrays(251, 1),
        arrays(40, nested(211)),
        nested(200) | {"c": arrays(250, 1)},
        arrays(100_000, 1),
    ):
        with pytest.raises(SchemaError, match="the document is nested more than 250 levels deep; flatten it"):
            infer(document)
    infer(arrays(40, nested(210)))
    infer({"c": arrays(249, 1)})


def test_a_small_stack_is_told():
    """A document that is deeper than Python's stack is refused in a line."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        with pytest.raises(SchemaError, match="nested too deeply for Python's stack"):
            infer(nested(200))
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize("levels", [32, 33, 34])
def test_arrays_and_maps_in_one_another_have_types_up_to_32(levels):
    """What 33 arrays or maps enclose directly is any JSON; a record between them begins anew."""
    type_ = infer(arrays(levels, 1)).root
    for _ in range(min(levels, 33)):
        type_ = type_.item
    assert (INT if levels <= 32 else ANY) == type_
    assert "any" not in infer(arrays(30, {"a": arrays(30, 1), "b": 1})).features
    one = infer(
        {"one": dict.fromkeys("abd", 1) | {"c": None}, "deep": arrays(levels, dict.fromkeys("abd", 1) | {"c": "x"})}
    ).record("One")
    assert (ANY if levels > 32 else Optional(STR)) == one.fields[3].type
    document = 1
    for _ in range(levels):
        document = {"001": document}
    assert (levels > 32) == ("any" in infer(document).features)


def test_a_column_may_have_all_kinds_of_values():
    """Each kind is a member of one union, beside null; ints are floats beside floats."""
    kinds = [True, 1, 0.5, "a", b"a", date(2024, 1, 1), time(1), timedelta(1), Decimal(1), uuid.UUID(int=1)]
    document = [*kinds, NOW, None, [1], {"x": 1}]
    root = infer(document).root
    assert isinstance(root, List)
    assert isinstance(root.item, Optional)
    assert isinstance(root.item.item, Union)
    assert len(document) - 2 == len(root.item.item.members)


@pytest.mark.parametrize("native", [b"a", date(2024, 1, 1), NOW, time(1), timedelta(1), Decimal(1), uuid.UUID(int=1)])
def test_texts_beside_values_of_other_formats_stay_texts(native):
    """A text that looks like a date is a text if the document's format has types of its own, and both come back."""
    for document in (["2024-01-01", native], [native, "a"], ["a", None, 1, native]):
        assert document == normalise(document, infer(document))


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [
        (-(2**63), 2**63 - 1, "int"),
        (-(2**63) - 1, 0, "bigint"),
        (-1, 2**63, "bigint"),
        (2**63, 2**64 - 1, "uint64"),
        (0, 2**64 - 1, "uint64"),
        (1, 2**64, "bigint"),
    ],
)
def test_integers_have_the_narrowest_type(low, high, kind):
    """The smallest and the largest of a column decide, wherever they stand."""
    for column in ([low, high], [high, low], [1, low, high, 1], [None, high, low]):
        assert {kind} == infer(column).features - {"list", "optional"}


@pytest.mark.parametrize(
    ("numbers", "floats"), [([2**53], True), ([2**53 + 1], False), ([-(2**53)], True), ([-(2**53) - 1], False)]
)
def test_integers_among_floats_are_floats_while_floats_hold_them(numbers, floats):
    """From 2^53 + 1 on, on either side of zero, the two are a union."""
    assert floats == (infer([0.5, *numbers]).features == {"list", "float"})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_lacks_are_refused(value):
    """NaN and infinity are refused, with the key, among any others."""
    for column in ([value], [1.5, value], [1, None, value, "a"]):
        with pytest.raises(SchemaError, match="x: found NaN or infinity, which JSON lacks"):
            infer({"x": column, "y": 1})


def test_values_that_json_lacks_are_refused_by_name():
    """All foreign classes of a column are told in one line, with the key."""
    with pytest.raises(SchemaError, match="x: found complex, tuple; a JSON document contains only"):
        infer({"x": [(1,), 1j, 1], "y": 1})
    with pytest.raises(SchemaError, match="found a key that is not a string"):
        infer([{"a": 1}, {"b": 1, 2: 3}])


def test_datetimes_are_all_aware_or_all_naive():
    """A column of both is refused."""
    naive, aware = datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC)  # noqa: DTZ001
    assert {"list", "naive_datetime"} == infer([naive, naive]).features
    assert {"list", "datetime"} == infer([aware]).features
    assert {"list", "datetime", "optional"} == infer([aware, None]).features
    for column in ([naive, aware], [aware, naive, 1]):
        with pytest.raises(SchemaError, match="only some of the datetimes have a time zone"):
            infer({"x": column, "y": 1})


def test_records_with_datetimes_with_and_without_an_offset_are_two():
    """Records of two places stay apart if one has a time zone: no type of a field is both."""
    naive, aware = datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC)  # noqa: DTZ001
    document = [{"from": {"at": naive, "lat": 1.5, "name": "a"}, "to": {"at": aware, "lat": 1.5, "name": "b"}}]
    schema = infer(document)
    assert ["naive_datetime", "datetime"] == [record.fields[0].type.kind for record in schema.records[1:]]
    assert ["from", "to"] == [f.wire for f in schema.records[0].fields]
    both = infer([{**document[0], "to": document[0]["from"]}])
    assert 2 == len(both.records)


def test_columns_are_the_same_whichever_way_they_are_made():
    """Few of the keys in each object or most of them: each key has its values in the order of the objects."""
    for each in (1, 2, 3, 4, 8, 12):
        made = spread(words(12), 24, each)
        made = [{key: (number, key) for key in one} for number, one in enumerate(made)]
        keys = list(dict.fromkeys(key for one in made for key in one))
        expected = [(key, [one[key] for one in made if key in one]) for key in keys]
        assert expected == list(_columns(keys, made))


def test_objects_beside_other_values_are_one_record():
    """Only objects that are alone in their column, but for null, are a tagged union."""
    shapes = [{"type": "a", "x": 1}, {"type": "b", "y": 2}] * 2
    assert isinstance(infer(shapes).root.item, Union)
    assert isinstance(infer([*shapes, None]).root.item, Optional)
    assert "tagged_union" in infer([*shapes, None]).features
    assert "tagged_union" not in infer([*shapes, 1]).features
    assert Ref("Record") in infer([*shapes, 1]).root.item.members


def test_members_of_a_union_have_the_keys_that_they_have():
    """The tag is no field of a member, and neither are the keys of others; a key that some lack is optional."""
    documents = [{"type": "a", "x": 1, "z": 1}, {"type": "a", "x": 2}, {"type": "b", "y": "q"}, {"type": "b", "y": "r"}]
    schema = infer(documents)
    assert {"A": ["x", "z"], "B": ["y"]} == {r.name: [f.wire for f in r.fields] for r in schema.records}
    assert [True, False] == [f.required for f in schema.record("A").fields]


def test_members_of_a_union_may_have_few_of_their_keys_each():
    """Each key of a member is one optional field, however seldom it is there."""
    names = words(20)
    few = [{"type": "few", name: n, names[n - 1]: "x"} for n, name in enumerate(names)]
    schema = inferred([*few, {"type": "more", "z": 1}], overrides=Overrides(unions=["type"])).schema
    assert {"Few", "More"} == {record.name for record in schema.records}
    assert 20 == len(schema.record("Few").fields)
    assert not any(f.required for f in schema.record("Few").fields)


def test_members_of_a_union_are_named_as_their_tag_says():
    """A tag is a name, and stays in the plural if it is."""
    documents = [{"type": "cats", "x": 1}, {"type": "news", "y": 2}] * 2
    assert ["Cats", "News"] == [record.name for record in infer(documents).records]


def test_a_list_that_is_a_column_is_not_copied():
    """A column holds references: a list of objects alone is examined as it is, and filtered if there are others."""
    rows = [{"a": 1}, {"a": 2}]
    assert _all_of(dict, [rows], {dict}) is rows
    assert rows == _all_of(dict, [[1, *rows]], {dict, int})
    assert rows == _all_of(dict, [rows[:1], rows[1:]], {dict})
    assert [{}] == _all_of(dict, [(value for value in [{}])], {dict})
