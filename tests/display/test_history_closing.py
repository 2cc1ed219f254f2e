"""The last lines of a history name the version to use, and the gate that would have told."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

import known_runs
import pytest
from synthetic import cell, measure

from serbench.display.comparison import history_closing, history_finding
from serbench.judge.compare import version_series
from serbench.store.run import History, Run


@pytest.mark.parametrize("least", [0.0, 0.24])
def test_versions_are_told_apart(least):
    """The last version of a class of the user's that is twice as fast is to be used; the next command is a gate."""
    cells = [
        cell(n, "yours (pydantic)", version=one, environment=f"pydantic=={one}", reference=n == 0)
        for n, one in enumerate(("2.10.6", "2.11.0"))
    ]
    samples = measure([(cells[0], 60e3), (cells[1], 30e3)])
    typed = {"options": " --model shop.py:Order", "again": "once more", "store": " --store s"}
    closing = history_closing(version_series(cells, samples, ["yours (pydantic)"]), least, "pydantic", **typed)
    assert "pydantic 2.11.0, of 2 versions" == closing.use
    assert " faster" in closing.gain
    gate = "serbench gate --baseline pydantic==2.10.6 --candidate pydantic==2.11.0 --model shop.py:Order --store s"
    assert ("once more" if least else gate) == closing.next


def test_the_gate_can_be_pasted():
    """A codec's name with brackets is quoted: a shell would take it for a pattern."""
    cells = [
        cell(n, "msgspec", version=one, environment=f"msgspec=={one}", reference=n == 0)
        for n, one in enumerate(("0.18", "0.20"))
    ]
    info = known_runs.info("a", plan={"formats": ["orjson[OPT_SORT_KEYS]"]})
    many = measure([(cells[0], 60e3), (cells[1], 30e3)], waves=40)
    following = History(Run(info, cells, many, {}), ("msgspec",)).closing().next
    assert ["-f", "orjson[OPT_SORT_KEYS]"] == shlex.split(following)[-2:]
    assert "'orjson[OPT_SORT_KEYS]'" in following


@pytest.mark.parametrize("absent", [0, 2])
def test_a_version_that_is_not_there_hides_no_change(absent):
    """Of three versions the two that could be measured are compared, in the last lines and in the figure."""
    cells = [
        cell(n, "msgspec", version=one, environment=f"msgspec=={one}", reference=n == 1)
        for n, one in enumerate(("0.18", "0.19", "0.20"))
    ]
    cells[absent] = replace(cells[absent], status="unavailable", reason="no wheel")
    old, new = (one for one in cells if one.status == "ok")
    series = version_series(cells, measure([(old, 60e3), (new, 30e3)], waves=40), ["msgspec"])
    closing = history_closing(series, 0.0, "msgspec")
    assert f"msgspec {new.version}, of 2 versions" == closing.use
    assert closing.gain.startswith(f"msgspec {new.version} against msgspec {old.version}: decodes 2")
    assert f"msgspec {new.version} decodes 2× faster than {old.version}" in history_finding(series)
    whole = [replace(one, codec="orjson", status="ok", reason=None) for one in cells]
    slower = measure([(one, 60e3 * 2**one.id) for one in whole], waves=40)
    whole_series = version_series(whole, slower, ["msgspec"])
    both = history_closing([*series, *whole_series], 0.0, "msgspec")  # what is said is of the versions that are named
    told = both.gain + both.cost
    assert ("decodes 2" in told, "via orjson 4" in told) == (absent == 0, True)


def test_of_many_codecs_the_proven_ones_are_told():
    """What is slower comes first, then what is faster; how many others prove nothing is a number."""
    names = ("orjson", "ujson", "rapidjson", "json")
    cells = [
        cell(2 * n + k, "msgspec", codec=name, version=one, environment=f"msgspec=={one}", reference=n + k == 0)
        for n, name in enumerate(names)
        for k, one in enumerate(("0.18", "0.20"))
    ]
    after = {"orjson": 30e3, "ujson": 30e3, "rapidjson": 15e3, "json": 60e3}
    samples = measure([(one, 30e3 if one.version == "0.18" else after[one.codec]) for one in cells])
    gain = history_closing(version_series(cells, samples, ["msgspec"]), 0.1, "msgspec").gain
    assert re.search(
        r"json 2× slower \(.*; .*rapidjson 2× faster \(.*; no proven difference in 2 of 4 comparisons;", gain
    )


def test_a_single_version_has_nothing_to_compare_with():
    """The line says so, and what to do."""
    cells = [cell(0, "msgspec", version="0.20", reference=True)]
    closing = history_closing(version_series(cells, measure([(cells[0], 30e3)]), ["msgspec"]), 0.0, "msgspec")

    assert "only msgspec 0.20 was measured; name a second version to compare it with" == closing.use


def test_interpreters_are_ordered_by_their_numbers():
    """Python 3.14 is newer than 3.9."""
    pythons = ("CPython 3.14.1", "CPython 3.9.18")
    cells = [cell(n, "msgspec", python=one, environment=one, reference=n == 0) for n, one in enumerate(pythons)]
    (series,) = version_series(cells, measure([(one, 30e3) for one in cells]), ["msgspec"])
    assert [*reversed(pythons)] == [step.row.python for step in series.steps]
