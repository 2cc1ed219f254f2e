"""Published claims, read from their files, and the articles that they are from."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import msgspec
from msgspec import Struct, field, structs

from serbench.errors import PlanError, check
from serbench.model.plug_ins import installed
from serbench.render.source.module import tree
from serbench.store.archive import resources

T = TypeVar("T")
Quantity = Literal["time", "wall", "busy", "size", "answer"]
Sense = Literal["about", "at least", "at most", "more"]
TIMED: tuple[Quantity, ...] = ("time", "wall", "busy")
SOURCES = resources("data") / "claims" / "sources"
NO_CLAIMS = ("source.toml", "items.toml")
"""The other files of a folder: where its claims were published, and what else an article says."""
_RELATIVE = re.compile(r"^from \.(\w+) import .*\n", re.MULTILINE)


class Part(Struct, forbid_unknown_fields=True):
    """A file, or a table in it; an unknown key is an error."""


class Source(Part):
    """The publication of the claims of a folder: its `source.toml`."""

    name: str  # the folder's
    title: str
    author: str
    date: str
    link: str = ""


class Versions(Part):
    """A set of versions in which a claim is measured, such as those of its time ("then") and of today ("now")."""

    python: str = ""  # as uv names it; serbench's own if empty
    requirements: tuple[str, ...] = ()  # of all rows, exactly pinned; without any, rows run in serbench's installation
    tools: tuple[str, ...] = ()  # build requirements, if those that the distributions ask for cannot be installed


class ClaimRow(Part):
    """A function that is measured."""

    name: str  # in figures and tables
    snippet: str  # a file beside the claim
    call: str  # a function in it
    parameters: dict[str, Any] = {}  # the arguments of the file's `prepare`, whose result is the function's argument
    requires: dict[str, tuple[str, ...]] = {}  # set of versions → requirements of this row beside those of all
    python: dict[str, str] = {}  # set of versions → another interpreter than that of the set
    only: tuple[str, ...] = ()  # the sets of versions in which it is measured; empty for all
    apart: bool = False  # it has a process of its own, for code that affects how others are imported
    agrees: str = "all"  # rows with the same word must give the same answer; that of "" is compared with none
    printed: bool = False  # it is the code as it was published, which may be wrong
    corrects: str = ""  # the printed row whose place it takes if the answer of that row is wrong
    published: float | None = None  # the published value, in any unit, if the claim is a table


class PublishedFigure(Part):
    """A published figure and how it is measured."""

    of: str = ""  # a row; only a table has none
    to: str = ""  # the row by which it is divided; without one the figure is the quantity of `of` itself
    published: float | tuple[float, float] = 1.0  # one number, or the ends of a range
    expected: bool | str | list[str] | None = None  # the published answer, if it is not a number
    quantity: Quantity = "time"  # of the CPU, or by the wall clock; `busy` is CPU over wall time; size in bytes; answer
    sense: Sense = "about"  # "more": more than its counterpart, without a figure
    tolerance: float | None = None  # the factor within which it holds; 1 for exactly
    against: tuple[str, ...] = ()  # two more rows, by whose ratio it is divided: one effect against another
    share: bool = False  # it is the share of `of` in `to`: larger or smaller as a figure, without an opposite

    def __post_init__(self) -> None:
        if self.against and (len(self.against) != 2 or not self.to or self.quantity not in TIMED):
            raise ValueError("`against` must name two timed rows, and `to` one more")
        if self.expected is None and not 0 < self.low <= self.high:
            raise ValueError("`published` must be above 0; of a range, the lower end first")
        if self.tolerance is not None and not self.tolerance >= 1:
            raise ValueError("`tolerance` must be a factor of at least 1")

    @property
    def low(self) -> float:
        """The published number, or the lower end of its range."""
        return self.published[0] if isinstance(self.published, tuple) else self.published

    @property
    def high(self) -> float:
        """The published number, or the upper end of its range."""
        return self.published[1] if isinstance(self.published, tuple) else self.published

    @property
    def rows(self) -> tuple[str, ...]:
        """The names of all its rows."""
        return tuple(name for name in (self.of, self.to, *self.against) if name)


class Claim(Part):
    """A published claim; the first of its figures is what it is about."""

    id: str  # the names of the folder and the file, as "003-take"
    source: Source
    folder: Path  # that of its snippets
    statement: str  # in our words
    compared: str  # the comparison of that time
    fair: str  # the conditions of a fair comparison
    rows: tuple[ClaimRow, ...] = field(name="row")
    versions: dict[str, Versions] = field(default_factory=lambda: {"now": Versions()})
    figure: tuple[PublishedFigure, ...] = ()
    table: PublishedFigure | None = None  # what the figures have in common that are made of the rows' published values
    why: str = ""  # an explanation of what was measured, if it needs one
    link: str = ""  # the source of that
    libraries: tuple[str, ...] = ()  # those that it is about, whose pages list it

    def __post_init__(self) -> None:
        names = [row.name for row in self.rows]
        if len(set(names)) < len(names):
            raise ValueError("two rows have the same name")
        for row in self.rows:
            for label in (*row.requires, *row.python, *row.only):
                check("set of versions", label, self.versions)
            functions = _functions(snippet(self.folder / row.snippet))
            if row.call not in functions:
                raise ValueError(f"{row.name}: {row.snippet} has no function {row.call!r}, only {', '.join(functions)}")
            if row.published is not None and not row.published > 0:
                raise ValueError(f"{row.name}: `published` must be above 0")
            if row.parameters and "prepare" not in functions:
                raise ValueError(f"{row.name} has parameters, but {row.snippet} has no function `prepare`")
        if self.table and self.table.to:
            check("row", self.table.to, [row.name for row in self.rows if row.published])
        if not self.figures:
            raise ValueError("the claim has no figure")
        named = [name for figure in self.figures for name in figure.rows or ("",)]
        for name in (*named, *(row.corrects for row in self.rows if row.corrects)):
            check("row", name, names)

    @property
    def figures(self) -> tuple[PublishedFigure, ...]:
        """All figures; those of a table are the size of each row, or its ratio to the row that the table names."""
        if self.table is None:
            return self.figure
        values = {row.name: row.published for row in self.rows if row.published is not None}
        base = values.pop(self.table.to) if self.table.to else 1
        table = [structs.replace(self.table, of=name, published=value / base) for name, value in values.items()]
        return (*table, *self.figure)

    @property
    def is_timed(self) -> bool:
        """True if a figure is a time or a ratio of times."""
        return any(figure.quantity in TIMED for figure in self.figures)

    def rows_in(self, versions: str) -> dict[str, ClaimRow]:
        """The rows that are measured in that set of versions, by name."""
        return {row.name: row for row in self.rows if not row.only or versions in row.only}

    def has_figures_in(self, versions: str) -> bool:
        """True if it has that set of versions, and a figure whose rows are measured in it."""
        known = self.rows_in(versions)
        return versions in self.versions and any(known.keys() >= {*figure.rows} for figure in self.figures)


def claims(folder: Path = SOURCES) -> dict[str, Claim]:
    """Every claim of a folder of sources by its id; with ours, those of installed plug-ins. A wrong file is a PlanError."""
    return _published() if folder == SOURCES else _read_all(folder)


@cache
def _published() -> dict[str, Claim]:
    every = _read_all(SOURCES)

    def add(folder: Path) -> None:
        more = _read_all(folder)
        if double := every.keys() & more.keys():
            raise PlanError(f"there is a claim {min(double)} already; choose another name for its folder")
        every.update(more)

    installed("claims", Path, (), add)
    return dict(sorted(every.items()))


def _read_all(folder: Path) -> dict[str, Claim]:
    known = {}
    for path in folder.glob("*/*.toml"):
        if path.name not in NO_CLAIMS:
            name = f"{path.parent.name}-{path.stem}"
            known[name] = read(Claim, path, id=name, source=source_of(path.parent), folder=path.parent)
    if not known:
        raise PlanError(f"{folder} has no claim; a claim is a TOML file in the folder of its source")
    return dict(sorted(known.items()))


def source_of(folder: Path) -> Source:
    """The publication whose claims are in a folder."""
    return read(Source, folder / "source.toml", name=folder.name)


def read(kind: type[T], path: Path, **known: Any) -> T:
    """A TOML file as a value of a class, with the fields that its place tells; a wrong file is a PlanError."""
    try:
        return msgspec.convert(msgspec.toml.decode(path.read_bytes()) | known, kind)
    except (OSError, ValueError, SyntaxError) as error:
        told = str(error).replace("$.", "")
        raise PlanError(f"{path}: {told}; docs/adding-a-claim.md describes the file") from None


def snippet(path: Path) -> str:
    """The text of a snippet: a relative import stands for the file beside it, which snippets share; each file once."""
    seen: set[str] = set()

    def shared(match: re.Match[str]) -> str:
        if match[1] in seen:
            return ""
        seen.add(match[1])
        return text(path.with_name(f"{match[1]}.py"))

    def text(file: Path) -> str:
        return _RELATIVE.sub(shared, file.read_text(encoding="utf-8"))

    return text(path)


@cache
def _functions(text: str) -> tuple[str, ...]:
    return tuple(node.name for node in tree(text).body if isinstance(node, ast.FunctionDef))


FILE = "items.toml"
State = Literal["there", "nominal", "missing", "not measurable"]
STATES: tuple[State, ...] = get_args(State)


class Item(Part):
    """One thing that an article says."""

    says: str  # in our words
    claim: str = ""  # the id of the claim that measures it
    figures: tuple[str, ...] = ()  # the claim's figures that do, as "row" or "row / row"; else the leading one
    command: str = ""  # what shows it, if no claim does
    state: State = "there"  # a claim or command shows it; "nominal" if it shows less
    why: str = ""  # the reason, if it is not there

    def __post_init__(self) -> None:
        shown = bool(self.claim or self.command)
        if (self.state == "there") != shown or not (shown or self.why):
            raise ValueError(
                f"{self.says!r} is {self.state}: give it a claim or a command, or another state and a reason"
            )


class Column(Part):
    """A quantity of a printed table: for each row the figures of a claim, whose names hold `{}` in the row's place."""

    heading: str
    claim: str
    figures: tuple[str, ...]


