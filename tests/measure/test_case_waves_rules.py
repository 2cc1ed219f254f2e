"""The rules of the waves: who is visited with whom, who leaves when, and what follows a failure, without a process."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from planted import Heard, case
from planted_sessions import POINT, PlantedMachine
from waits import LONGEST_S

from serbench.judge.waves import SampleTable
from serbench.measure import case_waves, rounds
from serbench.measure import session as sessions
from serbench.measure.case_waves import Pace, Waves
from serbench.measure.plan import Plan
from serbench.measure.session import Fault
from serbench.measure.subjects import Data, TimedCase, cell_of
from serbench.results import Sample

CRASH = Fault("crashed", "planted", fatal=True)
BOTH = ("encode", "decode")


class Planted:
    """Waves over planted cases, named as "library/codec"; a second "=" is the hidden duplicate of the one before.

    `times` are the ns of a call by name; `reference` is the name of the reference of every operation, or of each. All cells
    are to be as precise as the leader, unless `precision` is None. The libraries named in `later` are still being verified.
    """

    def __init__(
        self, times, reference, operations=BOTH, *, heavy=False, core=None, samples=(), loops=None, later=(), **plan
    ):
        self.times, self.heard, self.ids = dict(times), Heard(), count()
        self.noise = lambda name, operation, wave: 1.0
        self.machine = PlantedMachine(self.call_ns)
        self.cases, by_library = {}, {}
        for name in times:
            library, codec = name.rstrip("=").split("/")
            double = self.cases[name[:-1]] if name.endswith("=") else None
            by_library.setdefault(f"{library}=" if double else library, []).append(name)
            one = case(library)
            cells = {o: cell_of(next(self.ids), POINT, one, o, control=double is not None) for o in operations}
            for cell in cells.values():
                cell.loops = (loops or {}).get(name, max(1, round(500_000 / times[name])))
                cell.codec = codec
            self.cases[name] = TimedCase(
                key=name,
                session=None,
                cells=cells,
                module={},
                data=Data("values", {}, Path("values")),
                case=replace(one, codec=replace(one.codec, name=codec)),
                each_ns=dict.fromkeys(operations, float(times[name])),
                control=double is not None,
                double=double,
            )
            if double is not None:
                double.double = self.cases[name]
        libraries = []
        for names in by_library.values():
            session = self.machine.session()
            for name in names:
                self.cases[name].session = session
            libraries.append([self.cases[name] for name in names])
        names = reference if isinstance(reference, dict) else dict.fromkeys(operations, reference)
        references = {operation: self.cases[name] for operation, name in names.items()}
        for operation, timed in references.items():
            timed.cells[operation].reference = True
        self.files = SimpleNamespace(
            plan=Plan(operations=operations, **{"effort": "quick", "precision": 0.03, **plan}),
            session=lambda _: self.machine.session(),
            heavy=heavy,
            watchdog=SimpleNamespace(cancel=lambda: None, check=lambda: None, spending=lambda _: nullcontext()),
            operations=operations,
        )
        pace = Pace(len(self.cases), len(self.cases) * len(operations), self.files.plan.rules)
        joins = [members for members in libraries if members[0].case.library.name in later]
        first = [members for members in libraries if members not in joins]
        self.joined = []  # the number of samples at that moment

        def join():
            self.joined.append(len(self.heard.all_samples))
            return joins, references

        self.waves = Waves(
            self.files,
            self.heard,
            first,
            references,
            core,
            SampleTable(self.resumed(samples)),
            pace,
            join if later else None,
        )

    def resumed(self, samples):
        """Samples of an earlier part of the run: (name, operation, wave, visit, ns of a call)."""
        for name, operation, wave, visit, each_ns in samples:
            cell = self.cases[name].cells[operation] if name in self.cases else SimpleNamespace(id=999, loops=1)
            took = round(each_ns * cell.loops)
            for turn in range(8):
                yield Sample(cell.id, wave, visit, turn, took, took, took, 0)

    def call_ns(self, name, operation):
        """The time of a call in the present wave."""
        return self.times[name] * self.noise(name, operation, len(self.heard.waves) + 1)

    def run(self):
        """Run all waves; give the planted waves back."""
        self.waves.run()
        return self

    def cell(self, name, operation="encode"):
        return self.cases[name].cells[operation]

    def waves_of(self, name, operation="encode"):
        """Wave → the number of the cell's samples in it."""
        return Counter(s.wave for s in self.heard.all_samples if s.cell == self.cell(name, operation).id)

    def visits(self, *names, operation="encode"):
        """The visits that have samples of all of these."""
        return set.intersection(
            *({s.visit for s in self.heard.all_samples if s.cell == self.cell(name, operation).id} for name in names)
        )


