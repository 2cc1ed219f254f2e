"""The explorer without a browser: what it shows for each choice, and how it measures, cancels and tells."""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from dataclasses import replace

import known_runs
import psutil
import pytest
import waits
from sent import marks, runs
from synthetic import cell, measure
from waits import LONGEST_S, joined, until

import serbench
from serbench.api.notebook.background_run import Background
from serbench.api.notebook.settings import Settings, case_filter, from_state, plan_of
from serbench.api.notebook.stored import best, is_selected
from serbench.api.notebook.views import case_data, case_named, code_of, known_probes, rows_content, sheets_of, show
from serbench.api.reports.page.content import probes_content, run_content
from serbench.errors import PlanError
from serbench.judge.rows import NOT_REACHED
from serbench.machine.platform import started_at
from serbench.measure.listener import Progress
from serbench.render.library import libraries
from serbench.results import Point
from serbench.store.archive import Archive, published, resources
from serbench.store.run import Run
from serbench.store.store import Store

SMALL = "tiny?libraries=msgspec,dataclasses&formats=orjson"


@pytest.fixture
def archive(tmp_path):
    """Nothing but what is published of one notebook."""
    return Archive(tmp_path / "none", published(resources("data") / "nested_models"))


ENDS = """import atexit, threading
names = lambda: [one.name for one in threading.enumerate() if one.name.startswith("serbench-")]
atexit.register(lambda: print(names()))
import serbench
explorers = [serbench.Explorer("client", store="runs.sqlite") for _ in range(3)]
print(len(names()))
"""


@pytest.mark.slow
def test_the_end_of_a_script_ends_its_explorers(tmp_path):
    """No thread of theirs is left in compiled code when the interpreter ends, which would abort the process."""
    done = waits.run([sys.executable, "-c", ENDS], cwd=tmp_path)
    assert ["6", "[]"] == done.stdout.split()


def page_content(settings, archive):
    """What the page has of the stored rows."""
    return rows_content(settings.data_name, sheets_of(settings, archive))


def test_the_page_has_every_published_row_of_the_data(archive):
    """Before any run it has all rows of the data, each run with its date, machine and versions, and no code."""
    content = page_content(Settings(), archive)
    wanted = [len([row for row in sheet.rows if row.workload == "client-rich"]) for sheet in archive]
    assert [count for count in wanted if count] == [run["rows"] for run in runs(content)]
    assert "client-rich" == content["workload"]
    assert {} == content["sources"]
    for run in runs(content):
        assert run["published"]
        assert run["date"].startswith("20")
        assert "CPython" in run["machine"]
        assert "msgspec" in run["versions"]


def test_a_run_that_ended_without_a_time_leaves_what_was_shown(archive):
    """What is published stays; a run that has reached all its rows, of which none has a time, tells why."""
    before = sheets_of(Settings(), archive)
    (sheet,) = before
    own = replace(sheet, info=replace(sheet.info, id="own"), published=False)
    failed = [replace(row, time_ns=None, reason="it fails") for row in sheet.rows]
    unreached = [*failed[1:], replace(failed[0], reason=NOT_REACHED)]
    for rows, shown in ((unreached, 1), (failed, 2), ([*unreached, sheet.rows[0]], 2)):
        archive.add(replace(own, rows=rows))
        assert shown == len(sheets_of(Settings(), archive))


def test_the_page_has_the_chosen_policy_and_seed_alone(archive):
    """Rows that were measured with another seed or collector's policy do not come to the page."""
    for settings in (Settings(seed=3), Settings(gc="off")):
        assert [] == page_content(settings, archive)["parts"]


def test_what_is_used_today_can_be_chosen(archive):
    """It has its whole name, and what a change from it gains is said, where it was measured."""
    assert "pydantic/pydantic/json" == show(Settings(present="pydantic/json"), archive)["present"]["chosen"]
    (first, *_) = show(Settings(present="pydantic/json/json"), archive)["present"]["against"]
    assert [] == show(Settings(), archive)["present"]["against"]
    assert first["lines"][0].startswith("you use pydantic via json")
    assert show(Settings(present="pydantic/json/json", records=50), archive)["present"] is None


