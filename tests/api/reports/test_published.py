"""What is published is made again from its runs with the same bytes, and whatever is not current is found."""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from waits import run

import serbench
from serbench.api.command_line import reporting
from serbench.api.reports import published
from serbench.api.reports.published import INDEX, published_runs, remake
from serbench.api.reports.splice import END, spliced
from serbench.display.board import boards_of
from serbench.display.table import escaped
from serbench.errors import PlanError
from serbench.machine.files import write_files
from serbench.store.archive import resources
from serbench.store.folder import FACTS, as_files
from serbench.store.store import Store

ROOT = Path(__file__).parents[3]
DATA = resources("data")
RUN_FILES = (FACTS, "cells.parquet", "samples.parquet", "sources.parquet")
MARKER = "<!-- serbench: leaders small decode client 1 -->"


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A small run as the store has it."""
    path = tmp_path_factory.mktemp("runs") / "runs.sqlite"
    choices = {"libraries": "dataclasses, class", "formats": "json/json", "records": 5, "effort": "quick"}
    run = serbench.run("client", store=path, **choices)
    with Store(path, read_only=True) as opened:
        return opened.load(run.id)


@pytest.fixture
def data(stored, tmp_path):
    """A folder of results with that run, `small`, and nothing made of it."""
    folder = tmp_path / "data" / "small"
    folder.mkdir(parents=True)
    write_files(folder, as_files(stored))
    return folder.parent


@pytest.fixture
def report(cli, data, monkeypatch):
    """Calls `serbench report` beside that folder: exit code, standard output, standard error."""
    monkeypatch.chdir(data.parent)
    return partial(cli, "report")


def written(folder: Path) -> Mapping[str, str]:
    """The SHA-256 of every file of a folder, by its path: pytest would explain two long files for half an hour."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.full
def test_what_is_committed_is_current():
    """Every table, index, SVG and block of this repository is what its published runs give.

    All runs together take 150 MB, which a process of their own gives back.
    """
    program = "from serbench.api.command_line.program import main; main()"
    assert "" == run([sys.executable, "-c", program, "report", "--check"], cwd=ROOT).stderr


@pytest.mark.full
def test_an_older_picture_of_a_notebook_is_found(tmp_path):
    """A figure that only a notebook shows is of the results that are beside it."""
    for name in ("fidelity", "columnar"):
        shutil.copytree(DATA / name, tmp_path / name)
    (path,) = tmp_path.rglob("shown-figure-strictness.svg")
    path.write_text(re.sub(r"figure \w+,", "figure 0123456789abcdef,", path.read_text("utf-8"), count=1), "utf-8")
    assert [path] == [stale for stale, _ in published.outdated_images(published.pictures(tmp_path, again=True))]


def test_what_is_committed_is_small():
    """No published file is larger than 300 kB."""
    files = [path for path in DATA.rglob("*") if path.is_file() and DATA / "executed" not in path.parents]
    assert files
    assert [] == [path for path in files if path.stat().st_size > 500_000]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nested_models", "versions/then"])
def test_tables_are_made_of_the_run_alone(name, tmp_path):
    """From the files of a run come the tables that are committed, byte for byte."""
    (tmp_path / name).mkdir(parents=True)
    for file in RUN_FILES:
        shutil.copy(DATA / name / file, tmp_path / name)
    remake(tmp_path)
    committed = {path: content for path, content in written(DATA / name).items() if not path.endswith(".svg")}
    assert committed == {path: content for path, content in written(tmp_path / name).items() if path in committed}
    assert [] == remake(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("claims", ("ledger.md", "ledger.csv")),
        ("costs", ("results.md",)),
        pytest.param("fidelity", ("results.parquet",), marks=pytest.mark.full),
    ],
)
def test_tables_beside_runs_are_made_of_their_data(name, tables, data, report):
    """From the outcomes of claims, the costs or the matrices come their tables and a line of the index, byte for byte."""
    shutil.copytree(DATA / name, data / name, ignore=shutil.ignore_patterns("*.svg", *tables))
    assert 0 == report("--tables")[0]
    committed = {path: content for path, content in written(DATA / name).items() if not path.endswith(".svg")}
    assert set(tables) < set(committed)
    assert committed == written(data / name)
    page = "../docs/values.md" if name == "fidelity" else f"{name}/{tables[0]}"
    assert f"({page})" in (data / INDEX).read_text()
    assert (0, "") == report("--check")[::2]


def test_without_a_run_there_is_nothing_to_make(report, tmp_path):
    """A folder without a published run is one line that says how to get one."""
    code, _, error = report("--tables", "--output", str(tmp_path / "none"))
    assert (2, 1) == (code, error.count("\n"))
    assert "has no published run" in error


