"""Blocks that others measure come back into one run, whole, with their machine; who is lost is replaced."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pages
import pytest
from told import Told
from waits import LONGEST_S, joined, until

import serbench
from serbench.measure.listener import Listener
from serbench.measure.plan import Plan
from serbench.model.json_schema.files import read_schema
from serbench.results import Sample
from serbench.store import active_run
from serbench.store.scale_out import (
    Elsewhere,
    MeasuredBlock,
    _Heartbeats,
    _host,
    _with_files,
    elsewhere,
    largest_first,
    merged,
    scattered,
    single_blocks,
    task,
)
from serbench.store.store import Store

CHOICE = {"effort": "quick", "conditions": "hot", "libraries": "msgspec", "formats": "orjson", "precision": 0.5}
linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are found and killed as Linux does")


class Lossy(Executor):
    """Runs tasks in this process, but loses the first of them, as a machine that goes away."""

    def __init__(self):
        self.submitted = 0

    def submit(self, function, *arguments):
        self.submitted += 1
        future = Future()
        if self.submitted == 1:
            future.set_exception(OSError("the machine went away"))
        else:
            future.set_result(function(*arguments))
        return future


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two blocks by an executor that loses one of them first; the executor, the run and its store."""
    executor, store = Lossy(), tmp_path_factory.mktemp("away") / "s"
    return executor, serbench.run("tiny", records=[3, 5], executor=executor, store=store, **CHOICE), store


@pytest.mark.slow
def test_a_lost_block_is_measured_again(run):
    """A task that fails is submitted once more, and the run is as if it had not."""
    executor, found, store = run
    assert 3 == executor.submitted
    assert ("finished", {3, 5}) == (found.info.status, {row.records for row in found.rows})
    assert all(row.measured for row in found.rows)
    assert found.to_data() == serbench.load(store=store).to_data()


@pytest.mark.slow
def test_blocks_stand_in_the_plan_s_order(run):
    """The larger block is measured first and shown last, as one process would have it."""
    _, found, _ = run
    assert [3, 5] == list(dict.fromkeys(row.records for row in found.rows))


@pytest.mark.slow
def test_what_is_measured_so_far_is_not_read_from_the_store(tmp_path, monkeypatch):
    """Who listens gets the whole run as it stands from memory: at the end the one that the store has."""
    loads, looks, load = [], [], Store.load
    monkeypatch.setattr(Store, "load", lambda *arguments: loads.append(arguments) or load(*arguments))
    clock = SimpleNamespace(monotonic=lambda: 0.0, time=time.time)  # no look is too soon after another
    monkeypatch.setattr(active_run, "time", clock)
    listener = Told(visit=lambda run: looks.append((run, len(loads))))
    with ThreadPoolExecutor(1) as executor:
        whole = serbench.run(
            "tiny", records=[3, 5], executor=executor, store=tmp_path / "s", listener=listener, **CHOICE
        )
    assert [1, 1] == [count for _, count in looks]  # of the run when it was new
    last, _ = looks[-1]
    assert (whole.cells, whole.info.machines) == (last.cells, last.info.machines)
    assert sorted(whole.samples.tolist()) == sorted(map(tuple, last.samples))


def test_results_carry_their_machine(run):
    """Each row names its machine, and the run has that machine's facts; one machine is nothing to warn of."""
    _, found, _ = run
    (name,) = {row.machine for row in found.rows}
    assert found.info.machine["cpu"] == found.to_data()["machines"][name]["cpu"]
    assert not any("machine" in text for text in found.warnings)


def test_a_block_is_measured_by_itself(run):
    """Each block has a reference, hidden duplicates and ids of its own, and every visit has its reference beside it."""
    _, found, _ = run
    ids = {records: {c.id for c in found.cells if c.point.records == records} for records in (3, 5)}
    assert ids[3].isdisjoint(ids[5])
    assert 4 == sum(cell.reference for cell in found.cells)
    assert {True, False} == {cell.control for cell in found.cells}


