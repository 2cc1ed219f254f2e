"""The public verbs in Python: what a run gives back, keeps, shows and writes."""

import json
import re
import sys
import threading
import time
from contextlib import nullcontext
from dataclasses import make_dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import known_runs
import pytest
from told import Told

import serbench
from serbench.api.calling import make_plan
from serbench.api.command_line.printing import end_run, end_unmeasured
from serbench.errors import PlanError, StoreError
from serbench.judge.rows import as_data, from_columns
from serbench.judge.waves import SampleTable
from serbench.measure import plan as plans
from serbench.measure.listener import Finished
from serbench.measure.subjects import cell_of
from serbench.render.case import render
from serbench.store import active_run
from serbench.store.run import MIME_TYPE
from serbench.store.store import Store

ENDED = threading.Event()
ENDED.set()
SMALL = {"records": 1, "effort": "quick", "libraries": ["msgspec", "dataclasses"], "formats": ["orjson", "msgpack"]}
HOT = {"effort": "quick", "conditions": "hot", "libraries": "msgspec"}


class Heard(serbench.RunListener):
    """Notes the name of each method that is called."""

    def __init__(self):
        self.names = set()
        for name in ("progress", "cells", "source", "samples", "wave_done", "wave", "visit"):
            setattr(self, name, lambda _, name=name: self.names.add(name))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The store of the runs below."""
    return tmp_path_factory.mktemp("runs") / "runs.sqlite"


@pytest.fixture(scope="module")
def heard():
    """What the first run told while it went on."""
    return {"steps": [], "waves": []}


@pytest.fixture(scope="module")
def run(path, heard):
    """A finished run of two workloads."""
    return serbench.run(
        ["client", "client-rich"],
        store=path,
        listener=Told(heard["steps"].append, heard["waves"].append),
        **SMALL,
    )


@pytest.mark.slow
def test_a_run_is_in_the_store_as_it_was_returned(run, path):
    """The store gives the same run by its id, by the beginning of it and as the latest."""
    for name in (run.id, run.id[:-1], "latest"):
        assert run.to_data() == serbench.load(name, store=path).to_data()
    assert [run.id] == [info.id for info in serbench.runs(store=path)]
    assert ("finished", 4) == (run.info.status, run.info.waves)


@pytest.mark.slow
def test_the_record_is_the_call_that_repeats_it(run):
    """A run that was started from Python names the call, not the program that hosts it."""
    again = "serbench.run(['client', 'client-rich'], records=1, libraries=['msgspec', 'dataclasses'], "
    assert again + "formats=['orjson', 'msgpack'], effort='quick')" == run.info.command


def test_who_listens_hears_every_wave(run, heard):
    """Each wave gives the run as it stands, with rows; progress names what is done."""
    assert 8 == len(heard["waves"])
    assert {run.id} == {seen.id for seen in heard["waves"]}
    assert {1} == {row.waves for row in heard["waves"][0].rows if row.measured}
    assert any(step.what.startswith("verifying") for step in heard["steps"])
    assert {0, 1, 2, 3, 4} == {step.wave for step in heard["steps"]}


def test_a_run_shows_itself_everywhere(run):
    """It is text for logs, HTML with its warnings for notebooks, and data for programs."""
    shown = run._repr_mimebundle_()
    assert {"text/plain", "text/html", MIME_TYPE} == set(shown)
    assert str(run) == shown["text/plain"]
    for text in (shown["text/plain"], shown["text/html"], run.to_markdown()):
        assert "decode client-rich · 1 record · depth 2 · varied documents" in text
        assert "garbage collector" in text
    kept = json.loads(json.dumps(shown[MIME_TYPE], allow_nan=False))
    read = from_columns(kept.pop("columns"))
    assert {name: value for name, value in run.to_data().items() if name != "rows"} == kept
    assert [as_data(row) for row in run.rows] == [as_data(row) for row in read]


@pytest.mark.slow
def test_a_figure_is_of_one_operation_and_if_asked_of_one_workload(run):
    """A figure holds the rows that were asked for, and what the run does not have is refused."""

    def dots(figure):
        return sum(len(trace.x) for trace in figure.data if trace.mode == "markers")

    both = sum(row.operation == "encode" for row in run.rows)
    assert both == dots(run.figure("encode"))
    assert both == dots(run.figure("encode", "client")) + dots(run.figure("encode", "client-rich"))
    with pytest.raises(serbench.PlanError, match=r"operation 'decod'.*decode"):
        run.figure("decod")
    with pytest.raises(serbench.PlanError, match=r"workload 'clientrich'.*client-rich"):
        run.figure("decode", "clientrich")


def test_the_findings_name_each_ranking_and_the_sizes(run):
    """There is a sentence for each workload, operation and work class, and one on the bytes."""
    by_point = run.findings().by_point
    assert [
        "client · 1 record · depth 2 · varied documents",
        "client-rich · 1 record · depth 2 · varied documents",
    ] == list(by_point)
    rankings = {(row.workload, row.operation, row.work_class) for row in run.rows if row.measured}
    said = [line for lines in by_point.values() for line in lines if "ignore differences" not in line]
    assert len(rankings) + 2 == len(said)
    assert "bytes: msgpack 86, json 100" == by_point["client · 1 record · depth 2 · varied documents"][-1]
    assert "- bytes: msgpack 86, json 100" in str(run.findings())
    assert "**client · 1 record · depth 2 · varied documents**" in run.findings()._repr_mimebundle_()["text/markdown"]


def test_markdown_begins_with_the_answer(run):
    """Who leads each operation stands above all tables; a run without a measured row begins with its tables."""
    first, second, *_ = run.to_markdown().splitlines()
    assert first.startswith("- use: ")
    assert second.startswith("- gain: ")
    assert not replace(run, cells=(), samples=()).to_markdown().startswith("- ")


@pytest.mark.slow
def test_progress_is_shown_beside_a_listener(tmp_path, capsys):
    """Who listens hears every kind of step, and the progress is shown all the same, on standard error; unasked there is none."""
    choice = {**HOT, "store": tmp_path / "s", "formats": "msgpack/msgpack"}
    serbench.run("tiny", **choice)
    assert ("", "") == capsys.readouterr()
    heard = Heard()
    serbench.run("tiny", progress=True, listener=heard, **choice)
    out, err = capsys.readouterr()
    assert ("", True) == (out, "verifying msgspec" in err)
    assert {"progress", "cells", "source", "samples", "wave_done", "wave", "visit"} == heard.names


def test_the_recorded_call_can_be_typed(tmp_path):
    """A path is told as its text, data in memory as the file that keeps it, and an empty list, as of a form, not at all."""
    path = tmp_path / "one.json"
    path.write_text('[{"id": 1}]')
    choice = {
        "store": tmp_path / "s",
        "effort": "quick",
        "libraries": ["msgspec"],
        "formats": "orjson",
        "python": [],
    }
    calls = [
        serbench.recommend(payload=path, cancel=ENDED, **choice).run.info.command,
        serbench.run(payload=[{"id": 1}], cancel=ENDED, **choice).info.command,
    ]
    kept = re.search(r"payload='(.*?document\.\w+\.json)'", calls[1])
    assert [{"id": 1}] == json.loads(Path(kept[1]).read_text())
    rest = "libraries=['msgspec'], formats='orjson', effort='quick')"
    assert [
        f"serbench.run(payload={str(path)!r}, {rest}",
        f"serbench.run({kept[0]}, {rest}",
    ] == calls
    from_notebook = serbench.run(payload=path, cancel=ENDED, **{**choice, "libraries": [], "formats": ["orjson"]})
    assert f"serbench.run(payload={str(path)!r}, formats=['orjson'], effort='quick')" == (from_notebook.info.command)


def test_the_recorded_call_names_what_a_cell_defines(tmp_path, monkeypatch):
    """Classes and functions of a cell are told by name, not by the temporary files that carry them."""
    order = make_dataclass("Order", [("id", int)])
    order.__module__ = "__main__"
    monkeypatch.setattr(sys.modules["__main__"], "Order", order, raising=False)
    ours = [{"ours/json": (json.dumps, json.loads)}, "msgspec"]
    run = serbench.run(
        model=order, libraries=ours, formats="orjson", effort="quick", cancel=ENDED, store=tmp_path / "s"
    )
    libraries = "libraries=[{'ours/json': (encode, decode)}, 'msgspec']"
    assert f"serbench.run(model=Order, {libraries}, formats='orjson', effort='quick')" == run.info.command


@pytest.mark.slow
def test_a_run_whose_store_vanishes_is_shown(tmp_path, capsys):
    """It has what was measured until then and says that not all is kept; the command ends with that line."""
    path = tmp_path / "s"

    def vanish(step):
        if step.wave == 2:
            path.unlink(missing_ok=True)

    part = serbench.run("tiny", store=path, formats="msgpack", listener=Told(vanish), **HOT)
    assert ("interrupted", None) == (part.info.status, part.path)
    assert any(row.measured for row in part.rows)
    said = part.info.warnings[-1]
    assert said.startswith(f"not all of this run is kept: {path} is gone")
    assert said in part.warnings
    end_unmeasured(part)
    capsys.readouterr()
    with pytest.raises(StoreError, match=f"^{re.escape(said)}$"):
        end_run(part)
    assert ("", "") == capsys.readouterr()


def test_nothing_chosen_is_everything():
    """An empty list of libraries or formats is the same plan as none, and one name the same as a list of it."""
    assert make_plan() == make_plan(libraries=[], formats=[])
    assert make_plan("tiny", libraries="msgspec", records=3) == make_plan(["tiny"], libraries=["msgspec"], records=[3])
    assert make_plan(libraries="msgspec,pydantic") == make_plan(libraries=["msgspec", "pydantic"])


def test_what_a_library_of_one_direction_lacks_is_a_row_with_its_reason(monkeypatch):
    """What only encodes is proven by its bytes, what only decodes by bytes made for it; the rest has the reason."""
    lacking = {"dataclasses": ("decode", "loads", "load"), "typeddict": ("encode", "dump", "dumps")}

    def one_way(library, *others):
        cannot = dict.fromkeys(lacking[library.name], "it has no such thing: https://example.org")
        return render(replace(library, cannot=cannot), *others)

    monkeypatch.setattr("serbench.measure.plan.render", one_way)
    cells = serbench.verify("client", records=2, libraries=list(lacking), formats="json/json")
    found = {(cell.library, cell.operation, cell.status, cell.work_class, cell.reason) for cell in cells}
    assert {
        ("dataclasses", "encode", "ok", "objects", None),
        ("dataclasses", "decode", "unsupported", None, "it has no such thing: https://example.org"),
        ("typeddict", "encode", "unsupported", None, "it has no such thing: https://example.org"),
        ("typeddict", "decode", "ok", "dicts, unchecked", None),
        ("typeddict", "decode", "ok", "dicts, strict", None),  # msgspec's
    } >= found
    assert 4 <= len(found)


def test_a_case_is_shown_by_any_of_its_names():
    """A library's variant, a format and `codec/format` name the case whose source is measured."""
    recommended = serbench.show("msgspec", "json")
    assert ("msgspec", "json") == (recommended.codec.name, recommended.codec.format)
    assert recommended == serbench.show("msgspec", "msgspec/json")
    assert "gc=False" in serbench.show("msgspec[gc=False]", "json").source
    with pytest.raises(serbench.PlanError, match="did you mean msgspec"):
        serbench.show("msgspc", "json")


