"""The notebooks that `serbench report` can run, and the parameters of each."""

from __future__ import annotations

import ast
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from serbench.errors import PlanError, check, checked, parsed
from serbench.keep.archive import resources
from serbench.measure.plan import EFFORTS

FILES = ("payload", "schema", "store", "output")
"""Parameters that name a file: a relative path starts at the user's folder, not at the notebook's."""
WORDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list[str]": "texts, separated by commas",
    "list[int]": "whole numbers, separated by commas",
    "list[float]": "numbers, separated by commas",
}
"""Type of a parameter → what it takes; any other is given as JSON."""


@dataclass(frozen=True)
class NotebookCell:
    """What serbench reads of a cell."""

    cell_type: str
    source: str | list[str] = ""
    id: str | None = None

    @property
    def text(self) -> str:
        """Its source as one text."""
        return "".join(self.source)


@dataclass(frozen=True)
class _File:
    cells: list[NotebookCell]


@dataclass(frozen=True)
class Notebook:
    """A notebook in a file."""

    path: Path

    @property
    def name(self) -> str:
        """The file's name without its ending, which also names its results."""
        return self.path.stem

    @cached_property
    def cells(self) -> list[NotebookCell]:
        """Its cells.

        Raises:
            PlanError: there is no such file, or it is not a notebook.
        """
        try:
            return checked(_File, parsed(self.path.read_text(encoding="utf-8"), "notebook"), "notebook").cells
        except FileNotFoundError:
            raise PlanError(f"there is no notebook {self.path}") from None
        except (OSError, ValueError) as error:
            raise self._not_runnable(error) from None

    @property
    def question(self) -> str:
        """Its title."""
        lines = "".join(cell.text + "\n" for cell in self.cells if cell.cell_type == "markdown").splitlines()
        return next((line.removeprefix("# ") for line in lines if line.startswith("# ")), self.name)

    @cached_property
    def parameters(self) -> Mapping[str, str]:
        """Name → type of each parameter that papermill finds: as it is annotated, or else the default's.

        Raises:
            PlanError: there is no such file, or papermill cannot run it.
        """
        from papermill import inspect_notebook

        assert self.cells is not None  # which says what is wrong with a file that is no notebook
        logging.getLogger("papermill").setLevel(logging.CRITICAL)  # a line that it cannot parse is no parameter
        try:
            found = inspect_notebook(str(self.path))
        except Exception as error:  # anybody may have written it
            raise self._not_runnable(error) from None
        return {name: _type(known["inferred_type_name"], known["default"]) for name, known in found.items()}

    def _not_runnable(self, error: BaseException) -> PlanError:
        return PlanError(f"{self.path} is not a notebook that can be run: {' '.join(str(error).split())}")


def _type(annotated: str, default: str) -> str:
    """The annotation, or the type of a default; str for None and for anything that is not a literal."""
    if annotated != "None":
        return annotated.removeprefix("typing.").replace("List[", "list[")
    try:
        value = ast.literal_eval(default)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return "str"
    return "str" if value is None else type(value).__name__


def notebooks(names: Iterable[str] = ()) -> list[Notebook]:
    """The notebooks of these names or in these files; all of serbench's by default.

    Raises:
        PlanError: an unknown name, or a file that is not a notebook.
    """
    ours = {path.stem: path for path in sorted(resources("notebooks").glob("*.ipynb"))}
    found = []
    for name in names or ours:
        if Path(name).suffix == ".ipynb" or Path(name).is_file():
            found.append(Notebook(Path(name).absolute()))
        else:
            check("notebook", name, ours)
            found.append(Notebook(ours[name]))
    stems = [notebook.name for notebook in found if notebook.cells is not None]
    double = next((stem for stem in stems if stems.count(stem) > 1), None)
    if double:
        raise PlanError(f"two notebooks are called {double}, so their results would overwrite each other; rename one")
    return found


def parameters_of(
    notebooks: Iterable[Notebook], texts: Iterable[str], effort: str | None = None
) -> dict[str, dict[str, Any]]:
    """Notebook → its parameters, from texts "name=value"; a text is for every notebook that has the parameter.

    Raises:
        PlanError: no text of that form, a name that no notebook has, a value of another type than a notebook's.
    """
    types = {notebook.name: notebook.parameters for notebook in notebooks}
    values: dict[str, dict[str, Any]] = {name: {} for name in types}
    pairs = [_pair(text) for text in texts]
    for name, _ in pairs:
        check("parameter", name, dict.fromkeys(name for known in types.values() for name in known))
    if effort is not None:  # what has none is not timed
        pairs.append(("effort", effort))
    for name, text in pairs:
        if name == "effort":
            check("effort", text, EFFORTS)
        for notebook, known in types.items():
            if name in known:
                values[notebook][name] = _value(notebook, name, known[name], text)
    return values


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise PlanError(f"-p takes name=value, such as records=100, not {text!r}")
    return name.strip(), value


def _value(notebook: str, name: str, kind: str, text: str) -> Any:
    """The text as the type that the notebook's parameter has."""
    from pydantic import Json, TypeAdapter

    types: dict[str, Any] = {
        "str": str,
        "int": int,
        "float": float,
        "bool": bool,
        "list": Json[list[Any]],
        "dict": Json[dict[Any, Any]],
    }
    types |= {"list[str]": list[str], "list[int]": list[int], "list[float]": list[float]}
    try:
        given = _parts(text) if kind in WORDS and kind.startswith("list[") else text
        value: Any = TypeAdapter(types.get(kind, Json)).validate_python(given)
    except ValueError:
        words = WORDS.get(kind, f"{kind} as JSON")
        raise PlanError(f"{name} of {notebook} takes {words}, not {text!r}") from None
    return str(Path(value).absolute()) if name in FILES and isinstance(value, str) and value else value


def _parts(text: str) -> list[str]:
    """The items of a list: "a,b", or JSON such as '["a", "b"]'."""
    if text.lstrip().startswith("["):
        return [part if isinstance(part, str) else json.dumps(part) for part in json.loads(text)]
    return [part.strip() for part in text.split(",") if part.strip()]
