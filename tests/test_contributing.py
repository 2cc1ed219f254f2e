"""The walk-throughs of CONTRIBUTING lead from an empty file to green tests, and touch one file each."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import waits

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
NAMED = "structs or pydantic_core or pydantic-core or track or values_are_pinned or stale_snapshot or test_names or outcomes_are"
NEEDED = ("tests/libraries/test_registry.py", "tests/libraries/test_round_trip.py", "tests/libraries/test_snapshots.py")
NEEDED += ("tests/workloads", "tests/formats/test_formats.py", "tests/test_docs.py")

pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]


@pytest.fixture
def checkout(tmp_path):
    """A copy of this repository without its history; what no test writes to is a link."""
    for name in ("serbench", "tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, tmp_path)
    for name in ("data", "notebooks", "binder"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def run(folder: Path, *words: str, **settings: str) -> str:
    """What a program prints in that checkout; it must succeed."""
    environment = {**os.environ, "PYTHONPATH": str(folder), **settings}
    return waits.run([sys.executable, "-m", *words], cwd=folder, env=environment, seconds=waits.LONG_S).stdout


def contents(folder: Path) -> dict[str, bytes]:
    """The files that a contributor may touch, by their paths."""
    found = (path for name in ("serbench", "tests", "docs") for path in (folder / name).rglob("*.*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found if "__pycache__" not in path.parts}


def test_a_library_a_codec_and_a_workload_are_one_file_each(checkout):
    """With the three blocks of CONTRIBUTING and the snapshots that a command writes, all tests about them are green."""
    library, codec, workload = BLOCKS
    before = contents(checkout)
    (checkout / "serbench" / "libraries" / "structs.py").write_text(library, encoding="utf-8")
    (checkout / "serbench" / "workloads" / "track.py").write_text(workload, encoding="utf-8")
    json = checkout / "serbench" / "formats" / "json.py"
    place = '        Codec(\n            "pydantic",\n'
    text = json.read_text(encoding="utf-8")
    assert text.count(place) == 1
    json.write_text(text.replace(place, "".join(f"        {line}\n" for line in codec.splitlines()) + place))

    pytest_ = ("pytest", "-q", "-p", "no:cacheprovider", *NEEDED, "-k", NAMED)
    run(
        checkout,
        *pytest_[:4],
        "tests/libraries/test_snapshots.py",
        "tests/workloads",
        "-k",
        NAMED,
        UPDATE_SNAPSHOTS="1",
    )
    said = run(checkout, *pytest_, "-m", "full or not full")
    assert re.search(r"\d+ passed", said)
    assert "failed" not in said
    run(
        checkout,
        "ruff",
        "check",
        "serbench/libraries/structs.py",
        "serbench/workloads/track.py",
        "serbench/formats/json.py",
    )
    run(checkout, "ruff", "format", "--check", "serbench/libraries/structs.py", "serbench/workloads/track.py")

    touched = {name for name, content in contents(checkout).items() if before.get(name) != content}
    by_hand = {name for name in touched if not name.startswith("tests/snapshots/")}
    assert {"serbench/libraries/structs.py", "serbench/formats/json.py", "serbench/workloads/track.py"} == by_hand