@pytest.mark.slow
def test_the_probes_are_those_of_the_store(tmp_path):
    """What is published of a case is sent, until it is probed here."""
    archive = Archive(tmp_path / "runs.sqlite", [])
    before = probes_content(known_probes(archive))
    serbench.probe("msgspec, typeddict", "orjson", store=tmp_path / "runs.sqlite")
    after = probes_content(known_probes(archive))

    def of(content):
        return {one["name"]: one for one in content["matrices"]["cases"]}

    assert of(before).keys() == of(after).keys()
    assert of(before)["msgspec via orjson"]["date"] < of(after)["msgspec via orjson"]["date"]
    assert of(before)["msgspec"]["date"] == of(after)["msgspec"]["date"]


@pytest.fixture
def derived(monkeypatch):
    """How many rows of which run were put together for the page, in the order of that."""
    made = []

    def counted(sheet):
        made.append((sheet.info.id, len(sheet.rows)))
        return run_content(sheet)

    monkeypatch.setattr("serbench.api.notebook.views.run_content", counted)
    return made


@pytest.mark.slow
def test_each_row_is_put_together_once(tmp_path, derived):
    """Older runs, another workload, a run that has ended, a view and a control: what is known is not worked out anew."""
    store = tmp_path / "runs.sqlite"
    known = [measured_run(store, size).info.id for size in (4, 2, 3)]
    explorer = serbench.Explorer("client?conditions=hot", store=store)
    until(lambda: set(known) <= {run["id"] for run in runs(explorer.content)}, "all runs")
    for change in ({"workload": "tree", "depth": 4}, {"workload": "client"}, {"view": "table"}, {"records": 3}):
        explorer.settings = {**explorer.settings, **change}
    assert [(name, 2 * size) for name, size in zip(known, (4, 2, 3), strict=True)] == sorted(
        (one for one in derived if one[0] in known), key=lambda one: known.index(one[0])
    )
    newest = measured_run(store, 5)
    before = list(derived)
    explorer._on_measuring({**explorer.progress, "running": False}, newest)
    assert [(newest.info.id, 10)] == derived[len(before) :]


def measured_run(store, cases):
    """A stored run of some cases."""
    names = list(libraries())[:cases]
    pairs = [
        (cell(0, name, operation=operation), 300.0 + number)
        for operation in ("encode", "decode")
        for number, name in enumerate(names)
    ]
    for number, (one, _) in enumerate(pairs):
        one.id, one.reference = number, number % cases == 0
    with Store(store) as opened:
        name = opened.begin(command="", plan={"gc": "on"}, machine={}, versions={})
        samples = measure(pairs, waves=2)  # which sizes their batches too
        opened.put_cells(name, [one for one, _ in pairs])
        opened.add_samples(name, samples)
        opened.finish(name)
        return Run.from_store(opened.load(name))


@pytest.mark.slow
def test_probes_are_sent_before_anybody_asks(tmp_path, monkeypatch):
    """They come once the first screen stands, whatever its view, and are not put together again until there are others."""
    made = []

    def counted(known):
        made.append(len(known))
        return probes_content(known)

    monkeypatch.setattr("serbench.api.notebook.explorer.probes_content", counted)
    explorer = serbench.Explorer("client", store=tmp_path / "runs.sqlite")
    assert {} == explorer.further
    explorer._drawn.set()
    until(lambda: explorer.further, "the probes")
    for view in ("fidelity", "ranking", "strictness"):
        explorer.settings = {**explorer.settings, "view": view}
    measured_run(tmp_path / "runs.sqlite", 2)  # the store changes, and what it knows of the probes does not
    explorer.settings = {**explorer.settings, "view": "fidelity"}
    assert [len(explorer.further["matrices"]["cases"])] == made
    serbench.probe("msgspec", "orjson", store=tmp_path / "runs.sqlite")
    explorer.settings = {**explorer.settings, "view": "strictness"}
    assert 2 == len(made)


@pytest.mark.slow
def test_probes_are_put_together_once_if_two_ask_at_once(tmp_path, monkeypatch):
    """A view may need them while the thread that reads ahead is at them."""
    made, answers, asked = [], [], threading.Barrier(2)

    def slowly(known):
        made.append(len(known))
        time.sleep(0.2)
        return probes_content(known)

    explorer = serbench.Explorer("client", store=tmp_path / "runs.sqlite")
    explorer._drawn.set()
    until(lambda: explorer.further, "the probes")
    serbench.probe("msgspec", "orjson", store=tmp_path / "runs.sqlite")
    monkeypatch.setattr("serbench.api.notebook.explorer.probes_content", slowly)

    def ask():
        asked.wait(LONGEST_S)
        answers.append(explorer._probes_content())

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for thread in asking:
        thread.start()
    joined(*asking)
    assert (1, answers[0]) == (len(made), answers[1])


