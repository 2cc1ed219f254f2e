"""Published runs, each in a folder of its own, and the files that are made of them with the same bytes each time."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from serbench.ask.costs import PUBLISHED as COSTS
from serbench.ask.costs import QUESTION, Cost, costs_markdown, published_costs
from serbench.ask.matrices import COMMAND, PUBLISHED, Matrices, published_matrices
from serbench.ask.reports.notebooks import notebooks
from serbench.claims.ledger import PUBLISHED as CLAIMS
from serbench.claims.ledger import Ledger, ledger
from serbench.display import words
from serbench.display.escapes import code, escaped
from serbench.display.table import Side, Table
from serbench.errors import PlanError, check
from serbench.keep.folder import FACTS
from serbench.keep.reading import read_run
from serbench.keep.run import Run
from serbench.keep.size_grid import ROWS, SIZE_GRIDS, packed
from serbench.render.environments.files import write_file
from serbench.results import grouped

if TYPE_CHECKING:
    import pyarrow as pa

    from serbench.render.environments.files import Content

INDEX = "index.md"
FILES = """\
Each folder has the run itself (`run.json`, `cells.parquet`, `samples.parquet`, `sources.parquet`) and the tables made of it.
`serbench report --tables` makes the tables again; `serbench report` measures again."""


@dataclass(frozen=True)
class Published:
    """A published run.

    Attributes:
        name: its folder below that of all results, such as "scaling" or "versions/now".
        folder: where it is.
    """

    name: str
    folder: Path

    @cached_property
    def run(self) -> Run:
        """The run, from which every table is computed."""
        return Run.from_store(read_run(self.folder))

    @property
    def is_size_grid(self) -> bool:
        """Whether it is a workload at many sizes and depths, for the explorer's sliders."""
        return self.name.startswith(f"{SIZE_GRIDS}/")

    def files(self) -> dict[str, Content]:
        """File name → content of everything that is made of the run."""
        if self.is_size_grid:
            return {ROWS: packed(self.run)}
        tables = self.run.tables()
        tables["results.md"] = f"# {escaped(self.question)}\n\n{tables['results.md']}"
        return {**tables, "results.parquet": self.run.parquet()}

    @property
    def notebook(self) -> str:
        """The notebook that measured it."""
        return self.name.partition("/")[0]

    @property
    def question(self) -> str:
        """The question that it answers, which is its title; of several runs of a notebook with which it is."""
        asked = next((one.question for one in notebooks() if one.name == self.notebook), self.name).replace("*", "")
        part = self.name.partition("/")[2]
        return f"{asked} ({part})" if part else asked


def published_runs(data: Path) -> list[Published]:
    """Every published run in that folder, by name.

    Raises:
        PlanError: there is none.
    """
    folders = sorted(path.parent for path in data.rglob(FACTS))
    if not folders:
        raise PlanError(f"{data} has no published run; `serbench report` measures, or --output names another folder")
    return [Published(folder.relative_to(data).as_posix(), folder) for folder in folders]


def named(runs: list[Published], name: str) -> Published:
    """The published run of that name.

    Raises:
        PlanError: there is none.
    """
    check("result", name, (one.name for one in runs))
    return next(one for one in runs if one.name == name)


def outdated(data: Path, runs: list[Published]) -> Iterator[tuple[Path, Content]]:
    """Each table that is missing or is not what its run, the matrices, the claims or the costs give, and the index.

    With each comes what it should be.

    Parquet is compared by content: another version of pyarrow writes the same table in other bytes.
    """
    for one in runs:
        yield from _outdated(one.folder, one.files())
    matrices = published_matrices(data)
    if matrices:
        yield from _outdated(data / PUBLISHED, {**matrices.tables(), "results.parquet": matrices.parquet()})
    claims, costs = ledger(data / CLAIMS), published_costs(data)
    texts = {data / CLAIMS / name: text for name, text in claims.tables().items()} if claims.outcomes else {}
    texts |= {data / COSTS / "results.md": costs_markdown(costs)} if costs else {}
    for path, text in (texts | {data / INDEX: index(runs, matrices, claims, costs)}).items():
        if _bytes(path) != text.encode():
            yield path, text


def _outdated(folder: Path, files: Mapping[str, Content]) -> Iterator[tuple[Path, Content]]:
    for name, content in files.items():
        path = folder / name
        if isinstance(content, str):
            current = _bytes(path) == content.encode()
        elif isinstance(content, bytes):
            current = _unpacked(_bytes(path)) == gzip.decompress(content)
        else:
            current = _holds(path, content)
        if not current:
            yield path, content


