"""Rows, the control and the warnings of runs whose truth is known."""

import json
import math
import re
from dataclasses import fields, replace

import numpy as np
import pytest
import synthetic
from synthetic import TIMES

from serbench.display import words
from serbench.display.result_table import warnings
from serbench.display.values import csv_text
from serbench.judge.control import control
from serbench.judge.rows import COLUMNS, SHARE, Row, as_data, by_column, from_columns
from serbench.judge.rows import rows as rows_of
from serbench.judge.waves import cell_waves
from serbench.results import CELL_COLUMNS, FLOOR, Cell, Point, Sample

DESIGN_KEYS = [
    "workload",
    "records",
    "depth",
    "seed",
    "library",
    "variant",
    "version",
    "environment",
    "codec",
    "format",
    "operation",
    "work_class",
    "status",
    "reason",
    "time_ns",
    "time_ns_low",
    "time_ns_high",
    "time_per_record_ns",
    "ratio",
    "ratio_low",
    "ratio_high",
    "rank",
    "waves",
    "samples",
    "size_bytes",
    "size_gzip_bytes",
    "size_zstd_bytes",
    "source_sha256",
]
FIGURES = [*DESIGN_KEYS[DESIGN_KEYS.index("time_ns") : -1], "mb_per_s", "cpu_over_wall"]


def by_id(cells, samples, **options):
    rows = rows_of(cells, samples, **options)
    named = {(c.library, c.variant, c.codec, c.operation): c.id for c in cells if not c.control}
    return {named[row.library, row.variant, row.codec, row.operation]: row for row in rows}


def test_rows_have_the_designs_keys_in_order():
    """The JSON keys are the promised ones, in their order, before any others."""
    assert DESIGN_KEYS == list(COLUMNS[: len(DESIGN_KEYS)])


def test_every_field_is_a_column():
    """A field of a row is left out of its data only if it says nothing of the result."""
    assert {*COLUMNS, *SHARE, "id", "loops", "control", "takes_part", "also", "rewritten"} == {
        field.name for field in fields(Row)
    }
    assert len(COLUMNS) == len(set(COLUMNS))
    assert sorted(CELL_COLUMNS) == sorted(field.name for field in fields(Cell))


def test_times_and_ratios_are_the_true_ones(cells, samples):
    """Every time and ratio lies near its known truth, inside an interval that is around it."""
    rows = by_id(cells, samples)
    for number in range(6):
        row, time_ns = rows[number], TIMES[number]
        assert pytest.approx(time_ns, rel=0.02) == row.time_ns
        assert pytest.approx(time_ns / TIMES[0], rel=0.03) == row.ratio
        assert row.time_ns_low < row.time_ns < row.time_ns_high
        assert pytest.approx(row.time_ns / 100) == row.time_per_record_ns
        assert pytest.approx(20_000 / row.time_ns * 1000) == row.mb_per_s
        assert ("cpu", 8) == (row.clock, row.waves)


def test_the_reference_is_exactly_one(cells, samples):
    """The reference's ratio is 1 without an interval: it is what the others are measured in."""
    row = by_id(cells, samples)[0]
    assert (True, 1.0, 1.0, 1.0) == (row.reference, row.ratio, row.ratio_low, row.ratio_high)


def test_duplicates_are_hidden(cells, samples):
    """A control cell gives no row."""
    assert len(cells) - 1 == len(rows_of(cells, samples))


def test_work_classes_are_ranked_apart_unless_asked(cells, samples):
    """Each work class has its own first rank; asked for, there is one ranking with ties."""
    assert {0: 1, 1: 2, 2: 1, 3: 1, 4: 3, 5: 1} == {i: r.rank for i, r in by_id(cells, samples).items() if r.measured}
    across = by_id(cells, samples, across_classes=True)
    assert {0: 1, 5: 2, 2: 3, 3: 3, 1: 5, 4: 6} == {i: r.rank for i, r in across.items() if r.measured}


def test_without_a_measurement_there_is_a_reason_and_no_figure(cells, samples):
    """A crashed case and one that the run never came to have reasons, and None wherever a figure would stand."""
    rows = by_id(cells, samples)
    for number, status, reason in ((7, "crashed", "SIGSEGV"), (8, "unavailable", "the run ended before")):
        assert status == rows[number].status
        assert rows[number].reason.startswith(reason)
        assert {None} == {getattr(rows[number], name) for name in FIGURES}


