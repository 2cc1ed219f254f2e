"""The last lines of a command: what to use, how much better it is, what it costs, and the next command."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Literal

from serbench.display import words
from serbench.display.boards import Board, boards_of
from serbench.display.findings import slower_words, unproven_words
from serbench.display.next_command import again, can_be_named, case_text
from serbench.display.words import case_name
from serbench.judge.leading import Lead, lead, strictest
from serbench.judge.relation import is_slower, relation
from serbench.judge.rows import Row
from serbench.judge.work_class import WorkClass
from serbench.results import grouped

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Tone = Literal["good", "bad", "open"]
"""Whether the answer is welcome, unwelcome, or not known."""
STYLES: dict[Tone, str] = {"good": "bold green", "bad": "bold red", "open": "bold yellow"}
LINES, LABEL_WIDTH = 6, 6
SHORTENED = ("cost", "gain", "use")
"""The lines that are cut if there is no room, the first first."""
CHECKS = {
    "strict": "refused each wrong input of this run",
    "coercing": "converts some wrong input to the right type",
    "unchecked": "lets some wrong input through",
    "typed": "leaves checks to the format's schema",
}
"""How a work class checks input → what decoding does with wrong input."""
WHOLE = ("encode", "decode")


@dataclass(frozen=True)
class Closing:
    """The answer of a command; shows itself in a terminal, in at most six lines unless `is_whole`.

    Attributes:
        use: what to use.
        gain: how much better it is than what is used today.
        cost: what it costs or loses.
        next: the next command.
        app: the command that shows the same in the app.
        is_whole: nothing is cut.
    """

    use: str = ""
    gain: str = ""
    cost: str = ""
    next: str = ""
    tone: Tone = "good"
    app: str = ""
    is_whole: bool = False

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Label and text of each line that there is."""
        return [(name, getattr(self, name)) for name in ("use", "gain", "cost", "next", "app") if getattr(self, name)]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol."""
        from rich.text import Text

        styles = {"use": STYLES[self.tone], "next": "cyan", "app": "cyan"}
        if self.lines:
            yield Text()
        for label, text in self.fitted(options.max_width):
            yield Text.assemble((f"{label:{LABEL_WIDTH}}", "bold"), (text, styles.get(label.strip(), "")), no_wrap=True)

    def fitted(self, width: int) -> Iterator[tuple[str, str]]:
        """The lines folded between words to so many columns; if they are too many, the longest are cut."""
        wide = max(width - LABEL_WIDTH, 20)
        folded = {
            label: textwrap.wrap(text, wide, break_long_words=False, break_on_hyphens=False)
            for label, text in self.lines
        }
        while sum(map(len, folded.values())) > LINES and not self.is_whole:
            long = next((name for name in SHORTENED if len(folded.get(name, ())) > 1 + (name == "use")), None)
            if long != "cost" and "app" in folded:
                del folded["app"]
                continue
            if long is None:
                break
            kept = folded[long][:-1]
            folded[long] = [*kept[:-1], f"{kept[-1].rstrip(',;:')[: wide - 2].rsplit(' ', 1)[0]} …"]
        for label, texts in folded.items():
            for number, text in enumerate(texts):
                yield ("" if number else label, text)


def run_closing(
    rows: Iterable[Row], *, run: str, store: str = "", least: float = 0.0, command: str = "", effort: str = ""
) -> Closing:
    """What to use of a run: the leaders of encoding and decoding, what the latter costs, and the next command.

    Of several data it is the largest. Differences below `least` are noise; then the next command measures again.
    `run` is the run's id, and `store` the option that names its store, if a command needs it.
    """
    boards = [board for board in boards_of(rows) if board.measured]
    operations = grouped(boards, lambda board: board.measured[0].operation)
    chosen = [name for name in WHOLE if name in operations] or list(operations)[:2]
    if not chosen:
        return Closing()
    largest = {name: _largest(operations[name]) for name in chosen}
    leaders = {name: _lead(board) for name, board in largest.items()}
    gains = [_gain(leaders[name], operations[name], largest[name], least) for name in chosen]
    return Closing(
        _use(leaders, largest),
        words.noisy_part("; ".join(gains), least),
        _cost(largest[chosen[-1]], least),
        again(command, effort, store) if least and command else _next(operations, f"--run {run}{store}"),
    )


def _use(leaders: Mapping[str, Lead], boards: Mapping[str, Board]) -> str:
    """The leader of each operation, with those that tie."""
    by_name: dict[str, list[str]] = {}
    for operation, leading in leaders.items():
        several = boards[operation].several
        name = case_name(leading.first, several) + words.tied_words(leading.tied, several)
        by_name.setdefault(name, []).append(operation)
    if len(by_name) == 1:
        return next(iter(by_name))
    return "; ".join(f"to {' and '.join(operations)} {name}" for name, operations in by_name.items())


def _gain(leading: Lead, boards: Sequence[Board], board: Board, least: float) -> str:
    """How much faster the leader of an operation is, and at how many sizes it leads."""
    first = leading.first
    parts, alike = slower_words(leading, board.several, least=least)
    verb = words.VERBS.get(first.operation, first.operation)
    if not parts and len(leading.ranking) > 1:
        text = f"no case {verb} provably faster than another"
    elif not parts:
        text = f"{verb} in {words.with_unit(first.time_ns or 0.0)} (the only case of its class)"
    else:
        text = f"{verb} {', '.join(parts)}{unproven_words(alike)}"
    if len(boards) == 1:
        return text
    led = sum(any(row.case.key == first.case.key for row in (one.first, *one.tied)) for one in map(_lead, boards))
    return f"{text} ({words.data_words(first.point)}; first or tied at {led} of {len(boards)})"


def _largest(boards: Sequence[Board]) -> Board:
    return max(boards, key=lambda board: board.measured[0].records * board.measured[0].depth)


def _lead(board: Board) -> Lead:
    """The leader of a board that has a measured row."""
    leading = lead(board.sections)
    assert leading is not None
    return leading


def _cost(board: Board, least: float) -> str:
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
        times = "with no proven difference in time"
        if slower is not None and is_slower(strict, first, least):
            times = f"at {words.factor_text(slower.ratio)} the time"
        checks += f"; {case_name(strict, several)} refuses it {times}"
    parts += [checks] if checks else []
    sized = [row for row in board.measured if row.size_bytes]
    if first.size_bytes and sized:
        smallest = min(sized, key=lambda row: row.size_bytes or 0)
        more = first.size_bytes / (smallest.size_bytes or 1) - 1
        than = f"{more:.0%} more than {case_name(smallest, several)}, the smallest" if more else "the fewest of all"
        parts.append(f"{words.with_unit(first.size_bytes, words.BYTES)}, {than}")
    return f"{case_name(first, several)} {'; '.join(parts)}"


def _next(operations: Mapping[str, Sequence[Board]], run: str) -> str:
    """The command that goes on from the run of this option: what a change from the common choice brings, or a page with all views."""
    page = f"serbench report --html page {run}"
    if not set(WHOLE) <= set(operations):
        return page
    leading = _lead(_largest(operations["decode"]))
    present = leading.common or leading.runner_up
    if present is None or not can_be_named(present):
        return page
    return f"serbench recommend {run} --present {quote(case_text(present))}"
