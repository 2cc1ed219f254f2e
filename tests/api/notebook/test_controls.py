"""Controls show what is stored, measure what is not, and are a line of text where nobody can move them."""

from __future__ import annotations

import shutil
import sys
import threading
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import known_runs
import numpy as np
import pytest
from plotly.graph_objects import Figure
from waits import LONGEST_S, joined, until

import serbench
from serbench.api.notebook import controls as module
from serbench.api.notebook import stored
from serbench.api.notebook.background_run import Background, Live
from serbench.api.notebook.controls import Line, interact
from serbench.api.notebook.panel import Panel
from serbench.api.notebook.stored import is_selected, stored_run
from serbench.errors import PlanError, line_of
from serbench.measure.listener import Progress
from serbench.measure.plan import Plan
from serbench.render.environments import Environment
from serbench.results import Point
from serbench.store.archive import Sheet, resources
from serbench.store.run import Run
from serbench.store.store import Store

FIGURE = "application/vnd.plotly.v1+json"
CHOSEN = {"records": 1, "depth": 2, "libraries": ["msgspec", "pydantic"], "formats": ["orjson", "msgspec/json"]}


def panel_of(function, values, namespace=None, **choices):
    """The widget of a function, as a notebook with a front end has it."""
    return Panel(function, values, choices, dict(values) if namespace is None else namespace)


def said(panel):
    """What the line beside Run says."""
    return panel.line.value.removeprefix("<span role='status'>").removesuffix("</span>")


def echo(**values):
    """What it is called with."""
    return values


def test_each_control_sets_its_variable_and_the_value():
    """A size, several sizes, names and a choice, by the slider or its box: each is what `serbench.run` takes."""
    variables = {"records": [1, 10], "depth": 2, "effort": "quick", "libraries": ["msgspec"], "budget": 1.5}
    panel = panel_of(echo, dict(variables), variables)
    depth, records = panel.controls["depth"], panel.controls["records"]
    depth.slider.value = 4
    assert ("4", 4) == (depth.box.value, variables["depth"])
    depth.box.value = "7"  # no stop yet
    assert (7, 7) == (depth.slider.value, variables["depth"])
    records.slider.value = (5, 100)
    assert [5, 10, 20, 100] == variables["records"]
    records.box.value = "1_000, 3"
    assert [3, 1000] == variables["records"]
    assert ((3, 1000), "3, 1000") == (records.slider.value, records.box.value)
    records.box.value = "ten"
    assert ([3, 1000], "3, 1000") == (variables["records"], records.box.value)
    assert "records takes a whole number such as 100, not &#x27;ten&#x27;" in records.note.value
    records.box.value = "-3"
    assert "records must be at least 1, not -3" in records.note.value
    records.slider.value = (5, 100)
    assert "" == records.note.value
    panel.controls["effort"].value = "thorough"
    panel.controls["budget"].value = 60.0
    panel.controls["libraries"].add.value = "pydantic@2.5"
    assert {"effort": "thorough", "budget": 60.0, "libraries": ["msgspec", "pydantic@2.5"]}.items() <= variables.items()
    assert variables == panel.value
    until(lambda: variables == panel.result, "what the function makes of the last values")


def test_a_size_without_a_value_is_the_first_that_is_offered():
    """The value that the function gets is that which its control shows."""
    for none, first in ((None, 1), ([], [1])):
        panel = panel_of(echo, {"records": none}, records=[1, 100])
        assert {"records": first} == panel.value == panel.result
        assert "1" == panel.controls["records"].box.value


def test_a_control_begins_with_the_value_whatever_it_is():
    """Sizes as a text, as `serbench.run` takes them, and a number below 0 of a function of one's own."""
    values = {"records": "1, 10", "depth": "2", "shift": -5, "part": -0.5}
    panel = panel_of(echo, dict(values))
    shown = {name: control.value for name, control in panel.controls.items()}
    assert {"records": [1, 10], "depth": 2, "shift": -5, "part": -0.5} == panel.value == shown
    with pytest.raises(PlanError, match="whole number"):
        panel_of(echo, {"records": "ten"})


