"""One library over its versions: what each of them made faster or slower, as table and figure."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from serbench import statistics
from serbench.analysis import display, style
from serbench.analysis.export import escaped
from serbench.analysis.rows import Row, rows, run_priors
from serbench.analysis.style import Figure, ThemeName
from serbench.analysis.waves import CellWaves, Samples, cell_waves
from serbench.engine.results import Cell

if TYPE_CHECKING:
    from rich.console import Group, RenderableType


@dataclass(frozen=True)
class Step:
    """A version's row, and its time over that of the first version that was measured.

    `change` is 1 for that version itself and None where there is no time; its 95 % interval is over
    waves, in which both were measured.
    """

    row: Row
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None


@dataclass(frozen=True)
class Series:
    """The versions of one library with one codec, for one operation on the same data, oldest first."""

    title: str
    steps: tuple[Step, ...]


def history(cells: Sequence[Cell], samples: Samples, libraries: Collection[str]) -> list[Series]:
    """A series for each point, operation, codec and variant of these libraries."""
    found = [cell for cell in cells if cell.library in libraries and not cell.control]
    by_identity = {_identity(row): row for row in rows(cells, samples)}
    waves = cell_waves(cells, samples)
    prior, _ = run_priors(cells, waves)
    groups: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in found:
        groups.setdefault((cell.point, cell.operation, cell.format, cell.codec, cell.variant), []).append(cell)
    made = []
    for members in groups.values():
        members.sort(key=_age)
        first = next((cell for cell in members if cell.id in waves and waves[cell.id].log_times), None)
        steps = [
            _step(
                by_identity[_identity(cell)],
                waves.get(cell.id),
                None if first is None else waves[first.id],
                cell is first,
                prior,
            )
            for cell in members
        ]
        made.append(Series(_title(members[0]), tuple(steps)))
    return made


def _step(row: Row, own: CellWaves | None, first: CellWaves | None, is_first: bool, prior: statistics.Prior) -> Step:
    if own is None or first is None or not row.measured:
        return Step(row)
    if is_first:
        return Step(row, 1.0, 1.0, 1.0)
    shared = {
        wave: value - first.log_ratios[wave] for wave, value in own.log_ratios.items() if wave in first.log_ratios
    }
    if not shared:
        return Step(row)
    change = statistics.estimate(list(shared.values()), prior)
    return Step(row, math.exp(change.mean), math.exp(change.low), math.exp(change.high))


def _identity(one: Row | Cell) -> tuple[Any, ...]:
    point = one.point if isinstance(one, Cell) else one
    where = (point.workload, point.records, point.depth, point.seed)
    return (*where, one.library, one.variant, one.environment, one.codec, one.format, one.operation)


def _age(cell: Cell) -> tuple[Any, ...]:
    from packaging.version import InvalidVersion, Version

    try:
        return (Version(cell.version or "0"), cell.python or "")
    except InvalidVersion:
        return (Version("0"), cell.python or "")


def _title(cell: Cell) -> str:
    variant = "" if cell.variant == "default" else f" [{cell.variant}]"
    codec = cell.codec if cell.codec == cell.format else f"{cell.codec} ({cell.format})"
    records = f"{cell.point.records:,} record{'' if cell.point.records == 1 else 's'}"
    return f"{cell.operation} {cell.point.workload} · {records} · depth {cell.point.depth} · {codec}{variant}"


def version_label(row: Row, *, python: bool) -> str:
    """The version, with its Python where that tells rows apart."""
    return f"{row.version or row.environment}" + (f" ({row.python})" if python and row.python else "")


def change_label(step: Step) -> str:
    """The change in words and figures: "1.32× ± 0.02"."""
    if step.change is None or step.change_low is None or step.change_high is None:
        return ""
    if step.change_low == step.change_high:
        return "1× (first)"
    return display.with_half_width(step.change, step.change_low, step.change_high)


def history_lines(series: Series) -> list[tuple[str, str, str, str]]:
    """Version, time, change and work class (or the reason) of each step."""
    unit, name = display.unit_of([step.row.time_ns for step in series.steps if step.row.time_ns is not None])
    several = len({step.row.python for step in series.steps if step.row.python}) > 1
    return [
        (
            version_label(step.row, python=several),
            f"{display.three_digits(step.row.time_ns / unit)} {name}"
            if step.row.time_ns is not None
            else step.row.status,
            change_label(step),
            (step.row.work_class if step.row.measured else step.row.reason) or "",
        )
        for step in series.steps
    ]


PANEL_PX = 300
HEADINGS = ("version", "time", "over the first", "work class")


def history_table(found: Sequence[Series]) -> Group:
    """The series as Rich tables."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    tables: list[RenderableType] = []
    for series in found:
        table = Table(*HEADINGS, box=box.SIMPLE_HEAD, pad_edge=False)
        table.columns[1].justify = table.columns[2].justify = "right"
        for line in history_lines(series):
            table.add_row(*line)
        tables += [Text(series.title, style="bold"), table]
    return Group(*tables)