def test_a_crash_after_some_waves_has_no_time(cells, samples):
    """Samples from before a crash give no time: the case failed."""
    cells[1].status = "crashed"
    row = by_id(cells, samples)[1]
    assert (None, "crashed; no reason was recorded") == (row.time_ns, row.reason)


def test_lists_and_arrays_give_the_same_rows(cells, samples):
    """Samples may be a list or the store's structured array, in any order."""
    array = np.array(samples[::-1], dtype=np.int64).view([(name, np.int64) for name in Sample._fields])
    assert rows_of(cells, samples) == rows_of(cells, array)


def test_no_sample_gives_rows_with_reasons(cells):
    """Before the first wave there is a table already, without figures."""
    rows = rows_of(cells, [])
    assert {False} == {row.measured for row in rows}
    assert all(row.reason for row in rows)
    assert [] == rows_of([], [])


def test_the_first_wave_has_wide_intervals(cells):
    """After one wave the ratios stand with intervals of several per cent that hold the truth."""
    samples = synthetic.measure([(c, TIMES[c.id]) for c in cells if c.id in TIMES], waves=1)
    row = by_id(cells, samples)[1]
    assert row.ratio_low < 7 < row.ratio_high
    assert row.ratio_high / row.ratio > 1.03


def test_cases_that_left_early_have_fewer_waves(cells):
    """A case that left after six of ten waves reports six and its own samples."""
    waves = dict.fromkeys(TIMES, 10) | {1: 6}
    samples = synthetic.measure([(c, TIMES[c.id]) for c in cells if c.id in TIMES], waves=waves)
    rows = by_id(cells, samples)
    assert (6, 48, 10) == (rows[1].waves, rows[1].samples, rows[2].waves)


def test_threads_are_timed_by_the_wall_clock(cells):
    """A library whose process uses more CPU than its thread is timed by the wall clock, and marked."""
    pairs = [(c, TIMES[c.id]) for c in cells if c.id in TIMES]
    row = by_id(cells, synthetic.measure(pairs, threads=frozenset({1})))[1]
    assert "wall" == row.clock
    assert pytest.approx(210e3 / 4 * 1.01, rel=0.02) == row.time_ns


def test_a_clock_too_coarse_for_a_batch_gives_way_to_the_wall(cells, samples):
    """Where the CPU clock reads zero the wall clock is used, and no figure is infinite."""
    coarse = [s._replace(cpu_ns=0, process_ns=0) for s in samples]
    row = by_id(cells, coarse)[1]
    assert ("wall", True) == (row.clock, math.isfinite(row.ratio))


def test_without_a_reference_there_are_times_and_ranks(cells, samples):
    """If the reference failed its point keeps times and ranks, without ratios."""
    cells[0].status, cells[0].reference = "crashed", False
    rows = by_id(cells, [s for s in samples if s.cell != 0])
    assert (None, 1, 3) == (rows[2].ratio, rows[2].rank, rows[4].rank)


def test_a_sample_without_its_reference_beside_it_has_no_ratio():
    """Ratios are only of samples of one wave, visit and round; medians are over those."""
    one = synthetic.cell(0, "a", reference=True, loops=1)
    two = synthetic.cell(1, "b", loops=2)
    samples = [Sample(0, 0, 0, 0, 100, 100, 100, 0), Sample(1, 0, 0, 0, 600, 600, 600, 0)]
    samples += [Sample(1, 0, 1, 0, 900, 900, 900, 0), Sample(1, 1, 0, 0, 700, 700, 700, 0)]
    waves = cell_waves([one, two], samples)
    assert {0: pytest.approx(math.log(3))} == waves[1].log_ratios
    assert {0: pytest.approx((math.log(300) + math.log(450)) / 2), 1: pytest.approx(math.log(350))} == waves[
        1
    ].log_times


