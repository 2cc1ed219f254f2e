"""Published runs, each in a folder of its own, and the files that are made of them with the same bytes each time."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench.api.reports.execute import notebooks
from serbench.api.verifying import COMMAND, PUBLISHED, Matrices, published_matrices
from serbench.api.weighing import PUBLISHED as COSTS
from serbench.api.weighing import QUESTION, Cost, costs_markdown, published_costs
from serbench.claims.ledger import PUBLISHED as CLAIMS
from serbench.claims.ledger import Ledger
from serbench.display import words
from serbench.display.table import code, escaped
from serbench.errors import PlanError, check
from serbench.machine.files import write_file
from serbench.results import grouped
from serbench.store.archive import ROWS, SIZE_GRIDS, packed, read_run
from serbench.store.folder import FACTS
from serbench.store.run import Run

if TYPE_CHECKING:
    from jinja2 import Environment

    from serbench.machine.files import Content

INDEX = "index.md"


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
    def date(self) -> str:
        """The day on which it began."""
        return self.run.info.started[:10]

    @property
    def notebook(self) -> str:
        """The notebook that measured it."""
        return self.name.partition("/")[0]

    @property
    def question(self) -> str:
        """The question that it answers, which is its title; of several runs of a notebook with which it is."""
        asked = next(
            (notebook.question for notebook in notebooks() if notebook.name == self.notebook), self.name
        ).replace("*", "")
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
    check("result", name, (run.name for run in runs))
    return next(run for run in runs if run.name == name)


def outdated(data: Path, runs: list[Published]) -> Iterator[tuple[Path, Content]]:
    """Each table that is missing or is not what its run, the matrices, the claims or the costs give, and the index.

    With each comes what it should be.

    Parquet is compared by content: another version of pyarrow writes the same table in other bytes.
    """
    for run in runs:
        yield from _outdated(run.folder, run.files())
    matrices = published_matrices(data)
    if matrices:
        yield from _outdated(data / PUBLISHED, {"results.parquet": matrices.parquet()})
    claims, costs = Ledger.read(data / CLAIMS), published_costs(data)
    texts = {data / CLAIMS / name: text for name, text in claims.tables().items()} if claims.outcomes else {}
    texts |= {data / COSTS / "results.md": costs_markdown(costs)} if costs else {}
    for path, text in (texts | {data / INDEX: index(runs, matrices, claims, costs)}).items():
        if not _holds(path, text):
            yield path, text


def _outdated(folder: Path, files: Mapping[str, Content]) -> Iterator[tuple[Path, Content]]:
    return ((folder / name, content) for name, content in files.items() if not _holds(folder / name, content))


def remake(data: Path) -> list[Path]:
    """Write every table and the index that are not what the published runs give; tell which."""
    return [write_file(path, content) for path, content in outdated(data, published_runs(data))]


def index(runs: list[Published], matrices: Matrices, claims: Ledger, costs: Sequence[Cost]) -> str:
    """The index as Markdown: a line for each run, the matrices, the claims and the costs; below how to measure them again."""
    questions = {notebook.name: notebook.question for notebook in notebooks()} | {COSTS: QUESTION}
    runs, grids = ([run for run in runs if run.is_size_grid is is_grid] for is_grid in (False, True))
    lines: list[tuple[Any, ...]] = [
        (run.question, f"{run.name}/results", run.date, len(run.run.rows), run.run.control.get("aa_error"))
        for run in runs
    ]
    for conditions, members in grouped(grids, lambda grid: grid.name.split("/")[1]).items():
        title = f"What lies below the explorer's sliders: every workload at many sizes and depths ({conditions})"
        rows = sum(len(member.run.rows) for member in members)
        lines.append((title, "", max(member.date for member in members), rows, None))
    if matrices:
        rows = sum(len(case.fidelity) + len(case.strictness) for case in matrices)
        lines.append((questions[PUBLISHED], "../docs/values", matrices.date, rows, None))
    if claims.outcomes:
        date = max(outcome.date for outcome in claims.outcomes)
        lines.append((questions[CLAIMS], f"{CLAIMS}/ledger", date, len(claims.outcomes), None))
    if costs:
        rows = sum(len(cost.rows) for cost in costs)
        lines.append((QUESTION, f"{COSTS}/results", max(cost.date for cost in costs), rows, None))
    outcomes, machines = claims.outcomes, {escaped(words.machine_line(outcome.machine)) for outcome in claims.outcomes}
    about = {"outcomes": outcomes, "machines": sorted(machines), "costs": costs, "command": COMMAND}
    return page("index", lines=lines, runs=runs, questions=questions, matrices=matrices, **about) + "\n"


def _holds(path: Path, content: Content) -> bool:
    """Whether a file has this text, these rows, or what was compressed here, of which another zlib makes other bytes."""
    try:
        if isinstance(content, str):
            return path.read_bytes() == content.encode()
        if isinstance(content, bytes):
            return gzip.decompress(path.read_bytes()) == gzip.decompress(content)
        import pyarrow.parquet as pq

        return bool(pq.read_table(path).equals(content, check_metadata=True))
    except (OSError, EOFError, ValueError, zlib.error):
        return False


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(  # noqa: S701  # Markdown, whose data the filter `escaped` escapes
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"escaped": escaped, "code": code, "machine": words.machine_line}
    environment.globals["words"] = words
    return environment


def page(template: str, /, **values: Any) -> str:
    """The Markdown page that a template gives, without empty lines at its end."""
    return _environment().get_template(f"{template}.md").render(values).rstrip()