@pytest.mark.slow
def test_serbench_s_own_results_are_read_anywhere(cli, tmp_path, monkeypatch):
    """In an empty folder, what only reads takes serbench's own results; what writes says in a line what is missing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reporting, "_not_current", lambda output: [output])
    assert f"{resources('data')} is not what the published runs give\n" == cli("report", "--check")[2]
    code, _, error = cli("report", "--tables")
    assert (2, 1) == (code, error.count("\n"))
    assert "data has no published run" in error
    assert [] == list(tmp_path.iterdir())


def test_what_is_not_current_is_found_and_made(report, data):
    """`--check` names what is missing or changed and leaves it so, `--tables` makes exactly that."""
    code, _, error = report("--check")
    assert (1, 5) == (code, error.count("is not what the published runs give"))
    assert 0 == report("--tables")[0]
    assert (0, "") == report("--check")[::2]

    before = written(data)
    for path in (data / "small" / "results.md", data / "small" / "results.parquet", data / INDEX):
        path.write_bytes(b"changed")
        code, _, error = report("--check")
        assert (1, 1) == (code, error.count("\n"))
        assert str(path.relative_to(data.parent)) in error
        assert b"changed" == path.read_bytes()
        assert str(path.relative_to(data.parent)) in report("--tables")[2]
        assert before == written(data)


def test_the_index_says_when_where_and_how(data, stored):
    """For each run there are its date, machine, versions, accuracy and the command that measures it again."""
    remake(data)
    text = (data / INDEX).read_text()
    for part in (stored.info.started[:10], stored.info.command, stored.info.machine["cpu"], "(small/results.md)"):
        assert part in text


def test_a_block_has_the_first_of_each_class(data, stored):
    """A block holds the leaders with date, machine and versions, and is the same when it is made again."""
    runs = published_runs(data)
    text = spliced(f"before\n\n{MARKER}\nold\n{END}\n\nafter\n", runs)
    board = next(one for one in boards_of(runs[0].run.rows, runs[0].run.least) if one.title.startswith("decode client"))
    assert text.startswith(f"before\n\n{MARKER}\n\n**{escaped(board.headline)}.**\\\nPublished results: decode client")
    assert text.endswith(f"\n\n{END}\n\nafter\n")
    assert "old" not in text
    assert stored.info.started[:10] in text
    sections = {row.work_class for row in runs[0].run.rows if row.operation == "decode"}
    assert len(sections) + 2 == text.count("\n| ")
    assert text == spliced(text, runs)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n<!-- serbench: leader -->", "the text, line 2: the block has no end"),
        (f"<!-- serbench: leader -->{END}", "unknown block 'leader': did you mean leaders?"),
        (
            f"<!-- serbench: leaders small -->{END}",
            "write a block leaders as `leaders RESULT OPERATION WORKLOAD COUNT`",
        ),
        (f"<!-- serbench: leaders smal decode client 1 -->{END}", "did you mean small?"),
        (f"<!-- serbench: leaders small decode rows 1 -->{END}", "has no decode rows"),
        (f"<!-- serbench: choice small fastapi -->{END}", "small has no endpoints of fastapi with several sizes"),
        (f"<!-- serbench: leaders small decode client x -->{END}", "COUNT is a whole number, not 'x'"),
        (f"{MARKER}\n{MARKER}\n{END}", "line 2: a block begins before the previous one ends with"),
    ],
)
def test_a_marker_that_is_none(text, said, data):
    """A block that cannot be made is refused with its line and what it should be."""
    with pytest.raises(PlanError) as refused:
        spliced(text, published_runs(data))
    assert said in str(refused.value)


def test_documents_are_spliced_and_checked(report, data):
    """`--splice` writes the blocks of the Markdown files here, `--check` finds those that are old."""
    remake(data)
    document = data.parent / "README.md"
    document.write_text(f"# Mine\n\n{MARKER}\n{END}\n")
    (data.parent / "other.md").write_text("no block\n")
    assert "README.md is not what" in report("--check")[2]
    assert "written: README.md" in report("--splice")[2]
    assert re.search(r"\| (dataclasses|class) via \w+ \|", document.read_text())
    assert (0, "") == report("--check")[::2]
    assert "" == report("--splice")[2]


def test_an_svg_says_which_figure_it_is(data, monkeypatch):
    """One that is current is not drawn again, one of another figure is found and drawn anew, without its random names."""
    drawn = []

    def image(figures, ending):
        for _ in figures:
            drawn.append(ending)
            yield f'<svg><defs id="defs-{len(drawn):02d}abcd"/><g clip="#clip{len(drawn):02d}abcdx"/></svg>'.encode()

    monkeypatch.setattr(published, "_images", image)
    paths = published.draw(published.shown_figures(data), "svg")
    assert ["decode-client.svg", "encode-client.svg"] == sorted(path.name for path in paths)
    assert [] == published.draw(published.shown_figures(data), "svg")
    assert [] == list(published.outdated_images(published.shown_figures(data, again=True)))
    before = paths[0].read_text()
    paths[0].write_text("<!-- serbench figure of something else -->\n<svg/>")
    assert [paths[0]] == [path for path, _ in published.outdated_images(published.shown_figures(data, again=True))]
    assert [paths[0]] == published.draw(published.shown_figures(data), "svg")
    assert (before, 3) == (paths[0].read_text(), len(drawn))


@pytest.mark.slow
def test_a_figure_is_drawn_the_same_twice(data):
    """With Kaleido and a Chromium, the same figure is the same SVG."""
    pytest.importorskip("kaleido", reason="kaleido is not installed")
    figure = published.figures(published_runs(data)[0].run)["decode-client"]
    try:
        drawn = [published._plain(image.decode()) for image in published._images([figure, figure], "svg")]
    except PlanError as error:
        pytest.skip(str(error))
    assert "decode client" in drawn[0]
    assert drawn[0] == drawn[1]
