"""The budget as a figure: messages per second of each case over a given line with given cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from math import log10
from types import MappingProxyType
from typing import Any

from serbench.display import style, words
from serbench.display.style import THEMES, Figure, ThemeName
from serbench.judge.budget import Budget, best, budgets, is_fewer, why_incomparable
from serbench.judge.rows import Row, differing_facts
from serbench.results import Origin

LINE_PX = 22
BESIDE = 0.3  # the part of the axis that the longest text beside the dots takes
BITS = ((1.0, "bit/s"), (1e3, "kbit/s"), (1e6, "Mbit/s"), (1e9, "Gbit/s"))


def budget_figure(
    rows: Sequence[Row],
    info: Origin,
    *,
    bandwidth_bits_per_s: float = 1e9,
    cores: int = 4,
    least: float = 0.0,
    theme: ThemeName = "light",
) -> Figure:
    """Messages per second of each measured case, with its best compression, at a bandwidth and a number of cores.

    The most stand first; lossy cases, and those that end in a format's own objects, have a heading of their own.

    Differences in time below `least` are noise.
    """
    shown = best(budgets(rows, bandwidth_bits_per_s, cores)) if rows else []
    several = differing_facts(one.row for one in shown)
    labels = [style.case_label(one.row, several) for one in shown]
    lines = _under_headings(shown, labels)
    unit, unit_name = words.unit_of([bandwidth_bits_per_s], BITS)
    line = f"{bandwidth_bits_per_s / unit:,.4g} {unit_name} and {words.counted(cores, 'core')}"
    foot = [
        (
            "Upper limits: the lesser of the cores' and the line's messages a second, without headers or any other work; "
            "with the compression that gives most"
        ),
        *words.about_lines(info, None),
    ]
    drawn = style.layout(_finding(shown, line, least), foot, max(len(lines), 2) * LINE_PX, theme, labels=lines)
    drawn["layout"]["showlegend"] = False
    x = style.log_axis(theme, [one.per_s for one in shown], title="messages per second")
    x["range"][1] += (x["range"][1] - x["range"][0]) * BESIDE
    drawn["layout"]["xaxis"] = x
    drawn["layout"]["annotations"][-1:-1] = _beside(shown, labels, theme)
    drawn["layout"]["yaxis"] = style.category_axis(
        theme, lines, tickfont={"size": 11.5}, range=[-0.7, len(lines) - 0.3]
    )
    marks = [style.library_mark(one.row.library) for one in shown]
    hover = [
        f"{style.hover(one.row)}<br><b>{one.per_s:,.0f} messages/s</b>{_packed(one)}, limited by the {one.bottleneck}"
        for one in shown
    ]
    marker = {"size": 9, "color": [colour for colour, _ in marks], "symbol": [symbol for _, symbol in marks]}
    drawn["data"].append(style.scatter([one.per_s for one in shown], labels, hover, marker=marker))
    return drawn


def _beside(shown: Sequence[Budget], labels: Sequence[str], theme: ThemeName) -> Iterator[dict[str, Any]]:
    """The text beside each dot: its messages a second, and what limits them."""
    for one, label in zip(shown, labels, strict=True):
        text = f"{words.three_digits(one.per_s)} · {one.bottleneck}"
        position = {"xref": "x", "yref": "y", "y": label, "xshift": 8}
        yield style.note(text, log10(one.per_s), 0, 11, THEMES[theme].faint) | position


def _under_headings(shown: Sequence[Budget], labels: Sequence[str]) -> list[str]:
    """The labels from top to bottom, with a heading before those that stand apart."""
    lines = []
    for sentence, members in groupby(zip(shown, labels, strict=True), key=lambda pair: why_incomparable(pair[0].row)):
        lines += [*([f"<i>{sentence}</i>"] if sentence else []), *(label for _, label in members)]
    return lines


def _packed(one: Budget) -> str:
    return "" if one.compression == "none" else f" with {one.compression}"


def _finding(every: Sequence[Budget], line: str, least: float) -> str:
    """A sentence on the budgets, leaving out rows that are not compared."""
    comparable = [one for one in every if why_incomparable(one.row) == why_incomparable(every[0].row)]
    several = differing_facts(one.row for one in comparable)
    if not comparable:
        return "Nothing has been measured that has a time and a size"
    most, last = comparable[0], comparable[-1]
    tied, row = _tied(comparable, least, several), most.row
    text = (
        f"With {line}, {words.case_name(row, several)}{tied}{',' if tied else ''} {words.VERBS.get(row.operation, row.operation)} "
        f"{words.three_digits(most.per_s)} messages a second{_packed(most)}, limited by the {most.bottleneck}"
    )
    if is_fewer(last, most, least):
        text += f"; {words.case_name(last.row, several)} {words.three_digits(last.per_s)}"
    return words.noisy(text, least)


def _tied(shown: Sequence[Budget], least: float, several: Mapping[str, AbstractSet[str]] = MappingProxyType({})) -> str:
    """What follows the name of the first: those that are not proven to have fewer messages a second."""
    first, *rest = shown
    return words.tied_words([one.row for one in rest if not is_fewer(one, first, least)], several)


def budget_sentence(shown: Sequence[Budget], least: float = 0.0) -> str:
    """A sentence on the first budget: its messages a second, the bottleneck, and what ties with it but for noise."""
    if not shown:
        return "nothing has been measured that has a time and a size"
    first = shown[0]
    row = first.row
    packed = "" if first.compression == "none" else f" with {first.compression}"
    if first.bottleneck == "line":
        why = f"line is full with {first.size_bytes:,} bytes a message, and the cores could do {first.cpu_per_s:,.0f}"
    else:
        why = f"cores are busy for {first.cpu_ns / 1e3:,.1f} µs a message, and the line could carry {first.line_per_s:,.0f}"
    case = f"{words.case_name(row)}{packed}{_tied(shown, least)}"
    return f"{row.operation}: {words.noisy_part(case, least)}, {first.per_s:,.0f} messages a second; the {why}"
