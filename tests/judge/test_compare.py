"""The changes between two runs whose log ratios are set to the digit, against an independent computation."""

import math
import re
from dataclasses import replace

import pytest
import synthetic
from hypothesis import given
from hypothesis import strategies as st

from serbench.judge import statistics
from serbench.judge.compare import Relation, changes, relation, version_series
from serbench.judge.rows import rows
from serbench.judge.statistics import Estimate
from serbench.results import Sample

REFERENCE = synthetic.cell(0, "msgspec", reference=True)
CASES = [synthetic.cell(number, f"library {number}") for number in range(1, 7)]
NOISE = [0.003, -0.001, 0.002, -0.004, 0.001, -0.002, 0.004, -0.003]
LOGS = st.builds(float.__add__, st.sampled_from([0.0, 0.0, 0.03, 0.2, -0.2]), st.floats(-0.004, 0.004))


def run(name, logs, cells=None):
    """A run in which the cells have these log times by wave, the reference's being added to the others'."""
    cells = [replace(cell, loops=1) for cell in (cells or [REFERENCE, *CASES])]
    samples = [
        Sample(number, wave, 0, 0, *[round(1e10 * math.exp(value))] * 3, 0)
        for number, by_wave in logs.items()
        for wave, value in by_wave.items()
    ]
    return synthetic.run(name, [cell for cell in cells if cell.id in logs], samples, {})


def steady(*means, waves=8, reference=0.5):
    """Log times of the reference and of a case for each mean, with the same small noise in every case."""
    drift = [reference + 0.1 * wave for wave in range(waves)]  # which the ratios take out again
    cases = [{wave: drift[wave] + mean + NOISE[wave] for wave in range(waves)} for mean in means]
    return dict(enumerate([dict(enumerate(drift)), *cases]))


def by_library(changed):
    return {change.cell.library: change for change in changed}


def holm(p):
    """Holm's adjusted p values by their definition."""
    order = sorted(p, key=lambda name: p[name])
    return {
        name: min(1.0, max((len(p) - step) * p[other] for step, other in enumerate(order[: order.index(name) + 1])))
        for name in p
    }


def verdict(change):
    """What the figures of a change prove."""
    if change.p_value <= 0.05:
        return "slower" if change.change > 1 else "faster"
    return "same" if change.change_low >= 0.95 and change.change_high <= 1.05 else "undecided"


@given(st.data(), st.integers(1, 5), st.integers(2, 8), st.integers(2, 8))
def test_changes_are_those_of_their_definition(data, cases, waves_a, waves_b):
    """Each run's ratios have intervals by the prior of that run, their difference is Welch's, and Holm corrects all cases."""
    # waves that do not differ at all differ by rounding once they have been times, which decides what is fitted to them
    differing = [
        st.lists(LOGS, min_size=waves, max_size=waves).filter(lambda one: max(one) - min(one) > 1e-6)
        for waves in (waves_a, waves_b)
    ]
    logs = [[data.draw(one) for _ in range(cases)] for one in differing]
    runs = [
        run("r", {0: dict.fromkeys(range(8), 0.3), **{n + 1: dict(enumerate(one)) for n, one in enumerate(side)}})
        for side in logs
    ]
    estimates = []
    for side in logs:
        prior = statistics.fit_prior(side)
        estimates.append([statistics.estimate(one, prior) for one in side])
    expected = {n + 1: statistics.change(a, b) for n, (a, b) in enumerate(zip(*estimates, strict=True))}
    p_values = holm({number: statistics.p_beyond(one) for number, one in expected.items()})
    measured = [change for change in changes(*runs) if change.verdict != "reference"]
    assert set(expected) == {change.cell.id for change in measured}
    for change in measured:
        one = expected[change.cell.id]
        figures = [math.exp(value) for value in (one.mean, one.low, one.high)]
        assert pytest.approx(figures, rel=1e-6) == [change.change, change.change_low, change.change_high]
        assert pytest.approx(p_values[change.cell.id], rel=1e-3, abs=1e-6) == change.p_value
        assert verdict(change) == change.verdict


def test_six_cases_that_are_proven_alone_are_not_proven_together():
    """Each of six cases has a p value below 5%, and none is called slower, because Holm's correction counts them all."""
    one = by_library(changes(run("a", steady(0.0)), run("b", steady(0.0136))))["library 1"]
    six = changes(run("a", steady(*[0.0] * 6)), run("b", steady(*[0.0136] * 6)))
    assert "slower" == one.verdict
    assert 0.05 / 6 < one.p_value < 0.05
    assert {"reference", "same"} == {change.verdict for change in six}


@pytest.mark.parametrize(
    ("mean", "half", "expected"),
    [
        (0.0, 0.048, "same"),
        (0.02, 0.028, "same"),
        (0.02, 0.03, "undecided"),  # up to 5.1% slower
        (-0.02, 0.031, "same"),
        (-0.02, 0.032, "undecided"),  # up to 5.07% faster
        (0.0, 0.06, "undecided"),
    ],
)
def test_the_same_is_certain_to_be_within_five_per_cent(monkeypatch, mean, half, expected):
    """A change is the same if both ends of its interval are within 5%, and undecided if either is not."""
    monkeypatch.setattr(statistics, "change", lambda *_: Estimate(mean, half, 9.0, 8))
    monkeypatch.setattr(statistics, "p_beyond", lambda _: 0.9)
    assert expected == by_library(changes(run("a", steady(0.0)), run("b", steady(0.0))))["library 1"].verdict


