"""Tables of costs besides time say what was measured, and what was not."""

from __future__ import annotations

from serbench.display.costs import hostile_sentence, hostile_table, limit_sentences
from serbench.judge.outcomes import Behaviour, Limit
from serbench.measure.probes.streams import HostileResult


def row(codec: str, given: str, outcome: str) -> HostileResult:
    return HostileResult(codec, "json", given, outcome, "")


def test_a_codec_that_is_not_installed_has_no_line():
    """What was not tried rejects nothing and accepts nothing: a note names it."""
    rows = [row("good", "deep", "rejected"), row("good", "huge", "crashed"), row("away", "deep", "unavailable")]
    table = hostile_table(rows)

    assert [["good (json)"], ["1"], ["–"], ["huge: crashed"]] == [list(column.cells) for column in table.columns]
    assert ["not tried, because they are not installed: away (json)"] == list(table.notes)
    assert [] == list(hostile_table(rows[:2]).notes)


def test_what_is_lost_is_said_first():
    """The sentence counts the codecs that end their process, among those that were tried."""
    rows = [row("good", "deep", "rejected"), row("bad", "huge", "memory"), row("away", "deep", "unavailable")]

    assert hostile_sentence(rows).endswith("on some input: 1 of 2: bad (json)")
    assert hostile_sentence(rows[:1]).endswith("on some input: 0 of 1")


def behaviour(library: str, **most: int | None) -> Behaviour:
    limits = {axis: Limit(most=one, outcome="refused", detail="", far="") for axis, one in most.items()}
    facts = {"variant": "default", "version": "1", "environment": "main", "python": "3.14", "codec": "json"}
    return Behaviour(library=library, format="json", work_class=None, reason=None, limits=limits, **facts)


def test_limits_are_told_by_axis():
    """The least and the most of each axis are named, and what a case does not support counts for nothing."""
    found = [behaviour("a", depth=10, width=5, bits=None), behaviour("b", depth=99, width=5), behaviour("c", depth=99)]

    assert [
        "depth: from 10 (a via json) to 99 (2 of 3 combinations)",
        "width: 5 with all 2 combinations",
    ] == limit_sentences(found)