def wobbling(*names, by=0.3):
    """The time of these goes up and down from wave to wave."""
    return lambda name, _, wave: 1 + by * (wave % 2) if name in names else 1.0


THREE = {"one/json": 1000, "two/json": 2000, "three/json": 3000}
TWO = {"one/json": 1000, "two/json": 2000, "two/other": 2000}


def test_every_case_is_visited_once_in_each_wave():
    """Each has eight rounds of every operation in one visit with the reference; a wave ends its processes."""
    planted = Planted(THREE, "one/json").run()
    assert [1, 2, 3, 4] == planted.heard.waves
    for operation in BOTH:
        for name in ("two/json", "three/json"):
            assert dict.fromkeys(range(1, 5), 8) == planted.waves_of(name, operation)
            assert 4 == len(planted.visits(name, "one/json", operation=operation))
    assert set(range(8)) == {s.visit for s in planted.heard.all_samples}
    by_visit = Counter((s.visit, s.cell) for s in planted.heard.all_samples)
    assert {8} == set(by_visit.values())
    assert {4} == {timed.session.ends for timed in planted.cases.values()}
    assert {"ok"} == {cell.status for timed in planted.cases.values() for cell in timed.cells.values()}


def test_cells_that_are_known_skip_later_waves():
    """They leave after the least number of waves; one that goes up and down stays to the last wave and is not known."""
    planted = Planted(THREE, "one/json", effort="normal")
    planted.noise = wobbling("three/json")
    planted.run()
    assert (range(1, 7), "ok") == (range(1, max(planted.waves_of("two/json")) + 1), planted.cell("two/json").status)
    assert [*range(1, 17)] == sorted(planted.waves_of("three/json"))
    assert "unresolved" == planted.cell("three/json").status
    assert [*range(1, 17)] == planted.heard.waves
    assert "ok" == planted.cell("one/json").status


def test_waves_end_when_all_is_known():
    """No wave comes after the last cell is known, and no process is started for it."""
    planted = Planted(THREE, "one/json", effort="normal").run()
    assert [1, 2, 3, 4, 5, 6] == planted.heard.waves
    assert 6 == max(timed.session.ends for timed in planted.cases.values())


def test_a_cell_is_known_by_the_precision_that_is_asked_for():
    """What is known to 20% is not known to 2%."""
    for precision, status in ((0.2, "ok"), (0.02, "unresolved")):
        planted = Planted(THREE, "one/json", effort="normal", precision=precision)
        planted.noise = wobbling("two/json", "three/json", by=0.1)
        planted.run()
        assert {status} == {planted.cell(name).status for name in ("two/json", "three/json")}


def test_what_cannot_lead_leaves_early():
    """Cells proven slower leave when their order of magnitude is known; one that may lead stays, and so does the user's."""
    times = {"one/json": 1000, "two/json": 1005, "three/json": 1300, "four/json": 5000, "mine/json": 9000}
    planted = Planted(times, "one/json", ("encode",), effort="normal", precision=None)
    mine = planted.cases["mine/json"]
    mine.case = replace(mine.case, library=replace(mine.case.library, user_class="mine.py:Mine"))
    planted.noise = lambda name, _, wave: 1 + {"two/json": 0.3, "four/json": 0.04}.get(name, 0) * (wave % 2)
    planted.run()
    assert [16, 3, 3, 6] == [max(planted.waves_of(name)) for name in list(times)[1:]]


