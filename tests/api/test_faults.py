"""Faults of commands: whatever is killed, interrupted, stopped, locked or full, and whenever.

No sample is lost or doubled, no process and no folder stays, a line says what happened, and the exit code is no verdict.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import known_runs
import psutil
import pytest
from waits import LONGEST_S, run, until

import serbench
from serbench.api.calling import kept, several
from serbench.api.command_line import program
from serbench.api.command_line.commands import Command
from serbench.api.notebook.app import copy_notebooks
from serbench.api.notebook.user_data import uploaded
from serbench.api.weighing import published_costs
from serbench.claims.ledger import ledger
from serbench.errors import Interrupted, PlanError, SerbenchError, StoreError, if_interrupted
from serbench.machine.files import write_file
from serbench.measure.plan import select_cases
from serbench.render.environments import MAIN, Environment, main_environment
from serbench.results import CaseId, Cell, Point
from serbench.store.run import Run

linux = pytest.mark.skipif(
    sys.platform != "linux", reason="a full device, and processes by their variables, are Linux's"
)
LIMIT_S = 30  # what a worker may take, on a busy machine too
CASES = ("-w", "tiny", "-n", "5", "-l", "msgspec,dataclasses", "-f", "orjson,msgpack")
RUN = ("run", *CASES, "-e", "quick", "--time-limit", f"{LIMIT_S}s")
COMMANDS = {
    "run": CASES,
    "recommend": CASES,
    "weigh": CASES,
    "verify": ("--all", "-l", "msgspec"),
    "gate": ("--baseline", "dataclasses", "--candidate", "typeddict", "-f", "orjson"),
    "history": ("msgspec",),
    "claims": (),
    "selfcheck": ("--quick",),
    "report": (),
    "adopt": ("pydantic", "json"),
    "show": ("libraries",),
    "compare": ("latest", "previous"),
    "env": ("remove", "pydantic==2.5"),
    "app": ("--no-browser",),
}
"""A call of each command that takes a while."""
JUDGING = ("gate", "claims", "selfcheck")
"""Commands whose answer is a verdict, of which nothing may be printed."""
AT_A_STEP = r"""
import os, signal, sys
asked, victim, notes = sys.argv[1:4]
del sys.argv[1:4]
from serbench.__main__ import main
from serbench.store.store import Store
from serbench.measure.session import WorkerSession

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
AT_AN_IMPORT = """
import os, signal, sys
class Interrupting:
    left = int(sys.argv.pop(1))
    def find_spec(self, *_):
        Interrupting.left -= 1
        if not Interrupting.left:
            os.kill(os.getpid(), signal.SIGINT)
from serbench.__main__ import main
sys.meta_path.insert(0, Interrupting())
main()
"""


def samples(store):
    """Every sample that is kept, through a connection of its own; doubled ones count twice."""
    if not store.exists():
        return []
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=30)) as connection:
        try:
            return connection.execute("SELECT * FROM sample").fetchall()
        except sqlite3.OperationalError:  # no table yet
            return []


def asked(store, query):
    """What a query gives; nothing if there is no such table yet."""
    with closing(sqlite3.connect(store)) as connection, suppress(sqlite3.OperationalError):
        return connection.execute(query).fetchall()
    return []


def processes(mark):
    """All processes that have this text in a variable, but for the dead."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if mark in process.environ().values() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def started(tmp_path, *words):
    """A program of Python with the folder's store and temporary folder, which can be told by a variable."""
    (tmp_path / "temporary").mkdir(exist_ok=True)
    own = {"TMPDIR": tmp_path / "temporary", "SERBENCH_STORE": tmp_path / "runs.sqlite", "SERBENCH_HURT": tmp_path}
    variables = {**os.environ, **{name: str(value) for name, value in own.items()}}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, *words], env=variables, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True)


def command(tmp_path, *words):
    """A command of serbench, once Python itself has started."""
    process = started(tmp_path, "-c", "import serbench.__main__ as m; print(flush=True); m.main()", *words)
    assert "\n" == process.stdout.readline(), "Python itself has not started"
    return process


