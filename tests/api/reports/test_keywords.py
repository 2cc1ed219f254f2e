"""The table of JSON Schema's keywords: it names all, is current, and agrees with a validator."""

from __future__ import annotations

import itertools
from pathlib import Path

import jsonschema_rs
import pytest
from jsonschema_specifications import REGISTRY

from serbench.api.reports.splice import SAMPLES, keywords
from serbench.errors import SchemaError
from serbench.model.json_schema.read import from_json_schema
from serbench.model.json_schema.references import DRAFTS
from serbench.model.normalise import apply_schema

PAGE = Path(__file__).parents[3] / "docs" / "json-schema.md"
_KEYS = [{}, *({key: value} for key in ("a", "b", "x", "n") for value in (1, "x", {"a": 1}, {"b": 1}, [], None))]
DOCUMENTS = [
    *(None, True, 1, -3, 10, 2**40, 1.5, "", "a", "b", "x", "abcdefghijk", "2024-02-29", "2024-13-01", "YQ==", "?"),
    *(
        4,
        "xx",
        "yx@x.example",
        [[["x"]]],
        [1, "a", {}],
        {"a": 1, "b": 1, "c": 1},
        {"a": "x", "x": 1, "y": 1},
        {"a": "y", "b": 1},
    ),
    *([], [1], ["a"], [1, "a"], ["a", 1], [1, 1], [1, "a", 2], [None], [[]], [{"a": 1}]),
    *({**one, **other} for one, other in itertools.product(_KEYS, _KEYS)),
    *({"kind": kind, key: 1} for kind in ("a", "b", "c", "A", "B") for key in ("a", "b", "n")),
    *({"a": {"a": None}}, {"a": {"a": {"a": None}}}, {"a": ["x"]}, {"a": ["x", 1]}, {"a": {"b": 1}}),
]


def test_every_keyword_has_a_line():
    """Each keyword of the drafts 4 to 2020-12 is in the table."""
    known = set()
    for draft in DRAFTS:
        known |= REGISTRY.contents(draft.rstrip("#")).get("properties", {}).keys()
    for name in (
        "core",
        "applicator",
        "unevaluated",
        "validation",
        "meta-data",
        "format",
        "format-annotation",
        "content",
    ):
        for year in ("2019-09", "2020-12"):
            uri = f"https://json-schema.org/draft/{year}/meta/{name}"
            known |= REGISTRY.contents(uri)["properties"].keys() if uri in REGISTRY else set()
    named = {name for sample in SAMPLES for name in sample.keywords.split(", ")}
    assert len(known) > 50
    assert known - named == set()


def test_the_page_is_current():
    """The table in the documentation is what reading the samples gives."""
    assert f"<!-- serbench: keywords -->\n\n{keywords([])}\n\n<!-- /serbench -->" in PAGE.read_text(encoding="utf-8")


def _reads(schema, document):
    try:
        apply_schema(document, schema)
    except SchemaError:
        return False
    return True


VALIDATED = [
    sample
    for sample in SAMPLES
    if sample.read[0] == "refused"
    or not ("https://example.com/a" in str(sample.schema) or "discriminator" in sample.schema)
]
"""No validator reads what a network has, or OpenAPI's discriminator."""


@pytest.mark.parametrize("sample", VALIDATED, ids=lambda one: f"{one.keywords}: {one.what}")
def test_a_line_agrees_with_a_validator(sample):
    """What is read exactly accepts what a validator accepts and no more, what is read widely all of it, and narrowly some."""
    how, _ = sample.read
    if how == "refused":
        with pytest.raises(SchemaError):
            from_json_schema(sample.schema)
        return
    schema = from_json_schema(sample.schema)
    validator = jsonschema_rs.validator_for(sample.schema, validate_formats=True)
    valid = [document for document in DOCUMENTS if validator.is_valid(document)]
    invalid = [document for document in DOCUMENTS if document not in valid]
    refused = [document for document in valid if not _reads(schema, document)]
    accepted = [document for document in invalid if _reads(schema, document) and not _has_null(document)]
    assert valid
    assert bool(refused) == ("narrowly" in sample.read[1])
    if not sample.keywords.startswith(("content", "nullable")):  # which the validator does not check, or not know
        assert bool(accepted) == ("widely" in sample.read[1])


def _has_null(document):
    """Whether a key is null: it may, if it need not be there."""
    return isinstance(document, dict) and None in document.values()
