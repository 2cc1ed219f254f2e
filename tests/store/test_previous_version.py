"""A store that serbench 0.1.0 wrote, and a later one brought up to version 5, is shown with the figures that 0.1.0 showed; its interrupted run goes on."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
from told import Told

import serbench
from serbench.api.running import load, runs
from serbench.api.weighing import weighing
from serbench.errors import PlanError
from serbench.machine.platform import machine
from serbench.measure.plan import Plan
from serbench.store.active_run import unfinished_run
from serbench.store.store import Store

DATA = Path(__file__).parent / "data"
FINISHED, INTERRUPTED, WEIGHING = "20261122-073419-328e", "20261122-073425-10b9", "20261122-073433-420d"
TIMES = {"time_ns", "time_ns_low", "time_ns_high", "time_per_record_ns", "mb_per_s"}


@pytest.fixture
def store(tmp_path):
    """A copy of the store, for one test."""
    path = tmp_path / "store.sqlite"
    path.write_bytes(gzip.decompress((DATA / "store-5.sqlite.gz").read_bytes()))
    return path


def test_its_runs_are_listed(store):
    """Both runs are there with their status, cells and waves, the newest first."""
    found = [(run.id, run.status, run.cells, run.waves, run.serbench) for run in runs(store=store)]
    assert [(INTERRUPTED, "interrupted", 66, 5, "0.1.0"), (FINISHED, "finished", 30, 4, "0.1.0")] == found


@pytest.mark.parametrize("run", [FINISHED, INTERRUPTED])
def test_a_run_has_the_same_rows(store, run):
    """The rows are those that 0.1.0 exported, to the last digit, and each measured module is there.

    A time of 0.1.0 was a median of its own; today it is the ratio times the time of the reference, some percent from that.
    """
    found = load(run, store=store)
    then = list(csv.DictReader(io.StringIO((DATA / f"{run}.csv").read_text(encoding="utf-8"))))
    now = list(csv.DictReader(io.StringIO(found.export("csv"))))
    kept = [name for name in then[0] if name not in TIMES]
    assert sorted([row[name] for name in kept] for row in then) == sorted([row[name] for name in kept] for row in now)
    times = {tuple(row[name] for name in kept): row["time_ns"] for row in then}
    for row in now:
        if time := times[tuple(row[name] for name in kept)]:
            assert float(row["time_ns"]) == pytest.approx(float(time), rel=0.2)
    assert {"hot"} == {row["conditions"] for row in now}
    assert found.sources.keys() == {cell.source_sha256 for cell in found.cells if cell.source_sha256}
    assert f"run {run}" in str(found)


def test_the_weighing_is_shown(store):
    """It has the numbers that 0.1.0 printed, in the same order."""
    then, now = (DATA / f"{WEIGHING}.txt").read_text(encoding="utf-8"), str(weighing(store=store))
    assert re.findall(r"\d[\d.,]*", then) == re.findall(r"\d[\d.,]*", now)


def test_the_same_options_name_the_interrupted_run(store):
    """Its plan, which lacks the options that came later, is that of a command of today that does not name them."""
    with Store(store) as opened:
        ((stored,),) = opened.connection.execute("SELECT plan FROM run WHERE id = ?", [INTERRUPTED])
        plan = Plan.from_data(json.loads(stored))
        assert plan.as_data().keys() > json.loads(stored).keys()
        assert INTERRUPTED == unfinished_run(opened, plan).id
        with pytest.raises(PlanError, match="no unfinished run of this plan"):
            unfinished_run(opened, replace(plan, seed=plan.seed + 1))


@pytest.mark.full
def test_the_interrupted_run_goes_on(store):
    """Resumed here and now it keeps every sample that it had, and gets more under the same id."""
    with closing(sqlite3.connect(store)) as connection, connection:  # as if it had been measured here
        ((plan, versions),) = connection.execute("SELECT plan, versions FROM run WHERE id = ?", [INTERRUPTED])
        here = {name: _version(name) for name in json.loads(versions)} | {"python": machine()["python"]}
        facts = (
            json.dumps(json.loads(plan) | {"budget_s": None}),  # which is used up
            json.dumps(machine()),
            json.dumps({name: version for name, version in here.items() if version}),
        )
        connection.execute("UPDATE run SET plan = ?, machine = ?, versions = ? WHERE id = ?", (*facts, INTERRUPTED))
    before = load(INTERRUPTED, store=store)
    cancel = threading.Event()
    after = serbench.run(resume="newest", store=store, cancel=cancel, listener=Told(visit=lambda _: cancel.set()))
    assert INTERRUPTED == after.id
    assert {*before.samples.tolist()} < {*after.samples.tolist()}


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
