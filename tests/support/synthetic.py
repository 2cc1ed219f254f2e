"""Runs whose truth is known: cells with given times, measured by simulated processes and rounds."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from serbench.results import Cell, MeasuredRun, Origin, Point, Sample

CLIENT = Point("client", 100, 2, 0)
BATCH_NS = 500_000
TIMES = {0: 30e3, 1: 210e3, 2: 95e3, 3: 95e3, 4: 2.4e6, 5: 60e3, 6: 95e3}
"""The true ns per operation of the cells that the fixture `cells` makes, by id."""


def run(name: str, cells: list[Cell], samples: list[Sample], machine: Mapping[str, Any]) -> MeasuredRun:
    """A run of these cells and samples, measured on that machine."""
    return MeasuredRun(Origin(name, "", "", machine, {}), cells, samples)


def cell(number: int, library: str, point: Point | None = None, **facts: Any) -> Cell:
    """A cell that decodes the client workload with msgspec's JSON, unless the facts say otherwise."""
    usual: dict[str, Any] = {
        **vars(point or CLIENT),
        "variant": "default",
        "codec": "msgspec",
        "format": "json",
        "operation": "decode",
        "version": "1.0",
        "status": "ok",
        "work_class": "objects, strict",
        "size_bytes": 20_000,
    }
    return Cell(**(usual | {"id": number, "library": library} | facts))


def measure(
    times_ns: Iterable[tuple[Cell, float]],
    *,
    waves: int | dict[int, int] = 6,
    process_sd: float = 0.01,
    round_sd: float = 0.01,
    seed: int = 0,
    threads: frozenset[int] = frozenset(),
) -> list[Sample]:
    """Samples of each cell around its true time per operation.

    `process_sd` is the deviation of a cell's process from wave to wave, `waves` how many there are (of each
    cell, by id), `threads` the cells whose work is done by four threads at once. Every cell is visited together
    with the reference of its point and operation.
    """
    rng = random.Random(seed)
    pairs = list(times_ns)
    samples = []
    for one, each_ns in pairs:
        one.loops = one.loops or max(1, round(BATCH_NS / each_ns))
    references = {(c.point, c.operation): (c, t) for c, t in reversed(pairs) if c.reference}
    for wave in range(max(waves.values()) if isinstance(waves, dict) else waves):
        live = [p for p in pairs if wave < (waves.get(p[0].id, 6) if isinstance(waves, dict) else waves)]
        luck = {c.id: rng.gauss(0, process_sd) for c, _ in live}
        for visit, (one, each_ns) in enumerate(live):
            beside = references.get((one.point, one.operation))
            group = [(one, each_ns)] if beside is None or beside[0] is one else [beside, (one, each_ns)]
            for turn in range(8):
                for member, time_ns in group:
                    work = time_ns * member.loops * math.exp(luck.get(member.id, 0.0) + rng.gauss(0, round_sd))
                    cpu = work / 4 if member.id in threads else work
                    wall = cpu * 1.01
                    process = work if member.id in threads else cpu * 1.002
                    samples.append(Sample(member.id, wave, visit, turn, round(cpu), round(wall), round(process), 0))
    return samples


def simulated(rng, rows, waves, sd, effects=None, df=None):
    """Per-wave log ratios of rows that share one reference, with unequal noise if `df` is given."""
    noise = sd * (np.sqrt(df / rng.chisquare(df, rows)) if df else np.ones(rows))
    of_rows = rng.normal(0, 1, (rows, waves)) * noise[:, None]
    true = np.zeros(rows) if effects is None else np.asarray(effects)
    return of_rows + true[:, None] - rng.normal(0, sd, waves)