def assert_nothing_stays(tmp_path, what):
    """No process and no folder of what was started there is left."""
    until(lambda: not processes(str(tmp_path)), f"no process of {what} stays")
    until(lambda: not list((tmp_path / "temporary").glob("serbench-[!c]*")), f"no folder of {what} stays")


def conductor(process):
    """The process that measures: the supervised copy of the one that was started, or that one itself."""
    begun = psutil.Process(process.pid)
    return next((child for child in begun.children() if child.cmdline() == begun.cmdline()), begun)


def kill_one_below(process, drawn, _):
    """A worker, the caretaker or another conductor, if there is one by then; not Python's own tracker of semaphores, which complains."""
    with suppress(psutil.Error):
        every = conductor(process).children(recursive=True)
        children = [child for child in every if "resource_tracker" not in " ".join(child.cmdline())]
        for child in drawn.sample(children, min(1, len(children))):
            child.send_signal(signal.SIGKILL)


def stop_one_below(process, drawn, _):
    """A worker, for ever: the time limit replaces it."""
    with suppress(psutil.Error):
        workers = [child for child in conductor(process).children() if "worker.py" in " ".join(child.cmdline())]
        drawn.choice(workers or [process]).send_signal(signal.SIGSTOP if workers else signal.SIGCONT)


def pause(process, *_):
    """Longer than its time limit."""
    conductor(process).send_signal(signal.SIGSTOP)  # its supervisor stops too
    time.sleep(LIMIT_S + 5)
    process.send_signal(signal.SIGCONT)


def lock(_, __, store):
    """As another process that writes for long does."""
    with closing(sqlite3.connect(store, timeout=30, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        time.sleep(5)


FAULTS = {
    "kill": (lambda process, *_: process.kill(), {-signal.SIGKILL}),
    "interrupt": (lambda process, *_: process.send_signal(signal.SIGINT), {130}),
    "kill one below": (kill_one_below, {0, 2}),
    "stop one below": (stop_one_below, {0}),
    "pause": (pause, {0}),
    "lock": (lock, {0}),
}
"""A fault, and how a command ends with it."""


def hurt(tmp_path, words, fault, drawn, after_s):
    """Start a command, let the fault happen, and see that nothing is lost and nothing stays; its exit code and output."""
    store = tmp_path / "runs.sqlite"
    process = command(tmp_path, *words)
    if after_s is None:  # once it measures
        known = len(samples(store))
        until(lambda: len(samples(store)) > known or process.poll() is not None, "it measures")
    else:
        time.sleep(after_s)
    before, (happen, endings) = samples(store), FAULTS[fault]
    had_ended = process.poll() is not None
    if not had_ended:
        happen(process, drawn, store)
    try:
        out, err = process.communicate(timeout=LONGEST_S / 4)
    except subprocess.TimeoutExpired:
        if fault == "interrupt":  # Python ignores one that comes in a destructor, so a person presses again
            process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=LONGEST_S)
        finally:
            process.kill()
    after = samples(store)
    what = f"{' '.join(words)}, {fault} after {after_s} s"
    assert set(before) <= set(after), what
    assert len(after) == len(set(after)), what
    assert not store.exists() or [("ok",)] == asked(store, "PRAGMA integrity_check"), what
    assert "Traceback" not in err, err
    assert had_ended or process.returncode in endings | {0, 2}, (what, process.returncode, err)
    if process.returncode == 130:
        assert "interrupted" in err.splitlines()[-1]
        assert words[0] not in JUDGING or not out
    assert_nothing_stays(tmp_path, what)
    return process.returncode


@linux
@pytest.mark.parametrize("words", [RUN, ("run", "-w", "tiny,numbers", *CASES[2:], "--jobs", "2")], ids=["run", "jobs"])
def test_a_conductor_that_is_killed_leaves_nothing(words, tmp_path):
    """Its workers, with --jobs the other conductors, and all its folders go with it."""
    longer = [word.replace("quick", "thorough") for word in words]  # it is not over before
    assert -signal.SIGKILL == hurt(tmp_path, longer, "kill", random.Random(0), 5)


@linux
@pytest.mark.every
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not (shutil.which("wrk") and find_spec("uvicorn")), reason="it needs wrk and the extra `web`")
@pytest.mark.parametrize("server", ["uvicorn", "granian"])
def test_a_command_that_is_killed_ends_its_servers(server, tmp_path):
    """Fifteen times for a server of one process and one of several, at drawn moments while servers run: all end with it."""
    if find_spec(server) is None:
        pytest.skip(f"{server} is not installed")
    drawn = random.Random(server)
    for number in range(15):
        words = ("run", "-n", "5", "--endpoint", "starlette", "--server", server)
        process = command(tmp_path, *words)
        until(lambda: list((tmp_path / "temporary").rglob("serbench_served.py")), "a server is started")
        time.sleep(drawn.uniform(0, 5))
        process.kill()
        process.communicate(timeout=60)
        assert_nothing_stays(tmp_path, f"kill {number} of {words}")


