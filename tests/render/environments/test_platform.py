"""What differs between operating systems stands in one module, which does its work on a fake platform as well."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import psutil
import pytest
from planted import case, measured

from serbench.machine import platform
from serbench.machine.platform import machine

linux = pytest.mark.skipif(sys.platform != "linux", reason="signals and affinity as Linux has them")


@pytest.fixture
def windows(monkeypatch):
    """A platform with psutil's affinity of whole processes, locks of its own, and neither signals nor `os.sched_*`."""
    cores, locked = {os.getpid(): [0, 1, 2]}, set()

    class Process:
        def __init__(self, pid):
            if pid not in cores:
                raise psutil.NoSuchProcess(pid)
            self.pid = pid

        def cpu_affinity(self, wanted=None):
            if wanted is None:
                return cores[self.pid]
            if not cores[self.pid]:
                raise psutil.NoSuchProcess(self.pid)
            cores[self.pid] = list(wanted)
            return None

        def create_time(self):
            if not cores[self.pid]:
                raise psutil.AccessDenied(self.pid)
            return 1000.5

        def status(self):
            return "running"

    def locking(handle, _mode, _size):
        if os.fstat(handle).st_ino in locked:
            raise OSError("locked")
        locked.add(os.fstat(handle).st_ino)

    fake = ModuleType("psutil")
    fake.__dict__.update(
        Process=Process,
        Error=psutil.Error,
        NoSuchProcess=psutil.NoSuchProcess,
        STATUS_STOPPED="stopped",
        STATUS_ZOMBIE="zombie",
        pid_exists=cores.__contains__,
        cpu_times=lambda: SimpleNamespace(user=1.0),
        virtual_memory=lambda: SimpleNamespace(total=8 << 30),
    )
    monkeypatch.setitem(sys.modules, "psutil", fake)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    monkeypatch.setattr(platform.sys, "platform", "win32")
    for name in ("sched_getaffinity", "sched_setaffinity"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.delattr(signal, "SIGKILL", raising=False)
    return cores


def test_a_process_is_pinned_and_let_go(windows):
    """Affinity is that of the whole process, the caller's for a while and a worker's for good."""
    windows[77] = [0, 1, 2]
    platform.pin_process(77, 2)
    platform.pin_process(78, 2)  # which is gone
    with platform.pinned(1):
        assert [1] == platform.usable_cores()
    assert ([0, 1, 2], [2]) == (platform.usable_cores(), windows[77])
    assert 3 == platform.core_count()


def test_a_process_that_ends_meanwhile_is_no_error(windows):
    """A process that is gone, or another user's, once it is looked at is not pinned, and has not begun."""
    windows[79] = []
    platform.pin_process(79, 2)
    assert platform.started_at(79) is None


def test_processes_are_told_apart(windows):
    """A process is running or not, stopped or not, and has begun at a time; one that is gone has none of these."""
    assert (True, False) == (platform.is_running(os.getpid()), platform.is_running(78))
    assert (False, False) == (platform.is_stopped(os.getpid()), platform.is_stopped(78))
    assert ("1000.5", None) == (platform.started_at(os.getpid()), platform.started_at(78))


@pytest.mark.parametrize(
    ("error", "runs"), [(psutil.ZombieProcess, False), (psutil.NoSuchProcess, False), (psutil.AccessDenied, True)]
)
def test_a_process_that_has_ended_does_not_run(error, runs, monkeypatch):
    """It ends while it is looked at, or it is another user's, of whom nothing is told."""

    def status(process):
        raise error(process.pid)

    monkeypatch.setattr(psutil.Process, "status", status)
    assert runs == platform.is_running(os.getpid())


def test_a_lock_is_one_holder_s(windows, tmp_path):
    """A file is locked once, by the means of the platform."""
    handle = platform.lock_file(tmp_path / "lock")
    assert handle is not None
    assert platform.lock_file(tmp_path / "lock") is None
    os.close(handle)


def test_what_the_platform_does_not_count_is_left_out(windows):
    """Stolen time is none, a battery is not told, no exit is a SIGKILL, and an exit code is shown as its manuals do."""
    assert 0.0 == platform.stolen_seconds()
    assert {"memory_bytes": 8 << 30, "usable_cores": 3}.items() <= machine().items()
    assert "power" not in machine()
    assert not platform.was_killed(-9)
    assert ("exit code 3", "exit code 0xC0000005") == (platform.exit_text(3), platform.exit_text(-1073741819))


@pytest.mark.slow
def test_a_run_needs_no_affinity(monkeypatch):
    """Where nothing can be pinned, every wave is measured all the same."""
    for name in ("sched_getaffinity", "sched_setaffinity"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.delattr(psutil.Process, "cpu_affinity", raising=False)
    assert [] == platform.usable_cores()
    heard = measured(case("one"), case("two"))
    assert {None} == {cell.reason for cell in heard.known.values()}
    assert {(cell, wave) for cell in heard.known for wave in range(1, 5)} == {
        (s.cell, s.wave) for s in heard.all_samples
    }


@linux
def test_what_linux_tells():
    """A stopped process is told from a running one, its program from another, and its beginning as the kernel counts it."""
    line = [sys.executable, "-c", "print(flush=True); input()", "marked"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()  # before that, the kernel may not have its arguments yet
        facts = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        assert facts[19] == platform.started_at(process.pid)
        assert (True, False) == (platform.runs_file(process.pid, "marked"), platform.runs_file(process.pid, "other"))
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        assert platform.is_stopped(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not platform.is_running(process.pid), "nobody has waited for it yet"
    assert (False, None) == (platform.is_running(process.pid), platform.started_at(process.pid))
    assert platform.was_killed(process.returncode)
    assert "killed by SIGSEGV" == platform.exit_text(-signal.SIGSEGV)
    assert "killed by signal 35" == platform.exit_text(-35)  # a real-time signal has no name
