"""The explorer without a browser: what it shows for each choice, and how it measures, cancels and tells."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from waits import joined, until

import serbench
from serbench.ask.calling import make_plan
from serbench.ask.notebook.background_run import plan_text, run_arguments
from serbench.ask.notebook.choosing import chosen_rows, gathered, is_selected
from serbench.ask.notebook.settings import VIEWS, Settings, from_state
from serbench.ask.notebook.views import MATRICES, known_probes, show
from serbench.judge.rows import reranked
from serbench.keep.archive import Archive, published, resources
from serbench.render.environments.added import Added, add

SMALL = "tiny?libraries=msgspec,dataclasses&formats=orjson"


@pytest.fixture
def archive(tmp_path):
    """Nothing but what is published of one notebook."""
    return Archive(tmp_path / "none", published(resources("data") / "nested_models"))


@pytest.mark.parametrize("view", [view for view in VIEWS if view not in MATRICES])
def test_every_view_shows_published_results(archive, view):
    """Before any run there is something to see in each view, with its run, date, machine and versions."""
    shown = show(Settings(view=view), archive)
    assert shown["kind"] in ("figure", "grid", "code")
    assert shown[shown["kind"]]
    assert not shown["missing"]
    for part in ("published with serbench", published()[-1].info.started[:3], "CPython", "msgspec"):
        assert part in shown["origin"]


def test_the_table_has_the_means_over_all_sizes(tmp_path):
    """Below the rows of several sizes stand the geometric means over them; of one size there are none."""
    scaling = Archive(tmp_path / "none", published(resources("data") / "scaling"))
    (board,) = show(Settings(view="table", every=True), scaling)["grid"]["overall"]
    assert "decode, geometric mean over all data" == board["title"]
    assert board["sections"]


@pytest.mark.parametrize("view", VIEWS)
def test_what_is_used_today_can_be_chosen_in_every_view(archive, view):
    """Each view offers the measured cases, and says what a change from the chosen one gains."""
    cases = show(Settings(view=view), archive)["present"]["cases"]
    assert "pydantic/json/json" in cases
    (first, *_) = show(Settings(view=view, present="pydantic/json/json"), archive)["present"]["against"]
    assert first["lines"][0].startswith("you use pydantic via json")


def test_the_marks_of_the_table_are_explained(archive):
    """Each sign behind a ratio has its line below the table."""
    grid = show(Settings(view="table"), archive)["grid"]
    marks = {cell[-1] for line in grid["lines"] for cell in line["cells"] if "±" in cell and not cell[-1].isdigit()}
    assert {"?"} == marks
    assert marks <= {line[0] for line in grid["footnotes"]}


@pytest.mark.parametrize("view", MATRICES)
def test_the_matrices_are_those_of_the_store(view, tmp_path):
    """What is published of the chosen cases is a heat map, until they are probed here; an unknown case says how."""
    archive = Archive(tmp_path / "runs.sqlite", [])
    settings = Settings(view=view, libraries=("msgspec",), formats=("orjson",))
    before = show(settings, archive)
    assert ["msgspec via orjson"] == before["figure"]["data"][0]["y"]
    serbench.probe("msgspec, typeddict", "orjson", store=tmp_path / "runs.sqlite")
    shown = show(settings, archive)
    assert (before["figure"]["data"][0]["x"], False) == (shown["figure"]["data"][0]["x"], shown["missing"])
    assert known_probes(archive)[0].date < next(
        one.date for one in known_probes(archive) if one.case[:1] + one.case[3:] == ("msgspec", "json", "orjson")
    )
    nothing = show(replace(settings, libraries=("pydantic@1.0",)), archive)
    assert ("nothing", True) == (nothing["kind"], "serbench verify --all" in nothing["note"])


def test_what_is_not_stored_shows_the_nearest(archive):
    """Another size shows the nearest that is stored, and says so; another workload says how to get it."""
    shown = show(Settings(records=50), archive)
    assert (True, "figure") == (shown["missing"], shown["kind"])
    assert "50 records at depth 2 is not measured yet" in shown["note"]
    assert "1 record at depth 2, the nearest" in shown["note"]
    assert shown["note"] == show(Settings(records=50, view="scaling"), archive)["note"]  # the point that it draws
    nothing = show(Settings(workload="tree", depth=4), archive)
    assert ("nothing", True) == (nothing["kind"], nothing["missing"])
    assert "Run measures it" in nothing["note"]


def test_no_size_has_a_false_winner(tmp_path):
    """With an empty store the arrow key names one leader at all sizes, and says which cases a size lacks."""
    everything, sizes = Archive(tmp_path / "none"), (1, 2, 5, 7, 10, 20, 100, 101, 1_000, 2_000, 100_000)
    for records in sizes:
        shown = show(Settings(workload="client", records=records), everything)["figure"]
        headline = shown["layout"]["meta"]["finding"]
        assert re.search(r"(^|: )msgspec (?!via)", headline), (records, headline)
        greyed = [text for axis in ("yaxis", "yaxis2") for text in shown["layout"][axis]["ticktext"] if "<span" in text]
        assert bool(greyed) == ("not measured here" in headline), (records, headline)


def test_choices_choose(archive):
    """Libraries, formats and work classes leave only their rows; an encoder is judged by what its decoder checks."""
    sheet = next(sheet for sheet in archive if ("client", "varied", 1, 2) in sheet.points)
    assert {"msgspec"} == {row.library for row in chosen_rows(Settings(libraries=("msgspec",)), sheet)}
    assert {"msgpack"} == {row.format for row in chosen_rows(Settings(formats=("msgpack",)), sheet)}
    checked = chosen_rows(Settings(validating=True, operation="encode"), sheet)
    assert "class" not in {row.library for row in checked}
    assert {"pydantic", "marshmallow"} <= {row.library for row in checked}
    objects = chosen_rows(Settings(objects=True), sheet)
    assert {False} == {row.work_class.startswith("dicts") for row in objects if row.measured}


@pytest.mark.parametrize(
    ("library", "found"),
    [
        ("msgspec", True),
        ("msgspec[*]", True),
        ("msgspec[gc=False]", False),
        ("msgspec@main", True),
        ("msgspec@0", True),
        ("msgspec@0[gc=False]", False),
        ("msgspec@1", False),
        ("dacite", False),
    ],
)
def test_a_library_is_selected_by_name_variant_or_version(library, found):
    """The names that `serbench run --library` takes choose the same rows of a stored run."""
    sheet = next(
        sheet for sheet in published(resources("data") / "nested_models") if ("client", "varied", 1, 2) in sheet.points
    )
    row = next(row for row in sheet.rows if row.library == "msgspec")
    assert found == is_selected(row, [library], [])


def test_ratios_of_two_runs_are_kept_apart(archive):
    """At a point that two runs have, the rows of the other run are shown without a ratio or a rank."""
    like = next(sheet for sheet in archive if ("client", "varied", 1, 2) in sheet.points)
    settings = Settings(operation="decode")
    ranked = reranked([row for row in like.rows if row.library == "msgspec"], like.rows)
    part = replace(like, rows=ranked)
    archive.sheets = [part, like]
    rows = [row for row, _ in gathered(settings, archive, part)]
    assert {True} == {row.rank is not None for row in rows if row.library == "msgspec"}
    assert {(None, None)} == {(row.rank, row.ratio) for row in rows if row.library != "msgspec"}
    shown = chosen_rows(settings, like)
    assert [row.rank for row in shown] == [row.rank for row, _ in gathered(settings, archive, like)]


def test_a_figure_of_several_runs_names_each(tmp_path):
    """The scaling view gathers several runs; its origin and the figure's own notes, which are saved with it, name them all."""
    shown = show(Settings(view="scaling"), Archive(tmp_path / "none"))
    runs = [line.split()[0] for line in shown["origin"].splitlines()]
    assert len(runs) > 1
    notes = " ".join(shown["figure"]["layout"]["meta"]["notes"])
    assert [] == [run for run in runs if run not in notes]


