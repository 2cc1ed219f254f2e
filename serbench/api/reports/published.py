"""Published runs, each in a folder of its own, and what is made of them with the same bytes each time: files and figures.

Kaleido draws images with a Chromium that it finds. An SVG says in its first line which figure it is of, so that whether
it is current is known without a browser, and one that is current is left as it is. A PNG cannot say that, and is drawn anew.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import logging
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from serbench.api.reports.execute import QUIET, Notebook, notebooks
from serbench.api.verifying import COMMAND, PUBLISHED, Matrices, published_matrices
from serbench.api.weighing import PUBLISHED as COSTS
from serbench.api.weighing import QUESTION, Cost, costs_markdown, published_costs
from serbench.claims.ledger import PUBLISHED as CLAIMS
from serbench.claims.ledger import Ledger, against_published
from serbench.display import words
from serbench.display.figures import conditions_figure, finding_of, ranking, scaling
from serbench.display.style import Figure, ThemeName
from serbench.display.table import code, escaped
from serbench.errors import PlanError, check, installed_by
from serbench.judge.rows import six_digits
from serbench.machine.caretaker import scratch_folder
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
        lines.append((QUESTION, f"{COSTS}/results", max(cost.info.started for cost in costs), rows, None))
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


FORMATS = ("svg", "png")
WIDTH_PX = 1000
STAMP = "<!-- serbench figure {digest}, described -->\n"


def outdated_images(figures: Iterable[tuple[Path, Figure]]) -> Iterator[tuple[Path, Figure]]:
    """Each SVG that is there and not of its figure, with that figure."""
    for stem, figure in figures:
        path = stem.with_name(f"{stem.name}.svg")
        if path.exists() and not _is_of(path, figure):
            yield path, figure


def draw(figures: Iterable[tuple[Path, Figure]], ending: str) -> list[Path]:
    """Draw every figure whose image is missing or not current; return the files that were written.

    Raises:
        PlanError: no Kaleido, or it finds no browser.
    """
    every = ((stem.with_name(f"{stem.name}.{ending}"), figure) for stem, figure in figures)
    wanted = [(path, figure) for path, figure in every if ending != "svg" or not _is_of(path, figure)]
    for (path, figure), image in zip(wanted, _images([figure for _, figure in wanted], ending), strict=True):
        write_file(path, _stamp(figure) + _described(_plain(image.decode()), figure) if ending == "svg" else image)
    return [path for path, _ in wanted]


def _images(drawn: Sequence[Figure], ending: str) -> list[bytes]:
    if not drawn:
        return []
    try:
        return asyncio.run(_by_kaleido(drawn, ending))
    except ImportError:
        raise PlanError(f"drawing figures needs Kaleido: {installed_by('report')}") from None
    except (ValueError, RuntimeError) as error:  # no browser
        raise PlanError(f"figures cannot be drawn ({' '.join(str(error).split())[:200]}); omit --image") from None


async def _by_kaleido(drawn: Sequence[Figure], ending: str) -> list[bytes]:
    import kaleido
    import plotly.graph_objects as go

    async with kaleido.Kaleido(n=1) as browser:
        return [
            await browser.calc_fig(go.Figure(figure), opts={"format": ending, "width": WIDTH_PX}) for figure in drawn
        ]


def _described(svg: str, figure: Figure) -> str:
    """The SVG with its finding as the text that a screen reader says."""
    text = escape(finding_of(figure), quote=True)
    begin = f'<svg role="img" aria-label="{text}" '
    return begin + svg.removeprefix("<svg ").replace(">", f"><title>{text}</title>", 1)


def _plain(svg: str) -> str:
    """The SVG with the names that plotly.js draws at random, of clips and traces, in the order of their use."""
    names = dict.fromkeys(re.findall(r"\b(?:defs-|clip|trace scatter trace|topdefs-)([0-9a-f]{6})", svg))
    for number, name in enumerate(names):
        svg = svg.replace(name, f"{number:06d}")
    return svg + "\n"


def _is_of(path: Path, figure: Figure) -> bool:
    return path.exists() and path.read_bytes().startswith(_stamp(figure).encode())


def _stamp(figure: Figure) -> str:
    return STAMP.format(digest=fingerprint(figure))


def fingerprint(figure: Figure) -> str:
    """The fingerprint of a figure, also as a notebook holds it; of floats six digits, whose last bits differ from machine to machine."""
    text = json.dumps([figure["data"], figure["layout"]])
    rounded = json.loads(text, parse_float=lambda digits: six_digits(float(digits)))
    return hashlib.sha256(json.dumps(rounded, sort_keys=True).encode()).hexdigest()[:16]


FRONT = ("nested_models", "decode", "client-rich")
"""Result, operation and workload of the figure of the README."""


def shown_figures(data: Path, *, again: bool = False) -> Iterator[tuple[Path, Figure]]:
    """Every figure that is shown of published results, with the path of its image without the ending.

    With `again`, only images that exist are drawn: none in a folder without images, and of a notebook only those it has.
    """
    if not again or any(data.rglob("*.svg")):
        yield from drawings(data)
        yield from pictures(data, again=again)


def figures(run: Run) -> dict[str, Figure]:
    """The figures of a run by the names of their files: a ranking for each operation, workload and size, or scaling.

    If a run has several sizes or depths of one workload, one figure of their scaling replaces their rankings. If it has
    cases under `hot` and `varied`, a figure for each operation compares these.
    """
    figures_by_file: dict[str, Figure] = {}
    several = len({row.conditions for row in run.rows}) > 1
    for (workload, conditions, operation), rows in grouped(
        run.rows, lambda row: (row.workload, row.conditions, row.operation)
    ).items():
        named = f"{workload} {conditions}" if several else workload
        name = figure_name(operation, named)
        if not any(row.measured for row in rows):
            continue
        if len({(row.records, row.depth) for row in rows}) > 1:
            most, least = max(row.records for row in rows), min(row.depth for row in rows)
            figures_by_file[name] = scaling(rows, run.info, records=most, depth=least, least=run.least)
        else:
            figures_by_file[name] = ranking(rows, run.info, control=run.control)
    for operation, rows in grouped(run.rows, lambda row: row.operation).items():
        both = conditions_figure(rows, run.info, least=run.least)
        if both["data"]:
            figures_by_file[f"{operation}-conditions"] = both
    return figures_by_file


def figure_name(operation: str, data: str) -> str:
    """Return the name of the file of a figure, without the ending."""
    return f"{operation}-{re.sub(r'[^a-z0-9]+', '-', data.lower())}"


def drawings(data: Path, notebook: str | None = None) -> Iterator[tuple[Path, Figure]]:
    """Every published figure, or those of a notebook's results, with the path of its image without the ending."""
    for published in published_runs(data):
        if not published.is_size_grid and notebook in (None, published.notebook):
            for name, figure in figures(published.run).items():
                yield published.folder / name, figure
            if published.name == FRONT[0]:
                yield from _front(published)
    if notebook in (None, CLAIMS) and (outcomes := Ledger.read(data / CLAIMS).outcomes):
        yield data / CLAIMS / "ledger", against_published(outcomes)