@linux
@pytest.mark.full
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_interrupted_at_any_time(name, tmp_path):
    """From its first 0.1 s on, each command ends with 130, a last line that says what is kept, and nothing left behind."""
    assert program.COMMANDS.keys() == COMMANDS.keys()
    drawn = random.Random(name)
    words = (name, *COMMANDS[name])
    ends = [hurt(tmp_path, words, "interrupt", drawn, delay) for delay in (0.1, 0.2, 0.5, 1, 2, drawn.uniform(2, 12))]
    assert 130 in ends, "it always ends before"


@linux
@pytest.mark.full
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(name, marks=[pytest.mark.every] if name in ("pause", "stop one below") else [])
        for name in list(FAULTS)[2:]
    ],
)
def test_a_run_outlives_what_happens_below_and_beside_it(fault, tmp_path):
    """A worker killed or stopped for ever, a conductor that slept, a store that was locked: the run is whole."""
    assert 0 == hurt(tmp_path, RUN, fault, random.Random(fault), None)
    store = tmp_path / "runs.sqlite"
    assert [("finished",)] == asked(store, "SELECT status FROM run")
    assert {"ok", "unresolved"} >= {status for (status,) in asked(store, "SELECT status FROM cell")}


@linux
@pytest.mark.every
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(10))
def test_drawn_faults_of_drawn_commands(seed, tmp_path):
    """Ten faults of commands that measure or prove: samples lost 0, processes and folders left 0; then what is unfinished goes on."""
    drawn = random.Random(seed)
    measuring = (RUN, RUN, ("weigh", *CASES), ("verify", "--all", "-l", "msgspec"), ("run", *CASES, "--jobs", "2"))
    for _ in range(10):
        hurt(
            tmp_path,
            drawn.choice(measuring),
            drawn.choice(("kill", "kill one below", "interrupt")),
            drawn,
            drawn.uniform(0.1, 8),
        )
    store = tmp_path / "runs.sqlite"
    while asked(store, "SELECT 1 FROM run WHERE status != 'finished'"):
        goes_on(tmp_path)


FEW = ("-w", "tiny", "-n", "2", "-l", "msgspec", "-f", "orjson")
AT_STEPS = {
    "run": ("run", *FEW, "-e", "quick"),
    "weigh": ("weigh", *FEW, "--processes", "1"),
    "verify": ("verify", *FEW),
}
TWICE = """SELECT 1 FROM sample JOIN cell ON (sample.run, sample.cell) = (cell.run, cell.id) WHERE NOT reference
           GROUP BY sample.run, wave, cell HAVING count(DISTINCT visit) > 1"""


def at_a_step(folder, words, step="", victim=""):
    """Run a command that is killed there; its exit code, its steps, and how many samples it knew to be kept."""
    folder.mkdir()
    process = started(folder, "-c", AT_A_STEP, step, victim, str(folder / "notes"), *words)
    process.communicate(timeout=LONGEST_S)
    assert_nothing_stays(folder, f"{' '.join(words)}, killed at {step!r}")
    notes = [line.partition(" ")[::2] for line in (folder / "notes").read_text().splitlines()]
    steps = [told for what, told in notes if what == "step"]
    return process.returncode, steps, sum(int(told) for what, told in notes if what == "kept")