def test_a_name_is_checked_and_offered():
    """The list has all there are; an unknown one is told with the nearest, and is left out."""
    panel = panel_of(echo, dict(CHOSEN))
    libraries, formats = (panel.controls[name] for name in ("libraries", "formats"))
    assert {"attrs", "cattrs", "marshmallow2"} < set(libraries.add.options)
    assert {"json", "orjson", "msgspec/json"} < set(formats.add.options)
    heard = []
    libraries.note.observe(lambda _: heard.append((libraries.add.value, "msgpec" in libraries.tags.value)), "value")
    libraries.add.value = "msgpec"
    assert "did you mean" in libraries.note.value
    assert [("", False)] == heard, "the box is empty before the note asks for another name, which may be typed at once"
    libraries.add.value = "nonsense"  # which is like none: the box offers all, and the note need not
    assert "unknown library &#x27;nonsense&#x27;</small>" in libraries.note.value
    libraries.add.value = "generated"  # which none of the core codecs has
    assert "" == libraries.note.value
    libraries.add.value = "-generated"
    assert ["msgspec", "pydantic"] == panel.value["libraries"] == libraries.tags.value
    formats.add.value = "msgpack"
    assert ["orjson", "msgspec/json", "msgpack"] == panel.value["formats"]
    assert "" == formats.note.value
    formats.add.value = "-orjson, pickle, -nothing"
    assert ["msgspec/json", "msgpack", "pickle"] == panel.value["formats"] == formats.tags.value
    assert "not chosen, so not removed: nothing" in formats.note.value
    assert ("-pickle" in formats.add.options, "-orjson" in formats.add.options) == (True, False)
    formats.tags.value = []
    assert [] == panel.value["formats"]
    assert ("the core codecs", "none") == (formats.add.placeholder, formats.tags.layout.display)
    assert ["orjson", "json"] == panel_of(echo, {"formats": "orjson, json"}).controls["formats"].tags.value


class Basket:
    """A class of a notebook's."""


DATA = [{"id": 1}]


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("model", Basket, "Basket"),
        ("model", [Basket, int], "Basket, int"),
        ("payload", DATA, "data of the notebook"),
        ("payload", [1, 2], "data of the notebook"),
        ("payload", ["a"], "data of the notebook"),
        ("payload", 5, "data of the notebook"),
        ("payload", Path("orders.json"), "orders.json"),
        ("rows", DATA, "{'id': 1}"),
        ("schema", {"type": "object"}, "{'type': 'object'}"),
    ],
)
def test_a_value_that_no_control_holds_is_passed_on(monkeypatch, name, value, shown):
    """The control says what it is, and the function gets it as it is, until another is typed."""
    panel = attended(monkeypatch, name, value)
    control = panel.controls[name]
    box = control.path if name == "payload" else control
    assert (shown, {name: shown}, value) == (box.value, panel.value, panel.arguments[name])
    assert {name: value} == panel.result
    box.value = "other.json"
    until(lambda: {name: "other.json"} == panel.result, "what the function makes of the other")
    box.value = shown
    until(lambda: {name: value} == panel.result, "what it makes of the first")


def attended(monkeypatch, name, value, **choices):
    """The panel of a function of one parameter with a default, as `interact` makes it where somebody moves controls."""
    monkeypatch.setattr(module, "is_attended", lambda: True)
    function = eval(f"lambda {name}=None: {{{name!r}: {name}}}", {})
    function.__defaults__ = (value,)
    return interact(function, **choices)


@pytest.mark.parametrize("kind", ["DataFrame", "Series"])
def test_a_data_frame_is_passed_on(monkeypatch, kind):
    """It has no truth and is not equal to another, which nothing here asks for."""
    frame = getattr(pytest.importorskip("pandas"), kind)({"id": [1, 2]})
    for name, choices in (
        ("payload", {}),
        ("rows", {}),
        ("payload", {"payload": ["orders.json"]}),
        ("rows", {"rows": [1]}),
    ):
        panel = attended(monkeypatch, name, frame, **choices)
        assert panel.arguments[name] is frame
        panel.value = {name: "other.json"}
        assert "other.json" == panel.arguments[name]


@pytest.mark.parametrize("value", [range(1, 5), np.arange(1, 5), {1, 2, 3, 4}, "1, 2, 3, 4"])
def test_numbers_of_any_kind_are_a_list(monkeypatch, value):
    """A range, an array or a set of sizes is what the slider has, and the function gets a list."""
    panel = attended(monkeypatch, "records", value)
    assert [1, 2, 3, 4] == panel.value["records"] == panel.controls["records"].value == panel.result["records"]
    numbers = attended(monkeypatch, "numbers", range(2, 4))
    assert [2, 3] == numbers.controls["numbers"].value == numbers.result["numbers"]


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("records", object(), "records takes a whole number or several of it, not <object"),
        ("effort", [1], r"effort takes text, not \[1\]"),
        ("effort", "fast", "unknown effort 'fast'"),
        ("libraries", 5, "libraries takes text, several of it or a dict, not 5"),
        ("libraries", {"mine": (echo, echo)}, "libraries takes names here, not {.*; pass it to serbench.run in the"),
        ("workload", Basket, "workload takes text or several of it, not <class"),
    ],
)
def test_a_default_that_cannot_be_is_refused(monkeypatch, name, value, told):
    """What the option of its name does not take, or what its control cannot show, is one line."""
    with pytest.raises(PlanError, match=told):
        attended(monkeypatch, name, value)
    with pytest.raises(PlanError, match=r"rows offers texts, numbers or classes, not \[\[{'id': 1}\]\]"):
        attended(monkeypatch, "rows", 1, rows=[DATA])


