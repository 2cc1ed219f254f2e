"""Advice in words, from rows whose truth is known."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from known_advice import FAST, LOOSE, SLOW, SMALL, TIED, rows

from serbench.display.closing import advice_closing, advice_lines
from serbench.judge.leading import CaseKey, advise
from serbench.judge.outcomes import UNKNOWN_KEY_PROBE, Behaviour, Finding
from serbench.measure.probes.adoption import AS_INT, LOST, Change, Returned


def test_the_present_choice_without_a_time_is_told():
    """What is used today may refuse the data, or be left out; the answer begins with that."""
    today = ("slow", "default", "orjson", "json")
    refusing = [replace(row, status="unsupported", time_ns=None, reason="no integers beyond 64 bits") for row in SLOW]
    for others, why in ((refusing, "no integers beyond 64 bits"), ([], "it was not measured")):
        (advice,) = advise([*others, *FAST], present=today)
        told = f"you use slow via orjson, which has no time for this data: {why}"
        assert told == advice_lines(advice)[0]
        assert advice_closing(advice, [], {}, "").gain.startswith(told)


def test_two_documents_of_a_class_are_told() -> None:
    """Of a class that reads one document and writes another the advice says so."""
    decode, encode = FAST
    reads, writes = (replace(decode.point, workload=f"Order ({direction})") for direction in ("reads", "writes"))
    (advice,) = advise([replace(decode, **vars(reads), size_bytes=900), replace(encode, **vars(writes))])

    assert 500 == advice.qualified[0].size_bytes
    assert "your class reads" in "".join(advice_lines(advice))
    assert "your class" not in "".join(advice_lines(*advise(FAST)))


def test_a_leader_is_told_against_the_next_and_the_common_choice() -> None:
    """Each first says how many times as fast it is as the next that is no tie, and as pydantic, if that is another."""
    (advice,) = advise([*SLOW, *SMALL, *TIED, *FAST, *LOOSE, *rows("pydantic", 7.0, 500)])

    validating, fastest, *_ = advice_lines(advice)
    orjson = "via orjson"
    after = rf"tied with tied {orjson}.* 2\.00 µs .* 5× .* small via orjson \(msgpack\).* 7× .* pydantic {orjson}$"
    assert re.search(after, validating)
    assert re.search(rf" 2× .* fast {orjson}.* 14× .* pydantic {orjson}$", fastest)


def test_the_common_choice_is_one_that_checks_too() -> None:
    """What is told against a case that checks its input checks it as well; and nothing is once as fast."""
    slower = rows("slower", 1.004, 500, time_ns_low=1003.9, time_ns_high=1004.1, ratio_low=1.0039, ratio_high=1.0041)
    slower = [replace(row, ratio=1.012, ratio_low=1.0119, ratio_high=1.0121) for row in slower]
    exact = [replace(row, ratio_low=0.9999, ratio_high=1.0001) for row in FAST]
    unchecked = rows("pydantic", 7.0, 500, codec="pickle", format="pickle", work_class="objects, unchecked")
    (advice,) = advise([*exact, *slower, *unchecked])

    line = advice_lines(advice)[0]
    assert line.endswith("2.00 µs to encode and decode, not proven faster than slower via orjson")


def test_the_present_choice_has_its_price() -> None:
    """The present case is held against the fastest of its format, with the interval of the ratio."""
    (advice,) = advise([*SLOW, *FAST, *SMALL], present=("slow", "default", "orjson", "json"))
    (against,) = advice.against

    assert against.other.decode.library == "fast"
    assert pytest.approx(11.0) == against.decode.value
    said = r"fast via orjson .*decode 11× faster \(10\.8 to 11\.2\) .*encode 11× faster \(10\.8 to 11\.2\)"
    assert re.search(said, advice_lines(advice)[3])
    assert any("not “coerces”" in line for line in advice_lines(advice))


@pytest.mark.parametrize(("before", "after", "told"), [("rejected", "ignored", True), ("ignored", "ignored", False)])
def test_a_change_tells_of_unknown_keys(before: str, after: str, told: bool) -> None:
    """A change of what becomes of an unknown key is told, and only a change, with the version if another was probed."""
    (advice,) = advise([*SLOW, *FAST], present=("slow", "default", "orjson", "json"))
    probes = [
        Behaviour(
            name, "default", "1.0", "main", "3.11", "orjson", "json", strictness={UNKNOWN_KEY_PROBE: Finding(outcome)}
        )
        for name, outcome in (("slow", before), ("fast", after))
    ]

    line = "what would change: an unknown key is dropped, not refused"
    assert told is (line in advice_lines(advice, probes))
    probes[0] = replace(probes[0], version="2")
    assert told is (f"{line} (probed with slow 2)" in advice_lines(advice, probes))


def test_no_command_goes_on_with_a_class_that_is_gone(tmp_path) -> None:
    """The file of a cell's class ends with its kernel."""
    (advice,) = advise(FAST)
    plan = {"model": f"{tmp_path}:cell_0a1b2c3d.py:Order"}
    assert "" == advice_closing(advice, (), plan, "measure again").next
    (tmp_path / "cell_0a1b2c3d.py").touch()
    assert "measure again" == advice_closing(advice, (), plan, "measure again").next