@pytest.mark.slow
def test_a_choice_is_not_overtaken_by_older_runs(tmp_path, monkeypatch):
    """Without a loop, the thread that has read them shows them; what is chosen meanwhile stays."""
    for size in (2, 3):
        measured_run(tmp_path / "runs.sqlite", size)
    begun = threading.Event()

    def slowly(*arguments):
        shown = show(*arguments)
        if threading.current_thread().name == "serbench-archive":
            begun.set()
            time.sleep(0.2)
        return shown

    explorer = serbench.Explorer("client?conditions=hot", store=tmp_path / "runs.sqlite")
    monkeypatch.setattr("serbench.api.notebook.views.show", slowly)
    explorer._drawn.set()
    until(begun.is_set, "the older run")
    explorer.settings = {**explorer.settings, "view": "table"}
    joined(*(one for one in threading.enumerate() if one.name == "serbench-archive"))
    assert "table" == explorer.shown["view"]


def test_runs_of_other_data_are_read_when_it_is_chosen(tmp_path, monkeypatch):
    """Its newest run is shown at once, and at last the page has what it has if all runs are read, but for none of other data."""
    path, going_on, read_runs = tmp_path / "runs.sqlite", threading.Event(), serbench.Explorer._read_runs
    stored = [Point("rows", 1, 1, 7), Point("rows", 2, 1, 0), Point("rows", 3, 1, 0), Point("rows", 4, 1, 0)]
    for number, point in enumerate([*stored, Point("client", 5, 2, 0), Point("client", 6, 2, 0)]):
        known_runs.stored(path, known_runs.run("", [point], ("decode",), cpu=f"Abacus {number}"))

    def later(explorer):
        going_on.wait(LONGEST_S)
        read_runs(explorer)

    def all_read():
        going_on.set()
        joined(*(one for one in threading.enumerate() if one.name == "serbench-archive"))
        going_on.clear()
        return [sheet.rows[0].records for sheet in explorer._archive if not sheet.published]

    def is_whole():
        whole = Archive(path)
        while whole.read_next():
            pass
        return explorer.content == page_content(explorer.choice, whole)

    monkeypatch.setattr(serbench.Explorer, "_read_runs", later)
    explorer = serbench.Explorer("client?records=6&conditions=hot", store=path)
    explorer._drawn.set()
    assert ([6, 5], True) == (all_read(), is_whole())
    for seed, newest, every in ((0, [4], {2, 3, 4, 5, 6}), (7, [1], {1, 2, 3, 4, 5, 6})):
        explorer.settings = {**explorer.settings, "workload": "rows", "depth": 1, "seed": seed}
        own = [part for part in explorer.content["parts"] if "Abacus" in part]
        assert newest == [number for part in own for number in range(7) if f"Abacus {number - 1}" in part]
        assert (every, True) == (set(all_read()), is_whole())


def test_what_there_was_no_time_to_read_is_read_when_its_size_is_chosen(tmp_path, monkeypatch):
    """Of a large store the newest runs are read; an older one as soon as no other has the chosen size, and then no more."""
    for records in (3, 4, 5, 6, 7, 8, 9):
        point, cpu = Point("client", records, 2, 0), f"Abacus {records}"
        known_runs.stored(tmp_path / "runs.sqlite", known_runs.run("", [point], ("decode",), cpu=cpu))
    monkeypatch.setattr("serbench.api.notebook.explorer.READS_S", 0.0)
    explorer = serbench.Explorer("client?records=9&conditions=hot", store=tmp_path / "runs.sqlite")

    def read():
        while reading := [one for one in threading.enumerate() if one.name == "serbench-archive"]:
            joined(*reading)
        return {sheet.rows[0].records for sheet in explorer._archive if not sheet.published}

    explorer._drawn.set()
    assert {8, 9} == read()
    explorer.settings = {**explorer.settings, "records": 8}
    assert {8, 9} == read()
    explorer.settings = {**explorer.settings, "records": 5}
    assert {5, 6, 7, 8, 9} <= read()
    assert explorer._has_size()


