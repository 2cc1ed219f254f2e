"""Notebooks with the outputs that their published results give: nothing is measured, and figures are the published images."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serbench.api.matrices import published_matrices
from serbench.claims import ledger
from serbench.reports.images import figures, stamped
from serbench.reports.published import Published, published_runs

if TYPE_CHECKING:
    from serbench.recording.run import Run

_RUNS = {"now": "now", "then": "before"}  # part of a result's name → what its notebook calls that run
_SHOWN = ("text/markdown", "text/html", "text/plain")


def with_outputs(path: Path, data: Path) -> str:
    """Return a notebook as JSON, in which each cell that shows published results has them as its output.

    A cell shows them if its last line is an expression of `run`, or of what else the notebook calls its results, and
    writes nothing. A figure is shown if it is one of the published images.
    """
    notebook = json.loads(path.read_text(encoding="utf-8"))
    known, images = _results(path.stem, data)
    for number, cell in enumerate(cell for cell in notebook["cells"] if cell["cell_type"] == "code"):
        text = "".join(cell["source"])
        if "parameters" in cell["metadata"].get("tags", ()):
            exec(text, known)  # noqa: S102  # our own notebook
        elif (expression := _shows(text, known)) is not None:
            shown = _displayed(eval(expression, known), images)  # noqa: S307  # as above
            cell["outputs"] = [{"output_type": "display_data", "data": shown, "metadata": {}}] if shown else []
            cell["execution_count"] = number
    return json.dumps(notebook)


def _results(name: str, data: Path) -> tuple[dict[str, Any], dict[str, Path]]:
    """What a notebook calls its published results, and the fingerprint of each of their figures → its image."""
    runs = [one for one in published_runs(data) if one.notebook == name]
    known: dict[str, Any] = {_RUNS.get(one.name.partition("/")[2], "run"): one.run for one in runs}
    images = {key: path for one in runs for key, path in _images(one).items()}
    if name == "fidelity":
        known |= dict.fromkeys(("measured", "matrices"), published_matrices())
    if name == "claims":
        known["ledger"] = ledger()
    return known, images


def _images(one: Published) -> dict[str, Path]:
    paths = {stamped(figure): one.folder / f"{name}.svg" for name, figure in figures(one.run).items()}
    return {key: path for key, path in paths.items() if path.exists()}


def _shows(text: str, known: dict[str, Run]) -> str | None:
    """The expression that a cell shows, if it is about the results and neither measures nor writes."""
    *_, last = (ast.Pass(), *ast.parse(text).body)
    if not isinstance(last, ast.Expr):
        return None
    names = {node.id for node in ast.walk(last) if isinstance(node, ast.Name)}
    called = {
        node.func.attr for node in ast.walk(last) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    able = names & known.keys() and names <= known.keys() | {"dict", "max", "min"} and not called & {"write"}
    return ast.unparse(last) if able else None


def _displayed(value: Any, images: dict[str, Path]) -> dict[str, str]:
    """The richest form of a value that a page can hold; nothing for a figure that has no published image."""
    if hasattr(value, "to_plotly_json"):
        image = images.get(stamped(value.to_plotly_json()))
        return {} if image is None else {"image/svg+xml": image.read_text(encoding="utf-8")}
    bundle = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {"text/plain": repr(value)}
    kind = next(kind for kind in _SHOWN if kind in bundle)
    return {kind: bundle[kind]}
