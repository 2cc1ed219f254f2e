"""Time per record against the number of records and the depth of nesting, and the depth that each library reaches: a figure, and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import cycle
from math import log10
from typing import Any

from serbench.display import style, views, words
from serbench.display.style import Figure, ThemeName
from serbench.judge.growth import DepthLimit, along, depth_limits, series
from serbench.judge.rows import CaseFields, Row, differing_facts
from serbench.results import Origin, grouped

LINES_PX, MAP_PX, LIMIT_LINE_PX, GAP_PX, MAP_GAP_PX = 330, 130, 22, 108, 84
MAPS_A_ROW = 4
PROPORTION = 1.05
"""Time that is proven to grow by 5 % more than the data grows faster than in proportion."""
PER = {"records": "record", "depth": "byte"}
DATA = {"records": "records", "depth": "bytes"}
READING = (
    "CPU time per record with 95 % intervals over fresh processes; a level line is time in proportion to the data; "
    "colours and marks are those of the libraries"
)
DASHES = {"solid": "solid", "dash": "dashed", "dot": "dotted", "dashdot": "dash-dotted", "longdash": "long dashes"}


def scaling(
    rows: Sequence[Row],
    info: Origin,
    *,
    records: int,
    depth: int,
    least: float = 0.0,
    theme: ThemeName = "light",
) -> Figure:
    """Time per record against records (at `depth`) and depth (at `records`), a map of both, and limits of depth.

    `rows` are of one workload and operation at any number of points. Of more cases than can be distinguished, each
    library's fastest of those measured at most points is shown.
    Differences below `least` are noise.
    """
    shown = series(rows, records, depth)
    maps = [m for m in shown.values() if min(len({row.records for row in m}), len({row.depth for row in m})) > 1]
    deepest, every = depth_limits(rows) if len({row.depth for row in rows}) > 1 else [], differing_facts(rows)
    limits = {words.library_name(limit.row, every): limit for limit in deepest}
    map_rows = -(-len(maps) // MAPS_A_ROW)
    columns = -(-len(maps) // max(map_rows, 1))  # rows of nearly the same length
    limits_px = len(limits) * LIMIT_LINE_PX + GAP_PX if limits else 0
    maps_px = GAP_PX + map_rows * (MAP_PX + MAP_GAP_PX) - MAP_GAP_PX if maps else 0
    body = LINES_PX + maps_px + limits_px
    foot = [f"{READING}{_legend(shown)}", *words.about_lines(info, None)]
    drawn = style.layout(views.scaling(rows, records, depth, least).title, foot, body, theme, labels=limits, left_px=60)
    bottom, across = 1 - LINES_PX / body, [(0.0, 0.45), (0.55, 1.0)]
    for number, axis in enumerate(("records", "depth")):
        _add_lines(drawn, shown, (records, depth), axis, across[number], (bottom, 1.0), theme)
    unit, several = _unit(shown), _several(shown)
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
    for name in (name for name in drawn["layout"] if "axis" in name):
        drawn["layout"][name]["automargin"] = False  # with so many axes measuring the labels takes half of the time
    return drawn


def _heading(row: Row, several: Mapping[str, AbstractSet[str]]) -> str:
    """A case in two short lines: four of them stand side by side."""
    return f"<b>{style.markup(words.library_label(row, several))}</b><br>{style.markup(words.codec_label(row))}"


def _add_lines(
    drawn: Figure,
    shown: dict[CaseFields, list[Row]],
    chosen: tuple[int, int],
    axis: str,
    across: tuple[float, float],
    up: tuple[float, float],
    theme: ThemeName,
) -> None:
    """One panel of lines, through the chosen records and depth."""
    panel, other = (1, chosen[1]) if axis == "records" else (2, chosen[0])
    unit, unit_name = _unit(shown)
    here = {key: along(members, axis, other) for key, members in shown.items()}
    several = _several(shown)
    dashes = _dashes(shown)
    for members in here.values():
        if members:
            name = style.case_label(members[0], several)
            drawn["data"].append(_line(name, members, axis, unit, panel, dashes[words.codec_label(members[0])]))
    points = [float(getattr(row, axis)) for m in here.values() for row in m]
    either = [r for m in shown.values() for r in m if r.records == chosen[0] or r.depth == chosen[1]]  # one scale
    values = [end / row.records / unit for row in either for end in (row.time_ns_low, row.time_ns_high) if end]
    title = f"{axis}, {words.held_text(axis, other)}"
    x = style.log_axis(theme, points, title=title, domain=list(across)) | _every_tick(points)
    title = f"{unit_name} per record" if panel == 1 else ""  # both axes are the same
    style.put_axes(drawn, panel, x, style.log_axis(theme, values, title=title, domain=list(up)))


def _dashes(shown: Mapping[CaseFields, Sequence[Row]]) -> dict[str, str]:
    """Codec → the dash of its lines."""
    codecs = dict.fromkeys(words.codec_label(members[0]) for members in shown.values())
    return dict(zip(codecs, cycle(DASHES), strict=False))


def _legend(shown: Mapping[CaseFields, Sequence[Row]]) -> str:
    """What dashes and hollow marks mean, if there are any."""
    dashes = _dashes(shown)
    named = grouped(dashes, lambda codec: DASHES[dashes[codec]])
    lines = ", ".join(f"{look} {' and '.join(codecs)}" for look, codecs in named.items())
    is_open = any(row.status == "unresolved" for members in shown.values() for row in members)
    return (f", lines by codec: {lines}" if len(dashes) > 1 else "") + (f"; {style.OPEN}" if is_open else "")


def _every_tick(values: Iterable[float]) -> dict[str, Any]:
    """Ticks at every measured value, if there are at most 10."""
    ticks = sorted(set(values))
    return {"tickvals": ticks, "ticktext": [style.tick_text(tick) for tick in ticks]} if len(ticks) <= 10 else {}


def _line(name: str, members: Sequence[Row], axis: str, unit: float, panel: int, dash: str) -> dict[str, Any]:
    colour, symbol = style.library_mark(members[0].library)
    times = [(row.time_per_record_ns or 0) / unit for row in members]
    units = [row.records * unit for row in members]
    return style.scatter(
        [float(getattr(row, axis)) for row in members],
        times,
        list(map(style.hover, members)),
        mode="lines+markers",
        panel=panel,
        name=name,
        legendgroup=name,
        showlegend=panel == 1,
        error_y=style.error_bars(members, times, units, color=colour, thickness=1, width=3),
        line={"color": colour, "dash": dash, "width": 1.5},
        marker={"color": colour, "symbol": style.symbols(members, symbol), "size": 7},
    )


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
    lines: list[list[tuple[float | None, str, str]]] = [[] for _ in depths]  # colour, text and hover of each cell
    for name, members in maps:
        known = {(row.records, row.depth): row.time_per_record_ns for row in members}
        logs = [log10(row.time_per_record_ns or 1) for row in members]
        low, span = min(logs), max(max(logs) - min(logs), log10(1.25))  # less is mostly noise
        for depth, line in zip(depths, lines, strict=True):
            for size in sizes:
                time, about = known.get((size, depth)), f"{name}<br>{size:,} records, depth {depth:,}"
                colour = None if time is None else (log10(time) - low) / span
                line.append((colour, words.number(time, unit[0]), about))
            line.append((None, "", ""))
    width = len(sizes) + 1
    colours, texts, abouts = ([[cell[part] for cell in line] for line in lines] for part in range(3))
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
    bare: dict[str, Any] = {"showgrid": False, "minor": {}, "showline": False}
    x = style.axis(
        theme,
        range=[-0.5, columns * width - 1.5],
        tickvals=[at * width + i for at in range(len(maps)) for i in range(len(sizes))],
        ticktext=[style.tick_text(size) for size in sizes] * len(maps),
        title="records",
        tickangle=0,
        tickfont={"size": 10},
        **bare,
    )
    y = style.axis(
        theme,
        domain=list(up),
        range=[-0.5, len(depths) - 0.5],
        tickvals=list(range(len(depths))),
        ticktext=[f"{depth:,}" for depth in depths],
        title="depth",
        **bare,
    )
    x["title"]["standoff"] = y["title"]["standoff"] = 2
    style.put_axes(drawn, number, x, y)
    for at, (name, _) in enumerate(maps):
        heading = style.panel_title("", up[1], theme, x=at * width - 0.5)
        heading |= {"text": name, "xref": f"x{number}", "align": "left", "font": {"size": 11}}
        drawn["layout"]["annotations"].insert(-1, heading)


def _several(shown: Mapping[CaseFields, Sequence[Row]]) -> dict[str, AbstractSet[str]]:
    return differing_facts(row for members in shown.values() for row in members)


def _unit(shown: Mapping[CaseFields, Sequence[Row]]) -> tuple[float, str]:
    return words.unit_of([row.time_per_record_ns or 0 for members in shown.values() for row in members])


def _add_limits(
    drawn: Figure, limits: Mapping[str, DepthLimit], number: int, up: tuple[float, float], theme: ThemeName
) -> None:
    """A line for each library: a dot at the deepest level that worked, a cross at the first that failed."""
    names = list(map(style.markup, limits))
    values = [value for limit in limits.values() for value in (limit.deepest, limit.failed_at) if value]
    for kind, symbol in (("deepest", "circle"), ("failed_at", "x")):
        known = {name: limit for name, limit in limits.items() if getattr(limit, kind)}
        colours = [style.library_mark(limit.row.library)[0] for limit in known.values()]
        depths, marker = [getattr(one, kind) for one in known.values()], {"size": 9, "symbol": symbol, "color": colours}
        hover = [f"works at depth {depth:,}" for depth in depths]
        if kind == "failed_at":
            hover = [style.markup(f"depth {one.failed_at:,}: {one.reason}"[:200]) for one in known.values()]
        labels = list(map(style.markup, known))
        drawn["data"].append(style.scatter(depths, labels, hover, panel=number, showlegend=False, marker=marker))
    x = style.log_axis(theme, values, title="depth: dots worked, crosses failed", domain=[0, 1]) | _every_tick(values)
    style.put_axes(drawn, number, x, style.category_axis(theme, names, domain=list(up)))
    drawn["layout"]["annotations"].insert(-1, style.panel_title("How deep each library has gone", up[1], theme))


def growth(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Sentences on the growth of each library's fastest case along both axes, and on the depth that it has reached."""
    if not any(row.measured for row in rows):
        return {"growth": ["nothing could be measured"]}
    shown = series(rows, max(row.records for row in rows), min(row.depth for row in rows))
    several = differing_facts(row for members in shown.values() for row in members)
    of_all = differing_facts(rows)
    fastest: dict[CaseFields, list[Row]] = {}
    for key, members in shown.items():
        fastest.setdefault(key[:1] + key[2:4], members)
    answers: dict[str, list[str]] = {}
    sentences: dict[str, list[str]] = {}
    for axis in ("records", "depth"):
        verdicts: dict[str, list[str]] = {"faster": [], "in proportion, as far as is proven": [], "slower": []}
        for members in fastest.values():
            other = min(row.depth for row in members) if axis == "records" else max(row.records for row in members)
            here = along(members, axis, other)
            first, last = (getattr(row, axis) for row in (here[0], here[-1]))
            if first < last:
                name = words.case_name(here[0], several)
                middle, low, high = views.growth_of(here[0], here[-1], by_size=axis == "depth")
                verdict = 0 if low > PROPORTION else 2 if high < 1 / PROPORTION else 1
                verdicts[list(verdicts)[verdict]].append(name)
                heading = f"time per {PER[axis]} from {axis} {first:,} to {last:,}, {words.held_text(axis, other)}"
                sentences.setdefault(heading, []).append(f"{name}: {words.with_half_width(middle, low, high)}")
        if any(verdicts.values()):
            answers[f"growth of time with {axis}, compared with that of the {DATA[axis]}"] = [
                f"{how}: {', '.join(names) or 'none'}" for how, names in verdicts.items()
            ]
    sentences["deepest level reached"] = [
        f"{words.library_name(limit.row, of_all)}: {limit.deepest or 'none'}"
        + (f"; depth {limit.failed_at:,} {limit.reason}" if limit.failed_at else "")
        for limit in depth_limits(rows)
    ]
    return answers | sentences
