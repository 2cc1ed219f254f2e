"""The budget as a figure: messages per second of each case over a given line with given cores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from serbench.analysis import display, style
from serbench.analysis.budget import Budget, best, budgets, why_apart
from serbench.analysis.display import Info
from serbench.analysis.rows import Row
from serbench.analysis.style import Figure, ThemeName

LINE_PX = 22


def budget_figure(
    rows: Sequence[Row], info: Info, *, bandwidth_bits_per_s: float = 1e9, cores: int = 4, theme: ThemeName = "light"
) -> Figure:
    """Messages per second of each measured case, with its best compression, at a bandwidth and a number of cores.

    The most stand first, and what is lossy or ends in a format's own objects below a heading that says so; filled
    dots are limited by the cores, open ones by the line.
    """
    found = best(budgets(rows, bandwidth_bits_per_s, cores)) if rows else []
    several = display.told_apart(one.row for one in found)
    labels = [style.case_label(one.row, several) for one in found]
    lines = _under_headings(found, labels)
    line = f"{_bits(bandwidth_bits_per_s)} and {cores} core{'' if cores == 1 else 's'}"
    foot = [
        (
            "Upper limits: the lesser of the cores' and the line's messages a second, without headers or any other work; "
            "with the compression that gives most; filled dots are limited by the cores, open ones by the line"
        ),
        *style.origin_lines(info, None),
    ]
    longest = max(map(len, lines), default=0)
    drawn = style.layout(
        _finding(found, line), foot, max(len(lines), 2) * LINE_PX, theme, left_px=style.CHARACTER_PX * longest
    )
    drawn["layout"]["showlegend"] = False
    title = {"text": "messages per second", "standoff": 4}
    drawn["layout"]["xaxis"] = style.log_axis(theme, [one.per_s for one in found], title=title)
    drawn["layout"]["yaxis"] = style.axis(
        theme,
        type="category",
        categoryorder="array",
        categoryarray=lines[::-1],
        tickfont={"size": 11.5},
        range=[-0.7, len(lines) - 0.3],
        tickmode="array",
        tickvals=lines,
    )
    marks = [style.library_mark(one.row.library) for one in found]
    open_ = ["" if one.bottleneck == "cores" else "-open" for one in found]
    drawn["data"].append(
        {
            "type": "scatter",
            "mode": "markers",
            "y": labels,
            "x": [one.per_s for one in found],
            "marker": {
                "size": 9,
                "color": [colour for colour, _ in marks],
                "symbol": [symbol + end for (_, symbol), end in zip(marks, open_, strict=True)],
            },
            "hovertext": [
                f"{style.hover(one.row)}<br><b>{one.per_s:,.0f} messages/s</b>{_packed(one)}, limited by the {one.bottleneck}"
                for one in found
            ],
            "hoverinfo": "text",
        }
    )
    return drawn


def _under_headings(found: Sequence[Budget], labels: Sequence[str]) -> list[str]:
    """The labels from top to bottom, with a heading before those that stand apart."""
    lines = []
    for words, members in groupby(zip(found, labels, strict=True), key=lambda pair: why_apart(pair[0].row)):
        lines += [*([f"<i>{words}</i>"] if words else []), *(label for _, label in members)]
    return lines


def _packed(one: Budget) -> str:
    return "" if one.compression == "none" else f" with {one.compression}"


def _finding(every: Sequence[Budget], line: str) -> str:
    """What the budgets come to, but for those that stand apart."""
    found = [one for one in every if why_apart(one.row) == why_apart(every[0].row)]
    several = display.told_apart(one.row for one in found)
    if not found:
        return "Nothing has been measured from which a budget follows"
    most, least = found[0], found[-1]
    row = most.row
    text = (
        f"With {line}, {display.case_name(row, several)} {display.VERBS.get(row.operation, row.operation)} "
        f"{most.per_s:,.0f} messages a second{_packed(most)}{_tied(found)}, limited by the {most.bottleneck}"
    )
    all_tie = display.three_digits(most.per_s) == display.three_digits(least.per_s)
    return text if all_tie else f"{text}; {display.case_name(least.row, several)} {least.per_s:,.0f}"


def _tied(found: Sequence[Budget]) -> str:
    """How many others have as many messages as the first: all whose bytes are as few, where the line is the limit."""
    first, *rest = (display.three_digits(one.per_s) for one in found)
    others = rest.count(first)
    return f", as {others} other{' does' if others == 1 else 's do'}" if others else ""


def _bits(bits_per_s: float) -> str:
    for unit, name in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if bits_per_s >= unit:
            return f"{bits_per_s / unit:,.4g} {name}"
    return f"{bits_per_s:,.4g} bit/s"
