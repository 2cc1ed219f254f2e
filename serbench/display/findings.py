"""Sentences on boards: the leader, its lead, and the sizes of the bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from serbench.display import words
from serbench.display.phases import step_findings
from serbench.display.result_table import Board, boards_of
from serbench.display.words import case_name
from serbench.judge.compare import is_slower, relation
from serbench.judge.leading import Field, Lead, lead
from serbench.judge.rows import Row, differing_facts
from serbench.results import grouped


def finding(board: Board, least: float = 0.0) -> str:
    """A sentence on the leader of a board that can be a title; differences below `least` are noise."""
    leading = lead(board.sections)
    if leading is None:
        return f"Nothing could be measured: {board.title}"
    return words.noisy(lead_text(leading, board.several, least=least), least)


def setting(board: Board) -> str:
    """The data and the work class that `finding` speaks of, for the line below it."""
    leading = lead(board.sections)
    return board.title if leading is None else f"{board.title} · {leading.section}"


def findings(rows: Iterable[Row], least: float = 0.0) -> dict[str, list[str]]:
    """Workload point → sentences on its steps, if there are any, on each ranking, and on the sizes of the bytes.

    Differences below `least` are noise, which the first sentence then says.
    """
    table = list(rows)
    sentences = {
        words.point_words(point): step_findings(members)
        for point, members in grouped(table, lambda row: row.point).items()
    }
    sizes: dict[str, list[Row]] = {}
    for board in boards_of(table):
        members = board.measured + board.failed
        point = words.point_words(members[0].point)
        lines = sentences[point]
        if not board.measured:
            lines.append(f"{members[0].operation}: nothing could be measured")
        best = lead(board.sections)
        for section in board.sections:
            leader = best if best is not None and best.section == section[0] else lead([section])
            if leader is not None:
                text = lead_text(leader, board.several, intervals=True, slowest=True, least=least) + _ties(leader)
                lines.append(f"{members[0].operation}, {section[0]}: {text}")
        sizes.setdefault(point, []).extend(row for row in members if row.size_bytes is not None)
    for point, sized in sizes.items():
        if sized:
            sentences[point].append(_sizes(sized))
    if least:
        for lines in sentences.values():
            lines.insert(0, words.noise_words(least))
    return sentences


def lead_text(
    leading: Lead,
    several: Mapping[str, AbstractSet[str]],
    *,
    intervals: bool = False,
    slowest: bool = False,
    least: float = 0.0,
) -> str:
    """The leader in a sentence: how many times faster it is than the runner-up, the common choice and the slowest.

    What is not proven slower by more than `least` is named without a factor.
    """
    first = leading.first
    verb, what = words.VERBS.get(first.operation, first.operation), first.workload
    parts, alike = slower_words(leading, several, intervals=intervals, least=least)
    last = leading.ranking[-1]
    is_another = all(last is not row for row in (first, *leading.tied, leading.runner_up, leading.common))
    if slowest and is_another and is_slower(last, first, least):
        outside = leading.common is not None and all(leading.common is not row for row in leading.ranking)
        of = f" of {leading.section}" if outside else ""
        parts.append(f"{_against(last, first, several, intervals)}, the slowest{of}")
    if not parts and len(leading.ranking) > 1:
        return f"No case {verb} {what} provably faster than another"
    tied = f"{words.tied_words(leading.tied, several)}," if leading.tied else ""
    if not parts:
        parts = [f"in {words.with_unit(first.time_ns or 0.0)} (the only case of its class)"]
    return f"{case_name(first, several)}{tied} {verb} {what} {', '.join(parts)}{unproven_words(alike)}"


def slower_words(
    leading: Lead, several: Mapping[str, AbstractSet[str]], *, intervals: bool = False, least: float = 0.0
) -> tuple[list[str], list[str]]:
    """How many times faster than the runner-up and the common choice the leader is; and those not proven slower."""
    others = [row for row in (leading.runner_up, leading.common) if row is not None]
    slower = [row for row in others if is_slower(row, leading.first, least)]
    alike = [case_name(row, several) for row in others if not any(row is one for one in slower)]
    return [_against(row, leading.first, several, intervals) for row in slower], alike


def unproven_words(names: Sequence[str]) -> str:
    """What a sentence on a leader ends with, if it is not proven faster than some."""
    return f"; not proven faster than {' and '.join(names)}" if names else ""


def _against(row: Row, first: Row, several: Mapping[str, AbstractSet[str]], intervals: bool) -> str:
    compared = relation(row, first)
    ratio = 1.0 if compared is None else compared.ratio
    ends = ""
    if intervals and compared is not None and compared.low is not None and compared.high is not None:
        ends = f" ({words.ends_words(compared.low, compared.high)})"
    name = case_name(row, several) + (" (the reference)" if row.reference else "")
    return f"{words.factor_text(ratio)} faster than {name}{ends}"


def _ties(leading: Lead) -> str:
    """How many cases of a ranking are told apart from no other by their rank."""
    groups = [len(rows) for rows in grouped(leading.ranking, lambda row: row.rank).values()]
    tied = sum(size for size in groups if size > 1)
    return f"; {tied} of {sum(groups)} share a rank" if tied and len(groups) > 1 else ""


def _sizes(rows: Sequence[Row]) -> str:
    """The smallest and largest size in each format: "bytes: msgpack 86, json 100 to 106"."""
    formats = grouped(sorted(rows, key=lambda row: row.size_bytes or 0), lambda row: row.format)
    ends = {
        name: dict.fromkeys(f"{row.size_bytes:,}" for row in (sized[0], sized[-1])) for name, sized in formats.items()
    }
    return "bytes: " + ", ".join(f"{name} {' to '.join(sizes)}" for name, sizes in ends.items())


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