def test_depths_are_those_that_the_data_has():
    """Another workload has other ones, and one that it cannot have becomes its least."""
    panel = panel_of(echo, {"workload": "tree", "depth": 1})
    assert 1 == panel.controls["depth"].slider.options[0][1]
    panel.controls["workload"].value = "client"
    assert ([2, 3, 5, 8], 2) == ([stop for _, stop in panel.controls["depth"].slider.options], panel.value["depth"])


def test_depths_that_a_notebook_offers_stay_with_other_data():
    """Those of its author, but for the ones that the data cannot have."""
    panel = panel_of(echo, {"workload": "tree", "depth": 4}, depth=[1, 4, 16])
    for workload, stops in (("client", [4, 16]), ("tree", [1, 4, 16])):
        panel.controls["workload"].value = workload
        assert stops == [stop for _, stop in panel.controls["depth"].slider.options]
    nothing = panel_of(echo, {"workload": "tree", "depth": 1}, depth=[1])
    nothing.controls["workload"].value = "client"
    assert 2 == nothing.value["depth"]


def test_other_stops_leave_several_sizes_as_they_are():
    """Of a range those between the handles are not added; the page tells only where the user has put a handle."""
    panel = panel_of(echo, {"workload": "client", "depth": [2, 4, 8, 16]})
    panel.controls["workload"].value = "tree"
    slider = panel.controls["depth"].slider
    assert ([1, 2, 4, 7, 8, 16], (2, 16)) == ([stop for _, stop in slider.options], slider.value)
    assert [2, 4, 8, 16] == panel.value["depth"]
    assert not slider.continuous_update


@pytest.mark.slow
def test_a_moved_control_shows_what_is_stored_and_measures_nothing(tmp_path):
    """Published results at once; what nobody has measured is said, and no result of other sizes stays."""
    calls = []

    def measured(**values):
        calls.append(values)
        return serbench.run("client", **values, effort="quick", store=tmp_path / "s").figure("decode")

    panel = panel_of(measured, dict(CHOSEN))
    assert said(panel).startswith("published, 20")
    for stop in (5, 500):
        panel.controls["records"].slider.value = stop
        until(lambda stop=stop: f"{stop} record" in str(panel.output.outputs), "the figure of that size")
    panel.controls["records"].box.value = "37"
    until(lambda: said(panel).startswith("nothing of this is stored: Run measures it, about "), "the line")
    assert () == panel.output.outputs
    assert not (tmp_path / "s").exists()
    with pytest.raises(PlanError, match="press Run, then run this cell again"):
        _ = panel.result
    assert {1, 5, 500, 37} == {values["records"] for values in calls}


@pytest.mark.parametrize(
    ("chosen", "missing"),
    [
        ({}, ""),
        ({"formats": ["orjson", "ion"]}, "ion"),
        ({"libraries": ["msgspec", "typical"], "operations": ["decode", "frame"]}, "frame and typical"),
        ({"records": [1, 37]}, "1 size"),
        ({"conditions": ["varied", "fresh"]}, "fresh"),
        ({"conditions": ["fresh", "varied"], "records": [1, 37]}, "1 size and fresh"),
        ({"libraries": [], "formats": []}, ""),
        ({"records": 5, "formats": []}, "json/json, msgpack/msgpack and 2 others"),
        ({"records": 5, "libraries": []}, "class, namedtuple and 1 other"),
        ({"records": 5, "libraries": ["msgspec"], "formats": ["json", "ion"]}, "ion, json/json and 9 others"),
    ],
)
def test_what_the_shown_run_lacks_is_named(tmp_path, chosen, missing):
    """What was chosen and has no row there is no silent gap: it is named, and *run when changed* would measure it.

    No libraries or formats are the core ones, and a format is all its codecs.
    """
    panel = panel_of(lambda **values: serbench.run("client", **values, store=tmp_path / "s"), {**CHOSEN, **chosen})
    assert said(panel).startswith("published, 20")
    told = f"; {missing} not measured there: Run measures all, " if missing else ""
    assert told in said(panel)
    assert bool(missing) == ("not measured" in said(panel))


def test_a_workload_that_was_not_measured_at_the_chosen_size_is_named(tmp_path):
    """The figure shows the other at just this size, so that "1 size not measured" would be false."""
    both = ["client-rich", "client"]
    panel = panel_of(lambda **values: serbench.run(both, **values, store=tmp_path / "s"), {**CHOSEN, "depth": 3})
    assert "; client not measured there: Run measures all, " in said(panel)


