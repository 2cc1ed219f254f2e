"""Any JSON document with any library: inferred, rendered, written and read back exactly, or refused beforehand.

The tests try a few documents with each library of this installation; this tries as many as it is told, each library
in a process of its own, and those in environments of their own as `serbench verify` does:

    python3 tests/scripts/any_document.py --examples 1000 [LIBRARY …]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from round_trip import AT_HAND, USUAL, cases, failure

import serbench
from serbench.model.inference.infer import infer
from serbench.model.normalise import normalise
from serbench.render.library import libraries

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


def verified(library: str, document: Any) -> dict[str, str | None]:
    """The same of a library in an environment of its own, by the way that users take."""
    cells = serbench.verify(payload=[document], libraries=library, operations="decode")
    return {
        f"{cell.codec} {cell.format}": None if cell.status in ("ok", "unsupported") else f"{cell.status}: {cell.reason}"
        for cell in cells
    }


def _try(library: str, examples: int) -> None:
    check = outcomes if library in AT_HAND else verified

    @settings(unhurried, max_examples=examples, phases=[Phase.generate, Phase.shrink], database=None)
    @given(document=documents)
    def comes_back(document: Any) -> None:
        found = check(library, document)
        assert dict.fromkeys(found) == found, document

    comes_back()


def main() -> int:
    """1 where a document was neither brought back nor refused."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--examples", type=int, default=1000, help="documents for each library")
    parser.add_argument("library", nargs="*", help="all that can be measured here without")
    choice = parser.parse_args()
    if len(choice.library) == 1:
        _try(choice.library[0], choice.examples)
        return 0
    failed = []
    for library in choice.library or libraries():
        command = [sys.executable, __file__, "--examples", str(choice.examples), library]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        sys.stdout.write(
            f"{library}: {'failed' if done.returncode else 'ok'}\n{done.stderr if done.returncode else ''}"
        )
        sys.stdout.flush()
        failed += [library] if done.returncode else []
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