def history_markdown(found: Sequence[Series]) -> str:
    """The series as Markdown tables."""
    parts = []
    for series in found:
        lines = [" | ".join(HEADINGS), ":-- | --: | --: | :--"]
        lines += [" | ".join(escaped(cell) for cell in line) for line in history_lines(series)]
        parts.append(f"### {escaped(series.title)}\n\n" + "\n".join(f"| {line} |" for line in lines))
    return "\n\n".join(parts) + "\n"


def finding(found: Sequence[Series]) -> str:
    """What the versions did, in a sentence."""
    changes = [(series, step) for series in found for step in series.steps[-1:] if step.change is not None]
    if not changes:
        return "No version could be measured twice"
    series, step = max(changes, key=lambda pair: abs(math.log(pair[1].change or 1)))
    if step.change_low is None or step.change_high is None or step.change_low <= 1 <= step.change_high:
        return f"No version from {series.steps[0].row.version} to {step.row.version} is proven faster or slower"
    factor, word = (step.change or 1, "slower") if (step.change or 1) > 1 else (1 / (step.change or 1), "faster")
    first = next(one.row.version for one in series.steps if one.change is not None)
    operation = display.VERBS.get(step.row.operation, step.row.operation)
    return f"{step.row.library} {step.row.version} {operation} {factor:.2g}× {word} than {first} ({step.row.codec})"


def history_figure(found: Sequence[Series], info: display.Info, *, theme: ThemeName = "light") -> Figure:
    """Time over version: a panel for each operation and point, a line with 95 % intervals for each codec."""
    panels: dict[str, list[Series]] = {}
    for series in found:
        if any(step.row.measured for step in series.steps):
            panels.setdefault(display.board_title(series.steps[0].row), []).append(series)
    foot = ["Dots are mean CPU time, lines their 95 % intervals over fresh processes", *style.origin_lines(info, None)]
    drawn = style.layout(finding(found), foot, PANEL_PX * max(len(panels), 1), theme)
    drawn["layout"]["legend"]["title"]["text"] = "codec"
    codecs = list(dict.fromkeys(_legend(series) for series in found))
    order = sorted({label for series in found for label in _labels(series)}, key=lambda text: _age_of(text, found))
    for place, (heading, members) in enumerate(panels.items()):
        number = "" if place == 0 else str(place + 1)
        unit, unit_name = display.unit_of([s.row.time_ns for one in members for s in one.steps if s.row.time_ns])
        drawn["data"] += [
            _line(series, codecs.index(_legend(series)), unit, number, first=place == 0) for series in members
        ]
        ends = [end for one in members for s in one.steps for end in (s.row.time_ns_low, s.row.time_ns_high) if end]
        values = [end / unit for end in ends]
        top = 1 - place / len(panels)
        across = {"type": "category", "categoryorder": "array", "categoryarray": order, "anchor": f"y{number}"}
        drawn["layout"][f"xaxis{number}"] = style.axis(theme, **across)
        drawn["layout"][f"yaxis{number}"] = style.log_axis(
            theme,
            values,
            title={"text": f"{unit_name} per operation", "standoff": 4},
            domain=[top - 0.86 / len(panels), top - 0.08 / len(panels)],
            anchor=f"x{number}",
        )
        drawn["layout"]["annotations"].append(style.panel_title(heading, top - 0.06 / len(panels), theme))
    return drawn


def _labels(series: Series) -> list[str]:
    several = len({step.row.python for step in series.steps if step.row.python}) > 1
    return [version_label(step.row, python=several) for step in series.steps]


def _age_of(label: str, found: Sequence[Series]) -> int:
    """The place of a label in the longest series that has it."""
    for series in sorted(found, key=lambda one: len(one.steps), reverse=True):
        if label in _labels(series):
            return _labels(series).index(label)
    return 0


def _legend(series: Series) -> str:
    row = series.steps[0].row
    variant = "" if row.variant == "default" else f" [{row.variant}]"
    return f"{display.codec_label(row)}{variant}"


def _line(series: Series, codec: int, unit: float, number: str, *, first: bool) -> dict[str, Any]:
    pairs = [(label, s) for label, s in zip(_labels(series), series.steps, strict=True) if s.row.time_ns is not None]
    times = [(step.row.time_ns or 0) / unit for _, step in pairs]
    colour = style.PALETTE[codec % len(style.PALETTE)]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": escape(_legend(series)),
        "legendgroup": escape(_legend(series)),
        "showlegend": first,
        "xaxis": f"x{number}",
        "yaxis": f"y{number}",
        "x": [label for label, _ in pairs],
        "y": times,
        "error_y": {
            "type": "data",
            "symmetric": False,
            "color": colour,
            "array": [(s.row.time_ns_high or 0) / unit - t for (_, s), t in zip(pairs, times, strict=True)],
            "arrayminus": [t - (s.row.time_ns_low or 0) / unit for (_, s), t in zip(pairs, times, strict=True)],
        },
        "line": {"color": colour},
        "marker": {"color": colour, "symbol": style.SYMBOLS[codec % len(style.SYMBOLS)], "size": 8},
        "hovertext": [f"{style.hover(step.row)}<br>{escape(change_label(step))} of the first" for _, step in pairs],
        "hoverinfo": "text",
    }
