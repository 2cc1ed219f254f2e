"""A page is one file, or a folder, that holds everything and lets no text of the data be more than text."""

from __future__ import annotations

import json
import re
import shlex
import zlib
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser

import known_runs
import pytest

from serbench.api.command_line.program import main
from serbench.api.reports.page import page
from serbench.api.reports.page.content import content
from serbench.api.running import run
from serbench.display.result_table import overall_data
from serbench.display.values import csv_text
from serbench.errors import PlanError
from serbench.judge.rows import COLUMNS
from serbench.store.archive import Sheet


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def written(tmp_path, found=None, **choices):
    """The page's text and the data in it."""
    made = page(found or known_runs.usual(), tmp_path, **choices)
    text = made.paths[0].read_text(encoding="utf-8")
    return made, text, unpacked(text)


def unpacked(text):
    """The data in a page's text."""
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(zlib.decompress(b64decode(data[1])))


def rows_of(data):
    """The rows that a page's data stand for, as `Row`'s fields."""
    count = sum(run["rows"] for run in data["runs"])
    columns = {
        name: column if isinstance(column, list) else [column["values"][at] for at in column["at"] or [0] * count]
        for name, column in data["rows"].items()
        if name in data["fields"]
    }
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def test_commands_on_own_data_name_it():
    """Those that measure more sizes and print a module of today name the file, in quotes where a shell needs them."""
    (run, *_) = known_runs.shapes()
    payload = "/x/a; rm -rf x.json"
    sheet = Sheet.of(replace(run, info=replace(run.info, plan={**run.info.plan, "payload": payload})))
    data = content([sheet])
    shown = next(text for text in data["rows"]["show"]["values"] if text)
    assert ["serbench", "show", "mashumaro", "orjson/json", "--payload", payload] == shlex.split(shown)
    sizes = ["-n", "1,10,100,1000", "-d", "2"]
    for board in data["boards"]:
        assert ["serbench", "run", "--payload", payload, *sizes] == shlex.split(board["grow"])


def test_no_command_names_a_class_whose_file_is_gone(tmp_path):
    """That of a cell ends with its kernel; a class that is still there is named in each command."""
    (run, *_) = known_runs.shapes()
    plan = {**run.info.plan, "model": f"{tmp_path}:cell_0a1b2c3d.py:Order"}
    sheet = Sheet.of(replace(run, info=replace(run.info, plan=plan)))
    commands = lambda data: {*data["rows"]["show"]["values"]} | {board["grow"] for board in data["boards"]}  # noqa: E731
    assert {""} == commands(content([sheet]))
    (tmp_path / "cell_0a1b2c3d.py").touch()
    assert all("cell_0a1b2c3d.py:Order" in command for command in commands(content([sheet])) - {""})


def test_a_run_that_is_not_finished_says_how_far_it_is():
    """Its cases with a time are counted among all that it was to measure; a finished run has no such line."""
    run = known_runs.usual()[0]
    left = {one.id for one in run.cells if one.library == "attrs"}
    part = replace(run, samples=[one for one in run.samples if one.cell not in left])
    told = []
    for one in (run, part):
        for status in ("finished", "interrupted"):
            sheet = Sheet.of(replace(one, info=replace(one.info, status=status)))
            told.append(content([sheet])["runs"][0].get("unfinished"))
    assert (None, None) == (told[0], told[2])
    assert told[1].startswith(f"Run {run.id} is not finished: 8 of 8 combinations have a time")
    assert told[3].startswith(f"Run {run.id} is not finished: 6 of 8 combinations have a time")


@pytest.mark.slow
def test_one_file_holds_every_row(tmp_path):
    """The page is one file whose data are the rows as they were, to six digits, of the newest run first."""
    made, _, data = written(tmp_path)
    rows = [known_runs.rounded(row) for run in known_runs.usual()[::-1] for row in run.rows]
    assert [tmp_path / "index.html"] == list(made.paths)
    means = [overall_data(run.rows) for run in known_runs.usual()[::-1]]
    assert json.loads(json.dumps(means)) == [run["overall"] for run in data["runs"]]
    assert [
        {name: getattr(row, name) for name in COLUMNS} | {"reference": int(row.reference)} for row in rows
    ] == rows_of(data)


def test_one_file_names_no_other(tmp_path):
    """Nothing in the page is fetched: no element has an address but the empty icon and a place on it; the policy allows none."""
    _, text, _ = written(tmp_path)
    addresses = [value for _, attrs in Elements(text).found for name, value in attrs.items() if name in ("src", "href")]
    [policy] = [attrs["content"] for _, attrs in Elements(text).found if "http-equiv" in attrs]
    assert ["data:,", "#view"] == addresses
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert "unsafe" not in policy


def test_a_folder_holds_the_runs_too(tmp_path):
    """The folder form has script, style and data beside it, and each run as CSV and JSON."""
    found = known_runs.usual()
    made = page(found, tmp_path, inline=False)
    names = {path.relative_to(tmp_path).as_posix() for path in made.paths}
    runs = {f"runs/{run.id}.{ending}" for run in found for ending in ("csv", "json")}
    assert {"index.html", "page.css", "page.js", "data.js"} | runs == names
    assert csv_text(found[0].rows) == (tmp_path / "runs" / f"{found[0].id}.csv").read_text(encoding="utf-8")


