"""What the page shows of a board, read from its elements, and what the board in Python says must stand there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlencode

from known_runs import rounded

from serbench.display import words
from serbench.display.board import Board, boards_of
from serbench.display.result_table import board_table
from serbench.judge.compare import least_difference, relation
from serbench.judge.outcomes import WorkClass
from serbench.judge.rows import Row, decoding_classes
from serbench.store.archive import Sheet

READ = """(hash) => {
  history.replaceState(null, "", hash);
  dispatchEvent(new PopStateEvent("popstate"));
  const textOf = (one) => one?.textContent.replaceAll("\u00a0", " ").trim() ?? "";
  const text = (name) => textOf(document.querySelector(name));
  const lines = [...document.querySelectorAll("#view .lanes details.row > summary")];
  const rows = [...document.querySelectorAll("#view table.rows tbody tr:not(.failed)")];
  const names = [...document.querySelectorAll("#view table.rows thead th")].map(textOf);
  const against = names.findIndex((name) => /^(against|time over) /.test(name));
  const place = [names.indexOf("#, same validation"), 0, names.indexOf("time"), against];
  const cell = (row) => (at, number) => number === 1 ? textOf(row.children[0].childNodes[1]) + textOf(row.children[1]) : textOf(row.children[at]);
  return {
    headline: text("#finding"), where: text(".where"), cost: text("#cost"), shown: text("#shown"),
    lines: lines.map((one) => [".rank", ".name", ".value", ".extra"].map((name) => textOf(one.querySelector(name)))),
    rows: rows.map((row) => place.map(cell(row))),
  };
}"""
"""Shows the state of an address, and returns what then stands on the screen: rank, case, time and comparison of each row."""


@dataclass(frozen=True)
class State:
    """A board of a run with what a reader chooses beside it, as the page's address has it."""

    sheet: Sheet
    board: Board
    choice: Mapping[str, Any] = field(default_factory=dict)
    view: str = "ranking"

    @property
    def address(self) -> str:
        """What stands behind the # of the page."""
        first = [*self.board.measured, *self.board.failed][0]
        point = {name: getattr(first, name) for name in ("workload", "conditions", "operation", "records", "depth")}
        fixed = {"view": self.view, **point, "run": self.sheet.info.id, "all": "1"}
        return "#" + urlencode({**fixed, **self.choice}, doseq=True)

    @property
    def kept(self) -> list[tuple[Row, Sequence[Row]]]:
        """The rows that the filters leave, in their order, each with its section."""
        checks = _checks(self.sheet)
        return [
            (row, section)
            for _, section in self.board.sections
            for row in section
            if any(_fits(one, checks.get(one.identity), self.choice) for one in (row, *row.also))
        ]

    def differences(self, shown: Mapping[str, Any]) -> list[str]:
        """What the screen says otherwise than the board: a line for each difference."""
        board, wanted = self.board, [self._line(row, section) for row, section in self.kept]
        cost = f"Cost: {board.cost}" if board.cost else ""
        told = {"headline": board.headline, "cost": cost, "where": board.setting}
        found = [
            f"{name}: {shown[name]!r}, not {text!r}" for name, text in told.items() if not shown[name].startswith(text)
        ]
        part = "" if len(self.kept) == len(board.measured) else f"{len(self.kept)} of {len(board.measured)} shown"
        if part != shown["shown"]:
            found.append(f"count: {shown['shown']!r}, not {part!r}")
        lines = shown["lines"] if self.view == "ranking" else shown["rows"]
        for line, (rank, name, _, against) in zip(lines, wanted, strict=False):
            if [line[0], line[1].removesuffix("*"), line[3]] != [rank, name, against]:
                found.append(f"row: {line}, not {[rank, name, against]}")
        if len(lines) != len(wanted):
            found.append(f"{len(lines)} rows, not {len(wanted)}")
        if (
            self.view == "ranking"
            and not part
            and [(one[0], one[1].removesuffix("*")) for one in lines] != self._terminal()
        ):
            found.append("the terminal's table has other ranks or cases")
        return found

    def _terminal(self) -> list[tuple[Any, ...]]:
        columns = {column.heading: column.cells for column in board_table(self.board).columns}
        return list(zip(columns.get("#", ()), columns.get("library + format", ()), strict=True))

    def _line(self, row: Row, section: Sequence[Row]) -> list[str]:
        board = self.board
        label = words.library_label(row, board.several)
        name = label + (
            words.codec_label(row) if self.view == "table" else words.case_words("", row.library, row.codec, row.format)
        )
        return [words.rank_label(row, section), name, "", self._against(row)]

    def _against(self, row: Row) -> str:
        base = next((one for one in self.board.measured if _case(one) == self.choice.get("base")), None)
        if base is None:
            return "leads" if self.board.lead and row is self.board.lead.first else self.board.against(row)
        if row is base:
            return "1×"
        found = relation(rounded(row), rounded(base))
        if found.low is None or found.high is None:
            return f"about {words.three_digits(found.ratio)}×"
        return (
            f"{words.three_digits(found.ratio)}× ({words.three_digits(found.low)} to {words.three_digits(found.high)})"
        )