@pytest.mark.parametrize(
    ("p", "mean", "expected"), [(0.05, 0.3, "slower"), (0.05, -0.3, "faster"), (0.0501, 0.3, "undecided")]
)
def test_a_change_is_proven_at_five_per_cent(monkeypatch, p, mean, expected):
    """A p value of just 5% is a proof, whichever way the change goes."""
    monkeypatch.setattr(statistics, "p_beyond", lambda _: p)
    assert expected == by_library(changes(run("a", steady(0.0)), run("b", steady(mean))))["library 1"].verdict


def test_what_is_proven_comes_first():
    """Changes are in the order slower, faster, undecided, same, reference and missing, each in the order of the runs."""
    a = steady(0.0, 0.0, 0.0, 0.0, 0.0)
    b = steady(0.0, 0.2, -0.2, 0.2, 0.0)
    b[1] = {wave: value + 0.1 * (-1) ** wave for wave, value in a[1].items()}  # which leaves much open
    del b[5]
    measured = changes(run("a", a), run("b", b | {6: b[0]}))
    assert [
        ("slower", 2),
        ("slower", 4),
        ("faster", 3),
        ("undecided", 1),
        ("reference", 0),
        ("missing", 5),
        ("missing", 6),
    ] == [(change.verdict, change.cell.id) for change in measured]


def test_more_references_allow_a_firmer_prior():
    """The cells of two operations, each with a reference, tell of the variance as those of two references do."""
    cells = [REFERENCE, *CASES]
    cells += [replace(cell, id=cell.id + 10, operation="encode") for cell in cells]
    logs = steady(*[0.0] * 6, waves=3)
    ratios = [NOISE[:3]] * 12
    priors = [statistics.fit_prior(ratios, references=count) for count in (1, 2, 3)]
    assert [8, 16, 24] == [prior.df for prior in priors]
    assert priors[0] == statistics.fit_prior(ratios)
    one = statistics.estimate(NOISE[:3], priors[1])
    runs = [run(name, logs | {number + 10: by_wave for number, by_wave in logs.items()}, cells) for name in "ab"]
    measured = by_library(changes(*runs))["library 1"]
    assert pytest.approx(math.exp(statistics.change(one, one).high), abs=1e-6) == measured.change_high


def test_each_operation_has_its_base():
    """Decoding is divided by the reference of decoding, encoding by that of encoding."""
    encoding = [replace(cell, id=cell.id + 10, operation="encode") for cell in (REFERENCE, CASES[0])]
    logs = steady(0.0)
    a = run("a", logs | {n + 10: by_wave for n, by_wave in logs.items()}, [REFERENCE, CASES[0], *encoding])
    slow = {10: logs[0], 11: {wave: value + 0.3 for wave, value in logs[1].items()}}
    b = run("b", logs | slow, [REFERENCE, CASES[0], *encoding])
    found = {change.cell.id: change for change in changes(a, b)}
    assert ["reference", "reference"] == [found[0].verdict, found[10].verdict]
    assert ("same", "slower") == (found[1].verdict, found[11].verdict)
    assert " decode " in found[1].base
    assert " encode " in found[11].base


@pytest.mark.parametrize(
    ("reference_a", "reference_b", "base"),
    [(1, 2, 1), (2, 1, 2), (9, 2, 2), (9, 9, 3)],  # 9: the run's reference is not in the other run
)
def test_the_base_is_the_reference_that_both_have(reference_a, reference_b, base):
    """Both runs are divided by A's reference, else by B's, else by the case that both know best."""
    logs = steady(0.0, 0.0, 0.0)
    shorter = {
        number: {wave: value for wave, value in one.items() if wave < 5 or number == 3} for number, one in logs.items()
    }
    shorter[1] = logs[1]  # A knows it as well as case 3, B does not
    less = shorter | {1: {wave: value for wave, value in logs[1].items() if wave < 4}}

    def side(name, reference, known):
        cells = [replace(cell, reference=cell.id == reference) for cell in CASES[:3]]
        return run(name, {number: known[number] for number in (1, 2, 3)}, cells)

    found = by_library(changes(side("a", reference_a, shorter), side("b", reference_b, less)))
    assert "reference" == found[f"library {base}"].verdict
    assert {"reference", "same", "undecided"} >= {change.verdict for change in found.values()}


def test_a_hidden_duplicate_is_no_case():
    """Controls are neither compared nor listed."""
    double = replace(CASES[0], id=5, control=True)
    logs = steady(0.0)
    runs = [run(name, logs | {5: logs[1]}, [REFERENCE, CASES[0], double]) for name in "ab"]
    assert [0, 1] == sorted(change.cell.id for change in changes(*runs))