def test_data_of_which_nothing_is_stored_has_no_rows(archive):
    """A workload that was not measured is named, without a row."""
    content = page_content(Settings(workload="tree", depth=4), archive)
    assert ("tree", []) == (content["workload"], content["parts"])


def test_choices_choose(archive):
    """Libraries, formats and work classes leave only their rows; an encoder is judged by what its decoder checks."""
    sheet = next(sheet for sheet in archive if ("client", "varied", 1, 2) in sheet.points)

    def chosen(**choice):
        return [row for row in sheet.rows if case_filter(Settings(**choice), sheet)(row)]

    assert {"msgspec"} == {row.library for row in chosen(libraries=("msgspec",))}
    assert {"msgpack"} == {row.format for row in chosen(formats=("msgpack",))}
    checked = chosen(validating=True)
    assert "class" not in {row.library for row in checked}
    assert {"pydantic", "marshmallow"} <= {row.library for row in checked}
    decoded = [row for row in chosen(objects=True) if row.operation == "decode" and row.measured]
    assert {False} == {row.work_class.startswith("dicts") for row in decoded}


def test_the_run_with_most_cases_is_shown_and_of_equals_the_newest(archive):
    """A newer run with less does not hide an older one of the machine with all; with as much it does."""
    whole = next(sheet for sheet in archive if ("client-rich", "varied", 1, 2) in sheet.points)
    part = replace(whole, rows=[row for row in whole.rows if row.library == "msgspec"], published=False)
    older = replace(whole, info=replace(whole.info, id="older"), published=False)
    for settings, wanted in ((Settings(records=1), older), (Settings(records=1, libraries=("msgspec",)), part)):
        found, _ = best(plan_of(settings), Archive(archive.store, [part, older]))
        assert wanted.info.id == found.info.id


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


def test_run_measures_the_point_and_in_scaling_sizes():
    """The plan has what is looked at first; the scaling view measures sizes, phases every step."""
    plan = plan_of(Settings(records=7, operation="encode"))
    assert ((7,), ("encode", "decode")) == (plan.records, plan.operations)
    grid = plan_of(Settings(records=7, view="scaling"))
    assert ({1, 7, 1000}, (2,)) == ({1, 7, 1000} & set(grid.records), grid.depth)
    assert {"dump", "dumps", "load", "loads"} <= set(plan_of(Settings(view="phases")).operations)


@pytest.mark.slow
def test_it_opens_on_results_and_says_them_as_text(tmp_path):
    """Without anything chosen it shows what is published, and a log gets the findings in words."""
    explorer = serbench.Explorer(store=tmp_path / "none")
    assert {True} == {run["published"] for run in runs(explorer.content)}
    bundle, _ = explorer._repr_mimebundle_()
    assert "serbench.Explorer('client-rich')" in bundle["text/plain"]
    assert " faster than " in bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_it_leaves_no_state_where_nobody_looks(tmp_path, monkeypatch):
    """An executed notebook has its findings as text, and not a megabyte of a widget that no page can move."""
    monkeypatch.setattr("serbench.api.notebook.explorer.is_headless", lambda: True)
    explorer = serbench.Explorer("client", store=tmp_path / "s")
    assert explorer.comm is None
    assert ({"text/plain": str(explorer)}, {}) == explorer._repr_mimebundle_()
    assert "decode client" in str(explorer)


@pytest.mark.slow
def test_it_measures_when_asked_and_opens_on_that_run_next_time(tmp_path):
    """A measured choice is shown with intervals, kept in the store, and is the first screen of the next explorer."""
    path = tmp_path / "runs.sqlite"
    explorer = serbench.Explorer(SMALL, store=path, measure=True)
    mine = [run["id"] for run in runs(explorer.content) if not run["published"]]
    assert [serbench.load("latest", store=path).id] == mine
    assert explorer.progress["running"] is False
    assert {"msgspec", "dataclasses"} <= marks(explorer.content)
    again = serbench.Explorer(store=path)
    assert ("tiny", mine[0]) == (again.choice.workload, runs(again.content)[0]["id"])


