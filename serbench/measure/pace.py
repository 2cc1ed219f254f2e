"""The time that a block still takes: one estimate over proving its cases, sizing their batches, and all waves."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence

from serbench.judge import statistics
from serbench.measure.plan import Effort

STEPS_S = {"verifying": 0.2, "sizing": 0.02, "measuring": 0.05}
"""Step → seconds that it takes on a usual machine: to verify a case, and to size or measure one of its operations once."""
START_S = {"verifying": 1.0, "sizing": 0.0, "measuring": 0.5}
"""Step → seconds that its processes need to start, of measuring for each wave."""
CALLS = 12
"""How many calls a cell takes in a wave, at least: 8 rounds, each with a batch and half as many calls before it."""
TRUSTED = 0.3
"""The part of a step after which only its own pace counts."""
SHARE = 0.35
"""How many of the waves between the fewest and the most a cell needs on average, before anything is known of it."""
USUAL = 2
"""Until a cell has many more waves than these, what others need counts as well."""


class Pace:
    """The seconds left of a block; each step corrects what is expected of the next.

    Args:
        cases, cells: how many are verified, and how many operations they have in all.
        rules: the fewest and most waves.
        call_s: what a call of these operations takes on average, as far as it is known.
    """

    def __init__(self, cases: int, cells: int, rules: Effort, call_s: float = 0.0) -> None:
        self.rules = rules
        counts = {"verifying": (1.0, cases), "sizing": (1.0, cells), "measuring": (self._usual, cells * self._usual)}
        self._expected = {
            step: starts * START_S[step] + each * STEPS_S[step] for step, (starts, each) in counts.items()
        }
        self._expected["measuring"] += counts["measuring"][1] * CALLS * call_s
        self._step, self._began, self._slow = "verifying", time.monotonic(), 1.0

    @property
    def _usual(self) -> float:
        return self.rules.waves_min + SHARE * (self.rules.waves_max - self.rules.waves_min)

    def left(self, step: str, part: float) -> float:
        """The seconds left, of a step of `STEPS_S` and those that follow, once a part of it is done."""
        now = time.monotonic()
        if step != self._step:
            planned = self._expected[self._step]
            self._slow = min(max(math.sqrt((now - self._began) / planned), 0.5), 3.0) if planned else self._slow
            self._step, self._began = step, now
        steps = list(STEPS_S)
        later = sum(self._expected[name] for name in steps[steps.index(step) + 1 :])
        whole, trust = self._expected[step] * self._slow, min(part / TRUSTED, 1.0)
        if part:
            whole += trust * ((now - self._began) / part - whole)
        return whole * (1 - part) + later * self._slow

    def visits(self, known: Iterable[Sequence[Sequence[float]]], measured: int) -> float:
        """How often cells are still to be visited after so many waves; of each cell its log ratios, in one or more series."""
        return sum(max(self._waves(series) - measured, 1.0) for series in known)

    def _waves(self, series: Sequence[Sequence[float]]) -> float:
        """How many waves a cell will have had in the end."""
        rules, needed = self.rules, [self._usual]
        for values in series:
            if len(values) > 1:
                its = len(values) * (statistics.half_width(values) / rules.precision) ** 2
                known = len(values) / (len(values) + USUAL)
                needed.append(known * min(max(its, rules.waves_min), rules.waves_max) + (1 - known) * self._usual)
        return max(needed[1:] or needed)
