"""The leader of all cases at one size and depth in a sentence, which says what rests on other sizes."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from serbench.display import words
from serbench.display.boards import boards_of
from serbench.display.findings import lead_text
from serbench.judge.field import Field
from serbench.judge.leading import lead
from serbench.judge.rows import Row, differing_facts


def field_text(field: Field, least: float = 0.0) -> str:
    """A sentence that can be a title; it never names a case that loses where both were measured nearest.

    Differences below `least` are noise.
    """
    rows = [row for row in (*field.timed, *field.elsewhere) if row.measured]
    if not rows:
        return "Nothing could be measured"
    first, several = field.winner, differing_facts([*rows, *field.shown])
    verb = words.VERBS.get(rows[0].operation, rows[0].operation)
    boards = boards_of(field.shown)
    leading = lead(boards[0].sections) if boards else None
    if first is None:
        text = f"No case is proven to {verb.removesuffix('s')} {rows[0].workload} fastest"
    elif leading is not None and first is leading.first:
        text = lead_text(leading, several, least=least)
    elif any(first is row for row in field.timed):
        text = f"{_probable(field, first, several, verb)}, in {_span(first)}"
    else:
        text = f"{words.case_name(first, several)} probably {verb} {first.workload} fastest{_evidence(field, first, several, least)}"
    return words.noisy(text + _not_here(field, len(rows)), least)


def _probable(field: Field, first: Row, several: Mapping[str, AbstractSet[str]], verb: str) -> str:
    """The leader by times that have no ratio, with the one whose interval begins before its own ends."""
    close = [
        row
        for row in field.contest
        if row is not first and row.point == first.point and (row.time_ns_low or 0.0) <= (first.time_ns_high or 0.0)
    ]
    close = [row for row in close if not any(field.loses(row, other) for other in field.contest)]
    names = [words.case_name(row, several) for row in (first, *close[:1])]
    if len(close) > 1:
        names[1:] = [f"one of {len(close)} others"]
    return f"{' or '.join(names)} probably {verb} {first.workload} fastest"


def _span(row: Row) -> str:
    unit, name = words.unit_of([row.time_ns or 1.0])
    ends = dict.fromkeys(words.number(value, unit) for value in (row.time_ns_low, row.time_ns_high))
    return f"{' to '.join(ends)} {name}"


def _evidence(field: Field, first: Row, several: Mapping[str, AbstractSet[str]], least: float) -> str:
    """How the leader, which was not measured here, compared with the fastest that was, where both were."""
    rival = next((row for row in field.contest if any(row is one for one in field.timed)), None)
    pair = None if rival is None else field.nearest(rival, first)
    if rival is None or pair is None:
        return ""
    there, _, compared = pair
    name = words.case_name(rival, several)
    if compared.ratio <= 1 + least or (compared.low is not None and compared.low <= 1):
        return f"; with {words.size_words(there)} no difference to {name} was proven"
    return f": with {words.size_words(there)} it was {words.factor_text(compared.ratio)} faster than {name}"


def _not_here(field: Field, known: int) -> str:
    count = len(field.elsewhere)
    return (
        f"; {count} of {words.counted(known, 'case')} {'is' if count == 1 else 'are'} not measured here"
        if count
        else ""
    )
