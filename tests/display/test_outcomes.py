"""The table of outcomes says what each library makes of each workload, and why not."""

from __future__ import annotations

from serbench.display.matrices import one_for_each_case, outcomes_markdown
from serbench.results import CaseId, Cell, Point


def cells(library: str, workload: str, **statuses: str) -> list[Cell]:
    """A case's cells: operation → status."""
    identity = vars(Point(workload, 1, 0, 0)) | vars(CaseId(library, "default", "json", "json", version="1"))
    return [Cell(id=0, **identity, operation=operation, status=status) for operation, status in statuses.items()]


def test_one_direction_is_enough_and_named():
    """Of a case that has one direction, the row is that one, with what is said of the other."""
    both = cells("a", "w", encode="ok", decode="unsupported")
    both[1].reason = "it only writes"
    assert [(both[0], "decode: it only writes")] == one_for_each_case(both)
    only = cells("a", "w", encode="unsupported", decode="ok")
    only[0].reason = "it only reads"
    assert [(only[1], "encode: it only reads")] == one_for_each_case(only)
    assert [(both[0], None)] == one_for_each_case(both[:1])
    assert [(both[1], "it only writes")] == one_for_each_case(both[1:])


def test_what_fails_is_counted_as_wrong():
    """A failed case is counted in its column, and its reason stands below with its status."""
    found = cells("a", "w", encode="failed", decode="failed")
    found[1].reason = "value[0]: expected 1, got 2"
    text = outcomes_markdown(found, "serbench verify")
    assert "| a | 1 | main |  | **1 wrong**, – |" in text
    assert r"- a on any workload with json/json (failed): value\[0\]: expected 1, got 2" in text


def test_each_size_has_a_column():
    """Several sizes of a workload are no further codecs of its library, and a reason names the size that it is of."""
    small, large = (
        cells("a", "w", encode="ok", decode="ok"),
        cells("a", "w", encode="unsupported", decode="unsupported"),
    )
    for cell in large:
        cell.records, cell.reason = 10, "too many"
    text = outcomes_markdown([*small, *large], "x")
    assert "w · 1 record · depth 0 | w · 10 records · depth 0 |" in text
    assert "| 1/1 | – |" in text
    assert "- a on w · 10 records · depth 0 with json/json: too many" in text


def test_text_is_no_markup():
    """A reason's text cannot end the table or start a link, but its links stay whole."""
    found = cells("a|b", "w", encode="unsupported", decode="unsupported")
    found[1].reason = "no | [x](y) (https://example.org/a_b)"
    text = outcomes_markdown(found, "x")
    assert r"a\|b" in text
    assert r"no \| \[x\](y) (https://example.org/a_b)" in text
