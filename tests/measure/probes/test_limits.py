"""How much a case carries is found by bisection, each case in a folder of its own."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from planted import case

import serbench
from serbench.measure.probes import limits as limits_module
from serbench.measure.probes.limits import AXES, ProbedCase, limits
from serbench.measure.probes.probing import not_kept
from serbench.measure.session import Fault, RequestLimits, Watchdog, WorkerSession
from serbench.model.data.dataset import generate
from serbench.render.case import render
from serbench.render.environments import main_environment
from serbench.render.selection import find_case

SMALL = ("records in one another", "bits of an integer", "fields of a record")


@pytest.fixture
def found(tmp_path, monkeypatch):
    """The limits of a case, on axes that are made short."""
    short = [replace(axis, last=min(axis.last, 4096)) for axis in AXES if axis.name in SMALL]
    short += [replace(axis, first=16, last=64) for axis in AXES if axis.name not in SMALL]
    monkeypatch.setattr(limits_module, "AXES", [replace(a, last=64) if a.make == "fields" else a for a in short])

    def find(library, codec):
        install, variant, served = find_case(library, codec)
        with Watchdog() as watchdog:
            session = WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits(20, 4 << 30))
            return dict(limits(ProbedCase(install.library, variant, served, session)))

    return find


@pytest.mark.slow
def test_limits_are_where_they_are_known_to_be(found):
    """Orjson writes 64 bits and 254 levels; Python's json as many digits as int allows, and ends at the recursion limit."""
    orjson, standard = found("dataclasses", "orjson/json"), found("dataclasses", "json/json")
    assert (64, "refused") == (orjson["bits of an integer"].most, orjson["bits of an integer"].outcome)
    assert (4096, "") == (standard["bits of an integer"].most, standard["bits of an integer"].outcome)
    assert 200 <= (orjson["records in one another"].most or 0) < 300
    assert 900 <= (standard["records in one another"].most or 0) < 1000
    assert "RecursionError" in standard["records in one another"].detail
    assert {64} == {orjson[name].most for name in ("fields of a record", "items of a list", "characters of a text")}


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