def test_points_and_operations_are_ranked_apart(cells, samples):
    """The same cases at another size have their own ranking, and rows come in the order of the points."""
    other = Point("client", 10_000, 2, 0)
    more = [replace(c, id=c.id + 100, **vars(other), loops=0) for c in cells]
    samples = samples + synthetic.measure([(c, TIMES[c.id - 100] * 90) for c in more if c.id - 100 in TIMES])
    rows = rows_of(cells + more, samples)
    assert [100] * 8 + [10_000] * 8 == [row.records for row in rows]
    assert sorted(r.rank for r in rows[:6]) == sorted(r.rank for r in rows[8:14])


def test_control_measures_identical_code(cells, samples):
    """The A/A error of a calm run is small, over as many cases as there are duplicates."""
    found = control(cells, samples)
    assert (1, True) == (found["aa_cases"], found["aa_error"] < 0.02)
    assert {"aa_error", "aa_miss_rate", "aa_cases"} == set(found)
    assert 0 == control(cells[:2], samples)["aa_cases"]


def test_control_notices_a_biased_duplicate(cells):
    """Were duplicates 5% slower for being second, the control would show an error of 5% and a miss."""
    times = TIMES | {6: TIMES[6] * 1.05}
    samples = synthetic.measure([(c, times[c.id]) for c in cells if c.id in times], waves=8)
    found = control(cells, samples)
    assert pytest.approx(0.05, abs=0.015) == found["aa_error"]
    assert 1.0 == found["aa_miss_rate"]


def test_control_misses_at_the_nominal_rate():
    """Over 400 duplicates in runs of four waves 2–8% of the intervals miss."""
    base = synthetic.cell(0, "msgspec", reference=True)
    cells = [base]
    for i in range(1, 401):
        cells += [
            synthetic.cell(2 * i, f"lib{i}"),
            replace(synthetic.cell(2 * i + 1, f"lib{i}"), control=True),
        ]
    samples = synthetic.measure([(c, 50e3) for c in cells], waves=4, process_sd=0.015)
    assert 0.02 <= control(cells, samples)["aa_miss_rate"] <= 0.08


def test_warnings_are_few_and_name_the_worst(cells, samples):
    """Each kind of trouble is one line that names at most three cells, the worst first."""
    disturbed = [s._replace(wall_ns=s.cpu_ns * 2, switches=3) if s.cell in (1, 2, 3, 5) else s for s in samples]
    lines = warnings(cells, disturbed, {"usable_cores": 2}, gc="off")
    shortfall, switches, one_call, gc = lines
    assert shortfall.startswith("4 of 6 rows got less than 97% of the core")
    assert shortfall.endswith("and 1 more)")
    assert "switches per batch: " in switches
    assert "one call a batch" in one_call
    assert "marshmallow/json decode client 100 hot 2.4" in one_call
    assert "garbage collector: off while timing" == gc


def test_a_warning_names_functions_as_their_table_does(cells, samples):
    """What `compare` times has no codec and no data: its name is enough, with the operation of a pair."""
    own = [replace(cell, library=f"way{cell.id}", codec="", operation="call") for cell in cells]
    own[2] = replace(own[2], operation="encode")
    disturbed = [s._replace(wall_ns=s.cpu_ns * 2) if s.cell in (1, 2) else s for s in samples]
    (line,) = (one for one in warnings(own, disturbed, {"usable_cores": 2}) if "of the core" in one)
    assert {"way1 50%", "way2 encode 50%"} == set(
        line.partition("wall time): ")[2].removesuffix(")").split(", ")
    ) or line


def test_no_figure_of_a_warning_is_rounded_to_its_limit(cells, samples):
    """A row with 96.97% of the core got less than 97%, and says so; other figures have few decimals."""
    short = [s._replace(wall_ns=s.cpu_ns / {1: 0.9697, 2: 0.964}.get(s.cell, 1.0)) for s in samples]
    (line,) = (one for one in warnings(cells, short, {"usable_cores": 2}) if "of the core" in one)
    assert ["96%", "96.97%"] == re.findall(r"[\d.]+%(?=[,)])", line)


def test_a_calm_run_on_a_pinned_machine_warns_of_nothing(cells, samples):
    """Without trouble there is no line."""
    calm = [s for s in samples if s.cell != 4]
    assert [] == warnings(cells, calm, {"usable_cores": 1, "governor": "performance"})


