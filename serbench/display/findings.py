"""Sentences on boards: the leader, by how much it leads, and what it costs; headlines, answers, and the end of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from serbench.display import words
from serbench.display.phases import step_findings
from serbench.display.table import hanging
from serbench.display.words import Board, case_name
from serbench.judge.leading import Lead, lead, strictest
from serbench.judge.relation import relation
from serbench.judge.rows import Row
from serbench.results import WorkClass, grouped

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

CHECKS = {
    "strict": "refuses all wrong input that was tried",
    "coercing": "converts some wrong input to the right type",
    "unchecked": "lets some wrong input through",
    "typed": "leaves checks to the format's schema",
}
"""How a work class checks input → what decoding does with wrong input."""
WHOLE = ("encode", "decode")
LABEL_WIDTH = 6


@dataclass(frozen=True)
class Conclusion:
    """The last lines of a run, each with its label; shows itself in a terminal."""

    lines: Sequence[tuple[str, str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol."""
        if self.lines:
            yield ""
        for label, text in self.lines:
            yield hanging(label, text, style="bold" if label in WHOLE else "", width=LABEL_WIDTH)


def finding(board: Board) -> str:
    """A sentence on the leader of a board that can be a title."""
    leading = lead(board.sections)
    return f"Nothing could be measured: {board.title}" if leading is None else lead_text(leading, board.several)


def setting(board: Board) -> str:
    """The data and the work class that `finding` speaks of, for the line below it."""
    leading = lead(board.sections)
    return board.title if leading is None else f"{board.title} · {leading.section}"