def test_each_work_class_has_a_leader():
    """The fastest of another class is not compared with a faster one that does other work."""
    planted = Planted(THREE, "one/json", ("encode",), effort="normal", precision=None)
    planted.cell("three/json").work_class = "dicts, unchecked"
    planted.run()
    assert (3, 6) == tuple(max(planted.waves_of(name)) for name in ("two/json", "three/json"))


def test_an_operation_leaves_by_itself():
    """If encoding is known and decoding is not, only decoding is measured on."""
    planted = Planted(THREE, "one/json", effort="normal")
    planted.noise = lambda name, operation, wave: 1 + 0.3 * (wave % 2) * (name != "one/json" and operation == "decode")
    planted.run()
    assert (6, 16) == tuple(max(planted.waves_of("two/json", operation)) for operation in BOTH)
    assert ("ok", "unresolved") == tuple(planted.cell("two/json", operation).status for operation in BOTH)


PAIRED = {f"{name}/{codec}": 1000 + 10 * n for n, name in enumerate(("one", "two")) for codec in ("json", "other")}


@pytest.mark.parametrize("paired", [True, False])
def test_a_pair_is_visited_and_leaves_together(paired):
    """With `paired`, the cases of a codec are in one visit of each wave, and all of them stay as long as one is not known."""
    planted = Planted(PAIRED | {"ref/json": 500}, "ref/json", ("encode",), effort="normal", paired=paired)
    planted.noise = wobbling("one/json")
    planted.run()
    last = {name: max(planted.waves_of(name)) for name in PAIRED}
    assert {"one/json": 16, "two/json": 16 if paired else 6, "one/other": 6, "two/other": 6} == last
    together = {codec: len(planted.visits(f"one/{codec}", f"two/{codec}")) for codec in ("json", "other")}
    assert not paired or {"json": 16, "other": 6} == together


def test_a_pair_is_known_if_its_ratio_is():
    """Two that wobble in opposite ways are known to the reference long before their ratio is."""
    times = {"ref/other": 500, "one/json": 1000, "two/json": 1010}
    lasts = []
    for paired in (True, False):
        planted = Planted(times, "ref/other", ("encode",), effort="normal", precision=0.04, paired=paired)
        planted.noise = lambda name, _, wave: 1.0 if name == "ref/other" else 1 + 0.05 * (wave % 2 == (name < "two"))
        planted.run()
        lasts.append(max(planted.waves_of("two/json")))
    assert 6 == lasts[1] < lasts[0]


def test_a_hidden_duplicate_is_no_part_of_a_pair():
    """Its pair is that of its original, with which it leaves."""
    times = {"ref/json": 500, "one/json": 1000, "one/json=": 1000, "two/json": 1000}
    planted = Planted(times, "ref/json", ("encode",), paired=True)
    everybody = set(planted.cases.values())
    base, one, two = (planted.cases[name] for name in ("ref/json", "one/json", "two/json"))
    assert ([[base, one, two]], {one: base, two: base}) == (planted.waves.pairs, planted.waves.base_of)
    assert dict.fromkeys(everybody, everybody) == planted.waves.leave_together


def test_cases_of_different_variants_or_formats_are_no_pair():
    """Only the library or its version may differ."""
    planted = Planted(PAIRED, "one/json", paired=True)
    one = list(planted.cases.values())
    assert [[one[0], one[2]], [one[1], one[3]]] == case_waves._pairs(one)
    one[2].case = replace(one[2].case, variant="fast")
    one[3].case = replace(one[3].case, codec=replace(one[3].case.codec, format="msgpack"))
    assert [] == case_waves._pairs(one)


@pytest.mark.parametrize("wobbles", ["two/json", "two/json="])
def test_a_hidden_duplicate_and_its_original_leave_together(wobbles):
    """As long as one of the two is not known, both are measured; the others leave."""
    planted = Planted(THREE | {"two/json=": 2000}, "one/json", ("encode",), effort="normal")
    planted.noise = wobbling(wobbles)
    planted.run()
    names = ("two/json", "two/json=", "three/json")
    assert {"two/json": 16, "two/json=": 16, "three/json": 6} == {name: max(planted.waves_of(name)) for name in names}


