"""A run that goes on is seen by other processes, with its progress, and ends when one of them asks for that."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import psutil
import pytest
from waits import LONGEST_S, until

import serbench
from serbench.errors import PlanError
from serbench.machine.caretaker import with_us
from serbench.machine.platform import started_at, stolen_seconds
from serbench.measure.listener import Finished, Progress
from serbench.measure.plan import Plan
from serbench.store import active_run
from serbench.store.active_run import (
    ALONE,
    Active,
    ActiveRun,
    Announcer,
    active,
    alone,
    ask_to_end,
    is_locked,
    measured_beside,
    measuring,
)
from serbench.store.recorder import RunListener
from serbench.store.store import Store

SMALL = {"libraries": "msgspec", "formats": "msgspec/json", "conditions": "hot"}
RUN = f"""
import serbench
run = serbench.run("tiny", store=input(), effort="thorough", precision=0.001, **{SMALL!r})
print(run.info.status, bool(run.rows))
"""


@pytest.fixture
def path(tmp_path):
    """The file of a store."""
    return tmp_path / "runs.sqlite"


@pytest.fixture
def run(path):
    """A run that this process measures, as the store has it."""
    with Store(path) as store:
        name = store.begin(command="", plan={}, machine={})
        assert active_run.acquire(store, name)
    return name


@pytest.fixture
def often(monkeypatch):
    """The store is told at once."""
    monkeypatch.setattr(active_run, "TOLD_S", 0.01)


@pytest.mark.usefixtures("often")
def test_others_see_how_far_a_run_is(path, run):
    """The line of the progress, the part and the wave; nothing of a run that has ended."""
    heard = []
    listener = RunListener()
    listener.progress = heard.append
    assert run == active(path).run
    with Announcer(listener, path, run, threading.Event()) as announcer:
        step = Progress("measuring", 2, 1, 9, 30.0, part=0.5)
        announcer.progress(step)
        seen = until(lambda: (now := active(path)).wave and now, "progress in the store")
    assert ("measuring, repetition 2, 50%, about 30 s left", 0.5, 2) == (seen.text, seen.part, seen.wave)
    assert [step] == heard
    with Store(path) as store:
        store.finish(run)
    assert active(path) is None


@pytest.mark.usefixtures("often")
def test_a_run_ends_when_another_process_asks_for_that(path, run):
    """Only the one that is meant, and only while this process measures it."""
    mine, other = threading.Event(), threading.Event()
    with Announcer(RunListener(), path, run, mine), Announcer(RunListener(), path, "another", other):
        ask_to_end(path, run)
        until(mine.is_set, "the end")
    assert not other.is_set()
    again = threading.Event()
    with Store(path) as store:
        store.put_facts({active_run._end_key(run): {"pid": 1, "began": 0.0}})
    with Announcer(RunListener(), path, run, again):
        ask_to_end(path, "none")
        assert not again.wait(0.1)


@pytest.mark.usefixtures("often")
def test_a_run_that_was_ended_goes_on_in_the_same_process(path, run):
    """What was asked of an earlier part, also after its end, ends no later one."""
    ask_to_end(path, run)
    with Store(path) as store:
        assert active_run.acquire(store, run)
    again = threading.Event()
    with Announcer(RunListener(), path, run, again) as announcer:
        announcer.progress(Progress("measuring", 1, 1, 9))
        until(lambda: active(path).wave, "a look at what is asked")
    assert not again.is_set()


@pytest.mark.usefixtures("often")
def test_a_run_of_another_container_goes_on_while_it_is_heard_of(path, run, monkeypatch):
    """There its number is another process or none here; in a container that is silent for a minute it has ended."""
    monkeypatch.setattr(active_run, "BEAT_S", 0.01)
    clock = SimpleNamespace(time=time.time, monotonic=time.monotonic)
    monkeypatch.setattr(active_run, "time", clock)
    here = active_run.process_space()

    def seen_from(space):
        monkeypatch.setattr(active_run, "process_space", lambda: space)
        with Store(path) as store:
            (info,) = (active_run.with_status(store, one) for one in store.runs())
            return info.status, is_locked(store, run), active(path) is not None, measuring(path), measured_beside(path)

    assert ("running", True, True, set(), True) == seen_from("another container")
    assert ("running", False, True, {os.getpid()}, False) == seen_from(here)
    now = time.time() + active_run.SILENT_S + 1
    clock.time = lambda: now
    assert ("interrupted", False, False, set(), False) == seen_from("another container")
    assert ("running", False, True, {os.getpid()}, False) == seen_from(here)
    with Announcer(RunListener(), path, run, threading.Event()):  # it makes no step, and is there
        until(lambda: active(path).text == "starting" and beaten(path, run) == now, "another beat")
        assert "running" == seen_from("another container")[0]
        monkeypatch.setattr(active_run, "process_space", lambda: here)


def beaten(path, run):
    """When a run was last heard of."""
    with Store(path) as store:
        return store.fact(active_run._lock_key(run))["seen"]


@pytest.mark.usefixtures("often")
def test_a_store_in_trouble_is_the_run_s_own_affair(path, run):
    """A lock of another process or a lost file does not end the announcer with an error."""
    with Announcer(RunListener(), path, run, threading.Event()) as announcer:
        with Store(path) as store, store.transaction():
            announcer.progress(Progress("measuring", 1, 1, 9))
        until(lambda: active(path).wave, "progress after the lock")
    assert active(path.with_name("none")) is None
    with Announcer(RunListener(), path.parent, run, threading.Event()):
        pass


def test_one_run_at_a_time(path, run):
    """Neither while another is measured nor while another begins; then again."""
    others = psutil.Process().parent().pid
    for pid, who in ((os.getpid(), "another cell of this notebook"), (others, "another tab or program")):
        with Store(path) as store:
            store.put_facts({active_run._lock_key(run): active_run._lock() | {"pid": pid, "began": started_at(pid)}})
        with pytest.raises(PlanError, match=f"one run at a time: {who} measures run {run}"), alone(path):
            pass
    with Store(path) as store:
        store.finish(run)
    with alone(path), pytest.raises(PlanError, match="another run has just been started"), alone(path):
        pass
    with alone(path):
        pass


@pytest.mark.parametrize("lock", [7, {"pid": "1"}, [], {"pid": -1}, {"pid": 2**70}])
def test_what_another_program_wrote_is_no_run(path, run, lock):
    """A lock that names no living process holds nobody up."""
    with Store(path) as store:
        store.put_facts(
            {active_run._lock_key(run): lock if lock != 7 else 2**22 + 7, ALONE: lock if lock != 7 else None}
        )
    assert active(path) is None
    with alone(path):
        pass


def test_a_line_of_another_program_is_shown_as_it_may_be(path, run):
    """Other types and impossible numbers are left out."""
    with Store(path) as store:
        lock = store.fact(active_run._lock_key(run))
        store.put_facts({active_run._lock_key(run): lock | {"text": 3, "part": 8.0, "wave": "x"}})
    assert Active(run, lock["pid"], "starting", 1.0, 0, is_mine=True) == active(path)


@pytest.mark.slow
def test_a_run_of_another_program_is_seen_and_ended(path):
    """As a terminal measures it: what was measured is kept."""
    program = subprocess.Popen(
        [sys.executable, "-c", RUN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **with_us()
    )
    program.stdin.write(f"{path}\n")
    program.stdin.flush()

    def second_wave():
        assert program.poll() is None, "it ended"
        return (now := active(path)) and now.wave > 1 and now

    seen = until(second_wave, "the second wave")
    assert program.pid == seen.pid
    assert "measuring" in seen.text or "starting processes" in seen.text
    ask_to_end(path, seen.run)
    out, _ = program.communicate(timeout=LONGEST_S)
    assert "interrupted True" == out.splitlines()[-1]
    assert active(path) is None
    assert [seen.run] == [info.id for info in serbench.runs(store=path)]


@pytest.mark.parametrize("ends", [False, True])
def test_a_run_says_that_another_was_measured_beside_it(path, run, ends):
    """Whether the other goes on at the end, or did at the beginning."""
    with Store(path) as store:
        other = store.begin(command="", plan={}, machine={})
        lock = {"pid": os.getppid(), "began": started_at(os.getppid())}
        assert store.take(active_run._lock_key(other), lock, lambda _: True)
        if ends:
            store.finish(other, status="finished", warnings=[], seconds=1.0)
        info = store.load(run).info
        mine = ActiveRun(Plan(), store, info, Finished(), RunListener(), None, time.monotonic())
        disturbed = "another run of this store was measured at the same time, which disturbs the times of both"
        assert ([] if ends else [disturbed]) == mine._conditions(stolen_seconds())
        assert [disturbed] == replace(mine, beside=True)._conditions(stolen_seconds())
