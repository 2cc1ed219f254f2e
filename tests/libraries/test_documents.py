"""Any JSON document comes back exactly from every library that carries what was inferred from it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from round_trip import cases, failure

from serbench.libraries import libraries
from serbench.schema import infer, normalise

TEXTS = ["a", "b", "2024-02-29", "1969-07-20", "2024-01-01T00:00:00Z", "2024-01-01T12:00:00.125Z"]
TEXTS += ["2024-01-01 10:11:12", "123e4567-e89b-12d3-a456-426614174000", "AAECAwQFBgcICQoLDA0ODw=="]
KEYS = ["id", "type", "kind", "x", "date", "class", "a-b", "__class__", '"); import os', "self", "2024-01-01", ""]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(TEXTS),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)
keys = st.sampled_from(KEYS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def _inner(inner: st.SearchStrategy) -> st.SearchStrategy:
    tagged = st.fixed_dictionaries({"type": st.sampled_from(["one", "two"])}, optional={"x": inner, "y": inner})
    alike = st.fixed_dictionaries({"id": st.sampled_from(TEXTS)}, optional={"children": inner, "kind": inner})
    return st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(keys, inner, max_size=4),
        st.lists(tagged, max_size=4),
        st.lists(alike, max_size=4),
    )


documents = st.recursive(scalars, _inner, max_leaves=15)


@pytest.mark.parametrize("library", [name for name, one in libraries().items() if one.core])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(document=documents)
def test_any_document_comes_back(library, document):
    """Inference, models of a core library, bytes and back give the document, with every core codec that does not refuse it."""
    schema = infer(document)
    value = normalise(document, schema)
    with TemporaryDirectory() as folder:
        outcomes = {
            case.module_name: failure(case, schema, value, Path(folder))
            for case in cases(library, schema)
            if case.source and case.codec.core
        }
    assert dict.fromkeys(outcomes) == outcomes
