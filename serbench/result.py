"""A run as a value: its rows, and how it shows itself in a terminal, a notebook and a log."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench import analysis
from serbench.analysis.style import Figure, ThemeName
from serbench.engine.results import Cell
from serbench.files import schema, write_file, write_files
from serbench.names import PlanError, check
from serbench.store import RunInfo, StoredRun, as_files

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    import pyarrow as pa
    from rich.console import Group

    from serbench.files import Content

MIME_TYPE = "application/vnd.serbench.run+json"


@dataclass(frozen=True)
class Findings:
    """Sentences by workload point, which show themselves as text or Markdown."""

    by_point: Mapping[str, Sequence[str]]

    def __str__(self) -> str:
        return "\n".join(line for point, lines in self.by_point.items() for line in (point, *(f"- {s}" for s in lines)))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Text for logs, Markdown for notebooks."""
        blocks = [
            "\n".join([f"**{analysis.escaped(point)}**", "", *(f"- {analysis.escaped(line)}" for line in lines)])
            for point, lines in self.by_point.items()
        ]
        return {"text/plain": str(self), "text/markdown": "\n\n".join(blocks)}


@dataclass(frozen=True)
class History:
    """A library over its versions, as one run measured them; it displays itself.

    Attributes:
        run: everything that was measured.
        libraries: the names of the library's plug-ins, one for each generation that it has.
    """

    run: Run
    libraries: tuple[str, ...]

    @cached_property
    def series(self) -> list[analysis.Series]:
        """The versions for each operation and codec, oldest first."""
        return analysis.history(self.run.cells, self.run.samples, self.libraries)

    def table(self) -> Group:
        """The series as a Rich renderable."""
        return analysis.history_table(self.series)

    def figure(self) -> go.Figure:
        """Time over version, with 95 % intervals."""
        return _drawn(analysis.history_figure(self.series, self.run.info))

    def to_markdown(self) -> str:
        """The series as Markdown tables."""
        return analysis.history_markdown(self.series)

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """The run's results, `history.md`, and the figure as a page of its own, `history.html`, in that folder."""
        paths = self.run.write(folder)
        texts = {"history.md": self.to_markdown(), "history.html": self.figure().to_html(include_plotlyjs=True)}
        return [*paths, *write_files(Path(folder), texts)]

    def __rich__(self) -> Group:
        return self.table()

    def __str__(self) -> str:
        return analysis.as_text(self.table())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Text for logs, Markdown for notebooks."""
        return {"text/plain": str(self), "text/markdown": self.to_markdown()}


@dataclass(frozen=True)
class Run:
    """What a run measured.

    Attributes:
        info: its id, date, command, plan, machine, versions and warnings.
        cells: what was measured, hidden duplicates included.
        samples: the raw samples, in the order of `engine.results.Sample`.
        sources: the measured modules by the sha256 of their text; none while the run is in progress.
    """

    info: RunInfo
    cells: list[Cell]
    samples: Any
    sources: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_store(cls, stored: StoredRun) -> Run:
        """The run that a store or a published folder keeps."""
        return cls(stored.info, stored.cells, stored.samples, stored.sources)

    @property
    def id(self) -> str:
        """The run's id, under which the store keeps it."""
        return self.info.id

    @cached_property
    def rows(self) -> list[analysis.Row]:
        """A row per case, operation and workload point, fastest first within each ranking."""
        return analysis.rows(self.cells, self.samples)

    @cached_property
    def control(self) -> dict[str, Any]:
        """The run's own accuracy: `aa_error`, `aa_miss_rate` and `aa_cases`."""
        return analysis.control(self.cells, self.samples)

    @cached_property
    def warnings(self) -> list[str]:
        """What a reader should know before believing the figures."""
        found = analysis.warnings(self.cells, self.samples, self.info.machine, gc=self.info.plan.get("gc"))
        found += analysis.machine_notes(self.cells, self.samples, self.info.machines)
        return [*self.info.warnings, *(text for text in found if text not in self.info.warnings)]

    def to_data(self) -> dict[str, Any]:
        """The run as JSON data: what `serbench run --json` prints."""
        info = self.info
        return {
            "run": info.id,
            "date": info.started,
            "command": info.command,
            "machine": dict(info.machine),
            "machines": {name: dict(facts) for name, facts in info.machines.items()},
            "versions": dict(info.versions),
            "control": {name: analysis.six_digits(value) for name, value in self.control.items()},
            "warnings": self.warnings,
            "overall": [
                {
                    **{name: analysis.six_digits(value) for name, value in asdict(one).items()},
                    "points": list(one.points),
                }
                for one in analysis.overall(self.rows)
            ],
            "rows": [analysis.as_data(row) for row in self.rows],
        }

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a data frame, with the keys of `to_data` as columns."""
        return analysis.to_pandas(self.rows)

    def table(self) -> Group:
        """The ranking as a Rich renderable."""
        return analysis.table(self.rows, self.control, self.warnings, self.info)

    def leaders(self, count: int) -> Group:
        """The fastest few of each operation, without the rest of the table."""
        from rich.console import Group

        from serbench.analysis.rows import class_place
        from serbench.analysis.tables import board_sheet

        groups: dict[Any, list[analysis.Row]] = {}
        for row in sorted((r for r in self.rows if r.time_ns is not None), key=lambda r: r.time_ns or 0):
            groups.setdefault((row.workload, row.records, row.depth, row.operation), []).append(row)
        leading = [
            row for rows in groups.values() for row in sorted(rows[:count], key=lambda r: class_place(r.work_class))
        ]
        return Group(*map(board_sheet, analysis.boards(leading)))

    def figure(
        self, operation: str = "decode", workload: str | None = None, *, theme: ThemeName = "light"
    ) -> go.Figure:
        """The ranking of one operation: a dot and its interval per case on a logarithmic axis.

        Raises:
            PlanError: an operation or a workload that this run does not have; so do the other figures.
        """
        return analysis.figure(self._of(operation, workload), self.info, control=self.control, theme=theme)

    def scaling(
        self,
        operation: str = "decode",
        *,
        records: int | None = None,
        depth: int | None = None,
        theme: ThemeName = "light",
    ) -> go.Figure:
        """Time per record against records (at `depth`) and depth (at `records`); the first of each without."""
        rows = self._of(operation)
        point = rows[0]
        return _drawn(
            analysis.scaling(rows, self.info, records=records or point.records, depth=depth or point.depth, theme=theme)
        )

    def tradeoff(self, operation: str = "decode", *, theme: ThemeName = "light") -> go.Figure:
        """Time against size, with the cases named that none beats in speed, size and strictness."""
        return _drawn(analysis.tradeoff(self._of(operation), self.info, theme=theme))

    def phases(self, *, theme: ThemeName = "light") -> go.Figure:
        """What share each step has: dump, dumps, loads and load, where the run has them."""
        return _drawn(analysis.phases(self.rows, self.info, theme=theme))

    def budget(
        self,
        operation: str = "decode",
        *,
        bandwidth_bits_per_s: float = 1e9,
        cores: int = 4,
        theme: ThemeName = "light",
    ) -> go.Figure:
        """Messages a second that the line and the cores allow, and which of the two limits them."""
        rows, info = self._of(operation), self.info
        return _drawn(
            analysis.budget_figure(rows, info, bandwidth_bits_per_s=bandwidth_bits_per_s, cores=cores, theme=theme)
        )

    def growth(self, operation: str = "decode") -> Findings:
        """How time per record grows with records and depth, and how deep each library has gone, in sentences."""
        return Findings(analysis.growth(self._of(operation)))

    def _of(self, operation: str, workload: str | None = None) -> list[analysis.Row]:
        check("operation", operation, (row.operation for row in self.rows))
        if workload is not None:
            check("workload", workload, (row.workload for row in self.rows))
        return [row for row in self.rows if row.operation == operation and workload in (None, row.workload)]

    def findings(self) -> Findings:
        """What the run shows, in sentences: who leads each ranking by how much, and how large the bytes are."""
        return Findings(analysis.findings(self.rows))

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """The run and its tables in that folder, made where it is missing; all of its files, or none.

        The tables are `results.csv`, `results.md` and `results.json`. Where pyarrow is installed there are
        `results.parquet`, and the run itself: `run.json`, `cells.parquet`, `samples.parquet` and `sources.parquet`.

        Raises:
            OSError: the folder cannot be written.
        """
        Path(folder).mkdir(parents=True, exist_ok=True)
        contents: dict[str, Content] = dict(self.tables())
        if find_spec("pyarrow"):
            contents["results.parquet"] = self.parquet()
            contents |= as_files(StoredRun(self.info, self.cells, self.samples, self.sources))
        return write_files(Path(folder), contents)

    def tables(self) -> dict[str, str]:
        """What `write` writes as text, by the file's name."""
        data = json.dumps(self.to_data(), indent=1, allow_nan=False, ensure_ascii=False) + "\n"
        return {"results.csv": analysis.csv_text(self.rows), "results.md": self.to_markdown(), "results.json": data}

    def parquet(self) -> pa.Table:
        """The rows as a table of Arrow, which says whose they are: run, date, command, machine and versions."""
        import pyarrow as pa

        info = self.info
        about = {"run": info.id, "date": info.started, "command": info.command}
        about |= {"machine": json.dumps(dict(info.machine)), "versions": json.dumps(dict(info.versions))}
        return pa.Table.from_pylist([analysis.as_data(row) for row in self.rows], schema(analysis.Row, about=about))

    def export(self, to: str, path: str | os.PathLike[str] | None = None) -> str | None:
        """The run for another program: "csv", "parquet", "json", "pyperf" or "benchmark-action".

        Returns:
            The text; None where it went to the file `path`, which Parquet needs.

        Raises:
            PlanError: an unknown format, Parquet without a file or without pyarrow, a file that cannot be written.
        """
        made: dict[str, Callable[[], str]] = {
            "csv": lambda: analysis.csv_text(self.rows),
            "json": lambda: json.dumps(self.to_data(), indent=1, allow_nan=False, ensure_ascii=False) + "\n",
            "pyperf": lambda: analysis.pyperf_text(self.cells, self.samples, self.info),
            "benchmark-action": lambda: analysis.benchmark_action_text(self.rows),
        }
        check("export", to, (*made, "parquet"))
        if to == "parquet" and path is None:
            raise PlanError("Parquet is no text; name a file with --output")
        try:
            if path is None:
                return made[to]()
            write_file(Path(path), self.parquet() if to == "parquet" else made[to]())
        except ImportError:
            raise PlanError("Parquet takes pyarrow: pip install 'serbench[report]'") from None
        except OSError as error:
            raise PlanError(f"{path} cannot be written: {error.strerror}; name another file with --output") from None
        return None

    def to_markdown(self) -> str:
        """The ranking as Markdown tables."""
        return analysis.markdown(self.rows, self.control, self.info, warnings=self.warnings)

    def __rich__(self) -> Group:
        return self.table()

    def __str__(self) -> str:
        return analysis.as_text(self.table())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Text for logs, HTML for notebooks, and the data itself for whoever reads the notebook later."""
        return {
            "text/plain": str(self),
            "text/html": analysis.html(self.rows, self.control, self.info, warnings=self.warnings),
            MIME_TYPE: self.to_data(),
        }


def _drawn(figure: Figure) -> go.Figure:
    import plotly.graph_objects as go

    return go.Figure(figure)
