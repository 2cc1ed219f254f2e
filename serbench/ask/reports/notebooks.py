"""The notebooks that `serbench report` can run, and the parameters of each."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serbench.errors import PlanError, check, checked, parsed
from serbench.keep.archive import resources
from serbench.measure.plan import EFFORTS
from serbench.render.source.syntax import tree

FILES = ("payload", "schema", "store", "output")
"""Parameters that name a file: a relative path starts at the user's folder, not at the notebook's."""
ITEM = re.compile(r"(?:list|List)\[(\w+)\]")
_BOOLS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_READERS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "int": lambda text: int(text.replace("_", "")),
    "float": float,
    "bool": lambda text: _BOOLS[text.strip().lower()],
    "None": lambda text: {"": None, "None": None, "null": None}[text],
}


@dataclass(frozen=True)
class Notebook:
    """A notebook with its parameters.

    Attributes:
        path: the file.
        parameters: name → type, as it is annotated in the cell tagged `parameters` or as the default's is.
    """

    path: Path
    parameters: Mapping[str, str]

    @property
    def name(self) -> str:
        """The file's name without its ending, which also names its results."""
        return self.path.stem

    @property
    def question(self) -> str:
        """Its title."""
        lines = "".join(cell.text + "\n" for cell in read_cells(self.path) if cell.cell_type == "markdown")
        return next((line.removeprefix("# ") for line in lines.splitlines() if line.startswith("# ")), self.name)


@dataclass(frozen=True)
class _Metadata:
    tags: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class NotebookCell:
    """What serbench reads of a cell."""

    cell_type: str
    source: str | list[str] = ""
    id: str | None = None
    metadata: _Metadata = _Metadata()

    @property
    def text(self) -> str:
        """Its source as one text."""
        return "".join(self.source)


@dataclass(frozen=True)
class _File:
    cells: list[NotebookCell]


def read_cells(path: Path) -> list[NotebookCell]:
    """The cells of a notebook, which anybody may have written.

    Raises:
        PlanError: there is no such file, or it is not a notebook.
    """
    try:
        return checked(_File, parsed(path.read_text(encoding="utf-8"), "notebook"), "notebook").cells
    except FileNotFoundError:
        raise PlanError(f"there is no notebook {path}") from None
    except (OSError, ValueError) as error:
        raise _not_runnable(path, error) from None


def _not_runnable(path: Path, error: BaseException) -> PlanError:
    return PlanError(f"{path} is not a notebook that can be run: {' '.join(str(error).split())}")


def notebooks(names: Iterable[str] = ()) -> list[Notebook]:
    """The notebooks of these names or in these files; all of serbench's by default.

    Raises:
        PlanError: an unknown name, or a file that is not a notebook.
    """
    ours = {path.stem: path for path in sorted(resources("notebooks").glob("*.ipynb"))}
    paths = []
    for name in names or ours:
        if Path(name).suffix == ".ipynb" or Path(name).is_file():
            paths.append(Path(name).absolute())
        else:
            check("notebook", name, ours)
            paths.append(ours[name])
    stems = [path.stem for path in paths]
    double = next((stem for stem in stems if stems.count(stem) > 1), None)
    if double:
        raise PlanError(f"two notebooks are called {double}, so their results would overwrite each other; rename one")
    return [Notebook(path, _parameters(path)) for path in paths]


def parameters_of(
    notebooks: Iterable[Notebook], texts: Iterable[str], effort: str | None = None
) -> dict[str, dict[str, Any]]:
    """Notebook → its parameters, from texts "name=value"; a text is for every notebook that has the parameter.

    Raises:
        PlanError: no text of that form, a name that no notebook has, a value of another type than a notebook's.
    """
    known = list(notebooks)
    values: dict[str, dict[str, Any]] = {one.name: {} for one in known}
    pairs = [_pair(text) for text in texts]
    for name, _ in pairs:
        check("parameter", name, dict.fromkeys(key for one in known for key in one.parameters))
    if effort is not None:  # what has none is not timed
        pairs.append(("effort", effort))
    for name, text in pairs:
        if name == "effort":
            check("effort", text, EFFORTS)
        for one in known:
            if name in one.parameters:
                values[one.name][name] = _value(one, name, text)
    return values


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise PlanError(f"-p takes name=value, such as records=100, not {text!r}")
    return name.strip(), value


def _parameters(path: Path) -> dict[str, str]:
    """Name → type of each variable that the first cell tagged `parameters` assigns.

    Read as Python: papermill's own inspection misses unions and whatever has a comment with an equals sign.
    """
    tagged = [cell for cell in read_cells(path) if "parameters" in cell.metadata.tags]
    try:
        nodes = tree(tagged[0].text).body if tagged else []
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise _not_runnable(path, error) from None
    types = {}
    for node in nodes:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            types[node.target.id] = ast.unparse(node.annotation)
        elif isinstance(node, ast.Assign):
            types |= {target.id: _type_of(node.value) for target in node.targets if isinstance(target, ast.Name)}
    return types


def _type_of(value: ast.expr) -> str:
    """The type of a default; str for None and for anything that is not a literal."""
    try:
        default = ast.literal_eval(value)
    except ValueError:
        return "str"
    return "str" if default is None else type(default).__name__


def _value(notebook: Notebook, name: str, text: str) -> Any:
    """The text as the type that the notebook's parameter has."""
    kinds = [kind.strip() for kind in notebook.parameters[name].split("|")]
    for kind in kinds:
        try:
            value = _read(kind, text)
        except (ValueError, KeyError):
            continue
        return str(Path(value).absolute()) if name in FILES and isinstance(value, str) and value else value
    raise PlanError(f"{name} of {notebook.name} takes {' or '.join(map(_words, kinds))}, not {text!r}")


def _read(kind: str, text: str) -> Any:
    if kind in _READERS:
        return _READERS[kind](text)
    item = ITEM.fullmatch(kind)
    if item:
        return [_read(item[1], part) for part in _parts(text)]
    value = json.loads(text)
    if type(value).__name__ != kind.partition("[")[0]:
        raise ValueError(kind)
    return value


def _parts(text: str) -> list[str]:
    """The items of a list: "a,b", or JSON such as '["a", "b"]'."""
    if text.lstrip().startswith("["):
        return [part if isinstance(part, str) else json.dumps(part) for part in json.loads(text)]
    return [part.strip() for part in text.split(",") if part.strip()]


def _words(kind: str) -> str:
    item = ITEM.fullmatch(kind)
    if item:
        several = {"int": "whole numbers", "float": "numbers", "str": "texts"}.get(item[1], item[1])
        return f"{several}, separated by commas"
    words = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "a text", "None": "nothing"}
    return words.get(kind, f"{kind} as JSON")