def test_a_figure_of_what_is_not_measured_is_no_error(tmp_path):
    """Where the published run has other operations alone, the line says which are missing, and that Run measures them."""
    values = {**CHOSEN, "records": 5}
    operations = ["decode", "load"]
    panel = Panel(
        lambda **values: serbench.run("client", **values, operations=operations, store=tmp_path / "s"),
        values,
        {},
        values,
        lambda run: run.figure("load"),
    )
    assert said(panel).startswith("too little to show: published, 20")
    assert "; load not measured there: Run measures all, " in said(panel)
    assert () == panel.output.outputs


def test_what_is_stored_is_shown_though_run_would_refuse(tmp_path):
    """The format's own classes need a typed format, and no core codec is of one: the published rows of others stay."""
    panel = panel_of(
        lambda **values: serbench.run("rows", **values, store=tmp_path / "s"),
        {"records": 1000, "libraries": ["generated"], "formats": []},
    )
    assert said(panel).startswith("published, 20")
    assert "not measured" not in said(panel)
    assert panel.result.rows


def test_what_could_not_be_measured_is_named_of_a_stored_run_too(tmp_path):
    """A row without a time has its reason under the figure of what is stored, as it has after Run."""
    run, _, lacking = stored_run(Plan(("client",), libraries=("dacite",), records=(1,), depth=(2,)), tmp_path / "s")
    assert {"pickle"} == {row.codec for row in run.rows if row.status == "unsupported"}
    assert ("Not measured: dacite via pickle (unsupported)", []) == (
        run.figure("decode").layout.meta["notes"][1],
        lacking,
    )
    run, *_ = stored_run(Plan(("client",), libraries=("dacite",), formats=("json",), records=(1,)), tmp_path / "s")
    assert all(row.measured for row in run.rows)


def test_endpoints_are_those_that_are_chosen(tmp_path):
    """Rows of other frameworks or of libraries are not shown for them, and none of theirs for libraries."""
    values = {"endpoints": ["flask", "aiohttp[response]/orjson"], "records": [1], "conditions": "hot"}
    panel = panel_of(
        lambda **values: serbench.run("client-rich", operations="encode", **values, store=tmp_path / "s"), values
    )
    assert {"flask", "aiohttp"} == {row.library for row in panel.result.rows}
    panel.controls["endpoints"].add.value = "flask[response]/orjson, litestar/orjson"
    until(lambda: "litestar/orjson not measured there" in said(panel), "the line")
    assert {"json", "orjson", "bytes"} == {row.codec for row in panel.result.rows}
    plan = Plan(("client-rich",), records=(1,), depth=(2,), conditions=("hot",), operations=("encode",))
    run, *_ = stored_run(plan, tmp_path / "s")
    assert not {row.library for row in run.rows} & {"flask", "aiohttp", "litestar"}


def test_a_control_that_changes_nothing_says_so():
    """Whoever moves it need not wonder if it is heard; a first look and another result say nothing of the kind."""
    panel = panel_of(lambda records, effort: f"of {records}", {"records": 1, "effort": "quick"})
    assert "" == said(panel)
    panel.controls["effort"].value = "thorough"
    until(lambda: said(panel) == "what is shown stays the same", "the line")
    panel.controls["records"].box.value = "10"
    until(lambda: said(panel) == "", "the other result")


def test_another_path_clears_what_was_said_of_an_upload(tmp_path, monkeypatch):
    """A file that cannot be read is told of until another one is named."""
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "runs.sqlite"))
    file = panel_of(echo, {"payload": ""}).controls["payload"]
    file._received([{"name": "bad.json", "content": b"[1,"}])
    assert "bad.json: not JSON" in file.note.value
    file.path.value = "other.json"
    assert "" == file.note.value


def test_a_figure_that_differs_under_the_mouse_alone_stays_the_same():
    """Whoever looks sees no other figure, so the line says that there is none."""
    panel = panel_of(lambda effort: Figure({"data": [{"y": [1], "hovertext": [effort]}]}), {"effort": "quick"})
    panel.controls["effort"].value = "thorough"
    until(lambda: said(panel) == "what is shown stays the same", "the line")
    assert ["thorough"] == panel.output.outputs[0]["data"][FIGURE]["data"][0]["hovertext"]


