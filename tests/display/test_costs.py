"""Tables of costs besides time say what was measured, and what was not."""

from __future__ import annotations

from serbench.display.costs import limit_sentences
from serbench.judge.outcomes import Behaviour, Limit


def behaviour(library: str, **most: int | None) -> Behaviour:
    limits = {axis: Limit(most=one, outcome="refused", detail="") for axis, one in most.items()}
    facts = {"variant": "default", "version": "1", "environment": "main", "python": "3.14", "codec": "json"}
    return Behaviour(library=library, format="json", work_class=None, reason=None, limits=limits, **facts)


def test_limits_are_told_by_axis():
    """The least and the most of each axis are named, and what a case does not support counts for nothing."""
    found = [behaviour("a", depth=10, width=5, bits=None), behaviour("b", depth=99, width=5), behaviour("c", depth=99)]

    assert [
        "depth: from 10 (a via json) to 99 (2 of 3 combinations)",
        "width: 5 with all 2 combinations",
    ] == limit_sentences(found)
