"""A gate proves that a candidate is slower, or that it is not, or says that neither is proven."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from serbench.display.comparison import Gate
from serbench.judge.compare import Check, gate_checks
from serbench.results import OWN_APP, CaseId, Cell, Point, Sample

POINT = Point("client", 100, 2, 0)


def run(change: float, *, waves: int = 12, noise: float = 0.004, seed: int = 1, others: int = 0):
    """A baseline (id 0) and a candidate whose true time is `change` times its, with noise between waves."""
    rng = random.Random(seed)
    cells = [
        Cell(
            id=number,
            **vars(POINT),
            **vars(CaseId("dataclasses", "default", "orjson", "json", environment)),
            operation="encode",
            reference=number == 0,
            status="ok",
            loops=10,
        )
        for number, environment in enumerate(["old", "new", *(f"other {n}" for n in range(others))])
    ]
    samples = [
        Sample(cell.id, wave, wave, turn, taken, taken, taken, 0)
        for wave in range(1, waves + 1)
        for drift in [rng.gauss(1, 0.05)]
        for cell in cells
        for times in [(change if cell.id == 1 else 1) * rng.gauss(1, noise)]
        for turn in range(8)
        for taken in [round(1e6 * times * drift * rng.gauss(1, noise))]
    ]
    return cells, samples


@pytest.mark.parametrize(
    ("change", "verdict"), [(1.2, "slower"), (1.1, "slower"), (1.0, "fine"), (0.8, "fine"), (1.05, "undecided")]
)
def test_verdicts(change, verdict):
    """A slowdown well beyond the threshold is proven, none is proven absent, one at the threshold is neither."""
    cells, samples = run(change)
    (check,) = gate_checks(cells, samples, [0], [1], 0.05)
    assert verdict == check.verdict
    assert pytest.approx(change, rel=0.02) == check.change


def test_a_few_noisy_waves_prove_nothing():
    """Where the waves differ more than the threshold, the verdict is that there is none."""
    cells, samples = run(1.0, waves=3, noise=0.08)
    assert "undecided" == gate_checks(cells, samples, [0], [1], 0.05)[0].verdict


def test_false_alarms_are_rare():
    """Identical code is called slower in fewer than 5% of 300 gates."""
    found = [gate_checks(*run(1.0, waves=6, noise=0.02, seed=seed), [0], [1], 0.0)[0].verdict for seed in range(300)]
    assert found.count("slower") < 15


def test_what_waits_is_divided_by_the_clock_of_its_rows():
    """Two apps that use the same CPU time, of which one waits for twice as long, differ as their rows do: by the wall clock."""
    cells, samples = run(2.0, noise=0.001)
    apps = [replace(cell, work_class=OWN_APP) for cell in cells]
    waiting = [sample._replace(cpu_ns=200_000, process_ns=200_000) for sample in samples]
    assert [pytest.approx(2, rel=0.02)] == [check.change for check in gate_checks(apps, waiting, [0], [1], 0.05)]


def test_what_was_visited_together_is_divided_round_by_round():
    """What disturbs a round disturbs both sides, and is none of their difference; it does not go by the reference."""
    cells, samples = run(1.02, noise=0.0, others=1)
    rng = random.Random(2)
    disturbed = {(s.wave, s.round): rng.uniform(0.5, 2) for s in samples}
    cells[0].reference, cells[2].reference = False, True
    shaken = [
        s._replace(cpu_ns=round(s.cpu_ns * (disturbed[s.wave, s.round] if s.cell < 2 else 1)), visit=s.wave)
        for s in samples
    ]
    (check,) = gate_checks(cells, shaken, [0], [1], 0.05)
    assert "fine" == check.verdict
    assert check.change_high - check.change_low < 0.001
    apart = [s._replace(visit=s.visit + 100 * (s.cell == 1)) for s in shaken]
    apart += [s._replace(visit=s.visit + 100) for s in shaken if s.cell == 2]
    (check,) = gate_checks(cells, apart, [0], [1], 0.05)
    assert pytest.approx(1.02, abs=0.01) == check.change


def test_a_candidate_that_breaks_is_no_pass():
    """Where the candidate fails and the baseline did not, the gate is broken, with the reason."""
    cells, samples = run(1.0)
    cells[1].status, cells[1].reason = "crashed", "SIGSEGV"
    (check,) = gate_checks(cells, [sample for sample in samples if sample.cell != 1], [0], [1], 0.05)
    assert "broken" == check.verdict
    assert "SIGSEGV" in str(check.reason)
    assert "" == Gate("a", "b", 0.05, (check,), least=0.12).closing().gain  # of a noisy run too


@pytest.mark.parametrize(("status", "verdict"), [("unsupported", "missing"), ("unavailable", "undecided")])
@pytest.mark.parametrize("side", [0, 1])
def test_what_is_not_there_is_not_broken(status, verdict, side):
    """A case that one side cannot have is named and leaves the verdict to the others; one not installed decides nothing."""
    cells, samples = run(1.0)
    extra = [replace(cell, id=cell.id + 2, codec="pydantic") for cell in cells]
    extra[side] = replace(extra[side], status=status, reason="there is none")
    checks = gate_checks([*cells, *extra], samples, [0, 2], [1, 3], 0.05)
    assert ["fine", verdict] == [check.verdict for check in checks]
    assert "there is none" in checks[1].reason
    assert {"missing": "fine", "undecided": "undecided"}[verdict] == Gate("a", "b", 0.05, checks).verdict


def test_two_variants_of_a_library_are_two_sides():
    """Where each side is one variant they are held against each other, whatever they are called."""
    cells, samples = run(1.2)
    cells[1] = replace(cells[1], variant="gc=False")
    assert ["slower"] == [check.verdict for check in gate_checks(cells, samples, [0], [1], 0.05)]


def test_a_baseline_that_fails_decides_nothing():
    """Where the baseline has no time, nothing is said of the candidate."""
    cells, samples = run(1.0)
    cells[0].status, cells[0].reason = "timeout", "no answer"
    assert "undecided" == gate_checks(cells, [s for s in samples if s.cell != 0], [0], [1], 0.05)[0].verdict
    cells[0].reason = None
    assert str(gate_checks(cells, [], [0], [1], 0.05)[0].reason).endswith(": timeout")


def test_the_worst_check_is_the_verdict():
    """One proven slowdown decides, and a gate without a check is undecided."""
    cells, samples = run(1.2)
    checks = gate_checks(cells, samples, [0], [1], 0.05)
    assert "slower" == Gate("a", "b", 0.05, checks).verdict
    assert "undecided" == Gate("a", "b", 0.05, ()).verdict
    closing = Gate("a", "b", 0.05, checks).closing("serbench gate")
    assert ("a: b is slower by more than 5%", "bad") == (closing.use, closing.tone)
    stored = Gate("a", "b", 0.05, checks, run="r1", store=" --store s").closing("serbench gate")
    assert ["serbench gate --effort thorough", "serbench run --stored r1 --store s"] == [closing.next, stored.next]
    assert "serbench gate --effort thorough" == Gate("a", "b", 0.05, ()).closing("serbench gate").next


def told(*changes: float, operation: str = "encode") -> str:
    """What a gate says of checks with these changes, each of a codec called a, b, c and so on, ±1%."""
    cells, _ = run(1.0)
    checks = [
        Check(replace(cells[1], codec="abcdefg"[n], operation=operation), "fine", one, one * 0.99, one * 1.01, 12)
        for n, one in enumerate(changes)
    ]
    return Gate("old", "new", 0.05, tuple(checks)).closing().gain


@pytest.mark.parametrize(
    ("changes", "gain"),
    [
        ((), ""),
        ((0.5,), r"encode 2× faster \(\S+ to \S+\)"),
        ((1.0,), "encode no proven difference"),
        ((1.0, 0.5), r"encode no proven difference via a, 2× faster \(.*\) via b"),
        ((1.0, 1.0), "encode no proven difference in 2 of 2 checks"),
        ((1.0, 1.0, 1.0), "encode no proven difference in 3 of 3 checks"),
        ((1.0, 0.5, 1.0), r"encode 2× faster \(.*\) via b, no proven difference in 2 of 3 checks"),
        ((2.0, 0.5, 0.8), r"encode 2× slower \(.*\) via a, 2× faster \(.*\) via b, 1 more between these"),
        (
            (2.0, 0.5, 0.8, 1.0, 1.5),
            r"encode 2× slower \(.*\) via a, 2× faster \(.*\) via b, no proven .* 1 of 5 checks, 2 more between these",
        ),
    ],
)
def test_the_gain_is_true_of_each_check(changes, gain):
    """Of one or two codecs each is told, of more the slowest and the fastest, and how many others prove nothing."""
    assert re.fullmatch(gain, told(*changes))


def test_checks_of_several_depths_and_variants_are_told_apart():
    """No two lines of the table, and no two checks of the JSON data, have one name."""
    cells, _ = run(1.0)
    several = [replace(cells[1], depth=depth, variant=variant) for depth in (2, 4) for variant in ("default", "slots")]
    gate = Gate("a", "b", 0.05, tuple(Check(cell, "fine", 1.0, 0.99, 1.01, 12) for cell in several))
    names = [check["name"] for check in gate.to_data()["checks"]]
    assert names == gate.table().tables[0].columns[0].cells
    assert "dataclasses[slots] via orjson, client · 100 · depth 4 · hot" == names[-1]
    assert 4 == len(set(names))


def test_what_is_only_slower_is_a_cost():
    """The closing lines call no slow-down a gain."""
    cells, samples = run(1.2)
    closing = Gate("a", "b", 0.05, gate_checks(cells, samples, [0], [1], 0.05)).closing()

    assert "a: b is slower by more than 5%" == closing.use
    assert ("", True) == (closing.gain, " slower (" in closing.cost)


def test_a_slowdown_within_the_noise_floor_fails_nobody():
    """What the same screen calls noise is no verdict; a larger slowdown is one."""
    for change, verdict in ((1.1, "undecided"), (1.3, "slower")):
        cells, samples = run(change)
        (check,) = gate_checks(cells, samples, [0], [1], 0.05, 0.116)
        assert verdict == check.verdict


def test_a_check_that_was_not_reached_blames_no_noise():
    """There is nothing that noise could hide: the run ended first."""
    cells, _ = run(1.0)
    closing = Gate("a", "b", 0.05, gate_checks(cells, [], [0], [1], 0.05)).closing()
    assert "no verdict: a check was not measured" == closing.use
    assert closing.cost.endswith("the run ended before it was measured")


def test_what_neither_can_do_is_not_judged():
    """A codec that only reads has no verdict for encoding, and does not leave the gate undecided."""
    cells, samples = run(1.0)
    extra = [replace(cell, id=cell.id + 2, codec="jiter", status="unsupported", reason="only reads") for cell in cells]
    checks = gate_checks([*cells, *extra], samples, [2, 0], [3, 1], 0.05)
    assert ["fine"] == [check.verdict for check in checks]


def test_six_slowdowns_that_are_proven_alone_are_not_proven_together():
    """Each of six codecs is slower than the threshold with a p value below 5%, and none is called so: Holm's correction counts all."""
    cells, samples = run(1.054, waves=6, noise=0.006)
    alone = gate_checks(cells, samples, [0], [1], 0.05)
    many = [replace(cell, id=cell.id + 2 * number, codec=f"codec {number}") for number in range(6) for cell in cells]
    together = gate_checks(
        many,
        [one._replace(cell=one.cell + 2 * number) for number in range(6) for one in samples],
        range(0, 12, 2),
        range(1, 12, 2),
        0.05,
    )
    assert ["slower"] == [check.verdict for check in alone]
    assert ["undecided"] * 6 == [check.verdict for check in together]
