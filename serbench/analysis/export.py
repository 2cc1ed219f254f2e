"""The same rows for other programs and for pages: CSV, Markdown, HTML and pandas."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING

from serbench.analysis import display
from serbench.analysis.display import Board, Info
from serbench.analysis.overall import OverallBoard, overall_boards
from serbench.analysis.rows import Row, as_data
from serbench.analysis.tables import board_columns

if TYPE_CHECKING:
    import pandas as pd

OVERALL, SIDES = ("library", "codec", "mean ratio"), ("left", "left", "right")


def csv_text(rows: Sequence[Row]) -> str:
    """The rows as CSV with a heading; what is not known is an empty field."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(as_data, rows))
    return out.getvalue()


def to_pandas(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows as a data frame, with the columns of `Row` even where there is no row."""
    import pandas as pd

    return pd.DataFrame([as_data(row) for row in rows], columns=[field.name for field in fields(Row)])


def markdown(
    rows: Sequence[Row],
    control: Mapping[str, float | int | None],
    info: Info,
    *,
    warnings: Sequence[str] = (),
    across_classes: bool = False,
) -> str:
    """The tables as GitHub's Markdown, with the same headings, marks and footnotes as in the terminal."""
    blocks = [_board(board) for board in display.boards(rows, across_classes=across_classes)]
    blocks += [_overall(board) for board in overall_boards(rows)]
    notes = [escaped(note) for note in display.footnotes(rows)]
    about = [escaped(line) for line in display.about_lines(info, control)]
    cautions = [f"- {escaped(warning)}" for warning in warnings]
    endings = ["\\\n".join(notes), "\\\n".join(about), "\n".join(cautions)]
    return "\n\n".join(block for block in [*blocks, *endings] if block) + "\n"


def html(
    rows: Sequence[Row],
    control: Mapping[str, float | int | None],
    info: Info,
    *,
    warnings: Sequence[str] = (),
    across_classes: bool = False,
) -> str:
    """The tables as an HTML fragment in the colours of the page around it, for a notebook."""
    parts = [_board_html(board) for board in display.boards(rows, across_classes=across_classes)]
    notes = [*display.footnotes(rows), *display.about_lines(info, control), *warnings]
    parts += [_overall_html(board) for board in overall_boards(rows)]
    parts.append(f"<p><small>{'<br>'.join(escape(note) for note in notes)}</small></p>")
    return f'<div class="serbench">{"".join(parts)}</div>'


def _board_html(board: Board) -> str:
    columns = board_columns(board) if board.measured else []
    sides = ["left" if column.name else "right" for column in columns]
    body = [_line_html("th", [column.heading for column in columns], sides)] if columns else []
    start = 0
    for name, rows in board.sections:
        end = start + len(rows)
        body.append(f'<tr><th colspan="{len(columns)}" style="text-align:left">{escape(name)}</th></tr>')
        body += [_line_html("td", [column.cells[i] for column in columns], sides) for i in range(start, end)]
        start = end
    failed = "".join(f"<li>{escape(line)}</li>" for line in board.failures)
    return (
        f"<h4>{escape(board.title)}</h4>"
        + (f"<table>{''.join(body)}</table>" if body else "")
        + (f"<p>not measured</p><ul>{failed}</ul>" if failed else "")
    )


def _overall_html(board: OverallBoard) -> str:
    body = [_line_html("th", OVERALL, SIDES)]
    for name, lines, over in board.sections:
        body.append(f'<tr><th colspan="3" style="text-align:left">{escape(name)}, {escape(over)}</th></tr>')
        body += [_line_html("td", line, SIDES) for line in lines]
    return f"<h4>{escape(board.title)}</h4><table>{''.join(body)}</table>"


def _line_html(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    return (
        "<tr>"
        + "".join(
            f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)
        )
        + "</tr>"
    )


def _board(board: Board) -> str:
    columns = board_columns(board) if board.measured else []
    parts = [f"### {escaped(board.title)}"]
    start = 0
    for name, rows in board.sections:
        end = start + len(rows)
        lines = [
            _line([column.heading for column in columns]),
            _line([":--" if column.name else "--:" for column in columns]),
            *(_line([escaped(column.cells[i]) for column in columns]) for i in range(start, end)),
        ]
        parts += [f"**{escaped(name)}**", "\n".join(lines)]
        start = end
    if board.failed:
        parts.append("**not measured**")
        parts.append("\n".join(f"- {escaped(line)}" for line in board.failures))
    return "\n\n".join(parts)


def _overall(board: OverallBoard) -> str:
    parts = [f"### {escaped(board.title)}"]
    for name, lines, over in board.sections:
        table = [_line(OVERALL), "| :-- | :-- | --: |", *(_line(list(map(escaped, line))) for line in lines)]
        parts += [f"**{escaped(name)}**, {escaped(over)}", "\n".join(table)]
    return "\n\n".join(parts)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Text from data must not become markup."""
    for sign in "\\`*_[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return text
