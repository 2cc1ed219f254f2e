"""What the times mean for a service: messages per second over a given line with given cores, and what limits them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from serbench.analysis import display, style
from serbench.analysis.display import Info
from serbench.analysis.rows import Row
from serbench.analysis.style import Figure, ThemeName

Bottleneck = Literal["processor", "network"]
LINE_PX = 22


@dataclass(frozen=True)
class Throughput:
    """How many messages a second get through, and what there is too little of."""

    per_second: float
    bottleneck: Bottleneck


def messages_per_second(*, bandwidth_bits_per_s: float, cores: int, cpu_ns: float, size_bytes: float) -> Throughput:
    """The lesser of what the cores can do and what the line can carry.

    `cpu_ns` is one core's work on one message, `size_bytes` the message on the line. Headers, protocol and the
    rest of the service's work are not counted: it is an upper limit.

    Raises:
        ValueError: a number that is not positive.
    """
    for name, value in (("bandwidth", bandwidth_bits_per_s), ("cores", cores), ("time", cpu_ns), ("size", size_bytes)):
        if not value > 0:
            raise ValueError(f"{name} must be more than 0, not {value:g}")
    by_processor, by_network = cores * 1e9 / cpu_ns, bandwidth_bits_per_s / 8 / size_bytes
    return Throughput(min(by_processor, by_network), "processor" if by_processor <= by_network else "network")


def budget(
    rows: Sequence[Row], info: Info, *, bandwidth_bits_per_s: float = 1e9, cores: int = 4, theme: ThemeName = "light"
) -> Figure:
    """Messages per second of each measured case at a bandwidth and a number of cores, the most first.

    Filled dots are limited by the processor, open ones by the network.
    """
    sized = [row for row in rows if row.time_ns and row.size_bytes]
    pairs = [(row, _throughput(row, bandwidth_bits_per_s, cores)) for row in sized]
    pairs.sort(key=lambda pair: -pair[1].per_second)
    several = display.in_several_environments(sized)
    labels = [style.case_label(row, several) for row, _ in pairs]
    line = f"{_bits(bandwidth_bits_per_s)} and {cores} core{'' if cores == 1 else 's'}"
    foot = [
        (
            "Upper limits: the lesser of the cores' and the line's messages a second, without headers or any other work; "
            "filled dots are limited by the processor, open ones by the network"
        ),
        *style.origin_lines(info, None),
    ]
    longest = max(map(len, labels), default=0)
    drawn = style.layout(
        _finding(pairs, line), foot, max(len(pairs), 2) * LINE_PX, theme, left_px=style.CHARACTER_PX * longest
    )
    drawn["layout"]["showlegend"] = False
    title = {"text": "messages per second", "standoff": 4}
    drawn["layout"]["xaxis"] = style.log_axis(theme, [t.per_second for _, t in pairs], title=title)
    drawn["layout"]["yaxis"] = style.axis(
        theme,
        type="category",
        categoryorder="array",
        categoryarray=labels[::-1],
        tickfont={"size": 11.5},
        range=[-0.7, len(labels) - 0.3],
        tickmode="array",
        tickvals=labels,
    )
    marks = [style.library_mark(row.library) for row, _ in pairs]
    open_ = ["" if found.bottleneck == "processor" else "-open" for _, found in pairs]
    drawn["data"].append(
        {
            "type": "scatter",
            "mode": "markers",
            "y": labels,
            "x": [found.per_second for _, found in pairs],
            "marker": {
                "size": 9,
                "color": [colour for colour, _ in marks],
                "symbol": [symbol + end for (_, symbol), end in zip(marks, open_, strict=True)],
            },
            "hovertext": [
                f"{style.hover(row)}<br><b>{found.per_second:,.0f} messages/s</b>, limited by the {found.bottleneck}"
                for row, found in pairs
            ],
            "hoverinfo": "text",
        }
    )
    return drawn


def _throughput(row: Row, bandwidth_bits_per_s: float, cores: int) -> Throughput:
    assert row.time_ns
    assert row.size_bytes
    return messages_per_second(
        bandwidth_bits_per_s=bandwidth_bits_per_s, cores=cores, cpu_ns=row.time_ns, size_bytes=row.size_bytes
    )


def _finding(pairs: Sequence[tuple[Row, Throughput]], line: str) -> str:
    if not pairs:
        return "Nothing has been measured from which a budget follows"
    (best, most), (worst, least) = pairs[0], pairs[-1]
    text = (
        f"With {line}, {display.case_name(best)} {display.VERBS.get(best.operation, best.operation)} "
        f"{most.per_second:,.0f} messages a second, limited by the {most.bottleneck}"
    )
    return text if len(pairs) == 1 else f"{text}; {display.case_name(worst)} {least.per_second:,.0f}"


def _bits(bits_per_s: float) -> str:
    for unit, name in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if bits_per_s >= unit:
            return f"{bits_per_s / unit:,.4g} {name}"
    return f"{bits_per_s:,.4g} bit/s"
