"""Any JSON document comes back exactly from every library that carries what was inferred from it."""

from __future__ import annotations

import re

import pytest
from any_document import documents, outcomes, unhurried
from hypothesis import given, settings
from round_trip import AT_HAND, cases, skip_if_rendered_otherwise

from serbench.model.inference.infer import infer
from serbench.render.library import libraries

CORE = [name for name in AT_HAND if libraries()[name].core]


@pytest.mark.full
@pytest.mark.parametrize("library", CORE)
def test_any_document_comes_back(library):
    """Inference, models of a core library, bytes and back give the document, with every core codec that does not refuse it."""

    @settings(unhurried, max_examples=40)
    @given(document=documents)
    def comes_back(document):
        found = outcomes(library, document)
        assert dict.fromkeys(found) == found

    comes_back()


@pytest.mark.full
@pytest.mark.parametrize("library", [name for name in AT_HAND if name not in CORE])
@settings(unhurried, max_examples=12, derandomize=True)
@given(document=documents)
def test_any_document_comes_back_from_others(library, document):
    """So it does from the libraries beyond the core, with two of the core codecs and their own."""
    found = outcomes(library, document, briefly=True)
    assert dict.fromkeys(found) == found


EMPTY_OR_LIST = [{"a": {"b": 1}}, {"a": [1]}, {"a": {}}, {"a": {"c": "x"}}]
"""A record all of whose fields may be absent, or a list."""


@pytest.mark.parametrize(
    ("library", "document", "reason"),
    [
        ("colander", {"": 1, "a": "x"}, "empty name"),
        ("dataclass-factory", EMPTY_OR_LIST, "turns any list into"),
        ("djangorestframework", {"": 1, "a": "x"}, "not a plain name"),
        ("pyfory", {"Name": 1}, "a single capital"),
        ("pyserde", {"": 1, "a": "x"}, "empty name"),
        ("pyserde", EMPTY_OR_LIST, "turns any list into"),
        ("pyserde", [{"a": [None, 1]}, {"a": "x"}], "cannot name an optional type"),
        ("schematics", {"": 1, "a": "x"}, "empty serialized_name"),
        ("schematics", [[True], None], "converts None among the items"),
        ("typedload", {"": 1, "a": "x"}, "empty name"),
        ("typical", "2024-02-29", "pendulum's class"),
        (
            "typical",
            [{"type": "b", "x": 0.5}, {"type": "a", "x": "y"}, {"type": "a", "x": "z"}, {"type": "b", "x": None}],
            "for the tag",
        ),
    ],
)
def test_what_cannot_come_back_is_refused(library, document, reason):
    """What a library would bring back as something else, or not at all, it refuses by the schema."""
    skip_if_rendered_otherwise(library)
    schema = infer(document)
    found = [case for case in cases(library, schema) if case.variant == "default" and case.codec.format != "pickle"]
    assert [case.module_name for case in found if not re.search(reason, case.reason or "another codec")] == [
        case.module_name for case in found if case.reason and "no conversion to builtins" in case.reason
    ]