def test_an_added_version_can_be_chosen(tmp_path, monkeypatch):
    """A version that was added has an entry of its own, by the name under which `serbench run` takes it."""
    monkeypatch.setenv("SERBENCH_ENVIRONMENTS", str(tmp_path))
    add(Added("pydantic==2.5"))
    entries = {one["value"]: one["group"] for one in serbench.Explorer(store=tmp_path / "none").options["libraries"]}
    assert "environment main" == entries["pydantic"]
    assert "environment pydantic==2.5" == entries["pydantic@2.5"]
    assert "pydantic@2.5[strict]" in entries


def test_run_measures_the_point_and_in_scaling_a_grid():
    """The plan has what is looked at first; the scaling view measures sizes and depths, phases every step."""
    plan = make_plan(**run_arguments(Settings(records=7, operation="encode")))
    assert ((7,), ("encode", "decode")) == (plan.records, plan.operations)
    grid = make_plan(**run_arguments(Settings(records=7, view="scaling")))
    assert {1, 7, 1000} <= set(grid.records)
    assert 2 in grid.depth
    assert "5 sizes × 3 depths" == plan_text(Settings(records=7, view="scaling"))
    assert {"dump", "dumps", "load", "loads"} <= set(run_arguments(Settings(view="phases"))["operations"])