@pytest.mark.parametrize("least", [0.0, 0.24])
def test_advice_ends_with_the_answer(least: float) -> None:
    """The last lines name the case, its gain over today's with its interval, what it costs, and the next command."""
    today = ("slow", "default", "orjson", "json")
    (advice,) = advise([*SLOW, *FAST, *SMALL], present=today, least=least)
    closing = advice_closing(advice, (), {"payload": "my orders.json"}, "measure again")

    assert closing.use == "fast via orjson"
    gain = "against slow via orjson, as today: decodes 11× faster (10.8 to 11.2), encodes 11× faster (10.8 to 11.2)"
    assert closing.gain == gain + ("; ignore differences below 24.0% (noise)" if least else "")
    assert "not “coerces”" in closing.cost
    assert closing.next == "measure again"  # "fast" is no library whose code there is
    (advice,) = advise([*TIED, *FAST], present=("tied", "default", "orjson", "json"), least=least)
    assert (closing := advice_closing(advice, (), {}, "")).use == "fast via orjson"
    assert "no proven difference" in closing.gain
    assert closing.tone == "open"
    packed = rows("faster", 0.5, 500, format="msgpack")
    (advice,) = advise([*SLOW, *FAST, *packed], present=today, least=least)
    assert advice_closing(advice, (), {}, "").use == "fast via orjson, the fastest in json"
    (advice,) = advise([*FAST, *TIED, *SMALL], least=least)
    closing = advice_closing(advice, (), {}, "")
    assert closing.use == "fast via orjson, tied with tied via orjson"
    assert closing.cost.startswith("fast via orjson has 400%")  # not the cost of both
    (advice,) = advise([*FAST, *SMALL], least=least)
    assert advice_closing(advice, (), {}, "").cost.startswith("it has 400%")


def test_what_a_choice_loses_is_a_cost() -> None:
    """The smallest that refuses all wrong input costs nothing, unless it leaves something out, loses it, or changes the file."""

    def cost(work_class: str, met: dict[CaseKey, Returned] | None = None) -> str:
        (advice,) = advise([*rows("fast", 1.0, 100, work_class=work_class), *SLOW])
        return advice_closing(advice, (), {}, "again", met or {}).cost

    refuses = "rejected every invalid input of this run"
    assert f"none found: it {refuses}" == cost("objects, strict")
    assert f"it leaves out absent values; {refuses}" == cost("objects, strict, absent left out")
    assert f"it loses some of the data (at: offset); {refuses}" == cost("objects, strict, lossy (at: offset)")
    changed = Returned("rows.json", 1, changes=(Change(LOST, "[].at", "[1].at", "another offset"),))
    assert cost("objects, strict", {("fast", "default", "orjson", "json"): changed}).startswith(
        f"it {refuses}; rows.json"
    )


def test_the_best_stays() -> None:
    """Who uses the fastest already is told so."""
    (advice,) = advise([*SLOW, *FAST], present=("fast", "default", "orjson", "json"))

    assert any(re.match(r"you use fast via orjson.* nothing .*faster", line) for line in advice_lines(advice))


def test_nothing_is_left() -> None:
    """Where no case fulfils the demands, the advice says that and why."""
    (advice,) = advise(FAST, refuse=lambda _: "too blue")

    assert advice_lines(advice) == ["no combination meets these demands", "1 combination left out: too blue"]


def test_nothing_is_measured_both_ways() -> None:
    """Where every case only encodes, the advice speaks of no demands, which nobody made."""
    (advice,) = advise([row for row in FAST if row.operation == "encode"])

    assert advice_lines(advice) == [
        "no library and format both encodes and decodes this data, so nothing can be recommended"
    ]


def test_own_features_have_their_price() -> None:
    """The user's class is held against its library's plain models, each operation that both have for itself."""
    own, plain = rows("yours (pydantic)", 6.0, 500), rows("pydantic", 2.0, 500)
    pair = tuple((name, "default", "orjson", "json") for name in ("yours (pydantic)", "pydantic"))
    (advice,) = advise([*own, *plain, *FAST], pair=pair)  # type: ignore[arg-type]

    *_, line = advice_lines(advice, features=["Model.name (validator)"])
    assert re.match(r"your class has Model\.name \(validator\).*pydantic via orjson", line)


def test_what_the_file_meets_is_said_first() -> None:
    """Cases that refuse the file or leave an int in it are named before the choice; a library by its name if all its cases do."""
    (advice,) = advise([*SLOW, *FAST])
    as_int = (Change(AS_INT, "[].price", "[1].price", "decoded to another value"),)
    met = {
        ("fast", "default", "orjson", "json"): Returned("rows.json", 1, changes=as_int),
        ("slow", "default", "orjson", "json"): Returned("rows.json", 1, refusal="ValueError: 1.0"),
        ("slow", "default", "json", "json"): Returned("rows.json", 1),
    }
    first = advice_lines(advice, met=met)[0]
    said = "refused by slow via orjson (ValueError: 1.0); ints where the type is float, of fast ([1].price)"
    assert f"rows.json as it is: {said}" == first
    fine = {case: Returned("rows.json", 1) for case in met}
    assert advice_lines(advice, met=fine) == advice_lines(advice)
    assert "ints where the type is float, of fast" in advice_closing(advice, (), {}, "again", met).cost
