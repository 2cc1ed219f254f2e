"""A session starts a process, talks to it, knows what it has been told, and tells how it ended."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from planted import GOOD, case
from waits import LONGEST_S, joined, until

from serbench.measure import session as module
from serbench.measure.session import (
    Fault,
    RequestLimits,
    Watchdog,
    WorkerSession,
    in_parallel,
    meanwhile,
    scratch_session,
)
from serbench.render.environments import main_environment

posix = pytest.mark.skipif(os.name != "posix", reason="signals and sessions of processes are POSIX's")
PROGRAM = """
import json, os, signal, struct, sys
requests, replies = os.fdopen(0, "rb"), os.fdopen(1, "wb")
while head := requests.read(4):
    asked, blob = json.loads(requests.read(struct.unpack(">I", head)[0])), b""
    reply = {"asked": asked}
    exec(asked.get("code", ""))
    text = json.dumps(reply).encode()
    replies.write(struct.pack(">I", len(text)) + text + blob)
    replies.flush()
"""
"""It speaks as a worker does: it runs the code of a request and sends `reply` and `blob`."""


@pytest.fixture
def watchdog():
    """One that ends every process at the end of the test."""
    with Watchdog() as made:
        yield made


@pytest.fixture
def program(tmp_path):
    """The file of a program that does what it is asked."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def session(watchdog, tmp_path, program):
    """A session with that program."""
    return WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits(), program=program)


class Told(WorkerSession):
    """A session that answers for its process, and remembers what it is asked."""

    def __init__(self, folder, watchdog):
        super().__init__(main_environment(), watchdog, folder, RequestLimits())
        self.asked = []

    def ask(self, do, **arguments):
        self.asked.append((do, arguments))
        return {}


def test_a_request_and_its_reply_have_any_data(session):
    """Arguments arrive as they were sent, whether or not they can be cached; bytes behind a reply are its blob."""
    for number in (1, 2):
        assert {"do": "any", "number": number, "list": [1, {"é": None}]} == session.ask(
            "any", number=number, list=[1, {"é": None}]
        )["asked"]
        assert {"do": "any", "number": number} == session.ask("any", number=number)["asked"]
    found = session.ask("any", code="blob = b'\\x00{}'; reply = {'blob_bytes': 3}")
    assert b"\x00{}" == found["blob"]
    assert {"do": "any"} == session.ask("any")["asked"]


def test_a_process_that_does_not_start_leaves_no_open_file(session, monkeypatch):
    """The file of its standard error is closed: nobody would do that later."""

    def start(*_, **__):
        raise OSError("no more processes")

    monkeypatch.setattr(module.subprocess, "Popen", start)
    with pytest.raises(OSError, match="no more processes"):
        session.ask("any")
    assert session._errors.closed


def test_an_environment_that_is_removed_is_a_reason(watchdog, tmp_path):
    """Where its Python is gone, a case has a row that says so; the run goes on."""
    gone = replace(main_environment(), name="pydantic==2.5.*", python=str(tmp_path / "python"))
    with pytest.raises(Fault, match=r"the environment pydantic==2\.5\.\* was removed during the run"):
        WorkerSession(gone, watchdog, tmp_path, RequestLimits()).ask("ping")


def test_a_request_that_is_sent_again_is_made_once():
    """The text of a batch's request costs time beside what is measured."""
    assert module._request("measure", {"loops": 12_345}) is module._request("measure", {"loops": 12_345})
    assert {"do": "add_data", "spec": [1]} == json.loads(module._request("add_data", {"spec": [1]}))


@posix
def test_a_process_is_alone_with_its_limit(session, monkeypatch):
    """It runs isolated, in a group of processes that Ctrl-C does not reach, without variables of Python's."""
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    monkeypatch.setenv("SERBENCH_TOLD", "yes")
    code = "reply = [sys.argv[1:], sys.flags.isolated, os.getpgrp() != os.getpgid(os.getppid()), dict(os.environ)]; reply = {'is': reply}"
    argv, isolated, alone, variables = session.ask("any", code=code)["is"]
    assert ([str(4 << 30)], 1, True) == (argv, isolated, alone)
    assert "yes" == variables["SERBENCH_TOLD"]
    assert [] == [name for name in variables if name.startswith("PYTHON")]


