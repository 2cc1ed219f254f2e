"""Wave medians against plain Python, sample by sample."""

import math
import statistics as plain
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serbench.judge.statistics import sample_table, wave_medians
from serbench.results import Sample

IDS = (3, 5, 40)
LOOPS = {3: 10, 5: 7}  # 40 has none, so that it has samples and no time
NS = st.sampled_from([0, 1, 900, 1000, 1090, 1100, 1110, 2500])
DTYPE = np.dtype([(name, np.int64) for name in Sample._fields])


@st.composite
def samples(draw):
    """Samples of three cells, some of which meet in a wave, visit and round; CPU clocks may have seen nothing."""
    one = st.tuples(st.sampled_from(IDS), st.integers(4, 6), st.integers(0, 2), st.integers(1, 3))
    places = draw(st.lists(one, unique=True, max_size=30))
    return [Sample(*at, draw(NS), draw(NS.filter(bool)), draw(NS), draw(st.integers(0, 3))) for at in places]


def log_time(sample, clock):
    """The log time of one call; None if the clock saw nothing."""
    elapsed = sample.cpu_ns if clock == "cpu" else sample.wall_ns
    return math.log(elapsed / LOOPS[sample.cell]) if elapsed and sample.cell in LOOPS else None


def medians(pairs):
    """Wave → the median of its values, of those that are known."""
    by_wave = defaultdict(list)
    for wave, value in pairs:
        if value is not None:
            by_wave[wave].append(value)
    return {wave: pytest.approx(plain.median(values)) for wave, values in by_wave.items()}


@given(samples(), st.dictionaries(st.sampled_from(IDS), st.sampled_from([*IDS, 99])), st.sets(st.sampled_from(IDS)))
def test_wave_medians_are_those_of_their_definition(measured, reference, may_wait):
    """Times, ratios to the sample of the reference in the same wave, visit and round, and counts are those of a plain loop."""
    found = wave_medians(measured, LOOPS, reference, may_wait)
    cells = {cell: [sample for sample in measured if sample.cell == cell] for cell in IDS}
    over = {
        cell: plain.median(s.process_ns / s.cpu_ns if s.cpu_ns else math.inf for s in several)
        for cell, several in cells.items()
        if several
    }
    waits = {
        cell
        for cell, several in cells.items()
        if several
        and cell in may_wait
        and plain.median(s.cpu_ns / s.wall_ns for s in several) < 0.5
        and plain.mean(s.switches for s in several) < 1
    }
    clocks = {cell: "wall" if value > 1.1 or cell in waits else "cpu" for cell, value in over.items()}
    times = {sample[:4]: log_time(sample, clocks[sample.cell]) for sample in measured}
    assert clocks == {cell: waves.clock for cell, waves in found.items()}
    for cell, waves in found.items():
        ratios = []
        for sample in cells[cell]:
            here, there = times[sample[:4]], times.get((reference.get(cell), *sample[1:4]))
            ratios.append((sample.wave, here - there if None not in (here, there) else None))
        assert medians((sample.wave, times[sample[:4]]) for sample in cells[cell]) == waves.log_times
        assert medians(ratios) == waves.log_ratios
        for by_wave in (waves.log_times, waves.log_ratios):  # plain numbers, which the store and JSON know
            assert {(int, float)} >= {(type(wave), type(value)) for wave, value in by_wave.items()}
        assert len(cells[cell]) == waves.samples
        assert pytest.approx(plain.median(s.cpu_ns / s.wall_ns for s in cells[cell])) == waves.cpu_over_wall
        assert pytest.approx(plain.mean(s.switches for s in cells[cell])) == waves.switches


@pytest.mark.parametrize(("process_ns", "clock"), [(1100, "cpu"), (1101, "wall")])
def test_a_tenth_more_cpu_time_is_that_of_other_threads(process_ns, clock):
    """A process that used more than 1.1 times the CPU time of its measured thread is timed by the wall clock."""
    (found,) = wave_medians([Sample(3, 0, 0, 0, 1000, 1500, process_ns, 0)], LOOPS, {}).values()
    assert clock == found.clock
    assert {0: pytest.approx(math.log((1000 if clock == "cpu" else 1500) / 10))} == found.log_times


@pytest.mark.parametrize(("cpu_ns", "switches", "clock"), [(499, 0, "wall"), (500, 0, "cpu"), (499, 1, "cpu")])
def test_a_function_that_waits_is_timed_by_the_wall_clock(cpu_ns, switches, clock):
    """It got less than half of the core although nothing interrupted it; a library that did so lacked a core."""
    sample = Sample(3, 0, 0, 0, cpu_ns, 1000, cpu_ns, switches)
    found = [wave_medians([sample], LOOPS, {}, may_wait)[3].clock for may_wait in ([3], [])]
    assert [clock, "cpu"] == found


def test_without_a_wall_time_there_is_no_share_of_the_cpu():
    """A batch too short for the wall clock has a time on the CPU clock, and no CPU time over wall time."""
    (found,) = wave_medians([Sample(3, 0, 0, 0, 1000, 0, 1000, 0)], LOOPS, {}).values()
    assert ("cpu", {0: pytest.approx(math.log(100))}) == (found.clock, found.log_times)
    assert math.isnan(found.cpu_over_wall)


@given(samples())
def test_every_form_of_the_samples_is_the_same_table(measured):
    """A list, a structured array, one that skips rows and a table of integers give the same table of eight columns."""
    table = sample_table(measured)
    assert (len(measured), 8) == table.shape
    assert [list(sample) for sample in measured] == table.tolist()
    structured = np.array(measured, dtype=DTYPE)
    for form in (structured, np.repeat(structured, 2)[::2], table):
        assert table.tolist() == sample_table(form).tolist()


def test_no_sample_is_no_wave():
    """Without samples there is no cell, and nothing fails."""
    assert {} == wave_medians([], LOOPS, {3: 5})
    assert {} == wave_medians(np.empty(0, dtype=DTYPE), LOOPS, {3: 5})


def test_a_cell_without_a_reference_has_no_ratios():
    """It is divided by no other, also not by one whose number is 0."""
    both = [Sample(cell, 0, 0, 0, 1000, 1000, 1000, 0) for cell in (0, 3)]
    assert [{}, {}] == [waves.log_ratios for waves in wave_medians(both, {0: 10, 3: 10}, {}).values()]