def findings(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Workload point → sentences on its steps, if there are any, on each ranking, and on the sizes of the bytes."""
    table = list(rows)
    sentences = {
        words.point_words(point): step_findings(members)
        for point, members in grouped(table, lambda row: row.point).items()
    }
    sizes: dict[str, list[Row]] = {}
    for board in words.boards(table):
        members = board.measured + board.failed
        point = words.point_words(members[0].point)
        lines = sentences[point]
        if not board.measured:
            lines.append(f"{members[0].operation}: nothing could be measured")
        best = lead(board.sections)
        for section in board.sections:
            leader = best if best is not None and best.section == section[0] else lead([section])
            if leader is not None:
                text = lead_text(leader, board.several, intervals=True, slowest=True) + _ties(leader)
                lines.append(f"{members[0].operation}, {section[0]}: {text}")
        sizes.setdefault(point, []).extend(row for row in members if row.size_bytes is not None)
    for point, sized in sizes.items():
        if sized:
            sentences[point].append(_sizes(sized))
    return sentences


def conclusion(rows: Sequence[Row], *, store: str | None = None) -> Conclusion:
    """The leader of encoding and of decoding, what the latter costs, and the next command; of several data the largest."""
    boards = [board for board in words.boards(rows) if board.measured]
    operations = grouped(boards, lambda board: board.measured[0].operation)
    chosen = [name for name in WHOLE if name in operations] or list(operations)[:2]
    lines = [(name, _leading(operations[name])) for name in chosen]
    if chosen:
        lines.append(("cost", _cost(_largest(operations[chosen[-1]]))))
        lines.append(("next", _next(operations, "" if store is None else f" --store {quote(store)}")))
    return Conclusion(lines)


def lead_text(
    leading: Lead, several: Mapping[str, AbstractSet[str]], *, intervals: bool = False, slowest: bool = False
) -> str:
    """The leader in a sentence: how many times as fast it is as the runner-up, the common choice and the slowest."""
    first = leading.first
    verb, what = words.VERBS.get(first.operation, first.operation), first.workload
    parts = [_against(row, first, several, intervals) for row in (leading.runner_up, leading.common) if row is not None]
    last = leading.ranking[-1]
    if slowest and all(last is not row for row in (first, *leading.tied, leading.runner_up, leading.common)):
        outside = leading.common is not None and all(leading.common is not row for row in leading.ranking)
        of = f" of {leading.section}" if outside else ""
        parts.append(f"{_against(last, first, several, intervals)}, the slowest{of}")
    if not parts and len(leading.ranking) > 1:
        return f"No case {verb} {what} provably faster than another"
    others = len(leading.tied)
    tied = f" (tied with {others} other{'s' if others > 1 else ''})" if others else ""
    if not parts:
        unit, unit_name = words.unit_of([first.time_ns or 1.0])
        parts = [f"in {words.number(first.time_ns, unit)} {unit_name} (nothing to compare with)"]
    return f"{case_name(first, several)}{tied} {verb} {what} {', '.join(parts)}"


def _against(row: Row, first: Row, several: Mapping[str, AbstractSet[str]], intervals: bool) -> str:
    compared = relation(row, first)
    ratio = 1.0 if compared is None else compared.ratio
    text = words.factor_text(ratio)
    if intervals and compared is not None and compared.low is not None:
        text = words.with_half_width(ratio, compared.low, compared.high)
    name = case_name(row, several) + (" (the reference)" if row.reference else "")
    return f"{text} as fast as {name}"


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


def _largest(boards: Sequence[Board]) -> Board:
    return max(boards, key=lambda board: board.measured[0].records * board.measured[0].depth)


def _lead(board: Board) -> Lead:
    """The leader of a board that has a measured row."""
    leading = lead(board.sections)
    assert leading is not None
    return leading


def _leading(boards: Sequence[Board]) -> str:
    """The leader of an operation at the largest of its data, and at how many of them it leads."""
    board = _largest(boards)
    leading = _lead(board)
    text = f"{lead_text(leading, board.several, intervals=True)}; {leading.section}"
    if len(boards) == 1:
        return text
    led = sum(
        any(row.case.key == leading.first.case.key for row in (one.first, *one.tied)) for one in map(_lead, boards)
    )
    return (
        f"{words.point_words(leading.first.point)}: {text}; first or tied at {led} of {len(boards)} sizes and workloads"
    )


def _cost(board: Board) -> str:
    """What the leader does with wrong input, what it loses, and how large its bytes are."""
    leading = _lead(board)
    first, several = leading.first, board.several
    _, how, left_out, lossy = WorkClass.parse(first.work_class)
    parts = [f"loses some of the data{lossy.removeprefix('lossy')}"] if lossy else []
    parts += [f"has {left_out}"] if left_out else []
    checks = CHECKS.get(how)
    strict = strictest(board.sections, first)
    if checks is not None and strict is not None:
        slower = relation(strict, first)
        times = "" if slower is None else f" at {words.factor_text(slower.ratio)} the time"
        checks += f"; {case_name(strict, several)} refuses it{times}"
    parts += [checks] if checks else []
    sized = [row for row in board.measured if row.size_bytes]
    if first.size_bytes and sized:
        smallest = min(sized, key=lambda row: row.size_bytes or 0)
        more = first.size_bytes / (smallest.size_bytes or 1) - 1
        unit, name = words.unit_of([first.size_bytes], words.BYTES)
        than = f"{more:.0%} more than {case_name(smallest, several)}, the smallest" if more else "the fewest of all"
        parts.append(f"{words.size_label(first, unit)} {name}, {than}")
    return f"{case_name(first, several)} {'; '.join(parts)}"


def _next(operations: Mapping[str, Sequence[Board]], store: str) -> str:
    """The command that goes on from here: what a change from the common choice brings, or a page with all views."""
    page = f"serbench report --html page --run latest{store}"
    if not set(WHOLE) <= set(operations):
        return page
    leading = _lead(_largest(operations["decode"]))
    present = leading.common or leading.runner_up
    if present is None or present.environment != "main":
        return page
    case = quote(f"{present.name.partition(' ')[0]}/{present.codec}/{present.format}")
    return f"serbench recommend --run latest --present {case}{store}"