def test_where_machines_disagree_is_said(run):
    """With two machines the run tells who measured what, how accurate each was, and what differs between them."""
    _, found, _ = run
    cells = [replace(cell, machine="b" if cell.point.records == 5 else "a") for cell in found.cells]
    facts = {"cpu": "C", "cores": 2, "system": "Linux"}
    info = replace(
        found.info, machines={"a": {**facts, "python": "CPython 3.11.1"}, "b": {**facts, "python": "CPython 3.12.1"}}
    )
    text = "\n".join(replace(found, info=info, cells=cells).warnings)
    assert "machine b (C, 2 cores, Linux, CPython 3.12.1, noise floor" in text
    assert "measured tiny 5 (depth 1)" in text
    assert "machines disagree in python: CPython 3.11.1 on a, CPython 3.12.1 on b" in text
    assert "disagree in cpu" not in text


@pytest.mark.full
def test_an_interrupted_run_goes_on_elsewhere(tmp_path):
    """What is there is not measured again, and what was begun in one process is not mixed with others."""
    cancel, store = threading.Event(), tmp_path / "s"
    choice = {**CHOICE, "records": [3, 5, 7], "store": store}
    with ThreadPoolExecutor(1) as executor:
        part = serbench.run(
            "tiny", executor=executor, cancel=cancel, listener=Told(visit=lambda _: cancel.set()), **choice
        )
    assert ("interrupted", 1) == (part.info.status, len({row.records for row in part.rows}))
    whole = serbench.run("tiny", executor=Lossy(), resume=True, **choice)
    assert (part.id, "finished", 3) == (whole.id, whole.info.status, len({row.records for row in whole.rows}))
    assert part.samples.tolist() == [s for s in whole.samples.tolist() if s[0] in {c.id for c in part.cells}]
    cancel = threading.Event()
    serbench.run("tiny", cancel=cancel, listener=Told(visit=lambda _: cancel.set()), **{**choice, "records": [2]})
    with pytest.raises(serbench.PlanError, match="started without --jobs and --scheduler"):
        serbench.run("tiny", executor=Lossy(), resume=True, **{**choice, "records": [2]})


def test_a_class_of_one_s_own_stays_on_its_machine(model, tmp_path):
    """Neither a new run nor one that goes on takes a class to a machine that does not have it."""
    choice = {"model": model("@dataclass\nclass Model:\n    x: int\n"), "store": tmp_path / "s", **CHOICE}
    with pytest.raises(serbench.PlanError, match="only be measured on this machine"):
        serbench.run(executor=Lossy(), **choice)
    cancel = threading.Event()
    cancel.set()
    serbench.run(cancel=cancel, **choice)
    with pytest.raises(serbench.PlanError, match="only be measured on this machine"):
        serbench.run(executor=Lossy(), store=tmp_path / "s", resume="newest")


def test_a_plan_falls_into_its_blocks():
    """A plan's blocks are those of each workload, size and depth; a task has what the plan's files hold."""
    plan = Plan(workloads=("tiny", "client"), records=(1, 2), depth=(3,), budget_s=5.0)
    found = [(one.workloads, one.records, one.depth, one.budget_s) for one in single_blocks(plan)]
    assert [((w,), (n,), (3,), None) for w in ("tiny", "client") for n in (1, 2)] == found
    assert [replace(Plan(), records=())] == single_blocks(Plan())
    with pytest.raises(serbench.PlanError, match="cannot be read"):
        task(Plan(workloads=(), payload="/nowhere/at/all.json"))


def test_the_largest_blocks_go_first():
    """Blocks with more records or levels are submitted before others, and keep their numbers."""
    found = largest_first(single_blocks(Plan(workloads=("tiny", "client"), records=(1, 5), depth=(2, 3))))
    sizes = [one.records[0] * one.depth[0] for _, one in found]
    assert sorted(sizes, reverse=True) == sizes
    assert [3, 7, 2, 6, 1, 5, 0, 4] == [number for number, _ in found]


