"""What a case does not keep, or is too deep for it, is the reason of its row; each case is tried in a folder of its own."""

from __future__ import annotations

import re

import pytest
from planted import case

import serbench
from serbench.measure.probes.probing import not_kept
from serbench.measure.session import Fault, RequestLimits, Watchdog, WorkerSession
from serbench.model.data.dataset import generate
from serbench.render.case import render
from serbench.render.environments import main_environment
from serbench.render.selection import find_case


@pytest.mark.slow
def test_data_deeper_than_a_library_goes_is_told_so():
    """A limit of depth is no failure: `verify` says about how many levels a library carries, whatever its error says."""
    value: dict[str, object] = {"name": "innermost", "next": None}
    for _ in range(200):
        value = {"name": "outer", "next": value}
    cells = serbench.verify(payload=[value], libraries="jsons, schematics, msgspec", formats="json/json")
    found = {cell.library: (cell.status, re.sub(r"about \d+", "about N", cell.reason or "")) for cell in cells}
    assert {
        "jsons": ("unsupported", "deeper than jsons goes (about N levels)"),
        "schematics": ("unsupported", "deeper than schematics goes (fewer than 201 levels)"),
        "msgspec": ("ok", ""),
    } == found


def test_each_case_is_tried_in_a_folder_of_its_own(tmp_path):
    """What a case is tried with is no other's file, since several are tried at once, and nothing of it stays."""
    dataset = generate("tiny", records=2)
    install, variant, served = find_case("dataclasses", "json/json")
    folders = []

    class Seen(WorkerSession):
        def __exit__(self, *error):
            folders.append((self.scratch, any(self.scratch.glob("*.pickle"))))
            super().__exit__(*error)

    with pytest.MonkeyPatch.context() as patch, Watchdog() as watchdog:
        patch.setattr("serbench.measure.session.WorkerSession", Seen)
        for _ in range(2):
            tried = render(install.library, variant, served, dataset.schema)
            assert not_kept(tried, dataset.schema, watchdog, tmp_path, RequestLimits(20, 4 << 30)) is None
    assert [(True, True), (True, True)] == [(path.parent == tmp_path, wrote) for path, wrote in folders]
    assert 2 == len({path for path, _ in folders})
    assert [] == list(tmp_path.iterdir())


@pytest.mark.full
def test_what_does_not_keep_all_is_left_out():
    """With `keeps_all`, a case that changes an ordinary value of the data's types has that for its reason."""
    choices = {
        "workload": "client-rich",
        "records": 2,
        "libraries": "dataclasses",
        "formats": "json/json, pymongo",
        "effort": "quick",
    }
    run = serbench.run(**choices, precision=0.5, keeps_all=True)
    rows = {row.codec: row for row in run.rows}
    assert ("ok", "unsupported") == (rows["json"].status.replace("unresolved", "ok"), rows["pymongo"].status), rows[
        "json"
    ].reason
    assert "datetime UTC with microseconds is changed" in (rows["pymongo"].reason or "")


def test_a_module_that_cannot_be_imported_says_so_each_time(tmp_path):
    """Who asks again after a failed import is told the same, and nothing is tried with half a module."""
    broken = case("broken", "raise ImportError('not today')")
    with Watchdog() as watchdog:
        session = WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits(20, 4 << 30))
        for _ in range(2):
            with pytest.raises(Fault, match="not today"):
                session.load(broken, "broken")
