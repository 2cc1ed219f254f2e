"""Plug-ins of other distributions: found by their entry points, proven by the tests for them, and left out if they are wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
import waits

import serbench.plugin

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "plug-ins.md").read_text(encoding="utf-8")
CLAIM = (ROOT / "docs" / "adding-a-claim.md").read_text(encoding="utf-8")
FILE = re.compile(r"^`(serbench_structs/\S+\.py)` [^\n]*\n\n```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LISTED = """
import json
from serbench.claims.reading import claims
from serbench.model.data.dataset import workload_names
from serbench.render.codec import formats
from serbench.render.library import libraries
for _ in range(2):  # what is wrong is said once
    listed = [list(one()) for one in (libraries, formats, workload_names, claims)]
print(json.dumps(listed))
"""
LIBRARY = """
from serbench.plugin import Library
INTERFACE = 1
LIBRARY = Library(name={!r}, summary="s", docs="https://example.org", render=print)
"""


def install(folder: Path, name: str, groups: Mapping[str, Mapping[str, str]], files: Mapping[str, str]) -> None:
    """Write a distribution into a folder as an installer leaves it there."""
    listed = {
        f"{name.replace('-', '_')}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    }
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in one.items()) for group, one in groups.items()
    ]
    listed[f"{name.replace('-', '_')}-1.0.dist-info/entry_points.txt"] = "".join(lines)
    for file, text in {**listed, **files}.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")


def run(folder: Path, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """A program that finds what is installed in a folder."""
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "SERBENCH_STORE": str(folder / "store")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # what else is installed takes longer to import than the tests
    return waits.run([sys.executable, *words], check=check, cwd=folder, env=environment)


@pytest.fixture
def scratch(tmp_path):
    """A folder with the distribution of the page, and the claim of the page on claims."""
    files = dict(FILE.findall(PAGE))
    blocks = re.findall(r"^```(?:toml|python)\n(.*?)^```", CLAIM, re.DOTALL | re.MULTILINE)
    names = ("source.toml", "parsing.py", "parsing.toml")
    files |= {f"serbench_structs/claims/sources/pages/{name}": text for name, text in zip(names, blocks, strict=True)}
    (project,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    install(tmp_path, "serbench-structs", tomllib.loads(project)["project"]["entry-points"], files)
    return tmp_path


def test_they_are_verified_together(scratch):
    """`serbench verify` proves the library with the workload in the format, though its worker knows no plug-in."""
    words = ("verify", "--library", "structs,dataclasses", "--workload", "track", "--format", "zlib-json,orjson")
    done = run(scratch, "-m", "serbench", *words, "--records", "3")
    assert 4 == done.stdout.count(" ok "), done.stdout


def test_the_files_are_in_the_manner_of_the_house(scratch):
    """They are typed and laid out as serbench's own files are."""
    files = [str(scratch / file) for file, _ in FILE.findall(PAGE)]
    config = f"--config={ROOT / 'pyproject.toml'}"
    waits.run([sys.executable, "-m", "ruff", "check", "--ignore=ARG001,INP001", config, *files])
    waits.run([sys.executable, "-m", "ruff", "format", "--check", config, *files])


