"""Prints tables and JSON on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any


def console() -> Any:
    """Return standard output as a Rich console: the terminal's width, or 120 columns in a file."""
    from rich.console import Console

    found = Console()
    return found if found.is_terminal else Console(width=120, color_system=None)


def print_json(data: Any) -> None:
    """Print the object, alone on standard output."""
    json.dump(data, sys.stdout, allow_nan=False, ensure_ascii=False)
    sys.stdout.write("\n")


def print_found(found: Any, *, as_json: bool) -> None:
    """Print a result: as JSON, or as it displays itself."""
    if as_json:
        print_json(found.to_data())
    else:
        console().print(found)


def print_found_rows(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    *,
    as_json: bool,
    nothing: str,
    shown: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
) -> None:
    """Print rows: as JSON under this name, or as a table of what `shown` makes of each."""
    if as_json:
        print_json({name: rows})
    else:
        print_rows([shown(row) for row in rows], nothing=nothing)


def leaving_out(names: Container[str]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return a function that leaves these columns out of a row."""
    return lambda row: {name: value for name, value in row.items() if name not in names}


def print_rows(rows: Sequence[Mapping[str, Any]], *, nothing: str) -> None:
    """Print rows as a plain table without the columns that are empty throughout."""
    if not rows:
        print(nothing)
        return
    from serbench.display.tables import Table

    console().print(Table.of_rows(rows))


def rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with its floats as whole numbers for people."""
    return {key: f"{value:,.0f}" if isinstance(value, float) else value for key, value in row.items()}


def tell_what_is_lost(given: Mapping[str, Any]) -> None:
    """Print what the other libraries' models lack of the user's class."""
    if "model" in given:
        from serbench.cases.own_model import load_model, locate

        for note in load_model(locate(given["model"])).parsed.notes:
            print(f"only in your class: {note}", file=sys.stderr)
