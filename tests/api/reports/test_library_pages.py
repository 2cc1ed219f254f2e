"""Each library has a page that is made of its declaration, its rendered code and the published results."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from serbench.api.reports import splice
from serbench.api.reports.published import published_runs
from serbench.api.reports.splice import library_page, missing_pages, outdated_documents
from serbench.errors import PlanError
from serbench.render.library import libraries

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_library_without_results_has_a_page(monkeypatch):
    """Its page shows its documentation and code, and says what would measure it."""
    new = replace(libraries()["msgspec"], name="newcomer")
    monkeypatch.setattr(splice, "libraries", lambda: {"newcomer": new})
    monkeypatch.setattr(splice, "show", lambda _name, *rest: SHOW("msgspec", *rest))
    text = library_page((), "newcomer")
    for part in (new.docs, "`serbench run --library newcomer` measures it", "Not probed yet", "class Client(msgspec"):
        assert part in text


SHOW = splice.show


@pytest.fixture
def runs():
    """The published run of nested models."""
    return [one for one in published_runs(ROOT / "data") if one.name == "nested_models"]


def test_a_review_is_shown(monkeypatch):
    """A page and the index name who has reviewed the code; without a review the page says that there is none."""
    assert "No author of this library has reviewed this page." in library_page((), "msgspec")
    reviewed = replace(libraries()["msgspec"], reviewed="Jane Doe, 0.22.0, 2026-01-31")
    monkeypatch.setattr(splice, "libraries", lambda: {"msgspec": reviewed})
    assert "Reviewed by Jane Doe, 0.22.0, 2026-01-31." in library_page((), "msgspec")
    assert "Jane Doe, 0.22.0, 2026-01-31" in splice.block(["libraries"], ())


@pytest.mark.slow
def test_a_missing_page_is_made(tmp_path):
    """Where a folder has the index of libraries, a library without a page gets one; elsewhere none is made."""
    assert [] == list(missing_pages(tmp_path))
    folder = tmp_path / splice.FOLDER
    folder.mkdir(parents=True)
    (folder / "index.md").write_text("# Libraries\n")
    for name in libraries().keys() - {"msgspec"}:
        (folder / f"{name}.md").touch()
    [(path, text)] = outdated_documents(tmp_path, [])
    assert folder / "msgspec.md" == path
    assert text.startswith("# msgspec\n\n<!-- serbench: library msgspec -->\n\nWith msgspec, ")
    assert "\n\nStructs compiled in C" in text


@pytest.mark.slow
def test_a_page_begins_with_the_answer(runs):
    """The first lines say how often the library leads, or its best rank, and how much it keeps and refuses."""
    leader, other = (library_page(runs, name).split("\n\n")[0].splitlines() for name in ("msgspec", "dacite"))
    assert re.fullmatch(
        r"Decoding: fastest with the same validation, or tied, in \d+ of \d+ published rankings\.", leader[0]
    )
    assert re.fullmatch(r"Decoding: at best rank \d+ of \d+ with the same validation\.", other[0])
    assert re.fullmatch(r"With msgspec, \d+ of \d+ awkward values come back exactly,", leader[2])


def test_a_page_of_an_unknown_library_is_refused():
    """The closest name is the hint."""
    with pytest.raises(PlanError, match="did you mean msgspec"):
        library_page((), "msgspc")