def test_the_first_request_starts_a_process_and_the_next_have_it_too(session, watchdog, tmp_path):
    """Its number is 0 before; a file marks it for those who clean up, and the watchdog knows the session until it ends."""
    assert (0, set()) == (session.pid, watchdog.sessions)
    pid = session.ask("any", code="reply = {'pid': os.getpid()}")["pid"]
    assert pid == session.pid == session.ask("any", code="reply = {'pid': os.getpid()}")["pid"]
    assert {session} == watchdog.sessions
    assert (tmp_path / f"worker-{pid}").is_file()
    popen, words = session._popen, session._errors.name
    session.end()
    assert (0, set()) == (session.pid, watchdog.sessions)
    assert popen.returncode is not None
    assert all(stream.closed for stream in (session._requests, session._replies, session._errors))
    session.end()  # nothing is left to end
    session.kill()
    assert pid != session.ask("any", code="reply = {'pid': os.getpid()}")["pid"]
    assert words != session._errors.name  # what it has started may still write there


def test_a_session_leaves_nothing_running(session):
    """At the end of the block its process has ended."""
    with session:
        session.ask("any")
        popen = session._popen
    assert popen.returncode is not None


def test_a_case_that_fails_keeps_the_process(session):
    """The reason and status are the worker's, and what the process has been told stays known."""
    session.ask("any")
    pid, known = session.pid, session.known
    known.add("fact")
    with pytest.raises(Fault, match=r"^why$") as raised:
        session.ask("any", code="reply = {'error': 'why', 'status': 'unsupported'}")
    fault = raised.value
    assert ("unsupported", "why", False, False) == (fault.status, fault.reason, fault.fatal, fault.retryable)
    assert (pid, {"fact"}) == (session.pid, known)


def test_a_case_that_has_no_memory_left_costs_the_process(session):
    """What a process does after that cannot be trusted; the row says the limit."""
    session.known.add("fact")
    with pytest.raises(Fault) as raised:
        session.ask("any", code="reply = {'error': 'MemoryError: ', 'status': 'memory'}")
    fault = raised.value
    assert ("memory", True, False) == (fault.status, fault.fatal, fault.retryable)
    assert "MemoryError: " in fault.reason
    assert (0, set()) == (session.pid, session.known)


def test_a_full_disk_is_no_fault_of_a_case(watchdog, tmp_path):
    """A worker that can write no file says that, which the command tells with the folder; nothing is said of the row."""
    script = tmp_path / "script.py"
    script.write_text("import errno\n\n\ndef write(_, code):\n    raise OSError(getattr(errno, code), 'planted')\n")
    with WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits()) as worker:
        with pytest.raises(OSError, match=re.escape(str(tmp_path))) as raised:
            worker.call(script, "write", code="ENOSPC")
        assert errno.ENOSPC == raised.value.errno
        with pytest.raises(Fault, match="planted") as failed:
            worker.call(script, "write", code="EACCES")
        assert "failed" == failed.value.status


@pytest.mark.parametrize("text", ["", "enough"])
def test_a_keyboard_interrupt_of_users_code_is_its_failure(text, watchdog, tmp_path):
    """Nobody can interrupt a worker: the process goes on, and the reason says what was raised."""
    script = tmp_path / "script.py"
    script.write_text(f"def stop(_):\n    raise KeyboardInterrupt({text!r})\n")
    with WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits()) as worker:
        with pytest.raises(Fault) as failed:
            worker.call(script, "stop")
        assert ("failed", False) == (failed.value.status, failed.value.fatal)
        assert ": ".join(filter(None, ("KeyboardInterrupt", text))) == failed.value.reason
        assert worker.pid


