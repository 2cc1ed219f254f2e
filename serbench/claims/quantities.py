"""Quantities of rows: ratios of times, the share of time that the CPU is busy, sizes and answers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from statistics import mean, median, quantiles, stdev
from typing import Any

from serbench.claims.entry import TIMED, PublishedFigure
from serbench.judge.waves import cell_waves
from serbench.measure.functions import Answer
from serbench.results import Cell, Sample

SIGNS = (1, -1, -1, 1)
"""A figure's rows in its logarithm: `of`, `to`, and the two of `against`."""
LEAST_ROUNDS = 16
"""The fastest and the slowest quarter of fewer rounds would be chance."""


def logs_of(figure: PublishedFigure, cells: Mapping[str, Cell], samples: Any) -> dict[int, float]:
    """Return the logarithm of the figure's quantity by wave; empty if it is not timed."""
    if figure.quantity not in TIMED or not len(samples):
        return {}
    names = figure.rows
    if any(name not in cells or cells[name].status not in ("ok", "unresolved") for name in names):
        return {}
    if figure.quantity == "busy":
        logs = [_busy(cells[name].id, samples) for name in names]
    else:
        wall = figure.quantity == "wall"
        waves = cell_waves(list(cells.values()), [s._replace(cpu_ns=s.wall_ns) for s in samples] if wall else samples)
        measured = [waves[cells[name].id] for name in names if cells[name].id in waves]
        if len(measured) < len(names):
            return {}
        paired = all(one.log_ratios for one in measured) and figure.to
        logs = [one.log_ratios if paired else one.log_times for one in measured]
    return {
        wave: sum(sign * one[wave] for sign, one in zip(SIGNS, logs, strict=False))
        for wave in logs[0]
        if all(wave in one for one in logs)
    }


def states_of(figure: PublishedFigure, cells: Mapping[str, Cell], samples: Any) -> tuple[float, float] | None:
    """Return the logarithm of a ratio of times in the fastest quarter of its rounds, and in the slowest.

    Others who use the machine slow a core for moments, and code unequally: the two are what a machine that is always
    as fast, or always as slow, would have measured. None if the rows have too few rounds together.
    """
    if figure.quantity not in ("time", "wall") or not figure.to or any(name not in cells for name in figure.rows):
        return None
    rows = {cells[name].id: cells[name].loops for name in figure.rows}
    logs: dict[tuple[int, int, int], dict[int, float]] = {}
    for sample in samples:
        time = sample.wall_ns if figure.quantity == "wall" else sample.cpu_ns
        if sample.cell in rows and time:
            logs.setdefault((sample.wave, sample.visit, sample.round), {})[sample.cell] = math.log(time)
    rounds = sorted((one for one in logs.values() if len(one) == len(rows)), key=lambda one: sum(one.values()))
    if len(rounds) < LEAST_ROUNDS:
        return None
    signs = [sign for sign, _ in zip(SIGNS, figure.rows, strict=False)]
    calls = [math.log(cells[name].loops) for name in figure.rows]
    ids = [cells[name].id for name in figure.rows]
    ratios = [sum(s * (one[i] - n) for s, i, n in zip(signs, ids, calls, strict=True)) for one in rounds]
    part = len(ratios) // 4
    return median(ratios[:part]), median(ratios[-part:])


def _busy(cell: int, samples: Sequence[Sample]) -> dict[int, float]:
    """The logarithm of CPU time over wall time of a cell's process: the median over the rounds of each wave."""
    by_wave: dict[int, list[float]] = {}
    for sample in samples:
        if sample.cell == cell and sample.wall_ns:
            by_wave.setdefault(sample.wave, []).append(sample.process_ns / sample.wall_ns)
    return {wave: math.log(median(values)) for wave, values in by_wave.items()}


def exact(figure: PublishedFigure, cells: Mapping[str, Cell], answers: Mapping[str, Answer]) -> float | None:
    """A size or an answer, or the ratio of two; None if it is not known, or if the second is 0.

    An answer that must be `expected` is 1 or 0.
    """
    if figure.quantity in TIMED:
        return None
    values = [_exact(figure, name, cells, answers) for name in figure.rows]
    if None in values:
        return None
    first, *rest = [float(value) for value in values if value is not None]
    if not rest:
        return first
    return first / rest[0] if rest[0] else None


def _exact(
    figure: PublishedFigure, name: str, cells: Mapping[str, Cell], answers: Mapping[str, Answer]
) -> float | None:
    answer = answers.get(name)
    if figure.quantity == "size" and name in cells:
        return answer.size_bytes if answer is not None else cells[name].size_bytes
    if answer is None:
        return None
    told = json.loads(answer.text)
    if figure.expected is not None:
        return float(matches(figure.expected, told))
    return float(told) if isinstance(told, int | float) else None


def matches(expected: Any, told: Any) -> bool:
    """Decide if an answer is the expected one: True is not 1."""
    return type(told) is type(expected) and bool(told == expected)


def spread(cell: Cell, samples: Any) -> dict[str, float] | None:
    """The statistics of pytest-benchmark's table over all batches of a cell, in ns of wall time per call.

    `outliers_sd` lie beyond one standard deviation of the mean, `outliers_iqr` beyond 1.5 interquartile ranges
    of the quartiles (Tukey).
    """
    times = [float(s.wall_ns) / cell.loops for s in samples if s.cell == cell.id]
    if len(times) < 4:
        return None
    low, middle, high = quantiles(times, n=4, method="inclusive")
    average, deviation, width = mean(times), stdev(times), high - low
    return {
        "min": min(times),
        "max": max(times),
        "mean": average,
        "stddev": deviation,
        "median": middle,
        "iqr": width,
        "outliers_sd": sum(abs(t - average) > deviation for t in times),
        "outliers_iqr": sum(not low - 1.5 * width <= t <= high + 1.5 * width for t in times),
        "rounds": len(times),
    }