def test_a_block_that_is_lost_again_and_again_ends_the_run():
    """After three losses the block is named, with what went wrong; what others measured has been handed over."""

    class Dead(Lossy):
        def submit(self, function, *arguments):
            future = Future()
            if arguments[0].plan["records"] == (2,):
                future.set_exception(OSError("no power"))
            else:
                future.set_result(MeasuredBlock([], [], {}, "here", {}))
            return future

    parts = []
    tasks = {number: task(one) for number, one in enumerate(single_blocks(Plan(records=(1, 2))))}
    with pytest.raises(serbench.PlanError, match=r"block 2 was lost 3 times \(no power\)"):
        scattered(tasks, Elsewhere(Dead), lambda number, part: parts.append((number, part.host)), listener=Listener())
    assert [(0, "here")] == parts


def test_who_waits_in_a_queue_that_breaks_is_not_to_blame():
    """Conductors that are lost with one block after the other cost time, and no block that had not begun."""
    opened = []

    class Looked(Future):
        def running(self):
            at_work = super().running()
            if self is opened[-1].futures[-1]:  # all have been looked at
                opened[-1].end()
            return at_work

    class Breaking(Lossy):
        def __init__(self):
            super().__init__()
            self.futures = []
            opened.append(self)

        def submit(self, function, *arguments):
            future = Looked()
            if len(opened) > 4:
                future.set_result(MeasuredBlock([], [], {}, "here", {}))
            elif arguments[0].plan["records"] == (len(opened),):  # at work on another block each time
                future.set_running_or_notify_cancel()
            self.futures.append(future)
            return future

        def end(self):
            for future in self.futures:
                if not future.done():
                    future.set_exception(BrokenExecutor("lost"))

    parts = []
    tasks = {number: task(one) for number, one in enumerate(single_blocks(Plan(records=(1, 2, 3, 4, 5, 6))))}
    where = Elsewhere(Breaking, renewable=True)
    scattered(tasks, where, lambda number, _: parts.append(number), listener=Listener())
    assert [0, 1, 2, 3, 4, 5] == sorted(parts)


def test_a_machine_without_a_network_is_one_machine(monkeypatch):
    """Where each process makes up an address, that is no part of the machine's name."""
    names = []
    for address in (0x010000000001, 0x030000000002, 0x020000000003, 0x020000000003):
        monkeypatch.setattr("uuid.getnode", lambda address=address: address)
        names.append(_host())
    assert (names[0] == names[1], names[2] == names[3], names[1] == names[2]) == (True, True, False)


def test_ids_of_parts_do_not_meet(run):
    """Merged cells are numbered from where the others end, with their samples."""
    _, found, _ = run
    cells = [cell for cell in found.cells if cell.point.records == 3]
    samples = [Sample(*row) for row in found.samples.tolist() if row[0] in {c.id for c in cells}]
    renumbered, moved = merged(MeasuredBlock(cells, samples, {}, "h", {}), 100)
    assert list(range(100, 100 + len(cells))) == [cell.id for cell in renumbered]
    assert {sample.cell for sample in samples} == {sample.cell - 100 + min(c.id for c in cells) for sample in moved}


@pytest.mark.full
@linux
def test_a_job_that_is_killed_is_replaced(tmp_path):
    """Of two jobs one is killed in mid-block; its block is measured again and the run is whole."""
    killed = []

    def kill(_):
        if not killed:
            (one, *_) = multiprocessing.active_children()
            killed.append(one.pid)
            one.kill()

    found = serbench.run("tiny", records=[2, 3, 4], jobs=2, store=tmp_path / "s", listener=Told(visit=kill), **CHOICE)
    assert killed
    assert ("finished", {2, 3, 4}) == (found.info.status, {row.records for row in found.rows if row.measured})


