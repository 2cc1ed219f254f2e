"""What the button says of a run before the click: how long it takes, from what is stored, at once."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

import serbench
from serbench.api.notebook.settings import Settings, axes, plan_of, plan_text
from serbench.api.notebook.stored import duration_text, expected_s
from serbench.api.notebook.views import show
from serbench.measure.plan import Plan
from serbench.store.archive import Archive, resources

SIZED = Settings(view="scaling")


@pytest.fixture
def archive(tmp_path):
    """Everything that is published, without a store."""
    found = Archive(tmp_path / "none")
    while found.read_next():
        pass
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", sorted(resources("data").glob("size-grids/varied/*/run.json")), ids=lambda path: path.parent.name
)
def test_a_duration_is_about_what_a_run_took(path, archive):
    """Of each published quick run it is right within a factor of three, if times of its calls are known."""
    run = json.loads(path.read_text(encoding="utf-8"))
    told, is_known = expected_s(Plan.from_data(run["plan"]), archive)
    assert is_known
    assert run["seconds"] / 3 < told < 3 * run["seconds"]


def test_more_to_measure_takes_longer(archive):
    """Larger data, more points, cases and waves; a budget ends it earlier."""
    one = Settings()
    sizes = [replace(one, records=records) for records in (1, 10_000, 100_000)]
    more = [replace(one, libraries=("msgspec",)), one, replace(one, effort="normal"), replace(one, effort="thorough")]
    grids = [one, SIZED, replace(SIZED, grow="both")]
    for chosen in (sizes, more, grids):
        told = [expected_s(plan_of(settings), archive)[0] for settings in chosen]
        assert told == sorted(set(told))
    assert "at most 20 s" == duration_text(plan_of(replace(one, budget=20)), archive)


def test_a_duration_is_said_at_once_and_nothing_is_measured(archive, monkeypatch):
    """Each change of a setting has its text within 200 ms, without a process."""
    monkeypatch.setattr("subprocess.Popen", None)
    duration_text(plan_of(Settings()), archive)  # which reads the libraries
    for changed in (
        Settings(records=7),
        SIZED,
        replace(SIZED, grow="both"),
        Settings(formats=("json",)),
        Settings(effort="normal"),
    ):
        began = time.thread_time()
        assert duration_text(plan_of(changed), archive).startswith("about ")
        assert time.thread_time() - began < 0.2


@pytest.mark.slow
def test_what_is_not_known_is_not_said(archive, tmp_path):
    """Without a stored time of such data it is a lower limit; what cannot be measured has no duration."""
    orders = tmp_path / "orders.json"
    orders.write_text('[{"id": 1}]')
    assert duration_text(plan_of(Settings(payload=str(orders))), archive).startswith("at least ")
    assert "" == show(Settings(libraries=("nobody",)), archive)["duration"]
    explorer = serbench.Explorer("client", store=tmp_path / "none")
    assert "1 record at depth 2" == explorer.shown["run_text"]
    assert explorer.shown["duration"].startswith("about ")


def test_growth_is_measured_along_what_is_chosen():
    """By default sizes alone; depths, or both, if they are chosen."""
    assert ([1, 10, 100, 1000], [2]) == axes(SIZED)
    assert "4 sizes at depth 2" == plan_text(SIZED)
    assert "3 depths with 7 records" == plan_text(replace(SIZED, grow="depth", records=7))
    assert [7] == axes(replace(SIZED, grow="depth", records=7))[0]
    both = replace(SIZED, grow="both", records=7)
    assert "5 sizes × 3 depths" == plan_text(both)
    assert ([1], [2]) == axes(Settings(grow="both"))
