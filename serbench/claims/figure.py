"""The ledger as a picture: every published ratio beside what was measured of it."""

from __future__ import annotations

from collections.abc import Iterable

from serbench.claims.judging import interval_words, published_words
from serbench.claims.outcome import Judged, Outcome, summary
from serbench.display import style, words
from serbench.display.style import PALETTE, THEMES, Figure, ThemeName
from serbench.results import grouped

ROW_PX = 26
RATIOS = ("time", "wall", "size")


def against_published(outcomes: Iterable[Outcome], *, theme: ThemeName = "light") -> Figure:
    """Each claim's leading ratio: as published (a bar over its range), and with its interval in each set of versions.

    Of a single claim all ratios are drawn. Claims without a published ratio are left out, and the footer names them.
    """
    known = list(outcomes)
    drawn_ones = [outcome for outcome in known if outcome.figures and is_ratio(outcome.figures[0])]
    left_out = [outcome.id for outcome in known if outcome not in drawn_ones]
    lines = _ratios(known[0]) if len(known) == 1 else [_leading(outcome) for outcome in drawn_ones]
    foot = [
        "A dot is the measured ratio with its 95 % interval, a bar what was published",
        *([f"Without a ratio to draw: {', '.join(left_out)}"] if left_out and len(known) > 1 else []),
        *sorted({f"{outcome.date[:10]}, {words.machine_line(outcome.machine)}" for outcome in known}),
    ]
    names = [name for name, _ in lines]
    drawn = style.layout(summary(known), foot, ROW_PX * max(len(lines), 1) + 30, theme, labels=names)
    layout = drawn["layout"]
    layout["yaxis"] = style.axis(
        theme,
        tickvals=list(range(len(lines))),
        ticktext=[style.markup(name) for name in names],
        minor={},
        range=[len(lines) - 0.4, -0.6],
    )
    dots = [
        (row, figure) for row, (_, figures) in enumerate(lines) for figure in figures if figure.measured is not None
    ]
    ends = [end for _, one in dots for end in (one.published_low, one.published_high, one.low, one.high) if end]
    layout["xaxis"] = style.log_axis(theme, ends, title="ratio")
    layout["legend"] = {}
    drawn["data"].append(_published([figures[0] for _, figures in lines], theme))
    for number, name in enumerate(dict.fromkeys(figure.versions for _, figure in dots)):
        drawn["data"].append(_measured(name, number, [one for one in dots if one[1].versions == name], names))
    return drawn


def _leading(outcome: Outcome) -> tuple[str, list[Judged]]:
    """A claim's line: its leading ratio in each set of versions, and how many of its figures hold."""
    holds = sum(figure.verdict == "holds" for figure in outcome.figures)
    told = f"{holds} of {len(outcome.figures)} hold" if outcome.verdict == "mixed" else outcome.verdict
    return f"{outcome.id}  {told}", list(outcome.leading().values())


def _ratios(outcome: Outcome) -> list[tuple[str, list[Judged]]]:
    """A line for each ratio of a claim."""
    ratios = [figure for figure in outcome.figures if is_ratio(figure)]
    return list(grouped(ratios, lambda figure: f"{figure.of} / {figure.to}").items())


def is_ratio(figure: Judged) -> bool:
    """Return whether a figure can stand on an axis of ratios."""
    return bool(figure.to) and figure.quantity in RATIOS and figure.sense != "more"


def _published(figures: list[Judged], theme: ThemeName) -> Figure:
    """One trace: for each row an upright bar, and a line to the other end if a range was published."""
    reach = [figure.published_high - figure.published_low for figure in figures]
    return {
        **_trace(
            "published", [figure.published_low for figure in figures], reach, [0.0] * len(reach), thickness=3, width=7
        ),
        "y": list(range(len(figures))),
        "marker": {"color": THEMES[theme].text, "symbol": "line-ns-open", "size": 12, "line": {"width": 3}},
        "hoverinfo": "skip",
    }


def _measured(name: str, number: int, figures: list[tuple[int, Judged]], names: list[str]) -> Figure:
    """One trace: the dots and intervals of a set of versions, a little below those of the set before."""
    ratios = [figure.measured or 0 for _, figure in figures]
    above = [(figure.high or 0) - ratio for ratio, (_, figure) in zip(ratios, figures, strict=True)]
    below = [ratio - (figure.low or 0) for ratio, (_, figure) in zip(ratios, figures, strict=True)]
    return {
        **_trace(f"measured, {name}", ratios, above, below),
        "y": [row - 0.12 + 0.24 * number for row, _ in figures],
        "marker": {
            "color": PALETTE[number % len(PALETTE)],
            "symbol": style.SYMBOLS[number % len(style.SYMBOLS)],
            "size": 8,
        },
        "hovertext": [
            f"<b>{style.markup(names[row])}</b><br>{style.markup(figure.of)} over {style.markup(figure.to)}<br>"
            f"published {published_words(figure)}, {style.markup(name)} {interval_words(figure)}<br>{figure.verdict}"
            for row, figure in figures
        ],
        "hoverinfo": "text",
    }


def _trace(name: str, ratios: list[float], above: list[float], below: list[float], **look: float) -> Figure:
    """Marks at ratios, each with its interval."""
    interval = {"type": "data", "symmetric": False, "array": above, "arrayminus": below, "width": 3, **look}
    return {"type": "scatter", "mode": "markers", "name": style.markup(name), "x": ratios, "error_x": interval}
