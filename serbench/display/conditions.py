"""Warnings about the conditions of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from serbench.analysis.control import Disturbance, cell_name, disturbed
from serbench.analysis.waves import Samples
from serbench.results import Cell

NAMED = 3
"""The number of cells that a warning names, the worst first."""
TEXTS: dict[Disturbance, tuple[str, str]] = {
    "short of CPU": ("got less than 97 % of the core (CPU time over wall time", "{:.0%}"),
    "interrupted": ("were interrupted more than once in two batches (switches per batch", "{:.1f}"),
    "unsteady": ("differ by more than 5 % from wave to wave (standard deviation", "{:.0%}"),
    "short": ("take under 50 ns, of which the loop is a good part (ns", "{:.0f}"),
    "single calls": ("are slow enough for one call a batch: single calls, not averages (ms", "{:.1f}"),
}
"""Disturbance → the beginning of its warning, and the form of its figures."""


def warnings(
    cells: Sequence[Cell], samples: Samples, machine: Mapping[str, Any], *, gc: str | None = None
) -> list[str]:
    """Warnings about the run's conditions, one line for each kind, which names the worst cells.

    `gc` is the collector's policy while timing, "on" or "off".
    """
    timed, disturbances = disturbed(cells, samples)
    found = [_line(beyond, len(timed), *TEXTS[name]) for name, beyond in disturbances.items() if beyond]
    warm = [cell.warmup_ns for cell in timed if cell.warmup_ns]
    if warm:
        found.append(f"a JIT was at work: {len(warm)} cells were warmed up for up to {max(warm) / 1e9:.1f} s a process")
    if timed and "usable_cores" not in machine:
        found.append("processes were not pinned to a core: this platform cannot, so migrations add noise")
    if machine.get("governor") not in (None, "performance"):
        found.append(f"the CPU's frequency may vary: governor {machine['governor']}")
    if machine.get("on_battery"):
        found.append("the machine ran on battery: its frequency may vary")
    if gc is not None:
        policy = {"on": "on, as users run it; what set-up made was frozen", "off": "off while timing"}
        found.append(f"garbage collector: {policy.get(gc, gc)}")
    return found


def _line(beyond: Sequence[tuple[float, Cell]], timed: int, text: str, form: str) -> str:
    named = [f"{cell_name(cell)} {form.format(value)}" for value, cell in beyond[:NAMED]]
    rest = f" and {len(beyond) - NAMED} more" if len(beyond) > NAMED else ""
    return f"{len(beyond)} of {timed} cells {text}: {', '.join(named)}{rest})"
