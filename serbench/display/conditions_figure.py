"""Each case under two conditions: its time with one document repeated, and with the documents of a service."""

from __future__ import annotations

import math
from collections.abc import Sequence

from serbench.display import style, words
from serbench.display.style import THEMES, Figure, ThemeName
from serbench.display.table import Side, Table
from serbench.judge.relation import is_proven, is_slower, quotient
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
            words.with_half_width(*_factor(before, after)),
            _ranks(before, after),
        )
        for before, after in pairs
    ]
    return Table.of_lines(headings, lines)


def conditions_figure(rows: Sequence[Row], info: Origin, *, least: float = 0.0, theme: ThemeName = "light") -> Figure:
    """Time under both conditions, a line for each case, with the factor and the ranks beside it.

    Differences below `least` are noise.
    """
    pairs = under_both(rows)
    several = differing_facts(row for _, row in pairs)
    labels = [style.case_label(row, several) for _, row in pairs]
    unit, unit_name = words.unit_of([row.time_ns or 0 for row, _ in pairs])
    drawn = style.layout(
        conditions_finding(rows, least),
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
    for label, ends, (before, row) in zip(labels, times, pairs, strict=True):
        colour, symbol = style.library_mark(row.library)
        marker = {"size": [6, 11], "color": colour, "symbol": symbol, "opacity": 1}
        text = f"{words.with_half_width(*_factor(before, row))}, rank {_ranks(before, row)}"
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


def conditions_finding(rows: Sequence[Row], least: float = 0.0) -> str:
    """The least and the greatest factor, and how many cases are proven to change their order with another.

    Differences below `least` are noise.
    """
    pairs = under_both(rows)
    if not pairs:
        return "No case was measured under both conditions"
    several = differing_facts(row for _, row in pairs)
    ranked = sorted(pairs, key=lambda pair: _factor(*pair)[0])
    low, high = ranked[0], ranked[-1]
    told = [f"{words.case_name(row, several)} {_needs(before, row, least)}" for before, row in (high, low)]
    if (
        _differs(*high, least)
        and _differs(*low, least)
        and not is_proven(*quotient(_factor(*high), _factor(*low)), least)
    ):
        told.append(f"with {words.NO_DIFFERENCE} between the two")
    moved = sum(any(_changes(pair, other, least) for other in pairs) for pair in pairs)
    return words.noisy(
        f"{pairs[0][1].operation}: with the documents of a service instead of one repeated, {', '.join(told)}; {moved} of "
        f"{words.counted(len(pairs), 'case')} {'is' if moved == 1 else 'are'} proven to change order with another of the same work class",
        least,
    )


def _differs(before: Row, after: Row, least: float) -> bool:
    return is_proven(*_factor(before, after), least)


def _needs(before: Row, after: Row, least: float) -> str:
    factor = words.factor_text(_factor(before, after)[0])
    return f"needs {factor} the time" if _differs(before, after, least) else f"shows {words.NO_DIFFERENCE}"


def _changes(pair: tuple[Row, Row], other: tuple[Row, Row], least: float) -> bool:
    """Whether one of two cases of a work class is proven slower under one of the conditions, and the other under the other."""
    (before, after), (others, afterwards) = pair, other
    if (before.work_class, after.work_class) != (others.work_class, afterwards.work_class):
        return False
    falls = is_slower(others, before, least) and is_slower(after, afterwards, least)
    return falls or (is_slower(before, others, least) and is_slower(afterwards, after, least))


def _key(row: Row) -> tuple[object, ...]:
    point = row.point
    return (case_of(row), row.operation, point.workload, point.records, point.depth, point.seed)


def _factor(before: Row, after: Row) -> tuple[float, float, float]:
    """How many times as long the second takes, with its 95 % interval."""
    ends = [(row.time_ns, row.time_ns_low, row.time_ns_high) for row in (after, before)]
    return quotient(*([value or middle or math.nan for value in (middle, low, high)] for middle, low, high in ends))


def _ranks(before: Row, after: Row) -> str:
    ranks = [str(row.rank or "–") for row in (before, after)]
    return ranks[0] if ranks[0] == ranks[1] else " → ".join(ranks)
