"""Nothing is left behind: programs and folders of a process go with it, however it went, or with the next one."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from waits import LONGEST_S, until

import serbench
from serbench.machine import caretaker
from serbench.machine.caretaker import end_orphans, mark, remove_leftovers

posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no groups of processes")
KEEPER = """
import subprocess, sys, time
from serbench.machine.caretaker import scratch_folder, with_us
with scratch_folder() as folder:
    (folder / "copy of the user's data").touch()
    endless = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'while True: pass']); time.sleep(3600)"
    subprocess.Popen([sys.executable, "-I", "-c", endless], **with_us())
    kernel = f"import os, sys, time\\ntime.sleep({sys.argv[1]})\\nwhile True: os.makedirs(os.path.dirname(sys.argv[-1]), exist_ok=True)"
    subprocess.Popen([sys.executable, "-I", "-c", kernel, "-f", folder / "kernel.json"], start_new_session=True)
    print(flush=True)
    time.sleep(3600)
"""


def is_gone(process):
    """Whether a process has ended, perhaps while it is asked."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@posix
@pytest.mark.parametrize(("how", "pause_s"), [("SIGKILL", 0), ("SIGTERM", 0), ("SIGSEGV", 0), ("SIGINT", 1)])
def test_programs_and_folders_go_with_their_process(how, pause_s, tmp_path):
    """A process that is ended from outside leaves no program, nor what that has started, no kernel that makes its folder, and no folder.

    Nor a kernel that still starts when the process, interrupted, has removed the folder itself.
    """
    variables = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(pause_s)], stdout=subprocess.PIPE, env=variables
    ) as keeper:
        assert b"\n" == keeper.stdout.readline()
        until(
            lambda: len(psutil.Process(keeper.pid).children(recursive=True)) == 4, "all are there"
        )  # one is the caretaker
        below = psutil.Process(keeper.pid).children(recursive=True)
        assert 1 == len(list(tmp_path.glob(f"serbench-{keeper.pid}.*-*/*")))
        keeper.send_signal(getattr(signal, how))
    until(lambda: all(map(is_gone, below)), "all are gone")
    until(lambda: not list(tmp_path.iterdir()), "the folder is gone")


@posix
def test_a_caretaker_that_was_ended_is_replaced():
    """The next program has a living one, and none is started as long as one lives."""
    options = caretaker.with_us()
    assert options == caretaker.with_us()
    caretaker._caretaker.kill()
    caretaker._caretaker.wait(LONGEST_S)
    assert options != caretaker.with_us()
    subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True, timeout=LONGEST_S, **caretaker.with_us())


@pytest.mark.slow
def test_every_program_and_every_temporary_folder_goes_with_its_process():
    """No file of serbench starts a program, or makes a temporary folder, in another way."""
    top = Path(serbench.__file__).parent
    programs, folders = [], []
    for path in sorted(top.rglob("*.py")):
        where = path.relative_to(top).as_posix()
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ast.unparse(call) if isinstance(call, ast.Call) else ""
            if text.startswith(("subprocess.run(", "subprocess.Popen(")) and "**with_us()" not in text:
                programs.append(where)
            if text.startswith(("tempfile.mkdtemp(", "tempfile.TemporaryDirectory(", "TemporaryDirectory(")):
                folders.append(where)
    ours = "machine/caretaker.py"
    assert {ours} == set(programs)
    # below a scratch folder, and beside the environments, whose unfinished ones the next build removes
    assert [ours, "measure/session.py", "render/environments.py"] == folders


def test_only_a_worker_is_ended_as_an_orphan(tmp_path, monkeypatch):
    """A number that another program has got since, or of which nothing can be told, is left alone."""
    programs = {11: "worker.py", 12: "starter.py", 13: "somebody else's", 14: "worker.py"}
    killed = []
    monkeypatch.setattr("serbench.machine.platform.runs_file", lambda pid, name: programs.get(pid) == name)
    monkeypatch.setattr("serbench.machine.platform.kill_process", killed.append)
    (tmp_path / "below").mkdir()
    for pid, program in ((11, "worker.py"), (12, "starter.py"), (13, "worker.py"), (15, "worker.py")):
        mark(tmp_path, pid, Path(program))
    mark(tmp_path / "below", 14, Path("worker.py"))
    for name in ("worker-x", "worker-", "14"):
        (tmp_path / name).touch()
    end_orphans(tmp_path)
    assert [11, 12, 14] == sorted(killed)


@posix
def test_a_stranger_with_the_number_of_a_worker_lives_on(tmp_path):
    """A program that is no worker goes on although a file with its number is left."""
    other = subprocess.Popen([sys.executable, "-I", "-S", "-c", "input()"], stdin=subprocess.PIPE)
    mark(tmp_path, other.pid, Path("worker.py"))
    end_orphans(tmp_path)
    other.communicate(b"\n", timeout=LONGEST_S)
    assert 0 == other.returncode


@posix
def test_a_folder_of_somebody_else_stays(tmp_path, monkeypatch):
    """What is another user's or another container's, or a link to elsewhere, is not removed, whatever its name."""
    gone = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    gone.wait(LONGEST_S)
    begins = caretaker._begins(gone.pid)
    (tmp_path / "elsewhere").mkdir()
    link, folder, foreign = (
        tmp_path / name for name in (f"{begins}a", f"{begins}b", f"serbench-{gone.pid}.{'1' * 10}-c")
    )
    link.symlink_to(tmp_path / "elsewhere")
    folder.mkdir()
    foreign.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
        remove_leftovers(tmp_path)
    assert folder.exists()
    remove_leftovers(tmp_path)
    assert [False, True, True, True] == [one.exists() for one in (folder, link, tmp_path / "elsewhere", foreign)]