def test_a_run_named_to_leave_the_folder_stays_in_it(tmp_path):
    """A run's id that is no plain name does not become a path."""
    [run] = known_runs.hostile()
    found = [replace(run, info=replace(run.info, id="../../out"))]
    made = page(found, tmp_path / "page", inline=False)
    assert {"run0.csv", "run0.json"} == {path.name for path in made.paths if path.parent.name == "runs"}


@pytest.mark.slow
def test_the_same_runs_make_the_same_bytes(tmp_path):
    """A page depends on its runs alone, not on when it is made."""
    texts = {written(tmp_path / name)[1] for name in ("a", "b")}
    assert 1 == len(texts)


def test_the_overview_has_the_ratios_of_each_workload():
    """Each workload stands with the board of its usual conditions, and each library with the ratio to the fastest of its work class."""
    data = content(list(map(Sheet.of, known_runs.shapes())))
    assert {"decode", "encode"} == data["overview"].keys()
    told = data["overview"]["decode"]
    boards = {name: data["boards"][number] for name, number in told["workloads"]}
    assert {"client", "events"} == boards.keys()
    assert {("varied", "decode")} == {(one["at"]["conditions"], one["at"]["operation"]) for one in boards.values()}
    groups = {work: dict(lines) for work, lines in told["groups"]}
    assert {"msgspec", "dataclasses", "attrs", "mashumaro", "pydantic"} == {
        name for one in groups.values() for name in one
    }
    assert [["1×", 0.0]] * 2 == groups["validates"]["msgspec"]
    for text, share in groups["coerces"]["pydantic"]:
        assert float(text.removesuffix("×")) == pytest.approx(3 / 2.5, rel=0.1)
        assert 0 < share < 0.5  # a small ratio is not painted as a large one
    assert {} == content(list(map(Sheet.of, known_runs.usual()[:1])))["overview"]


@pytest.mark.slow
def test_what_has_no_room_is_named(tmp_path):
    """Where one file would be too large the oldest run is left out, and the page and the caller are told."""
    made, text, _ = written(tmp_path / "all")
    less, _, data = written(tmp_path / "less", most_bytes=len(text.encode()) - 1)
    assert () == made.left_out
    assert (
        ("run 20250102-000000-bbbb, because one file would be too large",) == less.left_out == tuple(data["left_out"])
    )


def test_no_room_at_all_is_refused(tmp_path):
    """One run that is larger than a file may be ends in one line that names the folder form."""
    with pytest.raises(PlanError, match="exceed 1,000 bytes; use --site"):
        written(tmp_path, most_bytes=1000)


def test_nothing_to_show_is_refused(tmp_path):
    """Without a row there is no page."""
    with pytest.raises(PlanError, match="there are no results for a page"):
        page([], tmp_path)


def test_an_unwritable_folder_is_refused(tmp_path):
    """A file in the folder's place ends in one line with its name."""
    (tmp_path / "page").write_text("")
    with pytest.raises(PlanError, match=r"page.* cannot be written: "):
        written(tmp_path / "page" / "below")


@pytest.mark.slow
def test_sources_are_kept_once_and_whole():
    """Lines that modules have in common stand once; each module comes back as it was; a lost one is not there."""
    data = content(list(map(Sheet.of, known_runs.usual())))
    texts = {sha: "\n".join(data["lines"][number] for number in places) for sha, places in data["sources"].items()}
    assert known_runs.SOURCES == texts
    assert len(set(data["lines"])) == len(data["lines"])


@pytest.mark.full
def test_a_stored_run_becomes_a_page(tmp_path, capsys):
    """`serbench report --html DIR --site DIR --run latest` makes both forms of a stored run, with its code."""
    path = tmp_path / "store.sqlite"
    made = run(records=1, libraries="msgspec", formats="msgspec/json", effort="quick", store=path)
    with pytest.raises(SystemExit) as ended:
        main(
            [
                "report",
                "--html",
                str(tmp_path / "a"),
                "--site",
                str(tmp_path / "b"),
                "--run",
                "latest",
                "--store",
                str(path),
            ]
        )
    _, said = capsys.readouterr()
    assert 0 == ended.value.code
    data = unpacked((tmp_path / "a" / "index.html").read_text())
    assert [made.id] == [one["id"] for one in data["runs"]]
    assert {row.source_sha256 for row in made.rows} == set(data["sources"])
    assert f"written: {tmp_path / 'b' / 'data.js'}" in said


@pytest.mark.slow
def test_published_runs_become_a_page(tmp_path, capsys):
    """Without --run the page has every published run of --output, and says in JSON what it wrote."""
    [_, found] = known_runs.usual()
    found.write(tmp_path / "data" / "one")
    with pytest.raises(SystemExit):
        main(["report", "--html", str(tmp_path), "--output", str(tmp_path / "data"), "--json"])
    out, _ = capsys.readouterr()
    assert [str(tmp_path / "index.html")] == json.loads(out)["written"]
    assert [found.id] == [one["id"] for one in unpacked((tmp_path / "index.html").read_text())["runs"]]


def test_wrong_use_is_refused(refused, tmp_path):
    """A run that is not stored, nothing published: one line each, and nothing is written."""
    assert "there is no store" in refused("report", "--html", tmp_path / "page", "--run", "latest")
    assert "has no published run" in refused("report", "--html", tmp_path / "page", "--output", tmp_path)
    assert not (tmp_path / "page").exists()