ENDS = [
    ("os._exit(3)", "crashed", "exit code 3", False),
    ("sys.stderr.write('a\\nb \\n\\n'); sys.exit(4)", "crashed", "exit code 4 (b)", False),
    ("os.kill(os.getpid(), signal.SIGTERM)", "crashed", "SIGTERM", False),
    ("replies.write(b'xyz'); replies.flush(); os._exit(5)", "crashed", "exit code 5", False),
    ("replies.write(struct.pack('>I', 99) + b'{'); replies.flush(); os._exit(6)", "crashed", "exit code 6", False),
    (
        "replies.write(struct.pack('>I', 17) + b'{\"blob_bytes\": 9}xyz'); replies.flush(); os._exit(7)",
        "crashed",
        "exit code 7",
        False,
    ),
    ("raise MemoryError", "memory", ": MemoryError", False),
    ("sys.exit('memory allocation of 8 bytes failed')", "memory", ": memory allocation of 8 bytes failed", False),
    ("os.kill(os.getpid(), signal.SIGKILL)", "memory", "SIGKILL", True),
]


@posix
@pytest.mark.parametrize(("code", "status", "fact", "retryable"), ENDS)
def test_how_a_process_ended_is_told(session, code, status, fact, retryable):
    """The status and reason say what happened; only who was killed from outside is tried again."""
    with pytest.raises(Fault) as raised:
        session.ask("any", code=code)
    fault = raised.value
    assert (status, True, retryable) == (fault.status, fault.fatal, fault.retryable)
    assert fact in fault.reason
    assert ("(" in fact) == (fault.reason.endswith(")") and status == "crashed")
    assert 0 == session.pid


@posix
def test_a_process_that_ended_between_two_requests_is_told_by_the_next(session):
    """What cannot be written is an end like any other, and the request after that has a new process."""
    session.ask("any")
    session._popen.kill()
    session._popen.wait(LONGEST_S)
    with pytest.raises(Fault, match="SIGKILL") as raised:
        session.ask("any")
    assert raised.value.retryable
    assert session.ask("any")


WORDS = [
    ("one\ntwo\n", "two"),
    ("one  \n\n  two\n", "one"),
    ("\ttwo \n", "two"),
    ("one\nExtension modules: a.b (total: 1)\n", "one"),
    ("Fatal Python error: Aborted\n\nThread 0x1:\n  File x\nCurrent\n", "Fatal Python error: Aborted"),
    ("Fatal Python error: first\nFatal Python error: second\nlast", "Fatal Python error: first"),
    ("", ""),
    ("x" * 300, "x" * 200),
    ("Fatal Python error: far\n" + "y" * (64 << 10), "y" * 200),
    ("Fatal Python error: near\n" + "y" * ((64 << 10) - 25), "Fatal Python error: near"),
    ("Fatal Python error: cut\n" + "y" * ((64 << 10) - 23), "y" * 200),
]


@pytest.mark.parametrize(("text", "line"), WORDS)
def test_the_line_that_says_most_is_the_reason(tmp_path, watchdog, text, line):
    """It is the first line of a fatal error among the last 64 KiB, else the last line that is no part of a stack."""
    told = Told(tmp_path, watchdog)
    with (tmp_path / "stderr").open("w+b") as told._errors:
        told._errors.write(text.encode())
        assert line == told._last_words()


class Patient:
    """A watchdog that remembers for how long each request may take, and never ends a process."""

    def __init__(self):
        self.sessions, self.cancelled, self.waits, self.forgotten = set(), False, [], 0

    def check(self):
        pass

    def expect(self, _, seconds):
        self.waits.append(seconds)

    def forget(self, _):
        self.forgotten += 1


