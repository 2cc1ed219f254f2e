"""The self-check measures what it says, with the engine that users use, and its table follows from what is stored."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from rivals import calls_made, scaled

from serbench.api.command_line.program import main
from serbench.api.selfcheck import (
    BASE,
    FACTORS,
    FULL,
    PARTS,
    PLAN,
    RIVALS,
    SETS,
    Selfcheck,
    block,
    blocks,
    loop_times,
    measured_trials,
    rendered,
    selfcheck,
)
from serbench.errors import PlanError
from serbench.judge.control import Pair, as_columns
from serbench.measure.conduct import conduct
from serbench.measure.plan import Plan
from serbench.model.data.dataset import generate
from serbench.store.recorder import Recorder
from serbench.store.store import Store

ORIGIN = {"date": "2026-01-01T00:00:00Z", "seconds": 60.0, "serbench": "0", "machine": {"cores": 2}, "quick": False}


def drawn(group, factor, count, *, sd=0.005, bias=0.0, seed=1):
    """Pairs whose ratios lie around the true one, with intervals of two standard deviations."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        ratio = factor * (1 + rng.gauss(bias, sd))
        found.append(Pair(group, str(number), factor, ratio, ratio * (1 - 2 * sd), ratio * (1 + 2 * sd), 6, 1.0))
    return found


@pytest.mark.parametrize("name", FACTORS)
def test_the_work_is_truly_scaled(name):
    """The text that scales a case's functions calls them exactly 200 times its factor."""
    assert round(200 * FACTORS[name]) == calls_made(name)


def test_a_scaled_case_is_the_case_and_its_repetition():
    """A scaled module begins with the text that every run measures, and differs from its baseline in two numbers."""
    case = rendered(SETS[0][0], generate("client", 1))
    base, more = scaled(case, BASE), scaled(case, "x1.05")
    assert base.source.startswith(case.source)
    assert base.source.replace("200", "210") == more.source


def test_blocks_differ_in_data_and_cases():
    """Each block has its own values, and the sets of cases take turns."""
    found = list(blocks((BASE, "x1.02"), 4, "hot"))
    assert 4 == len({str(one.dataset.value) for one in found})
    assert [2 * len(SETS[number % 2]) for number in range(4)] == [len(one.cases) for one in found]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(SETS)))
def test_every_case_is_proven_under_every_name(number):
    """Each scaled case keeps its data, whatever it stands for: nothing that the self-check times is unproven."""
    recorder = Recorder()
    chosen = list(blocks(tuple(FACTORS), number + 1, "hot"))[number]
    conduct(Plan(), [chosen], recorder, timed=False)
    told = {f"{c.library} {c.variant}": c.reason for c in recorder.known.values()}
    assert dict.fromkeys(told) == told
    assert len(FACTORS) * len(SETS[number]) == len(told)


@pytest.mark.full
@pytest.mark.parametrize("conditions", ["hot", "varied"])
def test_a_trial_is_a_run_of_the_engine(tmp_path, monkeypatch, conditions):
    """A block is verified, measured in waves beside hidden duplicates, and comes back as pairs: thrice the calls are found."""
    monkeypatch.setitem(FACTORS, "x1.20", 3.0)
    data = generate("client", 1)
    chosen = block((BASE, "x1.20"), data, [rendered(SETS[0][1], data)], conditions)
    (trial,) = measured_trials([chosen], tmp_path, plan=replace(PLAN, effort="quick"))
    groups = [pair.group for pair in trial.pairs]
    assert (2, 2, 4) == (groups.count("x1.20"), groups.count("again"), len(groups))
    for pair in trial.pairs:
        more = pair.group == "x1.20"
        assert pair.factor == (3 if more else 1)
        assert more == (pair.ratio > 2)
        assert 4 == pair.repeated
        assert pair.low < pair.ratio < pair.high
    assert 0 < trial.conductor_ns < trial.wall_ns
    assert [] == trial.failures


def test_the_table_follows_from_the_pairs():
    """Misses, what is found and coverage are counted over the stored pairs, and held against their targets."""
    aa = {**ORIGIN, "pairs": as_columns(drawn("again", 1.0, 600)), "conductor_ns": 5, "wall_ns": 100}
    injected = {
        **ORIGIN,
        "pairs": as_columns([p for f in ("x1.02", "x1.05", "x1.20") for p in drawn(f, float(f[1:]), 100)]),
    }
    claims = Selfcheck({"aa": aa, "injected": injected}).criteria
    assert [True] * 7 == [claim.met for claim in claims]
    assert claims[0].reached.startswith("3.5%")
    assert "1.02 times the calls took 1.0" in claims[3].reached


