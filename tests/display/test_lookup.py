"""Each awkward value is looked up with what every codec and library makes of it, the worst first."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from waits import run

from serbench.ask.verifying import published_matrices
from serbench.display import lookup
from serbench.display.lookup import HARM, SILENT, values_markdown
from serbench.display.matrices import OUTCOMES
from serbench.judge.outcomes import Behaviour, Finding

PAGE = Path(__file__).parents[2] / "docs" / "silent-changes.md"
SCRIPTS = dict(
    re.findall(r"^### (.*?)\n\n```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
)
"""Heading → script, as they are published."""

BAD = {"x": Finding("rejected", "no")}


def case(library: str, codec: str, format_: str = "json", **fidelity: Finding) -> Behaviour:
    """A case with these findings of its float and its datetime."""
    names = {"number": "float 1e22", "moment": "datetime +05:45"}
    found = {names[name]: finding for name, finding in fidelity.items()}
    strictness = {} if library == "class" else BAD
    return Behaviour(library, "default", "1.0", "main", "3.11", codec, format_, fidelity=found, strictness=strictness)


def lines(*cases: Behaviour) -> list[str]:
    """The lines of the tables, without their heads."""
    return [
        line
        for line in values_markdown(cases).splitlines()
        if re.match(r"\| (<a id=[^>]+></a>)?(float|datetime)", line)
    ]


def test_the_worst_comes_first_and_what_comes_back_stands_there():
    """A value that a codec changes in silence stands above one that another refuses, and both above who keeps it."""
    found = lines(
        case("class", "pymongo", "bson", moment=Finding("changed", "expected 1, got 2")),
        case("class", "cbor2", "cbor", moment=Finding("refused", "encode: ValueError: no")),
        case("class", "pickle", "pickle", moment=Finding("exact")),
        case("mashumaro", "json", moment=Finding("exact")),
    )
    assert found == [
        '| <a id="datetime-0545"></a>datetime +05:45 (datetime with offset) | [changed in silence](silent-changes.md#datetime-with-pymongobson) | 2 | pymongo/bson | – |',
        "| datetime +05:45 (datetime with offset) | refused | ValueError | cbor2/cbor | – |",
        "| datetime +05:45 (datetime with offset) | kept | – | pickle/pickle | mashumaro (json) |",
    ]


def test_the_texts_of_a_number_stand_apart():
    """A float that two writers spell differently has a line for each spelling."""
    spelled = {"json": '[{"subject": 1e+22}]', "msgspec": '[{"subject":1e22}]'}
    found = lines(*(case("class", codec, number=Finding("exact", written=text)) for codec, text in spelled.items()))
    assert [line.split(" | ")[2:4] for line in found] == [
        ["written 1e+22", "json/json"],
        ["written 1e22", "msgspec/json"],
    ]


def test_a_declared_fault_is_told_from_a_silent_one():
    """What serbench says beforehand stands as declared; every other outcome has a place in the order of harm, too."""
    (line,) = lines(case("class", "json", number=Finding("changed", "got 1", declared="it lacks floats")))
    assert "changed, a fault is declared" in line
    assert set(OUTCOMES["fidelity"]) - {"exact", "changed", "unsupported"} <= set(HARM)


def test_every_silent_change_has_a_script():
    """Each line of the published page that is changed in silence leads to a heading of the scripts."""
    known = lookup.lines(published_matrices())
    silent = [line for line in known if line.what == SILENT]
    assert [] == [line for line in silent if line.way is None]
    linked = set(
        re.findall(r"\[changed in silence\]\(silent-changes\.md#([\w-]+)\)", values_markdown(published_matrices()))
    )
    assert linked == {*map(lookup.anchor, SCRIPTS)}


@pytest.mark.slow
@pytest.mark.parametrize("heading", SCRIPTS)
def test_scripts_show_a_change(heading):
    """Each script runs without serbench, and prints for each of its values another that comes back."""
    assert "serbench" not in SCRIPTS[heading]
    printed = run([sys.executable, "-W", "ignore", "-c", SCRIPTS[heading]]).stdout.splitlines()
    pairs = [line.split(" → ") for line in printed]
    assert len(pairs) == (SCRIPTS[heading].partition("for value in [")[2].count(",\n") or 1)
    assert [] == [pair for pair in pairs if len(pair) != 2 or pair[0] == pair[1]]
