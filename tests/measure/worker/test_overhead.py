"""The worker's loop and timeit's take turns on the same function, and each gives its median in nanoseconds."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace

import pytest

from serbench.measure.worker import weigher, worker


@pytest.fixture
def clock(monkeypatch):
    """The clocks of both loops, which a call of the function that does nothing moves by `ns`."""
    now = SimpleNamespace(ns=0.0, call_ns=1000, calls=0, arguments=set())

    def nothing(argument):
        now.ns += now.call_ns
        now.calls += 1
        now.arguments.add(argument)

    monkeypatch.setattr(weigher, "nothing", nothing)
    monkeypatch.setattr(weigher, "time", SimpleNamespace(thread_time=lambda: now.ns / 1e9))
    monkeypatch.setattr(worker, "thread_time_ns", lambda: round(now.ns))
    return now


def test_both_loops_tell_the_time_of_a_call(clock):
    """They time as many calls as they are told, with the same argument."""
    times = weigher.overhead(worker.Worker(), loops=50, turns=3)
    assert ["serbench_ns", "timeit_ns"] == list(times)
    assert [pytest.approx(1000), pytest.approx(1000)] == list(times.values())
    assert (2 * 3 * 50, {None}) == (clock.calls, clock.arguments)


def test_the_loops_take_turns_and_give_their_medians(clock, monkeypatch):
    """Each begins every other turn, so that neither always comes after the other."""
    turns = []

    def timed(_, function, spans, results):
        ((before, arguments),) = spans
        assert ((), deque(maxlen=0), 0) == (before, results, results.maxlen)
        assert [None] * 10 == list(arguments)
        turns.append("serbench")
        return [10 * (1.0, 2.0, 9.0, 3.0, 1.0)[turns.count("serbench") - 1], 0, 0, 0]

    def timeit(_, loops):
        assert loops == 10
        turns.append("timeit")
        return 10 * (7.0, 5.0, 6.0, 90.0, 5.0)[turns.count("timeit") - 1] / 1e9

    monkeypatch.setattr(worker.Worker, "timed", timed)
    monkeypatch.setattr(weigher.timeit.Timer, "timeit", timeit)
    times = weigher.overhead(worker.Worker(), loops=10, turns=5)
    assert ["serbench", "timeit", "timeit", "serbench"] * 2 + ["serbench", "timeit"] == turns
    assert {"serbench_ns": 2.0, "timeit_ns": pytest.approx(6.0)} == times


def test_an_empty_call_does_nothing():
    """It gives nothing back, whatever it gets."""
    assert weigher.nothing(1) is None