def test_a_hidden_duplicate_is_not_measured_without_its_original():
    """If that has failed, nothing can be compared with it."""
    planted = Planted(THREE | {"two/json=": 2000}, "one/json")
    planted.cases["two/json"].fail(CRASH)
    planted.run()
    assert {} == planted.waves_of("two/json=") == planted.waves_of("two/json")
    assert 4 == len(planted.waves_of("three/json"))


def earlier(*names, last=2):
    """Samples of the first waves of an earlier part."""
    return [
        (name, o, wave, 2 * wave + n, THREE[name])
        for name in names
        for n, o in enumerate(BOTH)
        for wave in range(1, last + 1)
    ]


def test_a_resumed_run_measures_the_waves_that_are_missing():
    """Each cell gets those that it has no ratios of, and the numbers of visits go on."""
    samples = [*earlier("one/json", "two/json"), ("strange/json", "encode", 1, 70, 10)]
    planted = Planted(THREE, "one/json", samples=samples).run()
    assert [3, 4] == sorted(planted.waves_of("two/json"))
    assert [1, 2, 3, 4] == sorted(planted.waves_of("three/json"))
    assert 6 == min(s.visit for s in planted.heard.all_samples)
    assert [1, 2, 3, 4] == planted.heard.waves
    later = Planted(THREE, "one/json", samples=earlier(*THREE)).run()
    assert [3, 4] == later.heard.waves
    assert [3, 4] == sorted(later.waves_of("three/json"))


def test_a_resumed_run_that_is_whole_starts_no_process():
    """If all waves are there, nothing is prepared or timed, and no wave is told as done."""
    planted = Planted(THREE, "one/json", samples=earlier(*THREE, last=4)).run()
    assert ([], []) == (planted.heard.waves, planted.machine.asked)
    assert 0 == Planted(THREE, "one/json").waves.number


@pytest.fixture
def clock(monkeypatch):
    """The clock of the waves, which moves by what a test adds."""
    now = SimpleNamespace(s=100.0)
    for module in (rounds, case_waves):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now.s))
    return now


def test_the_time_that_is_left_is_told_from_the_first_wave(clock):
    """It falls with each visit, and in the end goes by the pace of those before."""
    planted = Planted(TWO, "one/json", ("encode",))

    def step(_, do, arguments):
        clock.s += do == "measure" and arguments["case"] != "one/json"

    planted.machine.fault = step
    planted.run()
    measuring = [one for one in planted.heard.steps if one.what == "measuring"]
    steps = [(one.wave, one.done, one.total) for one in measuring]
    assert [(wave, done, 2) for wave in (1, 2, 3, 4) for done in (0, 1)] == steps
    assert [("starting processes", wave) for wave in (1, 2, 3, 4)] == [
        (one.what, one.wave) for one in planted.heard.steps if one not in measuring
    ]
    lefts = [one.seconds_left for one in measuring]
    assert [24, 16, 8] == pytest.approx(lefts[-3:])
    assert lefts[3:] == sorted(lefts[3:], reverse=True)


def test_a_reference_that_fails_is_replaced_by_the_next_fastest():
    """All others get their full number of waves beside the new one; no hidden duplicate becomes one."""
    times = {"one/json": 1000, "three/json": 3000, "three/json=": 1500, "two/json": 2000, "four/json": 4000}
    planted = Planted(times, "one/json", ("encode",))
    planted.machine.fault = lambda _, do, a: (
        CRASH if do == "measure" and a["case"] == "one/json" and len(planted.heard.waves) == 2 else None
    )
    planted.noise = wobbling("four/json")
    planted.run()
    assert "crashed" == planted.cell("one/json").status
    assert ["two/json"] == [name for name in times if planted.cell(name).reference]
    assert [1, 2, 4, 5, 6, 7] == sorted(planted.waves.ratios[planted.cell("four/json").id])
    assert [1, 2, 4, 5] == sorted(planted.waves_of("three/json"))


