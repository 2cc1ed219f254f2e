"""One table value, and how it is written in a terminal, Markdown, HTML and CSV; text from data stays text in each."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from itertools import accumulate
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Literal, TextIO

from serbench.errors import visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.measure import Measurement


FORMULA = ("=", "+", "-", "@", "\t", "\r")


def escaped(text: str) -> str:
    """The text in one line with the signs of Markdown and HTML escaped, so that data never becomes markup."""
    text = one_line(text)
    for sign in "\\`*_[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return text


def one_line(text: str) -> str:
    """The text in one line, without signs that steer what shows it."""
    return visible(" ".join(text.splitlines()))


def code(text: str) -> str:
    """The text as code within a line of Markdown, whatever signs it has."""
    text = one_line(text)
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    room = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{room}{text}{room}{fence}"


def html(text: str) -> str:
    """The text as HTML, in which nothing of it is markup."""
    return escape(one_line(text))


def csv_cell(value: Any) -> Any:
    """A value for a cell of CSV: a text that a spreadsheet would take for a formula begins with an apostrophe."""
    if not isinstance(value, str):
        return value
    return f"'{value}" if value[:1] in FORMULA else value


def lines_csv(headings: Sequence[str], lines: Iterable[Iterable[Any]]) -> str:
    """Lines as CSV below their headings; None is an empty field."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows([csv_cell(value) for value in line] for line in lines)
    return out.getvalue()


GAP = 2
"""Signs between the columns of a table with sections."""
LEAST_NAME = 30
"""How narrow a column of names may become before a less important column is left out."""


def fit(columns: Sequence[Column], width: int, gap: int = GAP) -> tuple[list[Column], list[int]]:
    """The columns that fit and their widths: names are narrowed first, then columns are left out, then words broken."""
    kept = list(columns)
    while True:
        fixed = sum(column.width for column in kept if not column.folds) + gap * (len(kept) - 1)
        names = [column.width for column in kept if column.folds]
        room = width - fixed
        if sum(names) <= room or sum(min(name, LEAST_NAME) for name in names) <= room:
            break
        spare = max(kept, key=lambda column: column.spare, default=None)
        if spare is None or spare.spare == 0:
            break
        kept.remove(spare)
    words = [column.least for column in kept if column.folds]
    while sum(names) > max(room, 2 * len(names)) and names:
        widest = max(range(len(names)), key=lambda at: (names[at] > words[at], names[at]))
        names[widest] -= 1
    left = iter(names)
    return kept, [next(left) if column.folds else column.width for column in kept]


def with_bars(
    columns: Sequence[Column], widths: Sequence[int], most: int, *, ascii_only: bool
) -> tuple[list[Column], list[int]]:
    """Columns and widths, with a column of bars behind each that has some; the longest is `most` signs long."""
    columns, widths = list(columns), list(widths)
    for at in reversed(range(len(columns))):
        if columns[at].bars:
            longest = max(columns[at].bars)
            cells = [bar(value / longest, most, ascii_only=ascii_only) for value in columns[at].bars]
            columns.insert(at + 1, replace(columns[at], heading="", cells=cells, side="left", bars=()))
            widths.insert(at + 1, most)
    return columns, widths


def bar(part: float, most: int, *, ascii_only: bool = False) -> str:
    """A bar whose length is a part of `most` signs; anything above 0 can be seen."""
    if ascii_only:
        return "#" * max(round(part * most), part > 0)
    whole, eighths = divmod(max(round(part * most * 8), part > 0), 8)
    return "█" * whole + " ▏▎▍▌▋▊▉"[eighths].strip()


OUTPUT = "standard output"


class NamedStream:
    """A stream whose errors say that it is an output, and no file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text; an OSError names the stream."""
        return int(self._named(self._stream.write, text))

    def flush(self) -> None:
        """Write what is left; an OSError names the stream."""
        self._named(self._stream.flush)

    def _named(self, act: Callable[..., Any], *values: Any) -> Any:
        try:
            return act(*values)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(error.errno, error.strerror, OUTPUT) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class VisibleStream:
    """A stream that shows escapes for what would steer a terminal; `raw_stream` shows none, for Rich."""

    def __init__(self, stream: TextIO) -> None:
        self.raw_stream = NamedStream(stream)
        self.begun = False  # a line, which has no end yet
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # an encoding without a sign shows its number

    def write(self, text: str) -> int:
        """Write a text; its lines stay lines."""
        self.begun = not text.endswith("\n") if text else self.begun
        return self.raw_stream.write(visible(text, lines=True))

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw_stream, name)


@contextmanager
def visible_streams() -> Iterator[None]:
    """Within the block, whatever is printed goes that way."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (VisibleStream(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def console(stream: Any, **options: Any) -> Console:
    """Rich's console on a stream: it colours, and what it is given is text."""
    from rich.console import Console
    from rich.segment import Segment

    class VisibleConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(visible(segment.text, lines=True), segment.style)

    return VisibleConsole(file=getattr(stream, "raw_stream", stream), **options)


HEADINGS = {"case": "library + format", "work_class": "validation"}
"""Key of data → its heading, of keys that name no column of their own."""
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
    """A table that displays itself; a terminal shows as many columns as fit.

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
                HEADINGS.get(key, key.replace("_", " ")),
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
            lines = [[escaped(c.heading) for c in columns], [RULES[c.side] for c in columns], *zip(*cells, strict=True)]
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
        sections = self.sections or [("", self.length)]
        starts = accumulate((length for _, length in sections), initial=0)
        places = [
            (name, range(start, start + min(count, length)))
            for start, (name, length) in zip(starts, sections, strict=False)
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
        """The lines below the tables, the most important first."""
        accuracy = [line for line in self.about if line.startswith("Noise floor")]
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

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Text for logs, HTML for notebooks."""
        return {"text/plain": as_text(self), "text/html": self.to_html()}

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