@pytest.mark.full
def test_the_reference_ends_in_objects_of_ones_own():
    """What reads bytes where they lie decodes in no time, and yet an ordinary case is what others are compared with."""
    run = serbench.run(
        "rows",
        records=20,
        libraries=["dataclasses", "generated"],
        formats=["numpy", "orjson"],
        operations=["decode"],
        effort="quick",
    )
    assert ["dataclasses"] == [row.library for row in run.rows if row.reference]
    assert "generated" in {row.library for row in run.rows if row.measured}


@pytest.mark.slow
def test_what_the_hypervisor_takes_is_a_part_of_the_time(monkeypatch):
    """The first ticks that a machine loses since it was booted are held against all ticks, as any others are."""
    counts = iter([0.0, 0.01])
    monkeypatch.setattr("serbench.store.active_run.stolen_seconds", lambda: next(counts))
    run = serbench.run("tiny", records=1, libraries="dataclasses", formats="json/json", effort="quick", precision=0.5)
    assert [] == [text for text in run.info.warnings if "took 100.0% of the CPU time" in text]


@pytest.mark.slow
def test_a_run_says_how_much_is_doubtful():
    """A run of a payload says in a line how many decisions about it rest on little evidence, and nothing if none does."""
    rows = [{"needs": {key: "1", f"{key}-x": "2"}} for key in ("react", "vue")]
    for payload, said in ((rows, ["1 decision about the payload on little evidence"]), ([{"a": 1}], [])):
        run = serbench.run(payload=payload, libraries="msgspec", formats="orjson", effort="quick", precision=0.5)
        assert said == [text.partition(":")[0] for text in run.info.warnings if "evidence" in text]


