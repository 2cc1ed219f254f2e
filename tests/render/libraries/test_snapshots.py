"""What reviewers have seen: the article's model in every library and codec, and what no codec of a library carries.

Of sources that differ in the lines of the codec alone one is kept; each codec has its lines in a source of dataclasses.
After a change that is meant: `UPDATE_SNAPSHOTS=1 pytest tests/render/libraries/test_snapshots.py`, then
read the difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from feature_schemas import EXAMPLES
from round_trip import cases, shown

from serbench.model.data.generate import generate
from serbench.render.case import Case
from serbench.render.library import libraries
from serbench.render.rendering import lay_out, render

_FOLDER = Path(__file__).parents[2] / "snapshots"
_SCHEMA = generate("client", records=2).schema


def _reviewed() -> Iterator[Case]:
    """The cases whose sources are kept."""
    seen = set()
    for library, codec in shown():
        case = render(library, "default", codec, _SCHEMA)
        has_all = library.name in ("dataclasses", "generated")
        lines = [
            line
            for line in case.source.splitlines()
            if has_all or not any(name in line for name in codec.calls.imports)
        ]
        if case.source and (library.name, *lines) not in seen:
            seen.add((library.name, *lines))
            yield case


_CASES = {case.module_name: case for case in lay_out(_reviewed())}


def known(path: Path) -> None:
    """Fail in one line if nobody has seen this source yet."""
    if not path.is_file():
        said = "run `UPDATE_SNAPSHOTS=1 pytest -q tests/render/libraries/test_snapshots.py`, and read what it writes"
        pytest.fail(f"tests/snapshots/{path.name} is missing: {said}", pytrace=False)


@pytest.mark.parametrize(
    "name", [pytest.param(n, id=f"{one.library.name}-{one.codec.name}-{one.codec.format}") for n, one in _CASES.items()]
)
def test_snapshot(name):
    """The rendered source is the one that was reviewed."""
    path = _FOLDER / f"{name}.py"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(_CASES[name].source, encoding="utf-8")
    known(path)
    assert path.read_text(encoding="utf-8") == _CASES[name].source


@pytest.mark.parametrize("library", libraries())
def test_gaps(library):
    """The features that a library carries with no codec are those that were reviewed, so that a new gap is a decision."""
    gaps = [name for name, (schema, _) in EXAMPLES.items() if not any(case.source for case in cases(library, schema))]
    text = "".join(f"{name}\n" for name in sorted(gaps))
    path = _FOLDER / f"{library}_gaps.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(text, encoding="utf-8")
    known(path)
    assert path.read_text(encoding="utf-8") == text


def test_no_stale_snapshot():
    """Every snapshot belongs to a case or a library."""
    assert {path.stem for path in _FOLDER.glob("*.py")} == set(_CASES)
    assert {path.name for path in _FOLDER.glob("*.txt")} == {f"{name}_gaps.txt" for name in libraries()}