@pytest.mark.parametrize(("records", "figures"), [(1, 1), (100, 0)])
def test_a_figure_without_anything_in_it_is_not_shown(tmp_path, records, figures):
    """If one of two conditions is not stored, the line says so, and no empty figure of both stands below."""
    values = {"records": records, "libraries": ["msgspec"], "formats": ["orjson"]}

    def measured(**values):
        return serbench.run("client-rich", **values, conditions=["hot", "varied"], store=tmp_path / "s")

    panel = Panel(measured, values, {}, dict(values), lambda run: run.hidden_figure("decode"))
    assert figures == len(panel.output.outputs)
    assert bool(figures) != ("hot not measured there" in said(panel))
    assert bool(figures) != said(panel).startswith("too little to show: published, ")


def test_the_name_of_an_endpoint_is_read_once(monkeypatch):
    """What is stored of 33 endpoints is found within a moved control's time, as no name is read for every row."""
    read = []
    monkeypatch.setattr(stored, "endpoint_cases", lambda texts: read.append(texts) or [])
    stored._named_by.cache_clear()
    for _ in range(2):
        stored._endpoints(["flask", "shop/api.py:app", "aiohttp"])
    assert [["flask"], ["aiohttp"]] == read
    stored._named_by.cache_clear()


def test_endpoints_are_checked_and_offered():
    """By framework and way; an app of one's own is no framework, and is taken as it is."""
    endpoints = panel_of(echo, {"endpoints": ["flask"]}).controls["endpoints"]
    assert {"flask", "fastapi[response]"} <= set(endpoints.add.options)
    endpoints.add.value = "flsk"
    assert "did you mean flask" in endpoints.note.value
    endpoints.add.value = "fastapi[nonsense]"
    assert "unknown way of fastapi" in endpoints.note.value
    endpoints.add.value = "shop/api.py:app"
    assert ["flask", "shop/api.py:app"] == endpoints.value


def test_sets_of_versions_are_checked_and_offered():
    """They are those of the claims, and an unknown one is told before anything is measured."""
    versions = panel_of(echo, {"claims": ["003-take"], "versions": []}).controls["versions"]
    assert ("now", "then") == (*sorted(versions.add.options),)
    versions.add.value = "thn"
    assert "did you mean then" in versions.note.value
    assert [] == versions.value


def test_claims_have_their_published_outcomes(tmp_path):
    """A folder that keeps none of them, as beside copied notebooks, hides none."""
    values = {"claims": ["003-take"], "versions": []}
    panel = panel_of(
        lambda claims, versions: serbench.measure_claims(claims, versions=versions, output=tmp_path / "none"), values
    )
    assert said(panel) == "what is stored or published"
    assert ["003-take"] == [outcome.id for outcome in panel.result.outcomes]


@pytest.mark.slow
def test_a_run_that_came_since_is_shown(tmp_path):
    """What was measured elsewhere after the first controls were shown is stored for the next move."""
    chosen = {"libraries": "msgspec", "formats": "orjson", "effort": "quick", "store": tmp_path / "s"}
    panel = panel_of(lambda records: serbench.run("tiny", records=records, **chosen), {"records": 3})
    assert said(panel).startswith("nothing of this is stored")
    run = serbench.run("tiny", records=4, **chosen)
    panel.controls["records"].box.value = "4"
    until(lambda: said(panel).startswith(f"run {run.id} of 20"), "that run")


def test_an_older_run_that_has_more_of_what_is_chosen_is_shown(tmp_path):
    """A newer run with a part of the chosen libraries, or of all, does not hide it; each is judged once, not at each read."""
    whole = known_runs.run("20260101-000000-abcd", [Point("client", 1, 2, 0, "varied")], ("encode", "decode"))
    part = [cell for cell in whole.cells if cell.library == "msgspec"]
    with Store(tmp_path / "s") as store:
        for cells in (whole.cells, part):
            name = store.begin(command="", plan={"gc": "on", "cells": len(cells)}, machine=whole.machine)
            store.put_cells(name, cells)
            ids = {cell.id for cell in cells}
            store.add_samples(name, [sample for sample in whole.samples if sample.cell in ids])
            store.finish(name)
    for number, libraries in enumerate((("msgspec", "attrs"), ())):
        shutil.copy(tmp_path / "s", tmp_path / f"s{number}")
        run, _, lacking = stored_run(Plan(libraries=libraries, records=(1,)), tmp_path / f"s{number}")
        assert ("attrs" in {row.library for row in run.rows}, "attrs" in lacking) == (True, False)


