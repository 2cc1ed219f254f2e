"""What an article says, item by item: a file beside its claims names for each item the claim or command that shows it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, get_args

from msgspec import field

from serbench.claims.reading import SOURCES, Part, Source, claims, read, source_of
from serbench.errors import check

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
        """How many of its items have that state."""
        return sum(item.state == state for item in self.items)


@cache
def articles(folder: Path = SOURCES) -> dict[str, Article]:
    """Every article of a folder of sources, by the name of its source; a wrong file is a PlanError that names it."""
    return {
        path.parent.name: read(Article, path, source=source_of(path.parent), folder=folder)
        for path in sorted(folder.glob(f"*/{FILE}"))
    }