@pytest.mark.full
def test_dask_s_workers_measure_and_may_be_lost(tmp_path):
    """With a real scheduler and two real workers, one of which is killed in mid-block, every block comes back."""
    pytest.importorskip("distributed")
    port = pages.free_port()
    address = f"tcp://127.0.0.1:{port}"
    scheduler = start(tmp_path, "dask_scheduler", "--host", address, "--no-dashboard")
    workers = [
        start(tmp_path, "dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(2)
    ]
    victims = list(workers)
    answers(port)

    def kill(_):
        if victims:
            victims.pop().kill()
            victims.clear()

    try:
        found = serbench.run(
            "tiny", records=[2, 3, 4], scheduler=address, store=tmp_path / "s", listener=Told(visit=kill), **CHOICE
        )
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait(LONGEST_S)
    assert ("finished", {2, 3, 4}) == (found.info.status, {row.records for row in found.rows if row.measured})
    assert not victims


def start(folder, module, *arguments):
    """A program of Dask's, at work in that folder."""
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    with (folder / f"{module}-{time.monotonic_ns()}.log").open("w") as log:
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)


def answers(port):
    """Wait until somebody listens there."""

    def answer():
        with socket.socket() as opened:
            return opened.connect_ex(("127.0.0.1", port)) == 0

    until(answer, f"an answer from port {port}")


@pytest.mark.slow
def test_two_files_of_one_name_travel_apart(tmp_path):
    """A payload and its schema may have the same name in two folders."""
    files = {"data": [{"id": 1}], "schemas": {"type": "array", "items": {"type": "object", "title": "Order"}}}
    files["schemas"]["items"] |= {"properties": {"id": {"type": "integer"}}, "required": ["id"]}
    for folder, content in files.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "orders.json").write_text(json.dumps(content), encoding="utf-8")
    paths = {"payload": tmp_path / "data" / "orders.json", "schema": tmp_path / "schemas" / "orders.json"}
    found = serbench.run(**paths, executor=Lossy(), store=tmp_path / "s", **CHOICE)
    assert {"orders.json"} == {row.workload for row in found.rows if row.measured}


def test_a_part_of_a_schema_travels(tmp_path):
    """A schema that is a part of a file and refers to another reaches a worker whole, whose folder has neither."""
    line = {"type": "object", "properties": {"no": {"type": "integer"}}, "additionalProperties": False}
    (tmp_path / "line.json").write_text(json.dumps(line), encoding="utf-8")
    (tmp_path / "api.yaml").write_text("Order: {type: array, items: {$ref: line.json}}", encoding="utf-8")
    (tmp_path / "data.json").write_text("[]", encoding="utf-8")
    schema = f"{tmp_path / 'api.yaml'}#/Order"
    packed = task(Plan(payload=str(tmp_path / "data.json"), schema=schema))
    with _with_files(packed) as plan:
        assert Path(plan.schema).parent.parent != tmp_path
        assert read_schema(plan.schema) == read_schema(schema)


def test_what_is_there_at_the_deadline_is_kept():
    """Parts that came in time are handed over, though nothing more is waited for."""

    class Ready(Lossy):
        def submit(self, function, *arguments):
            future = Future()
            future.set_result(MeasuredBlock([], [], {}, "here", {}))
            return future

    parts = []
    tasks = {number: task(one) for number, one in enumerate(single_blocks(Plan(records=(1, 2))))}
    scattered(
        tasks,
        Elsewhere(Ready),
        lambda number, _: parts.append(number),
        listener=Listener(),
        deadline=time.monotonic() - 1,
    )
    assert [0, 1] == sorted(parts)


def test_who_waits_for_parts_when_the_run_is_cancelled_is_interrupted():
    """Which is not told as a budget that is used up; nothing is left waiting."""
    submitted, cancel = [], threading.Event()

    class Slow(Lossy):
        def submit(self, function, *arguments):
            submitted.append(Future())
            return submitted[-1]

    cancel.set()
    tasks = {number: task(one) for number, one in enumerate(single_blocks(Plan(records=(1, 2))))}
    with pytest.raises(KeyboardInterrupt):
        scattered(tasks, Elsewhere(Slow), lambda *_: None, listener=Listener(), cancel=cancel)
    assert [True, True] == [future.cancelled() for future in submitted]


