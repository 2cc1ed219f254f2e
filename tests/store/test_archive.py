"""What can be shown without measuring: published results and stored runs."""

from __future__ import annotations

import json

import known_runs
import pytest

import serbench
from serbench.results import Point
from serbench.store import archive
from serbench.store.archive import Archive, Sheet
from serbench.store.store import Store

SMALL = {"records": 1, "effort": "quick", "libraries": ["msgspec"], "formats": ["msgspec/json"]}


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A store with two runs, the older of them larger."""
    path = tmp_path_factory.mktemp("archive") / "runs.sqlite"
    older = serbench.run("tiny", store=path, **{**SMALL, "libraries": ["msgspec", "dataclasses"]})
    return path, older, serbench.run("tiny", store=path, **SMALL)


def test_published_results_are_there():
    """The results that serbench publishes are read as rows, with their run, date and machine."""
    sheets = archive.published()
    assert any(("client", "varied", 1, 2) in sheet.points for sheet in sheets)
    for sheet in sheets:
        assert sheet.published
        assert sheet.info.id
        assert sheet.info.machine["cpu"]


def test_what_is_no_result_is_left_out(tmp_path):
    """A broken file in the folder of published results hides nothing else, and raises nothing."""
    for name, text in (("a", "{"), ("b", '{"rows": 1}'), ("c", "[]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text(text)
    good = json.loads((archive.resources("data") / "nested_models" / "results.json").read_text(encoding="utf-8"))
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "results.json").write_text(json.dumps(good | {"new_key": 1}))
    assert [good["run"]] == [sheet.info.id for sheet in archive.published(tmp_path)]


@pytest.mark.slow
def test_runs_are_read_newest_first(stored):
    """Each call reads one more run of the store, and they stand before what is published."""
    path, older, newer = stored
    found = Archive(path)
    assert found.read_next()
    assert newer.id == found.sheets[0].info.id
    assert found.read_next()
    assert not found.read_next()
    assert [newer.id, older.id] == [sheet.info.id for sheet in found.sheets if not sheet.published]
    assert found.sheets[-1].published


def test_a_run_that_was_measured_again_is_not_read(tmp_path):
    """Of runs of the same plan, versions and machine the newest is read, and those that measured something else."""
    path, client = tmp_path / "runs.sqlite", [Point("client", 10, 2, 0)]
    for name in ("20260101", "20260102", "20260103"):
        known_runs.stored(path, known_runs.run(f"{name}-000000-abcd", client, ("decode",)))
    known_runs.stored(path, known_runs.run("20250101-000000-abcd", client, ("decode",), cpu="Slide rule"))
    found = Archive(path, [])
    while found.read_next():
        pass
    read = [sheet.info.machine["cpu"] for sheet in found.sheets]
    assert ["Abacus", "Slide rule"] == sorted(read)


def test_a_run_that_was_resumed_elsewhere_is_read_again(tmp_path):
    """It has ended twice, and what it measured in between is shown without a new kernel."""
    path = tmp_path / "runs.sqlite"
    run = known_runs.run("20260101-000000-abcd", [Point("client", 10, 2, 0)], ("decode",))
    with Store(path) as store:
        name = store.begin(command=run.info.command, plan=run.info.plan, machine=run.machine)
        store.put_cells(name, run.cells[:3])
        store.add_samples(name, [sample for sample in run.samples if sample.cell < 3])
        store.finish(name, status="interrupted", seconds=1.0)
    found = Archive(path, [])
    assert found.read_next()
    with Store(path) as store:
        store.reopen(name)
        store.put_cells(name, run.cells[3:])
        store.finish(name, seconds=2.0)
    found.look_again()
    assert found.read_next()
    assert [len(run.cells)] == [len(sheet.rows) for sheet in found.sheets]


@pytest.mark.slow
def test_without_a_store_there_is_what_is_published(tmp_path):
    """A store that is not there, or is none, leaves the published results."""
    (tmp_path / "text").write_text("no store")
    for name in ("missing", "text"):
        found = Archive(tmp_path / name)
        assert not found.read_next()
        assert found.sheets


@pytest.mark.slow
def test_a_run_in_progress_comes_first(stored):
    """As soon as it has a row that fits it is what is shown, and when it has ended it is a run like others."""
    path, older, newer = stored
    found = Archive(path, [Sheet.of(newer)])
    found.take(Sheet.of(older, running=True), running=True)
    assert older.id == next(iter(found)).info.id
    found.take(Sheet.of(older), running=False)
    assert (None, 2) == (found.running, len(found.sheets))