def goes_on(folder):
    """Resume the run that was ended there, if it had begun: nothing is lost, and no cell is visited twice in a wave."""
    store = folder / "runs.sqlite"
    before = samples(store)
    begun = store.exists() and asked(store, "SELECT 1 FROM run WHERE status != 'finished'")
    process = started(folder, "-m", "serbench", "run", "--resume")
    process.communicate(timeout=LONGEST_S)
    assert (0 if begun else 2) == process.returncode
    assert set(before) <= set(samples(store))
    assert not asked(store, TWICE)
    assert_nothing_stays(folder, "run --resume")


@linux
@pytest.mark.every
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", AT_STEPS)
def test_kills_at_every_step(name, tmp_path):
    """Conductor or worker killed before and after each request and what is kept, and in between: nothing is lost, and a run goes on."""
    usual, steps, _ = at_a_step(tmp_path / "usual", AT_STEPS[name])
    assert 0 == usual
    assert len(steps) > 10
    kills = [(step, "conductor") for step in steps] + [(step, "worker") for step in steps if "store" not in step]
    for number, (step, victim) in enumerate(kills):
        folder = tmp_path / str(number)
        code, reached, known = at_a_step(folder, AT_STEPS[name], step, victim)
        assert step in reached
        assert (2 if victim == "conductor" else usual) == code, (step, victim)
        assert known <= len(samples(folder / "runs.sqlite")), (step, victim)
        if victim == "conductor" and name == "run":
            goes_on(folder)


@linux
@pytest.mark.full
def test_a_run_is_resumed_by_one_process(tmp_path):
    """Of several that resume a killed one at the same moment, one goes on with it and loses nothing; the others say so."""
    assert -signal.SIGKILL == hurt(tmp_path, RUN, "kill", random.Random(0), None)
    store = tmp_path / "runs.sqlite"
    before = samples(store)
    several = [command(tmp_path, "run", "--resume") for _ in range(3)]
    said = [process.communicate(timeout=LONGEST_S)[1] for process in several]
    assert [0, 2, 2] == sorted(process.returncode for process in several), said
    told = ("is being measured by another process", "another process has just resumed")
    assert 2 == sum(any(text in line for text in told) for line in said), said
    assert [("finished",)] == asked(store, "SELECT status FROM run")
    assert set(before) <= set(samples(store))
    assert not asked(store, TWICE)


@pytest.mark.parametrize("command", ["show", "claims"])  # with a supervisor, and without
@pytest.mark.parametrize("number", [1, 30, 200])
def test_an_interrupt_while_modules_are_imported_is_one_line(number, command):
    """Ctrl-C at any import ends at once, with one line and 130."""
    done = run([sys.executable, "-c", AT_AN_IMPORT, str(number), command, "runs"], check=False)
    assert (130, "") == (done.returncode, done.stdout)
    assert {"serbench: interrupted before it began; give the command again"} == set(done.stderr.splitlines())


def test_ctrl_c_during_which_a_library_fails_is_one_line(cli, monkeypatch):
    """nbclient, interrupted while its kernel starts, raises an AssertionError in its clean-up."""

    def fails(*_, **__):
        try:
            raise KeyboardInterrupt
        finally:
            raise AssertionError

    monkeypatch.setattr(program, "_run", fails)
    code, _, error = cli("report", "--check")
    assert (130, 1) == (code, error.count("\n")), error


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")], ids=repr)
def test_memory_that_the_system_does_not_give_is_one_line(error, cli, monkeypatch):
    """A class that limits the memory of its process, or a shell that does, is told in one line."""

    def fails(*_, **__):
        raise error

    monkeypatch.setattr("serbench.api.command_line.looking.remove_environment", fails)
    code, _, error = cli("env", "remove", "pydantic==2.5")
    assert (2, 1) == (code, error.count("\n"))
    assert error.startswith("serbench: the system gives no more memory")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_what_shows_a_file_takes_of_the_budget(cli, tmp_path, monkeypatch):
    """`recommend FILE --budget` ends in time although the types are shown before anything is measured."""
    (tmp_path / "data.json").write_text("[1]")
    monkeypatch.setattr("serbench.api.command_line.judging.describe", lambda: time.sleep(100))
    code, out, error = cli("recommend", tmp_path / "data.json", "--budget", "0.2s")
    assert (2, "") == (code, out)
    assert "serbench: reading data.json took more than 0.2 s\n" == error


