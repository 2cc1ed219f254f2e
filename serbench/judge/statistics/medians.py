"""Medians of a cell's samples by wave: its times, and its ratios to a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

THREADS = 1.1
"""A process that uses this many times the CPU time of its measured thread is running others."""
SAMPLE_FIELDS = 8
"""A sample is its cell, wave, visit and round, CPU, wall and process time in ns, and switches: see `results.Sample`."""


@dataclass(frozen=True)
class CellWaves:
    """One cell's samples by wave: medians over the wave's rounds.

    `log_times` holds log(ns per operation) on the cell's `clock`, `log_ratios` the log of its time over its
    reference's in the same wave, visit and round (absent if the reference has no sample), each on the clock of its
    cell. `cpu_over_wall` is a median over batches, `switches` a mean per batch.
    """

    clock: Literal["cpu", "wall"]
    log_times: dict[int, float]
    log_ratios: dict[int, float]
    samples: int
    cpu_over_wall: float
    switches: float


def wave_medians(samples: Any, loops: Mapping[int, int], reference: Mapping[int, int]) -> dict[int, CellWaves]:
    """The per-wave medians of every cell that has samples, by which it is reported and stopped.

    A cell is timed by its thread's CPU clock. It is timed by the wall clock if its process typically used over 1.1
    times as much CPU time (the library has threads), or if the CPU clock is too coarse to see a batch.

    Args:
        samples: a list of `Sample`, or an array of such rows of 8 integers, structured or of shape (n, 8).
        loops: cell → the calls of a batch.
        reference: cell → the cell that it is divided by.
    """
    import numpy as np

    table = sample_table(samples)
    if not len(table):
        return {}
    ids, cell = np.unique(table[:, 0], return_inverse=True)
    cpu, wall, process, switches = (table[:, column].astype(np.float64) for column in range(4, 8))
    with np.errstate(divide="ignore", invalid="ignore"):
        by_wall = _group_medians(cell, np.where(cpu > 0, process / cpu, np.inf))[1] > THREADS
        log_time = np.log(np.where(by_wall[cell], wall, cpu))
        log_time -= np.log(np.array([loops.get(int(i), 0) for i in ids], dtype=np.float64))[cell]
        cpu_over_wall = _group_medians(cell, np.where(wall > 0, cpu / wall, np.nan))[1]
    log_time[~np.isfinite(log_time)] = np.nan
    positions = {int(i): position for position, i in enumerate(ids)}
    partner = np.array([positions.get(reference.get(int(i), -1), -1) for i in ids])[cell]
    times = _by_wave(cell, table[:, 1], log_time)
    ratios = _by_wave(cell, table[:, 1], log_time - _partner_times(cell, partner, table[:, 1:4], log_time))
    counts = np.bincount(cell)
    switching = np.bincount(cell, weights=switches) / counts
    return {
        int(i): CellWaves(
            "wall" if by_wall[n] else "cpu",
            times.get(n, {}),
            ratios.get(n, {}),
            int(counts[n]),
            float(cpu_over_wall[n]),
            float(switching[n]),
        )
        for n, i in enumerate(ids)
    }


def _partner_times(cell: Any, partner: Any, where: Any, log_time: Floats) -> Floats:
    """For each sample the log time of its reference in the same wave, visit and round; NaN if there is none."""
    import numpy as np

    low, span = where.min(axis=0), np.ptp(where, axis=0) + 1
    wave, visit, turn = (where - low).T
    slot = (wave * span[1] + visit) * span[2] + turn
    slots = int(span.prod())
    key, wanted = cell * slots + slot, partner * slots + slot
    order = np.argsort(key, kind="stable")
    nearest = order[np.minimum(np.searchsorted(key, wanted, sorter=order), len(key) - 1)]
    return np.where((partner >= 0) & (key[nearest] == wanted), log_time[nearest], np.nan)


def _by_wave(cell: Any, wave: Any, values: Floats) -> dict[int, dict[int, float]]:
    """Medians of the values that are numbers, by cell and wave."""
    import numpy as np

    kept = ~np.isnan(values)
    first = int(wave.min())
    span = int(wave.max()) - first + 1
    groups, medians = _group_medians(cell[kept] * span + (wave[kept] - first), values[kept])
    by_wave: dict[int, dict[int, float]] = {}
    for group, value in zip(groups.tolist(), medians.tolist(), strict=True):
        by_wave.setdefault(group // span, {})[group % span + first] = value
    return by_wave


def _group_medians(group: Any, values: Floats) -> tuple[Any, Floats]:
    """The groups in ascending order and the median of the values of each."""
    import numpy as np

    order = np.lexsort((values, group))
    groups, starts, counts = np.unique(group[order], return_index=True, return_counts=True)
    ranked = values[order]
    return groups, (ranked[starts + (counts - 1) // 2] + ranked[starts + counts // 2]) / 2


def sample_table(samples: Any) -> NDArray[np.int64]:
    """Samples, as `wave_medians` takes them, as an array of shape (n, 8)."""
    import numpy as np

    if isinstance(samples, np.ndarray):
        return np.ascontiguousarray(samples).view(np.int64).reshape(-1, SAMPLE_FIELDS)
    return np.array(list(samples), dtype=np.int64).reshape(-1, SAMPLE_FIELDS)