def _unpacked(content: bytes | None) -> bytes | None:
    """What was compressed, of which another zlib makes other bytes; None if it is missing or damaged."""
    try:
        return None if content is None else gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        return None


def remake(data: Path) -> list[Path]:
    """Write every table and the index that are not what the published runs give; tell which."""
    return [write_file(path, content) for path, content in outdated(data, published_runs(data))]


def index(runs: list[Published], matrices: Matrices, claims: Ledger, costs: Sequence[Cost]) -> str:
    """The index as Markdown: a line for each run, the matrices, the claims and the costs; below how to measure them again."""
    questions = {one.name: one.question for one in notebooks()}
    shown = [
        _indexed(one.name, "results", one.question, one.run.info.started, len(one.run.rows), one.run)
        for one in runs
        if not one.is_size_grid
    ]
    shown += _indexed_size_grids([one for one in runs if one.is_size_grid])
    if matrices:
        rows = sum(len(one.fidelity) + len(one.strictness) for one in matrices)
        shown.append(_indexed(PUBLISHED, "results", questions[PUBLISHED], matrices.date, rows))
    if claims.outcomes:
        date = max(outcome.date for outcome in claims.outcomes)
        shown.append(_indexed(CLAIMS, "ledger", questions[CLAIMS], date, len(claims.outcomes)))
    if costs:
        shown.append(
            _indexed(COSTS, "results", QUESTION, max(one.date for one in costs), sum(len(one.rows) for one in costs))
        )
    headings: dict[str, Side] = {"question": "left", "measured": "left"}
    headings |= {"rows": "right", "A/A error": "right"}
    lines = [
        "# Published results",
        "",
        "Choose the question that is yours; its page begins with the answer, and the answers stand below this table too.",
        "A smaller A/A error means that smaller differences can be trusted.",
        "",
        Table.of_lines(headings, shown, markup=True).to_markdown(),
    ]
    for one in (one for one in runs if not one.is_size_grid):
        about = [words.machine_line(one.run.info.machine), words.versions_line(one.run.info.versions)]
        answer = [f"- {label}: {escaped(text)}" for label, text in one.run.closing().lines if label in ("use", "gain")]
        heading, command = f"## {escaped(one.question)}", code(one.run.info.command)
        lines += ["", heading, "", *answer, "", command, "", "\\\n".join(map(escaped, about))]
    if matrices:
        lines += [
            "",
            f"## {escaped(questions[PUBLISHED])}",
            "",
            f"`{COMMAND}`",
            "",
            escaped(words.versions_line(matrices.versions)),
        ]
    if claims.outcomes:
        efforts = sorted({outcome.effort for outcome in claims.outcomes})
        commands = [f"`serbench claims --effort {effort} --output data/{CLAIMS}`" for effort in efforts]
        machines = sorted({escaped(words.machine_line(outcome.machine)) for outcome in claims.outcomes})
        lines += ["", f"## {escaped(questions[CLAIMS])}", "", *commands, "", *machines]
    if costs:
        lines += ["", f"## {escaped(QUESTION)}", "", *(f"- {escaped(one.name)}: {code(one.command)}" for one in costs)]
    lines += ["", "## Files", "", FILES]
    return "\n".join(lines) + "\n"


def _indexed_size_grids(grids: Sequence[Published]) -> list[tuple[str, str, str, str]]:
    """A line for the size grids of each of their conditions."""
    by_conditions = grouped(grids, lambda one: one.name.split("/")[1])
    return [
        (
            escaped(f"What lies below the explorer's sliders: every workload at many sizes and depths ({conditions})"),
            max(one.run.info.started for one in members)[:10],
            f"{sum(len(one.run.rows) for one in members)}",
            "",
        )
        for conditions, members in by_conditions.items()
    ]


def _indexed(
    name: str, page: str, question: str, date: str, rows: int, run: Run | None = None
) -> tuple[str, str, str, str]:
    """A line of the index, as Markdown."""
    error = None if run is None else run.control.get("aa_error")
    link = f"[{escaped(question.replace('*', ''))}]({name}/{page}.md)"
    return (link, date[:10], f"{rows}", "" if error is None else f"{error:.1%}")


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _holds(path: Path, table: pa.Table) -> bool:
    import pyarrow.parquet as pq

    try:
        stored = pq.read_table(path)
    except (OSError, ValueError):
        return False
    return bool(stored.equals(table, check_metadata=True))