@pytest.mark.parametrize(("limits", "usual", "set_up"), [((), 10, 60), ((3, 1 << 30, 2), 3, 3), ((2, 0, 3), 2, 3)])
def test_a_request_that_sets_up_may_take_longer(tmp_path, program, limits, usual, set_up):
    """It has the time for that, if it is more than for any other request; the watchdog hears of every answer."""
    patient = Patient()
    with WorkerSession(main_environment(), patient, tmp_path, RequestLimits(*limits), program=program) as session:
        for do in ("start", "add_data", "load", "prepare", "measure", "wrong"):
            session.ask(do)
        with pytest.raises(Fault):
            session.ask("measure", code="os._exit(1)")
    assert [*[set_up] * 4, *[usual] * 3] == patient.waits
    assert 7 <= patient.forgotten


def test_a_worker_loads_what_compares_values_at_its_start(tmp_path, watchdog, program, monkeypatch):
    """Nothing else is asked of a process before that; other programs are asked for nothing."""
    code = program.read_text().replace(
        'reply = {"asked": asked}', 'asks = [*globals().get("asks", []), asked]; reply = {"asks": asks}'
    )
    program.write_text(code)
    other = WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits(), program=program)
    assert [{"do": "any"}] == other.ask("any")["asks"]
    monkeypatch.setattr(module, "WORKER", program)
    for collects in (True, False):
        worker = WorkerSession(
            main_environment(), watchdog, tmp_path, RequestLimits(), collects=collects, program=program
        )
        start = {"do": "start", "fidelity": str(module.FIDELITY), "collects": collects, "folders": []}
        assert [start, {"do": "any"}] == worker.ask("any")["asks"]


def test_a_worker_that_cannot_be_set_up_is_replaced(tmp_path, watchdog, program, monkeypatch):
    """The request has the reason, and the next one starts another process."""
    flag = tmp_path / "flag"
    fails = (
        f'reply = {{"error": "not now", "status": "failed"}} if not os.path.exists({str(flag)!r}) else {{"asked": asked}};'
        f" open({str(flag)!r}, 'w').close()"
    )
    program.write_text(program.read_text().replace('reply = {"asked": asked}', fails))
    monkeypatch.setattr(module, "WORKER", program)
    worker = WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits(), program=program)
    with pytest.raises(Fault, match="not now"):
        worker.ask("any")
    assert 0 == worker.pid
    assert {"do": "any"} == worker.ask("any")["asked"]


@posix
def test_a_worker_that_is_silent_too_long_is_ended(session):
    """The reason names the limit, and the next request has another process and a new time."""
    session.limits = RequestLimits(seconds=0.2)
    with pytest.raises(Fault) as raised:
        session.ask("any", code="signal.pause()")
    fault = raised.value
    assert ("timeout", True, False) == (fault.status, fault.fatal, fault.retryable)
    assert "0.2 s" in fault.reason
    session.limits = RequestLimits()
    assert {"do": "any"} == session.ask("any")["asked"]
    assert not session.timed_out


@posix
@pytest.mark.parametrize("stopped", [True, False])
def test_a_worker_that_was_stopped_from_outside_is_tried_again(tmp_path, program, stopped):
    """Who was killed for its silence had no fault if somebody had stopped it."""

    class Strict(Patient):
        def expect(self, session, seconds):
            super().expect(session, seconds)
            session.timed_out, session.was_stopped = True, stopped

    with WorkerSession(main_environment(), Strict(), tmp_path, RequestLimits(2.5), program=program) as session:
        with pytest.raises(Fault, match=r"2\.5 s") as raised:
            session.ask("any", code="os.kill(os.getpid(), signal.SIGKILL)")
        assert ("timeout", stopped) == (raised.value.status, raised.value.retryable)


def test_data_is_told_once(tmp_path, watchdog):
    """A process that has a value is not sent it again, until it ends."""
    told = Told(tmp_path, watchdog)
    for _ in range(2):
        assert "values" == told.add_data("values", ["int"], tmp_path / "file", {"span": 1})
    expected = {"name": "values", "spec": ["int"], "values": str(tmp_path / "file"), "documents": {"span": 1}}
    assert [("add_data", expected)] == told.asked
    told.end()
    told.add_data("values", ["int"], tmp_path / "file")
    assert [("add_data", expected), ("add_data", {**expected, "documents": None})] == told.asked


