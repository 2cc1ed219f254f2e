"""Sentences on boards: the leader, by how much it leads, and the sizes of the bytes; headlines and findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from serbench.display import words
from serbench.display.boards import Board, boards_of
from serbench.display.phases import step_findings
from serbench.display.words import case_name
from serbench.judge.leading import Lead, lead
from serbench.judge.relation import is_slower, relation
from serbench.judge.rows import Row
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
