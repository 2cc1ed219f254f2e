"""Whatever is killed, and whenever: no sample is lost or doubled, and no process and no folder stays."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress

import psutil
import pytest
from waits import LONGEST_S, until

CASES = ("-w", "tiny", "-n", "5", "-l", "msgspec,dataclasses", "-f", "orjson,msgpack", "-e", "quick")
RUN = ("run", *CASES)
COMMANDS = (
    RUN,
    RUN,
    (*RUN[:2], "tiny,numbers", *RUN[3:], "--jobs", "2"),
    ("weigh", *CASES[:-2]),
    ("verify", "--all", "-l", "msgspec"),
)
AT_A_STEP = r"""
import os, signal, sys
asked, victim, notes = sys.argv[1:4]
del sys.argv[1:4]
from serbench.__main__ import main
from serbench.keep.store import Store
from serbench.measure.sessions.session import WorkerSession

notes, reached = open(notes, "ab", buffering=0), set()

def reach(step, session=None):
    if step not in reached:
        reached.add(step)
        notes.write(f"step {step}\n".encode())
        if step == asked:
            os.kill(os.getpid(), signal.SIGKILL) if victim == "conductor" else session.kill()

class Telling:
    def __init__(self, stream, told):
        self.stream, self.told = stream, told
    def __getattr__(self, name):
        return getattr(self.stream, name)
    def flush(self):
        self.stream.flush()
        self.told()

def answer(self, do, arguments, usual=WorkerSession._answer):
    reach(f"{do}: before", self)
    requests = self._requests
    self._requests = Telling(requests, lambda: reach(f"{do}: sent", self))
    try:
        reply = usual(self, do, arguments)
    finally:
        self._requests = requests
    reach(f"{do}: after", self)
    return reply

def kept(name, usual):
    def method(self, *values, **named):
        reach(f"{name}: in the store before")
        result = usual(self, *values, **named)
        if name == "add_samples":
            notes.write(f"kept {len(values[1])}\n".encode())
        reach(f"{name}: in the store after")
        return result
    return method

WorkerSession._answer = answer
for name in ("begin", "put_cells", "add_samples", "put_source", "put_facts", "finish"):
    setattr(Store, name, kept(name, getattr(Store, name)))