@pytest.mark.parametrize(
    ("facts", "waves", "reason"),
    [
        ({"status": "crashed", "reason": "SIGSEGV"}, 8, "crashed.*SIGSEGV$"),
        ({"status": "unresolved"}, 0, "unresolved.*no sample"),
        ({"status": "unresolved"}, 8, None),
        ({}, 0, "ok.*no sample"),
    ],
)
def test_a_case_without_a_time_has_a_reason(facts, waves, reason):
    """What failed is not compared, even if it has samples, and what has none is not, even if it did not fail."""
    logs = steady(0.0)
    cells = [REFERENCE, replace(CASES[0], **facts)]
    b = run("b", {0: logs[0], 1: {wave: value for wave, value in logs[1].items() if wave < waves}}, cells)
    change = by_library(changes(run("a", logs), b))["library 1"]
    assert ("missing" if reason else "same") == change.verdict
    assert (change.change is None) == (reason is not None)
    assert re.match(f"run B.*{reason}", change.reason) if reason else change.reason is None


@pytest.mark.parametrize("lacking", ["a", "b", "both"])
def test_a_case_that_never_met_the_reference_has_no_ratio(lacking):
    """A case whose waves in either run are not those of the base is missing, and the reason says so."""
    logs = steady(0.0)
    elsewhere = logs | {1: {wave + 20: value for wave, value in logs[1].items()}}
    sides = [run(name, elsewhere if lacking in (name, "both") else logs) for name in "ab"]
    change = by_library(changes(*sides))["library 1"]
    assert "missing" == change.verdict
    assert "baseline" in change.reason


def test_a_case_that_neither_run_measured_has_both_reasons():
    """Of a case that failed in both runs both reasons are told, and of one that only one run has which."""
    failed = [replace(CASES[0], status="failed", reason=f"{name} is broken") for name in "ab"]
    a, b = (run(name, steady(0.0), [REFERENCE, cell]) for name, cell in zip("ab", failed, strict=True))
    assert re.match("run A.*a is broken.*run B.*b is broken$", by_library(changes(a, b))["library 1"].reason)
    for having, logs in (("B", (steady(), steady(0.0))), ("A", (steady(0.0), steady()))):
        change = by_library(changes(*map(run, "ab", logs)))["library 1"]
        assert f"only in run {having}" == change.reason


@pytest.mark.parametrize(
    ("sha_a", "sha_b", "changed"),
    [("x", "y", True), ("x", "x", False), (None, "y", False), ("x", None, False), (None, None, False)],
)
def test_a_source_is_changed_if_both_are_known_and_differ(sha_a, sha_b, changed):
    """A run that does not know its source tells of no change of it; each side tells its version."""
    sides = [
        run(name, steady(0.0), [REFERENCE, replace(CASES[0], source_sha256=sha, version=version)])
        for name, sha, version in (("a", sha_a, "1.0"), ("b", sha_b, "2.0"))
    ]
    change = by_library(changes(*sides))["library 1"]
    assert (changed, "1.0", "2.0") == (change.source_changed, change.version_a, change.version_b)
    (only,) = [change for change in changes(run("a", {}), sides[1]) if change.cell.id == 1]
    assert (False, None, "2.0") == (only.source_changed, only.version_a, only.version_b)


def test_versions_are_measured_from_the_first_that_has_a_time():
    """They are in the order of their ages, whatever that of the cells; one that has no version is the oldest."""
    versions = ["2.10", None, "2.9", "2.8"]
    cells = [
        synthetic.cell(n, "msgspec", version=one, environment=f"msgspec=={one}", reference=n == 0)
        for n, one in enumerate(versions)
    ]
    cells[1] = replace(cells[1], status="unavailable", reason="no wheel")
    measured = [(cells[0], 40e3), (cells[2], 20e3), (cells[3], 10e3)]
    (series,) = version_series(cells, synthetic.measure(measured), ["msgspec"])

    assert [None, "2.8", "2.9", "2.10"] == [step.row.version for step in series.steps]
    absent, first, *others = series.steps
    assert (None, 1.0, 1.0) == (absent.change, first.change, first.change_low)
    assert [pytest.approx(2, rel=0.05), pytest.approx(4, rel=0.05)] == [step.change for step in others]
    assert all(step.change_low < step.change < step.change_high for step in others)


def test_a_row_is_related_by_ratios_or_else_by_times():
    """A ratio of nothing has no logarithm; a row over itself is 1, without an interval around it."""
    cells = [synthetic.cell(n, f"library {n}", reference=n == 0) for n in range(3)]
    _, one, other = rows(cells, synthetic.measure([(cell, 10e3 * (cell.id + 1)) for cell in cells]))
    both = relation(other, one)

    assert both.low < both.ratio < both.high
    assert pytest.approx(1.5, rel=0.05) == both.ratio
    assert Relation(1.0, 1.0, 1.0) == relation(one, one)
    for name in ("ratio", "ratio_low", "ratio_high"):
        assert Relation(other.time_ns / one.time_ns) == relation(other, replace(one, **{name: 0.0}))
