"""Size grids: published, read for the explorer by their conditions, and checked like all that is published."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest
from known_runs import run

from serbench.ask.notebook.settings import Settings
from serbench.ask.notebook.views import show
from serbench.ask.reports.published import outdated, published_runs, remake
from serbench.judge.rows import as_data
from serbench.keep.archive import Archive
from serbench.keep.files import write_files
from serbench.keep.folder import as_files
from serbench.keep.size_grid import ROWS, packed, size_grid_folder, unpacked
from serbench.results import Point

POINTS = [Point("client", records, depth, 0, "hot") for records in (1, 10) for depth in (2, 4)]


@pytest.fixture(scope="module")
def measured():
    """A run of four points."""
    return run("size_grid", POINTS, ("encode", "decode"))


@pytest.fixture
def data(measured, tmp_path):
    """A folder of results with that size grid."""
    folder = size_grid_folder(tmp_path / "data", "hot", "client")
    folder.mkdir(parents=True)
    write_files(folder, {ROWS: packed(measured), **as_files(measured)})
    return tmp_path / "data"


@pytest.fixture
def archive(data, tmp_path, monkeypatch):
    """What the explorer reads of it."""
    monkeypatch.setattr("serbench.keep.archive.resources", lambda name: data)
    return Archive(tmp_path / "none")


def test_a_size_grid_comes_back(measured):
    """Its rows, origin and control are those of the run, and its bytes are the same each time."""
    info, rows, facts = unpacked(packed(measured))
    assert [as_data(row) for row in measured.rows] == [as_data(row) for row in rows]
    assert (measured.info.id, measured.info.machine, "on") == (info.id, info.machine, facts.gc)
    assert packed(measured) == packed(replace(measured))


def test_every_stop_between_measured_ones_has_an_answer(archive):
    """A measured point has dots; between points are bands that say so; beyond them the nearest is shown."""
    measured = show(Settings(conditions="hot", records=10, depth=4), archive)
    assert (False, "published") == (measured["missing"], measured["whose"])
    assert {"square"} >= {
        symbol.removesuffix("-open") for trace in measured["figure"]["data"] for symbol in trace["marker"]["symbol"]
    }
    gap = show(Settings(conditions="hot", records=5, depth=3), archive)
    assert "Bands are interpolated between the nearest sizes and depths that are measured." in gap["note"]
    assert gap["missing"]
    assert {0} == {trace["marker"]["opacity"] for trace in gap["figure"]["data"]}
    assert {9} == {trace["error_x"]["thickness"] for trace in gap["figure"]["data"]}
    assert "probably decodes client fastest" in gap["figure"]["layout"]["title"]["text"].replace("<br>", " ")
    assert "the nearest" in show(Settings(conditions="hot", records=50, depth=3), archive)["note"]


def test_only_the_chosen_conditions_are_shown(archive):
    """A size grid of other conditions is not shown in place of the chosen ones."""
    shown = show(Settings(conditions="varied"), archive)
    assert ("nothing", []) == (shown["kind"], shown["stored"]["records"])
    assert "figure" == show(Settings(conditions="hot"), archive)["kind"]


def test_a_damaged_size_grid_is_left_out(archive, data):
    """What cannot be read is not shown, and nothing fails."""
    path = size_grid_folder(data, "hot", "client") / ROWS
    path.write_bytes(gzip.compress(b"{}"))
    assert "nothing" == show(Settings(conditions="hot"), archive)["kind"]


def test_a_size_grid_is_checked_and_made_again(data):
    """Its rows are made of the run like every table; and the index has a line for it."""
    path = size_grid_folder(data, "hot", "client") / ROWS
    remake(data)
    assert [] == list(outdated(data, published_runs(data)))
    kept = path.read_bytes()
    path.write_bytes(gzip.compress(gzip.decompress(kept), 1))
    assert [] == list(outdated(data, published_runs(data)))  # another zlib writes other bytes
    path.write_bytes(b"old")
    assert [path] == [found for found, _ in outdated(data, published_runs(data))]
    remake(data)
    assert kept == path.read_bytes()
    assert "at many sizes and depths (hot)" in (data / "index.md").read_text()
    assert not list(data.rglob("results.md"))
