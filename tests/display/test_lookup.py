"""Each awkward value is looked up with what every codec and library makes of it, the worst first."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from waits import run

from serbench.api.verifying import published_matrices
from serbench.display import lookup
from serbench.display.lookup import (
    HARM,
    SILENT,
    matrices_markdown,
    values_markdown,
    wrong_markdown,
)
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
        for line in values_markdown(cases, "silent-changes.md").splitlines()
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


def test_refusals_are_one_line_but_for_depths():
    """Errors stand together; of nested lists each codec has the depth that it writes, and the one that it reads."""
    name = "lists 1,000 deep"
    said = {
        "orjson": "up to 254; encode: TypeError: Recursion limit reached; it reads up to 1,024",
        "jiter": "up to 201; decode: ValueError: recursion limit exceeded",
        "json": "encode: RecursionError: maximum recursion depth exceeded",
        "ujson": "encode: OverflowError: too deep",
    }
    cases = [replace(case("class", who), fidelity={name: Finding("refused", text)}) for who, text in said.items()]
    rows = [line.split(" | ")[1:4] for line in values_markdown(cases).splitlines() if name in line]
    assert rows == [
        ["refused", "RecursionError, OverflowError", "json/json, ujson/json"],
        ["refused", "up to 201", "jiter/json"],
        ["refused", "up to 254; it reads up to 1,024", "orjson/json"],
    ]


def test_a_codec_answers_for_what_it_is_given():
    """A datetime counts for BSON as classes by hand hand it over, however many libraries make text of it; JSON has none."""
    changed = case("class", "pymongo", "bson", moment=Finding("changed", "expected 1, got 2"))
    of_libraries = [case(name, "pymongo", "bson", moment=Finding("exact")) for name in ("mashumaro", "adaptix")]
    (line,) = lines(*of_libraries, changed)
    assert line.endswith("| pymongo/bson | – |")
    assert [] == lines(case("class", "json", moment=Finding("changed", "got 2")))


def test_of_two_outcomes_of_a_codec_the_worst_counts():
    """If a codec keeps a value in one case and changes it in another, its line says that it changes the value."""
    made = {"class": "changed", "namedtuple": "exact"}
    line, *_ = lines(*(case(name, "json", number=Finding(outcome, "got 2")) for name, outcome in made.items()))
    assert line.endswith("| 2 | json/json | – |")


def test_wrong_input_is_looked_up_with_the_recommended_codec():
    """A library stands with the JSON codec that its authors recommend, or else with its first one; the worst comes first."""
    told = {
        "jiter": Finding("let through", "becomes 12 of type int"),
        "msgspec": Finding("rejected", "no", names=False),
    }
    name = "basics: number for text"
    cases = [replace(case("msgspec", codec), strictness={name: one}) for codec, one in told.items()]
    cases.append(replace(case("unknown", "jiter"), strictness={name: told["jiter"]}))
    cases.append(replace(case("other", "jiter"), strictness={name: Finding("unprobed", "cannot be made")}))
    assert [
        "### basics",
        "",
        "| wrong input | what happens | what comes back, or is said | libraries |",
        "| :-- | :-- | :-- | :-- |",
        f'| <a id="basics-number-for-text"></a>{name} | let through | 12 of type int | unknown (jiter) |',
        f"| {name} | rejected, its field is not named | – | msgspec (msgspec) |",
    ] == wrong_markdown(cases).splitlines()


def test_a_file_of_outcomes_has_both_tables_and_no_link_to_a_page():
    """What `--output` writes has the values, the wrong input and the command, and links to nothing that is not there."""
    text = matrices_markdown([case("class", "pymongo", "bson", moment=Finding("changed", "got 2"))], "serbench verify")
    assert all(part in text for part in ("`serbench verify`", "| changed in silence | 2 |", "## Every wrong input"))
    assert "](" not in text


def test_every_silent_change_has_a_script():
    """Each line of the published page that is changed in silence leads to a heading of the scripts."""
    known = lookup.lines(published_matrices())
    silent = [line for line in known if line.what == SILENT]
    assert [] == [line for line in silent if line.way is None]
    linked = set(
        re.findall(
            r"\[changed in silence\]\(silent-changes\.md#([\w-]+)\)",
            values_markdown(published_matrices(), "silent-changes.md"),
        )
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
