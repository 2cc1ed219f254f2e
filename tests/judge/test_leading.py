"""Who leads a board: the fastest of the best kind that takes part; and what it is compared with."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import pytest

from serbench.judge.leading import COMMON, half_width, lead, strictest, undecided
from serbench.judge.rows import NOT_REACHED, Row
from serbench.results import CaseId, Point

ROW = Row(
    id=0,
    **vars(Point("client", 1, 2, 0)),
    **vars(CaseId("", "default", "orjson", "json", version="1.0")),
    operation="decode",
    status="ok",
)
KINDS = [
    "objects, unchecked",
    "generated objects, strict",
    "dicts, strict",
    "objects, strict, absent left out",
    "dicts, strict, absent left out",
    "objects, strict, lossy (at: offset)",
    "dicts, strict, lossy (at: offset)",
    "dicts, strict, absent left out, lossy (at: offset)",
]
"""The best first: whole before left out before lossy, and of these one's own objects before dicts."""


def row(library, time_ns, rank=1, work_class="objects, strict", **facts):
    """A row that takes so long, and has that rank in its section."""
    return replace(ROW, library=library, time_ns=time_ns, rank=rank, work_class=work_class, **facts)


@pytest.mark.parametrize("better", range(len(KINDS) - 1))
def test_the_better_kind_leads_however_slow_it_is(better):
    """Speed decides only within a kind, in whatever order the sections are."""
    slow, fast = row("slow", 90.0, work_class=KINDS[better]), row("fast", 1.0, work_class=KINDS[better + 1])
    for sections in permutations([("slow", [slow]), ("fast", [fast]), ("empty", [])]):
        assert slow is lead(sections).first


def test_the_fastest_of_its_kind_leads():
    """Of two sections of the same kind the one with the faster first row."""
    sections = [("checked", [row("a", 9.0)]), ("unchecked", [row("b", 2.0, work_class="objects, unchecked")])]
    assert "unchecked" == lead(sections).section == lead(sections[::-1]).section
    assert lead([("empty", [])]) is None


def test_what_has_no_rank_leads_only_where_nothing_has_one():
    """It is measured beside the others, as code that is theirs, or as a floor."""
    beside, first = row("beside", 1.0, rank=None), row("first", 2.0)
    assert (first,) == lead([("all", [beside, first])]).ranking
    assert (beside,) == lead([("all", [beside])]).ranking


def test_ties_and_the_runner_up():
    """Who shares the first rank ties; the runner-up is the first row of another rank."""
    rows = [row("a", 1.0), row("b", 1.1), row("c", 3.0, rank=3), row("d", 4.0, rank=3)]
    found = lead([("all", rows)])
    assert (rows[0], (rows[1],), rows[2]) == (found.first, found.tied, found.runner_up)
    alone = lead([("all", rows[:1])])
    assert ((), None) == (alone.tied, alone.runner_up)


@pytest.mark.parametrize(
    ("libraries", "reference", "common"),
    [
        (["a", "b", "c", COMMON, COMMON], "c", 3),  # the faster of the two
        (["a", "b", "c", "d", "e"], "d", 3),
        (["a", COMMON, "c", "d", "e"], "d", None),  # the runner-up
        ([COMMON, "b", "c", "d", "e"], "d", 3),  # it leads
        (["a", "b", "c", "d", "e"], "b", None),
    ],
)
def test_what_is_common_is_told_unless_it_is_told_already(libraries, reference, common):
    """The fastest row of the library that most use, or else the reference, where it is neither the leader nor the runner-up."""
    rows = [row(name, at + 1.0, rank=at + 1, reference=name == reference) for at, name in enumerate(libraries)]
    assert (None if common is None else rows[common]) is lead([("all", rows)]).common


def test_a_leader_without_a_ranking_is_compared_with_its_kind():
    """With the fastest of another section that ends in the same kind of objects, never with itself."""
    alone = row("a", 1.0, reference=True)
    others = [row("b", 9.0, work_class="objects, unchecked"), row("c", 8.0, rank=2, work_class="objects, unchecked")]
    dicts = row("d", 2.0, work_class="dicts, unchecked")
    found = lead([("alone", [alone]), ("dicts", [dicts]), ("unchecked", others)])
    assert (alone, others[1]) == (found.first, found.common)


def test_the_reference_adds_nothing_to_the_interval_of_a_mean():
    """It has no interval of its own; four rows with the same one have a mean that is known twice as well."""
    alone = row("a", 1.0)
    wide = replace(alone, ratio_low=1.0, ratio_high=1.21)

    assert 0.0 == half_width([alone])
    assert pytest.approx(math.log(1.1) / 2) == half_width([wide]) / 2 == half_width([wide] * 4)


def test_the_strictest_is_the_fastest_that_checks_its_input():
    """Only what takes part in a ranking, of the leader's kind; a leader that is strict itself has none beside it."""
    leader = row("a", 1.0, work_class="objects, unchecked")
    strict = [row("b", 5.0), row("c", 4.0, rank=None), row("d", 3.0, work_class="dicts, strict")]
    coercing = row("e", 2.0, work_class="objects, coercing")
    sections = [("unchecked", [leader]), ("strict", strict), ("coercing", [coercing])]
    assert strict[0] is strictest(sections, leader)
    assert strictest(sections, strict[0]) is None
    assert strictest([("unchecked", [leader, coercing])], leader) is None


def open_row(library, ratio, operation="decode", **facts):
    """A row that is not precise enough yet, with a ratio to the reference ± 10%."""
    times = {"ratio": ratio, "ratio_low": 0.9 * ratio, "ratio_high": 1.1 * ratio}
    return row(library, 100.0 * ratio, operation=operation, **{"status": "unresolved", **times, **facts})


def test_cases_that_can_still_change_who_leads():
    """Those without a time, and those that are neither precise nor proven slower; the leader itself cannot."""
    first, near, far = open_row("a", 1.0), open_row("b", 1.05), open_row("c", 2.0)
    assert (0, 1) == undecided([first])
    assert (1, 3) == undecided([first, near, far])
    assert (0, 3) == undecided([first, replace(near, status="ok"), far])
    waits = row("d", None, status="unavailable", reason=NOT_REACHED)
    assert (2, 4) == undecided([first, near, far, waits])
    assert (1, 3) == undecided([first, near, far, row("e", None, status="failed"), open_row("f", 1.0, same_as="a")])
    alone = open_row("c", 2.0, work_class="objects, unchecked")
    assert (0, 2) == undecided([first, alone])  # it leads its own ranking
    twice = [first, near, open_row("b", 0.5, "encode"), open_row("a", 1.0, "encode")]
    assert (1, 2) == undecided(twice)
