"""One library over its versions, as tables and as a figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from serbench.display import style, words
from serbench.display.closing import Closing
from serbench.display.style import Figure, ThemeName
from serbench.display.table import Column, Table, Tables
from serbench.judge.history import Series, Step
from serbench.judge.relation import is_proven
from serbench.results import Origin, bracketed, grouped

PANEL_PX = 300


def change_label(step: Step, least: float = 0.0) -> str:
    """The change in words and figures: "1.3× faster (1.2 to 1.4)"."""
    if step.change is not None and step.change_low == step.change_high:
        return "the first"
    return words.difference_words(step.change, step.change_low, step.change_high, least)


def history_tables(every: Sequence[Series], least: float = 0.0) -> Tables:
    """A table for each series: version, time, change and work class, or the reason why there is none."""
    return Tables([_table(series, least) for series in every])


def _table(series: Series, least: float) -> Table:
    rows = [step.row for step in series.steps]
    unit, name = words.unit_of([row.time_ns for row in rows if row.time_ns is not None])
    times = [f"{words.three_digits(row.time_ns / unit)} {name}" if row.time_ns else row.status for row in rows]
    columns = [
        Column("version", _labels(series), "left"),
        Column("time", times),
        Column("against the first", [change_label(step, least) for step in series.steps]),
        Column(
            "work class",
            [words.class_words(row.work_class) if row.measured else row.reason or "" for row in rows],
            "left",
        ),
    ]
    return Table(f"{words.board_title(rows[0])} · {_legend(series)}", columns)


def history_closing(
    every: Sequence[Series], least: float, of: str, *, options: str = "", again: str = "", store: str = ""
) -> Closing:
    """Which version to use of a distribution, and how much faster or slower it is than the first that was measured.

    `options` choose the same data and formats for a gate, and `again` is the command that measures more precisely.
    """
    ends = [(series, _first(series), series.steps[-1]) for series in every if _first(series) is not None]
    moved = [
        (series, words.difference_words(last.change, last.change_low, last.change_high, least))
        for series, _, last in ends
        if last.change is not None and last.change_low != last.change_high
    ]
    if (
        not moved
        and len(measured := {step.row.version for one in every for step in one.steps if step.row.measured}) == 1
    ):
        return Closing(
            f"only {of} {measured.pop()} was measured; name a second version to compare it with", tone="open"
        )
    if not moved:
        return Closing(
            "no two versions could be compared; -v has the reasons", tone="open", next=f"serbench show runs{store}"
        )
    worse = [text for _, text in moved if " slower " in text]
    better = [text for _, text in moved if " faster " in text]
    series, _ = moved[0]
    first, last = _first(series), series.steps[-1].row
    old, new = (f"{of} {row.version}" for row in (first, last))
    use = f"{old if worse and not better else new}, of {len(series.steps)} versions"
    order = [" slower ", " faster ", words.NO_DIFFERENCE]
    told = [f"{_operation(one, of)} {text}" for kind in order for one, text in moved if kind in text]
    proven = [text for text in told if words.NO_DIFFERENCE not in text]
    unproven = len(moved) - len(proven)
    gains = told if unproven < 2 else [*proven, f"{words.NO_DIFFERENCE} in {unproven} of {len(moved)} comparisons"]
    gate = f"serbench gate --baseline {of}=={first.version} --candidate {of}=={last.version}{options}{store}"
    changes = words.noisy_part(f"{new} against {old}: {'; '.join(gains)}", least)
    many = f"{len(worse)} of {len(moved)} operations and codecs are slower" if worse else ""
    return Closing(
        use,
        "" if worse and not better else changes,
        changes if worse and not better else many,
        again if least else gate,
        "bad" if worse and not better else "good" if better else "open",
    )


def _first(series: Series) -> Any:
    """The row of the first version that was measured; None if there is none."""
    return next((step.row for step in series.steps if step.change is not None), None)


def _operation(series: Series, of: str) -> str:
    row = series.steps[0].row
    verb = words.VERBS.get(row.operation, row.operation)
    return verb if row.codec in (row.library, of) else f"{verb} via {words.codec_label(row)}"


def history_finding(every: Sequence[Series]) -> str:
    """A sentence on the largest change between versions."""
    changes = [(series, step) for series in every for step in series.steps[-1:] if step.change is not None]
    if not changes:
        return "No version could be measured twice"
    series, step = max(changes, key=lambda pair: abs(math.log(pair[1].change or 1)))
    if not is_proven(step.change, step.change_low, step.change_high):
        return f"No version from {series.steps[0].row.version} to {step.row.version} is proven faster or slower"
    factor, word = (step.change or 1, "slower") if (step.change or 1) > 1 else (1 / (step.change or 1), "faster")
    first = next(one.row.version for one in series.steps if one.change is not None)
    operation = words.VERBS.get(step.row.operation, step.row.operation)
    return f"{step.row.library} {step.row.version} {operation} {factor:.2g}× {word} than {first} ({step.row.codec})"


def history_figure(every: Sequence[Series], info: Origin, *, theme: ThemeName = "light") -> Figure:
    """Time over version: a panel for each operation and point, a line with 95 % intervals for each codec."""
    able = [series for series in every if any(step.row.measured for step in series.steps)]
    panels = grouped(able, lambda series: words.board_title(series.steps[0].row))
    foot = ["Dots are mean CPU time, lines their 95 % intervals over fresh processes", *words.about_lines(info, None)]
    drawn = style.layout(history_finding(every), foot, PANEL_PX * max(len(panels), 1), theme)
    drawn["layout"]["legend"]["title"]["text"] = "codec"
    codecs = list(dict.fromkeys(_legend(series) for series in every))
    ages: dict[str, int] = {}  # label → its place in the longest series that has it
    for series in sorted(every, key=lambda one: -len(one.steps)):
        ages = {label: age for age, label in enumerate(_labels(series))} | ages
    order = sorted(ages, key=ages.__getitem__)
    for number, (heading, members) in enumerate(panels.items()):
        unit, unit_name = words.unit_of([s.row.time_ns for one in members for s in one.steps if s.row.time_ns])
        drawn["data"] += [_line(series, codecs.index(_legend(series)), unit, number + 1) for series in members]
        ends = [end for one in members for s in one.steps for end in (s.row.time_ns_low, s.row.time_ns_high) if end]
        values = [end / unit for end in ends]
        top = 1 - number / len(panels)
        x = style.axis(theme, type="category", categoryorder="array", categoryarray=order)
        domain = [top - 0.86 / len(panels), top - 0.08 / len(panels)]
        y = style.log_axis(theme, values, title=f"{unit_name} per operation", domain=domain)
        style.put_axes(drawn, number + 1, x, y)
        drawn["layout"]["annotations"].append(style.panel_title(heading, top - 0.06 / len(panels), theme))
    return drawn


def _labels(series: Series) -> list[str]:
    """The version of each step, with its Python if that tells steps apart."""
    rows = [step.row for step in series.steps]
    several = len({row.python for row in rows if row.python}) > 1
    return [
        f"{row.version or row.environment}" + (f" ({row.python})" if several and row.python else "") for row in rows
    ]


def _legend(series: Series) -> str:
    row = series.steps[0].row
    return f"{words.codec_label(row)} {bracketed(row.variant)}".rstrip()


def _line(series: Series, codec: int, unit: float, panel: int) -> dict[str, Any]:
    pairs = [(label, s) for label, s in zip(_labels(series), series.steps, strict=True) if s.row.time_ns is not None]
    rows = [step.row for _, step in pairs]
    times = [(row.time_ns or 0) / unit for row in rows]
    colour = style.PALETTE[codec % len(style.PALETTE)]
    return style.scatter(
        [label for label, _ in pairs],
        times,
        [f"{style.hover(step.row)}<br>{style.markup(change_label(step))}, against the first" for _, step in pairs],
        mode="lines+markers",
        panel=panel,
        name=style.markup(_legend(series)),
        legendgroup=style.markup(_legend(series)),
        showlegend=panel == 1,
        error_y=style.error_bars(rows, times, [unit] * len(rows), color=colour),
        line={"color": colour},
        marker={"color": colour, "symbol": style.SYMBOLS[codec % len(style.SYMBOLS)], "size": 8},
    )
