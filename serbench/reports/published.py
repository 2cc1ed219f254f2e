"""What is published: runs in folders of their own, and everything that is made of them again with the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from serbench.analysis import display, escaped
from serbench.claims import ledger
from serbench.claims.ledger import PUBLISHED as CLAIMS
from serbench.claims.ledger import Ledger
from serbench.files import write_file
from serbench.names import PlanError, check
from serbench.probe_verbs import COMMAND, PUBLISHED, Matrices, published_matrices
from serbench.reports.notebooks import notebooks
from serbench.result import Run
from serbench.store import read_run

if TYPE_CHECKING:
    import pyarrow as pa

    from serbench.files import Content

FACTS = "run.json"
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
    def notebook(self) -> str:
        """The notebook that measured it."""
        return self.name.partition("/")[0]


def published_runs(data: Path) -> list[Published]:
    """Every published run in that folder, by name.

    Raises:
        PlanError: there is none.
    """
    folders = sorted(path.parent for path in data.rglob(FACTS))
    if not folders:
        raise PlanError(f"{data} holds no published run; `serbench report` measures, or --output names another folder")
    return [Published(folder.relative_to(data).as_posix(), folder) for folder in folders]


def named(runs: list[Published], name: str) -> Published:
    """The published run of that name.

    Raises:
        PlanError: there is none.
    """
    check("result", name, (one.name for one in runs))
    return next(one for one in runs if one.name == name)


def outdated(data: Path, runs: list[Published]) -> Iterator[tuple[Path, Content]]:
    """Each table that is missing or is not what its run, the matrices or the outcomes of claims give, and the index.

    With each comes what it should be.

    Parquet is compared by content: another version of pyarrow writes the same table in other bytes.
    """
    for one in runs:
        yield from _outdated(one.folder, one.run)
    matrices = published_matrices(data)
    if matrices:
        yield from _outdated(data / PUBLISHED, matrices)
    claims = ledger(data / CLAIMS)
    texts = {data / CLAIMS / name: text for name, text in claims.tables().items()} if claims.outcomes else {}
    for path, text in (texts | {data / INDEX: index(runs, matrices, claims)}).items():
        if _text(path) != text:
            yield path, text


def _outdated(folder: Path, results: Run | Matrices) -> Iterator[tuple[Path, Content]]:
    for name, text in results.tables().items():
        if _text(folder / name) != text:
            yield folder / name, text
    table = results.parquet()
    if not _holds(folder / "results.parquet", table):
        yield folder / "results.parquet", table


def remake(data: Path) -> list[Path]:
    """Write every table and the index that are not what the published runs give; tell which."""
    return [write_file(path, content) for path, content in outdated(data, published_runs(data))]


def index(runs: list[Published], matrices: Matrices, claims: Ledger) -> str:
    """What is published, as Markdown: a line for each run, matrices and claims, and below it how to measure it again."""
    questions = {one.name: one.question for one in notebooks()}
    lines = [
        "# Published results",
        "",
        "Each folder has the run itself (`run.json`, `cells.parquet`, `samples.parquet`, `sources.parquet`)",
        "and the tables made of it. `serbench report --tables` makes them again, `serbench report` measures anew.",
        "",
        "| result | question | measured | rows | A/A error |",
        "| :-- | :-- | :-- | --: | --: |",
    ]
    for one in runs:
        error = one.run.control.get("aa_error")
        cells = [
            f"[{escaped(one.name)}]({one.name}/results.md)",
            escaped(questions.get(one.notebook, "")),
            one.run.info.started[:10],
            f"{len(one.run.rows)}",
            "" if error is None else f"{error:.1%}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if matrices:
        rows = sum(len(one.fidelity) + len(one.strictness) for one in matrices)
        cells = [f"[{PUBLISHED}]({PUBLISHED}/results.md)", escaped(questions[PUBLISHED]), matrices.date[:10], f"{rows}"]
        lines.append(f"| {' | '.join(cells)} | |")
    if claims.outcomes:
        date = max(outcome.date for outcome in claims.outcomes)[:10]
        cells = [f"[{CLAIMS}]({CLAIMS}/ledger.md)", escaped(questions[CLAIMS]), date, f"{len(claims.outcomes)}"]
        lines.append(f"| {' | '.join(cells)} | |")
    for one in runs:
        about = [display.machine_line(one.run.info.machine), display.versions_line(one.run.info.versions)]
        lines += [
            "",
            f"## {escaped(one.name)}",
            "",
            f"`{one.run.info.command}`",
            "",
            *(escaped(line) + "\\" for line in about),
        ]
        lines[-1] = lines[-1].removesuffix("\\")
    if matrices:
        lines += ["", f"## {PUBLISHED}", "", f"`{COMMAND}`", "", escaped(display.versions_line(matrices.versions))]
    if claims.outcomes:
        efforts = sorted({outcome.effort for outcome in claims.outcomes})
        commands = [f"`serbench claims --effort {effort} --output data/{CLAIMS}`" for effort in efforts]
        machines = sorted({escaped(display.machine_line(outcome.machine)) for outcome in claims.outcomes})
        lines += ["", f"## {CLAIMS}", "", *commands, "", *machines]
    return "\n".join(lines) + "\n"


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except (OSError, ValueError):
        return None


def _holds(path: Path, table: pa.Table) -> bool:
    import pyarrow.parquet as pq

    try:
        found = pq.read_table(path)
    except (OSError, ValueError):
        return False
    return bool(found.equals(table, check_metadata=True))