main()
"""
"""A command that kills itself, or the worker that it asks, the first time that it comes to a step; it notes all its steps."""
FEW = ("-w", "tiny", "-n", "2", "-l", "msgspec", "-f", "orjson")
AT_STEPS = {
    "run": ("run", *FEW, "-e", "quick"),
    "weigh": ("weigh", *FEW, "--processes", "1"),
    "verify": ("verify", *FEW),
}
linux = pytest.mark.skipif(sys.platform != "linux", reason="a process is found by its variables in /proc")


def samples(store):
    """Every sample that is kept, through a connection of its own; doubled ones count twice."""
    if not store.exists():
        return []
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=30)) as connection:
        try:
            return connection.execute("SELECT * FROM sample").fetchall()
        except sqlite3.OperationalError:  # no table yet
            return []


def processes(mark):
    """All processes that have this text in a variable, but for the dead."""
    found = []
    for one in psutil.process_iter():
        try:
            if mark in one.environ().values() and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one)
        except psutil.Error:
            continue
    return found


def started(tmp_path, *program):
    """A program of Python with the folder's store and temporary folder, which can be told by a variable."""
    (tmp_path / "temporary").mkdir(exist_ok=True)
    variables = {
        "TMPDIR": tmp_path / "temporary",
        "SERBENCH_STORE": tmp_path / "runs.sqlite",
        "SERBENCH_KILLED": tmp_path,
    }
    return subprocess.Popen(
        [sys.executable, *program],
        env={**os.environ, **{name: str(value) for name, value in variables.items()}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def assert_nothing_stays(tmp_path, what):
    """No process and no folder of what was started there is left."""
    until(lambda: not processes(str(tmp_path)), f"no process of {what} stays")
    until(lambda: not list((tmp_path / "temporary").glob("serbench-[!c]*")), f"no folder of {what} stays")


def killed(tmp_path, command, after_s, victim):
    """Start a command, kill it or one of its processes, and see that nothing is lost and nothing stays; its exit code."""
    store = tmp_path / "runs.sqlite"
    process = started(tmp_path, "-m", "serbench", *command)
    time.sleep(after_s)
    before = samples(store)
    below = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    if victim == "conductor" or not below:
        process.kill()
    else:
        with suppress(psutil.NoSuchProcess):  # it has just ended
            random.Random(after_s).choice(below).send_signal(signal.SIGKILL)
    code = process.wait(LONGEST_S)
    after = samples(store)
    assert set(before) <= set(after)
    assert len(after) == len(set(after))
    assert_nothing_stays(tmp_path, " ".join(command))
    return code


def at_a_step(folder, command, step="", victim=""):
    """Run a command that is killed there; its exit code, its steps, and how many samples it knew to be kept."""
    folder.mkdir()
    program = ("-c", AT_A_STEP, step, victim, str(folder / "notes"), *command)
    code = started(folder, *program).wait(LONGEST_S)
    assert_nothing_stays(folder, f"{' '.join(command)}, killed at {step!r}")
    notes = [line.partition(" ")[::2] for line in (folder / "notes").read_text().splitlines()]
    return (
        code,
        [told for what, told in notes if what == "step"],
        sum(int(told) for what, told in notes if what == "kept"),
    )


def goes_on(folder):
    """Resume the run that was killed there, if it had begun: nothing is lost, and no cell is visited twice in a wave."""
    store = folder / "runs.sqlite"
    before = samples(store)
    if not store.exists():
        return
    with closing(sqlite3.connect(store)) as connection:
        begun = (
            connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'run'").fetchone()
            and connection.execute("SELECT 1 FROM run WHERE status != 'finished'").fetchone()
        )
    assert (0 if begun else 2) == started(folder, "-m", "serbench", "run", "--resume").wait(LONGEST_S)
    assert set(before) <= set(samples(store))
    twice = "SELECT * FROM sample JOIN cell ON (sample.run, sample.cell) = (cell.run, cell.id) WHERE NOT reference"
    with closing(sqlite3.connect(store)) as connection:
        if begun:
            assert not connection.execute(
                f"{twice} GROUP BY sample.run, wave, cell HAVING count(DISTINCT visit) > 1"
            ).fetchall()
            assert [("finished",)] == connection.execute("SELECT status FROM run").fetchall()
    assert_nothing_stays(folder, "run --resume")


@linux
@pytest.mark.parametrize("command", [RUN, COMMANDS[2]], ids=["run", "jobs"])
def test_a_conductor_that_is_killed_leaves_nothing(command, tmp_path):
    """Its workers, with --jobs the other conductors, and all its folders go with it."""
    longer = [word.replace("quick", "thorough") for word in command]  # it is not over before
    assert -signal.SIGKILL == killed(tmp_path, longer, 5, "conductor")


@linux
@pytest.mark.every
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("command", AT_STEPS)
def test_kills_at_every_step(command, tmp_path, capsys):
    """Conductor or worker killed before and after each request and what is kept, and in between: nothing is lost, and a run goes on."""
    usual, steps, _ = at_a_step(tmp_path / "usual", AT_STEPS[command])
    assert 0 == usual
    assert len(steps) > 10
    kills = [(step, "conductor") for step in steps] + [(step, "worker") for step in steps if "store" not in step]
    for number, (step, victim) in enumerate(kills):
        folder = tmp_path / str(number)
        code, reached, known = at_a_step(folder, AT_STEPS[command], step, victim)
        assert step in reached
        assert (-signal.SIGKILL if victim == "conductor" else usual) == code, (step, victim)
        assert known <= len(samples(folder / "runs.sqlite")), (step, victim)
        if victim == "conductor" and command == "run":
            goes_on(folder)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{command}: {len(kills)} kills at {len(steps)} steps; none lost, none doubled, nothing left\n"
        )


@linux
@pytest.mark.every
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(10))
def test_kills_at_any_time(seed, tmp_path):
    """Ten kills of conductors and their processes, drawn: samples lost 0, processes and folders left 0."""
    drawn = random.Random(seed)
    for _ in range(10):
        command = drawn.choice(COMMANDS)
        victim = drawn.choice(("conductor", "below"))
        killed(tmp_path, command, drawn.uniform(0.1, 8), victim)
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as connection:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
