"""Advice names the fastest, the smallest and the trade-offs of rows whose truth is known."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_advice import FAST, LOOSE, SLOW, SMALL, TIED, names, rows

from serbench.judge.leading import Ratio, advise, key, ratio, validates
from serbench.results import Point

OPTIONS = st.lists(
    st.tuples(st.sampled_from([1.0, 1.01, 1.03, 2.0, 5.0]), st.sampled_from([100, 200, 300])), max_size=6
)


def several(options):
    """The rows of cases with these times and sizes, each of a library that is named by its number."""
    return [row for number, (time, size) in enumerate(options) for row in rows(str(number), time, size)]


def test_the_fastest_the_smallest_and_the_front() -> None:
    """What is not proven slower ties; the front has no case that another beats in time and size."""
    (advice,) = advise([*SLOW, *SMALL, *TIED, *FAST, *LOOSE])

    assert names(advice.qualified) == ["loose", "fast", "tied", "small", "slow"]
    assert names(advice.validating) == ["fast", "tied"]
    assert names(advice.fastest) == ["loose"]
    assert names(advice.smallest) == ["small"]
    assert names(advice.front) == ["loose", "fast", "tied", "small"]
    assert advice.against == ()


def test_what_was_not_measured_is_not_recommended() -> None:
    """Rows without a time, and cases with one operation only, are no options."""
    failed = [replace(row, time_ns=None, status="failed", library="broken") for row in FAST]
    (advice,) = advise([*failed, *FAST, SLOW[0]])

    assert names(advice.qualified) == ["fast"]


def test_versions_of_a_library_are_options_of_their_own() -> None:
    """Decoding of one version is never added to encoding of the other, and names tell them apart."""
    old = [replace(row, version="1.0", environment="fast 1.0", time_ns=(row.time_ns or 0) * 9) for row in FAST]
    new = [replace(row, version="2.0") for row in FAST]
    (advice,) = advise([*old, *new])
    assert [("2.0", "2.0"), ("1.0", "1.0")] == [(one.decode.version, one.encode.version) for one in advice.qualified]
    assert {"version"} == advice.qualified[0].several["fast"]


@pytest.mark.parametrize(
    ("low", "high", "proven"),
    [
        (1.0101, 1.5, True),
        (1.01, 1.5, False),
        (0.5, 0.9899, True),
        (0.5, 1 / 1.01, False),
        (0.9, 1.2, False),
        (0.991, 0.995, False),
        (1.001, 1.009, False),
    ],
)
def test_a_difference_is_proven_beyond_one_per_cent(low, high, proven):
    """The whole interval must lie above 1.01 or below 1 ÷ 1.01; at these values nothing is proven."""
    assert proven == Ratio((low + high) / 2, low, high).proven


@given(OPTIONS)
def test_the_front_is_what_none_beats(options):
    """A case is on the front if no other is as fast and smaller, or as small and faster; of two that are alike the first stands for both."""
    advices = advise(several(options))
    alike = {pair: str(options.index(pair)) for pair in options}
    best = [
        pair
        for pair in alike
        if not any(other != pair and other[0] <= pair[0] and other[1] <= pair[1] for other in alike)
    ]
    assert [alike[pair] for pair in sorted(best)] == [name for advice in advices for name in names(advice.front)]


@given(OPTIONS)
def test_the_smallest_are_all_of_the_least_size(options):
    """Every case with the fewest bytes is among the smallest, the fastest first."""
    least = min((size for _, size in options), default=0)
    expected = [str(n) for n, (_, size) in sorted(enumerate(options), key=lambda item: item[1][0]) if size == least]
    assert expected == [name for advice in advise(several(options)) for name in names(advice.smallest)]


def test_a_case_ties_only_if_neither_operation_is_proven_slower():
    """Slower decoding alone, or slower encoding alone, is enough for no tie."""
    decode, encode = rows("other", 1.001, 500)
    slower = {"ratio": 1.2, "ratio_low": 1.19, "ratio_high": 1.21, "time_ns": 1200.0}
    for case in ([replace(decode, **slower), encode], [decode, replace(encode, **slower)]):
        (advice,) = advise([*FAST, *case])
        assert ["fast"] == names(advice.fastest) == names(advice.validating)
    (advice,) = advise([*FAST, decode, encode])
    assert ["fast", "other"] == names(advice.fastest) == names(advice.validating)


def test_times_are_of_encoding_and_decoding_together():
    """The order is that of the sum of both times."""
    one = [replace(row, time_ns=ns) for row, ns in zip(rows("one", 1.0, 500), (100.0, 900.0), strict=True)]
    two = [replace(row, time_ns=ns) for row, ns in zip(rows("two", 1.0, 500), (500.0, 400.0), strict=True)]
    (advice,) = advise([*one, *two])
    assert [("two", 900.0), ("one", 1000.0)] == [(case.decode.library, case.time_ns) for case in advice.qualified]


@pytest.mark.parametrize(
    ("work_class", "checked"),
    [
        ("objects, strict", True),
        ("objects, coercing", True),
        ("dicts, unchecked", False),
        ("objects", False),
        (None, False),
    ],
)
def test_a_case_validates_if_it_refuses_or_converts(work_class, checked):
    """Strict and coercing decoders check their input; unchecked ones, and those that were not probed, do not."""
    assert checked == validates(replace(FAST[0], work_class=work_class))
    (advice,) = advise([replace(FAST[0], work_class=work_class), FAST[1]])
    assert (["fast"] if checked else []) == names(advice.validating)


def test_the_present_choice_is_compared_within_its_format_and_beyond():
    """The present case is held against the fastest of its format and the fastest of all, of those that check, once if they are one."""
    packed = rows("packed", 0.8, 300, format="msgpack")
    present = key(SLOW[0])
    (advice,) = advise([*SLOW, *FAST, *packed, *LOOSE], present=present)
    assert [("slow", "fast"), ("slow", "packed")] == [
        (one.present.decode.library, one.other.decode.library) for one in advice.against
    ]
    decode, encode = advice.against[1].decode, advice.against[1].encode
    assert (pytest.approx(11 / 0.8), pytest.approx(11 / 0.8)) == (decode.value, encode.value)
    (advice,) = advise([*SLOW, *FAST, *SMALL, *LOOSE], present=present)
    assert ["fast"] == [one.other.decode.library for one in advice.against]


def test_the_present_choice_need_not_qualify():
    """A present case that does not fulfil the demands is compared nevertheless, and one that is unknown is not."""
    (advice,) = advise(
        [*SLOW, *FAST], present=key(SLOW[0]), refuse=lambda row: "slow" if row.library == "slow" else None
    )
    assert ["fast"] == names(advice.qualified) == [one.other.decode.library for one in advice.against]
    (advice,) = advise([*SLOW, *FAST], present=("slow", "default", "orjson", "msgpack"))
    assert () == advice.against


def test_without_a_case_that_checks_the_fastest_is_compared():
    """If nothing checks its input, the present case is held against the fastest that does not."""
    fast, slow = (rows(name, time, 500, work_class="dicts, unchecked") for name, time in (("fast", 1.0), ("slow", 3.0)))
    (advice,) = advise([*slow, *fast], present=key(slow[0]))
    assert ["fast"] == [one.other.decode.library for one in advice.against]
    assert () == advice.validating


def test_every_reason_is_counted():
    """Two cases left out for one reason and one for another are counted so, and only the others are ranked."""
    (advice,) = advise(
        [*FAST, *TIED, *SLOW, *SMALL], refuse=lambda row: {"slow": "a", "small": "b", "tied": "a"}.get(row.library)
    )
    assert {"a": 2, "b": 1} == advice.excluded
    assert ["fast"] == names(advice.qualified) == names(advice.smallest) == names(advice.front)


def test_each_point_has_its_advice():
    """Data of another size has advice of its own, and its own figures."""
    more = [replace(row, **vars(Point("data", 100, 1, 0))) for row in (*SLOW, *SMALL)]
    first, second = advise([*FAST, *more])
    assert ((10, ["fast"]), (100, ["small", "slow"])) == (
        (first.point.records, names(first.qualified)),
        (second.point.records, names(second.qualified)),
    )


def test_other_operations_count_for_nothing():
    """Reading, building and steps of an operation are no part of an advice."""
    (advice,) = advise(
        [*FAST, *(replace(FAST[0], operation=name, time_ns=1.0) for name in ("read", "build", "load", "dump"))]
    )
    assert 2000 == advice.qualified[0].time_ns


@pytest.mark.parametrize(
    ("workload", "points"),
    [
        (("Order (reads)", "Order (writes)"), ["Order"]),
        (("Order (reads)", "Other (writes)"), []),
        (("Order (old)", "Order (old)"), ["Order (old)"]),
        (("Order", "Order"), ["Order"]),
        (("reads)", "reads)"), ["reads)"]),
        (("A (b) (reads)", "A (b) (writes)"), ["A (b)"]),
    ],
)
def test_only_the_two_documents_of_a_class_are_joined(workload, points):
    """A workload's name loses "(reads)" and "(writes)" and no other bracket; what reads one and writes another is no case."""
    decode, encode = (replace(row, workload=name) for row, name in zip(FAST, workload, strict=True))
    assert points == [advice.point.workload for advice in advise([decode, encode]) if advice.qualified]