def test_cells_that_have_left_come_back_if_the_reference_fails():
    """They were known against that one; against the new one they have the least number of waves as well."""
    times = {"one/json": 1000, "two/json": 2000, "two/other": 2500, "three/json": 3000, "three/other": 3500}
    planted = Planted(times, "one/json", effort="normal")
    planted.machine.fault = lambda _, do, a: (
        CRASH if do == "measure" and a["case"] == "one/json" and len(planted.heard.waves) == 7 else None
    )
    planted.noise = wobbling("three/json")
    planted.run()
    assert "crashed" == planted.cell("one/json").status
    for operation in BOTH:
        ratios = {name: planted.waves.ratios[planted.cell(name, operation).id] for name in times if name != "one/json"}
        assert all(len(ratios[name]) >= 6 for name in ("two/other", "three/json", "three/other")), ratios
        assert {"ok"} == {planted.cell(name, operation).status for name in ("two/json", "two/other", "three/other")}


def test_a_new_reference_has_a_process_for_itself():
    """It leaves that of the other cases of its library."""
    planted = Planted({"one/json": 1000, "two/json": 2000, "two/other": 3000}, "one/json", ("encode",))
    planted.machine.fault = lambda _, do, a: CRASH if do == "measure" and a["case"] == "one/json" else None
    planted.run()
    assert planted.cell("two/json").reference
    assert planted.cases["two/json"].session is not planted.cases["two/other"].session
    sessions = {a["case"]: session for session, do, a in planted.machine.asked if do == "measure"}
    assert planted.cases["two/json"].session is sessions["two/json"]


def test_a_case_alone_has_the_least_number_of_waves():
    """It is its own reference, so that its ratio is known beforehand, and its time is not."""
    planted = Planted({"one/json": 1000}, "one/json", effort="normal").run()
    for operation in BOTH:
        assert dict.fromkeys(range(1, 7), 8) == planted.waves_of("one/json", operation)
        assert "ok" == planted.cell("one/json", operation).status


def test_the_visit_of_a_reference_that_fails_does_not_count():
    """Its samples and those beside it are dropped, and its number is given again."""
    planted = Planted(THREE, "one/json", ("encode",))
    planted.machine.fault = lambda _, do, a: CRASH if do == "measure" and a["case"] == "one/json" else None
    planted.run()
    assert {} == planted.waves_of("one/json")
    assert {*range(len({s.visit for s in planted.heard.all_samples}))} == {s.visit for s in planted.heard.all_samples}


def test_a_run_ends_if_nobody_is_left_to_refer_to():
    """All others have failed with the reference, and the run is complete."""
    planted = Planted(THREE, "one/json", ("encode",))
    planted.machine.fault = lambda _, do, __: CRASH if do == "measure" else None
    planted.run()
    assert {"crashed"} == {timed.cells["encode"].status for timed in planted.cases.values()}
    assert [] == planted.heard.all_samples


def test_a_case_that_fails_leaves_the_others_alone():
    """It is not visited again, and they have all their waves."""
    planted = Planted(THREE, "one/json")
    planted.machine.fault = lambda _, do, a: CRASH if do == "measure" and a["case"] == "two/json" else None
    planted.run()
    assert 1 == len(planted.machine.batches("two/json"))
    assert dict.fromkeys(range(1, 5), 8) == planted.waves_of("three/json")


SHARED = {"one/json": 1000, "one/other": 1500, "one/third": 1600, "two/json": 2000}


