"""The protocol: waves, rounds, hidden duplicates, and going on where a run was cut off."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from planted import GOOD, Heard, after, case, measured

from serbench.judge.rows import rows
from serbench.judge.waves import SampleTable
from serbench.machine.platform import thread_cores
from serbench.measure.listener import Finished
from serbench.measure.session import Fault, RequestLimits, Watchdog, WorkerSession
from serbench.measure.subjects import Data, Subject, TimedCase, cell_of, prepare, reference_candidates, retry_if_killed
from serbench.render.environments import main_environment
from serbench.results import Cell, Point, Sample


@pytest.mark.slow
def test_a_run_carries_hidden_duplicates():
    """One library of two, and two of three or more, are measured under a second process as well."""
    for names, doubled in ((("one", "two"), 1), (("one", "two", "three"), 2)):
        heard = measured(*(case(name) for name in names))
        assert len({cell.library for cell in heard.known.values() if cell.control}) == doubled


@pytest.mark.slow
def test_the_very_same_code_is_measured_once():
    """Of two cases with the same code one is measured, for both; the other differs in decoding, which is measured."""
    other = GOOD.replace("def decode(blob):", "def decode(blob):\n    blob = bytes(blob)")
    heard = measured(case("one", unique=False), case("two", other, unique=False))
    copies = {
        cell.operation: cell.same_as for cell in heard.known.values() if cell.library == "two" and not cell.control
    }
    assert copies == {"encode": "one", "decode": None}
    sampled = {sample.cell for sample in heard.all_samples}
    assert {cell.id for cell in heard.known.values() if cell.same_as is None} == sampled
    rank = {(row.library, row.operation): row.rank for row in rows(list(heard.known.values()), heard.all_samples)}
    assert rank["one", "encode"] == rank["two", "encode"] == 1


@pytest.mark.slow
def test_an_interrupted_run_goes_on_without_losing_or_repeating_a_sample():
    """What was measured before stays, and each cell ends with one set of rounds per wave."""
    first = Heard(stop_after=60)
    with pytest.raises(KeyboardInterrupt):
        measured(case("one"), case("two"), case("three"), heard=first)
    finished = Finished(list(first.known.values()), SampleTable(first.all_samples))
    second = measured(case("one"), case("two"), case("three"), finished=finished)
    assert second.known.keys() == first.known.keys()
    both = first.all_samples + second.all_samples
    assert len({(s.cell, s.wave, s.visit, s.round) for s in both}) == len(both)
    for cell in second.known.values():
        waves = Counter(s.wave for s in both if s.cell == cell.id)
        assert set(waves) == {1, 2, 3, 4}
        if not cell.reference:
            assert set(waves.values()) == {8}


def test_the_budget_ends_a_run_wherever_it_is():
    """A case that would be verified for long ends with the budget and not with its time limit, and is not said to fail."""
    heard = measured(case("one"), case("slow", after(0, "import time; time.sleep(600)")), budget_s=2.0)
    assert ({"unresolved"}, []) == ({cell.status for cell in heard.known.values()}, heard.all_samples)


@pytest.mark.slow
def test_the_budget_leaves_what_was_measured(monkeypatch):
    """A budget that is used up between two waves leaves cells unresolved, with the samples that were taken."""
    used, heard = [], Heard()
    monkeypatch.setattr(Watchdog, "used_up", property(lambda _: bool(used)))
    monkeypatch.setattr(heard, "wave_done", used.append)
    measured(case("one"), case("two"), heard=heard, effort="normal", precision=0.001)
    assert {1} == {sample.wave for sample in heard.all_samples}
    assert {cell.status for cell in heard.known.values()} == {"unresolved"}


class Proofs(Heard):
    """Notes which cases were verified before the first sample."""

    def __init__(self, awaited=""):
        super().__init__()
        self.before, self.awaited = set(), awaited

    def is_awaited(self, library):
        return library == self.awaited

    def verified(self, name, _):
        self.before |= set() if self.all_samples else {name.partition(" ")[0]}


SLOW = "import time\n\ntime.sleep(2)\n" + GOOD
"""A module whose proof takes longer than to measure another once."""


@pytest.mark.slow
@pytest.mark.skipif(len(thread_cores()) < 2, reason="nothing works beside the core that measures")
@pytest.mark.parametrize(
    ("first", "options"), [("msgspec", {}), ("awaited", {}), ("other", {}), ("msgspec", {"paired": True})]
)
def test_what_is_used_most_is_measured_while_the_others_are_verified(first, options):
    """All have the same waves, and hidden duplicates; of a paired run all are visited together, so none begins."""
    heard = measured(case(first), case("one"), case("two", SLOW), heard=Proofs("awaited"), **options)
    assert ("two" in heard.before) == (first == "other" or bool(options))
    waves = {cell.library: {s.wave for s in heard.all_samples if s.cell == cell.id} for cell in heard.known.values()}
    assert ({first, "one", "two"}, [{1, 2, 3, 4}] * 3) == (waves.keys(), list(waves.values()))
    assert {"ok"} == {cell.status for cell in heard.known.values()}
    assert 2 == len({cell.library for cell in heard.known.values() if cell.control})


@pytest.mark.slow
def test_if_what_is_used_most_fails_all_others_are_verified_first():
    """There would be nothing to compare them with."""
    heard = measured(case("msgspec", "import nothing_that_is\n" + GOOD), case("one"), case("two"), heard=Proofs())
    assert {"one", "two"} == heard.before
    assert {"failed", "ok"} == {cell.status for cell in heard.known.values()}


@pytest.mark.slow
def test_the_bar_names_what_is_waited_for():
    """It says what is at work and not what was: each step is told as it begins, also that processes start."""
    heard = measured(case("one"))
    verifying, later = "verifying one via json", ["comparing the fastest", "starting processes", "sizing batches"]
    assert ["preparing the data", verifying, *later, "measuring"] == list(
        dict.fromkeys(step.what for step in heard.steps)
    )
    assert 0 == next(step.done for step in heard.steps if step.what == verifying)


def test_no_two_cases_share_a_module():
    """Two cases under one module name would time the same code twice, so they are refused."""
    with pytest.raises(ValueError, match="share the module name"):
        measured(case("one"), case("one"))


@pytest.mark.slow
def test_a_case_that_died_stays_dead_when_the_run_goes_on():
    """Its row keeps its reason, and no other cell changes its identity."""
    deadly = case("deadly", after(300, "import os; os.abort()"))
    first = Heard(stop_after=120)
    with pytest.raises(KeyboardInterrupt):
        measured(case("one"), deadly, case("three"), heard=first)
    assert first.cell("deadly").status == "crashed"
    finished = Finished(list(first.known.values()), SampleTable(first.all_samples))
    second = measured(case("one"), deadly, case("three"), finished=finished)
    for known in first.known.values():
        again = second.known[known.id]
        assert (again.case, again.operation, again.control) == (known.case, known.operation, known.control)
    assert second.cell("deadly").reason == first.cell("deadly").reason
    assert second.cell("one").status == "ok"


def test_the_name_of_a_field_is_no_work_class(tmp_path):
    """A case is fit to refer unless it loses data or ends in the format's own objects, whatever its fields are called."""
    classes = ["objects, strict", "objects, unknown (generated)", "generated objects, typed", "dicts, lossy (at: ms)"]
    session = WorkerSession(main_environment(), Watchdog(), tmp_path, RequestLimits())
    cases = []
    for words in classes:
        cell = cell_of(0, Point("w", 1, 1, 0), case("one"), "decode")
        cell.work_class = words
        data = Data("values", {}, tmp_path)
        cases.append(
            TimedCase(key="one", session=session, cells={"decode": cell}, module={}, data=data, case=case("one"))
        )
    assert cases[:2] == reference_candidates(cases, "decode")
    assert cases[2:] == reference_candidates(cases[2:], "decode")


