"""The worker times what it is told, no more and no less; the clock is a fake."""

from __future__ import annotations

import json
import pickle
import struct
import subprocess
import sys
from collections import deque
from pathlib import Path
from types import SimpleNamespace

import pytest
from waits import LONGEST_S, run

from serbench.measure.worker import prepared_case, worker
from serbench.model import fidelity

MICROSECOND = 1_000
TARGET_NS = 500_000


@pytest.fixture
def clock(monkeypatch):
    """All clocks of the worker stand still but for what a test adds."""
    now = SimpleNamespace(ns=0, calls=0)
    monkeypatch.setattr(worker, "thread_time_ns", lambda: now.ns)
    monkeypatch.setattr(worker, "perf_counter_ns", lambda: 2 * now.ns)
    monkeypatch.setattr(worker, "process_time_ns", lambda: 3 * now.ns)
    return now


def seated(clock, call_ns):
    """A worker with one case whose encode takes that long."""

    def encode(_):
        clock.ns += call_ns
        clock.calls += 1
        return b""

    made = worker.Worker()
    case = prepared_case.PreparedCase(SimpleNamespace(encode=encode), "values")
    made.cases["case"] = case
    return made


def test_a_batch_is_the_time_of_its_calls_on_every_clock(clock):
    """Thread CPU, wall and process time are read around the loop and nothing else."""
    made = seated(clock, 7 * MICROSECOND)
    times = made.measure("case", "encode", loops=10, warmup=0)["times"]
    assert times[:3] == [70 * MICROSECOND, 140 * MICROSECOND, 210 * MICROSECOND]


def test_warming_up_is_not_timed(clock):
    """The warm-up calls the function but does not count."""
    made = seated(clock, MICROSECOND)
    assert made.measure("case", "encode", loops=4, warmup=3)["times"][0] == 4 * MICROSECOND
    assert clock.calls == 7


def test_a_batch_begins_with_no_results_and_drops_as_many_as_it_makes(monkeypatch):
    """What a batch before it left is freed untimed; each timed call frees one result, whether or not all are kept yet."""
    events = []

    class Result:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            events.append(("freed", self.number))

    results = deque([Result("old")], maxlen=3)
    monkeypatch.setattr(worker, "involuntary_switches", lambda: events.append("mark") or 0)
    worker.Worker().timed(Result, [(["w"], [1, 2, 3, 4, 5])], results)
    before, timed, after = " ".join(map(str, events)).split("mark")
    assert before.strip() == "('freed', 'old')"
    assert timed.count("freed") == 5
    assert after.strip() == ""
    assert [one.number for one in results] == [5]


@pytest.mark.parametrize("call_ns", [60, 900, 17_000, 240_000])
def test_calibration_fills_the_batch(clock, call_ns):
    """The number of calls is the target over the time of one, whatever its size."""
    sized = seated(clock, call_ns).calibrate("case", "encode", TARGET_NS)
    assert sized["loops"] == round(TARGET_NS / call_ns)
    assert sized["each_ns"] == call_ns


@pytest.mark.parametrize("call_ns", [600_000, 30_000_000])
def test_a_slow_operation_is_one_call(clock, call_ns):
    """What takes longer than a batch is called once, and calibrated with few calls."""
    sized = seated(clock, call_ns).calibrate("case", "encode", TARGET_NS)
    assert sized["loops"] == 1
    assert clock.calls <= 3


@pytest.mark.parametrize(("wait_s", "warm"), [(7, 3), (0.01, 300)])
def test_what_waits_is_not_called_until_it_has_used_the_cpu(monkeypatch, wait_s, warm):
    """A few calls size its batch, which is one, and it is warmed up for some seconds, or with a few calls."""
    made, called = worker.Worker(), []

    def batch(_case, _operation, loops, _start, *_):
        called.append(loops)
        return [40_000 * loops, round(wait_s * 1e9) * loops, 40_000 * loops, 0]

    monkeypatch.setattr(made, "batch", batch)
    assert 1 == made.calibrate("case", "encode", TARGET_NS)["loops"]
    assert sum(called) <= 3
    called.clear()
    made.warm_up("case", "encode", 1)
    assert warm == sum(called)


@pytest.mark.slow
def test_calibration_ends_on_a_clock_that_does_not_move(clock):
    """An operation too short for the clock does not calibrate for ever."""
    assert seated(clock, 0).calibrate("case", "encode", TARGET_NS)["loops"] >= 1


def test_the_collector_is_off_only_while_timing(clock, monkeypatch):
    """With collection off it is disabled for the batch and enabled after it."""
    states = []
    made = seated(clock, MICROSECOND)
    made.collects = False
    monkeypatch.setattr(made.cases["case"].module, "encode", lambda _: states.append(worker.gc.isenabled()))
    made.measure("case", "encode", loops=1, warmup=0)
    assert states == [False]
    assert worker.gc.isenabled()


def test_the_protocol_survives_a_request_that_fails(tmp_path):
    """A failing request is answered with its error, and the next one is served."""
    values = tmp_path / "values.pickle"
    values.write_bytes(pickle.dumps([1, 2], protocol=4))
    requests = [
        {"do": "start", "fidelity": fidelity.__file__, "collects": True},
        {"do": "prepare", "case": "x", "module": "x", "path": str(tmp_path / "absent.py"), "data": "values"},
        {"do": "add_data", "name": "values", "spec": {"root": ["list", ["int"]], "records": {}}, "values": str(values)},
    ]
    replies = talk(requests)
    assert replies[0]["implementation"] == sys.implementation.name.replace("cpython", "CPython")
    assert replies[1]["status"] == "failed"
    assert replies[2] == {}


def test_the_worker_needs_nothing_of_serbench():
    """Run by its path in isolated mode, it imports no module of ours."""
    code = (
        f"import runpy, sys; sys.argv = ['worker', '0']; load = runpy.run_path({worker.__file__!r})['load_module']; "
        f"load('alone', {fidelity.__file__!r}); print([m for m in sys.modules if m.startswith('serbench')])"
    )
    done = run([sys.executable, "-I", "-S", "-c", code])
    assert done.stdout.strip() == "[]"


def talk(requests):
    """The replies of a real worker process to these requests."""
    sent = b"".join(struct.pack(">I", len(text)) + text for text in (json.dumps(r).encode() for r in requests))
    done = subprocess.run(
        [sys.executable, "-I", str(Path(worker.__file__)), "0"],
        input=sent,
        capture_output=True,
        check=True,
        timeout=LONGEST_S,
    )
    found, rest = [], done.stdout
    while rest:
        size = struct.unpack(">I", rest[:4])[0]
        found.append(json.loads(rest[4 : 4 + size]))
        rest = rest[4 + size :]
    return found
