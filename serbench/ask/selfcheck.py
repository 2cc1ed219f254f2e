"""Measures how far the figures of the engine can be believed, part by part."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from serbench.ask import choices
from serbench.ask.calling import public, several
from serbench.display.selfcheck import Selfcheck, read_selfcheck
from serbench.errors import PlanError, StoreError, WrongDataError, check, checked, if_interrupted, parsed
from serbench.judge.control import as_columns
from serbench.keep.archive import resources
from serbench.keep.store import Store
from serbench.machine.caretaker import scratch_folder
from serbench.machine.platform import machine, now, usable_cores
from serbench.measure.listener import Progress
from serbench.measure.plan import Plan
from serbench.measure.session import WORKER, RequestLimits, Watchdog, WorkerSession
from serbench.render.environments import NEIGHBOURS, BuildError, main_environment, neighbour
from serbench.selfcheck.trials import AGAIN, BASE, Trial, blocks, measured_trials

Tell = Callable[[str], None]
FULL, QUICK = "selfcheck ", "quick selfcheck "
"""The beginnings of the keys under which the store remembers the parts."""
RIVALS = "rivals"
"""The part that tests/scripts/rivals.py measures: other tools on the same functions."""
INJECTED = ("x1.02", "x1.05", "x1.20")
CONDITIONS = Plan().conditions[0]
"""Those of every run that names none; pyperf and pytest-benchmark are `hot`."""
LOOPS, TURNS = 20_000, 30  # calls in a batch around an empty function, and batches


@public
def selfcheck(
    parts: choices.Parts = (),
    *,
    quick: choices.Quick = False,
    measure: choices.Measure = True,
    store: choices.Store = None,
    listener: choices.Listener = None,
) -> Selfcheck:
    """Measure how far serbench's own figures can be believed, and store that.

    Returns:
        What all the stored parts prove, those that were measured earlier included; if none is stored, what serbench
        publishes of itself.

    Raises:
        PlanError: an unknown part, or one that cannot be measured here: the message says why.
    """
    chosen = several(parts) or tuple(PARTS)
    for name in chosen:
        check("part", name, PARTS)
    key = QUICK if quick else FULL
    with Store(store) as opened:
        for done, name in enumerate(chosen if measure else ()):

            def tell(what: str, name: str = name, done: int = done) -> None:
                if listener is not None:
                    listener.progress(Progress(f"{name}: {what}", 0, done, len(chosen)))

            left = ",".join(chosen[done:]) + (" --quick" if quick else "")
            with if_interrupted(f"parts that were measured are kept, and `serbench selfcheck --part {left}` goes on"):
                opened.put_facts({key + name: measured(PARTS[name], quick, tell)})
        stored = opened.facts(key)
    results = {name: stored[key + name] for name in (*PARTS, RIVALS) if key + name in stored}
    try:
        return read_selfcheck(results) if results or quick else _published()
    except WrongDataError as error:
        raise StoreError(f"{opened.path} is not as serbench makes it ({error}); choose another with --store") from None


def _published() -> Selfcheck:
    """Return what serbench publishes of itself."""
    path = resources("data") / "selfcheck.json"
    return selfcheck_file(path) if path.exists() else Selfcheck({})


def selfcheck_file(path: Path) -> Selfcheck:
    """Return the self-check that `serbench selfcheck --output` wrote.

    Raises:
        PlanError: the file cannot be read, or is another.
    """
    try:
        data = checked(dict[str, Any], parsed(path.read_text(encoding="utf-8"), "selfcheck"), "selfcheck")
        return read_selfcheck(data.get("parts"))
    except (OSError, ValueError) as error:
        how = f"`serbench selfcheck --stored --output {path}` writes it"
        raise PlanError(f"{path} cannot be read ({error}); {how}") from None


def measured(part: Callable[[bool, Path, Tell], Mapping[str, Any]], quick: bool, tell: Tell) -> dict[str, Any]:
    """A part with the machine on which and the date when it was measured."""
    began, date = time.monotonic(), now()
    with scratch_folder() as scratch:
        try:
            result = part(quick, scratch, tell)
        except BuildError as error:
            raise PlanError(str(error)) from None
    return {
        "date": date,
        "seconds": time.monotonic() - began,
        "serbench": main_environment().installed("serbench"),
        "machine": machine(),
        "quick": quick,
        **result,
    }


def _aa(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """Identical cases under two names."""
    trials = _trials((BASE, AGAIN), 4 if quick else 36, scratch, tell)
    conductor, wall = sum(trial.conductor_ns for trial in trials), sum(trial.wall_ns for trial in trials)
    return {**_of(trials), "conductor_ns": conductor, "wall_ns": wall}


def _injected(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """Cases that make 1.02, 1.05 and 1.20 times the calls."""
    trials = _trials((BASE, *INJECTED), 3 if quick else 24, scratch, tell)
    return _of(trials)


def _neighbours(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """Identical cases and 1.05 times the work, in turn without and beside each neighbour."""
    if len(usable_cores()) < 2:
        raise PlanError("the part neighbours needs two cores and CPU pinning; leave it out")
    count = 1 if quick else 8
    trials: list[Trial] = []
    for number, block in enumerate(blocks((BASE, AGAIN, "x1.05"), count, CONDITIONS)):
        for kind in ("quiet", *NEIGHBOURS):
            tell(f"block {number + 1} of {count}, {kind}")
            with contextlib.nullcontext() if kind == "quiet" else neighbour(kind):
                trials += measured_trials([block], scratch, kind)
    return _of(trials)


def _loop(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """The cost of the loop, beside that of timeit's."""
    tell("the loop around an empty function")
    return dict(loop_times(5 if quick else 20, scratch))


def loop_times(processes: int, scratch: Path) -> dict[str, list[float]]:
    """Nanoseconds per call by serbench's loop and by timeit's, in so many fresh processes."""
    loops = []
    with Watchdog() as watchdog, WorkerSession(main_environment(), watchdog, scratch, RequestLimits(60.0)) as session:
        session.pin(max(usable_cores(), default=None))
        for _ in range(processes):
            with session:
                loops.append(session.call(WORKER.with_name("overhead.py"), "overhead", loops=LOOPS, turns=TURNS))
    return {name: [loop[name] for loop in loops] for name in loops[0]}


def _trials(names: tuple[str, ...], count: int, scratch: Path, tell: Tell) -> list[Trial]:
    trials = []
    for trial in measured_trials(blocks(names, count, CONDITIONS), scratch):
        trials.append(trial)
        tell(f"block {len(trials)} of {count}")
    return trials


def _of(trials: list[Trial]) -> dict[str, Any]:
    pairs = list(chain.from_iterable(trial.pairs for trial in trials))
    failures = sorted(set(chain.from_iterable(trial.failures for trial in trials)))
    return {"conditions": CONDITIONS, "pairs": as_columns(pairs), "failures": failures}


PARTS: Mapping[str, Callable[[bool, Path, Tell], Mapping[str, Any]]] = {
    "aa": _aa,
    "injected": _injected,
    "neighbours": _neighbours,
    "loop": _loop,
}
"""The parts, each of which can be measured by itself."""
