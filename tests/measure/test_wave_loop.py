"""Subjects side by side: when their waves end, in which processes, and what is told of them, without a process."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from planted_sessions import PlantedMachine, subject

from serbench.machine.platform import usable_cores
from serbench.measure.listener import Progress
from serbench.measure.plan import Effort
from serbench.measure.rounds import SideBySide
from serbench.measure.session import Fault

RULES = Effort(3, 6, 0.02)


def measured(machine=None, is_known=lambda _: False, rules=RULES, deadline=None, tell=lambda _: None, core=None):
    """Two subjects of two operations in sessions of their own, after their waves."""
    machine = machine or PlantedMachine()
    subjects = [subject(machine.session(), key) for key in ("one", "other")]
    for one in subjects:
        one.cells["rest"], one.each_ns["rest"] = replace(one.cells["work"], operation="rest"), 1000.0
    loop = SideBySide(
        subjects, ["work", "rest"], rules, is_known, core=core, rng=random.Random(0), what="both", tell=tell
    )
    loop.run(deadline, least=2)
    return loop


def waves_of(loop):
    """The waves that have samples."""
    return sorted({sample.wave for sample in loop.samples})


@pytest.mark.parametrize(("known", "last"), [(0, 3), (3, 3), (4, 4), (9, 6)])
def test_waves_end_when_all_is_known(known, last):
    """Not before the least number of waves, and after the greatest at any rate."""
    loop = measured(is_known=lambda samples: len({sample.wave for sample in samples}) >= known)
    assert [*range(1, last + 1)] == waves_of(loop)


def test_a_deadline_leaves_two_waves():
    """It is looked at before each further wave."""
    loop = measured(deadline=time.monotonic() - 1)
    assert [1, 2] == waves_of(loop)
    loop = measured(deadline=time.monotonic() + 600)
    assert [1, 2, 3, 4, 5, 6] == waves_of(loop)


def test_each_wave_has_processes_and_a_visit_of_its_own():
    """A process ends with its wave, and its successor prepares the subject again; operations are visited in turn."""
    machine = PlantedMachine()
    loop = measured(machine)
    assert [6, 6] == [one.session.ends for one in loop.subjects]
    assert 6 * 2 == sum(do == "prepare" for _, do, _ in machine.asked)
    visits = {(wave, 2 * wave - 2 + number) for wave in range(1, 7) for number in range(2)}
    assert visits == {(sample.wave, sample.visit) for sample in loop.samples}


def test_all_work_on_one_core():
    """Each worker is kept on it anew in every wave; without one the system decides."""
    core = max(usable_cores(), default=None)
    loop = measured(core=core)
    assert [[core] * 6] * 2 == [one.session.cores for one in loop.subjects]


def test_what_fails_is_not_visited_again():
    """The others go on; once all have failed, there is no further wave."""
    machine = PlantedMachine()
    failed = Fault("failed", "planted", fatal=False)
    machine.fault = lambda _, do, facts: failed if (do, facts.get("case")) == ("measure", "other") else None
    loop = measured(machine)
    assert (6, 1) == (len(waves_of(loop)), len(machine.batches("other")))
    machine.fault = lambda *_: failed
    loop = measured(machine)
    assert ([], [0, 0]) == (loop.samples, [one.session.ends - 1 for one in loop.subjects])


def test_each_visit_is_told():
    """With its wave, and how many there are at most."""
    told = []
    measured(tell=told.append)
    assert [Progress("both", 1 + visit // 2, visit, 12) for visit in range(12)] == told
