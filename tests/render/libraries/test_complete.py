"""A library has all that belongs to it beside its file; what is missing is named in one line that says what to do."""

from __future__ import annotations

import re

import pytest
from installation import ROOT, pinned, what_is_missing
from packaging.specifiers import SpecifierSet

from serbench.render.library import libraries

PAGES = ROOT / "docs" / "libraries"
INSTALLED = [library for library in libraries().values() if library.distributions]
OUTCOMES = "serbench verify --library all --workload all --records 10 --output docs/libraries/outcomes.md"


def complain(line: str) -> None:
    """Fail with this line alone."""
    pytest.fail(line, pytrace=False)


@pytest.mark.parametrize("library", INSTALLED, ids=lambda one: one.name)
def test_it_is_installed_or_the_file_says_why_not(library):
    """An installation of serbench has the library, or another generation of it, in the pinned version; or its file says why not."""
    distribution, file = library.distributions[0], library.render.__module__.replace(".", "/")
    versions = pinned(distribution)
    if versions and not SpecifierSet(library.versions).contains(versions[0]):
        return  # another generation is installed
    if library.separate:
        if versions:
            complain(f"{file}.py: constraints.txt has {distribution}, so `separate` is not true: take it out")
        return
    if line := what_is_missing(distribution, "libraries"):
        complain(f"{line}; if it cannot be installed beside the others, say why as `separate` in {file}.py")
    if library.pins and versions != [pin.partition("==")[2] for pin in library.pins[:1]]:
        complain(
            f"{file}.py: pins has {library.pins[0]}, but constraints.txt {distribution}=={versions[0]}: make them the same"
        )


@pytest.mark.parametrize("name", libraries())
def test_it_has_a_page(name):
    """The library has a page, and a line in the index that leads to it."""
    if not (PAGES / f"{name}.md").is_file():
        complain(f"docs/libraries/{name}.md is missing: run `serbench report --splice`")
    if f"]({name}.md)" not in (PAGES / "index.md").read_text(encoding="utf-8"):
        complain(f"docs/libraries/index.md has no line for {name}: run `serbench report --splice`")


@pytest.mark.parametrize("name", [name for name, library in libraries().items() if not library.generated])
def test_its_outcomes_are_published(name):
    """The table of all libraries with all workloads has a row for the library."""
    if not re.search(rf"^\| {re.escape(name)} \|", (PAGES / "outcomes.md").read_text(encoding="utf-8"), re.MULTILINE):
        complain(f"docs/libraries/outcomes.md has no row for {name}: run `{OUTCOMES}`")