@pytest.mark.slow
def test_a_control_answers_and_a_wrong_one_is_told(tmp_path):
    """A setting from the page changes state and view; one that cannot be is told, and all else stays."""
    explorer = serbench.Explorer(store=tmp_path / "none")
    explorer.settings = explorer.settings | {"view": "table", "contains": "msgspec"}
    assert "client-rich?view=table&contains=msgspec" == explorer.state
    explorer.settings = explorer.settings | {"records": 0}
    assert "records must be at least 1, not 0" in explorer.shown["note"]
    assert 1 == explorer.choice.records


@pytest.mark.slow
def test_run_measures_nothing_but_what_is_shown(tmp_path, monkeypatch):
    """A setting that cannot be is refused at Run as well; the refusal goes when a run starts."""
    explorer, ran = serbench.Explorer(store=tmp_path / "none"), []
    monkeypatch.setattr(explorer, "run", lambda: ran.append(explorer.choice.records))
    explorer.settings = explorer.settings | {"records": 0}
    explorer._on_message(None, {"do": "run", "settings": explorer.settings}, [])
    assert [] == ran
    assert "records must be at least 1" in explorer.shown["note"]
    explorer.settings = explorer.settings | {"records": 2}
    explorer._show({**explorer.shown, "note": "another program measures"})
    explorer._on_message(None, {"do": "run", "settings": explorer.settings}, [])
    assert ([2], "") == (ran, explorer.shown["note"])


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
    assert not runs(explorer.content)[0]["published"]
    assert re.match(
        r"Run .* is not finished: \d of \d combinations have a time", runs(explorer.content)[0]["unfinished"]
    )
    assert explorer.live == {}
    assert "interrupted" == serbench.load("latest", store=tmp_path / "runs.sqlite").info.status


def test_the_bar_is_as_far_as_its_text_says_and_never_goes_back(monkeypatch):
    """Bar and line tell the same part of the run, also while cases are verified; a doubtful time left is not told."""
    told = []
    monkeypatch.setattr("serbench.api.notebook.background_run.REDRAWN_S", -1.0)

    def work(background):
        for left, part in ((50.0, 0.33), (90.0, 0.1), (20.0, 0.5)):
            background.progress(Progress("verifying", 0, 5, 84, left, part=part))

    joined(Background(lambda progress, _: told.append(progress), work).thread)
    steps = [one for one in told if "verifying" in one["text"] and one["running"]]
    assert [0.33, 0.33, 0.5] == [one["fraction"] for one in steps]
    assert ["33%", "33%", "50%"] == [re.search(r"\d+%", one["text"])[0] for one in steps]
    assert [True, False, True] == ["left" in one["text"] for one in steps]


def test_the_first_repetition_is_followed_also_while_others_are_verified():
    """What was measured a moment after the last look is shown when the rest is verified, and once."""
    seen = []

    def work(background):
        for done, word in ((1, "first"), (2, "second"), (3, "third")):
            background.progress(Progress("measuring", 1, done, 9))
            background.visit(lambda word=word: known_runs.lone()[1] if seen.append(word) is None else None)
        for _ in range(2):
            background.progress(Progress("verifying", 0, 6, 9))

    joined(Background(lambda *_: None, work).thread)
    assert ["first", "third"] == seen


@pytest.mark.slow
def test_a_run_that_cannot_be_is_told(tmp_path):
    """A choice that only measuring finds wrong is a line beside the button, not a traceback."""
    explorer = serbench.Explorer("client?depth=1", store=tmp_path / "runs.sqlite")
    joined(explorer.run())
    assert "depth" in explorer.progress["error"]
    explorer.settings = explorer.settings | {"depth": 2}
    assert "" == explorer.progress["error"]  # it spoke of the choice before


@pytest.mark.slow
def test_the_environment_and_the_address_preset_it(tmp_path, monkeypatch):
    """Binder's preset is an environment variable, Voila's the query of the page, which counts more."""
    monkeypatch.setenv("SERBENCH_EXPLORER", "client?libraries=msgspec")
    assert ("msgspec",) == serbench.Explorer(store=tmp_path / "none").choice.libraries
    monkeypatch.setenv("QUERY_STRING", "state=client-rich%3Fview%3Dbudget")
    assert from_state("client-rich?view=budget") == serbench.Explorer(store=tmp_path / "none").choice
    assert (
        Settings(workload="client", view="code")
        == serbench.Explorer("client", store=tmp_path / "none", view="code").choice
    )


