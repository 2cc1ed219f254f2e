"""A payload becomes larger and deeper with values like its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from serbench.errors import WorkloadError
from serbench.model.data.dataset import Dataset
from serbench.model.data.payload import from_payload
from serbench.model.inference.infer import infer
from serbench.model.normalise import normalise

COMMENTS = [
    {"id": 1, "by": "ann", "tags": ["a", "b"], "score": 1.5, "replies": [{"id": 2, "by": "bob", "replies": []}]},
    {"id": 3, "by": "cem", "tags": [], "replies": []},
    {"id": 4, "by": None, "tags": ["c"], "score": 0.5, "replies": []},
]
EVENTS = [{"type": "key", "code": "a"}, {"type": "click", "x": 1, "at": "2024-01-01T00:00:00Z"}]


def scaled(tmp_path: Path, document: Any, *arguments: int | None, **options: int) -> Dataset:
    """Return the document as a payload of this size and depth."""
    path = tmp_path / "data.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return from_payload(path, *arguments, **options)


def leaves(value: Any) -> set[Any]:
    """All scalars of a value."""
    if isinstance(value, dict):
        return set().union(*map(leaves, value.values())) if value else set()
    return set().union(*map(leaves, value)) if isinstance(value, list) else {value}


def test_the_real_records_come_first(tmp_path: Path) -> None:
    """For any number of records, those of the payload come first."""
    real = scaled(tmp_path, COMMENTS)

    assert real.value[:2] == scaled(tmp_path, COMMENTS, 2).value
    assert real.value == scaled(tmp_path, COMMENTS, 200).value[:3]
    assert scaled(tmp_path, COMMENTS, 200).records == len(scaled(tmp_path, COMMENTS, 200).value) == 200


def test_drawn_records_are_of_the_schema_and_of_real_values(tmp_path: Path) -> None:
    """A drawn record has the fields of its schema, and each of its scalars occurs in the payload."""
    for document in (COMMENTS, EVENTS):
        data = scaled(tmp_path, document, 100)
        plain = infer(document, literal_strings=True)

        assert leaves(data.value) <= leaves(scaled(tmp_path, document).value)
        assert {tuple(record) for record in data.value} == {tuple(r) for r in normalise(document, plain)}


def test_lengths_and_absences_are_as_frequent(tmp_path: Path) -> None:
    """Among many drawn records, values are as often present and lists as long as in the payload."""
    drawn = scaled(tmp_path, COMMENTS, 3003).value[3:]

    assert 600 < sum(record["score"] is None for record in drawn) < 1400
    assert 600 < sum(len(record["tags"]) == 2 for record in drawn) < 1400
    assert 600 < sum(bool(record["replies"]) for record in drawn) < 1400
    assert {len(inner["replies"]) for record in drawn for inner in record["replies"]} == {0}


def test_drawing_is_seeded(tmp_path: Path) -> None:
    """The same seed gives the same records, another seed different ones."""
    once = scaled(tmp_path, COMMENTS, 50).value

    assert once == scaled(tmp_path, COMMENTS, 50).value
    assert once != scaled(tmp_path, COMMENTS, 50, seed=1).value


@pytest.mark.parametrize("document", [COMMENTS, EVENTS, {"a": 1}, {"inner": 1, "x": {"inner": 2}}])
def test_depth_is_a_chain(tmp_path: Path, document: Any) -> None:
    """A greater depth appends a chain of items to each, and changes nothing else in the real ones."""
    flat = scaled(tmp_path, document)
    deep = scaled(tmp_path, document, None, flat.depth + 3)
    items = deep.value if isinstance(deep.value, list) else [deep.value]
    key = list(items[0])[-1]

    for item in items:
        length = 0
        while item[key] is not None:
            item, length = item[key], length + 1  # noqa: PLW2901
        assert length == 3
    real = flat.value if isinstance(flat.value, list) else [flat.value]
    assert [list(item) for item in real] == [list(item)[:-1] for item in items]
    assert deep.depth == flat.depth + 3


def test_one_object_becomes_a_list(tmp_path: Path) -> None:
    """A payload that is not a list is one record, and the first item if more are drawn."""
    assert [{"a": 1, "b": [2]}] == scaled(tmp_path, {"a": 1, "b": [2]}, 5).value[:1]
    assert scaled(tmp_path, {"a": 1, "b": [2]}, 1).value == {"a": 1, "b": [2]}
    assert len(scaled(tmp_path, 3, 5).value) == 5


@pytest.mark.parametrize(
    ("document", "arguments", "message"),
    [
        ([], (5,), "an empty list cannot be scaled"),
        ([1], (1, 4), "only records can be nested deeper"),
        ([{"a": {"b": 1}}], (1, 1), "depth must be at least 2 for the payload data.json, not 1"),
        ([{"a": 1}], (0,), "records must be at least 1, not 0"),
        ([{"a": 1}], (10_000_001,), "exceed 10,000,000 records"),
    ],
)
def test_what_cannot_be(tmp_path: Path, document: Any, arguments: tuple[int, ...], message: str) -> None:
    """An invalid size or depth is refused in one line."""
    with pytest.raises(WorkloadError, match=message):
        scaled(tmp_path, document, *arguments)


def test_a_json_schema_that_branches_has_values_of_a_size(tmp_path: Path) -> None:
    """A record with many fields of its own type, as in the schema of JSON Schema, does not fill all of them."""
    branches = {f"b{number}": {"type": "array", "items": {"$ref": "#"}} for number in range(20)}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": branches,
        "required": [*branches],
    }
    made = scaled(tmp_path, schema, 10).value
    assert 10 < len(json.dumps(made)) / len(json.dumps({key: [] for key in branches})) < 10 * 100
