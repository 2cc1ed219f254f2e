import ast
import linecache
import os
import re
import runpy
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from installation import DEPENDENCIES, PINS, PROJECT
from packaging.utils import canonicalize_name
from waits import run

import serbench
from serbench.api.claims import measure_claims
from serbench.api.command_line.program import EXAMPLES, program
from serbench.api.reports.splice import BLOCKS, call, functions, options
from serbench.judge import statistics
from serbench.judge.rows import COLUMNS
from serbench.measure import conduct, rounds, subjects
from serbench.measure.plan import EFFORTS
from serbench.measure.probes.wrong import BASICS
from serbench.model.data.dataset import workload_names
from serbench.render.library import libraries
from serbench.results import OPERATIONS

ROOT = Path(__file__).parents[1]
WRITTEN = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")}
TEXT = {name: (ROOT / name).read_text(encoding="utf-8") for name in WRITTEN} | PAGES
README = TEXT["README.md"]
PYTHON = TEXT["docs/python.md"]
COMMANDS = {name: program().get_command(None, name) for name in program().commands}
PLUG_IN = re.compile(r"`(serbench/\w+/\w+/\w+\.py)`:\n\n```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def parameters(name: str) -> list[Any]:
    """The parameters of a command, or of all the commands of a group."""
    command = COMMANDS[name]
    below = getattr(command, "commands", {"": command})
    return [parameter for one in below.values() for parameter in one.params]


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next of its level or higher."""
    level = len(heading) - len(heading.lstrip("#"))
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{level}}} |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"no section {heading!r}"
    return found[1]


def commands(text: str) -> list[list[str]]:
    """The single commands of all sh blocks, and of the lines of transcripts that begin with a prompt."""
    lines = [line for block in blocks(text, "sh") for line in block.splitlines()]
    lines += [
        line.removeprefix("$ ")
        for block in blocks(text, "console")
        for line in block.splitlines()
        if line.startswith("$ ")
    ]
    words = [shlex.split(part, comments=True) for line in lines for part in line.split("&&")]
    return [[word for word in part if not re.fullmatch(r"[A-Z_]+=\w*", word)] for part in words if part]


ALL_COMMANDS = [command for text in TEXT.values() for command in commands(text)] + [*map(shlex.split, EXAMPLES)]
SERBENCH = [command[1:] for command in ALL_COMMANDS if Path(command[0]).name == "serbench"]


def page(command: str) -> str:
    """The page of a command."""
    return TEXT[f"docs/commands/{command}.md"]


def test_the_texts_are_short():
    """README and CONTRIBUTING are read in one go, and nothing that a reader meets is a placeholder."""
    assert len(README.splitlines()) <= 80
    assert len(TEXT["CONTRIBUTING.md"].splitlines()) <= 250
    shipped = [*(ROOT / "serbench" / "api" / "reports" / "ci").iterdir(), *(ROOT / "notebooks").glob("*.ipynb")]
    assert "OWNER" not in "".join([*TEXT.values(), *(path.read_text(encoding="utf-8") for path in shipped)])


def test_start_is_two_lines():
    """The section Start has exactly two blocks of one line: the main job, and the tests."""
    job, test = blocks(section(README, "## Start"), "sh")
    install = "python3 -m venv .venv && .venv/bin/pip install -q uv && .venv/bin/uv pip install -q -p .venv -c constraints.txt "
    assert f"{install}. && .venv/bin/serbench run\n" == job
    assert test.startswith(install)


def test_the_tests_are_run_in_one_way():
    """The README's line, the one of CONTRIBUTING and `.ci/run` install the same, and the session `tests` runs what the line does."""
    _, line = blocks(section(README, "## Start"), "sh")
    install, _, command = line.strip().rpartition(" && ")
    assert line in TEXT["CONTRIBUTING.md"]
    assert f"\ninstall='{install}'\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert " ".join(runpy.run_path(str(ROOT / "noxfile.py"))["PYTEST"]) == command.removeprefix(".venv/bin/")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name):
    """Each command has a page with all its options in all their forms."""
    text = page(name)
    forms = [form for parameter in parameters(name) for form in parameter.opts if form.startswith("-")]
    assert [form for form in forms if f"`{form}`" not in text] == []


def test_sections_are_commands():
    """There is a page for each command and no other, with the command as its title; the commands are few."""
    assert len(COMMANDS) <= 15
    pages = {name: text.partition("\n")[0] for name, text in TEXT.items() if name.startswith("docs/commands/")}
    assert {f"docs/commands/{name}.md": f"# serbench {name}" for name in COMMANDS} == {
        name: title for name, title in pages.items() if not name.endswith("/index.md")
    }


@pytest.mark.parametrize("arguments", SERBENCH, ids=shlex.join)
def test_shown_commands_parse(arguments, monkeypatch):
    """A serbench command in a document has the options and arguments that it needs, in this folder."""
    monkeypatch.chdir(ROOT)  # a file's folder must be there
    name, *rest = arguments
    command = COMMANDS[name]
    if hasattr(command, "commands"):
        command, rest = command.commands[rest[0]], rest[1:]
    command.make_context(name, rest)


def test_other_programs_are_dependencies():
    """What a document tells the reader to type beside serbench comes with Python or the packages it installs."""
    known = {
        "serbench",
        "python3",
        "pip",
        "voila",
        "pytest",
        "jupyter",
        "papermill",
        "pre-commit",
        "uv",
        "git",
        "nox",
        "sphinx-build",
        ".",
        "echo",
    }
    assert {Path(command[0]).name or command[0] for command in ALL_COMMANDS} <= known


def test_named_files_exist():
    """Links lead from their page to files that are there, and so do paths from the root, as a forge shows both."""
    made_here = {file for file, _ in PLUG_IN.findall(TEXT["CONTRIBUTING.md"])}
    made_here |= {f"docs/libraries/{Path(file).stem}.md" for file in made_here}  # the page that a command writes
    links = {
        (ROOT / name).parent / link
        for name, text in TEXT.items()
        for link in re.findall(r"\]\(([^:)#]+)(?:#[^)]*)?\)", text)
    }
    paths = {
        ROOT / path
        for text in TEXT.values()
        for path in re.findall(r"(?<![\w/.-])(?:docs|notebooks|serbench|tests)/[\w/]+(?:\.\w+|/)", text)
        if path not in made_here
    }
    assert [str(path) for path in sorted(links | paths) if not path.exists()] == []


def test_every_public_name_is_documented():
    """The pages written by hand name everything that `import serbench` gives, and the reference is what the code says."""
    told = "".join(text for name, text in PAGES.items() if name != "docs/api.md")
    assert [name for name in serbench.__all__ if f"serbench.{name}" not in told] == []
    assert f"<!-- serbench: functions -->\n\n{functions(())}\n\n" in TEXT["docs/api.md"]


@pytest.mark.parametrize("name", COMMANDS)
def test_tables_of_options_are_current(name):
    """The table of each command is what the program itself gives; `serbench report --splice` writes it."""
    assert f"<!-- serbench: options {name} -->\n\n{options((), name)}\n\n" in page(name)


def test_the_table_of_arguments_is_current():
    """The table of the arguments of `serbench.run` is that of its signature."""
    assert f"<!-- serbench: arguments -->\n\n{call(())}\n\n" in PYTHON


def test_every_kind_of_block_is_documented():
    """The page of `report` says how each generated block of a document begins."""
    begins = [f"`serbench: {' '.join((kind, *takes))}`" for kind, (_, takes) in BLOCKS.items()]
    assert [one for one in begins if one not in page("report")] == []


def test_every_key_of_a_row_is_documented():
    """The page of `run` names each key of the rows that `serbench run --json` prints."""
    text = page("run")
    assert [name for name in COLUMNS if f"`{name}`" not in text] == []


def test_operations_and_efforts_are_documented():
    """The page of `run` has every operation, and the waves and precision of every effort."""
    text = page("run")
    assert [name for name in OPERATIONS if f"`{name}`" not in text] == []
    for name, effort in EFFORTS.items():
        number = f"{effort.waves_min} to {effort.waves_max}".removeprefix(f"{effort.waves_max} to ")
        number = number if effort.waves_min < effort.waves_max else f"{effort.waves_max} repetitions"
        assert f"`{name}`: {number}, for ±{effort.precision:.0%}" in text


@pytest.mark.parametrize(
    "sentence",
    [
        f"about {rounds.SIZING_NS / 1e6} ms of CPU time",
        f"the {conduct.CANDIDATES} combinations that were fastest",
        f"{conduct.TURNS} batches each",
        f"{rounds.ROUNDS} rounds",
        f"{rounds.ROUNDS_OF_SLOW} rounds for a combination",
        f"over {subjects.HEAVY_BYTES >> 20} MiB",
        f"Below {statistics.SAMPLE_VARIANCE_WAVES} repetitions",
        f"in {len(BASICS.wrong)} ways",
        "difference is proven to be more than 1%",
        "gzip at level 6, and with zstd at level 3",
    ],
)
def test_methodology_has_the_code_s_numbers(sentence):
    """The pages of the method state the constants that the code has."""
    assert sentence in "".join(text for name, text in TEXT.items() if name.startswith("docs/method/"))


@pytest.fixture
def own_store(tmp_path, monkeypatch):
    """A store and a working folder of the test's own."""
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "store.sqlite"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.full
@pytest.mark.usefixtures("own_store")
def test_the_python_of_the_pages_runs():
    """The Python of the pages runs as it stands, block after block, and writes the files that it names."""
    namespace = {"__name__": "__main__"}
    for name in (
        "docs/compare-your-code.md",
        "docs/pytest.md",
        "docs/explorer.md",
        "docs/notebooks.md",
        "docs/python.md",
    ):
        for number, block in enumerate(blocks(TEXT[name], "python")[name == "docs/notebooks.md" :]):
            cell = f"{name}:{number}"  # as in a notebook, the source of each is known
            linecache.cache[cell] = (len(block), None, block.splitlines(keepends=True), cell)
            exec(compile(block, cell, "exec"), namespace)
    assert namespace["run"].rows
    assert {"results.csv", "results.md", "results.json", "run.json"} < {path.name for path in Path("results").iterdir()}


@pytest.mark.full
def test_a_strangers_notebook_runs(tmp_path):
    """The page's own notebook runs as a script: its classes have rows at each size and depth, as a figure, CSV and table."""
    (tmp_path / "own.py").write_text(blocks(TEXT["docs/notebooks.md"], "python")[0], encoding="utf-8")
    settings = {**os.environ, "SERBENCH_STORE": str(tmp_path / "s.sqlite")}
    said = run([sys.executable, "own.py"], cwd=tmp_path, env=settings).stdout
    assert said.startswith("records = [1, 100], depth = [1, 2], formats = 'orjson', effort = 'quick'\n")
    assert re.search(r"records depth +\n1 +1 +[\d.]+ +[\d.]+\n +2 +[\d.]+ +[\d.]+\n100 +1 ", said), said
    assert (tmp_path / "folders.html").stat().st_size
    assert "Folder" in (tmp_path / "folders.csv").read_text(encoding="utf-8")


def test_contributing_claim_is_measured(tmp_path):
    """The claim that the documentation adds is read and measured as it stands there."""
    text = TEXT["docs/adding-a-claim.md"]
    (tmp_path / "pydantic").mkdir()
    source, claim = blocks(text, "toml")
    (code,) = blocks(text, "python")
    for name, block in {"source.toml": source, "parsing.toml": claim, "parsing.py": code}.items():
        (tmp_path / "pydantic" / name).write_text(block, encoding="utf-8")
    (outcome,) = measure_claims(sources=tmp_path, versions=["now"]).outcomes
    assert ("pydantic-parsing", ["ok", "ok"]) == (outcome.id, [row.status for row in outcome.rows])


def test_every_python_block_is_tested():
    """The documents have no Python beside what these tests run."""
    counts = {name: len(found) for name, text in TEXT.items() if (found := blocks(text, "python"))}
    generated = (
        "docs/libraries/",
        "docs/silent-changes.md",
    )  # of which the latter is run by tests/display/test_lookup.py
    shown = {name: count for name, count in counts.items() if not name.startswith(generated)}
    assert {
        "CONTRIBUTING.md": 3,
        "docs/adding-a-claim.md": 1,
        "docs/compare-your-code.md": 4,
        "docs/explorer.md": 1,
        "docs/notebooks.md": 2,
        "docs/plug-ins.md": 5,  # tests/test_installed_plug_ins.py
        "docs/pytest.md": 2,
        "docs/python.md": 3,
    } == shown
    for text in TEXT.values():
        for block in blocks(text, "python"):
            ast.parse(block)


def test_this_version_is_in_the_changelog():
    """The changelog has a section for the present version, below Unreleased."""
    versions = re.findall(r"^## \[(.+?)\]", TEXT["CHANGELOG.md"], re.MULTILINE)
    assert ["Unreleased", serbench.__version__] == versions[:2]


def test_the_package_has_one_version():
    """The version of the package is that of the project."""
    assert PROJECT["version"] == serbench.__version__


def test_constraints_are_pins():
    """Every line of constraints.txt is a name with one exact version, and no address."""
    assert [str(pin) for pin in PINS if pin.url or not re.fullmatch(r"==[\w.]+", str(pin.specifier))] == []


@pytest.mark.parametrize("dependency", DEPENDENCIES, ids=str)
def test_dependency_is_pinned_and_explained(dependency):
    """Each dependency is pinned within its bounds, and the page for maintainers says why it is there."""
    pinned = [pin for pin in PINS if canonicalize_name(pin.name) == canonicalize_name(dependency.name)]
    assert pinned
    assert all(dependency.specifier.contains(next(iter(pin.specifier)).version) for pin in pinned)
    assert re.search(rf"\b{re.escape(dependency.name)}\b", section(TEXT["docs/maintaining.md"], "## Dependencies"))


def test_no_place_of_ours():
    """No file names a folder of somebody's machine or the address of a package index."""
    places = r"(?<![\w}])/(home|root|Users|work|tmp)/\w|files\.pythonhosted|\w/simple/|(?<!--no-emit-)index-url"
    folders = ("serbench", "tests", "docs", "notebooks", "data", "binder", ".github", ".ci")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    paths += [path for path in ROOT.iterdir() if path.is_file()]
    passing = {"__pycache__", "executed"}  # folders that git ignores
    found = [
        f"{path.relative_to(ROOT)}: {place[0]}"
        for path in paths
        if passing.isdisjoint(path.relative_to(ROOT).parts) and path not in {Path(__file__), ROOT / ".git"}
        for place in re.finditer(places, path.read_bytes().decode(errors="replace"))
    ]
    assert found == []


def test_the_outcomes_are_of_today_s_libraries():
    """The outcomes are of libraries and workloads that there are, and nothing in them came back wrong."""
    text = TEXT["docs/libraries/outcomes.md"]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {name.strip() for name in rows[0].split("|")[5:-1]} <= set(workload_names())
    assert {row.split("|")[1].strip() for row in rows[2:]} <= set(libraries())
    assert "wrong**" not in text


def test_library_pages_are_of_today_s_libraries():
    """No page is of a library that is gone, and each has its declaration, its outcomes and its code."""
    pages = {Path(name).stem: text for name, text in TEXT.items() if name.startswith("docs/libraries/")}
    shown = {name: text for name, text in pages.items() if name not in ("index", "outcomes")}
    assert shown.keys() <= libraries().keys()
    for name, text in shown.items():
        assert [f"# {name}"] == re.findall(r"^# .*", text.partition("```")[0], re.MULTILINE)
        assert libraries()[name].docs in text