def test_chosen_rows_are_ranked_among_themselves():
    """As Run would rank them: from 1, ties as ties; the baseline is named where no row is it, and the whole run stays as it is."""
    run = known_runs.run("20260101-000000-abcd", [Point("client", 1, 2, 0, "varied")], ("encode", "decode"))
    sheet = Sheet.of(run)
    chosen = Run.of_rows(sheet, [row for row in run.rows if row.library in ("mashumaro", "attrs")], {})
    coercing = {(row.library, row.codec): row.rank for row in chosen.rows if "coercing" in str(row.work_class)}
    assert {("mashumaro", "orjson"): 1, ("attrs", "orjson"): 1, ("attrs", "json"): 3} == coercing
    assert "ratios are to msgspec of this run, which the choice leaves out" in chosen.warnings
    decoded = Run.of_rows(sheet, [row for row in run.rows if row.library != "mashumaro"], {})
    assert not any(text.startswith("ratios are") for text in decoded.warnings)
    assert {1: 1, 3: 2, 4: 3} == {
        old.rank: new.rank
        for old in run.rows
        for new in decoded.rows
        if old.identity == new.identity and "coercing" in str(old.work_class)
    }
    assert Run.of_rows(sheet, run.rows, {}).rows == run.rows


def test_what_run_takes_is_found_again(tmp_path):
    """A library may be named by `all`, by its distribution or with a codec's version; rows of other interpreters are left out."""
    row = known_runs.run("20260101-000000-abcd", [Point("client", 1, 2, 0, "varied")], ("decode",)).rows[0]
    old = replace(row, library="pydantic1", variant="default", environment="pydantic==1.10.27", version="1.10.27")
    beside = replace(row, library="msgspec", variant="default", environment="msgspec + orjson==3.10.0")
    for text in ("all", "pydantic@1.10", "pydantic@*"):
        assert is_selected(old, [text], ["all"])
    for text in ("installed", "pydantic"):
        assert not is_selected(old, [text], [])
    assert is_selected(beside, ["msgspec+orjson==3.10.0"], [])
    assert "attrs" in stored_run(Plan(libraries=("all",), records=(1,)), tmp_path / "s")[2]
    assert stored_run(Plan(python=("3.9",), records=(1,)), tmp_path / "s") is None


def test_the_sample_file_has_published_results_and_another_is_read(tmp_path):
    """The file that comes with the notebooks is known by its content; one that is not there, or is no data, is said."""
    sample = resources("notebooks") / "sample_orders.json"
    values = {"payload": str(sample), "libraries": [], "formats": ["json"]}
    panel = panel_of(lambda **own: serbench.run(**own, store=tmp_path / "s"), values)
    assert said(panel).startswith("published, ")
    assert {"sample_orders.json"} == {row.workload for row in panel.result.rows}
    own = panel_of(
        lambda **own: serbench.run(**own, store=tmp_path / "s"), {**values, "model": f"{tmp_path}/own.py:Order"}
    )
    assert said(own).startswith("own cannot be imported")
    file = panel.controls["payload"]
    file.path.value = str(tmp_path / "none.json")
    until(lambda: said(panel).startswith("there is no file"), "the line")
    file._received([{"name": "broken.json", "content": b"[1,"}])
    assert "broken.json" in file.note.value


def test_a_published_result_has_its_code(tmp_path):
    """The rows of a notebook's run have the modules that were measured, and are not written as a run of their own."""
    panel = panel_of(lambda **sizes: serbench.run("client-rich", **sizes, store=tmp_path / "s"), dict(CHOSEN))
    assert "class" in str(panel.result.code())
    assert "# django-ninja" not in str(serbench.load("data/requests").code())  # of which the floor alone has a time
    assert [] == panel.result.write(tmp_path / "tables")  # a cell says so in words
    assert not (tmp_path / "tables").exists()


def test_what_measured_nothing_says_what_is_still_shown(tmp_path):
    """The figure beneath is that from before, so its line says so too."""
    panel = panel_of(lambda **sizes: serbench.run("client-rich", **sizes, store=tmp_path / "s"), dict(CHOSEN))
    before = said(panel)
    assert before.startswith("published, ")
    panel.output.observe(lambda _: pytest.fail("another result"), "outputs")
    panel._measure = lambda *_: (_ for _ in ()).throw(PlanError("omit --records"))
    panel.run()
    joined(panel._work.thread)
    assert f"omit records; still shown: {before}" == said(panel)


def test_a_line_beside_controls_names_no_option_of_a_command(tmp_path):
    """Nobody has typed one: an error and what an empty box stands for name arguments; a command in an error stays as it is."""
    panel = panel_of(lambda **own: serbench.run(**own, store=tmp_path / "s"), {"model": "", "libraries": []})
    assert "--" not in panel.controls["libraries"].add.placeholder
    panel.controls["model"].value = "Order"
    until(lambda: said(panel).startswith("model must be module:Class"), "the line")
    told = "omit --records, give another --format or --literal-strings, or try `serbench run --effort quick`"
    wanted = "omit records, give another formats or literal_strings, or try `serbench run --effort quick`"
    assert wanted == line_of(PlanError(told))
    assert [f"PlanError: {wanted}"] == PlanError(told)._render_traceback_()  # by IPython, beneath a cell