def test_warnings_of_waves_speed_and_platform(cells):
    """Restless waves, operations of nanoseconds, a missing affinity and a varying clock are each told."""
    times = TIMES | {1: 20.0}
    samples = synthetic.measure([(c, times[c.id]) for c in cells if c.id in times], process_sd=0.12)
    lines = "\n".join(warnings(cells, samples, {"governor": "powersave", "power": "battery"}))
    assert "between repetitions" in lines
    assert "take under 50 ns" in lines
    assert "pydantic/pydantic decode client 100 hot 2" in lines
    assert "not pinned" in lines
    assert "governor powersave" in lines
    assert "the machine ran on battery" in lines


def test_times_and_ratios_never_contradict_each_other(cells, samples):
    """A row's time is its ratio times the reference's time, also if the row missed the waves in which the machine was slow."""
    slow = [s._replace(cpu_ns=2 * s.cpu_ns, wall_ns=2 * s.wall_ns, process_ns=2 * s.process_ns) for s in samples]
    shaken = [two if one.wave == 0 and one.cell in (0, 1) else one for one, two in zip(samples, slow, strict=True)]
    kept = [one for one in shaken if (one.cell, one.wave) != (1, 0)]
    found = [row for row in rows_of(cells, kept) if row.measured]
    (reference,) = [row for row in found if row.reference]
    for row in found:
        assert pytest.approx(row.ratio * reference.time_ns) == row.time_ns
        assert row.time_ns_low <= row.time_ns <= row.time_ns_high
    in_class = [row for row in found if row.work_class == reference.work_class and row.rank]
    assert sorted(in_class, key=lambda row: row.time_ns) == sorted(in_class, key=lambda row: row.ratio)


def test_rows_come_back_from_their_columns():
    """The rows are those that were packed, with floats to six digits; a failed one keeps its reason."""
    cells = [synthetic.cell(number, name, reference=number == 0) for number, name in enumerate(("msgspec", "pydantic"))]
    table = rows_of(cells, synthetic.measure([(one, 1e5 * (one.id + 1)) for one in cells]))
    table.append(replace(table[0], library="gone", status="failed", reason="told so", time_ns=None, rank=None))
    back = from_columns(json.loads(json.dumps(by_column(table))))
    assert [as_data(row) for row in table] == [as_data(row) for row in back]


def test_the_share_of_an_endpoint_is_what_its_floor_does_not_take():
    """The planted share is found within two points, inside of its interval; neither the floor nor another framework has one."""
    floor, half, alone = (
        synthetic.cell(0, "starlette", variant=FLOOR, codec=FLOOR, operation="encode", takes_part=False),
        synthetic.cell(1, "starlette", codec="json", operation="encode", reference=True),
        synthetic.cell(2, "flask", codec="json", operation="encode"),
    )
    cells = [floor, half, alone]
    found = by_id(cells, synthetic.measure([(floor, 40e3), (half, 100e3), (alone, 90e3)]))
    assert found[1].share == pytest.approx(0.6, abs=0.02)
    assert found[1].share_low < 0.6 < found[1].share_high
    assert (found[0].share, found[2].share, found[0].rank) == (None, None, None)
    assert csv_text(list(found.values())).splitlines()[0].endswith(",share,share_low,share_high")
    back = from_columns(json.loads(json.dumps(by_column([*found.values()]))))
    assert [as_data(row) for row in back] == [as_data(row) for row in found.values()]
    assert words.OF_ENDPOINTS in words.footnotes(found.values())
    assert words.PROBED not in words.footnotes(found.values())
    assert set(COLUMNS) == as_data(found[0]).keys() == as_data(found[1]).keys() - {"share", "share_low", "share_high"}


def test_an_endpoint_that_shares_no_wave_with_its_floor_has_no_share():
    """A run that ended in between has a row for both, with times."""
    floor = synthetic.cell(0, "starlette", variant=FLOOR, codec=FLOOR, operation="encode", takes_part=False)
    half = synthetic.cell(1, "starlette", codec="json", operation="encode", reference=True)
    samples = synthetic.measure([(floor, 40e3), (half, 100e3)])
    apart = [sample for sample in samples if (sample.cell == 0) == (sample.wave < 2)]
    found = by_id([floor, half], apart)
    assert found[0].measured
    assert found[1].measured
    assert found[1].share is None
