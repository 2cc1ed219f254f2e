"""Display and export of results: notebook, data frame, CSV, and formats of other tools."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench.display.table import Tables, as_text, csv_cell, html, lines_csv
from serbench.errors import typed
from serbench.judge.rows import Row, as_data, columns_of
from serbench.judge.waves import Samples, cell_waves
from serbench.machine.files import write_folder
from serbench.results import Cell, Origin, bracketed

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Folded:
    """Modules by their titles; they display themselves as lines that open."""

    sources: Mapping[str, str]

    def __str__(self) -> str:
        return "\n".join(f"# {title}\n\n{source}" for title, source in self.sources.items())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Text for logs, Markdown with parts that open for notebooks and forges."""
        parts = [
            f"<details><summary>{html(title)}</summary>\n\n{_fenced(source)}\n\n</details>\n"
            for title, source in self.sources.items()
        ]
        return {"text/plain": str(self), "text/markdown": "\n".join(parts)}


def _fenced(source: str) -> str:
    fence = "```"
    while fence in source:
        fence += "`"
    return f"{fence}python\n{source.rstrip()}\n{fence}"


class Displayed:
    """A result: it shows itself, in a terminal, a log and a notebook, as the tables that `table()` gives."""

    def table(self) -> Tables:
        """The tables, which Rich can print."""
        raise NotImplementedError

    def to_data(self) -> dict[str, Any]:
        """The result as JSON data; one list of it, of the same facts for each, is its rows."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """The rows of `to_data` as a data frame; facts within a fact have names with points, such as "point.records"."""
        import pandas as pd

        return pd.json_normalize(_rows(self.to_data()))

    def to_markdown(self) -> str:
        """The tables as Markdown."""
        return self.table().to_markdown()

    @typed
    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write `data.json`, `rows.csv` and `table.md` into that folder, which is made if missing; return their paths.

        Raises:
            PlanError: the folder cannot be written; older files stay.
        """
        texts = {
            "data.json": json.dumps(self.to_data(), indent=1, ensure_ascii=False, default=vars) + "\n",
            "rows.csv": self.to_pandas().rename(columns=csv_cell).map(csv_cell).to_csv(index=False),
            "table.md": self.to_markdown(),
        }
        return write_folder(folder, texts)

    def __rich__(self) -> Tables:
        return self.table()

    def __str__(self) -> str:
        return as_text(self.table())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Text for logs, Markdown for notebooks."""
        return {"text/plain": str(self), "text/markdown": self.to_markdown()}


def _rows(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The first list of facts in some data; the data itself if there is none."""
    lists = (value for value in data.values() if isinstance(value, list | tuple) and value)
    return [dict(one) for one in next((value for value in lists if isinstance(value[0], Mapping)), [data])]


def pyperf_text(cells: Sequence[Cell], samples: Samples, info: Origin) -> str:
    """JSON that `pyperf show` and `pyperf compare_to` read: a benchmark for each measured cell.

    Each wave is a run of its own with one value, the median of its rounds in seconds: pyperf would take rounds
    of one process for independent repetitions.
    """
    waves = cell_waves(cells, samples)
    benchmarks: list[dict[str, Any]] = []
    for cell in cells:
        if cell.control or cell.id not in waves or not waves[cell.id].log_times:
            continue
        values = [math.exp(value) / 1e9 for _, value in sorted(waves[cell.id].log_times.items())]
        facts = {
            "name": _name(cell),
            "loops": cell.loops,
            "unit": "second",
            "timer": f"{waves[cell.id].clock} time, median of the rounds of a repetition",
            "python_version": (cell.python or "").partition(" ")[2],
            "python_implementation": (cell.python or "").partition(" ")[0].lower(),
        }
        metadata = {name: value for name, value in facts.items() if value}
        benchmarks.append({"metadata": metadata, "runs": [{"values": [value]} for value in values]})
    about = {"date": info.started, "description": info.command}
    about |= {key: str(info.machine[name]) for key, name in _MACHINE.items() if name in info.machine}
    return json.dumps({"version": "1.0", "metadata": about, "benchmarks": benchmarks}) + "\n"


_MACHINE = {"cpu_model_name": "cpu", "platform": "system"}


def _name(cell: Cell) -> str:
    """A name for a row in other tools, the same in every run and version that measures it: theirs are series of it."""
    codec = cell.codec if cell.codec == cell.format else f"{cell.codec} ({cell.format})"
    where = "" if cell.environment == "main" else f"@{cell.environment}"
    data = f"{cell.workload} {cell.records} records depth {cell.depth} {cell.conditions}"
    return f"{cell.operation} {data}: {cell.library}{bracketed(cell.variant)}{where} {codec}"


def lines_json(facts: Mapping[str, Any], name: str, rows: Iterable[Mapping[str, Any]]) -> str:
    """JSON of some facts and, under this name, of rows, with a line for each: a row that changes is one of a difference."""
    head = json.dumps(dict(facts), indent=1, ensure_ascii=False, allow_nan=False).removesuffix("\n}")
    lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False, allow_nan=False)}" for row in rows)
    return f'{head},\n "{name}": [\n{lines}\n ]\n}}\n'


def csv_text(rows: Sequence[Row]) -> str:
    """The rows as CSV with a heading; None is an empty field."""
    columns = columns_of(rows)
    return lines_csv(columns, (map(as_data(row).get, columns) for row in rows))


def to_pandas(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows as a data frame; an empty one has all columns too."""
    import pandas as pd

    return pd.DataFrame([as_data(row) for row in rows], columns=list(columns_of(rows)))
