"""The Binder recipe: its scripts can be run, and its preset is one that the explorer takes."""

from __future__ import annotations

import os
import re
import shlex
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from waits import run

from serbench.api.notebook.settings import from_state

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
    assert "pip install --quiet --no-cache-dir --no-deps --no-build-isolation ." in (BINDER / "postBuild").read_text()


def test_every_requirement_is_pinned_with_hashes():
    """All that serbench needs there is listed in the versions of `constraints.txt`, with hashes and no address."""
    text = (BINDER / "requirements.txt").read_text()
    pins = dict(re.findall(r"(?m)^([a-z0-9._-]+)==([^ ]+) \\\n    --hash=sha256:", text))
    assert len(pins) == len(re.findall(r"(?m)^[^ ]", text)) > 100
    assert "://" not in text
    known = re.findall(r"(?m)^([a-z0-9._-]+)==([^ ;\n]+)", (ROOT / "constraints.txt").read_text())
    assert {name for name, pin in pins.items() if name in dict(known) and (name, pin) not in known} == set()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    python = {"python_version": (BINDER / "runtime.txt").read_text().strip().removeprefix("python-")}
    listed = map(Requirement, [*project["dependencies"], *project["optional-dependencies"]["notebook"]])
    wanted = [requirement for requirement in listed if not requirement.marker or requirement.marker.evaluate(python)]
    assert {canonicalize_name(requirement.name) for requirement in wanted} <= pins.keys()