def test_a_reference_has_a_process_for_itself_that_holds_the_same_cases():
    """Both processes prepare all cases of the library, and each case is timed in one of them."""
    planted = Planted(SHARED, "one/json")
    reference = planted.cases["one/json"]
    others = [planted.cases[name] for name in ("one/other", "one/third")]
    assert others[0].session is others[1].session is not reference.session
    planted.run()
    prepared = {}
    for session, do, arguments in planted.machine.asked:
        if do == "prepare":
            prepared.setdefault(session, set()).add(arguments["case"])
    ours = {"one/json", "one/other", "one/third"}
    assert {frozenset(ours), frozenset({"two/json"})} == {frozenset(keys) for keys in prepared.values()}
    assert ours == prepared[reference.session] == prepared[others[0].session]
    timed = {(session, a["case"]) for session, do, a in planted.machine.asked if do == "measure"}
    assert len(SHARED) == len(timed)


def test_a_reference_alone_in_its_library_keeps_its_process():
    """There is nobody whom it could slow."""
    planted = Planted(THREE, "one/json")
    assert 3 == len(planted.waves.by_library)
    assert 3 == len({timed.session for timed in planted.cases.values()})


def test_processes_prepare_only_what_a_wave_needs():
    """A case that is known is not prepared again, unless others are compared with it; nor is a stand-in of it."""
    planted = Planted(SHARED, "one/json", ("encode",), effort="normal")
    planted.noise = wobbling("one/third")
    planted.run()
    last = [(session, a["case"]) for session, do, a in planted.machine.asked if do == "prepare"][-4:]
    assert Counter({"one/json": 2, "one/third": 2}) == Counter(key for _, key in last)
    assert 2 == len({session for session, _ in last})


def test_a_process_that_only_holds_a_copy_of_the_reference_is_not_started():
    """When all other cases of its library are known, the reference has its own process and no other is needed."""
    planted = Planted(SHARED, "one/json", ("encode",), effort="normal")
    planted.noise = wobbling("two/json")
    planted.run()
    last = [(session, a["case"]) for session, do, a in planted.machine.asked if do == "prepare"][-4:]
    needed = [(planted.cases[name].session, name) for name in ("one/json", "two/json")]
    assert Counter(needed * 2) == Counter(last)


def test_processes_are_prepared_on_all_cores_and_timed_on_one(monkeypatch):
    """Each is freed before its cases are prepared, and pinned for the visits; so is this process."""
    pins = []
    monkeypatch.setattr(case_waves, "pinned", lambda core: pins.append(core) or nullcontext())
    planted = Planted(THREE, "one/json", core=1).run()
    assert [1] * 4 == pins
    assert {(None, 1) * 4} == {tuple(timed.session.cores) for timed in planted.cases.values()}


def test_large_objects_are_prepared_for_their_visit_alone():
    """With heavy data nothing is prepared beforehand, and a visit leaves only the references prepared."""
    planted = Planted(SHARED, "two/json", ("encode",), heavy=True).run()
    asked = [(do, a["case"]) for _, do, a in planted.machine.asked if do in ("prepare", "drop", "measure")]
    assert {"one/json", "one/other", "one/third"} == {key for do, key in asked if do == "drop"}
    held = set()
    for do, key in asked:
        held = held | {key} if do == "prepare" else held - {key} if do == "drop" else held
        assert 1 >= len(held - {"two/json"})
    light = Planted(SHARED, "two/json", ("encode",)).run()
    assert "drop" not in {do for _, do, _ in light.machine.asked}


@pytest.mark.parametrize(("each_ns", "beside"), [(999_999, True), (1_000_000, False)])
def test_the_reference_of_another_operation_is_in_each_visit_if_its_calls_are_short(each_ns, beside):
    """It encodes as well as it decodes, and its samples do not count."""
    times = {"one/json": 1000, "two/other": each_ns, "three/third": 1000}
    planted = Planted(times, {"encode": "one/json", "decode": "two/other"})
    planted.cell("two/other").status = "ok"  # so that it has no visit of its own
    planted.run()
    batches = [batch for batch in planted.machine.batches("two/other") if batch["operation"] == "encode"]
    assert beside == bool(batches)
    assert {} == planted.waves_of("two/other")
    assert dict.fromkeys(range(1, 5), 8) == planted.waves_of("three/third")