def test_a_value_is_written_to_a_file_and_told_once(tmp_path, watchdog):
    """A name with spaces gives a file without."""
    told = Told(tmp_path, watchdog)
    assert ["a b", "a b"] == [told.add_value("a b", ["int"], 1) for _ in range(2)]
    path = tmp_path / "a_b.pickle"
    assert [("add_data", {"name": "a b", "spec": ["int"], "values": str(path), "documents": None})] == told.asked
    assert b"\x80\x04K\x01." == path.read_bytes()


def test_a_module_is_loaded_in_place_of_the_one_before(tmp_path, watchdog):
    """It is loaded once; after another it is loaded again, and data stays known."""
    told = Told(tmp_path, watchdog)
    told.known |= {("data", "values"), "key"}
    for name in ("first", "first", "second", "first"):
        told.load(case("any"), name)
    assert ["first", "second", "first"] == [arguments["module"] for do, arguments in told.asked if do == "load"]
    assert {("data", "values"), "key", ("module", "first")} == told.known


def test_a_value_that_is_prepared_replaces_the_one_of_that_name(tmp_path, watchdog):
    """Another value under a name that is known is sent again before the case is prepared with it."""
    told = Told(tmp_path, watchdog)
    told.add_value("probe", ["int"], 1)
    told.prepare(case("any"), "probe", ["int"], 2)
    assert ["add_data", "add_data", "prepare"] == [do for do, _ in told.asked]
    assert b"\x80\x04K\x02." == (tmp_path / "probe.pickle").read_bytes()
    arguments = told.asked[-1][1]
    assert ("probe", "probe", "probe") == tuple(arguments[name] for name in ("case", "data", "module"))
    assert GOOD in Path(arguments["path"]).read_text()


def test_a_core_is_for_the_present_process_and_those_after_it(session, monkeypatch):
    """None leaves later ones free; there is nothing to pin before the first."""
    pins = []
    monkeypatch.setattr(module, "pin_process", lambda pid, core: pins.append((pid, core)))
    session.pin(3)
    assert [] == pins
    session.ask("any")
    first = session.pid
    session.pin(4)
    session.pin(None)
    session.end()
    session.ask("any")
    assert [(first, 3), (first, 4)] == pins


def test_a_cancelled_run_answers_no_request(session, watchdog):
    """Neither a process that runs nor one that would be started, and the one that runs is killed."""
    session.ask("any")
    popen = session._popen
    watchdog.cancel()
    assert watchdog.cancelled
    with pytest.raises(KeyboardInterrupt):
        session.ask("any")
    assert popen.wait(LONGEST_S) != 0
    session.end()
    with pytest.raises(KeyboardInterrupt):
        session.ask("any")
    assert 0 == session.pid


def test_a_cancelled_run_sends_no_request(tmp_path, program):
    """Nothing is asked of a process that nobody has killed yet."""
    event = threading.Event()
    session = WorkerSession(main_environment(), Watchdog(event), tmp_path, RequestLimits(), program=program)
    with session:
        session.ask("any")
        event.set()
        with pytest.raises(KeyboardInterrupt):
            session.ask("any")


@pytest.mark.parametrize("how", ["event", "call"])
def test_who_waits_when_the_run_is_cancelled_is_interrupted(tmp_path, program, how):
    """It is not said that the case has failed."""
    event = threading.Event()
    with Watchdog(event) as watchdog:
        assert not watchdog.cancelled
        session = WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits(), program=program)
        session.ask("any")
        started = tmp_path / "started"
        cancel = event.set if how == "event" else watchdog.cancel
        thread = threading.Thread(target=lambda: (until(started.exists, "the request"), cancel()))
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            session.ask("any", code=f"open({str(started)!r}, 'w').close(); import time; time.sleep(60)")
        joined(thread)


