"""Each case under two conditions: its time with one document repeated, and with the documents of a service."""

from __future__ import annotations

import math
from collections.abc import Sequence

from serbench.display import style, words
from serbench.display.style import THEMES, Figure, ThemeName
from serbench.display.table import Side, Table
from serbench.judge.rows import Row, case_of, differing_facts
from serbench.results import Origin

LINE_PX = 24
BEFORE, AFTER = "hot", "varied"
FOOT = (
    "Small dots: one document again and again. Large dots: other documents, new objects, the last results in use. "
    "The two were measured one after the other, so a factor also has what the machine did meanwhile, which is the same for all cases"
)


def under_both(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """The measured rows of each case under `hot` and under `varied`, with the same data and operation, fastest first."""
    able = [row for row in rows if row.time_ns is not None]
    known = {_key(row): row for row in able if row.conditions == BEFORE}
    pairs = [(known[_key(row)], row) for row in able if row.conditions == AFTER and _key(row) in known]
    return sorted(pairs, key=lambda pair: pair[1].time_ns or 0.0)


def conditions_table(rows: Sequence[Row]) -> Table:
    """Time and rank of each case under both conditions, and how many times as long it takes under `varied`."""
    pairs = under_both(rows)
    several = differing_facts(row for _, row in pairs)
    unit, name = words.unit_of([row.time_ns or 0.0 for row, _ in pairs])
    headings: dict[str, Side] = {
        "case": "left",
        f"{BEFORE}, {name}": "right",
        f"{AFTER}, {name}": "right",
        "factor": "right",
        "rank in its work class": "left",
    }
    lines = [
        (
            style.case_label(after, several),
            words.time_label(before, unit),
            words.time_label(after, unit),
            f"{_factor(before, after):.2f}",
            _ranks(before, after),
        )
        for before, after in pairs
    ]
    return Table.of_lines(headings, lines)


def conditions_figure(rows: Sequence[Row], info: Origin, *, theme: ThemeName = "light") -> Figure:
    """Time under both conditions, a line for each case, with the factor and the ranks beside it."""
    pairs = under_both(rows)
    several = differing_facts(row for _, row in pairs)
    labels = [style.case_label(row, several) for _, row in pairs]
    unit, unit_name = words.unit_of([row.time_ns or 0 for row, _ in pairs])
    drawn = style.layout(
        conditions_finding(rows),
        [FOOT, *words.about_lines(info, None)],
        max(len(pairs), 2) * LINE_PX,
        theme,
        labels=labels,
    )
    layout = drawn["layout"]
    times = [[(row.time_ns or 0) / unit for row in both] for both in pairs]
    shown = [time for both in times for time in both]
    shown.append(2 * max(shown, default=1))  # there is room for the text
    layout["xaxis"] = style.log_axis(theme, shown, title=f"{unit_name} per operation")
    layout["yaxis"] = style.category_axis(theme, labels)
    line = {"color": THEMES[theme].faint, "width": 2}
    for label, ends, (_, row) in zip(labels, times, pairs, strict=True):
        colour, symbol = style.library_mark(row.library)
        marker = {"size": [6, 11], "color": colour, "symbol": symbol, "opacity": 1}
        text = f"{ends[1] / ends[0]:.2f}×, rank {_ranks(*next(p for p in pairs if p[1] is row))}"
        hover = [
            f"<b>{label}</b><br>{name}: {words.three_digits(end)} {unit_name}<br>{text}"
            for name, end in zip((BEFORE, AFTER), ends, strict=True)
        ]
        drawn["data"].append(
            style.scatter(ends, [label, label], hover, mode="lines+markers", line=line, marker=marker, showlegend=False)
        )
        layout["annotations"].append(
            {
                "x": math.log10(max(ends)),
                "y": label,
                "text": text,
                "showarrow": False,
                "xanchor": "left",
                "xshift": 12,
                "font": {"size": 11},
            }
        )
    return drawn


def conditions_finding(rows: Sequence[Row]) -> str:
    """The least and the greatest factor, and how many cases change their rank."""
    pairs = under_both(rows)
    if not pairs:
        return "No case was measured under both conditions"
    several = differing_facts(row for _, row in pairs)
    least, most = (pick(pairs, key=lambda pair: _factor(*pair)) for pick in (min, max))
    moved = sum(before.rank != after.rank for before, after in pairs)
    told = [f"{words.case_name(pair[1], several)} {_factor(*pair):.2f} times" for pair in (least, most)]
    return (
        f"{pairs[0][1].operation}: with the documents of a service, {told[0]} and {told[1]} the time of one repeated document; "
        f"{moved} of {words.counted(len(pairs), 'case')} change their rank in their work class"
    )


def _key(row: Row) -> tuple[object, ...]:
    point = row.point
    return (case_of(row), row.operation, point.workload, point.records, point.depth, point.seed)


def _factor(before: Row, after: Row) -> float:
    return (after.time_ns or math.nan) / (before.time_ns or math.nan)


def _ranks(before: Row, after: Row) -> str:
    ranks = [str(row.rank or "–") for row in (before, after)]
    return ranks[0] if ranks[0] == ranks[1] else " → ".join(ranks)
