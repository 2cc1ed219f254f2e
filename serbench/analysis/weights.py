"""The tables of a weighing: a board for each metric, a row for each case, medians with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from statistics import median
from typing import TYPE_CHECKING, Any

from serbench.analysis import display
from serbench.analysis.export import escaped
from serbench.engine.results import Status, Weight

if TYPE_CHECKING:
    from rich.console import Group

TITLES = {
    "memory": "memory: what one call needs at most, and what each decoded document keeps",
    "start": "start: CPU time in a fresh process",
    "installed": "installed: library and codec with everything that they require",
    "gc": "gc: time with the garbage collector on, over time with it off",
    "threads": "threads: how many times as much as one thread gets done",
}
UNITS = {"bytes": display.BYTES, "ns": display.UNITS}


@dataclass(frozen=True)
class WeightRow:
    """A quantity of a case: the median over fresh processes, and an interval for it.

    `low` and `high` are readings between which the median of all processes lies with at least 95 %; None
    where there are too few for that, or only one can be taken.
    """

    workload: str
    records: int
    depth: int
    seed: int
    library: str
    variant: str
    version: str | None
    environment: str
    python: str | None
    codec: str
    format: str
    metric: str
    quantity: str
    unit: str
    status: Status
    reason: str | None
    value: float | None
    low: float | None
    high: float | None
    per_record: float | None
    readings: tuple[float, ...]


def median_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """The narrowest pair of order statistics, alike from both ends, that holds the median with that probability.

    Whatever the distribution, each of n readings is below its median with probability ½, so the k-th from
    below and from above miss it with 2·P(Binomial(n, ½) < k). None where even the extremes miss it too often.
    """
    ordered, count = sorted(values), len(values)
    below = list(accumulate(math.comb(count, k) / 2**count for k in range(count)))
    fitting = [k for k in range(count // 2) if 2 * below[k] <= 1 - level]
    return (ordered[fitting[-1]], ordered[-1 - fitting[-1]]) if fitting else None


def weight_rows(weights: Iterable[Weight]) -> list[WeightRow]:
    """A row for each weight, in their order."""
    return [_row(weight) for weight in weights]


def _row(weight: Weight) -> WeightRow:
    value = median(weight.readings) if weight.readings else None
    interval = median_interval(weight.readings) or (None, None)
    point = weight.point
    each = weight.quantity == "decode_retained" and value is not None
    return WeightRow(
        workload=point.workload,
        records=point.records,
        depth=point.depth,
        seed=point.seed,
        library=weight.library,
        variant=weight.variant,
        version=weight.version,
        environment=weight.environment,
        python=weight.python,
        codec=weight.codec,
        format=weight.format,
        metric=weight.metric,
        quantity=weight.quantity,
        unit=weight.unit,
        status=weight.status,
        reason=weight.reason,
        value=value,
        low=interval[0],
        high=interval[1],
        per_record=(value or 0.0) / max(point.records, 1) if each else None,
        readings=weight.readings,
    )


def weight_data(rows: Iterable[WeightRow]) -> list[dict[str, Any]]:
    """The rows as JSON data."""
    return [asdict(row) for row in rows]


@dataclass(frozen=True)
class WeightBoard:
    """One metric at one workload point: headings, a line of texts for each case, and why others have none."""

    title: str
    headings: list[str]
    lines: list[list[str]]
    reasons: list[str]


def weight_boards(rows: Sequence[WeightRow]) -> list[WeightBoard]:
    """A board for each workload point and metric, its cases ordered by their first quantity."""
    groups: dict[tuple[str, int, int, str], list[WeightRow]] = {}
    for row in rows:
        groups.setdefault((row.workload, row.records, row.depth, row.metric), []).append(row)
    return [_board(group) for group in groups.values()]


def _board(rows: Sequence[WeightRow]) -> WeightBoard:
    cases: dict[tuple[str, ...], dict[str, WeightRow]] = {}
    for row in rows:
        key = (row.library, row.variant, row.environment, row.codec, row.format)
        cases.setdefault(key, {})[row.quantity] = row
    quantities = list(dict.fromkeys(row.quantity for row in rows if row.value is not None))
    scales = {name: _scale([row for row in rows if row.quantity == name]) for name in quantities}
    each = display.unit_of([row.per_record for row in rows if row.per_record is not None], display.BYTES)
    headings = ["library", "codec"]
    for name in quantities:
        headings.append(" ".join(part for part in (name.replace("_", " "), scales[name][1]) if part))
        headings += [f"{each[1]}/record"] if name == "decode_retained" else []
    shown = [by_name for by_name in cases.values() if any(row.value is not None for row in by_name.values())]
    first = quantities[0] if quantities else ""

    def place(by_name: Mapping[str, WeightRow]) -> float:
        value = by_name[first].value if first in by_name else None
        return math.inf if value is None else value

    lines = []
    for by_name in sorted(shown, key=place):
        line = [_library(next(iter(by_name.values()))), display.codec_label(next(iter(by_name.values())))]
        for name in quantities:
            found = by_name.get(name)
            line.append(_figure(found, scales[name][0]))
            if name == "decode_retained":
                per_record = None if found is None else found.per_record
                line.append("" if per_record is None else display.three_digits(per_record / each[0]))
        lines.append(line)
    row = rows[0]
    plural = "" if row.records == 1 else "s"
    where = f"{row.workload} · {row.records:,} record{plural} · depth {row.depth}"
    return WeightBoard(f"{TITLES.get(row.metric, row.metric)} — {where}", headings, lines, _reasons(rows))


def _scale(rows: Sequence[WeightRow]) -> tuple[float, str]:
    unit = rows[0].unit
    values = [row.value for row in rows if row.value is not None]
    return display.unit_of(values, UNITS[unit]) if unit in UNITS else (1.0, unit)


def _library(row: WeightRow) -> str:
    variant = "" if row.variant == "default" else f" [{row.variant}]"
    where = "" if row.environment == "main" else f" ({row.environment})"
    return f"{row.library}{variant}{where}"


def _figure(row: WeightRow | None, scale: float) -> str:
    """A median with the interval behind it: "1.32 (1.30–1.35)"."""
    if row is None or row.value is None:
        return ""
    if row.unit == "":
        return f"{row.value:,.0f}"
    text = display.three_digits(row.value / scale)
    if row.low is None or row.high is None:
        return text
    ends = [display.three_digits(end / scale) for end in (row.low, row.high)]
    return text if set(ends) == {text} else f"{text} ({ends[0]}–{ends[1]})"


def _reasons(rows: Sequence[WeightRow]) -> list[str]:
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.reason:
            name = f"{_library(row)} + {display.codec_label(row)}"
            found.setdefault((row.quantity.replace("_", " "), " ".join(row.reason.split())), []).append(name)
    return [
        f"{', '.join(dict.fromkeys(names))}: " + (f"{quantity}: " if quantity else "") + reason
        for (quantity, reason), names in found.items()
    ]


def weight_table(boards: Sequence[WeightBoard], about: Sequence[str]) -> Group:
    """What `rich.print` shows of a weighing."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from serbench.analysis.sheet import hanging

    parts: list[Any] = []
    for board in boards:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for number, heading in enumerate(board.headings):
            table.add_column(heading, justify="left" if number < 2 else "right", overflow="fold")
        for line in board.lines:
            table.add_row(*map(Text, line))
        parts += [Text(board.title, style="bold"), *([table] if board.lines else [])]
        parts += [hanging("-", reason) for reason in board.reasons]
        parts.append(Text())
    return Group(*parts, *(Text(line, style="dim") for line in about))


def weight_markdown(boards: Sequence[WeightBoard], about: Sequence[str]) -> str:
    """The boards as Markdown tables."""
    parts = []
    for board in boards:
        sides = [":--" if number < 2 else "--:" for number in range(len(board.headings))]
        lines = [[*map(escaped, board.headings)], sides, *([*map(escaped, line)] for line in board.lines)]
        parts += [f"### {escaped(board.title)}"]
        parts += ["\n".join(f"| {' | '.join(line)} |" for line in lines)] if board.lines else []
        parts += ["\n".join(f"- {escaped(reason)}" for reason in board.reasons)] if board.reasons else []
    return "\n\n".join([*parts, "\n".join(f"- {escaped(line)}" for line in about)]) + "\n"
