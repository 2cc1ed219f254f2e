"""The published costs beside time: what `weigh`, `verify --limits` and `verify --hostile` found, each in a file of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from serbench.display import words
from serbench.display.costs import (
    hostile_sentence,
    hostile_table,
    limit_sentences,
    limits_table,
    thread_sentences,
    weight_tables,
)
from serbench.display.escapes import code, escaped
from serbench.display.table import BREAK, Table, Tables
from serbench.display.values import Displayed
from serbench.errors import PlanError, checked, parsed
from serbench.judge.outcomes import Behaviour
from serbench.judge.weights import COLUMNS, Weight
from serbench.keep.archive import resources
from serbench.keep.checking import check_facts
from serbench.measure.probes.hostile import HostileResult
from serbench.render.environments.environment import main_environment
from serbench.render.environments.platform import machine, now
from serbench.render.format import codecs as known_codecs

PUBLISHED = "costs"
QUESTION = "What do libraries and codecs cost beside time: memory, start, size, threads, limits?"


@dataclass(frozen=True)
class Cost(Displayed):
    """What one command found of costs beside time; it displays itself.

    Attributes:
        name: of its file, such as "memory".
        command: what was typed.
        date: ISO 8601 in UTC.
        machine: in a line.
        versions: distribution → version.
        tables: its tables.
        rows: the facts of each row.
    """

    name: str
    command: str
    date: str
    machine: str
    versions: Mapping[str, str]
    tables: tuple[Table, ...] = field(repr=False)
    rows: tuple[dict[str, Any], ...] = field(repr=False)

    @property
    def about(self) -> list[str]:
        """The date, the machine and the versions, in two lines."""
        return [f"Measured on {self.date[:10]}: {self.machine}", words.versions_line(self.versions)]

    def table(self) -> Tables:
        """Its tables, with what they hold for."""
        return Tables(self.tables, about=self.about)

    def to_data(self) -> dict[str, Any]:
        """What the file says, with its rows."""
        facts = {name: value for name, value in vars(self).items() if name != "tables"}
        return {**facts, "versions": dict(self.versions), "rows": list(self.rows)}

    def to_markdown(self) -> str:
        """A section of the published page."""
        return f"## {escaped(self.name)}\n\n{code(self.command)}\n\n{self.table().to_markdown()}"


@dataclass(frozen=True)
class _File:
    """What a file of costs holds: one kind of rows."""

    command: str
    date: str
    machine: str | dict[str, Any]
    versions: dict[str, str]
    weights: list[dict[str, Any]] | None = None
    limits: list[Behaviour] | None = None
    hostile: list[HostileResult] | None = None


def costs_text(kind: str, rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> str:
    """The text of a file: `kind` is "weights", "limits" or "hostile"; a line for each row.

    `facts` are its command, date, machine (as facts or in a line) and versions.
    """
    head = json.dumps(dict(facts), indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False, allow_nan=False)}" for row in rows)
    return f'{head},\n "{kind}": [\n{lines}\n ]\n}}\n'


def facts_of(command: str, codecs: Iterable[str]) -> dict[str, Any]:
    """Return the facts of a file about codecs, each "codec/format", of serbench's own installation, measured now."""
    environment, named = main_environment(), set(codecs)
    served = (codec for codec in known_codecs() if f"{codec.name}/{codec.format}" in named)
    versions = environment.versions({codec.distribution for codec in served if codec.distribution})
    return {"command": command, "date": now(), "machine": words.machine_line(machine()), "versions": versions}


def published_costs(data: str | Path | None = None) -> tuple[Cost, ...]:
    """Return the costs in a folder of results (default: serbench's own), by the names of their files.

    Raises:
        PlanError: a file is damaged.
    """
    folder = Path(resources("data") if data is None else data, PUBLISHED)
    return tuple(map(_read, sorted(folder.glob("*.json"))))


def costs_markdown(costs: Sequence[Cost]) -> str:
    """All published costs as one page."""
    return "\n".join(["# Costs beside time", "", QUESTION, "", *(cost.to_markdown() for cost in costs)])


def leading(costs: Sequence[Cost], name: str, count: int) -> str:
    """The first lines of the tables of one file, as Markdown.

    Raises:
        PlanError: there is no file of that name.
    """
    known = {cost.name: cost for cost in costs}
    if name not in known:
        raise PlanError(f"no costs {name!r} are published; known are {', '.join(known)}")
    few = [
        Table(t.title, [c.at(range(min(count, t.length))) for c in t.columns], notes=() if t.columns else t.notes)
        for t in known[name].tables
    ]
    about = BREAK.join(map(escaped, known[name].about))
    link = f"All lines: [{name}](../data/{PUBLISHED}/results.md#{name})"
    return "\n\n".join([*(table.to_markdown() for table in few), f"{about}{BREAK}{link}"])


def _read(path: Path) -> Cost:
    try:
        data = checked(_File, parsed(path.read_text(encoding="utf-8"), "costs"), "costs")
        kind, rows = next((name, rows) for name in _TABLES if (rows := getattr(data, name)) is not None)
        machine = data.machine
        if not isinstance(machine, str):
            check_facts(machine, "machine")
            machine = words.machine_line(machine)
        facts = tuple(row if isinstance(row, dict) else asdict(row) for row in rows)
        sentences, tables = _TABLES[kind](rows)
        told = [Table("", (), notes=sentences)] if sentences or kind != "weights" else []
        return Cost(path.stem, data.command, data.date, machine, data.versions, (*told, *tables), facts)
    except (OSError, ValueError, ArithmeticError, StopIteration) as error:
        raise PlanError(f"{path} has no readable costs ({error or 'no rows'}); measure them again") from None


def _weights(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[Table]]:
    weights = [
        checked(Weight, {name: row[name] for name in COLUMNS if name in row}, f"weight {number}")
        for number, row in enumerate(rows)
    ]
    return thread_sentences(weights), weight_tables(weights)


def _limits(behaviours: Sequence[Behaviour]) -> tuple[list[str], list[Table]]:
    return limit_sentences(behaviours), [limits_table(behaviours)]


def _hostile(results: Sequence[HostileResult]) -> tuple[list[str], list[Table]]:
    rows = list(map(asdict, results))
    return [hostile_sentence(rows)], [hostile_table(rows)]


_TABLES: Mapping[str, Callable[[Any], tuple[list[str], list[Table]]]] = {
    "weights": _weights,
    "limits": _limits,
    "hostile": _hostile,
}
