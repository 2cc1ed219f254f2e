"""One table value, which every output shows: a terminal, Markdown, HTML and CSV."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Literal

from serbench.display.escapes import escaped, html, lines_csv
from serbench.display.terminal import console
from serbench.display.widths import GAP, fit, with_bars

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.measure import Measurement

RULED, BAR = 3, 10
"""Signs between the columns of a table whose lines stand below one rule; the length of the longest bar."""
FOLDED, LEADING, DETAILS = 20, 3, 4
"""A table with more lines is folded on a page, so that only the first lines of each section are seen at once."""
Side = Literal["left", "center", "right"]
RULES = {"left": ":--", "center": ":-:", "right": "--:"}
BREAK = "\\\n"
"""Ends a line within a paragraph of Markdown."""


@dataclass(frozen=True)
class Column:
    """One column: its heading, and a cell for each line of the table.

    Attributes:
        side: how cells are aligned; cells on the left are folded if there is no room, others never.
        spare: if the terminal is too narrow, the column with the highest is left out first; 0 is never left out.
        markup: the cells are Markdown already, and are not escaped there.
        styles: Rich's style of each cell; none by default.
        bars: a figure for each cell, which a terminal with room shows as a bar behind it.
    """

    heading: str
    cells: Sequence[str]
    side: Side = "right"
    spare: int = 0
    markup: bool = False
    styles: Sequence[str] = ()
    bars: Sequence[float] = ()

    @property
    def width(self) -> int:
        """The width that folds nothing."""
        return max(map(len, (self.heading, *self.cells)))

    @property
    def folds(self) -> bool:
        """True if long cells are folded."""
        return self.side == "left"

    @property
    def least(self) -> int:
        """The width that breaks no word."""
        words = (word for cell in (self.heading, *self.cells) for word in cell.split())
        return max(map(len, words), default=0) if self.folds else self.width

    def at(self, lines: Iterable[int]) -> Column:
        """The column of these lines alone."""
        chosen = list(lines)
        styles = [self.styles[line] for line in chosen] if self.styles else ()
        bars = [self.bars[line] for line in chosen] if self.bars else ()
        return replace(self, cells=[self.cells[line] for line in chosen], styles=styles, bars=bars)


@dataclass(frozen=True)
class Table:
    """A table, which shows itself in a terminal with the columns that there is room for.

    Attributes:
        title: the heading; may be empty.
        columns: all of them, each with a cell for every line.
        sections: heading and number of lines of each section; if there are none, the lines stand below one rule.
        warnings: sentences that stand above the lines.
        failures: cases that have no line, each with its reason.
        notes: sentences that stand below the lines.
    """

    title: str
    columns: Sequence[Column]
    sections: Sequence[tuple[str, int]] = ()
    warnings: Sequence[str] = ()
    failures: Sequence[str] = ()
    notes: Sequence[str] = ()

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Table:
        """A column for each key of equal mappings that some row has a value of; a `reason` is a note.

        A reason is told once, after the `case`, `name`, `library`, `codec`, `format` and `input` of every row that has it.
        """
        shown = [key for key in rows[0] if key != "reason" and any(row[key] is not None for row in rows)]
        reasons: dict[str, dict[str, None]] = {}
        for row in rows:
            if row.get("reason"):
                parts = [
                    str(row[key]) for key in ("case", "name", "library", "codec", "format", "input") if row.get(key)
                ]
                reasons.setdefault(" ".join(str(row["reason"]).split()), {})[" ".join(dict.fromkeys(parts))] = None
        columns = [
            Column(
                key.replace("_", " "),
                [_text(row[key]) for row in rows],
                "right" if all(row[key] is None or _is_number(str(row[key])) for row in rows) else "left",
            )
            for key in shown
        ]
        return cls("", columns, notes=[f"{', '.join(names)}: {reason}" for reason, names in reasons.items()])

    @classmethod
    def of_lines(cls, headings: Mapping[str, Side], lines: Sequence[Sequence[str]], *, markup: bool = False) -> Table:
        """The table of these lines below headings; `headings` maps each to the side of its column."""
        cells = zip(*lines, strict=True) if lines else [()] * len(headings)
        columns = zip(headings.items(), cells, strict=True)
        return cls("", [Column(heading, cells, side, markup=markup) for (heading, side), cells in columns])

    @property
    def length(self) -> int:
        """The number of lines."""
        return len(self.columns[0].cells) if self.columns else 0

    def flat(self, heading: str, count: int) -> Table:
        """The first `count` lines of each section, with the section's heading in a first column."""
        few = self.leading(count)
        names = [name for name, length in few.sections for _ in range(length)]
        return replace(few, columns=[Column(heading, names, "left"), *few.columns], sections=())

    def to_markdown(self) -> str:
        """The table as GitHub's Markdown, with a heading if it has a title."""
        parts = [f"### {escaped(self.title)}"] if self.title else []
        parts += _bullets(self.warnings)
        for name, columns in self.parts():
            cells = [[cell if c.markup else escaped(cell) for cell in c.cells] for c in columns]
            lines = [[c.heading for c in columns], [RULES[c.side] for c in columns], *zip(*cells, strict=True)]
            parts += [f"**{escaped(name)}**"] if name else []
            parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
        if self.failures:
            parts += ["**not measured**", *_bullets(self.failures)]
        return "\n\n".join([*parts, *_bullets(self.notes)])

    def to_html(self) -> str:
        """The table as an HTML fragment in the colours of the page around it."""
        body = [_line_html("th", [(c, c.heading) for c in self.columns])] if self.length else []
        for name, columns in self.parts():
            if name:
                body.append(f'<tr><th colspan="{len(columns)}" style="text-align:left">{html(name)}</th></tr>')
            body += [
                _line_html("td", list(zip(columns, line, strict=True)))
                for line in zip(*(c.cells for c in columns), strict=True)
            ]
        return (
            (f"<h4>{html(self.title)}</h4>" if self.title else "")
            + _items_html(self.warnings)
            + (f"<table>{''.join(body)}</table>" if body else "")
            + (f"<p>not measured</p>{_items_html(self.failures)}" if self.failures else "")
            + _items_html(self.notes)
        )

    def leading(self, count: int) -> Table:
        """The first `count` lines of each section."""
        starts = accumulate((length for _, length in self.sections), initial=0)
        places = [
            (name, range(start, start + min(count, length)))
            for start, (name, length) in zip(starts, self.sections, strict=False)
        ]
        lines = [line for _, some in places for line in some]
        return replace(
            self,
            columns=[column.at(lines) for column in self.columns],
            sections=[(name, len(some)) for name, some in places],
        )

    def to_folded_html(self) -> str:
        """The table as HTML; of one that is long the first lines of each section, and the whole behind a click."""
        few = self.leading(LEADING)
        if self.length <= FOLDED or few.length == self.length:
            return self.to_html()
        first = replace(few, failures=(), notes=()).to_html()
        whole = replace(self, title="", warnings=()).to_html()
        return f"{first}<details><summary>all {self.length} lines</summary>{whole}</details>"

    def to_csv(self) -> str:
        """The lines as CSV below their headings."""
        return lines_csv([c.heading for c in self.columns], zip(*(c.cells for c in self.columns), strict=True))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol."""
        from rich.text import Text

        if self.title:
            yield Text(self.title, style="bold")
        yield from (hanging("!", warning, style="yellow") for warning in self.warnings)
        yield from self._sections(console, options) if self.sections else self._ruled(options.max_width)
        if self.failures:
            yield Text("not measured", style="italic cyan")
        yield from (hanging("-", line) for line in (*self.failures, *self.notes))
        if self.title and (self.sections or self.failures or self.notes):
            yield Text()

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Rich's protocol: the width that breaks no word of the columns that are never left out."""
        from rich.measure import Measurement

        kept = [column.least for column in self.columns if not column.spare]
        return Measurement(sum(kept) + (GAP if self.sections else RULED) * len(kept), options.max_width)

    def parts(self) -> Iterator[tuple[str, list[Column]]]:
        """Heading and columns of each section that has a line."""
        start = 0
        for name, count in self.sections or [("", self.length)]:
            if count:
                yield name, [column.at(range(start, start + count)) for column in self.columns]
            start += count

    def _sections(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        from rich.text import Text

        reserved = BAR + GAP if console.is_terminal and any(c.bars for c in self.columns) else 0
        columns, widths = fit(self.columns, options.max_width - reserved)
        if reserved:
            columns, widths = with_bars(columns, widths, BAR, ascii_only=options.ascii_only)
        if any(column.heading for column in columns):
            yield _grid([replace(c, cells=[c.heading], styles=["dim"], bars=()) for c in columns], widths)
        for name, parts in replace(self, columns=columns).parts():
            if name:
                yield Text(name, style="italic cyan")
            yield _grid(parts, widths)

    def _ruled(self, width: int) -> Iterator[RenderableType]:
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        if self.length:
            table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
            columns, widths = fit(self.columns, width - 2, RULED)
            for column, room in zip(columns, widths, strict=True):
                table.add_column(Text(column.heading), overflow="fold", justify=column.side, width=room)
            for line in zip(*(column.cells for column in columns), strict=True):
                table.add_row(*map(Text, line))
            yield table


@dataclass(frozen=True)
class Tables:
    """Tables with notes on all of them; shows itself in a terminal, a notebook, Markdown and HTML.

    Attributes:
        notes: the footnotes.
        about: run, machine, versions and accuracy.
        warnings: conditions to know before believing the figures.
    """

    tables: Sequence[Table]
    notes: Sequence[str] = ()
    about: Sequence[str] = ()
    warnings: Sequence[str] = ()

    @property
    def details(self) -> list[str]:
        """What stands below the tables, what matters most first."""
        accuracy = [line for line in self.about if line.startswith("A/A")]
        return [*accuracy, *self.warnings, *self.notes, *(line for line in self.about if line not in accuracy)]

    def brief(self) -> tuple[Tables, Brief]:
        """The tables alone, and what stands below them in a few lines."""
        return Tables(self.tables), Brief(self.details)

    def to_markdown(self) -> str:
        """All of it as GitHub's Markdown."""
        below = [BREAK.join(map(escaped, lines)) for lines in (self.notes, self.about)]
        blocks = [*(table.to_markdown() for table in self.tables), *below, *_bullets(self.warnings)]
        return "\n\n".join(block for block in blocks if block) + "\n"

    def to_html(self) -> str:
        """All of it as an HTML fragment, for a notebook."""
        below = "<br>".join(map(html, (*self.notes, *self.about, *self.warnings)))
        tables = "".join(table.to_folded_html() for table in self.tables)
        return f'<div class="serbench">{tables}{f"<p><small>{below}</small></p>" if below else ""}</div>'

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Rich's protocol: what the widest table needs."""
        from rich.measure import measure_renderables

        return measure_renderables(console, options, self.tables)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol."""
        from rich.text import Text

        yield from self.tables
        yield from (Text(note, style="dim") for note in self.notes)
        if self.notes and self.about:
            yield Text()
        yield from (Text(line, style="dim") for line in self.about)
        yield from (hanging("!", warning, style="yellow") for warning in self.warnings)


@dataclass(frozen=True)
class Brief:
    """Details in at most four lines of a terminal, with how to see the rest."""

    lines: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's protocol."""
        from rich.text import Text

        lines = [shorten(line, options.max_width, placeholder=" …") for line in self.lines]
        whole = len(lines) <= DETAILS and not any(line.endswith(" …") for line in lines)
        shown = lines if whole else lines[: DETAILS - 1]
        for line in shown:
            yield Text(line, style="dim", no_wrap=True)
        if not whole:
            left = len(lines) - len(shown)
            yield Text(f"-v shows {f'{left} more' if left else 'all of it'}", style="dim")


def as_text(renderable: RenderableType) -> str:
    """The text in a terminal of 120 columns without colours."""
    file = io.StringIO()
    # In a notebook Rich would show it as well as write it.
    console(file, width=120, color_system=None, force_jupyter=False).print(renderable)
    return file.getvalue()


def hanging(mark: str, text: str, style: str = "") -> RenderableType:
    """A paragraph that hangs on its mark of one column."""
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(overflow="fold")
    grid.add_row(Text(mark, style=style), Text(text, style=style))
    return grid


def _grid(columns: Sequence[Column], widths: Sequence[int]) -> RenderableType:
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable.grid(padding=(0, GAP, 0, 0), pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        grid.add_column(width=width, justify=column.side, overflow="fold", no_wrap=not column.folds)
    styles = [column.styles or [""] * len(column.cells) for column in columns]
    lines = zip(*(map(Text, column.cells, style) for column, style in zip(columns, styles, strict=True)), strict=True)
    for line in lines:
        grid.add_row(*line)
    return grid


def _bullets(lines: Sequence[str]) -> list[str]:
    """The lines as one list of Markdown; empty if there are none."""
    return ["\n".join(f"- {escaped(line)}" for line in lines)] if lines else []


def _items_html(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html(line)}</li>' for line in lines)}</ul>" if lines else ""


def _line_html(tag: str, cells: Sequence[tuple[Column, str]]) -> str:
    cells_html = (f'<{tag} style="text-align:{column.side}">{html(text)}</{tag}>' for column, text in cells)
    return f"<tr>{''.join(cells_html)}</tr>"


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).isdigit()


def _text(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