@linux
def test_a_working_folder_that_is_gone_is_one_line(cli, tmp_path, monkeypatch):
    """A relative path means nothing there, and the line says so."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    code, _, error = cli("show", "data.json", "--output", "types.txt")
    assert (2, "serbench: the folder in which the command was given is gone; change to another\n") == (code, error)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted("interrupted; two claims are kept")], ids=repr)
def test_each_command_ends_with_130_and_says_what_is_kept(cli, monkeypatch, error):
    """A command that is interrupted prints its own line, or that nothing is kept; grouped commands do too."""

    def interrupted(*_, **__):
        raise error

    monkeypatch.setattr("serbench.api.command_line.looking.remove_environment", interrupted)
    line = str(error) or "interrupted; nothing is kept, so give the command again"
    assert (130, "", f"serbench: {line}\n") == cli("env", "remove", "pydantic==2.5")


def test_an_interrupt_while_options_are_read_is_one_line(cli, monkeypatch):
    """Ctrl-C between the import of a command and its first step is told as any other; click would end without a word."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Command, "make_context", interrupted)
    assert (130, "", "serbench: interrupted; nothing is kept, so give the command again\n") == cli("report")


def test_the_innermost_part_says_what_is_kept():
    """What is known of the work within is said, not what a wider part would say."""
    outer = if_interrupted("nothing is kept")
    with pytest.raises(Interrupted, match=r"^interrupted; all is kept$"), outer, if_interrupted("all is kept"):
        raise KeyboardInterrupt


SIDES = ("dataclasses", "typeddict")
CHOICE = {"formats": "orjson", "operations": "decode", "effort": "quick", "records": 2}


class AtTheFirstVisit(serbench.RunListener):
    """Ends a run as soon as it has something that a verdict could be made of."""

    def __init__(self):
        self.cancel = threading.Event()

    def visit(self, _):
        self.cancel.set()


@pytest.mark.slow
def test_a_gate_that_is_ended_gives_no_verdict(tmp_path):
    """What was measured until then is kept, and the same gate goes on with it to its verdict."""
    store, ended = tmp_path / "runs.sqlite", AtTheFirstVisit()
    with pytest.raises(
        Interrupted,
        match=r"^interrupted before there was a verdict; run \S+ is kept, and --resume --store \S+ continues it",
    ):
        serbench.gate(*SIDES, **CHOICE, store=store, listener=ended, cancel=ended.cancel)
    (kept,) = serbench.runs(store=store)
    assert ("interrupted", False) == (kept.status, kept.used_up)

    gate = serbench.gate(*SIDES, **CHOICE, store=store, resume=True)
    assert gate.verdict in {"fine", "slower", "undecided"}
    assert [kept.id] == [run.id for run in serbench.runs(store=store)]


def test_a_gate_whose_store_is_lost_gives_no_verdict(monkeypatch):
    """Nobody has interrupted it, nothing goes on with it: it says what the run says."""
    lost = known_runs.usual()[0]
    info = replace(lost.info, status="interrupted", warnings=["not all of this run is kept: it is gone"])
    monkeypatch.setattr("serbench.api.judging.run", lambda *_, **__: replace(lost, info=info))
    with pytest.raises(StoreError, match=r"^not all of this run is kept: it is gone$"):
        serbench.gate(*SIDES, **CHOICE)


def test_the_sides_of_a_gate_are_what_is_measured(monkeypatch):
    """Another interpreter is in the names of the environments."""

    def measured(*_, libraries, formats, python, **__):
        chosen = select_cases(libraries, formats, several(python), None)
        cases = [CaseId(c.library.name, c.variant, c.codec.name, c.codec.format, c.recipe.name) for c in chosen]
        point, facts = vars(Point("client", 2, 1, 0)), {"operation": "decode", "status": "unavailable"}
        cells = [Cell(id=n, **point, **vars(case), **facts, reason="planted") for n, case in enumerate(cases)]
        return Run(known_runs.info("r"), cells, [])

    monkeypatch.setattr("serbench.api.judging.run", measured)
    monkeypatch.setattr(
        "serbench.api.judging.maker", lambda _: lambda recipes: dict.fromkeys(recipes, main_environment())
    )
    with pytest.raises(PlanError, match="msgspec cannot be measured here: planted"):
        serbench.gate("msgspec", "cattrs", formats="json/json", python="3.9")