class PrintedTable(Part):
    """A table as an article has it: the names of its rows, and its columns."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[Column, ...]


class Article(Part):
    """An article with its items."""

    source: Source
    folder: Path  # that of all sources, with the claims that items name
    page: str  # the name of its page in the documentation
    about: str  # its subject, in a sentence
    left_out: str  # the parts of it that have no items
    notebook: str  # the notebook on its theme
    items: tuple[Item, ...] = field(name="item")
    tables: tuple[PrintedTable, ...] = field(name="table", default=())
    project: str = ""  # the address of the code that it is about

    def __post_init__(self) -> None:
        known = claims(self.folder)
        for item in self.items:
            if item.claim:
                check("claim", item.claim, known)
                figures = [figure.rows[:2] for figure in known[item.claim].figures]
                for name in item.figures:
                    check("figure", name, [name for rows in figures for name in (rows[0], " / ".join(rows))])

    def count(self, state: State) -> int:
        """The number of its items in a state."""
        return sum(item.state == state for item in self.items)


@cache
def articles(folder: Path = SOURCES) -> dict[str, Article]:
    """Every article of a folder of sources, by the name of its source; a wrong file is a PlanError that names it."""
    return {
        path.parent.name: read(Article, path, source=source_of(path.parent), folder=folder)
        for path in sorted(folder.glob(f"*/{FILE}"))
    }
