"""One case under several conditions, timed side by side in the same waves."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from serbench.errors import PlanError
from serbench.judge.statistics import wave_medians
from serbench.measure.conditions import Conditions
from serbench.measure.listener import Listener, Progress
from serbench.measure.plan import Block, Plan
from serbench.measure.rounds import is_finished
from serbench.measure.sessions.session import Watchdog
from serbench.measure.subjects import BlockFiles, TimedCase, cell_of, retry_if_killed
from serbench.measure.verifying import verify_case
from serbench.measure.wave_loop import SideBySide
from serbench.render.environments.caretaker import scratch_folder
from serbench.render.environments.platform import usable_cores
from serbench.results import Cell, Sample


@dataclass(frozen=True)
class Ladder:
    """The cells of a case by operation and conditions, those of the first conditions being the reference; the samples."""

    cells: list[Cell]
    samples: list[Sample]


def ladder(plan: Plan, block: Block, conditions: Sequence[Conditions], listener: Listener) -> Ladder:
    """Time the block's first case under each of the conditions, a process for each in every wave.

    Raises:
        PlanError: the case cannot be rendered, or fails.
    """
    case = block.cases[0]
    operations = [operation for operation in plan.operations if operation in case.operations]
    with scratch_folder() as folder, Watchdog() as watchdog:
        steps: list[TimedCase] = []
        for number, step in enumerate(conditions):
            listener.progress(Progress(f"verifying {step}", 0, number, len(conditions)))
            scratch = folder / str(number)
            scratch.mkdir()
            here = Block(replace(block.point, conditions=str(step)), block.dataset, [case])
            files = BlockFiles(plan, here, scratch, watchdog)
            cells = {operation: cell_of(-1, here.point, case, operation) for operation in operations}
            for position, cell in enumerate(cells.values()):
                cell.id, cell.reference = number * len(operations) + position, number == 0
            timed = files.timed(case, dict(cells), files.session(case.environment))
            if not timed.fail_beforehand():
                retry_if_killed(partial(verify_case, files, timed, tuple(operations)))
            if not timed.alive or not operations or len(timed.cells) < len(cells):
                reason = next((c.reason for c in cells.values() if c.reason), "it has none of these operations")
                raise PlanError(f"{case.library.name} with {case.codec.name} cannot be timed: {reason}")
            timed.session.end()
            steps.append(timed)
        samples = _samples(plan, steps, operations, listener)
    cells_of_all = [cell for timed in steps for cell in timed.cells.values()]
    for cell in cells_of_all:
        cell.status = "ok" if cell.status == "unresolved" else cell.status
    return Ladder(cells_of_all, samples)


def _samples(plan: Plan, steps: list[TimedCase], operations: Sequence[str], listener: Listener) -> list[Sample]:
    loops = {cell.id: cell.loops for timed in steps for cell in timed.cells.values()}
    first = {timed.cells[o].id: steps[0].cells[o].id for timed in steps for o in operations}

    def is_known(samples: Sequence[Sample]) -> bool:
        medians = wave_medians(samples, loops, first)
        series = [list(one.log_ratios.values()) for cell, one in medians.items() if cell not in first.values()]
        return is_finished(series, plan.rules)

    core = max(usable_cores(), default=None)
    loop = SideBySide(steps, operations, plan.rules, is_known, core=core, rng=random.Random(), tell=listener.progress)
    loop.run()
    return loop.samples
