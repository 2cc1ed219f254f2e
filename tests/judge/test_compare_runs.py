"""Two runs held against each other, where it is known what changed."""

import io
import re
from dataclasses import replace

import pytest
import synthetic
from rich.console import Console
from synthetic import TIMES

from serbench.display.comparison import change_words, compare_runs
from serbench.errors import PlanError


def run(name, cells, factors=None, *, waves=8, seed=0, machine=None, threads=frozenset()):
    """A run of these cells in which some take a factor longer."""
    own = [replace(cell, loops=0) for cell in cells]
    pairs = [(c, TIMES[c.id] * (factors or {}).get(c.id, 1.0)) for c in own if c.id in TIMES]
    samples = synthetic.measure(pairs, waves=waves, process_sd=0.008, seed=seed, threads=threads)
    return synthetic.run(name, own, samples, machine or {"cpu": "Abacus", "cores": 2})


def verdicts(comparison):
    return {(c.cell.library, c.cell.variant): c for c in comparison.changes}


def test_runs_of_the_same_code_are_equally_good(cells):
    """What differs between them is no reason to use what one of them has; only what is compared is counted."""
    closing = compare_runs(run("a", cells), run("b", cells, {1: 1.08, 5: 0.9}, seed=1)).closing()

    assert ("either: both runs measured the same versions and code", "open") == (closing.use, closing.tone)
    assert re.fullmatch(r"1 slower, 1 faster, \d undecided of 5", closing.cost)


def test_identical_runs_show_no_change(cells):
    """In 40 pairs of identical runs at most 5% name any change."""
    pairs = [(run("a", cells, seed=i, waves=6), run("b", cells, seed=1000 + i, waves=6)) for i in range(40)]
    wrong = [any(c.verdict in ("faster", "slower") for c in compare_runs(*pair).changes) for pair in pairs]
    assert sum(wrong) <= 2


def test_a_slower_machine_is_no_change(cells):
    """Where everything takes twice as long no case is slower, and the other machine is warned of."""
    twice = run("b", cells, dict.fromkeys(TIMES, 2.0), seed=2, machine={"cpu": "Snail", "cores": 2})
    found = compare_runs(run("a", cells), twice)
    assert not [c for c in found.changes if c.verdict in ("faster", "slower")]
    assert "different machines (cpu Abacus and Snail)" in found.warnings[0]


def test_the_largest_change_is_told_of_its_row(cells):
    """With the variant, and of several sizes with the one that changed: the others have not."""
    tuned = [replace(cell, variant="slow") if cell.id == 1 else cell for cell in cells]
    found = compare_runs(run("a", tuned), run("b", tuned, {1: 2.0}, seed=1))
    assert re.match(r"pydantic\[slow\]( via \w+)? decode has become slower", found.finding())
    small = [replace(change, verdict="same", cell=replace(change.cell, records=7)) for change in found.changes]
    several = replace(found, changes=[*small, *found.changes])
    assert re.match(r"pydantic\[slow\].* decode client · 100 · depth 2 · hot has become slower", several.finding())
    assert " decode client · 100 · depth 2 · hot 2× slower" in several.closing().gain


def test_wide_intervals_are_undecided(cells):
    """After one wave each a change of 3% is undecided, and the words say how large it may be."""
    found = verdicts(compare_runs(run("a", cells, waves=1), run("b", cells, {1: 1.03}, waves=1, seed=3)))
    assert "undecided" == found["pydantic", "default"].verdict
    assert change_words(found["pydantic", "default"]).startswith("undecided: between ")


def test_runs_with_nothing_in_common_say_so(cells):
    """Two runs without a common case are one line that says what to do, not a table of what is missing."""
    with pytest.raises(
        PlanError, match=r"^runs a and b have no measured library \+ format in common; measure both with"
    ):
        compare_runs(run("a", cells), synthetic.run("b", [], [], {}))


def test_changed_sources_and_versions_are_marked(cells):
    """Another source text is marked at its case; another version of the reference is warned of."""
    cells = [replace(c, source_sha256="a" * 64) for c in cells]
    newer = [replace(c, source_sha256="b" * 64) if c.id == 1 else c for c in cells]
    newer[0] = replace(newer[0], version="0.20.0")
    found = compare_runs(run("a", cells), run("b", newer, seed=6))
    assert [("pydantic", True)] == [(c.cell.library, c.source_changed) for c in found.changes if c.source_changed]
    assert any("msgspec 0.19.0 and 0.20.0" in line for line in found.warnings)


def test_times_of_two_clocks_are_not_compared(cells):
    """A case timed by the wall clock in one run and the CPU clock in the other has no figure but a reason."""
    found = verdicts(compare_runs(run("a", cells), run("b", cells, threads=frozenset({1}))))
    assert re.search("run A .*cpu clock.*run B .*wall clock", found["pydantic", "default"].reason)


@pytest.mark.parametrize("width", [80, 120])
def test_the_comparison_shows_itself(cells, width):
    """The table has a line for each case, the proven changes first, and is data for JSON as well."""
    found = compare_runs(run("a", cells), run("b", cells, {1: 1.08}, seed=1))
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(found)
    lines = out.getvalue().splitlines()
    (total,) = [place for place, line in enumerate(lines) if line.startswith("run b against a: 1 slower, 0 faster")]
    said = " ".join(" ".join(lines[:total]).split())
    assert said.startswith("pydantic decode")
    assert change_words(found.changes[0]) in said
    assert lines[total + 1].startswith("pydantic 2.11.4")
    assert "slower: time +" in lines[total + 1]
    assert max(map(len, lines)) <= width
    assert "slower" == found.to_data()["changes"][0]["verdict"]


def test_runs_of_other_data_are_told_apart(cells):
    """The same code has made other bytes, so neither run is better."""
    larger = [replace(cell, size_bytes=3 * cell.size_bytes) if cell.size_bytes else cell for cell in cells]
    found = compare_runs(run("a", cells), run("b", larger, {1: 1.5}, seed=1))
    assert "neither: the runs measured different data" == found.closing().use
    assert "20,000 bytes in run a and 60,000 in run b" in "\n".join(found.warnings)