def _case(row: Row) -> str:
    where = "" if row.environment == "main" else f"@{row.environment}"
    variant = "" if row.variant == "default" else f"[{row.variant}]"
    return f"{row.library}{variant}{where} {row.codec}/{row.format}"


def _checks(sheet: Sheet) -> dict[Any, str | None]:
    return {row.identity: found for row, found in zip(sheet.rows, decoding_classes(sheet.rows), strict=True)}


def _fits(row: Row, checks: str | None, choice: Mapping[str, Any]) -> bool:
    formats = {row.format, row.codec, f"{row.codec}/{row.format}"}
    return (
        (not choice.get("library") or row.library in choice["library"])
        and (not choice.get("format") or bool(formats & set(choice["format"])))
        and (not choice.get("checks") or checks in choice["checks"])
        and not (choice.get("objects") and checks and not checks.startswith("objects"))
        and not (choice.get("validating") and WorkClass.parse(checks).checks == "unchecked")
    )


def every_state(sheets: Iterable[Sheet]) -> Iterator[State]:
    """Each board of each run, as a ranking."""
    for sheet in sheets:
        for board in boards_of(sheet.rows, least_difference(sheet.control)):
            yield State(sheet, board)


def drawn_state(states: Sequence[State], random: Random) -> State:
    """A board with filters and a baseline of the reader's, in one of the views that show it."""
    state = random.choice(states)
    rows, checks = state.board.measured, _checks(state.sheet)

    def some(values: Iterable[Any]) -> list[Any]:
        known = sorted({value for value in values if value})
        return random.sample(known, random.randint(1, min(3, len(known)))) if known and random.random() < 0.5 else []

    choice = {
        "library": some(row.library for row in rows),
        "format": some(random.choice([row.format, f"{row.codec}/{row.format}"]) for row in rows),
        "checks": some(checks.get(row.identity) for row in rows),
        "base": _case(random.choice(rows)) if rows and random.random() < 0.5 else "",
        **{name: "1" if random.random() < 0.2 else "" for name in ("objects", "validating")},
    }
    return State(state.sheet, state.board, choice, random.choice(["ranking", "table"]))


@dataclass
class Tally:
    """Counts over the states that were visited."""

    states: int = 0
    contradictions: list[str] = field(default_factory=list)
    empty_ranks: int = 0
    timeless_leaders: int = 0

    def take(self, state: State, shown: Mapping[str, Any]) -> None:
        """Count what a screen shows of a state."""
        self.states += 1
        self.contradictions += [f"{state.address}: {text}" for text in state.differences(shown)]
        lines = shown["lines"] if state.view == "ranking" else shown["rows"]
        self.empty_ranks += sum(not line[0] for line in lines)
        leaders = [line for line in lines if line[3] == "leads"]
        self.timeless_leaders += sum(not line[2] for line in leaders)
        hidden = state.board.lead and all(row is not state.board.lead.first for row, _ in state.kept)
        if state.board.lead and not hidden and not state.choice.get("base") and len(leaders) != 1:
            self.contradictions.append(f"{state.address}: {len(leaders)} leaders on the screen")