def test_batches_are_sized_anew_beside_the_reference():
    """A case gets the time of a call that it has beside the reference's; that one keeps its size."""
    planted = Planted(THREE, "one/json", loops={"two/json": 100, "three/json": 100})
    planted.times.update({"one/json": 1250, "two/json": 5000})  # all are slower than when they were calibrated
    planted.waves.size_batches()
    assert {"one/json": 500, "two/json": 125, "three/json": 208} == {n: planted.cell(n).loops for n in THREE}
    assert [] == planted.heard.all_samples
    assert {4} == {len(planted.machine.batches(name)) // 2 for name in ("two/json", "three/json")}
    steps = {(one.what, one.wave) for one in planted.heard.steps}
    assert {("starting processes", 0), ("sizing batches", 0)} == steps


def test_batches_that_have_samples_or_long_calls_keep_their_size():
    """A cell that is resumed is measured as before; with calls of 1 ms and more, sizes matter no more."""
    times = {"one/json": 1000, "two/json": 2000, "long/json": 1_000_000, "less/json": 999_999}
    samples = [("two/json", "encode", 9, 8, 2000)]
    planted = Planted(times, "one/json", ("encode",), loops=dict.fromkeys(times, 7), samples=samples)
    planted.waves.size_batches()
    assert {"one/json": 7, "two/json": 7, "long/json": 7, "less/json": 1} == {n: planted.cell(n).loops for n in times}
    assert {"one/json", "less/json"} == {batch["case"] for batch in planted.machine.batches()}


def test_a_reference_that_fails_while_sizing_leaves_the_sizes():
    """Without it nothing is known of the others."""
    planted = Planted(THREE, "one/json", ("encode",), loops=dict.fromkeys(THREE, 7))
    planted.machine.fault = lambda _, do, a: CRASH if do == "measure" and a["case"] == "one/json" else None
    planted.waves.size_batches()
    assert {7} == {planted.cell(name).loops for name in THREE}


def test_the_processes_of_the_next_wave_are_made_ready_beside_this_one(monkeypatch):
    """A wave's own sessions take them, so that only the first wave asks for preparation before its visits."""
    kept = []
    monkeypatch.setattr(sessions, "thread_cores", lambda: [0, 1])
    monkeypatch.setattr(sessions, "keep_to", kept.append)
    planted = Planted(SHARED, "two/json", ("encode",), core=1)
    own = {timed.session for timed in planted.cases.values()}
    with planted.waves.ahead:
        planted.run()
    assert [[0]] == kept
    prepared = [(session, a["case"]) for session, do, a in planted.machine.asked if do == "prepare"]
    assert len(SHARED) == sum(session in own for session, _ in prepared if session in own)
    assert 3 * len(SHARED) == sum(session not in own for session, _ in prepared)
    assert own == {session for session, do, _ in planted.machine.asked if do == "measure"}


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="a signal to one thread is POSIX's")
def test_an_interrupt_while_processes_are_made_ready_waits_for_their_end(monkeypatch):
    """Python 3.11 takes a thread for ended if Ctrl-C comes while it is joined; none may be at work when all is put away."""
    monkeypatch.setattr(sessions, "thread_cores", lambda: [0, 1])
    monkeypatch.setattr(sessions, "keep_to", lambda _: None)
    planted = Planted(THREE, "one/json", ("encode",), core=1)
    own, main = {timed.session for timed in planted.cases.values()}, threading.main_thread().ident
    at_work, awaited = [], threading.Event()

    def slow(session, do, _):
        if do == "prepare" and session not in own:
            at_work.append(session)
            if awaited.wait(LONGEST_S) and session is at_work[0]:
                time.sleep(0.2)  # for the wait to begin
                signal.pthread_kill(main, signal.SIGINT)
            time.sleep(0.2)
            at_work.remove(session)

    planted.machine.fault = slow
    made = planted.waves.ahead
    with made:
        made.begin(planted.waves.by_library)
        awaited.set()
        with pytest.raises(KeyboardInterrupt):
            made.take(planted.waves.sessions())
    assert ([], {}) == (at_work, made._made)


