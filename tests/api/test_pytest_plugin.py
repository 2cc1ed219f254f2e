"""The fixture of pytest fails a test whose function is proven slower, and never one that is not."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from importlib.metadata import entry_points
from types import SimpleNamespace

import pytest
from waits import run

from serbench.api.pytest_plugin import Holder, verdict
from serbench.judge.rows import Row
from serbench.results import CaseId, Point

ROW = Row(
    id=0,
    **vars(Point("functions", 1, 1, 0)),
    **vars(CaseId("function", "default", "", "")),
    operation="call",
    reason="no such thing",
)

TESTS = """
import json

import pytest

DATA = {"tags": ["a"] * 100}


def make(number):
    return {**DATA, "id": number}


def fast(value):
    return json.dumps(value)


def slow(value):
    return [json.dumps(value) for _ in range(5)][-1]


def test_slower(serbench):
    serbench.at_most(1.05, slow, than=fast, setup=make, effort="quick")


def test_faster(serbench):
    assert serbench.at_most(1.05, fast, than=slow, setup=make, effort="quick").rows


def test_of_the_test_alone(serbench):
    data = [1] * 200
    serbench.at_most(1.05, lambda: json.dumps(data), than=lambda: json.loads(json.dumps(json.dumps(data))), effort="quick")
"""


@pytest.mark.full
def test_tests_of_a_project_are_judged(tmp_path):
    """A slower function fails its test, and a faster one passes."""
    (tmp_path / "test_ways.py").write_text(TESTS, encoding="utf-8")
    installed = entry_points(group="pytest11", name="serbench")
    plugin = [] if installed else ["-p", "serbench.api.pytest_plugin"]
    done = run(
        [sys.executable, "-m", "pytest", "-q", *plugin, "-p", "no:cacheprovider", "-rsf", tmp_path],
        check=False,
        cwd=tmp_path,
    )
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert "too slow: " in done.stdout


def timings(low, high, *, measured=True, environment="main", than_ratio=1.0):
    """Timings with a ratio in these ends."""
    than, function = (
        replace(ROW, library=label, environment=environment, reference=label == "than")
        for label in ("than", "function")
    )
    than = replace(than, time_ns=1.0, ratio=than_ratio, ratio_low=than_ratio, ratio_high=than_ratio)
    function = replace(
        function, time_ns=1.0 if measured else None, ratio=math.sqrt(low * high), ratio_low=low, ratio_high=high
    )
    return SimpleNamespace(rows=[function, than])


@pytest.mark.parametrize(
    ("found", "decided", "told"),
    [
        (timings(1.06, 1.10), False, "too slow: 1.080 times as long (95% interval 1.060 to 1.100), limit 1.05"),
        (timings(1.01, 1.04), True, "1.025 times as long"),
        (timings(1.01, 1.09), None, "undecided: 1.049 times as long"),
        (timings(1.0, 1.0, measured=False), False, "function failed: no such thing"),
    ],
)
def test_the_interval_decides(found, decided, told):
    """All of it is above the limit, or none of it is; otherwise nothing is proven."""
    answer, text = verdict(1.05, found)
    assert decided is answer
    assert told in text


def test_each_environment_is_judged():
    """A function is held against the other one of its own environment, and fails if it is too slow in one of them."""
    fine, slow = timings(1.0, 1.02), timings(1.2, 1.3, environment="3.14", than_ratio=1.0)
    assert (False, True) == (
        (found := verdict(1.05, SimpleNamespace(rows=[*fine.rows, *slow.rows])))[0],
        found[1].endswith(", with 3.14"),
    )
    alike = timings(1.22, 1.24, environment="3.14", than_ratio=1.2)
    assert verdict(1.05, SimpleNamespace(rows=[*fine.rows, *alike.rows]))[0] is True


def test_a_misspelt_word_is_told():
    """It would pass what is undecided."""
    with pytest.raises(pytest.fail.Exception, match="did you mean fail"):
        Holder().at_most(1.05, int, than=int, undecided="fial")


@pytest.mark.slow
def test_the_plug_in_imports_nothing_heavy():
    """A project that does not use the fixture does not wait for it."""
    code = "import sys, serbench.api.pytest_plugin as _; print([n for n in ('numpy', 'rich', 'pydantic') if n in sys.modules])"
    assert "[]" == run([sys.executable, "-c", code]).stdout.strip()
