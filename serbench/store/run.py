"""A run as a value: its rows, and how it shows itself in a terminal, a notebook and a log."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from serbench.display.board import findings
from serbench.display.closing import Closing, extent, run_closing
from serbench.display.comparison import history_closing, history_figure, history_tables
from serbench.display.figures import budget_figure, conditions_figure, drawn, phases, ranking, scaling, tradeoff
from serbench.display.result_table import conditions_table, leaders, machine_notes, mean_data, table, warnings
from serbench.display.style import ThemeName
from serbench.display.table import Tables, escaped
from serbench.display.values import Displayed, Folded, csv_text, lines_json, pyperf_text, to_pandas
from serbench.display.views import conditions, growth
from serbench.display.words import again, case_name, data_options, listed
from serbench.errors import PlanError, StoreError, check, installed_by, typed
from serbench.judge.compare import Series, least_difference, version_series
from serbench.judge.control import control
from serbench.judge.leading import overall
from serbench.judge.rows import Row, as_data, by_column, columns_of, ranked_anew, six_digits
from serbench.judge.rows import rows as rows_of
from serbench.machine.files import schema, write_file, write_folder
from serbench.render.environments import MAIN
from serbench.results import FLOOR, Cell, Origin
from serbench.store.folder import RunInfo, StoredRun, as_files
from serbench.store.opening import store_option

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    import pyarrow as pa

    from serbench.machine.files import Content
    from serbench.store.archive import Sheet


MIME_TYPE = "application/vnd.serbench.run+json"
NOT_KEPT = "not all of this run is kept"


@dataclass(frozen=True)
class Findings:
    """Sentences by workload point, which show themselves as text or Markdown."""

    by_point: Mapping[str, Sequence[str]]

    def __str__(self) -> str:
        return "\n".join(line for point, lines in self.by_point.items() for line in (point, *(f"- {s}" for s in lines)))

    def to_markdown(self) -> str:
        """A list for each point."""
        blocks = [
            "\n".join([f"**{escaped(point)}**", "", *(f"- {escaped(line)}" for line in lines)])
            for point, lines in self.by_point.items()
        ]
        return "\n\n".join(blocks)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Text for logs, Markdown for notebooks."""
        return {"text/plain": str(self), "text/markdown": self.to_markdown()}


@dataclass(frozen=True)
class History(Displayed):
    """A library over its versions, as one run measured them; it displays itself.

    Attributes:
        run: everything that was measured.
        libraries: the names of the library's plug-ins, one for each generation that it has.
        codec: the distribution of a codec, if the versions are its; otherwise empty.
    """

    run: Run
    libraries: tuple[str, ...]
    codec: str = ""

    @cached_property
    def series(self) -> list[Series]:
        """The versions for each operation and codec, oldest first."""
        return version_series(list(map(self._versioned, self.run.cells)), self.run.samples, self.libraries)

    def _versioned(self, cell: Cell) -> Cell:
        """A cell with the version of the codec, if the versions are a codec's."""
        if not self.codec:
            return cell
        prefix = "" if cell.environment == MAIN.name else f"{cell.environment}: "
        version = self.run.info.versions.get(f"{prefix}{self.codec}")
        return replace(cell, version=version)

    def to_data(self) -> dict[str, Any]:
        """The object that `serbench history --json` prints: that of its run."""
        return self.run.to_data()

    def table(self) -> Tables:
        """A table for each operation and codec."""
        return history_tables(self.series, self.run.least)

    def closing(self) -> Closing:
        """The last lines in a terminal: which version to use, and how the others compare."""
        of = self.codec or re.sub(r".*\((\w+)\)", r"\1", self.libraries[0])  # of a class of the user's, its library
        info, store = self.run.info, store_option(self.run.path)
        formats = f" -f {quote(','.join(info.plan['formats']))}" if info.plan.get("formats") else ""
        return history_closing(
            self.series,
            self.run.least,
            of,
            options=formats + data_options(info.plan),
            again=again(info.command, str(info.plan.get("effort", "")), store),
            store=store,
        )

    def figure(self) -> go.Figure:
        """Time over version, with 95% intervals."""
        return drawn(history_figure(self.series, self.run.info))

    @typed
    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """The run's results, `history.md`, and the figure as a page of its own, `history.html`, in that folder."""
        paths = self.run.write(folder)
        texts = {"history.md": self.to_markdown(), "history.html": self.figure().to_html(include_plotlyjs=True)}
        return [*paths, *write_folder(folder, texts)]


