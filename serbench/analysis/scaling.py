"""How time per record grows with the number of records and the depth of nesting, and how deep each library can go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from html import escape
from math import log10
from typing import Any

from serbench.analysis import display, style
from serbench.analysis.display import Info
from serbench.analysis.growth import DepthLimit, Key, apart, attribute, depth_limits, series
from serbench.analysis.rows import Row
from serbench.analysis.style import Figure, ThemeName

LINES_PX, MAP_PX, LIMIT_LINE_PX, GAP_PX, MAP_GAP_PX = 330, 130, 22, 108, 84
MAPS_A_ROW = 4
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def scaling(rows: Sequence[Row], info: Info, *, records: int, depth: int, theme: ThemeName = "light") -> Figure:
    """Time per record against records (at `depth`) and depth (at `records`), a map of both, and limits of depth.

    `rows` are of one workload and operation at any number of points. Where there are more cases than can be
    told apart, each library's fastest of those measured at most points is shown.
    """
    shown = series(rows, records, depth)
    maps = [members for members in shown.values() if min(_spread(members)) > 1]
    limits = depth_limits(rows) if len({row.depth for row in rows}) > 1 else []
    map_rows = -(-len(maps) // MAPS_A_ROW)
    columns = -(-len(maps) // max(map_rows, 1))  # rows of nearly the same length
    limits_px = len(limits) * LIMIT_LINE_PX + GAP_PX if limits else 0
    maps_px = GAP_PX + map_rows * (MAP_PX + MAP_GAP_PX) - MAP_GAP_PX if maps else 0
    body = LINES_PX + maps_px + limits_px
    foot = [
        "CPU time per record with 95 % intervals over fresh processes; a level line is time in proportion to the data",
        *style.origin_lines(info, None),
    ]
    left_px = max(60, style.CHARACTER_PX * max((len(limit.name) for limit in limits), default=0))
    drawn = style.layout(_finding(shown, records, depth), foot, body, theme, left_px=left_px)
    bottom = 1 - LINES_PX / body
    _add_lines(drawn, shown, (records, depth), "records", (0.0, 0.45), (bottom, 1.0), theme)
    _add_lines(drawn, shown, (records, depth), "depth", (0.55, 1.0), (bottom, 1.0), theme)
    unit, several = _unit(shown), apart(shown)
    if maps:
        heading = f"{unit[1]} per record at each size and depth"
        above = style.panel_title(heading, bottom - (GAP_PX - 34) / body, theme)
        drawn["layout"]["annotations"].insert(-1, above)
    for line in range(map_rows):
        beside = maps[line * columns : (line + 1) * columns]
        named = [(_heading(members[0], several), members) for members in beside]
        high = bottom - (GAP_PX + line * (MAP_PX + MAP_GAP_PX)) / body
        _add_maps(drawn, named, columns, line + 3, (high - MAP_PX / body, high), unit, theme)
    if limits:
        _add_limits(drawn, limits, map_rows + 3, (0.0, len(limits) * LIMIT_LINE_PX / body), theme)
    for place in (name for name in drawn["layout"] if "axis" in name):
        drawn["layout"][place]["automargin"] = False  # with so many axes measuring the labels takes half of the time
    return drawn


def _heading(row: Row, several: Mapping[str, AbstractSet[str]]) -> str:
    """A case in two short lines: four of them stand side by side."""
    return f"<b>{escape(display.library_label(row, several))}</b><br>{escape(display.codec_label(row))}"


def _spread(rows: Iterable[Row]) -> tuple[int, int]:
    members = list(rows)
    return len({row.records for row in members}), len({row.depth for row in members})


def _add_lines(
    drawn: Figure,
    shown: dict[Key, list[Row]],
    chosen: tuple[int, int],
    along: str,
    across: tuple[float, float],
    up: tuple[float, float],
    theme: ThemeName,
) -> None:
    """One panel of lines, through the chosen records and depth."""
    fixed, other = ("depth", chosen[1]) if along == "records" else ("records", chosen[0])
    number = "" if along == "records" else "2"
    unit, unit_name = _unit(shown)
    at = attribute(along)
    here = {key: sorted((r for r in m if getattr(r, fixed) == other), key=at) for key, m in shown.items()}
    several = apart(shown)
    formats = list(dict.fromkeys(key[-2:] for key in shown))
    for key, members in here.items():
        if members:
            name, dash = style.case_label(members[0], several), DASHES[formats.index(key[-2:]) % len(DASHES)]
            drawn["data"].append(_line(name, members, at, unit, number, dash))
    points = [at(row) for m in here.values() for row in m]
    either = [r for m in shown.values() for r in m if r.records == chosen[0] or r.depth == chosen[1]]  # one scale
    values = [end / row.records / unit for row in either for end in (row.time_ns_low, row.time_ns_high) if end]
    place = drawn["layout"]
    where = f"at depth {other:,}" if along == "records" else f"with {other:,} record{'' if other == 1 else 's'}"
    title = {"text": f"{along}, {where}", "standoff": 4}
    place[f"xaxis{number}"] = style.log_axis(theme, points, title=title, domain=list(across), anchor=f"y{number}")
    title = {"text": "" if number else f"{unit_name} per record", "standoff": 4}  # both axes are the same
    place[f"yaxis{number}"] = style.log_axis(theme, values, title=title, domain=list(up), anchor=f"x{number}")
    place[f"xaxis{number}"] |= _every_tick(points)


def _every_tick(values: Iterable[float]) -> dict[str, Any]:
    """What was measured as the ticks of its axis, where that is not too much."""
    ticks = sorted(set(values))
    return {"tickvals": ticks, "ticktext": [style.tick_text(tick) for tick in ticks]} if len(ticks) <= 10 else {}


def _line(
    name: str, members: Sequence[Row], at: Callable[[Row], float], unit: float, number: str, dash: str
) -> dict[str, Any]:
    colour, symbol = style.library_mark(members[0].library)
    times = [(row.time_per_record_ns or 0) / unit for row in members]
    scale = [row.records * unit for row in members]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "legendgroup": name,
        "showlegend": number == "",
        "xaxis": f"x{number}",
        "yaxis": f"y{number}",
        "x": [at(row) for row in members],
        "y": times,
        "error_y": {
            "type": "data",
            "symmetric": False,
            "color": colour,
            "thickness": 1,
            "width": 3,
            "array": [(r.time_ns_high or 0) / s - t for r, s, t in zip(members, scale, times, strict=True)],
            "arrayminus": [t - (r.time_ns_low or 0) / s for r, s, t in zip(members, scale, times, strict=True)],
        },
        "line": {"color": colour, "dash": dash, "width": 1.5},
        "marker": {"color": colour, "symbol": symbol, "size": 7},
        "hovertext": [style.hover(row) for row in members],
        "hoverinfo": "text",
    }


def _add_maps(
    drawn: Figure,
    maps: Sequence[tuple[str, Sequence[Row]]],
    columns: int,
    number: int,
    up: tuple[float, float],
    unit: tuple[float, str],
    theme: ThemeName,
) -> None:
    """Maps side by side, each below its name (markup): records across, depth up, time per record as colour and number.

    They are one trace on one pair of axes with an empty column between two: a browser takes as long for each trace.
    """
    sizes = sorted({row.records for _, members in maps for row in members})
    depths = sorted({row.depth for _, members in maps for row in members})
    colours: list[list[float | None]] = [[] for _ in depths]
    texts: list[list[str]] = [[] for _ in depths]
    abouts: list[list[str]] = [[] for _ in depths]
    for name, members in maps:
        known = {(row.records, row.depth): row.time_per_record_ns for row in members}
        low, span = _log_span([row.time_per_record_ns or 1 for row in members])
        for depth, colour, text, about in zip(depths, colours, texts, abouts, strict=True):
            for size in sizes:
                time = known.get((size, depth))
                colour.append(None if time is None else (log10(time) - low) / span)
                text.append("" if time is None else display.three_digits(time / unit[0]))
                about.append(f"{name}<br>{size:,} records, depth {depth:,}")
            colour.append(None)
            text.append("")
            about.append("")
    width = len(sizes) + 1
    drawn["data"].append(
        {
            "type": "heatmap",
            "xaxis": f"x{number}",
            "yaxis": f"y{number}",
            "showscale": False,
            "z": colours,
            "text": texts,
            "texttemplate": "%{text}",
            "colorscale": "Cividis",
            "reversescale": True,
            "zmin": 0,
            "zmax": 1,
            "customdata": abouts,
            "hoverongaps": False,
            "hovertemplate": f"%{{customdata}}: %{{text}} {unit[1]} per record<extra></extra>",
        }
    )
    place = drawn["layout"]
    place[f"xaxis{number}"] = style.axis(
        theme,
        anchor=f"y{number}",
        range=[-0.5, columns * width - 1.5],
        tickvals=[at * width + i for at in range(len(maps)) for i in range(len(sizes))],
        ticktext=[style.tick_text(size) for size in sizes] * len(maps),
        title={"text": "records", "standoff": 2},
        tickangle=0,
        tickfont={"size": 10},
        showgrid=False,
        minor={},
        showline=False,
    )
    place[f"yaxis{number}"] = style.axis(
        theme,
        domain=list(up),
        anchor=f"x{number}",
        range=[-0.5, len(depths) - 0.5],
        tickvals=list(range(len(depths))),
        ticktext=[f"{depth:,}" for depth in depths],
        title={"text": "depth", "standoff": 2},
        showgrid=False,
        minor={},
        showline=False,
    )
    for at, (name, _) in enumerate(maps):
        heading = style.panel_title("", up[1], theme, x=at * width - 0.5)
        heading |= {"text": name, "xref": f"x{number}", "align": "left", "font": {"size": 11}}
        place["annotations"].insert(-1, heading)


def _unit(shown: Mapping[Key, Sequence[Row]]) -> tuple[float, str]:
    return display.unit_of([row.time_per_record_ns or 0 for members in shown.values() for row in members])


def _log_span(values: Sequence[float]) -> tuple[float, float]:
    """The least value and how far the greatest is from it, in decades; a quarter more at least: less is mostly noise."""
    low = log10(min(values))
    return low, max(log10(max(values)) - low, log10(1.25))


def _add_limits(
    drawn: Figure, limits: Sequence[DepthLimit], number: int, up: tuple[float, float], theme: ThemeName
) -> None:
    """A line for each library: a dot at the deepest level that worked, a cross where it failed."""
    names = [escape(limit.name) for limit in limits]
    values = [value for limit in limits for value in (limit.deepest, limit.failed_at) if value]
    for kind, symbol in (("deepest", "circle"), ("failed_at", "x")):
        found = [limit for limit in limits if getattr(limit, kind)]
        drawn["data"].append(
            {
                "type": "scatter",
                "mode": "markers",
                "xaxis": f"x{number}",
                "yaxis": f"y{number}",
                "showlegend": False,
                "x": [getattr(limit, kind) for limit in found],
                "y": [escape(limit.name) for limit in found],
                "marker": {
                    "size": 9,
                    "symbol": symbol,
                    "color": [style.library_mark(limit.library)[0] for limit in found],
                },
                "hovertext": [
                    f"works at depth {limit.deepest:,}"
                    if kind == "deepest"
                    else escape(f"depth {limit.failed_at:,}: {limit.reason}"[:200])
                    for limit in found
                ],
                "hoverinfo": "text",
            }
        )
    place = drawn["layout"]
    title = {"text": "depth: dots worked, crosses failed", "standoff": 4}
    place[f"xaxis{number}"] = style.log_axis(theme, values, title=title, domain=[0, 1], anchor=f"y{number}")
    place[f"xaxis{number}"] |= _every_tick(values)
    place[f"yaxis{number}"] = style.axis(
        theme,
        type="category",
        domain=list(up),
        anchor=f"x{number}",
        tickmode="array",
        tickvals=names,
        categoryorder="array",
        categoryarray=names[::-1],
    )
    place["annotations"].insert(-1, style.panel_title("How deep each library has gone", up[1], theme))


def _finding(shown: dict[Key, list[Row]], records: int, depth: int) -> str:
    if not shown:
        return "Nothing has been measured"
    growth: list[tuple[float, Row, str, int, int]] = []
    for members in shown.values():
        for along, fixed, other in (("records", "depth", depth), ("depth", "records", records)):
            here = sorted((r for r in members if getattr(r, fixed) == other), key=attribute(along))
            if len(here) > 1 and here[0].time_per_record_ns and here[-1].time_per_record_ns:
                factor = here[-1].time_per_record_ns / here[0].time_per_record_ns
                growth.append((factor, here[0], along, getattr(here[0], along), getattr(here[-1], along)))
    if not growth:
        return "One size and one depth are measured; a second of either shows how time grows"
    factor, row, along, first, last = max(growth, key=lambda found: abs(found[0] - 1))
    return (
        f"{display.case_name(row, apart(shown))} needs {display.factor_text(factor)} the time per record at {last:,} {_along_name(along, last)} "
        f"compared with {first:,}"
    )


def _along_name(along: str, count: int) -> str:
    """What is counted along an axis, in the number that suits the count."""
    return {"records": "record", "depth": "level"}[along] + ("" if count == 1 else "s")