@pytest.mark.slow
def test_run_shows_rows_as_they_come_and_keeps_them(tmp_path):
    """The table is there before the run has ended; then it is stored, and shown again without a run."""
    values = {"records": 3, "libraries": ["msgspec"], "formats": ["orjson"]}
    seen = []
    panel = panel_of(lambda **sizes: serbench.run("tiny", **sizes, effort="quick", store=tmp_path / "s"), values)
    panel.output.observe(lambda change: seen.append(change["new"]), "outputs")
    panel.button.click()
    assert panel.button.disabled
    assert not panel.stop.disabled
    joined(panel._work.thread)
    assert len([one for one in seen if one]) > 1
    assert said(panel).startswith(f"run {panel.result.id} took ")
    assert not panel.button.disabled
    assert panel.result.rows
    again = panel_of(lambda **sizes: serbench.run("tiny", **sizes, effort="quick", store=tmp_path / "s"), values)
    assert said(again).startswith(f"run {panel.result.id} of 20")
    assert panel.result.rows == again.result.rows


def test_a_run_shows_its_rows_under_its_own_values_alone():
    """A control that is moved while Run goes on shows what is stored of its value; moved back, what the run has."""
    begun, goes_on = threading.Event(), threading.Event()

    def function(records):
        if waits:
            begun.set()
            goes_on.wait(LONGEST_S)
        return f"of {records}"

    waits = False
    panel = panel_of(function, {"records": 1})
    for back in (False, True):
        panel.controls["records"].box.value = "1"
        until(lambda: panel.result == "of 1", "the result of 1")
        waits = True
        begun.clear()
        goes_on.clear()
        panel.run()
        begun.wait(LONGEST_S)
        waits = False
        panel.controls["records"].box.value = "10"
        until(lambda: panel.result == "of 10", "the result of 10")
        if back:
            panel.controls["records"].box.value = "1"
        goes_on.set()
        joined(panel._work.thread)
        assert panel.result == ("of 1" if back else "of 10")


@pytest.mark.slow
def test_run_is_cancelled(tmp_path):
    """What is no run ends too, and the line says so."""
    panel = panel_of(
        lambda text: serbench.compare({text: repr, "str": str}, setup="x", effort="thorough"), {"text": "repr"}
    )
    assert said(panel) == "nothing of this is stored: Run measures it"
    panel.run()
    panel.cancel()
    joined(panel._work.thread)
    assert "cancel" in said(panel) or "x" in said(panel)
    assert panel.stop.disabled


@pytest.mark.parametrize(
    ("runs", "line"), [(0, "cancelled; there is nothing new to show"), (1, "cancelled; what was measured is kept")]
)
def test_a_comparison_that_is_cancelled_says_what_is_kept(tmp_path, runs, line):
    """It has nothing to show before its end; only a run before it is kept."""

    def work(background):
        live = Live(background)
        for _ in range(runs):
            live.run(Plan(), tmp_path / "s", lambda *_: known_runs.lone()[1])
        background.cancel()
        live.listener().progress(Progress("measuring", 1, 0, 0))

    ends = []
    joined(Background(lambda progress, _: ends.append(progress), work).thread)
    assert line == ends[-1]["text"]


def test_the_end_is_said_before_run_can_be_pressed_again():
    """Whoever waits for Run reads how the run has ended."""
    panel, heard = panel_of(echo, {"text": "x"}), []
    panel._take({"running": True, "text": "measuring", "fraction": 0.5, "error": ""})
    panel.button.observe(lambda change: heard.append((change["new"], said(panel))), "disabled")
    panel._take({"running": False, "text": "took 1 s", "fraction": 1.0, "error": ""})
    assert [(False, "took 1 s")] == heard