def _front(published: Published) -> Iterator[tuple[Path, Figure]]:
    """Yield the README's figure, light and dark: the fastest case of each library."""
    rows = [row for row in published.run.rows if row.measured and (row.operation, row.workload) == FRONT[1:]]
    shown = [
        min(members, key=lambda row: row.ratio or 0.0) for members in grouped(rows, lambda row: row.library).values()
    ]
    for theme in get_args(ThemeName):
        yield (
            published.folder / f"libraries-{theme}",
            ranking(rows, published.run.info, control=None, theme=theme, shown=shown),
        )


UNPUBLISHED = "unpublished"
"""Tag of the cells that are not run: they measure, write, or have no use for published results."""
_FIGURE = "application/vnd.plotly.v1+json"
_SHOWN = ("text/markdown", "text/html", "text/plain")
_CALL = re.compile(r'(?:show=lambda \w+: \w+|^.*(?<!serbench))\.(\w+)\((?:"(\w+)")?')
"""The call that makes a cell's figure: what an interactive function shows, or the last one."""


def with_outputs(data: Path) -> dict[str, str]:
    """Notebook → its JSON, in which each cell that shows published results has them as its output.

    A figure is shown if it is one of the published images.
    """
    made = {}
    every = notebooks()
    outputs = _outputs(data, every)
    for notebook in every:
        shown = outputs.get(notebook.name, {})
        images = _drawn(data / notebook.name) if shown else {}
        content = json.loads(notebook.path.read_text(encoding="utf-8"))
        for number, cell in enumerate(cell for cell in content["cells"] if cell.get("id") in shown):
            known = _displayed(shown[cell["id"]], images)
            cell["outputs"] = [{"output_type": "display_data", "data": known, "metadata": {}}] if known else []
            cell["execution_count"] = number + 1
        made[notebook.name] = json.dumps(content)
    return made


