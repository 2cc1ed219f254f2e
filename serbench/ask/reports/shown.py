"""Notebooks with the outputs that their published results give: nothing is measured, and figures are the published images."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from serbench.ask.matrices import published_matrices
from serbench.ask.reports.images import figures, stamped
from serbench.ask.reports.published import published_runs
from serbench.claims.figure import against_published
from serbench.claims.ledger import PUBLISHED, ledger
from serbench.display.comparison import compare_runs
from serbench.display.style import Figure
from serbench.keep.archive import resources
from serbench.render.source.syntax import expression, tree

if TYPE_CHECKING:
    from serbench.keep.run import Run

_RUNS = {"now": "now", "then": "before"}  # part of a result's name → what its notebook calls that run
_STAMPED = re.compile(r"<!-- serbench figure (\w+),")
_SHOWN = ("text/markdown", "text/html", "text/plain")


def with_outputs(path: Path, data: Path) -> str:
    """Return a notebook as JSON, in which each cell that shows published results has them as its output.

    A cell shows them if its last line is an expression of `run`, or of what else the notebook calls its results, and
    writes nothing. A figure is shown if it is one of the published images.
    """
    notebook = json.loads(path.read_text(encoding="utf-8"))
    images = _images(path.stem, data)
    for number, (cell, _, value) in enumerate(_evaluated(notebook, path.stem, data)):
        shown = _displayed(value, images)
        cell["outputs"] = [{"output_type": "display_data", "data": shown, "metadata": {}}] if shown else []
        cell["execution_count"] = number + 1
    return json.dumps(notebook)


def pictures(data: Path) -> Iterator[tuple[Path, Figure]]:
    """The figures that notebooks show of their published results and that no image has yet, with a path for each."""
    for path in sorted(resources("notebooks").glob("*.ipynb")):
        known = set(_known_images(path.stem, data))
        for _, text, value in _evaluated(json.loads(path.read_text(encoding="utf-8")), path.stem, data):
            if (
                hasattr(value, "to_plotly_json")
                and (mark := stamped(figure := json.loads(value.to_json()))) not in known
            ):
                known.add(mark)
                yield data / path.stem / _name(text), figure


def _evaluated(notebook: dict[str, Any], name: str, data: Path) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Each cell that shows published results, its expression, and what it shows."""
    known = _results(name, data)
    for cell in (cell for cell in notebook["cells"] if cell["cell_type"] == "code" and known):
        text = "".join(cell["source"])
        if "parameters" in cell["metadata"].get("tags", ()):
            exec(text, known)  # noqa: S102  # our own notebook
        elif (expression := _shows(text, known)) is not None:
            yield cell, expression, eval(expression, known)  # noqa: S307  # as above


def _results(name: str, data: Path) -> dict[str, Any]:
    """What a notebook calls its published results."""
    runs = [one for one in published_runs(data) if one.notebook == name]
    known: dict[str, Any] = {_RUNS.get(one.name.partition("/")[2], "run"): one.run for one in runs}
    if known.keys() >= {"before", "now"}:
        by_id = {one.run.id: one.run for one in runs}
        known["serbench"] = SimpleNamespace(
            compare=lambda before, now, store=None: compare_runs(by_id[before], by_id[now])  # noqa: ARG005
        )
    if name == "fidelity" and (matrices := published_matrices(data)):
        known |= dict.fromkeys(("measured", "matrices"), matrices)
    if name == "claims" and (claims := ledger(data / PUBLISHED)).outcomes:
        known["ledger"] = claims
    return known


def _known_images(name: str, data: Path) -> dict[str, Path]:
    """The fingerprint of each figure of a notebook's results of which there is to be an image anyway → its path."""
    runs = [one for one in published_runs(data) if one.notebook == name and not one.is_size_grid]
    images = {stamped(figure): one.folder / f"{file}.svg" for one in runs for file, figure in figures(one.run).items()}
    if name == "claims" and (outcomes := ledger(data / PUBLISHED).outcomes):
        images[stamped(against_published(outcomes))] = data / PUBLISHED / "ledger.svg"
    return images


def _images(name: str, data: Path) -> dict[str, Path]:
    """The fingerprint of each figure that has an image → the image."""
    drawn = {mark[1]: path for path in (data / name).glob("*.svg") if (mark := _STAMPED.match(_first_line(path)))}
    return drawn | {key: path for key, path in _known_images(name, data).items() if path.exists()}


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline()


def _name(text: str) -> str:
    """A file name of the call and its words, such as "shown-tradeoff-decode"."""
    call = expression(text)
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    texts = [str(one.value) for one in call.args if isinstance(one, ast.Constant)]
    return "-".join(("shown", call.func.attr, *texts))


def _shows(text: str, known: dict[str, Run]) -> str | None:
    """The expression that a cell shows, if it is about the results and neither measures nor writes."""
    *_, last = (ast.Pass(), *tree(text).body)
    if not isinstance(last, ast.Expr):
        return None
    names = {node.id for node in ast.walk(last) if isinstance(node, ast.Name)}
    called = {
        node.func.attr for node in ast.walk(last) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    able = (
        names & known.keys() and names <= known.keys() | {"dict", "max", "min"} and not called & {"write", "controls"}
    )
    return ast.unparse(last) if able else None


def _displayed(value: Any, images: dict[str, Path]) -> dict[str, str]:
    """The richest form of a value that a page can hold; nothing for a figure that has no published image."""
    if hasattr(value, "to_plotly_json"):
        image = images.get(stamped(value.to_plotly_json()))
        return {} if image is None else {"image/svg+xml": image.read_text(encoding="utf-8")}
    bundle = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {"text/plain": repr(value)}
    kind = next(kind for kind in _SHOWN if kind in bundle)
    return {kind: bundle[kind]}
