"""The documentation's tables of commands, options and functions, made from what the program itself reads."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from serbench.ask.calling import arguments
from serbench.ask.choices import GROUPS, OPTIONS
from serbench.ask.command_line.program import COMMANDS, command_named, summary
from serbench.ask.reports.splice import Kinds
from serbench.ask.running import run
from serbench.display.words import TERMS
from serbench.errors import check

_GROUPS = {OPTIONS[name].flags[0]: group for group, names in GROUPS.items() for name in names}


def options(_: Sequence[Any], name: str) -> str:
    """Return the table of a command's arguments and options; what is as for `run` is named together."""
    check("command", name, COMMANDS)
    command = command_named(name)
    below: Mapping[str, Any] = getattr(command, "commands", {})
    rows = [
        (forms, f"`{word}`: {meaning}") for word, one in below.items() for forms, meaning in _parameters(one)
    ] or list(_parameters(command))
    if name != "run" and not below:
        rows = list(_beside_run(rows, dict(_parameters(command_named("run")))))
    return "\n".join(
        ["| option | meaning |", "|---|---|", *(f"| {_cell(one)} | {_cell(told)} |" for one, told in rows)]
    )


def _beside_run(rows: Sequence[tuple[str, str]], known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Return one row each for the data, the cases and all others that are as for `run`, between what is not."""
    same = {forms: _GROUPS.get(forms.split("`")[1], "") for forms, told in rows if known.get(forms) == told}
    yield from ((forms, told) for forms, told in rows if not forms.startswith("`-"))
    for group, what in (("data", "the data, as for `run`"), ("cases", "the cases, as for `run`")):
        if group in same.values():
            yield "; ".join(forms for forms, one in same.items() if one == group), what
    for forms, told in rows:
        if forms not in same and forms.startswith("`-"):
            help_, _, default = told.partition(" (default: ")
            like_run = known.get(forms, "").partition(" (default: ")[0] == help_
            yield forms, f"as for `run` (default: {default}" if like_run and default else told
    if "" in same.values():
        yield "; ".join(forms for forms, one in same.items() if not one), "as for `run`"


def _parameters(command: Any) -> Iterator[tuple[str, str]]:
    for param in command.params:
        forms = param.opts if param.opts[0].startswith("-") else [param.metavar or param.name.upper()]
        yield ", ".join(f"`{form}`" for form in forms), param.help


def call(_: Sequence[Any]) -> str:
    """Return the table of the arguments of `serbench.run`."""
    lines = ["| argument | option | type | default | meaning |", "|---|---|---|---|---|"]
    for name, (option, plain, default) in arguments(run).items():
        type_ = re.sub(r"[\w.]+\.(?=\w)", "", inspect.formatannotation(plain))
        type_ = re.sub(r"^Union\[(\w+), (.*)\]$", r"\1 | \2", type_)
        flag = f"`{option.flags[0]}`" if option.flags else ""
        meaning = option.python_note if flag else option.help
        shown = f"`{default!r}`" if default is not None else option.default or "`None`"
        lines.append(f"| `{name}` | {flag} | `{_cell(type_)}` | {shown} | {meaning} |")
    return "\n".join(lines)


def commands(_: Sequence[Any]) -> str:
    """Return a line for each command, with a link to its page."""
    return "\n".join(
        ["| command | |", "|---|---|", *(f"| [{name}]({name}.md) | {summary(name)} |" for name in COMMANDS)]
    )


def functions(_: Sequence[Any]) -> str:
    """Return each public name with its signature and docstring."""
    parts, public = [], importlib.import_module("serbench")
    for name in public.__all__:
        value = getattr(public, name)
        if callable(value):
            text = inspect.cleandoc(value.__doc__ or "")
            if inspect.isclass(value) and "__init__" in vars(value) and (of_call := value.__init__.__doc__):
                text += f"\n\n{inspect.cleandoc(of_call)}"
            parts.append(f"## serbench.{name}\n\n```text\n{name}{_signature(value)}\n\n{text}\n```")
    return "\n\n".join(parts)


def terms(_: Sequence[Any]) -> str:
    """Return the table of the glossary."""
    return "\n".join(
        ["| word | meaning |", "|---|---|", *(f"| {term} | {_cell(text)} |" for term, text in TERMS.items())]
    )


def _signature(value: Any) -> str:
    """Return the names and defaults of a function's parameters; of a class, which serbench makes itself, nothing."""
    if inspect.isclass(value):
        return ""
    parameters = inspect.signature(value).parameters.values()
    return str(inspect.Signature([parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


TABLES: Kinds = {
    "commands": (commands, ()),
    "options": (options, ("COMMAND",)),
    "arguments": (call, ()),
    "functions": (functions, ()),
    "terms": (terms, ()),
}
"""Kinds of blocks in documents, with what each takes."""