def test_a_hidden_duplicate_leaves_with_its_original(monkeypatch):
    """If every case has failed, the run ends although the hidden duplicate of one has not."""
    heard, prepare = Heard(), TimedCase.prepare

    def fails_later(timed):
        if heard.waves and not timed.control:
            timed.fail(Fault("failed", "planted", fatal=False))
        return prepare(timed)

    monkeypatch.setattr(TimedCase, "prepare", fails_later)
    measured(case("one"), heard=heard, budget_s=60.0)
    assert heard.cell("one").reason == "planted"
    assert len(heard.waves) <= 3  # the second's processes were ready before


def test_subjects_that_are_prepared_are_frozen_even_if_the_next_process_is_lost(tmp_path):
    """A process that is killed while others are prepared leaves nobody's objects to the garbage collector."""
    asked = []

    class Session(WorkerSession):
        def ask(self, do, **arguments):
            asked.append((self, do))
            if self is second and asked.count((self, do)) == 1 and do == "prepare":
                raise Fault("memory", "killed", fatal=True, retryable=True)
            return {}

    with Watchdog() as watchdog:
        first, second = (Session(main_environment(), watchdog, tmp_path, RequestLimits()) for _ in range(2))
        subjects = [
            Subject(
                key=f"subject_{number}",
                session=worker,
                cells={},
                module={},
                data=Data("values", None, tmp_path),
            )
            for number, worker in enumerate((first, second))
        ]
        retry_if_killed(lambda: prepare(subjects))
    assert asked.count((first, "freeze")) == 1
    assert asked.count((second, "freeze")) == 1


