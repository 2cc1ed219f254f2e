"""The fixture of pytest fails a test whose function is proven slower, and never one that is not."""

from __future__ import annotations

import json
import sys
from importlib.metadata import entry_points
from types import SimpleNamespace

import pytest
from waits import run

from serbench.ask.pytest_plugin import RATIOS, Ratio, verdict

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
    assert serbench.at_most(1.05, fast, than=slow, setup=make, effort="quick").fresh


def test_of_the_test_alone(serbench):
    data = [1] * 200
    serbench.at_most(1.05, lambda: json.dumps(data), than=lambda: json.loads(json.dumps(json.dumps(data))), effort="quick")


def test_cannot_leave(serbench):
    with open(__file__) as file:
        serbench.at_most(1.05, lambda: file.name, than=lambda: str(file.name), effort="quick")
"""


@pytest.mark.full
def test_tests_of_a_project_are_judged(tmp_path):
    """A slower function fails its test, a faster one passes, and what is not timed in fresh processes is skipped with a reason."""
    (tmp_path / "test_ways.py").write_text(TESTS, encoding="utf-8")
    installed = entry_points(group="pytest11", name="serbench")
    plugin = [] if installed else ["-p", "serbench.ask.pytest_plugin"]
    done = run(
        [sys.executable, "-m", "pytest", "-q", *plugin, "-p", "no:cacheprovider", "-rsf", tmp_path],
        check=False,
        cwd=tmp_path,
    )
    assert "1 failed, 2 passed, 1 skipped" in done.stdout, done.stdout
    assert "too slow: " in done.stdout
    assert "file cannot be taken to a fresh process" in done.stdout.replace("\n", " ")


def timings(low, high, *, fresh=True, measured=True):
    """Timings with a ratio in these ends."""
    row = SimpleNamespace(
        library="function",
        ratio=(low + high) / 2,
        ratio_low=low,
        ratio_high=high,
        measured=measured,
        reason="no such thing",
    )
    than = SimpleNamespace(library="than", measured=True)
    return SimpleNamespace(rows=[row, than], fresh=fresh, notes=["all in this process"])


@pytest.mark.parametrize(
    ("found", "decided", "told"),
    [
        (timings(1.06, 1.10), False, "too slow: 1.080 times as long (95 % interval 1.060 to 1.100), limit 1.05"),
        (timings(1.01, 1.04), True, "1.025 times as long"),
        (timings(1.01, 1.09), None, "undecided: 1.050 times as long"),
        (timings(1.5, 1.6, fresh=False), None, "all in this process"),
        (timings(1.0, 1.0, measured=False), False, "function failed: no such thing"),
    ],
)
def test_the_interval_decides(found, decided, told):
    """All of it is above the limit, or none of it is; otherwise nothing is proven."""
    answer, text = verdict(1.05, found)
    assert decided is answer
    assert told in text


@pytest.mark.slow
def test_the_plug_in_imports_nothing_heavy():
    """A project that does not use the fixture does not wait for it."""
    code = "import sys, serbench.ask.pytest_plugin as _; print([n for n in ('numpy', 'rich', 'pydantic') if n in sys.modules])"
    assert "[]" == run([sys.executable, "-c", code]).stdout.strip()


KEPT = """
import json

DATA = {"tags": ["a"] * 100}


def make(number):
    return {**DATA, "id": number}


def plain(value):
    return json.dumps(value)


def TIMES(value):
    return [json.dumps(value) for _ in range(COUNT)][-1]


def test_kept(serbench):
    serbench.at_most(2.0, TIMES, than=plain, setup=make, kept=True, effort="quick")
"""


@pytest.mark.full
@pytest.mark.timeout(1200)  # eight processes one after the other, each of which measures
def test_ratios_are_kept_for_each_machine(tmp_path):
    """Without a kept ratio the test is skipped, with one it passes, a slower function fails, and another machine knows nothing."""
    plugin = [] if entry_points(group="pytest11", name="serbench") else ["-p", "serbench.ask.pytest_plugin"]

    def judged(count, *more):
        (tmp_path / "test_ways.py").write_text(KEPT.replace("COUNT", str(count)), encoding="utf-8")
        words = [sys.executable, "-m", "pytest", "-q", *plugin, "-p", "no:cacheprovider", "-rsf", *more, tmp_path]
        return run(words, check=False, cwd=tmp_path).stdout

    assert "no ratio is kept for this machine; pytest --serbench-update keeps it" in judged(3)
    assert "1 passed" in judged(3, "--serbench-update")
    path = tmp_path / RATIOS
    ((machine, ratios),) = json.loads(path.read_text("utf-8")).items()
    assert ["test_ways.py::test_kept"] == list(ratios)
    assert "1 passed" in judged(3)
    assert "times the kept ratio" in judged(30)
    path.write_text(json.dumps({f"not {machine}": ratios}), encoding="utf-8")
    assert "1 skipped" in judged(3)
    for broken in (
        "{",
        json.dumps({machine: {"test_ways.py::test_kept": [1.0, "2", 3.0]}}),
        json.dumps({machine: {"a": [0, 0, 0]}}),
    ):
        path.write_text(broken, encoding="utf-8")
        said = judged(3)
        assert f"{RATIOS}: " in said
        assert "delete it and run pytest --serbench-update" in said
        assert "Traceback" not in said


def test_a_kept_ratio_has_an_interval_too():
    """Both intervals count: what is proven against an exact ratio is not proven against a vague one."""
    found = timings(1.06, 1.10)
    assert (False, True) == (verdict(1.05, found)[0], verdict(1.05, found, Ratio(1.08, 1.07, 1.09))[0])
    assert verdict(1.05, found, Ratio(1.0, 0.95, 1.05))[0] is None
    assert (None, "undecided: no ratio is kept for this machine; pytest --serbench-update keeps it") == verdict(
        1.05, found, None
    )