@linux
@pytest.mark.full
@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_a_lost_scheduler_is_one_line(how, tmp_path):
    """A scheduler that is killed, or hangs, ends the command, without a traceback; what was measured is kept."""
    pytest.importorskip("distributed")
    port = pages.free_port()
    address = f"tcp://127.0.0.1:{port}"
    scheduler = start(tmp_path, "dask_scheduler", "--host", address, "--no-dashboard")
    answers(port)
    command = [sys.executable, "-m", "serbench", "run", "-w", "tiny", "--scheduler", address, "--store", tmp_path / "s"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said = iter(run.stderr.readline, "")
        assert any(
            f"waiting for a worker of {address}" in line for line in said
        )  # the first thing to say: there is none
        scheduler.send_signal(getattr(signal, how))
        out, err = run.communicate(timeout=LONGEST_S)
    finally:
        for process in (scheduler, run):
            process.kill()
            process.wait(LONGEST_S)
    assert (2, "") == (run.returncode, out)
    last = err.splitlines()[-1]
    assert last == (
        f"serbench: the scheduler at {address} has not answered for 20 s; finished blocks are kept, and --resume continues"
    )
    assert "Traceback" not in err
    (kept,) = serbench.runs(store=tmp_path / "s")
    assert "interrupted" == kept.status


@pytest.mark.parametrize("error", [OSError("refused"), ValueError("unknown address scheme")], ids=repr)
def test_a_scheduler_that_cannot_be_reached_is_one_line(error, monkeypatch):
    """An address that is none, or at which nobody answers, is told with one that could be."""

    def client(*_, **__):
        raise error

    monkeypatch.setattr("distributed.Client", client)
    with pytest.raises(
        serbench.PlanError, match=rf"no Dask scheduler answers at nowhere \({error}\); name one such as"
    ):
        elsewhere(None, "nowhere", 1)


def test_a_silent_scheduler_is_noticed_and_one_without_workers_is_waited_for(monkeypatch):
    """What hands out blocks is asked again and again; its silence is an error that says how to go on, a lack of workers is not."""
    answer, clock = {"workers": {}}, [0.0]

    class Scheduler:
        async def identity(self):
            if answer is None:
                raise OSError("gone")
            return answer

    monkeypatch.setattr("serbench.store.scale_out.HEARTBEAT_S", 0.0)
    monkeypatch.setattr("serbench.store.scale_out.time.monotonic", lambda: clock[0])
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        client = SimpleNamespace(scheduler=Scheduler(), loop=SimpleNamespace(asyncio_loop=loop))
        heart = _Heartbeats(client, "tcp://far")

        def beat():
            heart.look()
            wait([heart._asked], LONGEST_S)
            return heart.look()

        assert "waiting for a worker of tcp://far" == beat()
        answer = {"workers": {"one": {}}}
        assert "" == beat()
        answer, clock[0] = None, 19.0
        assert "" == beat()
        clock[0] = 21.0
        with pytest.raises(
            serbench.PlanError, match="has not answered for 20 s; finished blocks are kept, and --resume"
        ):
            beat()
    finally:
        wait([heart._asked], LONGEST_S)
        loop.call_soon_threadsafe(loop.stop)
        joined(thread)
        loop.close()


@pytest.mark.slow
def test_jobs_that_a_budget_ends_leave_no_traceback(tmp_path):
    """The processes of a pool are ended while further blocks wait for them; Python's own thread says nothing of it."""
    asked = [
        "run",
        "-w",
        "rows,client",
        "-n",
        "100,1000",
        "-l",
        "msgspec",
        "-f",
        "json/json",
        "--jobs",
        "2",
        "-e",
        "quick",
        "--budget",
        "1s",
        "--store",
    ]
    call = [sys.executable, "-m", "serbench", *asked, str(tmp_path / "s")]
    ended = subprocess.run(call, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=LONGEST_S)
    assert "Exception in thread" not in ended.stderr
    assert "Traceback" not in ended.stderr