def test_a_gate_does_not_measure_beside_a_version_that_cannot_be_installed(monkeypatch):
    """The reason is known before the other side is measured."""
    monkeypatch.setattr("serbench.api.judging.run", lambda *_, **__: pytest.fail("the other side was measured"))

    def made(recipe):
        return main_environment() if recipe == MAIN else Environment.unusable(recipe, "no such version")

    monkeypatch.setattr("serbench.api.judging.maker", lambda _: lambda recipes: {r: made(r) for r in recipes})
    with pytest.raises(PlanError, match=r"^msgspec@0\.99\.1 cannot be measured here: no such version$"):
        serbench.gate("msgspec", "msgspec@0.99.1", formats="json/json")


WRITES = {
    "adopt": ("adopt", "pydantic", "json", "-o", "module.py"),
    "show": ("show", "data.json", "-o", "types.txt"),
    "page": ("report", "--html", "page", "--run", "latest"),
    "site": ("report", "--site", "site", "--run", "latest"),
    "run": ("run", "-w", "tiny", "-n", "2", "-l", "msgspec", "-f", "orjson", "-e", "quick", "--store", "own.sqlite"),
    "export": ("run", "--stored", "latest", "--to", "json", "--output", "run.json"),
    "verify": ("verify", "-w", "tiny", "-l", "msgspec", "-f", "orjson", "--output", "outcomes.md"),
    "weigh": ("weigh", "-w", "tiny", "-n", "2", "-l", "msgspec", "-f", "orjson", "--metric", "start", "--output", "w.json"),
}  # fmt: skip

MOST_BYTES = 9_000
LARGE = [{"id": number, "note": "x" * 20} for number in range(500)]
WRITERS = {
    "a result": lambda folder: next(cost for cost in published_costs() if cost.info.id == "memory").write(folder),
    "claims": lambda folder: ledger().write(folder),
    "notebooks": copy_notebooks,
    "an upload": lambda folder: uploaded("orders.json", json.dumps(LARGE).encode(), folder),
    "an object": lambda _: kept(LARGE),
}


@pytest.mark.skipif(os.name != "posix", reason="this platform does not limit files")
@pytest.mark.parametrize("writer", WRITERS)
def test_what_cannot_be_written_whole_is_not_there(writer, tmp_path, monkeypatch):
    """Whoever writes leaves no part of a file where there is no room, and writes what was asked as soon as there is."""
    import resource

    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "own" / "runs.sqlite"))
    monkeypatch.setenv("SERBENCH_ENVIRONMENTS", str(tmp_path / "own"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it would not be whole either
    (tmp_path / "own").mkdir()
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, usual[1]))
    try:
        with pytest.raises((OSError, SerbenchError), match="File too large"):
            WRITERS[writer](tmp_path / "own")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    left = {path: path.read_bytes() for path in (tmp_path / "own").rglob("*") if path.is_file()}
    WRITERS[writer](tmp_path / "own")
    assert left == {path: path.read_bytes() for path in left}
    assert any(path.stat().st_size > MOST_BYTES for path in (tmp_path / "own").rglob("*"))


def test_a_file_is_whole_or_not_there(tmp_path, cli, monkeypatch):
    """A disk that is full while a new file is written leaves nothing, and the next try succeeds."""
    usual = Path.write_text

    def full(path, *values, **named):
        if path.parent != tmp_path:
            return usual(path, *values, **named)
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    to = tmp_path / "module.py"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        code, _, err = cli("adopt", "msgspec", "json", "-o", to)
    assert 2 == code
    assert f"serbench: {to} cannot be written (No space left on device)" in err
    assert not list(tmp_path.iterdir())
    assert 0 == cli("adopt", "msgspec", "json", "-o", to)[0]
    code, _, err = cli("adopt", "msgspec", "json", "-o", to)
    assert (2, True) == (code, "exists already" in err)