def test_a_budget_counts_what_comes_before_measuring(tmp_path, monkeypatch):
    """If reading or verifying uses it up, one line says which, and what to do; nothing is timed."""
    path = tmp_path / "a.json"
    path.write_text('[{"a": 1}]')
    few = {"payload": path, "libraries": "msgspec", "formats": ["orjson", "json/json"], "budget": 1e-6}
    reading = (
        r"^nothing was measured: reading a\.json and preparing environments took \d+ s, more than .*; raise --budget"
    )
    monkeypatch.setattr(plans, "limited", lambda *_: nullcontext())  # as where there are no timers
    with pytest.raises(PlanError, match=reading):
        serbench.run(**few)

    def verifies_one(plan, prepared, recorder, *_, **__):
        (block,) = prepared
        cells = [cell_of(number, block.point, one, "decode") for number, one in enumerate(block.cases)]
        cells[0].size_bytes = 10
        recorder.cells(cells)
        return False

    monkeypatch.setattr(active_run, "conduct", verifies_one)
    line = r"reading and verifying a\.json used up the budget of 1e-06 s \(1 of 2 combinations verified\); .* --effort quick"
    with pytest.raises(PlanError, match=line):
        serbench.run(**few)


def test_a_run_that_ends_at_once_is_finished(tmp_path, monkeypatch):
    """A run that is over before a coarse clock has moved is stored as finished."""
    plan = make_plan("tiny")
    with Store(tmp_path / "s") as store:
        name = store.begin(command="", plan=plan.as_data(), machine={})
        active = active_run.ActiveRun(plan, store, store.load(name).info, Finished(), Told(), None, began=1.0)
        monkeypatch.setattr(active_run, "time", SimpleNamespace(monotonic=lambda: 1.0))
        assert "finished" == active.finish(lambda: True).info.status


