"""Shows by measuring that the engine's figures can be believed: part by part, each stored when it is done."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from serbench import analysis
from serbench.engine.listener import Progress
from serbench.engine.programs import NEIGHBOURS, ProgramError, neighbour
from serbench.environments import main_environment
from serbench.environments.build import BuildError
from serbench.environments.fingerprint import machine
from serbench.names import PlanError, check
from serbench.selfcheck.loop import loops
from serbench.selfcheck.rivals import rival_figures
from serbench.selfcheck.subjects import AGAIN, BASE, blocks, calls_made
from serbench.selfcheck.trials import Trial, tried
from serbench.store import Store

Tell = Callable[[str], None]
FULL, QUICK = "selfcheck ", "quick selfcheck "
"""Under what the store remembers the parts."""
INJECTED = ("x1.02", "x1.05", "x1.20")


def selfcheck(
    parts: Iterable[str] = (),
    *,
    quick: bool = False,
    measure: bool = True,
    store: str | Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> analysis.Selfcheck:
    """Measure how far serbench's own figures can be believed, and store that.

    Args:
        parts: which of "aa", "injected", "neighbours", "rivals" and "loop"; all without.
        quick: a tenth of everything, in about two minutes: enough to see that it works, too little to prove it.
            It is stored apart.
        measure: whether to measure at all, or to tell only what is stored.
        store: the SQLite file; the user's data folder without, or `$SERBENCH_STORE`.
        on_progress: hears each step.

    Returns:
        What all the stored parts prove, those that were measured earlier included.

    Raises:
        PlanError: an unknown part, or one that cannot be measured here: the message says why.
    """
    chosen = tuple(parts) or tuple(PARTS)
    for name in chosen:
        check("part", name, PARTS)
    key = QUICK if quick else FULL
    with Store(store) as opened:
        for done, name in enumerate(chosen if measure else ()):

            def tell(what: str, name: str = name, done: int = done) -> None:
                if on_progress is not None:
                    on_progress(Progress(f"{name}: {what}", 0, done, len(chosen)))

            opened.put_fact(key + name, _measured(PARTS[name], quick, tell))
        stored = opened.facts(key)
    return analysis.Selfcheck({name: stored[key + name] for name in PARTS if key + name in stored})


def _measured(part: Callable[[bool, Path, Tell], Mapping[str, Any]], quick: bool, tell: Tell) -> dict[str, Any]:
    """A part with where and when it was measured."""
    began, date = time.monotonic(), datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="serbench-selfcheck-") as scratch:
        try:
            found = part(quick, Path(scratch), tell)
        except (ProgramError, BuildError) as error:
            raise PlanError(str(error)) from None
    return {
        "date": date.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "seconds": time.monotonic() - began,
        "serbench": main_environment().installed("serbench"),
        "machine": machine(),
        "quick": quick,
        **found,
    }


def _aa(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """Identical cases under two names."""
    count = 4 if quick else 36
    found = _told(tried(blocks((BASE, AGAIN), count), scratch), count, tell)
    conductor, measured = sum(one.conductor_ns for one in found), sum(one.measured_ns for one in found)
    return {**_of(found), "conductor_ns": conductor, "cpu_ns": conductor + measured}


def _injected(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """Cases that do 1.02, 1.05 and 1.20 times the work."""
    count = 3 if quick else 24
    found = _told(tried(blocks((BASE, *INJECTED), count), scratch), count, tell)
    return {**_of(found), "calls": {name: calls_made(name) for name in (BASE, *INJECTED)}}


def _neighbours(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """Identical cases and 1.05 times the work, in turn without and beside each neighbour."""
    if not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2:
        raise PlanError("neighbours take two cores and a platform that can pin a process to one; leave the part out")
    count = 1 if quick else 8
    found: list[Trial] = []
    for number, block in enumerate(blocks((BASE, AGAIN, "x1.05"), count)):
        for kind in ("quiet", *NEIGHBOURS):
            tell(f"block {number + 1} of {count}, {kind}")
            with contextlib.nullcontext() if kind == "quiet" else neighbour(kind):
                found += tried([block], scratch, kind)
    return _of(found)


def _loop(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """What the loop costs, beside timeit's."""
    tell("the loop around an empty function")
    return dict(loops(5 if quick else 20, scratch))


def _told(found: Iterable[Trial], count: int, tell: Tell) -> list[Trial]:
    kept = []
    for number, one in enumerate(found, 1):
        tell(f"block {number} of {count}")
        kept.append(one)
    return kept


def _of(found: list[Trial]) -> dict[str, Any]:
    """The pairs of all trials, and what could not be measured."""
    pairs = list(chain.from_iterable(one.pairs for one in found))
    failures = sorted(set(chain.from_iterable(one.failures for one in found)))
    return {"pairs": analysis.as_columns(pairs), "failures": failures}


PARTS: Mapping[str, Callable[[bool, Path, Tell], Mapping[str, Any]]] = {
    "aa": _aa,
    "injected": _injected,
    "neighbours": _neighbours,
    "rivals": rival_figures,
    "loop": _loop,
}
"""What can be measured by itself."""
