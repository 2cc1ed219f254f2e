"""What goes to standard output: tables and JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any


def console() -> Any:
    """Standard output as a Rich console: the terminal's width, or 120 columns in a file."""
    from rich.console import Console

    found = Console()
    return found if found.is_terminal else Console(width=120, color_system=None)


def print_json(data: Any) -> None:
    """The object, alone on standard output."""
    json.dump(data, sys.stdout, allow_nan=False, ensure_ascii=False)
    sys.stdout.write("\n")


def print_rows(rows: Sequence[Mapping[str, Any]], *, nothing: str) -> None:
    """Rows as a plain table; columns that are empty throughout are left out."""
    if not rows:
        print(nothing)
        return
    from rich import box
    from rich.table import Table

    from serbench.analysis.sheet import hanging

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    shown = [key for key in rows[0] if key != "reason" and any(row[key] is not None for row in rows)]
    for key in shown:
        table.add_column(key.replace("_", " "), overflow="fold", justify="right" if _numeric(rows, key) else "left")
    for row in rows:
        table.add_row(*(_text(row[key]) for key in shown))
    console().print(table)
    for reason, names in _reasons(rows).items():
        console().print(hanging("-", f"{', '.join(names)}: {reason}"))


def _reasons(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """What has a reason → by name, each once: a column would be too narrow for it."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.get("reason"):
            parts = [str(row[key]) for key in ("name", "library", "codec", "format") if row.get(key)]
            found.setdefault(" ".join(str(row["reason"]).split()), {})[" ".join(dict.fromkeys(parts))] = None
    return {reason: list(names) for reason, names in found.items()}


def whole(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with its floats as whole numbers for people."""
    return {key: f"{value:,.0f}" if isinstance(value, float) else value for key, value in row.items()}


def _numeric(rows: Sequence[Mapping[str, Any]], key: str) -> bool:
    return all(row[key] is None or str(row[key]).replace(",", "").replace(".", "", 1).isdigit() for row in rows)


def _text(value: Any) -> str:
    from rich.markup import escape

    if value is None:
        return ""
    return escape(", ".join(map(str, value)) if isinstance(value, list) else str(value))


def tell_what_is_lost(model: str | None) -> None:
    """What of the user's class the other libraries' models do not have."""
    if model is not None:
        from serbench.own_model import load_model, locate

        for note in load_model(locate(model)).parsed.notes:
            print(f"only in your class: {note}", file=sys.stderr)
