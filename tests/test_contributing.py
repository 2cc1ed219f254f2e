"""The walk-throughs of CONTRIBUTING lead from an empty file to green tests, by the lines that the tests print."""

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
NAMED = "structs or pydantic_core or pydantic-core or track or pinned or pins_are or stale_snapshot or test_names or outcomes_are"
PROOFS = ("test_round_trip.py", "test_source.py", "test_registry.py")
NEEDED = tuple(f"tests/render/libraries/{name}" for name in PROOFS)
BESIDE = (
    "tests/render/libraries/test_complete.py",
    "tests/render/libraries/test_snapshots.py",
    "tests/render/formats",
    "tests/model/workloads",
)

pytestmark = pytest.mark.full


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


def run(folder: Path, *words: str, fails: bool = False, **settings: str) -> str:
    """What a program prints in that checkout; it must succeed, or fail."""
    environment = {**os.environ, "PYTHONPATH": str(folder), **settings}
    done = waits.run([sys.executable, "-m", *words], cwd=folder, env=environment, seconds=waits.LONG_S, check=False)
    assert fails == bool(done.returncode), done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def contents(folder: Path) -> dict[str, bytes]:
    """The files that a contributor may touch, by their paths."""
    found = (path for name in ("serbench", "tests", "docs") for path in (folder / name).rglob("*.*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found if "__pycache__" not in path.parts}


def test_a_library_a_codec_and_a_workload(checkout):
    """The three blocks of CONTRIBUTING lack what the tests name, and with snapshots and an extra all but two pages are there."""
    library, codec, workload = BLOCKS
    before = contents(checkout)
    (checkout / "serbench" / "render" / "libraries" / "structs.py").write_text(library, encoding="utf-8")
    (checkout / "serbench" / "model" / "workloads" / "track.py").write_text(workload, encoding="utf-8")
    json = checkout / "serbench" / "render" / "formats" / "json.py"
    place = '        Codec(\n            "pydantic",\n'
    text = json.read_text(encoding="utf-8")
    assert text.count(place) == 1
    json.write_text(text.replace(place, "".join(f"        {line}\n" for line in codec.splitlines()) + place))

    pytest_ = ("pytest", "-q", "-p", "no:cacheprovider", "-m", "every", "-k", NAMED)
    said = run(checkout, *pytest_, *BESIDE, fails=True).splitlines()
    for lack in (
        "structs_orjson_json_models.py is missing",
        "dataclasses_pydantic_core_json_models.py is missing",
        "gaps.txt does not have structs",
    ):
        assert any(line.startswith(f"tests/snapshots/{lack}: run `UPDATE_SNAPSHOTS=1 pytest") for line in said)
    for line in re.findall(r"^docs/.* (?:is missing|has no row).*$", TEXT, re.MULTILINE):
        assert line in said
    extra = re.search(r"pyproject.toml does not install pydantic-core: add .* to `formats`", TEXT)[0]
    assert extra in said

    updating = ("tests/render/libraries/test_snapshots.py", "tests/model/workloads")
    run(checkout, *pytest_, *updating, UPDATE_SNAPSHOTS="1")
    for name, old, new in (
        ("pyproject.toml", "formats = [\n", 'formats = [\n  "pydantic-core>=2.27",\n'),
        ("docs/maintaining.md", "| `formats`: ", "| `formats`: pydantic-core, "),
    ):
        text = (checkout / name).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (checkout / name).write_text(text.replace(old, new), encoding="utf-8")
    said = run(checkout, *pytest_, *NEEDED, *BESIDE, fails=True)
    failed = set(re.findall(r"^FAILED tests/render/libraries/test_complete.py::(\S+)", said, re.MULTILINE))
    assert {"test_it_has_a_page[structs]", "test_its_outcomes_are_published[structs]"} == failed
    assert said.count("\nFAILED ") == 2
    run(
        checkout,
        "ruff",
        "check",
        "serbench/render/libraries/structs.py",
        "serbench/model/workloads/track.py",
        "serbench/render/formats/json.py",
    )
    run(
        checkout,
        "ruff",
        "format",
        "--check",
        "serbench/render/libraries/structs.py",
        "serbench/model/workloads/track.py",
    )

    touched = {name for name, content in contents(checkout).items() if before.get(name) != content}
    by_hand = {name for name in touched if not name.startswith(("tests/snapshots/", "docs/maintaining"))}
    assert {
        "serbench/render/libraries/structs.py",
        "serbench/render/formats/json.py",
        "serbench/model/workloads/track.py",
    } == by_hand
