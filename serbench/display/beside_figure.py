"""One's own run beside the published one of the same cases and data, as a figure and in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from serbench.display import style, words
from serbench.display.figures import LINE_PX, PANEL_PX
from serbench.display.style import THEMES, Figure, ThemeName
from serbench.judge.beside import Beside, beside
from serbench.judge.rows import Row
from serbench.results import Origin, grouped

COMPARED = 0.3  # the part of the axis that the longest text beside the dots takes


def beside_figure(
    mine: Sequence[Row], info: Origin, published: Sequence[Row], theirs: Origin, *, theme: ThemeName = "light"
) -> Figure:
    """Time per operation of every case that both runs have: circles are `mine`, squares `published`.

    The rows are of one point and operation each. Beside the dots stand one's own time, and how many times that is of
    the published one.
    """
    compared = beside(mine, published)
    pairs = compared.pairs if compared else []
    sections = grouped(pairs, lambda pair: words.class_words(pair[0].work_class))
    unit, unit_name = words.unit_of([row.time_ns or 0 for pair in pairs for row in pair])
    body = max(len(pairs) * LINE_PX + (len(sections) - 1) * PANEL_PX, LINE_PX)
    foot = [
        "Circles are this machine, squares the published one; lines are 95 % intervals; further left is faster",
        *(
            f"{whose}: {line}"
            for whose, one in (("circles", info), ("squares", theirs))
            for line in words.about_lines(one, None)
        ),
    ]
    board = words.board_title(mine[0]) if mine else ""
    labels = {id(pair[0]): style.case_label(pair[0]) for pair in pairs}
    drawn = style.layout(beside_finding(compared), foot, body, theme, labels=labels.values(), below=board)
    drawn["layout"]["showlegend"] = False
    times = [v / unit for pair in pairs for row in pair for v in (row.time_ns_low, row.time_ns_high) if v]
    top = 1.0
    for panel, (name, members) in enumerate(sections.items(), start=1):
        names = [labels[id(one)] for one, _ in members]
        low = max(top - len(members) * LINE_PX / body, 0.0)
        x = style.log_axis(theme, times, title=f"{unit_name} per operation")
        x["range"][1] += (x["range"][1] - x["range"][0]) * COMPARED
        y = style.category_axis(
            theme, names, range=[-0.7, len(names) - 0.3], domain=[low, top], tickfont={"size": 11.5}
        )
        number = style.put_axes(drawn, panel, x, y)
        for one, other in members:
            drawn["data"] += [
                _dot(other, labels[id(one)], unit, panel, "square"),
                _dot(one, labels[id(one)], unit, panel, "circle"),
            ]
            end = max(row.time_ns_high or row.time_ns or 0 for row in (one, other)) / unit
            factor = (one.time_ns or 1.0) / (other.time_ns or 1.0)
            text = f"{words.three_digits((one.time_ns or 0) / unit)} · {words.factor_text(factor)} published"
            value = style.note(style.markup(text), log10(end), 0, 11, THEMES[theme].faint)
            value |= {"xref": f"x{number}", "yref": f"y{number}", "y": labels[id(one)], "xshift": 8}
            drawn["layout"]["annotations"].insert(-1, value)
        drawn["layout"]["annotations"].insert(-1, style.panel_title(name, top, theme))
        top = low - PANEL_PX / body
    return drawn


def beside_finding(compared: Beside | None) -> str:
    """Whether one's own machine says the same as the published one, in a sentence."""
    if compared is None:
        return "The two runs have no case in common"
    span = " to ".join(dict.fromkeys(map(words.factor_text, (compared.least, compared.most))))
    text = f"This machine takes {words.factor_text(compared.factor)} the published time ({span})"
    if not compared.ordered:
        return f"{text}; no difference is proven on both machines"
    return f"{text}; {compared.agreed} of {compared.ordered} differences that both have proven have the same order"


def _dot(row: Row, label: str, unit: float, panel: int, form: str) -> Figure:
    colour, _ = style.library_mark(row.library)
    times = [(row.time_ns or 0) / unit]
    symbol = form + ("-open" if row.status == "unresolved" else "")
    bars = style.error_bars([row], times, [unit], color=colour, thickness=1.5, width=4)
    marker = {"color": colour, "size": 9, "symbol": symbol}
    return style.scatter(times, [label], [style.hover(row)], panel=panel, error_x=bars, marker=marker)