def _of_largest(rows: Sequence[Row]) -> list[Row]:
    """The rows of the largest data that was measured, and of what a service meets if it has several conditions."""
    point = max((row.point for row in [row for row in rows if row.measured] or rows), key=extent)
    return [row for row in rows if row.point == point]


@dataclass(frozen=True)
class Run(StoredRun, Displayed):
    """A run as it was measured, with its figures; it displays itself.

    Attributes:
        info: its id, date, command, plan, machine, versions and warnings.
        cells: what was measured, hidden duplicates included.
        samples: the raw samples, in the order of `Sample`'s fields.
        sources: the measured modules by the sha256 of their text; none while the run is in progress.
        path: the store that keeps it; None if none does.
        ours: whether this process measured it, or it is from the usual store: then the class and the file that it names
            may be opened.
    """

    path: Path | None = None
    ours: bool = False

    @classmethod
    @typed
    def from_store(cls, stored: StoredRun, path: Path | None = None, *, ours: bool = False) -> Run:
        """The run that a store, the file `path`, or a published folder keeps."""
        return cls(**vars(stored), path=path, ours=ours)

    @classmethod
    @typed
    def of_rows(cls, sheet: Sheet, rows: list[Row], plan: Mapping[str, Any]) -> Run:
        """Some rows of a run, ranked among themselves; nothing else is kept here: it has neither cells nor samples."""
        facts: dict[str, Any] = {name: getattr(sheet.info, name) for name in Origin.__dataclass_fields__}
        facts |= {"finished": None, "status": "finished", "serbench": "", "warnings": [], "seconds": None, "plan": plan}
        info = RunInfo(**facts, cells=len(rows), waves=max((row.waves or 0 for row in rows), default=0))
        made = cls(info, [], [], sheet.sources)
        boards = {(row.point, row.operation): row.reference for row in sorted(rows, key=lambda row: row.reference)}
        hidden = [row for row in sheet.rows if row.reference and boards.get((row.point, row.operation)) is False]
        names = listed([*dict.fromkeys(map(case_name, hidden))])
        notes = [f"ratios are to {names} of this run, which the choice leaves out"] if hidden else []
        shown = ranked_anew(rows, sheet.rows)
        vars(made).update(rows=shown, control=dict(sheet.control), warnings=[*notes, *sheet.warnings])
        return made

    @cached_property
    def rows(self) -> list[Row]:
        """A row per case, operation and workload point, fastest first within each ranking."""
        return rows_of(self.cells, self.samples)

    @cached_property
    def control(self) -> dict[str, Any]:
        """The run's own accuracy: `aa_error`, `aa_miss_rate` and `aa_cases`."""
        return control(self.cells, self.samples)

    @property
    def least(self) -> float:
        """The smallest difference to trust in this run."""
        return least_difference(self.control)

    @cached_property
    def warnings(self) -> list[str]:
        """Conditions to know before believing the figures."""
        texts = warnings(self.cells, self.samples, self.info.machine, gc=self.info.plan.get("gc"))
        texts += machine_notes(self.cells, self.samples, self.info.machines)
        return [*self.info.warnings, *(text for text in texts if text not in self.info.warnings)]

    def check_kept(self) -> None:
        """Raise StoreError if its store could not be written to its end."""
        lost = next((text for text in self.info.warnings if text.startswith(NOT_KEPT)), None)
        if lost is not None and self.path is None:
            raise StoreError(lost)

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
            "control": {name: six_digits(value) for name, value in self.control.items()},
            "warnings": self.warnings,
            "overall": [mean_data(one) for one in overall(self.rows)],
            "rows": [as_data(row) for row in self.rows],
        }

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a data frame, with the keys of `to_data` as columns."""
        return to_pandas(self.rows)

    def table(self) -> Tables:
        """The ranking, which Rich can print."""
        return table(self.rows, self.control, self.warnings, self.info)

    @typed
    def leaders(self, count: int) -> Tables:
        """The fastest few of each operation, without the rest of the table."""
        if count < 1:
            raise PlanError(f"count must be at least 1, not {count:,}")
        return leaders(self.rows, count)

    @typed
    def figure(
        self, operation: str = "decode", workload: str | None = None, *, theme: ThemeName = "light"
    ) -> go.Figure:
        """The ranking of one operation: a dot and its interval per case on a logarithmic axis.

        Raises:
            PlanError: an operation or a workload that this run does not have; so do the other figures.
        """
        rows = self._of(operation, workload)
        return drawn(ranking(rows, self.info, control=self.control, theme=theme))

    @typed
    def scaling(
        self,
        operation: str = "decode",
        workload: str | None = None,
        *,
        records: int | None = None,
        depth: int | None = None,
        theme: ThemeName = "light",
    ) -> go.Figure:
        """Time per record against records (at `depth`) and depth (at `records`); default: the least depth, the most records."""
        rows = self._sizes(operation, workload)
        known = [row for row in rows if row.measured] or rows  # a run that ended early has not reached the others
        records = max(row.records for row in known) if records is None else records
        depth = min(row.depth for row in known) if depth is None else depth
        check("records", records, sorted({row.records for row in rows}))
        check("depth", depth, sorted({row.depth for row in rows}))
        return drawn(scaling(rows, self.info, records=records, depth=depth, least=self.least, theme=theme))

    @typed
    def tradeoff(
        self, operation: str = "decode", workload: str | None = None, *, theme: ThemeName = "light"
    ) -> go.Figure:
        """Time against size of the largest data, with the cases named that none beats in speed, size and strictness."""
        rows = _of_largest(self._of(operation, workload))
        return drawn(tradeoff(rows, self.info, least=self.least, theme=theme))

    @typed
    def hidden(self, operation: str = "decode") -> Tables:
        """Each case's time and rank under `hot` and under `varied`, which show what `hot` hides.

        The run needs the conditions `hot` and `varied`.
        """
        rows = self._of(operation)
        return Tables([conditions_table(rows)], [conditions(rows, self.least).title])

    @typed
    def hidden_figure(self, operation: str = "decode", *, theme: ThemeName = "light") -> go.Figure:
        """The times of `hidden` as two dots for each case."""
        return drawn(conditions_figure(self._of(operation), self.info, least=self.least, theme=theme))

    @typed
    def phases(self, workload: str | None = None, *, theme: ThemeName = "light") -> go.Figure:
        """The share of each step (dump, dumps, loads and load) that the run has of the largest data."""
        return drawn(phases(_of_largest(self._of(None, workload)), self.info, least=self.least, theme=theme))

    @typed
    def budget(
        self,
        operation: str = "decode",
        workload: str | None = None,
        *,
        bandwidth_bits_per_s: float = 1e9,
        cores: int = 4,
        theme: ThemeName = "light",
    ) -> go.Figure:
        """Messages a second, of the largest data, that the line and the cores allow, and which of the two limits them."""
        rows, info = _of_largest(self._of(operation, workload)), self.info
        line = budget_figure(
            rows, info, bandwidth_bits_per_s=bandwidth_bits_per_s, cores=cores, least=self.least, theme=theme
        )
        return drawn(line)

    @typed
    def growth(self, operation: str = "decode", workload: str | None = None) -> Findings:
        """Sentences on the growth of time per record, and on the depth that each library has reached."""
        return Findings(growth(self._sizes(operation, workload)))

    def _of(self, operation: str | None, workload: str | None = None) -> list[Row]:
        """The rows of an operation and a workload; None is any."""
        if operation is not None:
            check("operation", operation, (row.operation for row in self.rows))
        if workload is not None:
            check("workload", workload, (row.workload for row in self.rows))
        return [row for row in self.rows if operation in (None, row.operation) and workload in (None, row.workload)]

    def _sizes(self, operation: str, workload: str | None) -> list[Row]:
        """The rows of the workload with the largest data, at all its sizes and depths."""
        rows = self._of(operation, workload)
        (series,) = {(row.workload, row.seed, row.conditions) for row in _of_largest(rows)}
        return [row for row in rows if (row.workload, row.seed, row.conditions) == series]

    def findings(self) -> Findings:
        """Sentences on the leader of each ranking, its lead, and the size of the bytes."""
        return Findings(findings(self.rows, self.least))

    def code(self) -> Folded:
        """The code that was measured, folded: for each library that of the first of its rows, floors of endpoints left out."""
        known = [row for row in self.rows if row.source_sha256 in self.sources and row.codec != FLOOR]
        rows = {row.library: row for row in reversed(known)}
        titles = {case_name(row): self.sources[str(row.source_sha256)] for _, row in sorted(rows.items())}
        return Folded(titles)

    def closing(self) -> Closing:
        """The last lines of a run in a terminal: the leaders, what they cost, and the next command."""
        return run_closing(
            self.rows,
            run=self.id if self.path else "",
            store=store_option(self.path),
            least=self.least,
            command=self.info.command,
            effort=str(self.info.plan.get("effort", "")),
        )

    def to_markdown(self) -> str:
        """Return the leaders of encoding and decoding, what the latter costs, and the tables, as Markdown."""
        answer = [f"- {label}: {escaped(text)}" for label, text in self.closing().lines if label != "next"]
        return "\n\n".join(filter(None, ["\n".join(answer), super().to_markdown()]))

    @typed
    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the run and its tables into that folder, which is made if missing: all files, or none.

        Of a run whose rows alone are kept here, such as a published one, nothing is written, lest it replace the whole.

        The tables are `results.csv`, `results.md` and `results.json`. If pyarrow is installed, there are
        `results.parquet`, and the run itself: `run.json`, `cells.parquet`, `samples.parquet` and `sources.parquet`.

        Raises:
            PlanError: the folder cannot be written.
        """
        if not self.cells:
            return []
        contents: dict[str, Content] = dict(self.tables())
        if find_spec("pyarrow"):
            contents["results.parquet"] = self.parquet()
            contents |= as_files(self)
        return write_folder(folder, contents)

    def tables(self) -> dict[str, str]:
        """File name → text of each file that `write` writes as text."""
        return {
            "results.csv": csv_text(self.rows),
            "results.md": self.to_markdown(),
            "results.json": self._json(),
        }

    def _json(self) -> str:
        facts = self.to_data()
        rows = facts.pop("rows")
        return lines_json(facts, "rows", rows)

    def parquet(self) -> pa.Table:
        """The rows as a table of Arrow, which says whose they are: run, date, command, machine and versions."""
        import pyarrow as pa

        info = self.info
        about = {"run": info.id, "date": info.started, "command": info.command}
        about |= {"machine": json.dumps(dict(info.machine)), "versions": json.dumps(dict(info.versions))}
        columns = schema(Row, columns=columns_of(self.rows), about=about)
        return pa.Table.from_pylist([as_data(row) for row in self.rows], columns)

    @typed
    def export(self, to: str, path: str | os.PathLike[str] | None = None) -> str | None:
        """The run for another program: "csv", "parquet", "json" or "pyperf".

        Returns:
            The text; None if it was written to the file `path`, which Parquet needs.

        Raises:
            PlanError: an unknown format, Parquet without a file or without pyarrow, a file that cannot be written.
        """
        made: dict[str, Callable[[], str]] = {
            "csv": lambda: csv_text(self.rows),
            "json": self._json,
            "pyperf": lambda: pyperf_text(self.cells, self.samples, self.info),
        }
        check("export", to, (*made, "parquet"))
        if to == "parquet" and path is None:
            raise PlanError("Parquet is binary: write it with --output FILE")
        try:
            if path is None:
                return made[to]()
            write_file(Path(path), self.parquet() if to == "parquet" else made[to]())
        except ImportError:
            raise PlanError(f"Parquet needs pyarrow: {installed_by('report')}") from None
        except OSError as error:
            raise PlanError(f"{path} cannot be written: {error.strerror}; name another file with --output") from None
        return None

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Text for logs, HTML for notebooks, and the data itself, its rows by column, for whoever reads the notebook later."""
        facts = self.to_data()
        del facts["rows"]
        data = {**facts, "columns": by_column(self.rows)}
        return {"text/plain": str(self), "text/html": self.table().to_html(), MIME_TYPE: data}
