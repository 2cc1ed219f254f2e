"""What an article says, item by item: a file beside its claims names for each item the claim or command that shows it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from serbench.claims.entry import Source
from serbench.claims.reading import SOURCES, claims, source_of
from serbench.errors import PlanError, check

FILE = "items.toml"
State = Literal["there", "nominal", "missing", "not measurable"]
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True)
class Item:
    """One thing that an article says.

    Attributes:
        says: it, in our words.
        claim: the id of the claim that measures it.
        figures: the claim's figures that do, by their rows; the leading one if there are none.
        command: what shows it, if no claim does.
        state: "there" if a claim or command shows it; "nominal" if it shows less; else the reason is in `why`.
    """

    says: str
    claim: str = ""
    figures: tuple[str, ...] = ()
    command: str = ""
    state: State = "there"
    why: str = ""


@dataclass(frozen=True)
class Column:
    """A quantity of a printed table: for each row the figures of a claim, whose names hold `{}` in the row's place."""

    heading: str
    claim: str
    figures: tuple[str, ...]


@dataclass(frozen=True)
class PrintedTable:
    """A table as an article has it: the names of its rows, and its columns."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Article:
    """An article with its items.

    Attributes:
        page: the name of its page in the documentation.
        about: its subject, in a sentence; `left_out` names the parts of it that have no items.
        notebook: the notebook on its theme; `project` is the address of the code that it is about.
    """

    source: Source
    page: str
    about: str
    left_out: str
    notebook: str
    items: tuple[Item, ...]
    tables: tuple[PrintedTable, ...] = ()
    project: str = ""

    def count(self, state: State) -> int:
        """How many of its items have that state."""
        return sum(item.state == state for item in self.items)


@cache
def articles(folder: Path = SOURCES) -> dict[str, Article]:
    """Every article of a folder of sources, by the name of its source.

    Raises:
        PlanError: a file is not as it should be; the message names it and the error.
    """
    return {path.parent.name: _read(path) for path in sorted(folder.glob(f"*/{FILE}"))}


def _read(path: Path) -> Article:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        items = tuple(Item(**{**one, "figures": tuple(one.get("figures", ()))}) for one in data.pop("item"))
        tables = tuple(_table(one) for one in data.pop("table", ()))
        article = Article(source_of(path.parent), items=items, tables=tables, **data)
        for item in items:
            _check(item, path.parents[1])
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise PlanError(f"{path.parent.name}/{path.name}: {error}") from None
    return article


def _table(data: dict[str, Any]) -> PrintedTable:
    columns = tuple(Column(**{**one, "figures": tuple(one["figures"])}) for one in data["columns"])
    return PrintedTable(data["title"], tuple(data["rows"]), columns)


def _check(item: Item, folder: Path) -> None:
    check("state", item.state, STATES)
    if (item.state == "there") != bool(item.claim or item.command):
        raise ValueError(
            f"{item.says!r} is {item.state!r}: give it a claim or a command if it is 'there', and neither if it is not"
        )
    if item.state != "there" and not item.why:
        raise ValueError(f"{item.says!r} has no reason why it is {item.state}")
    if item.claim:
        known = claims(folder)
        check("claim", item.claim, known)
        for name in item.figures:
            check("figure", name, dict.fromkeys(text for one in known[item.claim].figures for text in one.names))
