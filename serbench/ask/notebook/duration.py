"""How long a run of the explorer would take, said before the click: nothing is measured for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from statistics import fmean

from serbench.ask.calling import make_plan
from serbench.ask.notebook.background_run import points, run_arguments
from serbench.ask.notebook.choosing import timed
from serbench.ask.notebook.settings import Settings
from serbench.errors import SerbenchError
from serbench.judge.interpolation import distance
from serbench.keep.archive import Archive
from serbench.keep.progress import duration_words
from serbench.measure.pace import Pace
from serbench.measure.plan import Plan, chosen_cases


def duration_text(settings: Settings, archive: Archive) -> str:
    """Say how long Run would take: "about 40 s"; "at least" if no time of such data is stored, empty if it cannot run."""
    if (plan := _planned(settings)) is None:
        return ""
    known = _call_s(settings, archive)
    seconds = expected_s(*plan, points(settings), known)
    if settings.budget and seconds > settings.budget:
        return f"at most {duration_words(settings.budget)}"
    return f"{'about' if known else 'at least'} {duration_words(seconds)}"


def expected_s(plan: Plan, cases: int, at: Iterable[tuple[int, int]], known: Mapping[tuple[int, int], float]) -> float:
    """Return the seconds that a run tells at its beginning, with those of calls; `known` has what a call takes at some points."""
    cells = cases * len(plan.operations)
    return sum(Pace(cases, cells, plan.rules, _nearest_s(known, *point)).left("verifying", 0.0) for point in at)


@lru_cache(16)
def _planned(settings: Settings) -> tuple[Plan, int] | None:
    """The plan and the number of its cases; None if it is refused."""
    try:
        plan = make_plan(**run_arguments(settings))
        return plan, len(chosen_cases(plan))
    except (SerbenchError, OSError):
        return None


def _call_s(settings: Settings, archive: Archive) -> dict[tuple[int, int], float]:
    """Records and depth → the seconds of a call, as the mean of the chosen cases that have a time there."""
    times: dict[tuple[int, int], list[float]] = defaultdict(list)
    for _, rows in timed(settings, archive, {settings.operation}):
        for row in rows:
            times[row.records, row.depth].append((row.time_ns or 0.0) / 1e9)
    return {point: fmean(each) for point, each in times.items()}


def _nearest_s(known: Mapping[tuple[int, int], float], records: int, depth: int) -> float:
    """The seconds of a call in proportion to those at the nearest known point; 0 if there is none."""
    point = min(sorted(known), key=lambda one: distance(one, records, depth), default=None)
    return 0.0 if point is None else known[point] * records / max(point[0], 1)