def test_what_a_class_writes_is_not_decoded():
    """Of the document that a class reads only decoding counts, and of the one that it writes only encoding."""
    reads, writes = (replace(FAST[0].point, workload=f"Order ({name})") for name in ("reads", "writes"))
    decode, encode = FAST
    wrong = [replace(encode, **vars(reads), time_ns=1.0), replace(decode, **vars(writes), time_ns=1.0)]
    right = [replace(decode, **vars(reads)), replace(encode, **vars(writes))]
    for order in ([*wrong, *right], [*right, *wrong]):
        (advice,) = advise(order)
        assert 2000 == advice.qualified[0].time_ns
    assert [] == advise(wrong)


def test_a_ratio_is_that_of_the_ratios():
    """The quotient of two ratios has a half-width of the root of the sum of their squares, in logarithms."""
    one, other = rows("one", 3.0, 500)[0], rows("other", 2.0, 500)[0]
    half = math.hypot(*[(math.log(1.01) - math.log(0.99)) / 2] * 2)
    expected = [math.exp(math.log(1.5) + side) for side in (0, -half, half)]
    found = ratio(one, replace(other, time_ns=7.0))
    assert pytest.approx(expected) == [found.value, found.low, found.high]


@pytest.mark.parametrize("missing", ["ratio", "ratio_low", "ratio_high"])
def test_without_ratios_times_are_compared(missing):
    """If a row lacks a ratio or an end of its interval, its time with the time's interval stands for it."""
    one, other = (
        replace(row, **{missing: None}, time_ns=ns, time_ns_low=ns * 0.9, time_ns_high=ns * 1.1)
        for row, ns in ((FAST[0], 6000.0), (SLOW[0], 2000.0))
    )
    half = math.hypot(*[(math.log(1.1) - math.log(0.9)) / 2] * 2)
    found = ratio(one, other)
    assert pytest.approx([math.exp(math.log(3) + side) for side in (0, -half, half)]) == [
        found.value,
        found.low,
        found.high,
    ]


def test_a_class_is_held_against_its_plain_models():
    """Each operation that the user's class and its library's plain models both have is compared, and no other."""
    own, plain = rows("yours (pydantic)", 6.0, 500), rows("pydantic", 2.0, 500)
    pair = (key(own[0]), key(plain[0]))
    (advice,) = advise([*own, *plain, *FAST], pair=pair)
    assert [("decode", 3.0), ("encode", 3.0)] == [
        (one.operation, pytest.approx(one.ratio.value)) for one in advice.features
    ]
    assert ["pydantic"] * 2 == [one.plain.library for one in advice.features]
    for left in ([own[0], *plain], [*own, plain[0]]):
        (advice,) = advise([*left, *FAST], pair=pair)
        assert ["decode"] == [one.operation for one in advice.features]
    assert () == advise([*plain, *FAST], pair=pair)[0].features
    assert () == advise([*own, *plain, *FAST])[0].features


def test_a_size_that_is_not_known_counts_as_none():
    """A case whose size is unknown has no bytes, and one without a time of an operation none for it."""
    (advice,) = advise([replace(row, size_bytes=None) for row in FAST])
    assert (0, ["fast"]) == (advice.qualified[0].size_bytes, names(advice.smallest))