def test_each_run_of_a_function_has_its_own_progress_and_none_follows_a_cancelled_one(tmp_path):
    """The second begins at 0, not where the first has ended; once Cancel was pressed no other run is begun."""
    told, runs = [], [known_runs.lone()[1] for _ in range(3)]

    def measure(background, cancelled):
        for part in (0.1, 0.9):
            background.progress(Progress("measuring", 1, 0, 0, part=part))
            told.append(background._fraction)
        if len(told) == 4:
            cancelled.set()
        return runs[len(told) // 2 - 1]

    def work(background):
        live = Live(background)
        return [live.run(Plan(), tmp_path / "s", measure) for _ in runs]

    ends = []
    joined(Background(lambda progress, _: ends.append(progress), work).thread)
    assert [0.1, 0.9, 0.1, 0.9] == told
    assert "cancelled; what was measured is kept" == ends[-1]["text"]


@pytest.mark.slow
def test_a_run_that_is_cancelled_at_once_leaves_what_was_shown(tmp_path):
    """It has no row, of which there could be a figure: the line says so, and the published one stays."""
    values = dict(CHOSEN)
    panel = Panel(
        lambda **values: serbench.run("client", **values, effort="quick", store=tmp_path / "s"),
        values,
        {},
        values,
        lambda run: run.figure("decode"),
    )
    shown, result = panel.output.outputs, panel.result
    panel.run()
    panel.cancel()
    joined(panel._work.thread)
    assert "ended early; nothing was measured" in said(panel)
    assert (shown, result) == (panel.output.outputs, panel.result)


def test_run_when_changed_is_off_until_it_is_ticked(tmp_path, monkeypatch):
    """Then a moved control measures what is not stored."""
    panel = panel_of(lambda **values: serbench.run("tiny", **values, store=tmp_path / "s"), {"records": 3})
    begun = []
    monkeypatch.setattr(panel, "run", lambda: begun.append(panel.value["records"]))
    panel.controls["records"].box.value = "4"
    until(lambda: not panel._looking.locked(), "its end")
    assert [] == begun
    panel.follow.value = True
    panel.controls["records"].box.value = "6"
    until(lambda: begun == [6], "a run")


def test_headlessly_a_function_is_called_once(capsys, monkeypatch):
    """With the variables of the notebook, below a line of text; no widget is made."""
    monkeypatch.setitem(sys.modules, "serbench.api.notebook.panel", None)
    monkeypatch.setitem(globals(), "records", [1, 10])

    @interact(depth=[2, 3], show=sorted)
    def called(records, depth, effort="quick"):
        return [depth, len(records) - 1]

    assert "records = [1, 10], depth = 2, effort = 'quick'\n[1, 2]\n" == capsys.readouterr().out
    assert ([2, 1], {"records": [1, 10], "depth": 2, "effort": "quick"}) == (called.result, called.value)
    with pytest.raises(PlanError, match="unknown parameter 'dpth'"):
        interact(test_names_are_those_of_options, dpth=[1])
    with pytest.raises(PlanError, match=r"nowhere has no value; give it a default, or choices"):
        interact(lambda nowhere: nowhere)


def test_what_is_not_known_of_what_was_probed_is_said(tmp_path):
    """Outcomes of some of the chosen cases or claims are shown, and the others are named: they are not all."""
    panel = panel_of(
        lambda libraries: serbench.probe(libraries, "msgspec/json", store=tmp_path / "s"), {"libraries": ["msgspec"]}
    )
    assert "what is stored or published" == said(panel)
    panel.controls["libraries"].add.value = "msgspec[gc=False], pydantic@2.5"
    names = "msgspec[gc=False] msgspec/json and pydantic msgspec/json (pydantic==2.5.*)"
    until(lambda: f"{names} not measured there: Run measures all" in said(panel), "the line")
    assert ["msgspec"] == [one.library for one in panel.result]


def test_what_is_not_installed_is_said_first(monkeypatch):
    """A distribution that a chosen format needs, and pyarrow where tables are written, are named with how to install them."""
    packages = {"msgspec": version("msgspec")}
    monkeypatch.setattr(
        module, "main_environment", lambda: Environment("main", sys.executable, (3, 12), packages=packages)
    )
    values = {"formats": ["orjson", "msgspec/json"]}
    _, formats, tables = str(Line(values, module._missing(values, {"output": "x"}))).splitlines()
    assert formats.startswith("orjson: not installed, so rows say so instead of times; pip install '.[formats]'")
    assert tables.startswith("pyarrow: not installed, so tables are not written as Parquet; pip install '.[report]'")
    assert [] == module._missing({"formats": ["msgspec/json"]}, {})


def test_a_variable_that_a_default_hides_is_named(monkeypatch, capsys):
    """Papermill sets a variable, and the function's own default counts: a line says so, and how to change it."""
    monkeypatch.setitem(globals(), "depth", [1, 2])
    monkeypatch.setitem(globals(), "records", 5)

    def measured(records=5, depth=(1, 3)):
        return records, depth

    line = module.interact(measured)
    assert (5, (1, 3)) == line.result
    _, told = str(line).splitlines()
    assert "depth begins with the function's default; leave that out to use the notebook's depth = [1, 2]" == told
    assert str(line) in capsys.readouterr().out


def test_names_are_those_of_options(monkeypatch):
    """Controls begin with the notebook's variables; a name without an option is told."""
    monkeypatch.setattr(sys.modules["__main__"], "records", [1], raising=False)
    assert "records = [1], depth = 2" == str(serbench.controls("records", "depth"))
    with pytest.raises(PlanError, match=r"option of serbench\.run"):
        serbench.controls("recrds")