def test_what_misses_its_target_says_so():
    """Biased ratios, a costly conductor and a growing error are not met."""
    aa = {**ORIGIN, "pairs": as_columns(drawn("again", 1.0, 600, bias=0.01)), "conductor_ns": 11, "cpu_ns": 100}
    noisy = {
        **ORIGIN,
        "pairs": as_columns(
            drawn("quiet", 1.0, 100) + drawn("memory", 1.0, 100, sd=0.01) + drawn("same core", 1.0, 100)
        ),
    }
    found = Selfcheck({"aa": aa, "neighbours": noisy})
    assert [False, True, False, False, True] == [
        claim.met for claim in found.criteria
    ]  # a bias within the margin of ranks
    assert not found.met
    assert 3 == found.to_markdown().count("| not met |")
    worse = {**aa, "pairs": as_columns(drawn("again", 1.0, 600, bias=0.03))}
    assert [False, False, False] == [claim.met for claim in Selfcheck({"aa": worse}).criteria]


def test_a_rival_s_seconds_grow_with_what_is_missing():
    """A pair that is known to ±4% takes four times as long to ±2%; one that is known better takes what it took."""
    assert pytest.approx(4.0, rel=0.01) == Pair("x", "", 1.0, 1.0, 1 / 1.04, 1.04, 6, 1.0).seconds_to_precision
    assert 1.0 == Pair("x", "", 1.0, 1.0, 0.99, 1.01, 6, 1.0).seconds_to_precision


def test_rivals_are_counted_as_they_say():
    """The seconds of both tools, what each calls different, and how far ratios agree stand in the table."""
    ours = Pair("serbench", "f", 1.0, 1.0, 0.985, 1.015, 6, 1.0)
    theirs = [Pair(tool, "f", 1.0, 1.01, 0.995, 1.025, 20, 25.0) for tool in ("pyperf", "pytest-benchmark")]
    alone = Pair("serbench, one pair alone", "f", 1.0, 1.0, 0.99, 1.01, 6, 2.0)
    far = Pair("agreement", "f", None, 1.5, 1.49, 1.51, 6, 1.0)
    part = {
        **ORIGIN,
        "pairs": as_columns([ours, alone, *theirs]),
        "agreement": [as_columns([ours, theirs[0]]), as_columns([far, theirs[0]])],
        "called_different": {"pyperf": [1, 2], "serbench": [0, 2]},
        "versions": {"pyperf": "2", "pytest-benchmark": "5"},
    }
    claims = Selfcheck({"rivals": part}).criteria
    assert [True, True, None, None, False] == [claim.met for claim in claims]
    assert ["25×", "25.0", "1.00", "2.00"] == re.findall(r"\d+×|\d+\.\d+", claims[0].reached)
    assert ("serbench 0 of 2; pyperf 1 of 2", "50.0%") == (claims[2].reached, claims[4].reached)
    assert claims[3].reached == "serbench 1 of 1; pyperf 1 of 1; pytest-benchmark 1 of 1"
    none = Selfcheck({"rivals": {**part, "agreement": []}}).criteria[4]  # a quick one has no runs of pyperf to compare
    assert (None, "not measured by --quick") == (none.met, none.reached)


def test_the_loop_is_timed_beside_timeit(tmp_path):
    """Each process gives the nanoseconds of an empty call by either loop."""
    found = loop_times(2, tmp_path)
    assert ["serbench_ns", "timeit_ns"] == list(found)
    assert all(2 == len(times) and min(times) > 0 for times in found.values())


def test_parts_are_stored_one_by_one(tmp_path, capsys):
    """What one call measured, another tells with what is missing; without any, what is published; a part nobody knows is refused by name."""
    store = tmp_path / "store.sqlite"
    with Store(store) as opened:
        opened.put_facts({FULL + "loop": {**ORIGIN, "serbench_ns": [30.0, 30.2], "timeit_ns": [31.0, 31.1]}})
    assert {*PARTS, RIVALS} == set(selfcheck(measure=False, store=tmp_path / "empty.sqlite").parts)
    found = selfcheck(measure=False, store=store)
    assert ["loop"] == list(found.parts)
    with pytest.raises(SystemExit) as ended:
        main(["selfcheck", "--stored", "--store", str(store), "--output", str(tmp_path / "selfcheck.json")])
    assert 1 == ended.value.code
    assert "aa: not measured" in capsys.readouterr().out
    assert (tmp_path / "selfcheck.json").is_file()
    with pytest.raises(SystemExit) as ended:
        main(["selfcheck", "--stored", "--store", str(store), "--output", str(tmp_path / "none" / "selfcheck.json")])
    assert (2, 1) == (ended.value.code, capsys.readouterr().err.count("cannot be written"))
    with pytest.raises(PlanError, match="loop"):
        selfcheck(["lop"], store=store)
    assert {"aa", "injected", "neighbours", "loop"} == set(PARTS)


def test_a_text_names_parts_as_a_list_does(tmp_path):
    """One text is one part or several with commas."""
    with pytest.raises(PlanError, match="unknown part 'nope'"):
        selfcheck("loop, nope", store=tmp_path / "store.sqlite")