@pytest.mark.parametrize("earlier", [False, True], ids=["now", "by an earlier serbench"])
def test_only_a_run_that_its_budget_ended_has_used_it_up(tmp_path, earlier):
    """Each part has the whole budget; what an earlier serbench has stored does not say why it ended."""

    def cancelled():
        raise KeyboardInterrupt

    plan = make_plan("tiny", budget=0.001)
    with Store(tmp_path / "s") as store:
        name = store.begin(command="", plan=plan.as_data(), machine={})
        for work, used_up in ((lambda: False, True), (cancelled, False), (lambda: False, True), (lambda: True, False)):
            info = store.load(name).info
            made = active_run.ActiveRun(plan, store, info, Finished(), Told(), None, time.monotonic() - 10)
            assert used_up == made.finish(work).info.used_up
        store.finish(name, status="interrupted", seconds=20.0, by_budget=True)
        if earlier:
            store.connection.execute("DELETE FROM fact")
        assert store.load(name).info.used_up
        store.reopen(name)
        (killed,) = store.runs()
        assert not replace(killed, status="interrupted").used_up


def test_a_run_that_no_store_keeps_is_named_in_no_command():
    """What goes on from it would not find it; all else is said."""
    made = known_runs.usual()[1]
    kept = replace(made, path=Path("runs.sqlite")).closing()
    assert f"--run {made.id} --store runs.sqlite" in kept.next
    assert replace(kept, next="") == made.closing()


def test_a_run_that_goes_on_keeps_what_its_first_part_has(tmp_path, monkeypatch):
    """Its rows are shown while it resumes, and the warnings of both parts are those of the run, each once."""
    earlier, plan, seen = known_runs.usual()[1], make_plan("tiny"), []
    later = replace(earlier.cells[0], id=len(earlier.cells), workload="later")

    def resumed(_plan, _prepared, recorder, *_, **__):
        recorder.cells([later])
        seen.append(recorder.so_far())
        return True

    monkeypatch.setattr(active_run, "conduct", resumed)
    with Store(tmp_path / "s") as store:
        name = store.begin(command="", plan=plan.as_data(), machine={})
        store.put_cells(name, earlier.cells)
        disturbed = "another run of this store was measured at the same time, which disturbs the times of both"
        for beside in (True, True, False):
            stored = store.load(name)
            finished = Finished(stored.cells, SampleTable(earlier.samples))
            active = active_run.ActiveRun(plan, store, stored.info, finished, Told(), None, 1.0, beside=beside)
            monkeypatch.setattr(active_run, "stolen_seconds", lambda: 0.0)
            made = active.finish(lambda active=active: active.measure_locally([]))
            assert [disturbed] == made.info.warnings
    assert [*earlier.cells, later] == seen[0].cells
    assert len(earlier.samples) == len(seen[0].samples)


OWN = {
    "data.json": '[{"a": 1}]',
    "codec.py": "import json\n\n\ndef encode(value):\n    return json.dumps(value).encode()\n\n\ndecode = json.loads\n",
    "shapes.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Shape:\n    a: int\n",
}


@pytest.mark.parametrize("changed", [*OWN, ""])
def test_a_run_goes_on_with_the_files_that_it_began_with(tmp_path, changed):
    """Data, functions and classes that have changed would give a row that is of neither."""
    for name, text in OWN.items():
        (tmp_path / name).write_text(text)
    libraries = ["yours", f"mine/json={tmp_path / 'codec.py'}"]
    choice = {"payload": tmp_path / "data.json", "model": f"{tmp_path / 'shapes.py'}:Shape", "libraries": libraries}
    choice |= {"formats": "orjson", "store": tmp_path / "runs.sqlite", "cancel": ENDED}
    first = serbench.run(**choice)
    if not changed:
        assert first.id == serbench.run(resume=True, **choice).id
        return
    (tmp_path / changed).write_text(f"{OWN[changed]}\n")
    line = f"^run {first.id} cannot be resumed, because {changed} has changed since it began; omit --resume$"
    with pytest.raises(PlanError, match=line):
        serbench.run(resume=True, **choice)
