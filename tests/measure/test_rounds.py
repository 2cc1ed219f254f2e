"""The size of batches, the untimed calls before them, and one visit round by round, without a process."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import fields
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted_sessions import PlantedMachine, subject

from serbench.judge import statistics
from serbench.measure.plan import Effort
from serbench.measure.rounds import (
    calibrate,
    is_finished,
    orders,
    rounds_of,
    size_batch,
    untimed_calls,
    visit,
    visit_groups,
)
from serbench.measure.session import Fault
from serbench.measure.subjects import Killed, Subject

STREAM = {"path": "documents"}
FAILED = Fault("failed", "planted", fatal=False)
LOST = Fault("memory", "planted", fatal=True, retryable=True)


@pytest.mark.parametrize(
    ("each_ns", "loops"), [(0.0, 500_000), (1.0, 500_000), (1000, 500), (300_000, 2), (340_000, 1), (9e9, 1)]
)
def test_a_batch_takes_half_a_millisecond(each_ns, loops):
    """It has as many calls as come nearest to 0.5 ms, and at least one; no call takes less than 1 ns."""
    one = subject(None)
    size_batch(one, "work", each_ns)
    assert (loops, max(each_ns, 1.0)) == (one.cells["work"].loops, one.each_ns["work"])


@pytest.mark.parametrize(
    ("each_ns", "factor", "loops"),
    [(100, 1, 256), (500_000 / 256, 1, 256), (500_000 / 257, 1, 256), (2500, 1, 200), (1000, 2, 128), (9e9, 300, 1)],
)
def test_a_batch_of_a_stream_makes_at_most_256_calls(each_ns, factor, loops):
    """The calls that a case plants count too; a batch that needs no more than 256 calls is as long as any other."""
    one = subject(None, documents=STREAM)
    one.calls = lambda operation: one.cells[operation].loops * factor
    size_batch(one, "work", each_ns)
    assert loops == one.cells["work"].loops


@pytest.mark.parametrize(("has_jit", "times"), [(False, 1), (True, 2)])
def test_a_jit_is_calibrated_again_after_its_warm_up(has_jit, times):
    """An interpreter without one is calibrated once; either gives the size of the last calibration."""
    machine = PlantedMachine()
    machine.call_ns = lambda *_: 1000.0 / sum(do == "calibrate" for _, do, _ in machine.asked)
    one = subject(machine.session(has_jit=has_jit))
    assert calibrate(one, "work")
    steps = [(do, a["operation"], a.get("target_ns"), a.get("loops")) for _, do, a in machine.asked]
    sized = ("calibrate", "work", 500_000, None)
    assert steps == ([sized, ("warm_up", "work", None, 1), sized] if has_jit else [sized])
    assert (500 * times, 1000.0 / times) == (one.cells["work"].loops, one.each_ns["work"])


@pytest.mark.parametrize("fails", ["calibrate", "warm_up"])
def test_a_subject_that_fails_meanwhile_is_not_calibrated(fails):
    """Its cell has the reason, whichever of the two requests failed."""
    machine = PlantedMachine(fault=lambda _, do, __: FAILED if do == fails else None)
    one = subject(machine.session(has_jit=True), loops=3)
    assert not calibrate(one, "work")
    assert ("planted", 3) == (one.cells["work"].reason, one.cells["work"].loops)


def test_orders_of_three_or_more_are_shuffled_and_complete():
    """Each row of the square comes once before any comes again, in another order for another seed."""
    schedules = [orders("abc", 12, random.Random(seed)) for seed in range(60)]
    for rounds in schedules:
        assert rounds[:6] == rounds[6:]
        assert 6 == len({tuple(order) for order in rounds[:6]})
    assert 50 < len({tuple(map(tuple, rounds)) for rounds in schedules})
    assert set("abc") == {rounds[0][0] for rounds in schedules}


QUEUES = st.lists(st.integers(0, 5), max_size=5)


@given(QUEUES, st.integers(0, 4), st.integers(0, 999))
def test_groups_have_one_item_of_a_queue_and_whole_matches(sizes, pairs, seed):
    """Every item is in one group with its matches, no two of a queue are, and the longest queue has a group for each item."""
    queues = [[(queue, item) for item in range(size)] for queue, size in enumerate(sizes)]
    matches = {(queue, item): item for queue, size in enumerate(sizes) for item in range(min(size, pairs))}
    groups = visit_groups(queues, random.Random(seed), matches)
    assert sorted(item for group in groups for item in group) == sorted(item for queue in queues for item in queue)
    assert all(len({queue for queue, _ in group}) == len(group) > 0 for group in groups)
    for match in set(matches.values()):
        assert 1 == len([group for group in groups if any(matches.get(item) == match for item in group)])
    if not matches:
        assert max(sizes, default=0) == len(groups)
    if len(set(sizes)) == 1:  # as every queue has each match, nobody has to make room
        assert sizes[0] == len(groups)


MATCHED = {"a": 1, "d": 1, "b": 2, "e": 2}


def test_items_meet_at_random():
    """Over many draws each item meets each of another queue, whatever their order, and matches come at any moment."""
    met, first = Counter(), Counter()
    for seed in range(300):
        groups = visit_groups([["a", "b", "c"], ["d", "e", "f"]], random.Random(seed))
        met.update(tuple(sorted(group)) for group in groups)
        first[visit_groups([["a", "b"], ["d", "e"]], random.Random(seed), MATCHED)[0][0]] += 1
    assert 9 == len(met)
    assert min(met.values()) > 60
    assert {"a", "b"} == set(first)


def test_who_has_no_match_fills_the_groups_of_others():
    """An item without a match joins a group in which its queue has nothing, before it gets one of its own."""
    for seed in range(20):
        groups = visit_groups([["a", "x"], ["b", "y"], ["z"]], random.Random(seed), {"a": 1, "b": 1})
        assert [3, 2] == sorted(map(len, groups), reverse=True) or [2, 3] == [len(group) for group in groups]
        assert any({"a", "b"} <= set(group) and not {"x", "y"} & set(group) for group in groups)


@pytest.mark.parametrize(
    ("loops", "each_ns", "rounds", "turns"),
    [
        (2, 9e9, 8, 8),
        (1, 1e6, 8, 4),
        (1, 9e9, 8, 4),
        (1, 1e6, 40, 20),
        (1, 20e6, 40, 10),
        (1, 23e6, 40, 9),
        (1, 1e9, 40, 4),
        (1, 1.0, 500_000_000, 200_000_000),
    ],
)
def test_a_subject_whose_call_fills_its_batch_has_fewer_rounds(loops, each_ns, rounds, turns):
    """It takes part in half of them, for 0.2 s at most, and in four at least; all others in every round."""
    assert turns == rounds_of(subject(None, each_ns=each_ns, loops=loops), "work", rounds)


def test_a_subject_that_was_never_sized_has_half_of_the_rounds():
    """Nothing is known of its call, so that it counts as short."""
    one = subject(None, loops=1)
    one.each_ns.clear()
    assert 20 == rounds_of(one, "work", 40)


@pytest.mark.parametrize(
    ("loops", "each_ns", "turn", "calls"),
    [
        (500, 1000, 0, 250),
        (500, 1000, 1, 250),
        (20, 10_000, 0, 10),
        (3, 160_000, 1, 1),
        (1, 9_999_999, 7, 1),
        (1, 10_000_000, 7, 0),
        (1, 10_000_000, 1, 0),
        (1, 10_000_000, 0, 1),
    ],
)
def test_half_a_batch_is_untimed(loops, each_ns, turn, calls):
    """One call comes before a batch of one; if it takes 10 ms or more, then in the first round alone."""
    assert calls == untimed_calls(subject(None, each_ns=each_ns, loops=loops), "work", turn)


@pytest.mark.parametrize(
    ("loops", "each_ns", "turn", "calls"),
    [
        (256, 1000, 0, 32),
        (128, 4000, 3, 16),
        (120, 4000, 3, 16),
        (20, 25_000, 0, 10),
        (8, 62_500, 1, 4),
        (2, 250_000, 1, 1),
        (1, 250_001, 1, 1),
        (1, 15_625.0, 1, 16),
        (1, 15_625.05, 1, 15),
        (1, 10_000_000, 1, 0),
        (1, 10_000_000, 0, 1),
    ],
)
def test_an_eighth_of_a_batch_of_a_stream_is_untimed(loops, each_ns, turn, calls):
    """And at least 16 calls, as long as these take no more than 0.25 ms."""
    one = subject(None, each_ns=each_ns, loops=loops, documents=STREAM)
    assert calls == untimed_calls(one, "work", turn)


class Requested(Subject):
    """An endpoint."""

    requested = True


@pytest.mark.parametrize(("each_ns", "loops", "untimed", "turns"), [(1e5, 40, 60, 4), (5e6, 1, 1, 20), (2e7, 1, 0, 10)])
def test_requests_have_long_batches_behind_longer_untimed_ones(each_ns, loops, untimed, turns):
    """Some milliseconds of both; requests that take longer are as other calls."""
    known = subject(None, documents=STREAM)
    one = Requested(**{field.name: getattr(known, field.name) for field in fields(Subject)})
    size_batch(one, "work", each_ns)
    assert (loops, untimed) == (one.cell("work").loops, untimed_calls(one, "work", 1))
    assert turns == rounds_of(one, "work", 40)


def visited(machine, *subjects, **options):
    """A visit of these subjects with a fixed seed."""
    return visit(subjects, "work", random.Random(0), **options)


def test_a_visit_has_eight_rounds_with_a_sample_of_each():
    """A sample has its cell, wave, visit and round, and the times of its batch as the worker told them."""
    machine = PlantedMachine(lambda key, _: {"one": 1000.0, "three": 2000.0}[key])
    one, three = subject(machine.session()), subject(machine.session(), "three", 2000.0, 250)
    samples = visited(machine, one, three, wave=5, number=7)
    for timed, each_ns in ((one, 1000), (three, 2000)):
        cell = timed.cells["work"]
        expected = [(cell.id, 5, 7, turn, *[cell.loops * each_ns] * 3, 0) for turn in range(8)]
        assert expected == [tuple(sample) for sample in samples[timed]]
    assert [250] * 8 == [batch["warmup"] for batch in machine.batches("one")]
    assert not any("start" in batch for batch in machine.batches())


def test_a_slow_subject_leaves_a_visit_early():
    """It has a sample of each of its first rounds, and the others have all of theirs; a visit of no wave is number 0 of 0."""
    machine = PlantedMachine()
    slow, quick = subject(machine.session(), "slow", 1e9, 1), subject(machine.session(), "quick")
    samples = visited(machine, slow, quick)
    assert {slow: [0, 1, 2, 3], quick: [*range(8)]} == {one: [s.round for s in each] for one, each in samples.items()}
    assert {(0, 0)} == {(s.wave, s.visit) for each in samples.values() for s in each}
    assert [1, 0, 0, 0] == [batch["warmup"] for batch in machine.batches("slow")]


def test_all_subjects_of_a_round_get_the_same_documents():
    """The documents of a round begin behind those of the round before, for the subject that needs most of them."""
    machine = PlantedMachine()
    long = subject(machine.session(), "long", 2000.0, 250, documents=STREAM)
    short = subject(machine.session(), "short", 1e6, 1, documents=STREAM)
    starts = set()
    for seed in range(3):
        machine.asked.clear()
        visit([long, short], "work", random.Random(seed))
        by_round = [batch["start"] for batch in machine.batches("long")]
        assert [250 + 31] * 7 == [later - one for one, later in pairwise(by_round)]
        assert by_round[:4] == [batch["start"] for batch in machine.batches("short")]
        assert 281 <= by_round[0] < (1 << 20) + 281
        starts.add(by_round[0])
    assert 3 == len(starts)


def test_a_round_leaves_room_for_the_untimed_calls_of_the_first():
    """A call of 10 ms has one before it in the first round alone, and its rounds are two documents apart."""
    machine = PlantedMachine()
    visit([subject(machine.session(), each_ns=2e7, loops=1, documents=STREAM)], "work", random.Random(0))
    batches = machine.batches()
    assert [1, 0, 0, 0] == [batch["warmup"] for batch in batches]
    assert [2] * 3 == [later["start"] - one["start"] for one, later in pairwise(batches)]


def test_the_first_documents_of_a_visit_are_any_of_a_million():
    """A visit begins at any of 2 ** 20 documents, and there is enough room before them for the untimed calls."""

    class Last(random.Random):
        def randrange(self, stop, *_):
            return stop - 1

    machine = PlantedMachine()
    visit([subject(machine.session(), loops=8, documents=STREAM)], "work", Last(0), rounds=1)
    assert (1 << 20) - 1 + 8 + 16 == machine.batches()[0]["start"]


def test_a_subject_that_fails_leaves_and_its_neighbours_are_prepared_again():
    """The others keep every round, those in the process that is gone too; the cell of the failed one has its reason."""
    crash = Fault("crashed", "planted", fatal=True)
    machine = PlantedMachine()
    machine.fault = lambda _, do, a: (
        crash if do == "measure" and a["case"] == "bad" and len(machine.batches()) > 5 else None
    )
    shared = machine.session()
    bad, beside, other = subject(shared, "bad"), subject(shared, "beside"), subject(machine.session(), "other")
    samples = visited(machine, bad, beside, other)
    assert {beside: 8, other: 8} == {one: len(each) for one, each in samples.items()}
    assert ("crashed", "planted") == (bad.cells["work"].status, bad.cells["work"].reason)
    assert 2 == sum(do == "prepare" and a["case"] == "beside" for _, do, a in machine.asked)
    assert 1 == sum(do == "prepare" and a["case"] == "other" for _, do, a in machine.asked)


def test_a_subject_that_failed_before_has_no_part_in_a_visit():
    """It is asked for nothing, and it has no samples."""
    machine = PlantedMachine()
    dead, good = subject(machine.session(), "dead"), subject(machine.session(), "good")
    dead.fail(FAILED)
    assert [good] == list(visited(machine, dead, good))
    assert {"good"} == {a["case"] for _, _, a in machine.asked}


def test_a_subject_that_cannot_be_warmed_up_has_no_batch():
    """Nothing of it is timed, and the visit goes on."""
    machine = PlantedMachine(fault=lambda _, do, a: FAILED if do == "warm_up" and a["case"] == "bad" else None)
    bad, good = (subject(machine.session(has_jit=True), key) for key in ("bad", "good"))
    assert [good] == list(visited(machine, bad, good))
    assert [] == machine.batches("bad")
    assert 7 == good.cells["work"].warmup_ns


def test_a_lost_process_is_forgiven_until_a_visit_succeeds():
    """Two losses in a row repeat the visit, a third is the subject's fault; a visit without one begins the count anew."""
    losses = [2]

    def lost(_, do, __):
        if do != "measure" or not losses[0]:
            return None
        losses[0] -= 1
        return LOST

    machine = PlantedMachine(fault=lost)
    one = subject(machine.session())
    for expected in (1, 2):
        with pytest.raises(Killed):
            visited(machine, one)
        assert expected == one.killed
    assert [one] == list(visited(machine, one))
    assert (0, "unresolved") == (one.killed, one.cells["work"].status)
    losses[0] = 3
    for _ in range(2):
        with pytest.raises(Killed):
            visited(machine, one)
    assert {} == visited(machine, one)
    assert "memory" == one.cells["work"].status


def test_a_visit_of_nobody_is_empty():
    """After all have failed there is nothing to time."""
    assert {} == visited(PlantedMachine())


RULES = Effort(waves_min=4, waves_max=16, precision=0.02)
NARROW, WIDE = [0.0, 0.001, 0.002, 0.001], [0.0, 0.2, 0.4, 0.1]


@pytest.mark.parametrize(
    ("series", "finished"),
    [([], True), ([NARROW], True), ([NARROW[:3]], False), ([NARROW, WIDE], False), ([WIDE, NARROW], False)],
)
def test_a_row_is_finished_if_all_its_ratios_are_known(series, finished):
    """Each needs as many waves as the effort says, and the precision that is asked for."""
    assert finished == is_finished(series, RULES.wanted, statistics.Prior(1e-6, 3.0))


def test_what_other_rows_tell_decides_with_few_waves():
    """Four waves that agree by luck are not enough if those of the other rows vary."""
    assert not is_finished([NARROW], RULES.wanted)
    assert is_finished([NARROW], RULES.wanted, statistics.Prior(1e-6, 3.0))
    assert not is_finished([NARROW], Effort(4, 16, 1e-5).wanted, statistics.Prior(1e-6, 3.0))
