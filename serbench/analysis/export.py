"""The same rows for other programs and for pages: CSV, Markdown, HTML and pandas."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING

from serbench.analysis import display
from serbench.analysis.display import Info
from serbench.analysis.rows import Row, as_data
from serbench.analysis.sheet import Sheet
from serbench.analysis.tables import sheets

if TYPE_CHECKING:
    import pandas as pd


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
    blocks = [_sheet(sheet) for sheet in sheets(rows, across_classes=across_classes)]
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
    parts = [_sheet_html(sheet) for sheet in sheets(rows, across_classes=across_classes)]
    notes = [*display.footnotes(rows), *display.about_lines(info, control), *warnings]
    parts.append(f"<p><small>{'<br>'.join(escape(note) for note in notes)}</small></p>")
    return f'<div class="serbench">{"".join(parts)}</div>'


def _sheet_html(sheet: Sheet) -> str:
    sides = ["left" if column.name else "right" for column in sheet.columns]
    body = [_line_html("th", [column.heading for column in sheet.columns], sides)] if sheet.sections else []
    for name, lines in sheet.parts(sheet.columns):
        body.append(f'<tr><th colspan="{len(sides)}" style="text-align:left">{escape(name)}</th></tr>')
        body += [_line_html("td", cells, sides) for cells in lines]
    failed = "".join(f"<li>{escape(line)}</li>" for line in sheet.failures)
    return (
        f"<h4>{escape(sheet.title)}</h4>"
        + (f"<table>{''.join(body)}</table>" if body else "")
        + (f"<p>not measured</p><ul>{failed}</ul>" if failed else "")
    )


def _line_html(tag: str, cells: Sequence[str], sides: Sequence[str]) -> str:
    return (
        "<tr>"
        + "".join(
            f'<{tag} style="text-align:{side}">{escape(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)
        )
        + "</tr>"
    )


def _sheet(sheet: Sheet) -> str:
    parts = [f"### {escaped(sheet.title)}"]
    for name, lines in sheet.parts(sheet.columns):
        head = [
            _line([column.heading for column in sheet.columns]),
            _line([":--" if column.name else "--:" for column in sheet.columns]),
        ]
        parts += [f"**{escaped(name)}**", "\n".join([*head, *(_line(list(map(escaped, cells))) for cells in lines)])]
    if sheet.failures:
        parts.append("**not measured**")
        parts.append("\n".join(f"- {escaped(line)}" for line in sheet.failures))
    return "\n\n".join(parts)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Text from data must not become markup."""
    for sign in "\\`*_[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return text