def test_a_watchdog_ends_every_session(tmp_path, program):
    """At the end of its block no process is left."""
    with Watchdog() as watchdog:
        sessions = [
            WorkerSession(main_environment(), watchdog, tmp_path, RequestLimits(), program=program) for _ in range(2)
        ]
        for session in sessions:
            session.ask("any")
        processes = [session._popen for session in sessions]
    assert all(process.returncode is not None for process in processes)
    joined(watchdog._thread)


class Watched:
    """A session as a watchdog sees it."""

    def __init__(self):
        self.pid, self.kills, self.timed_out, self.was_stopped = 7, 0, False, False

    def drop_printed(self):
        """It prints nothing."""

    def kill(self):
        self.kills += 1


@pytest.fixture
def looks(monkeypatch):
    """A watchdog without its thread, which looks ten times a second; `look` lets so many pass before each of its looks."""
    clock = SimpleNamespace(s=1000.0)
    event = threading.Event()
    watchdog = Watchdog(event)
    watchdog._closed.set()
    joined(watchdog._thread)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.s))
    monkeypatch.setattr(module, "is_stopped", lambda pid: pid == 8)

    def look(*seconds):
        left = list(seconds)

        def wait(between):
            assert between == 0.1
            if left:
                clock.s += left.pop(0)
                return False
            return True

        watchdog._closed = SimpleNamespace(wait=wait)
        watchdog._watch()

    return SimpleNamespace(watchdog=watchdog, look=look, event=event)


def test_a_worker_is_killed_once_its_time_is_over(looks):
    """Not at the moment itself; not if it has answered; it is noted whether somebody has stopped it."""
    late, stopped, answered = Watched(), Watched(), Watched()
    stopped.pid = 8
    for session in (late, stopped, answered):
        looks.watchdog.expect(session, 5.0)
    looks.watchdog.forget(answered)
    looks.watchdog.forget(answered)
    looks.look(2.0, 2.0, 1.0)
    assert [0, 0, 0] == [session.kills for session in (late, stopped, answered)]
    looks.look(0.5)
    assert [1, 1, 0] == [session.kills for session in (late, stopped, answered)]
    assert [(True, False), (True, True)] == [(session.timed_out, session.was_stopped) for session in (late, stopped)]


def test_time_in_which_nobody_looked_does_not_count(looks):
    """More than two seconds between two looks mean that the conductor was stopped; so it is for later requests."""
    before, after = Watched(), Watched()
    looks.watchdog.expect(before, 5.0)
    looks.look(2.5, 100.0, 2.0, 2.0)
    assert 0 == before.kills
    looks.watchdog.expect(after, 5.0)
    looks.look(1.0)
    assert (0, 0) == (before.kills, after.kills)
    looks.look(0.5)
    assert (1, 0) == (before.kills, after.kills)
    looks.look(2.0, 1.5)
    assert 0 == after.kills
    looks.look(0.5)
    assert 1 == after.kills


def test_a_cancelled_run_kills_whoever_is_waited_for(looks):
    """Nobody is said to have been too slow."""
    session = Watched()
    looks.watchdog.expect(session, 5.0)
    looks.event.set()
    looks.look(0.1)
    assert (1, False) == (session.kills, session.timed_out)


@pytest.fixture
def usual_stack():
    """The bytes of a thread's stack that are set before; asking for them sets them."""
    threading.stack_size(1 << 20)
    yield 1 << 20
    threading.stack_size(0)


@pytest.mark.parametrize("workers", [1, 3])
def test_work_is_done_in_so_many_threads(watchdog, monkeypatch, usual_stack, workers):
    """Every item is worked on once; by default there is a thread for each core, and each has a deep stack."""
    done, together = [], threading.Barrier(workers)
    monkeypatch.setattr(module, "core_count", lambda: workers)

    def work(item):
        together.wait(LONGEST_S)
        done.append((item, threading.stack_size(64 << 20), threading.get_ident()))

    in_parallel(work, range(3), watchdog)
    assert ([0, 1, 2], {64 << 20}) == (sorted(item for item, _, _ in done), {size for _, size, _ in done})
    assert workers == len({thread for _, _, thread in done})
    assert usual_stack == threading.stack_size(0)
    assert not watchdog.cancelled


