"""Tables of costs beside time say what was measured, and what was not."""

from __future__ import annotations

from serbench.display.costs import hostile_table


def row(codec: str, given: str, outcome: str) -> dict[str, str]:
    return {"codec": codec, "format": "json", "input": given, "outcome": outcome, "reason": ""}


def test_a_codec_that_is_not_installed_has_no_line():
    """What was not tried rejects nothing and accepts nothing: a note names it."""
    rows = [row("good", "deep", "rejected"), row("good", "huge", "crashed"), row("away", "deep", "unavailable")]
    table = hostile_table(rows)

    assert [["good (json)"], ["1"], ["–"], ["huge: crashed"]] == [list(column.cells) for column in table.columns]
    assert ["not tried, because they are not installed: away (json)"] == list(table.notes)
    assert [] == list(hostile_table(rows[:2]).notes)