@pytest.mark.parametrize("where", ["sessions", "threads"])
def test_what_fails_while_processes_are_made_ready_cancels_nothing(where, monkeypatch):
    """There may be no more threads or files; the waves go on as usual."""

    def none(*_, **__):
        raise RuntimeError("no more")

    cancels = []
    monkeypatch.setattr(sessions, "thread_cores", lambda: [0, 1])
    monkeypatch.setattr(sessions, "keep_to", lambda _: None)
    planted = Planted(THREE, "one/json", ("encode",), core=1)
    planted.files.watchdog.cancel = lambda: cancels.append(1)
    if where == "sessions":
        planted.files.session = none
    else:
        submit, ours = ThreadPoolExecutor.submit, threading.current_thread()

        def submitted(*arguments):
            return (submit if threading.current_thread() is ours else none)(*arguments)

        monkeypatch.setattr(ThreadPoolExecutor, "submit", submitted)
    with planted.waves.ahead:
        planted.run()
    assert ([], {"ok"}) == (cancels, {planted.cell(name).status for name in THREE})


@pytest.mark.parametrize("wrong", [CRASH, RuntimeError("unforeseen")])
def test_a_process_that_cannot_be_made_ready_is_started_in_its_wave(wrong, monkeypatch):
    """What goes wrong beside a wave is nobody's failure and no end of the run; no process is left."""
    monkeypatch.setattr(sessions, "thread_cores", lambda: [0, 1])
    monkeypatch.setattr(sessions, "keep_to", lambda _: None)
    planted = Planted(THREE, "one/json", ("encode",), core=1)
    own = {timed.session for timed in planted.cases.values()}
    planted.machine.fault = lambda session, do, _: wrong if do == "prepare" and session not in own else None
    with planted.waves.ahead:
        planted.run()
    assert {"ok"} == {planted.cell(name).status for name in THREE}
    assert 4 * len(THREE) == sum(do == "prepare" and session in own for session, do, _ in planted.machine.asked)
    assert all(session.ends for session, do, _ in planted.machine.asked if session not in own)


def test_what_is_verified_meanwhile_joins_the_first_wave():
    """It has all waves, its batches are sized, and the reference's process of that wave goes on."""
    times = {**SHARED, "three/third": 3000, "three/json": 4000}
    planted, whole = Planted(times, "two/json", later=["three"], loops={"three/third": 1}), Planted(times, "two/json")
    reference, process = planted.cases["two/json"].session, []
    planted.machine.fault = lambda session, do, _: process.append(session.ends) if session is reference else None
    planted.waves.size_batches()
    sized = reference.ends
    planted.run()
    whole.waves.size_batches()
    whole.run()
    (before,) = planted.joined
    assert 0 < before
    assert {1} == {sample.wave for sample in planted.heard.all_samples[: before + 1]}
    assert whole.waves_of("three/third") == planted.waves_of("three/third") == dict.fromkeys(range(1, 5), 8)
    assert whole.waves_of("one/other") == planted.waves_of("one/other")
    assert whole.cell("three/third").loops == planted.cell("three/third").loops
    assert {sized, *range(sized, sized + 4)} == set(process[process.index(sized) :])
    assert [1, 2, 3, 4] == planted.heard.waves


def test_if_nothing_is_left_to_visit_the_others_join_at_once():
    """All that came first has failed; what was verified meanwhile is measured against a reference of its own."""
    planted = Planted(THREE, {"encode": "one/json"}, ("encode",), later=["two", "three"])
    planted.machine.fault = lambda _, do, a: CRASH if do == "measure" and a["case"] == "one/json" else None
    first = planted.waves.joining

    def join():
        joins, _ = first()
        return joins, {"encode": planted.cases["two/json"]}

    planted.waves.joining = join
    planted.run()
    assert [0] == planted.joined
    assert {"crashed", "ok"} == {planted.cell("one/json").status, planted.cell("three/json").status}
    assert dict.fromkeys(range(1, 5), 8) == planted.waves_of("three/json")