def pictures(data: Path, *, again: bool = False) -> Iterator[tuple[Path, Figure]]:
    """The figures that notebooks show of their published results and that no image of a run has, with a path for each.

    With `again`, only notebooks that have such an image are drawn.
    """
    drawn = {path.parent.name for path in data.glob("*/shown-*.svg")}
    wanted = [notebook for notebook in notebooks() if not again or notebook.name in drawn]
    outputs = _outputs(data, wanted)
    for notebook in wanted:
        known = (
            {fingerprint(figure) for _, figure in drawings(data, notebook.name)} if notebook.name in outputs else set()
        )
        for cell in notebook.code:
            figure = outputs.get(notebook.name, {}).get(cell.id, {}).get(_FIGURE)
            if figure and (mark := fingerprint(figure)) not in known:
                known.add(mark)
                call = _CALL.search(cell.source)
                yield data / notebook.name / "-".join(filter(None, ("shown", *(call.groups() if call else ())))), figure


def _outputs(data: Path, wanted: Sequence[Notebook]) -> dict[str, dict[str, dict[str, Any]]]:
    """Notebook → id of a cell → its last output, of the notebooks that have published results; one kernel runs them all."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    from nbformat.v4 import new_code_cell, new_notebook
    from papermill.parameterize import parameterize_notebook

    able = [one for one in wanted if (data / one.name).is_dir() and "published" in one.parameters]
    if not able:
        return {}
    cells: dict[tuple[str, str], Any] = {}
    with scratch_folder() as scratch:
        for notebook in able:
            values = {"published": True, "output": str(data.absolute() / notebook.name), "store": f"{scratch}/none"}
            cells[notebook.name, ""] = new_code_cell("%reset -f\nimport serbench")  # type: ignore[no-untyped-call]
            for cell in parameterize_notebook(deepcopy(notebook.content), values).cells:
                cells[notebook.name, cell.id] = cell
                cell.id = f"{notebook.name}-{cell.id}"
        quiet = logging.getLogger(__name__)  # nbclient tells each notebook where a program has set up logging
        quiet.setLevel(logging.WARNING)
        client = NotebookClient(
            new_notebook(cells=list(cells.values())),  # type: ignore[no-untyped-call]
            kernel_name="python3",
            log=quiet,
            skip_cells_with_tag=UNPUBLISHED,
            extra_arguments=[QUIET],
            resources={"metadata": {"path": str(able[0].path.parent)}},
        )
        try:
            client.execute(env={**os.environ, "PLOTLY_RENDERER": "plotly_mimetype"})
        except CellExecutionError as error:
            raise PlanError(f"a notebook cannot show published results: {error.ename}: {error.evalue}") from None
    outputs: dict[str, dict[str, dict[str, Any]]] = {notebook.name: {} for notebook in able}
    for (name, id_), cell in cells.items():
        if cell.get("outputs") and "data" in cell.outputs[-1]:
            outputs[name][id_] = cell.outputs[-1].data
    return outputs


def _drawn(folder: Path) -> dict[str, str]:
    """The fingerprint of each figure that has an image in the folder of a notebook's results → the image."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.svg"))]
    return {mark[1]: text for text in texts if (mark := re.match(STAMP.format(digest=r"(\w+)"), text))}


def _displayed(output: dict[str, Any], images: dict[str, str]) -> dict[str, str]:
    """The richest form of an output that a page can hold; nothing for a figure that has no published image."""
    if _FIGURE in output:
        image = images.get(fingerprint(output[_FIGURE]))
        return {} if image is None else {"image/svg+xml": image}
    kind = next((kind for kind in _SHOWN if kind in output), None)
    return {} if kind is None else {kind: output[kind]}
