"""Size grids: published, read for the explorer by their conditions, and checked like all that is published."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest
from known_runs import run
from sent import parts

from serbench.api.notebook.settings import Settings
from serbench.api.notebook.views import findings, rows_content, sheets_of
from serbench.api.reports.published import outdated, published_runs, remake
from serbench.judge.rows import as_data
from serbench.machine.files import write_files
from serbench.results import Point
from serbench.store.archive import ROWS, Archive, packed, size_grid_folder, unpacked
from serbench.store.folder import as_files

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
    monkeypatch.setattr("serbench.store.archive.resources", lambda name: data)
    return Archive(tmp_path / "none")


def test_a_size_grid_comes_back(measured):
    """Its rows, origin and control are those of the run, and its bytes are the same each time."""
    info, rows, facts = unpacked(packed(measured))
    assert [as_data(row) for row in measured.rows] == [as_data(row) for row in rows]
    assert (measured.info.id, measured.info.machine, "on") == (info.id, info.machine, facts.gc)
    assert packed(measured) == packed(replace(measured))


def test_every_measured_size_and_depth_is_sent(archive):
    """Sentences are those of a size that was measured; of one between them nothing is said."""
    settings = Settings(workload="client", conditions="hot", records=10, depth=4)
    [part] = parts(rows_content("client", sheets_of(settings, archive)))
    sent = part["rows"]
    assert {(1, 2), (1, 4), (10, 2), (10, 4)} == {*zip(sent["records"], sent["depth"], strict=True)}
    assert "client · 10 records · depth 4 · one document repeated" in findings(settings, archive).by_point
    ((told,),) = findings(replace(settings, records=5, depth=3), archive).by_point.values()
    assert told.startswith("No results for client, decode")


def test_only_the_chosen_conditions_are_shown(archive):
    """A size grid of other conditions is not shown in place of the chosen ones."""
    assert () == sheets_of(Settings(workload="client", conditions="varied"), archive)
    assert [True] == [sheet.published for sheet in sheets_of(Settings(workload="client", conditions="hot"), archive)]


def test_a_damaged_size_grid_is_left_out(archive, data):
    """What cannot be read is not shown, and nothing fails."""
    path = size_grid_folder(data, "hot", "client") / ROWS
    path.write_bytes(gzip.compress(b"{}"))
    assert () == sheets_of(Settings(workload="client", conditions="hot"), archive)


@pytest.mark.slow
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
