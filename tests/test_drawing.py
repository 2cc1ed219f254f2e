"""What a run has of the tests that prove alike."""

from __future__ import annotations

import os
import re
from pathlib import Path

import drawing
import pytest
import waits

pytest_plugins = ["pytester"]
CONFTEST = """
from drawing import Drawing

def pytest_addoption(parser):
    Drawing.add_option(parser)

def pytest_configure(config):
    config.pluginmanager.register(Drawing(config))
    for marker in ("drawn", "changed", "every", "full", "slow"):
        config.addinivalue_line("markers", marker)
"""
TESTS = """
import pytest

@pytest.mark.drawn(part=10)
@pytest.mark.parametrize("number", range(41))
def test_many(number): pass

@pytest.mark.drawn(count=2, of="both")
@pytest.mark.parametrize("number", range(3))
def test_one(number): pass

@pytest.mark.drawn(count=2, of="both")
def test_other(): pass

@pytest.mark.every
def test_seldom(): pass

@pytest.mark.changed("docs")
def test_docs(): pass

@pytest.fixture(scope="module")
def shared(): pass

@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_slow(number, shared): pass

def test_beside(shared): pass

@pytest.mark.slow
@pytest.mark.parametrize("number", range(11))
def test_single(number): pass

def test_always(): pass
"""
NAMES = [f"test[{number}]" for number in range(200)]


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs the tests above in a folder without history; gives its outcomes, and the lines about what was drawn."""
    monkeypatch.delenv("SERBENCH_SEED", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(Path(drawing.__file__).parent))
    monkeypatch.setenv(
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"
    )  # what else is installed takes longer to import than the tests
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TESTS)

    def call(*options):
        done = pytester.runpytest_subprocess("-p", "xdist.plugin", *options)
        return done.parseoutcomes(), [line for line in done.outlines if re.match(r"drawn by|  \d+ of ", line)]

    return call


def test_a_draw_depends_on_the_seed_and_on_nothing_else():
    """The same seed draws the same names in any order, another seed others, and many seeds draw all."""
    draws = [drawing.chosen(str(seed), NAMES, 20) for seed in range(200)]
    assert draws[0] == drawing.chosen("0", NAMES[::-1], 20)
    assert draws[0] != draws[1]
    assert {20} == {len(draw) for draw in draws}
    assert set(NAMES) == set().union(*draws)


@pytest.mark.full
def test_a_run_has_a_part_and_says_which(run):
    """What is not drawn is deselected, in several processes as in one; the seed, counts and short groups are told."""
    outcomes, told = run("--seed", "a")
    slow = outcomes["passed"] - (5 + 2 + 2)
    assert slow in (1, 9)  # one of eleven tests, or a file
    assert f"  {slow} of 20 slow" in {line.partition(":")[0] for line in told}
    assert outcomes["deselected"] == 36 + 2 + 1 + 20 - slow
    assert "drawn by the seed a (--seed); -m every runs all:" == told[0]
    assert any(re.search(r"5 of 41 \S+::test_many: \d+(, \d+){4}$", line) for line in told)
    assert any(line.startswith("  2 of 4 both: ") for line in told)
    assert told == run("--seed", "a", "-n", "2")[1]
    assert told != run("--seed", "b")[1]


@pytest.mark.full
def test_every_and_names_draw_nothing(run):
    """`-m every` runs all tests, and a name by `-k` or by id gives all that it names."""
    assert ({"passed": 68}, []) == run("-m", "every")
    assert ({"passed": 42, "deselected": 26}, []) == run("-k", "many or seldom")
    assert ({"passed": 41}, []) == run("test_every_and_names_draw_nothing.py::test_many")


def test_what_changes_is_run_if_it_has_changed(tmp_path):
    """A change counts for a day of commits, and until it is committed; without a history everything has changed."""

    def git(*arguments, at=0):
        dates = {"GIT_AUTHOR_DATE": f"{at} +0000", "GIT_COMMITTER_DATE": f"{at} +0000"}
        names = {"GIT_AUTHOR_NAME": "a", "GIT_COMMITTER_NAME": "a", "EMAIL": "a@example.org"}
        waits.run(["git", *arguments], cwd=tmp_path, env={**os.environ, **dates, **names})

    assert drawing.has_changed(tmp_path, ("docs",))
    git("init", "-q")
    for at, name in ((1_700_000_000, "docs"), (1_700_050_000, "code"), (1_700_100_000, "more")):
        (tmp_path / name).write_text(name)
        git("add", name)
        git("commit", "-q", "-m", name, at=at)
    assert not drawing.has_changed(tmp_path, ("docs",))
    assert drawing.has_changed(tmp_path, ("code",))
    (tmp_path / "docs").write_text("changed")
    assert drawing.has_changed(tmp_path, ("docs",))
