"""The Binder recipe: what repo2docker makes of it, and that its preset is one that the explorer takes."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from waits import run

from serbench.ask.notebook.settings import from_state

ROOT = Path(__file__).parents[1]
BINDER = ROOT / "binder"


def preset() -> str:
    """The state that `start` sets."""
    (line,) = re.findall(r"^export SERBENCH_EXPLORER=(.*)$", (BINDER / "start").read_text(), re.MULTILINE)
    return shlex.split(line)[0]


def test_the_preset_is_small():
    """It is quick, ends within a minute, and measures a few libraries on one record."""
    choice = from_state(preset())
    assert ("quick", 1) == (choice.effort, choice.records)
    assert 0 < choice.budget <= 60
    assert 0 < len(choice.libraries) <= 5


def test_start_hands_the_preset_to_what_it_starts():
    """`start` runs the given command with the preset in its environment."""
    done = run([BINDER / "start", "printenv", "SERBENCH_EXPLORER"], env={"PATH": os.environ["PATH"]})
    assert preset() == done.stdout.strip()


def test_the_scripts_can_be_run():
    """Binder runs `postBuild` and `start` as programs; no file beside them makes it ignore the requirements."""
    assert all(os.access(BINDER / name, os.X_OK) for name in ("postBuild", "start"))
    assert {"postBuild", "requirements.txt", "runtime.txt", "start"} == {path.name for path in BINDER.iterdir()}
    assert '"fetchNews": "false"' in (BINDER / "postBuild").read_text()
    assert '--constraint constraints.txt ".[formats,report]"' in (BINDER / "postBuild").read_text()
    assert "-c ../constraints.txt" in (BINDER / "requirements.txt").read_text().splitlines()


def test_repo2docker_renders_it(monkeypatch):
    """The recipe is taken for a Python project of the version that it names, with both scripts."""
    buildpacks = pytest.importorskip("repo2docker.buildpacks", reason="jupyter-repo2docker is not installed")
    monkeypatch.chdir(ROOT)
    pack = buildpacks.PythonBuildPack("docker.io/library/buildpack-deps:jammy")
    pack.platform = "linux/amd64"
    assert pack.detect()
    text = pack.render({"NB_UID": "1000", "NB_USER": "jovyan"})
    for part in ("binder/postBuild", "binder/start", "binder/requirements.txt"):
        assert part in text
    assert pack.python_version.startswith((BINDER / "runtime.txt").read_text().strip().removeprefix("python-"))
