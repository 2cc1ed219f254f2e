"""What can be shown without measuring: published results and stored runs."""

from __future__ import annotations

import json
from itertools import count

import known_runs
import pytest

import serbench
from serbench.api.reports.page.boards import boards
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


def test_what_is_told_of_runs_does_not_depend_on_which_are_read(tmp_path, monkeypatch):
    """The user's data comes in the order of its newest runs, and any run's module is found, however many have been read."""
    path, seconds = tmp_path / "runs.sqlite", count(10)
    monkeypatch.setattr("serbench.store.store.now", lambda: f"2026-01-01T00:00:{next(seconds)}Z")
    with Store(path) as store:
        for payload in ("old.json", "new.json", "old.json", "other.json", "new.json", None, "none.json"):
            measured = known_runs.run("", [Point(payload or "client", 1, 1, 0)], ("decode",), cpu=str(payload))
            plan = {"payload": payload} if payload else {}
            run = store.begin(command="", plan=plan, machine=measured.machine)
            if payload != "none.json":
                store.put_cells(run, measured.cells)
                store.add_samples(run, measured.samples)
            for sha256, text in measured.sources.items():
                store.put_source(sha256, text)
            store.finish(run)
    found = Archive(path, ())
    order = [{"payload": name} for name in ("new.json", "other.json", "old.json", "none.json")]
    sha256, text = next(iter(known_runs.SOURCES.items()))
    assert (order, text) == (found.user_data(), found.source(sha256))
    read = [found.read_next({"payload": "old.json"}, ("old.json", 0)) for _ in range(3)]
    assert [True, True, False] == [sheet is not None for sheet in read]
    assert found.read_next({}, ("old.json", 0)) is None
    assert order == found.user_data()
    while found.read_next():
        pass
    assert (order, text, None) == (found.user_data(), found.source(sha256), found.source("0" * 64))


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
    running = Sheet.of(older, running=True)
    found.take(running, running=True)
    told = [(one["headline"].partition(": ")[0], "can still change that" in one["where"]) for one in boards([running])]
    assert {("So far", True)} == set(told), "a leader who may lose the lead is not named as one who has it"
    assert older.id == next(iter(found)).info.id
    found.take(Sheet.of(older), running=False)
    assert (None, 2) == (found.running, len(found.sheets))
