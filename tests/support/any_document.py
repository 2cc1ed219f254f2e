"""Any JSON document, and what is wrong with it in a library: inferred, rendered, written and read back exactly, or refused beforehand."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from round_trip import USUAL, cases, failure

from serbench.model.inference.infer import infer
from serbench.model.normalise import normalise

TEXTS = ["a", "b", "2024-02-29", "1969-07-20", "2024-01-01T00:00:00Z", "2024-01-01T12:00:00.125Z"]
TEXTS += ["2024-01-01 10:11:12", "123e4567-e89b-12d3-a456-426614174000", "AAECAwQFBgcICQoLDA0ODw=="]
KEYS = ["id", "type", "kind", "x", "date", "class", "a-b", "__class__", '"); import os', "self", "2024-01-01", ""]
KEYS += ["Name", "schema", "data", "Schema"]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.integers(2**63 - 2, 2**64 + 1),
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
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def outcomes(library: str, document: Any, *, briefly: bool = False) -> dict[str, str | None]:
    """What is wrong with each case of the library that does not refuse the document, with the core codecs and its own.

    Briefly, these are no variants, and only what is usual of the core codecs.
    """
    schema = infer(document)
    value = normalise(document, schema)
    with TemporaryDirectory() as folder:
        return {
            case.module_name: failure(case, schema, value, Path(folder))
            for case in cases(library, schema)
            if case.source
            and (library in case.codec.only or (case.codec.name in USUAL if briefly else case.codec.core))
            and (case.variant == "default" or not briefly)
        }