def test_it_opens_on_results_and_says_them_as_text(tmp_path):
    """Without anything chosen it shows what is published, and a log gets the findings in words."""
    explorer = serbench.Explorer(store=tmp_path / "none")
    assert "figure" == explorer.shown["kind"]
    bundle, _ = explorer._repr_mimebundle_()
    assert "serbench.Explorer('client')" in bundle["text/plain"]
    assert " faster than " in bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_it_measures_when_asked_and_opens_on_that_run_next_time(tmp_path):
    """A measured choice is shown with intervals, kept in the store, and is the first screen of the next explorer."""
    path = tmp_path / "runs.sqlite"
    explorer = serbench.Explorer(SMALL, store=path, measure=True)
    assert "your run" in explorer.shown["origin"]
    assert explorer.progress["running"] is False
    assert {"msgspec", "dataclasses"} == {trace["legendgroup"] for trace in explorer.shown["figure"]["data"]}
    again = serbench.Explorer(store=path)
    assert ("tiny", explorer.shown["origin"]) == (again.choice.workload, again.shown["origin"])


def test_a_control_answers_and_a_wrong_one_is_told(tmp_path):
    """A setting from the page changes state and view; one that cannot be is told, and all else stays."""
    explorer = serbench.Explorer(store=tmp_path / "none")
    explorer.settings = explorer.settings | {"view": "table", "contains": "msgspec"}
    assert ("grid", "client?view=table&contains=msgspec") == (explorer.shown["kind"], explorer.state)
    explorer.settings = explorer.settings | {"records": 0}
    assert "records must be between 1 and" in explorer.shown["note"]
    assert 1 == explorer.choice.records


@pytest.mark.full
def test_run_measures_what_the_page_shows(tmp_path):
    """The message of the Run button has the settings, because it may come before their own."""
    explorer = serbench.Explorer(SMALL, store=tmp_path / "runs.sqlite")
    explorer._handle_custom_msg({"do": "run", "settings": explorer.settings | {"records": 3}}, [])
    joined(explorer._measuring.thread)
    assert {3} == {row.records for row in serbench.load("latest", store=tmp_path / "runs.sqlite").rows}
    assert 3 == explorer.shown["settings"]["records"]


@pytest.mark.full
def test_a_cancelled_run_keeps_what_it_has(tmp_path):
    """Cancel ends the run, and its samples are shown as a run."""
    explorer = serbench.Explorer(f"{SMALL}&effort=thorough", store=tmp_path / "runs.sqlite")
    thread = explorer.run()
    until(lambda: explorer._archive.running is not None or not thread.is_alive(), "a sample, or the end of the run")
    explorer.cancel()
    joined(thread)
    assert "ended early" in explorer.progress["text"]
    assert "your run" in explorer.shown["origin"]
    assert "interrupted" == serbench.load("latest", store=tmp_path / "runs.sqlite").info.status


def test_a_run_that_cannot_be_is_told(tmp_path):
    """A choice that only measuring finds wrong is a line beside the button, not a traceback."""
    explorer = serbench.Explorer("client?depth=1", store=tmp_path / "runs.sqlite")
    joined(explorer.run())
    assert "depth" in explorer.progress["error"]


def test_the_environment_and_the_address_preset_it(tmp_path, monkeypatch):
    """Binder's preset is an environment variable, Voila's the query of the page, which counts more."""
    monkeypatch.setenv("SERBENCH_EXPLORER", "client?libraries=msgspec")
    assert ("msgspec",) == serbench.Explorer(store=tmp_path / "none").choice.libraries
    monkeypatch.setenv("QUERY_STRING", "state=client-rich%3Fview%3Dbudget")
    assert from_state("client-rich?view=budget") == serbench.Explorer(store=tmp_path / "none").choice
    assert Settings(view="code") == serbench.Explorer("client", store=tmp_path / "none", view="code").choice
