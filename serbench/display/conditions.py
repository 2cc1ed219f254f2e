"""Warnings about the conditions of a run, and notes on one whose blocks several machines have measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from serbench.display.words import machine_line
from serbench.judge.control import Disturbance, cell_name, control, disturbed
from serbench.judge.waves import Samples
from serbench.results import Cell, grouped

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
    lines = [_line(beyond, len(timed), *TEXTS[name]) for name, beyond in disturbances.items() if beyond]
    warm = [cell.warmup_ns for cell in timed if cell.warmup_ns]
    if warm:
        lines.append(f"a JIT was at work: {len(warm)} cells were warmed up for up to {max(warm) / 1e9:.1f} s a process")
    if timed and "usable_cores" not in machine:
        lines.append("processes were not pinned to a core: this platform cannot, so migrations add noise")
    if machine.get("governor") not in (None, "performance"):
        lines.append(f"the CPU's frequency may vary: governor {machine['governor']}")
    if machine.get("on_battery"):
        lines.append("the machine ran on battery: its frequency may vary")
    if gc is not None:
        policy = {"on": "on, as users run it; what set-up made was frozen", "off": "off while timing"}
        lines.append(f"garbage collector: {policy.get(gc, gc)}")
    return lines


def _line(beyond: Sequence[tuple[float, Cell]], timed: int, text: str, form: str) -> str:
    named = [f"{cell_name(cell)} {form.format(value)}" for value, cell in beyond[:NAMED]]
    rest = f" and {len(beyond) - NAMED} more" if len(beyond) > NAMED else ""
    return f"{len(beyond)} of {timed} cells {text}: {', '.join(named)}{rest})"


def machine_notes(cells: Sequence[Cell], samples: Samples, machines: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A sentence for each machine, with its own A/A error, and one for each fact in which they disagree."""
    by_machine = grouped(cells, lambda cell: cell.machine)
    measured = {name: by_machine[name] for name in machines if name in by_machine}
    if len(measured) < 2:
        return []
    notes = []
    for name, of_machine in measured.items():
        points = dict.fromkeys(f"{c.point.workload} {c.point.records:,} (depth {c.point.depth})" for c in of_machine)
        error = control(of_machine, samples)["aa_error"]
        accuracy = "" if error is None else f", A/A error {error:.1%}"
        notes.append(f"machine {name} ({machine_line(machines[name])}{accuracy}) measured {', '.join(points)}")
    notes.append("ratios are of one machine each; times of blocks from different machines do not compare")
    return [*notes, *_disagreements({name: machines[name] for name in measured}, measured)]


def _disagreements(machines: Mapping[str, Mapping[str, Any]], measured: Mapping[str, Sequence[Cell]]) -> list[str]:
    facts: dict[str, dict[str, str]] = {}
    for name, machine in machines.items():
        for key, value in machine.items():
            facts.setdefault(key, {})[name] = str(value)
    for name, cells in measured.items():
        for cell in cells:
            if cell.version is not None:
                facts.setdefault(f"{cell.library} ({cell.environment})", {})[name] = cell.version
    return [
        f"machines disagree in {key}: " + ", ".join(f"{value} on {name}" for name, value in values.items())
        for key, values in facts.items()
        if len(set(values.values())) > 1
    ]