@pytest.mark.parametrize(
    ("case", "named"),
    [
        ("msgspec msgspec/json", ("msgspec", "msgspec/json")),
        ("msgspec[gc=False]@msgspec==0.21.1 msgspec/json", ("msgspec@0.21.1[gc=False]", "msgspec/json")),
        ("pydantic@orjson==3.10.0 orjson/json", ("pydantic+orjson==3.10.0", "orjson/json")),
        (
            "toastedmarshmallow@toastedmarshmallow==2.15.2.post1 on 3.9 json/json",
            ("toastedmarshmallow@2.15.2.post1", "json/json"),
        ),
    ],
)
def test_a_case_of_another_version_has_its_code(case, named):
    """The page's name of a case is what `show` takes, whose code stands for what no run has kept, which is said."""
    assert named == case_named(case)
    shown = serbench.show(*named, **case_data(Settings(records=3)))
    code = code_of(Settings(), Archive(sheets=[]), case, "0" * 64, {"records": 3, "depth": 2})
    assert (shown.source, shown.source_sha256) == (code["source"], code["sha256"])
    assert "as it is rendered today; the measured code is not kept" == code["which"]


@pytest.fixture
def elsewhere(tmp_path):
    """A store with a run that another process measures, which is this one's parent, and what it says of its progress."""
    path = tmp_path / "runs.sqlite"
    serbench.run("client", libraries="msgspec", formats="orjson", effort="quick", conditions="hot", store=path)
    other = psutil.Process().parent()
    with Store(path) as store:
        (run,) = (one.id for one in store.runs())
        store.reopen(run)

        def tell(text="measuring", part=0.25, wave=1):
            lock = {"pid": other.pid, "began": started_at(other.pid), "text": text, "part": part, "wave": wave}
            store.put_facts({f"process of {run}": lock})

        tell()
        yield store, run, tell


@pytest.mark.slow
def test_a_run_of_another_process_is_shown_and_can_be_cancelled(elsewhere):
    """At once and as it goes on: no second run disturbs it, its waves are shown, and its end is told."""
    store, run, tell = elsewhere
    explorer = serbench.Explorer("client", store=store.path)
    assert (True, 0.25) == (explorer.progress["running"], explorer.progress["fraction"])
    assert "another tab or program measures: measuring" == explorer.progress["text"]
    assert f"another tab or program measures run {run}" in explorer.progress["other"]
    with pytest.raises(PlanError, match="one run at a time"):
        explorer.run()
    explorer._on_message(None, {"do": "run", "settings": explorer._asked}, [])
    assert "one run at a time" in explorer.shown["note"]
    assert explorer._archive.running is None
    tell(text="measuring, wave 2", part=0.5, wave=2)
    explorer._see_others()
    assert (0.5, run) == (explorer.progress["fraction"], explorer._archive.running.info.id)
    explorer.cancel()
    assert store.fact(f"end of {run}")["pid"] == psutil.Process().parent().pid
    store.finish(run)
    explorer._see_others()
    assert (False, f"run {run} has ended") == (explorer.progress["running"], explorer.progress["text"])
    assert explorer._archive.running is None
    assert "other" not in explorer.progress


@pytest.mark.slow
def test_data_that_is_measured_for_the_first_time_can_be_opened(tmp_path):
    """A page that is loaded again before the first wave has ended shows the data that the run is about."""
    path = tmp_path / "runs.sqlite"
    (tmp_path / "orders.json").write_text('[{"id": 1}]')
    with Store(path) as store:
        store.begin(command="", plan={"payload": str(tmp_path / "orders.json")}, machine={})
    assert [{"payload": str(tmp_path / "orders.json")}] == Archive(path, ()).user_data()


@pytest.mark.slow
def test_an_interrupt_of_an_idle_kernel_ends_its_run(tmp_path, monkeypatch):
    """An idle kernel ignores it; while a run goes on it ends the run, and afterwards it is ignored again."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        explorer = serbench.Explorer("client", store=tmp_path / "s", libraries=["msgspec"], effort="thorough")
        monkeypatch.setattr(explorer._post, "_loop", None)
        thread = explorer.run()
        explorer._heed_interrupts()
        signal.raise_signal(signal.SIGINT)
        joined(thread)
        explorer._heed_interrupts()
        assert signal.SIG_IGN is signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not explorer.progress["running"]
    assert "ended early" in explorer.progress["text"] or "interrupt" in explorer.progress["error"].lower()
