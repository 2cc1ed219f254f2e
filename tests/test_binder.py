"""The Binder recipe: its scripts can be run, and its preset is one that the explorer takes."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

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
