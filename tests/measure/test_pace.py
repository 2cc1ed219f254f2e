"""The time left is one estimate over verifying, sizing and measuring, and what is told of it does not jump."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest

from serbench.judge.waves import Wanted
from serbench.measure import case_waves as pacing
from serbench.measure import listener as listening
from serbench.measure.case_waves import START_S, STEPS_S, Pace
from serbench.measure.listener import Listener, Paced, Progress
from serbench.measure.plan import EFFORTS

CASES, CELLS = 32, 64


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves, for the estimate and for what is told."""
    now = SimpleNamespace(s=100.0)
    for module in (listening, pacing):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now.s))
    return now


class Told(Listener):
    """Everything that was told, with the time of the clock."""

    def __init__(self, clock):
        self.clock, self.all = clock, []

    def progress(self, progress):
        self.all.append((self.clock.s, progress))


def told(clock, effort, slow, needed, noise=lambda _: 0.0):
    """What is told of a run on a machine that is so many times slower in each step; each cell needs so many waves."""
    heard, rules = Told(clock), replace(EFFORTS[effort], everywhere=True)
    paced, pace = Paced(heard), Pace(CASES, CELLS, rules)
    paced.begin_block(1)
    sizes = {"verifying": CASES, "sizing": CELLS}
    for step, count in sizes.items():
        for done in range(20):
            paced.progress(Progress(step, 0, done, 20, pace.left(step, done / 20)))
            clock.s += slow[step] * (START_S[step] + STEPS_S[step] * count) / 20
    visited, waves = 0, rules.waves_min if needed is None else needed
    for wave in range(waves):
        ahead = pace.visits([([[noise(w) for w in range(wave)]], rules.wanted)] * CELLS, wave)
        for done in range(20):
            part = (visited + CELLS * done / 20) / (visited + ahead)
            paced.progress(Progress("measuring", wave + 1, done, 20, pace.left("measuring", part)))
            clock.s += slow["measuring"] * (START_S["measuring"] + STEPS_S["measuring"] * CELLS) / 20
        visited += CELLS
    return heard.all, clock.s


def is_steady(steps):
    """Whether the time left never rises, and the part that is done rises with each step but for those of the same moment."""
    lefts = [one.seconds_left for one in steps if one.seconds_left is not None]
    parts = [one.part for one in steps if one.part is not None]
    return lefts == sorted(lefts, reverse=True) and parts == sorted(parts) and len(set(parts)) > len(parts) / 3


STEADY = dict.fromkeys(STEPS_S, 1.0)
UNEVEN = [
    {"verifying": 3.0, "sizing": 1.0, "measuring": 1.0},
    {"verifying": 0.3, "sizing": 2.0, "measuring": 3.0},
    {"verifying": 1.0, "sizing": 3.0, "measuring": 0.4},
]


@pytest.mark.parametrize("slow", [STEADY, *UNEVEN], ids=str)
@pytest.mark.parametrize(("effort", "needed"), [("quick", None), ("normal", 6), ("normal", 16)])
def test_what_is_told_does_not_jump(clock, slow, effort, needed):
    """From one step to the next the time left falls by no more than a tenth of the whole, it never rises, and the part that is done never falls."""
    steps, _ = told(clock, effort, slow, needed, lambda wave: 0.3 * (wave % 2) * (needed == 16))
    whole = clock.s - steps[0][0]
    lefts = [(at, one.seconds_left) for at, one in steps if one.seconds_left is not None]
    moves = [before - (then - at) - later for (at, before), (then, later) in pairwise(lefts)]
    assert max(moves) < 0.1 * whole
    assert is_steady([one for _, one in steps])
    assert steps[0][1].part == 0.0
    parts = [one.part for _, one in steps]
    assert 0.85 < parts[-1] <= 1


@pytest.mark.parametrize("effort", ["quick", "thorough"])
def test_a_usual_machine_is_estimated_from_the_start(clock, effort):
    """Where each step takes what it usually does, the first estimate is the truth but for the waves that cells need."""
    steps, end = told(clock, effort, STEADY, EFFORTS[effort].waves_min)
    at, first = steps[0]
    assert 0.8 * (end - at) < first.seconds_left < (1.3 if effort == "quick" else 3) * (end - at)
    at, late = steps[-5]
    assert late.seconds_left < first.seconds_left
    if effort == "quick":  # which has so many waves and no more
        assert late.seconds_left == pytest.approx(end - at, abs=0.1 * (end - steps[0][0]))


def test_a_step_that_goes_on_beside_the_next_is_the_one_that_is_followed(clock):
    """Cases are measured while others are verified; what comes after has its own pace from where it begins."""
    pace = Pace(CASES, CELLS, EFFORTS["quick"])
    clock.s += 3
    pace.left("verifying", 0.4)
    pace.holds = True
    clock.s += 1
    assert pace.left("measuring", 0.1) == pace.left("sizing", 0.9) == pace.left("verifying", 0.4)
    pace.holds = False
    measuring = pace.left("measuring", 0.2)
    clock.s += 2
    assert pytest.approx(2 / 0.4 * 0.4) == pace.left("measuring", 0.6) < measuring


def test_noise_needs_more_waves():
    """A cell that goes up and down is expected to need more of them, up to the most; one is always left."""
    rules = replace(EFFORTS["normal"], everywhere=True)
    pace = Pace(1, 2, rules)
    steady, wobbling = [[0.0, 1e-6, 0.0, 1e-6, 0.0, 1e-6]], [[0.0, 0.3, 0.0, 0.3, 0.0, 0.3]]
    assert pace.visits([(steady, rules.wanted)], 6) < pace.visits([(wobbling, rules.wanted)], 6) <= 10
    assert 1 == pace.visits([(steady, rules.wanted)], 16)
    assert (
        pace.visits([([], rules.wanted)], 0) == pace.visits([([[]], rules.wanted)], 0) == 6 + pacing.SHARE_OF_ALL * 10
    )


def test_most_cells_are_expected_to_leave_early():
    """Unless all are to be as precise as those that may lead; one of which little is wanted leaves sooner."""
    rules = EFFORTS["normal"]
    pace, series = Pace(1, 2, rules), [[0.0, 0.05, 0.0, 0.05]]
    assert pace.visits([([], rules.wanted)], 0) == 3 + pacing.SHARE * 13
    assert pace.visits([(series, Wanted(0.1, 3))], 1) < pace.visits([(series, rules.wanted)], 1)
