"""Whatever is killed, and whenever: no sample is lost or doubled, and no process and no folder stays."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

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


def killed(tmp_path, command, after_s, victim):
    """Start a command, kill it or one of its processes, and see that nothing is lost and nothing stays; its exit code."""
    store, temporary = tmp_path / "runs.sqlite", tmp_path / "temporary"
    temporary.mkdir(exist_ok=True)
    variables = {"TMPDIR": str(temporary), "SERBENCH_STORE": str(store), "SERBENCH_KILLED": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "serbench", *command],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(after_s)
    before = samples(store)
    below = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    if victim == "conductor" or not below:
        process.kill()
    else:
        random.Random(after_s).choice(below).send_signal(signal.SIGKILL)
    code = process.wait(LONGEST_S)
    after = samples(store)
    assert set(before) <= set(after)
    assert len(after) == len(set(after))
    until(lambda: not processes(str(tmp_path)), f"no process of {' '.join(command)} stays")
    until(lambda: not list(temporary.glob("serbench-[!c]*")), f"no folder of {' '.join(command)} stays")
    return code


@linux
@pytest.mark.parametrize("command", [RUN, COMMANDS[2]], ids=["run", "jobs"])
def test_a_conductor_that_is_killed_leaves_nothing(command, tmp_path):
    """Its workers, with --jobs the other conductors, and all its folders go with it."""
    assert -signal.SIGKILL == killed(tmp_path, command, 5, "conductor")


@linux
@pytest.mark.every
@pytest.mark.timeout(3600)
def test_kills_at_every_step(tmp_path, capsys):
    """A hundred kills of conductors and their processes, drawn: samples lost 0, processes and folders left 0, and runs go on."""
    drawn = random.Random(41)
    for number in range(100):
        command = drawn.choice(COMMANDS)
        victim = drawn.choice(("conductor", "below"))
        killed(tmp_path, command, drawn.uniform(0.1, 8), victim)
        if number % 10 == 9:
            with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as connection:
                assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
    with capsys.disabled():
        sys.stdout.write(f"\n100 kills; {len(samples(tmp_path / 'runs.sqlite'))} samples kept, none lost\n")