def test_what_a_killed_process_has_begun_is_removed(tmp_path):
    """The part of a file that it left beside is removed by the next who writes that file; one at work is left alone."""
    gone = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    gone.wait(100)
    left, alive = tmp_path / f".a[1].txt.{gone.pid}", tmp_path / f".a[1].txt.{os.getppid()}"
    left.touch()
    alive.touch()
    write_file(tmp_path / "a[1].txt", "whole")
    assert [alive, tmp_path / "a[1].txt"] == sorted(tmp_path.iterdir())


@linux
def test_a_full_output_is_named():
    """Where standard output takes no more, the line says so, and no disk is blamed."""
    command = f"{sys.executable} -m serbench show workloads > /dev/full"
    done = run(["sh", "-c", command], check=False)
    assert 2 == done.returncode
    assert (
        "serbench: standard output cannot be written: no space is left there; free some, and repeat the command\n"
        == done.stderr
    )


@contextmanager
def small_disk(folder):
    """A file system of 12 MB."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", folder], check=True, timeout=60)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True, timeout=60)


@linux
@pytest.mark.full
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root makes small file systems")
@pytest.mark.parametrize("name", WRITES)
def test_full_disks_of_many_sizes(name, tmp_path):
    """On small file systems, filled to many degrees, each command that writes ends well or in one line; then it works."""
    store = tmp_path / "runs.sqlite"
    serbench.run("tiny", records=2, libraries="msgspec", formats="orjson", effort="quick", store=store)
    variables, words = {**os.environ, "SERBENCH_STORE": str(store)}, [sys.executable, "-m", "serbench", *WRITES[name]]
    with small_disk(tmp_path / "disk") as disk:
        (disk / "data.json").write_text('[{"a": 1}, {"a": 2}]')
        for free_kb in (0, 4, 40, 400):
            with (disk / "fill").open("wb", buffering=0) as file:
                while os.statvfs(disk).f_bavail * 4 > free_kb:
                    file.write(bytes(4096))
            done = run(words, check=False, cwd=disk, env=variables)
            assert "Traceback" not in done.stderr
            assert done.returncode in (0, 2), done.stderr
            if done.returncode:
                assert "serbench: " in done.stderr.splitlines()[-1]
                assert {"data.json", "fill"} >= {
                    path.name for path in disk.rglob("*") if path.is_file() and "sqlite" not in path.name
                }
            (disk / "fill").write_bytes(b"")
            for written in ("module.py", "types.txt") if done.returncode == 0 else ():
                (disk / written).unlink(missing_ok=True)
            again = run(words, check=False, cwd=disk, env=variables)
            assert 0 == again.returncode, again.stderr
            for path in disk.iterdir():
                if path.name not in ("data.json", "fill"):
                    subprocess.run(["rm", "-rf", path], check=True, timeout=60)


GATE = "gate --baseline msgspec --candidate mashumaro"


@pytest.mark.parametrize("command", ["run -l msgspec", "verify -l msgspec", "weigh -l msgspec", GATE])
def test_no_folder_for_temporary_files_is_one_line(command, tmp_path, refused, monkeypatch):
    """It ends with 2, not with what CI takes for a slower candidate or a case that fails."""
    (tmp_path / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / "file" / "below")])
    said = refused(*command.split(), "--format", "orjson", "--records", "2")
    assert "no folder for temporary files can be written" in said
    assert "TMPDIR" in said


@pytest.mark.parametrize("command", ["verify -l msgspec", GATE])
def test_an_unexpected_error_has_an_exit_code_of_its_own(command, cli, monkeypatch):
    """It ends with 4 and its traceback: 1 would be an answer."""

    def broken(*_):
        raise RuntimeError("planted")

    monkeypatch.setattr("serbench.render.environments.Environment.installed", broken)
    code, _, said = cli(*command.split(), "--format", "orjson", "--records", "2")
    assert 4 == code, said
    assert "Traceback " in said
    assert said.endswith("RuntimeError: planted\n")
