"""The parts of a claim, as data: its statement, the rows that are measured, and the figures that decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

Quantity = Literal["time", "wall", "busy", "size", "answer"]
Sense = Literal["about", "at least", "at most", "more"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)
SENSES: tuple[Sense, ...] = get_args(Sense)
TIMED: tuple[Quantity, ...] = ("time", "wall", "busy")


@dataclass(frozen=True)
class Source:
    """The publication of claims."""

    name: str
    title: str
    author: str
    date: str
    link: str = ""


@dataclass(frozen=True)
class Versions:
    """A set of versions in which a claim is measured, such as "then" and "now".

    Attributes:
        name: its name in tables.
        python: the interpreter, as uv names it; empty for serbench's own.
        requirements: the requirements of all its rows, exactly pinned; if there are none and no interpreter, a row that
            needs nothing else runs in serbench's own installation.
        tools: build requirements, if those that the distributions ask for cannot be installed.
    """

    name: str
    python: str = ""
    requirements: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClaimRow:
    """One thing that is measured: a function of a snippet, or an operation of a rendered case.

    Attributes:
        name: its name in figures and tables.
        snippet, call: a file beside the claim and a function in it.
        parameters: the arguments of the file's `prepare`, whose result is the function's argument.
        library, codec, operation: a case, as `serbench run` takes them; `library` by set of versions.
        requires: set of versions → requirements of this row beside those of all.
        python: set of versions → another interpreter than that of the set.
        only: the sets of versions in which it is measured; empty for all.
        separate: it has a process of its own (`apart` in the file), for what changes how others are imported.
        agrees: rows with the same word must give the same answer; if it is "", the answer is compared with none.
        printed: it is the code as it was published, which may be wrong.
        corrects: the printed row whose place it takes if that one's answer is wrong.
        published: the published value, in any unit, if the claim is a table.
    """

    name: str
    snippet: str = ""
    call: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    library: Mapping[str, str] = field(default_factory=dict, hash=False)
    codec: str = ""
    operation: str = ""
    requires: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    python: Mapping[str, str] = field(default_factory=dict, hash=False)
    only: tuple[str, ...] = ()
    separate: bool = False
    agrees: str = "all"
    printed: bool = False
    corrects: str = ""
    published: float | None = None

    def is_in(self, versions: str) -> bool:
        """Return True if it is measured in that set of versions."""
        return not self.only or versions in self.only


@dataclass(frozen=True)
class PublishedFigure:
    """A published figure and how it is measured.

    Attributes:
        of, to: the rows whose ratio it is, `of` over `to`; if `to` is empty, the quantity of `of` itself.
        against: two more rows, by whose ratio this one is divided: how much larger one effect is than another.
        low, high: the published ratio or value; a range if it was one.
        quantity: CPU time, wall time, `busy` (CPU time over wall time), size in bytes, or the answer itself.
        sense: whether the claim is that it is about this much, at least or at most so much, or (`more`) more than
            its counterpart, without a figure.
        tolerance: the factor within which it holds; 1 for exactly.
        expected: the expected answer, if it is not a number.
        share: the ratio is the share of `of` in `to`: it is larger or smaller as a figure, and has no opposite.
    """

    of: str
    to: str = ""
    low: float = 1.0
    high: float = 1.0
    quantity: Quantity = "time"
    sense: Sense = "about"
    tolerance: float | None = None
    expected: Any = None
    against: tuple[str, ...] = ()
    share: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """What it is called: by its first row, or by both; the same row may lead several figures."""
        return (self.of, f"{self.of} / {self.to}") if self.to else (self.of,)

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of all its rows."""
        return tuple(name for name in (self.of, self.to, *self.against) if name)


@dataclass(frozen=True)
class Claim:
    """A published claim.

    Attributes:
        id: the source's name and the file's, as "003-take".
        statement: the claim, in our words.
        compared: the comparison of that time.
        fair: the conditions of a fair comparison.
        why: an explanation of the figure, if it needs one; `link` is its source.
        workload, records, depth: the data of rows that are cases.
        folder: the folder of its snippets.
        libraries: the libraries that it is about, whose pages list it.
    """

    id: str
    source: Source
    statement: str
    compared: str
    fair: str
    versions: tuple[Versions, ...]
    rows: tuple[ClaimRow, ...]
    figures: tuple[PublishedFigure, ...]
    folder: Path
    why: str = ""
    link: str = ""
    workload: str = "client"
    records: int | None = None
    depth: int | None = None
    libraries: tuple[str, ...] = ()

    @property
    def is_timed(self) -> bool:
        """True if a figure is a time or a ratio of times."""
        return any(figure.quantity in TIMED for figure in self.figures)

    def row(self, name: str) -> ClaimRow:
        """The row of that name."""
        return next(row for row in self.rows if row.name == name)
