"""The next command of an answer, which can be pasted: it names the same case and chooses the same data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import join, quote, split
from typing import Any

from serbench.render.library import libraries
from serbench.results import YOURS, OfCase, Point

_SIZES = {"records": "-n", "depth": "-d"}
_READ = {"as_map": "--map", "as_record": "--record", "as_union": "--union", "as_text": "--text"}


def again(command: str, effort: str, store: str = "") -> str:
    """The command that measures the same more precisely, into the store that this option names; what was typed with an effort has the next one."""
    higher = {"quick": "normal"}.get(effort, "thorough")
    if not command.startswith("serbench "):
        return f'the same with effort="{higher}" shows smaller ones'
    return f"{_without(command, '--effort', '-e', '--store')}{store} --effort {higher}"


def _without(command: str, *options: str) -> str:
    """A command without these options and their values, and without --resume."""
    parts, kept = iter(split(command)), []
    for part in parts:
        if part in options:
            next(parts, None)
        elif part != "--resume" and not part.startswith(tuple(f"{option}=" for option in options)):
            kept.append(part)
    return join(kept)


def data_options(plan: Mapping[str, Any], point: Point | None = None) -> str:
    """The options that choose a plan's data, such as " -w events -n 10"; empty for the default.

    With `point`, for a command that takes one class, and one size: those of this point.
    """
    models = [plan["model"], *plan.get("more_models", ())] if plan.get("model") else []
    parts = [("--payload", shown_path(plan["payload"]))] if plan.get("payload") else []
    parts += [("--model", shown_class(one)) for one in models[: 1 if point else None]]
    workloads = [*plan.get("workloads", ())] if point is None else [point.workload]
    if not parts and workloads not in ([], ["client"]):
        parts.append(("-w", ",".join(workloads)))
    for name, flag in _SIZES.items():
        sizes = [*(plan.get(name) or ())]
        if sizes:
            parts.append((flag, ",".join(map(str, sizes if point is None else [getattr(point, name)]))))
    if plan.get("seed"):
        parts.append(("--seed", str(plan["seed"])))
    parts += [(flag, path) for name, flag in _READ.items() for path in plan.get(name) or ()]
    if plan.get("schema"):
        parts.append(("--schema", shown_path(plan["schema"])))
    literal = " --literal-strings" if plan.get("literal_strings") else ""
    return "".join(f" {flag} {quote(value)}" for flag, value in parts) + literal


def shown_path(path: str) -> str:
    """A path as it is typed in the working folder: relative if it lies in it."""
    home = Path.cwd()
    return str(Path(path).relative_to(home)) if Path(path).is_relative_to(home) else path


def shown_class(located: str) -> str:
    """A class of the user's, "folder:module:Class", as it is typed: "models.py:Class" if it is in such a file."""
    folder, module, name = located.rsplit(":", 2)
    file = Path(folder, module if module.endswith(".py") else f"{module.replace('.', '/')}.py")
    return f"{shown_path(str(file))}:{name}" if file.is_file() else located


def case_text(row: OfCase, between: str = "/") -> str:
    """A case as `--present` takes it, "msgspec[gc=False]/orjson/json", or with a space as `show` and `adopt` do."""
    return f"{row.case.name}{between}{row.codec}/{row.format}"


def can_be_named(row: OfCase) -> bool:
    """Tell if a command can name the case: of serbench's own interpreter, and not of functions in a file."""
    return row.environment == "main" and (row.library in libraries() or row.library.startswith(YOURS))
