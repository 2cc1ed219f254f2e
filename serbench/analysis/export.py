"""The same rows for other programs and for pages: CSV, Markdown and pandas."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from serbench.analysis import display
from serbench.analysis.display import About, Board
from serbench.analysis.rows import Row, as_dicts
from serbench.analysis.tables import board_columns

if TYPE_CHECKING:
    import pandas as pd


def csv_text(rows: Sequence[Row]) -> str:
    """The rows as CSV with a heading; what is not known is an empty field."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(as_dicts(rows))
    return out.getvalue()


def to_pandas(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows as a data frame, with the columns of `Row` even where there is no row."""
    import pandas as pd

    return pd.DataFrame(as_dicts(rows), columns=[field.name for field in fields(Row)])


def markdown(rows: Sequence[Row], about: About | None = None, *, across_classes: bool = False) -> str:
    """The tables as GitHub's Markdown, with the same headings, marks and footnotes as in the terminal."""
    blocks = [_board(board) for board in display.boards(rows, across_classes=across_classes)]
    notes = [_escaped(note) for note in display.footnotes(rows)]
    about = about or About()
    about_run = [_escaped(line) for line in display.about_lines(rows, about)]
    warnings = [f"- {_escaped(warning)}" for warning in about.warnings]
    endings = ["\\\n".join(notes), "\\\n".join(about_run), "\n".join(warnings)]
    return "\n\n".join(block for block in [*blocks, *endings] if block) + "\n"


def _board(board: Board) -> str:
    columns = board_columns(board) if board.measured else []
    parts = [f"### {_escaped(board.title)}"]
    start = 0
    for name, rows in board.sections:
        end = start + len(rows)
        lines = [
            _line([column.heading for column in columns]),
            _line([":--" if column.name else "--:" for column in columns]),
            *(_line([_escaped(column.cells[i]) for column in columns]) for i in range(start, end)),
        ]
        parts += [f"**{_escaped(name)}**", "\n".join(lines)]
        start = end
    if board.failed:
        parts.append("**not measured**")
        parts.append("\n".join(f"- {_escaped(_failure(row))}" for row in board.failed))
    return "\n\n".join(parts)


def _failure(row: Row) -> str:
    name = f"{display.library_label(row)} {display.codec_label(row)}"
    return f"{name}: {row.status}: {' '.join((row.reason or '').split())}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Text from data must not become markup."""
    for sign in "\\`*_[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return text
