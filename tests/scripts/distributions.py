"""Builds wheel and sdist, installs each into a clean environment and tries it there: to be run by hand, not a test.

It takes uv, the package index and about two minutes: `python3 tests/scripts/distributions.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from uv import find_uv_bin

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FACTS = """
import importlib.metadata as metadata, importlib.resources as resources, json
import serbench
from serbench.store.archive import published
about = metadata.metadata("serbench")
print(json.dumps({
    "version": [serbench.__version__, about["Version"]],
    "classifiers": about.get_all("Classifier"),
    "typed": resources.files("serbench").joinpath("py.typed").is_file(),
    "scripts": [point.value for point in metadata.entry_points(group="console_scripts", name="serbench")],
    "published": len(published()),
    "where": serbench.__file__,
}))
"""


def call(*words: str | Path, folder: Path, expected: int = 0) -> str:
    """Run a command there, away from this checkout, and give what it prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    environment["SERBENCH_STORE"] = str(folder / "runs.sqlite")
    words = tuple(map(str, words))
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == expected, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def try_it(distribution: Path, folder: Path) -> None:
    """Install the distribution, and go through what a user does first."""
    uv, environment = find_uv_bin(), folder / "environment"
    call(uv, "venv", "-q", "--python", sys.executable, environment, folder=folder)
    python, serbench = (
        environment / ("Scripts" if os.name == "nt" else "bin") / name for name in ("python", "serbench")
    )
    install = ("pip", "install", "-q", "--python", python, "-c", ROOT / "constraints.txt")
    call(uv, *install, f"serbench[report] @ {distribution.as_uri()}", folder=folder)
    facts = json.loads(call(python, "-c", FACTS, folder=folder))
    assert [PROJECT["version"]] * 2 == facts["version"]
    assert PROJECT["classifiers"] == facts["classifiers"]
    assert facts["typed"]
    assert [PROJECT["scripts"]["serbench"]] == facts["scripts"]
    assert len(list((ROOT / "data").rglob("results.json"))) == facts["published"]
    assert Path(facts["where"]).is_relative_to(environment)
    for words, expected in (
        ("report --html page", 0),
        ("report --check", 0),
        ("report --tables", 2),
    ):
        began = time.monotonic()
        call(serbench, *words.split(), folder=folder, expected=expected)
        print(f"{distribution.name}: serbench {words}: exit code {expected}, {time.monotonic() - began:.1f} s")
    small = ("-l", "msgspec,dataclasses", "-f", "orjson", "-n", "3", "-e", "quick", "--json")
    rows = json.loads(call(serbench, "run", *small, folder=folder))["rows"]
    assert {"ok", "unresolved"} >= {row["status"] for row in rows}
    choice = ("-p", "libraries=msgspec,dataclasses", "-p", "formats=orjson", "-e", "quick")
    call(serbench, "report", "your_own_data", *choice, "--output", "results", folder=folder)
    call(serbench, "report", "--check", "--output", "results", folder=folder)
    call(serbench, "report", "your_own_data", "-p", "paylod=x", "--output", "results", folder=folder, expected=2)
    print(f"{distribution.name}: {len(rows)} rows measured, {facts['published']} published results, a report")


def main() -> None:
    """Build both, and try each."""
    with TemporaryDirectory() as scratch:
        built = Path(scratch) / "dist"
        call(find_uv_bin(), "build", "-q", "--out-dir", built, ROOT, folder=Path(scratch))
        for distribution in sorted(path for path in built.iterdir() if path.suffix in (".whl", ".gz")):
            folder = Path(scratch) / distribution.suffix.removeprefix(".")
            folder.mkdir()
            try_it(distribution, folder)


if __name__ == "__main__":
    main()
