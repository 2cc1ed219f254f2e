"""Each conductor has a core of its own, and conductors are ended without harm to others."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import sys
import time
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from waits import LONGEST_S, joined, run, until

from serbench.machine import cores
from serbench.machine.cores import conductors, end_conductors, exclusive_core
from serbench.machine.platform import lock_file

linux = pytest.mark.skipif(sys.platform != "linux", reason="pinning and locks are tried on Linux alone")


@pytest.fixture
def pins(tmp_path, monkeypatch):
    """Three cores that are pinned in mind, with their locks in a folder of the test's."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = []

    class Pinned:
        def __init__(self, core):
            found.append(core)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            found.append(None)

    monkeypatch.setattr(cores, "usable_cores", lambda: [1, 2, 3])
    monkeypatch.setattr(cores, "pinned", Pinned)
    return found


def test_each_conductor_has_another_core(pins, tmp_path):
    """The last free one; its lock lasts as long as its block, also if that fails."""
    with exclusive_core(), exclusive_core(), exclusive_core():
        assert [3, 2, 1] == pins
        assert 3 == len(list(tmp_path.glob("serbench-core-*.lock")))
    pins.clear()
    with suppress(ValueError), exclusive_core():
        raise ValueError
    with exclusive_core():
        assert [3, None, 3] == pins


def test_a_conductor_waits_for_a_core(pins, tmp_path, monkeypatch):
    """It looks again until one is free."""
    handles = [lock_file(tmp_path / f"serbench-core-{core}.lock") for core in (1, 2, 3)]
    waits = []

    def slept(seconds):
        waits.append(seconds)
        if len(waits) == 2:
            os.close(handles[1])

    monkeypatch.setattr(cores, "time", type("Time", (), {"sleep": staticmethod(slept)}))
    with exclusive_core():
        assert [2] == pins
    assert [0.2, 0.2] == waits
    for handle in (handles[0], handles[2]):
        os.close(handle)


def test_a_lock_that_nobody_may_read_is_left_alone(pins, tmp_path, monkeypatch):
    """Beside those of a user with a strict umask, this user's conductors share out the cores among themselves."""

    def refusing(path):
        if re.fullmatch(r"serbench-core-\d.lock", path.name):
            raise PermissionError(13, "Permission denied", str(path))
        return lock_file(path)

    monkeypatch.setattr(cores, "lock_file", refusing)
    with exclusive_core(), exclusive_core():
        assert [3, 2] == pins
    assert 2 == len(list(tmp_path.iterdir()))


def test_nobody_waits_where_no_process_can_be_pinned(pins, tmp_path, monkeypatch):
    """Nothing is locked, and nothing is pinned."""
    monkeypatch.setattr(cores, "usable_cores", list)
    with exclusive_core():
        assert [] == pins
    assert [] == list(tmp_path.iterdir())


@linux
def test_what_a_conductor_starts_is_on_its_core(tmp_path, monkeypatch):
    """The calling thread is pinned, and free again afterwards."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    usable = os.sched_getaffinity(0)
    with exclusive_core():
        assert {max(usable)} == os.sched_getaffinity(0)
    assert usable == os.sched_getaffinity(0)


@linux
def test_another_user_s_lock_is_a_lock(tmp_path, monkeypatch):
    """Where only its owner may create the file of a core's lock, others open it, and the core is theirs in turn."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    real = os.open

    def owned(path, flags, *mode, **options):
        if flags & os.O_CREAT and Path(path).exists():
            raise PermissionError(path)
        return real(path, flags, *mode, **options)

    monkeypatch.setattr(os, "open", owned)
    used = []
    for _ in range(2):
        with exclusive_core():
            used.append(os.sched_getaffinity(0))
    assert used[0] == used[1]


@pytest.fixture
def other():
    """A process that the user has started in the same way."""
    process = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    process.start()
    yield process
    process.kill()
    joined(process)


def test_conductors_are_ended_and_no_other_child(other):
    """All of them at once, whatever they are at; each of them leaves Ctrl-C to the process that has started it."""
    executor = conductors(2)
    waiting = [executor.submit(signal.getsignal, signal.SIGINT), *(executor.submit(time.sleep, 60) for _ in range(2))]
    assert signal.SIG_IGN == waiting[0].result(LONGEST_S)
    ours = [process for process in multiprocessing.active_children() if process is not other]
    assert 2 == len(ours)
    end_conductors()
    for future in waiting[1:]:
        with pytest.raises(BrokenExecutor):
            future.result(LONGEST_S)
    for process in ours:  # the executor waits for them too, and only the one that comes first is told how they ended
        until(lambda process=process: process.exitcode == -signal.SIGKILL, "a conductor is ended")
    assert other.is_alive()
    end_conductors()  # nobody is left to end


KILLED = """
import os, signal
from serbench.machine.cores import conductors

if __name__ == "__main__":
    with conductors(2) as pool:
        pool.submit(os.getpid).result()
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal")
def test_a_run_that_is_killed_says_nothing(tmp_path):
    """What Python starts beside several conductors outlives them, and does not warn the user about semaphores."""
    (tmp_path / "killed.py").write_text(KILLED)
    ended = run([sys.executable, tmp_path / "killed.py"], check=False)
    assert (-signal.SIGKILL, "") == (ended.returncode, ended.stderr)
