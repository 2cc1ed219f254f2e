"""Environments are built atomically, and give a reason if they cannot be built."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from waits import LONGEST_S, run

from serbench.render import environments as building
from serbench.render.environments import (
    MAIN,
    MANIFEST,
    PREFIX,
    BuildError,
    Environment,
    Recipe,
    build,
    built,
    main_environment,
    make,
    remove,
)

BARE = Recipe(label="bare")
"""Only the interpreter: it is built with no access to an index."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Give each test a separate folder for environments."""
    monkeypatch.setenv("SERBENCH_ENVIRONMENTS", str(tmp_path / "environments"))
    return tmp_path / "environments"


def test_an_environment_runs_its_own_python(folder):
    """A new environment has a working interpreter and none of serbench's own packages."""
    environment = build(BARE)
    said = run([environment.python, "-I", "-c", "import sys; print(sys.prefix)"])
    assert said.stdout.strip().startswith(str(folder))
    assert environment.version == sys.version_info[:2]
    assert environment.installed("pydantic") is None
    assert environment.reason is None


def test_what_is_made_is_found_again():
    """A recipe's environment is built once and then reused."""
    first = make([BARE])[BARE]
    steps = []
    assert first == make([BARE], lambda *step: steps.append(step))[BARE]
    assert [] == steps


def test_another_recipe_is_another_environment(folder):
    """Interpreter, requirements and optional packages determine the key."""
    build(BARE)
    build(Recipe(label="other"))
    assert 2 == len(list(folder.glob(f"*/{MANIFEST}")))


def test_main_needs_nothing(folder):
    """Serbench's own installation needs no build."""
    assert {MAIN: main_environment()} == make([MAIN])
    assert not folder.exists()


@pytest.mark.slow
def test_two_processes_may_ask_at_once(folder):
    """Two concurrent builds of the same environment both succeed, and one copy remains."""
    code = textwrap.dedent("""
        from serbench.render.environments import Recipe
        from serbench.render.environments import build
        print(build(Recipe(label="bare")).python)
    """)
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [one.communicate(timeout=LONGEST_S)[0].strip() for one in both]
    assert [0, 0] == [one.returncode for one in both]
    assert said[0] == said[1]
    assert [] == list(folder.glob(f"{PREFIX}*"))


def test_a_build_that_fails_leaves_nothing(folder, monkeypatch):
    """A failed build leaves nothing behind, and its reason is uv's own in one line."""
    real = building._uv

    def fails(*arguments: str, **_: object) -> str:
        if arguments[0] == "pip":
            raise BuildError("No space left on device (os error 28)")
        return real(*arguments)

    monkeypatch.setattr(building, "_uv", fails)
    recipe = Recipe(("nothing==1",), label="nothing==1")
    assert "No space left on device (os error 28)" == make([recipe])[recipe].reason
    assert [] == list(folder.iterdir())


def test_what_a_killed_build_leaves_is_swept(folder):
    """The unfinished folder of a dead process is removed when the next environment is built."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(LONGEST_S)
    left = folder / f"{PREFIX}{gone.pid}-abc"
    (left / "environment").mkdir(parents=True)
    mine = folder / f"{PREFIX}{os.getpid()}-abc"
    mine.mkdir()
    make([BARE])
    assert (False, True) == (left.exists(), mine.exists())


def test_a_folder_that_is_not_whole_is_made_again(folder):
    """An environment whose interpreter no longer exists is ignored and replaced."""
    place = Path(build(BARE).python)
    place.unlink()
    assert BARE not in built()
    assert build(BARE).reason is None
    assert place.exists()


def test_a_manifest_that_is_broken_is_no_environment(folder):
    """An unreadable manifest is ignored and raises no exception."""
    build(BARE)
    manifest = next(folder.glob(f"*/{MANIFEST}"))
    for text in ("{", json.dumps({"recipe": 3}), "[]"):
        manifest.write_text(text)
        assert {MAIN} == built().keys()


def test_a_missing_interpreter_has_its_reason():
    """The error for a missing interpreter names it and says how to install it."""
    recipe = Recipe(python="2.1", label="x")
    reason = make([recipe])[recipe].reason
    assert "no interpreter '2.1' on the PATH" in reason
    assert "uv python install 2.1" in reason


def test_without_uv_there_is_a_reason(monkeypatch):
    """If uv is not installed, the environment says so, and what to type."""
    monkeypatch.setitem(sys.modules, "uv", None)
    assert "uv is not installed: pip install uv" == make([BARE])[BARE].reason


def test_a_folder_that_cannot_be_written_has_its_reason(tmp_path, monkeypatch):
    """If the folder is not writable, the reason names it and says what to do."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SERBENCH_ENVIRONMENTS", str(tmp_path / "file" / "below"))
    assert "set SERBENCH_ENVIRONMENTS to another folder" in make([BARE])[BARE].reason


def test_what_may_be_missing_is_tried_one_by_one(monkeypatch):
    """A codec that cannot be installed is omitted with its reason; the others are installed."""
    asked = []

    def answers(*arguments: str, **_: object) -> str:
        asked.append(arguments[4:])
        if any("bad" in one for one in arguments):
            raise BuildError("has no wheel")
        return ""

    monkeypatch.setattr(building, "_uv", answers)
    recipe = Recipe(("good==1",), beside=("fine", "bad==2"))
    assert {"bad": "has no wheel"} == building._add_beside(recipe, MAIN and main_environment().python, answers)
    assert [("good==1", "fine", "bad==2"), ("good==1", "fine"), ("good==1", "bad==2")] == asked


def test_old_sources_are_built_with_tools_that_were_named(folder, monkeypatch):
    """Tools are installed first, builds are not isolated from them, and they are part of the recipe."""
    asked = []
    uv = building._uv

    def answers(*arguments: str, **_: object) -> str:
        if arguments[:2] == ("pip", "install"):
            asked.append(arguments[4:])
            return ""
        return uv(*arguments)

    monkeypatch.setattr(building, "_uv", answers)
    recipe = Recipe(("old==1",), label="old==1", tools=("cython<3",))
    made = build(recipe)
    assert [("cython<3",), ("--no-build-isolation", "old==1")] == asked
    assert made == built()[recipe]
    assert Recipe(("old==1",), label="old==1") not in built()


def test_removed_is_gone(folder):
    """An environment that is removed leaves no folder."""
    build(BARE)
    remove(BARE)
    assert [] == list(folder.iterdir())


def test_markers_say_for_which_pythons_something_is_made():
    """An environment evaluates markers of requirements for its Python."""
    pypy = Environment("pypy3", "", (3, 9), "PyPy", "3.9.16", {})
    cpython = 'implementation_name == "cpython"'
    assert (False, True, True) == (pypy.satisfies(cpython), main_environment().satisfies(cpython), pypy.satisfies(""))
