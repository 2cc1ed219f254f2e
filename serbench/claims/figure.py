"""The ledger as a picture: every published ratio beside what was measured of it."""

from __future__ import annotations

from collections.abc import Iterable

from serbench.claims.judging import interval_words, published_words
from serbench.claims.outcome import Judged, Outcome
from serbench.claims.scoreboard import summary
from serbench.display import style, words
from serbench.display.style import PALETTE, THEMES, Figure, ThemeName

ROW_PX = 26
RATIOS = ("time", "wall", "size")


def against_published(outcomes: Iterable[Outcome], *, theme: ThemeName = "light") -> Figure:
    """Each claim's leading ratio: as published (a bar over its range), and with its interval in each set of versions.

    Claims without a published ratio are left out, and the footer names them.
    """
    known = list(outcomes)
    shown = [outcome for outcome in known if outcome.figures and is_ratio(outcome.figures[0])]
    left_out = [outcome.id for outcome in known if outcome not in shown]
    foot = [
        "A dot is the measured ratio with its 95 % interval, a bar what was published",
        *([f"Without a ratio to draw: {', '.join(left_out)}"] if left_out else []),
        *sorted({f"{outcome.date[:10]}, {words.machine_line(outcome.machine)}" for outcome in shown}),
    ]
    names = [f"{outcome.id}  {outcome.verdict}" for outcome in shown]
    drawn = style.layout(summary(known), foot, ROW_PX * max(len(shown), 1) + 30, theme, labels=names)
    layout = drawn["layout"]
    layout["yaxis"] = style.axis(
        theme,
        tickvals=list(range(len(shown))),
        ticktext=[style.markup(name) for name in names],
        minor={},
        range=[len(shown) - 0.4, -0.6],
    )
    leading = [
        (number, figure)
        for number, outcome in enumerate(shown)
        for figure in outcome.leading().values()
        if figure.measured is not None
    ]
    ends = [end for _, one in leading for end in (one.published_low, one.published_high, one.low, one.high) if end]
    layout["xaxis"] = style.log_axis(theme, ends, title="ratio")
    layout["legend"] = {}
    drawn["data"].append(_published([(number, shown[number].figures[0]) for number in range(len(shown))], theme))
    sets = list(dict.fromkeys(figure.versions for _, figure in leading))
    for number, name in enumerate(sets):
        drawn["data"].append(_measured(name, number, [one for one in leading if one[1].versions == name], shown))
    return drawn


def is_ratio(figure: Judged) -> bool:
    """Return whether a figure can stand on an axis of ratios."""
    return bool(figure.to) and figure.quantity in RATIOS and figure.sense != "more"


def _published(figures: list[tuple[int, Judged]], theme: ThemeName) -> Figure:
    """One trace: for each row a bar, a short upright one if a single figure was published."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for row, figure in figures:
        xs += [figure.published_low, figure.published_low]
        ys += [row - 0.32, row + 0.32]
        if figure.published_high != figure.published_low:
            xs += [figure.published_low, figure.published_high, figure.published_high, figure.published_high]
            ys += [float(row), float(row), row - 0.32, row + 0.32]
        xs.append(None)
        ys.append(None)
    line = {"color": THEMES[theme].text, "width": 3}
    about = {"type": "scatter", "mode": "lines", "name": "published", "hoverinfo": "skip"}
    return {**about, "x": xs, "y": ys, "line": line}


def _measured(name: str, number: int, figures: list[tuple[int, Judged]], shown: list[Outcome]) -> Figure:
    """One trace: the dots and intervals of a set of versions, a little below those of the set before."""
    ratios = [figure.measured or 0 for _, figure in figures]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": style.markup(f"measured, {name}"),
        "x": ratios,
        "y": [row - 0.12 + 0.24 * number for row, _ in figures],
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [(figure.high or 0) - ratio for ratio, (_, figure) in zip(ratios, figures, strict=True)],
            "arrayminus": [ratio - (figure.low or 0) for ratio, (_, figure) in zip(ratios, figures, strict=True)],
            "width": 3,
        },
        "marker": {
            "color": PALETTE[number % len(PALETTE)],
            "symbol": style.SYMBOLS[number % len(style.SYMBOLS)],
            "size": 8,
        },
        "hovertext": [
            f"<b>{style.markup(shown[row].id)}</b><br>{style.markup(figure.of)} over {style.markup(figure.to)}<br>"
            f"published {published_words(figure)}, {style.markup(name)} {interval_words(figure)}<br>{figure.verdict}"
            for row, figure in figures
        ],
        "hoverinfo": "text",
    }
