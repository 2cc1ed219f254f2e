"""Notes on a run whose blocks several machines have measured: the blocks of each machine, and the facts that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from serbench.analysis.control import control
from serbench.analysis.waves import Samples
from serbench.display.words import machine_line
from serbench.results import Cell, grouped


def machine_notes(cells: Sequence[Cell], samples: Samples, machines: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A sentence for each machine, with its own A/A error, and one for each fact in which they disagree."""
    by_machine = grouped(cells, lambda cell: cell.machine)
    measured = {name: by_machine[name] for name in machines if name in by_machine}
    if len(measured) < 2:
        return []
    notes = []
    for name, found in measured.items():
        points = dict.fromkeys(f"{c.point.workload} {c.point.records:,} (depth {c.point.depth})" for c in found)
        error = control(found, samples)["aa_error"]
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