def test_the_number_of_threads_may_be_asked_for(watchdog):
    """One thread takes the items in their order."""
    done = []
    in_parallel(lambda item: done.append((item, threading.get_ident())), range(20), watchdog, workers=1)
    assert [*range(20)] == [item for item, _ in done]
    assert 1 == len({thread for _, thread in done})


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_in_a_thread_ends_all_work(watchdog, usual_stack, error):
    """It is raised here, every worker is killed, and threads have their usual stack again."""
    begun = []

    def work(item):
        begun.append(item)
        if item == 0:
            raise error("planted")
        while not watchdog.cancelled:
            threading.Event().wait(0.01)

    with pytest.raises(error, match="planted"):
        in_parallel(work, range(50), watchdog, workers=2)
    assert watchdog.cancelled
    assert len(begun) < 50
    assert usual_stack == threading.stack_size(0)


def test_what_was_not_begun_meanwhile_is_done_on_all_cores(watchdog, monkeypatch, usual_stack):
    """The threads beside keep to their cores; each item is worked on once, and threads wait for each other as before."""
    done, kept, begun, goes_on = [], [], threading.Event(), threading.Event()
    monkeypatch.setattr(module, "keep_to", kept.append)
    patience = sys.getswitchinterval()

    def work(item):
        if item == 0:
            begun.set()
            assert goes_on.wait(LONGEST_S)
        done.append((item, threading.current_thread().name.startswith("serbench-beside")))
        if item == 3:
            goes_on.set()

    with meanwhile(work, range(4), [7], watchdog) as finish:
        assert begun.wait(LONGEST_S)
        assert sys.getswitchinterval() < patience
        finish()
        assert [(0, True), (1, False), (2, False), (3, False)] == sorted(done)
    assert ([[7]], patience, usual_stack) == (kept, sys.getswitchinterval(), threading.stack_size(0))
    assert not watchdog.cancelled


@pytest.mark.parametrize("where", ["beside", "here"])
def test_what_goes_wrong_meanwhile_ends_all_work(watchdog, monkeypatch, where):
    """It is raised where one waits for the work, or where it happened."""
    monkeypatch.setattr(module, "keep_to", lambda _: None)

    def work(item):
        if where == "beside" and item == 0:
            raise ValueError("planted")

    def measure(finish):
        if where == "here":
            raise ValueError("planted")
        finish()

    with pytest.raises(ValueError, match="planted"), meanwhile(work, range(9), [7], watchdog) as finish:
        measure(finish)
    assert watchdog.cancelled


@pytest.mark.slow
def test_a_scratch_folder_goes_with_its_session(tmp_path, watchdog):
    """It lies below the folder that is named, and neither it nor a process is left."""
    with scratch_session(main_environment(), watchdog, RequestLimits(90.0), below=tmp_path) as session:
        assert tmp_path == session.scratch.parent
        assert 90.0 == session.limits.seconds
        session.ask("call", script=str(module.WEIGHER), function="files")
        popen = session._popen
    assert popen.returncode is not None
    assert [] == list(tmp_path.iterdir())


PRINTS = """
import time
largest = 0
while os.fstat(2).st_size >= largest:
    largest = os.fstat(2).st_size
    os.write(2, b"noise " * 1000)
    time.sleep(0.001)
os.write(2, b"last words")
"""


def test_what_a_process_prints_without_end_fills_no_disk(session, monkeypatch):
    """The file of its last words is emptied while it prints, and goes on with what comes then."""
    monkeypatch.setattr(module, "MOST_PRINTED", 1 << 20)
    with session, pytest.raises(Fault, match="last words"):
        session.ask("print", code=f"{PRINTS}os._exit(3)")