@pytest.mark.full
def test_the_page_is_green_as_written(scratch):
    """The tests for plug-ins pass for the distribution of the page."""
    environment = {**os.environ, "PYTHONPATH": f"{scratch}{os.pathsep}{ROOT}"}
    words = ("pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "serbench.selfcheck.conformance")
    done = waits.run([sys.executable, "-m", *words], check=False, seconds=waits.LONG_S, cwd=scratch, env=environment)
    assert "5 passed" in done.stdout, done.stdout


BROKEN = {
    "unimportable": ("x = 1\nINTERFACE = 1\nimport missing_module\n", "serbench_unimportable.py, line 3: ModuleNotFoundError: No module named 'missing_module'"),
    "msgspec": (LIBRARY.format("msgspec"), "its name is that of one of serbench; choose another"),
    "old": ("from serbench.plugin import Gone\nINTERFACE = 0\n", "it is for interface 0, and this serbench has 1; upgrade the plug-in"),
    "no-library": ("INTERFACE = 1\nLIBRARY = 1\n", "serbench_no_library:LIBRARY must be a Library, not int"),
    "silent": (LIBRARY.format("silent").replace("INTERFACE = 1", ""), "serbench_silent does not state its interface; write INTERFACE = 1 in it"),
    "leaving": ("INTERFACE = 1\nraise SystemExit('\\x1b[31m')\n", "serbench_leaving.py, line 2: SystemExit: \\u001b[31m"),
    "other": (LIBRARY.format("another"), "its name is 'another', but that of its entry point is 'other'; make them equal"),
}  # fmt: skip


def test_broken_ones_are_a_line_each(scratch):
    """Each that is wrong is one line with distribution and cure, said once; those of the page take part."""
    assert (scratch / "serbench_structs" / "__init__.py").is_file()  # without which no wheel can be built
    for name, (text, _) in BROKEN.items():
        module = f"serbench_{name.replace('-', '_')}"
        install(scratch, f"broken-{name}", {"serbench.libraries": {name: f"{module}:LIBRARY"}}, {f"{module}.py": text})
    install(scratch, "z", {"serbench.libraries": {"structs": "nothing:LIBRARY"}, "serbench.claims": {"z": "z:Z"}}, {})
    done = run(scratch, "-c", LISTED)
    lines = {
        f"serbench: the library '{name}' of broken-{name} 1.0 is left out: {why}" for name, (_, why) in BROKEN.items()
    }
    lines.add(
        "serbench: the library 'structs' of z 1.0 is left out: its name is that of one of serbench-structs 1.0; choose another"
    )
    lines.add("serbench: the claim 'z' of z 1.0 is left out: there is no module z")
    assert sorted(lines) == sorted(done.stderr.splitlines())
    libraries, *_ = listed = json.loads(done.stdout)
    names = ("structs", "zlib-json", "track", "pages-parsing")
    assert [True] * 4 == [name in one for name, one in zip(names, listed, strict=True)]
    assert "msgspec" in libraries
    assert not {"unimportable", "old", "other", "another"} & set(libraries)


def test_the_tests_for_plug_ins_can_fail(tmp_path):
    """They fail if there is none, and for one that is left out."""
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs", "serbench.selfcheck.conformance")
    assert "no plug-in is installed" in run(tmp_path, *words, check=False).stdout
    install(tmp_path, "z", {"serbench.workloads": {"z": "nothing:WORKLOAD"}}, {})
    assert "there is no module nothing" in run(tmp_path, *words, check=False).stdout


def test_a_workload_of_wrong_types_is_not_conforming(scratch):
    """An int where the schema has a float is found."""
    path = scratch / "serbench_structs" / "track.py"
    path.write_text(
        path.read_text("utf-8").replace("float(random_int(random, 0, 4_000))", "random_int(random, 0, 4_000)"), "utf-8"
    )
    words = (
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--pyargs",
        "serbench.selfcheck.conformance",
        "-k",
        "track",
    )
    assert "1 records of depth 1" in run(scratch, *words, check=False).stdout


def test_the_interface_has_what_it_names():
    """Each name of `serbench.plugin` is there, and the number is the one that the page has."""
    assert set(serbench.plugin.__all__) <= set(vars(serbench.plugin))
    assert f"`INTERFACE = {serbench.plugin.INTERFACE}`" in PAGE


def test_nothing_is_looked_for_before_a_list_is_needed(tmp_path):
    """`serbench --help` reads no entry point."""
    code = "import sys\nfrom serbench.api.command_line.program import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\nprint('importlib.metadata' in sys.modules, file=sys.stderr)"
    assert "False\n" == run(tmp_path, "-c", code).stderr
