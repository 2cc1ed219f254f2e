"""The commands of the documentation run as a user has serbench: installed, in a folder of one's own."""

from __future__ import annotations

import re
import shlex
import sys

import pytest
from user_folder import PAGES, ROOT, fill, shown
from waits import run

from serbench.render.selection import recipes
from serbench.store import archive

FOR_MAINTAINERS = {"maintaining.md", "adding-a-claim.md"}
UNTIMED = {"show", "adopt", "compare"}
"""Commands that measure nothing, or two short functions; of other commands only what is named below."""
CODES = {  # what else measures nothing, with its exit code in a folder that has no results
    "report --tables": {2},
    "report --html page": {0},
    "selfcheck --stored": {1},
    "run --stored latest": {0},
    "run --stored latest --to pyperf --output run.json": {0},
    "recommend --run latest --bandwidth 10Mbit/s --cores 1": {0},
    "recommend --run latest --bandwidth 10Gbit/s --cores 1": {0},
    "recommend --run latest --bandwidth 10Mbit/s": {0},
    "recommend --run latest --bandwidth 10Gbit/s": {0},
}
HEAVY = ("report --html page",)


def documented() -> list[str]:
    """The serbench commands of the pages for users, each once."""
    lines = [line for page in PAGES if page.name not in FOR_MAINTAINERS for line in shown(page, prose=False)]
    parts = [part.strip() for line in lines for part in line.split("&&")]
    return list(dict.fromkeys(part.removeprefix("serbench ") for part in parts if part.startswith("serbench ")))


COMMANDS = [
    line
    for line in documented()
    if (line.split()[0] in UNTIMED and not re.search("--with| unions.py", line)) or line in CODES
]


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Serbench with its data and notebooks inside the package, as a wheel has them, and a folder with a user's files."""
    share = tmp_path / "package" / "_share"
    share.mkdir(parents=True)
    for name in ("data", "notebooks"):
        (share / name).symlink_to(ROOT / name)
    monkeypatch.setattr(archive, "PACKAGE", share.parent)
    folder = tmp_path / "mine"
    fill(folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory):
    """A store with two runs, for commands that look at stored ones."""
    import serbench

    path = tmp_path_factory.mktemp("store") / "runs.sqlite"
    for _ in range(2):
        serbench.run("tiny", store=path, libraries="msgspec", formats="json/json", effort="quick")
    return path


def test_there_are_commands():
    """The pages have commands of every kind that is run here."""
    assert {line.split()[0] for line in COMMANDS} == {*UNTIMED, *(line.split()[0] for line in CODES)}
    assert CODES.keys() <= set(COMMANDS)


@pytest.mark.drawn(part=8)
@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=[pytest.mark.full] if line in HEAVY else []) for line in COMMANDS]
)
@pytest.mark.usefixtures("installed")
def test_a_documented_command_runs(line, two_runs, cli, monkeypatch):
    """It ends with the exit code that the documentation gives it, and what it cannot do is one line."""
    monkeypatch.setenv("SERBENCH_STORE", str(two_runs))
    code, out, error = cli(*shlex.split(line))
    assert code in CODES.get(line, {0}), error
    assert code < 2 or (out, error.count("\n")) == ("", 1)


def test_the_environment_that_a_page_removes_is_one_that_it_builds():
    """A version in short, such as `2.5`, has another name once it is built, and `env remove` takes that one."""
    words = [shlex.split(line) for line in documented() if line.startswith("env ")]
    built = [
        recipe.name
        for kind, *names in (line[1:] for line in words)
        if kind == "build"
        for name in names
        for recipe in recipes(name)
    ]
    removed = [name for kind, *names in (line[1:] for line in words) if kind == "remove" for name in names]
    assert removed
    assert set(removed) <= set(built)


@pytest.mark.full
@pytest.mark.parametrize("name", ["look_at_explorer", "look_at_page"])
def test_scripts_that_look_say_what_they_take(name):
    """Called alone, as the pages for maintainers call it, a script finds its modules and prints its arguments."""
    call = [sys.executable, ROOT / "tests" / "scripts" / f"{name}.py"]
    done = run(call, check=False, cwd=ROOT)
    assert (1, True) == (done.returncode, "screenshots" in done.stderr.splitlines()[0]), done.stderr
