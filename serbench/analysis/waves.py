"""From raw samples to what each cell shows wave by wave: the medians that all statistics rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from serbench.engine.results import Cell, Point, Sample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Samples: TypeAlias = "Sequence[Sample] | NDArray[Any]"
"""A list of `Sample`, or a structured array with the same fields (as the store gives it)."""

THREADS = 1.1
"""A process that uses this many times the CPU time of its measured thread is running others."""


@dataclass(frozen=True)
class CellWaves:
    """What one cell's samples say, wave by wave: medians over the wave's rounds.

    `log_times` holds log(ns per operation) on the cell's `clock`, `log_ratios` the log of its time over
    the reference's in the same wave, visit and round (absent where the reference has no sample).
    `cpu_over_wall` is a median over batches, `switches` a mean per batch.
    """

    clock: Literal["cpu", "wall"]
    log_times: dict[int, float]
    log_ratios: dict[int, float]
    samples: int
    cpu_over_wall: float
    switches: float


def cell_waves(cells: Sequence[Cell], samples: Samples) -> dict[int, CellWaves]:
    """The waves of every cell that has samples, each against the reference of its point and operation."""
    references = reference_ids(cells)
    loops = {cell.id: cell.loops for cell in cells}
    return wave_values(samples, loops, {cell.id: references.get((cell.point, cell.operation), -1) for cell in cells})


def shared_ratios(one: CellWaves, other: CellWaves) -> dict[int, float]:
    """The log ratio of one cell to another in each wave that has both, the reference cancelling; by their times without one."""
    ratios = one.log_ratios and other.log_ratios
    above, below = (one.log_ratios, other.log_ratios) if ratios else (one.log_times, other.log_times)
    return {wave: value - below[wave] for wave, value in above.items() if wave in below}


def paired_ratios(
    cells: Sequence[Cell], samples: Samples, bases: Mapping[int, int], waves: Mapping[int, CellWaves]
) -> dict[int, dict[int, float]]:
    """Cell → base (ids) → the cell's log ratio to its base in each wave that has both.

    Where the two were visited together in all these waves, by the rounds of those visits; otherwise the reference's
    part cancels. `waves` are those of `cell_waves`.
    """
    direct = wave_values(samples, {cell.id: cell.loops for cell in cells}, bases)
    found = {}
    for cell, base in bases.items():
        if {cell, base} <= waves.keys():
            shared, met = shared_ratios(waves[cell], waves[base]), direct[cell].log_ratios
            found[cell] = met if met.keys() == shared.keys() else shared
    return found


def reference_ids(cells: Sequence[Cell]) -> dict[tuple[Point, str], int]:
    """The reference cell of each point and operation."""
    return {(cell.point, cell.operation): cell.id for cell in cells if cell.reference and not cell.control}


def sample_table(samples: Samples) -> NDArray[np.int64]:
    """Samples, as a list of tuples in the order of `Sample` or a structured array, as an (n, 8) array."""
    import numpy as np

    if isinstance(samples, np.ndarray):
        return np.ascontiguousarray(samples).view(np.int64).reshape(-1, len(Sample._fields))
    return np.array(list(samples), dtype=np.int64).reshape(-1, len(Sample._fields))


def wave_values(samples: Samples, loops: Mapping[int, int], reference: Mapping[int, int]) -> dict[int, CellWaves]:
    """The per-wave medians of every cell that has samples.

    `loops` gives the calls per batch of each cell, `reference` the cell that it is divided by. A cell is
    timed by its thread's CPU clock unless its process typically used over 1.1 times as much CPU time (the
    library has threads) or the CPU clock is too coarse to see a batch: then by the wall clock.
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
    place = {int(i): position for position, i in enumerate(ids)}
    partner = np.array([place.get(reference.get(int(i), -1), -1) for i in ids])[cell]
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
    """For each sample the log time of its reference in the same wave, visit and round; NaN where there is none."""
    import numpy as np

    low, span = where.min(axis=0), np.ptp(where, axis=0) + 1
    wave, visit, turn = (where - low).T
    slot = (wave * span[1] + visit) * span[2] + turn
    slots = int(span.prod())
    key, wanted = cell * slots + slot, partner * slots + slot
    order = np.argsort(key, kind="stable")
    found = order[np.minimum(np.searchsorted(key, wanted, sorter=order), len(key) - 1)]
    return np.where((partner >= 0) & (key[found] == wanted), log_time[found], np.nan)


def _by_wave(cell: Any, wave: Any, values: Floats) -> dict[int, dict[int, float]]:
    """Medians of the values that are numbers, by cell and wave."""
    import numpy as np

    kept = ~np.isnan(values)
    first = int(wave.min())
    span = int(wave.max()) - first + 1
    groups, medians = _group_medians(cell[kept] * span + (wave[kept] - first), values[kept])
    found: dict[int, dict[int, float]] = {}
    for group, value in zip(groups.tolist(), medians.tolist(), strict=True):
        found.setdefault(group // span, {})[group % span + first] = value
    return found


def _group_medians(group: Any, values: Floats) -> tuple[Any, Floats]:
    """The groups in ascending order and the median of the values of each."""
    import numpy as np

    order = np.lexsort((values, group))
    groups, starts, counts = np.unique(group[order], return_index=True, return_counts=True)
    ranked = values[order]
    return groups, (ranked[starts + (counts - 1) // 2] + ranked[starts + counts // 2]) / 2
