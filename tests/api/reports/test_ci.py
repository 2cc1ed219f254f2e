"""What users copy into their CI runs as it stands: the script from start to end, and the recipe of the documentation."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import waits

from serbench.api.reports import execute
from serbench.errors import PlanError

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "serbench" / "api" / "reports" / "ci"
RECIPE = yaml.safe_load(
    re.search(r"^```yaml\n(.*?)^```", (ROOT / "docs" / "ci.md").read_text(), re.DOTALL | re.MULTILINE)[1]
)
PROGRAM = [sys.executable, "-c", "from serbench.api.command_line.program import main; main()"]
ORDERS = '[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]'
MODELS = """
import pydantic


class Customer(pydantic.BaseModel):
    id: int
    name: str

    @pydantic.field_validator("name")
    @classmethod
    def check(cls, value: str) -> str:
        assert value.isprintable()
        return value
"""
pytestmark = pytest.mark.timeout(1200)  # they run notebooks
posix = pytest.mark.skipif(sys.platform == "win32", reason="the script is for bash")


def settings() -> dict[str, str]:
    """What the script's head says that it can be told."""
    text = (FOLDER / "serbench.sh").read_text()
    return dict(re.findall(r"^#   ([A-Z]+) +(.+)$", text, re.MULTILINE))


def run(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """The script in that folder, with the serbench that is tested on the PATH."""
    program = folder / "bin" / "serbench"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(PROGRAM)} "$@"\n')
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    script = ["bash", FOLDER / "serbench.sh"]
    return waits.run(
        script, cwd=folder, env={**environment, "PATH": path, **settings}, check=False, seconds=waits.LONG_S
    )


def test_this_repository_runs_its_notebooks_by_the_script():
    """The live workflow tells the script only what it can be told, and names notebooks that there are."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "notebooks.yml").read_text())
    job = workflow["jobs"]["papermill"]
    assert set(job["env"]) <= settings().keys()
    names = {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert set(job["env"]["NOTEBOOKS"].split()) == names - {"explore", "claims"}
    scripts = [step["run"].removeprefix("bash ") for step in job["steps"] if step.get("run", "").startswith("bash ")]
    assert [True] == [(ROOT / script).is_file() for script in scripts]


def test_a_report_without_its_extra_is_refused(tmp_path, monkeypatch):
    """Nothing is run if what is measured could not be written in full."""
    monkeypatch.setattr(execute, "find_spec", lambda _: None)
    with pytest.raises(PlanError, match=r"needs pyarrow: pip install '\.\[report\]'"):
        execute.execute([], {}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_workflow_runs_the_script():
    """It comes with pull requests and on a schedule, sets what the script can be told, and keeps its folder."""
    workflow = yaml.safe_load((FOLDER / "serbench.yml").read_text())
    assert {"pull_request", "schedule", "workflow_dispatch"} == set(workflow[True])  # YAML 1.1 reads `on` so
    job = workflow["jobs"]["benchmark"]
    assert set(settings()) == set(job["env"])
    assert ["bash .github/serbench.sh"] == [step["run"] for step in job["steps"] if "run" in step]
    kept = next(step for step in job["steps"] if "upload-artifact" in step.get("uses", ""))
    assert job["env"]["RESULTS"] in kept["with"]["path"].splitlines()


@posix
@pytest.mark.full
def test_the_script_runs_from_start_to_end(tmp_path):
    """Notebooks by papermill, then the gate: tables, executed notebook, page and summary are there, and it is fine."""
    (tmp_path / "orders.json").write_text(ORDERS)
    done = run(
        tmp_path,
        NOTEBOOKS="your_own_data",
        PARAMETERS="payload=orders.json libraries=msgspec,dataclasses formats=orjson",
        GATE="--baseline marshmallow --candidate msgspec --format orjson --records 5",
    )
    assert 0 == done.returncode, done.stderr
    results = tmp_path / "serbench-results"
    assert {"executed", "index.md", "page", "summary.md", "your_own_data"} == {path.name for path in results.iterdir()}
    summary = (results / "summary.md").read_text()
    assert "### decode orders.json · 2 records" in summary
    assert "\n\n**fine**: msgspec against marshmallow" in summary


@pytest.mark.full
@posix
def test_a_slower_candidate_fails_the_script(tmp_path):
    """Without notebooks the gate alone is judged, and its exit code is the script's."""
    done = run(tmp_path, NOTEBOOKS="", GATE="--baseline msgspec --candidate marshmallow --format orjson --records 5")
    assert 1 == done.returncode, done.stderr
    assert "**slower**: marshmallow against msgspec" in (tmp_path / "serbench-results" / "summary.md").read_text()


def test_the_recipe_has_ten_lines():
    """It is as short as it says, and installs what it then calls."""
    steps = RECIPE["jobs"]["models"]["steps"]
    assert steps[-2]["run"].startswith("pip install")
    assert steps[-1]["run"].startswith("serbench gate")


@pytest.mark.full
@posix
def test_the_recipe_judges_one_s_own_class(tmp_path):
    """Its command, as it stands, measures a class of one's own on one's own data and writes the job's summary."""
    (tmp_path / "models.py").write_text(MODELS)
    (tmp_path / "customers.json").write_text(ORDERS)
    words = shlex.split(RECIPE["jobs"]["models"]["steps"][-1]["run"].replace("$GITHUB_STEP_SUMMARY", "summary.md"))
    done = waits.run([*PROGRAM, *words[1:]], cwd=tmp_path, seconds=waits.LONG_S)
    assert "only in your class: Customer.check (field validator)" in done.stderr
    assert "**fine**: yours against pydantic" in (tmp_path / "summary.md").read_text()
