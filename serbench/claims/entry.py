"""What a claim consists of, as data: what was said, what is measured for it, and the figures that decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Quantity = Literal["time", "wall", "busy", "size", "answer"]
Sense = Literal["about", "at least", "at most", "more"]
QUANTITIES: tuple[Quantity, ...] = ("time", "wall", "busy", "size", "answer")
TIMED: tuple[Quantity, ...] = ("time", "wall", "busy")
SENSES: tuple[Sense, ...] = ("about", "at least", "at most", "more")


@dataclass(frozen=True)
class Source:
    """Where claims were published."""

    name: str
    title: str
    author: str
    date: str
    link: str = ""


@dataclass(frozen=True)
class Versions:
    """A set of versions in which a claim is measured, such as "then" and "now".

    Attributes:
        name: what tables call it.
        python: the interpreter, as uv names it; empty for serbench's own.
        requirements: what all its rows need, exactly pinned; with none and no interpreter, a row that needs
            nothing else runs in serbench's own installation.
        tools: what they are built with, where what they ask for themselves cannot be installed.
    """

    name: str
    python: str = ""
    requirements: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """One thing that is measured: a function of a snippet, or an operation of a rendered case.

    Attributes:
        name: what figures and tables call it.
        snippet, call: a file beside the claim and a function in it.
        parameters: what the file's `prepare` is given; its result is the function's argument.
        library, codec, operation: a case, as `serbench run` takes them; `library` by set of versions.
        requires: set of versions → what this row needs beside what all do.
        python: set of versions → another interpreter than that of the set.
        only: the sets of versions that it is measured in; all without.
        apart: it has a process of its own, for what changes how others are imported.
        agrees: rows with the same word must give the same answer; with "" it is compared with none.
        printed: it is the code as it was published, which may be wrong.
        corrects: the printed row whose place it takes where that one's answer is wrong.
        published: the published value, in any unit, where the claim is a table.
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
    apart: bool = False
    agrees: str = "all"
    printed: bool = False
    corrects: str = ""
    published: float | None = None

    def is_in(self, versions: str) -> bool:
        """Whether it is measured in that set of versions."""
        return not self.only or versions in self.only


@dataclass(frozen=True)
class Figure:
    """A published figure and how it is measured.

    Attributes:
        of, to: the rows whose ratio it is, `of` over `to`; without `to`, what `of` has of the quantity.
        against: two more rows, by whose ratio this one is divided: how much larger one effect is than another.
        low, high: the published ratio or value; a range where it was one.
        quantity: CPU time, wall time, `busy` (CPU time over wall time), size in bytes, or the answer itself.
        sense: whether the claim is that it is about this much, at least or at most so much, or (`more`) more than
            its counterpart, without a figure.
        tolerance: the factor within which it holds; 1 for exactly.
        expected: what the answer must be, where it is no number.
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

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of all its rows."""
        return tuple(name for name in (self.of, self.to, *self.against) if name)


@dataclass(frozen=True)
class Claim:
    """A published claim.

    Attributes:
        id: the source's name and the file's, as "003-take".
        statement: what was claimed, in our words.
        compared: what was compared then.
        fair: what makes a fair comparison.
        why: what explains the figure, where it needs explaining; `link` where that is from.
        workload, records, depth: the data of rows that are cases.
        folder: where its snippets are.
    """

    id: str
    source: Source
    statement: str
    compared: str
    fair: str
    versions: tuple[Versions, ...]
    rows: tuple[Row, ...]
    figures: tuple[Figure, ...]
    folder: Path
    why: str = ""
    link: str = ""
    workload: str = "client"
    records: int | None = None
    depth: int | None = None

    def row(self, name: str) -> Row:
        """The row of that name."""
        return next(row for row in self.rows if row.name == name)