@pytest.mark.slow
def test_samples_keep_the_batch_that_they_were_taken_with():
    """If the baseline fails when a run goes on, the fastest of the others takes its place, in batches as before."""
    names = ("one", "two", "three")
    first = Heard(stop_after=60)
    with pytest.raises(KeyboardInterrupt):
        measured(*map(case, names), heard=first, operations=("decode",))
    (baseline,) = (cell.library for cell in first.known.values() if cell.reference)
    cells = [replace(cell, loops=7) for cell in first.known.values()]
    finished = Finished(cells, SampleTable(first.all_samples))
    broken = GOOD + "\n\nraise RuntimeError('later')\n"
    cases = [case(name, broken if name == baseline else GOOD) for name in names]
    second = measured(*cases, finished=finished, operations=("decode",))
    assert "RuntimeError: later" == second.cell(baseline).reason
    timed = {sample.cell for sample in first.all_samples}
    assert {7} == {cell.loops for cell in second.known.values() if cell.id in timed and cell.library != baseline}


@pytest.mark.slow
@pytest.mark.parametrize("waits", [False, True])
def test_a_row_is_stopped_by_the_clock_that_it_is_reported_by(waits, monkeypatch):
    """What uses threads, or is an app and waits, is reported by wall time: a spread in that alone keeps its row unresolved."""
    heard = measured(case("one"), case("two"))
    (threaded,) = (c for c in heard.known.values() if c.operation == "decode" and not c.reference and not c.control)
    monkeypatch.setattr(Cell, "may_wait", property(lambda cell: waits and cell.library == threaded.library))
    samples = []
    for cell in heard.known.values():
        for wave, turn in product(range(1, 5), range(8)):
            spread, threads = (1 + wave / 4, 1 if waits else 2) if cell is threaded else (1.0, 1)
            wall = round(cell.loops * 1_000_000 * spread)
            visit = 2 * wave + (cell.operation == "decode")
            cpu = cell.loops * (100_000 if waits and cell is threaded else 1_000_000)
            process = cpu if waits else threads * wall
            samples.append(Sample(cell.id, wave, visit, turn, cpu, wall, process, 0))
    cells = [replace(cell, status="unresolved") for cell in heard.known.values()]
    resumed = measured(case("one"), case("two"), finished=Finished(cells, SampleTable(samples)), precision=0.03)
    assert [] == resumed.all_samples
    assert {threaded.id} == {
        cell.id for cell in resumed.known.values() if cell.status == "unresolved" and not cell.control
    }
    (row,) = (r for r in rows(cells, samples) if (r.library, r.operation) == (threaded.library, "decode"))
    assert ("wall", True) == (row.clock, row.ratio_high / row.ratio > 1.03)
