"""A planted wrong codec, crash, hang or memory hog is a row with its reason, and everything else is measured."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from planted import GOOD, Heard, after, case, measured
from waits import LONGEST_S, run

from serbench.judge.waves import SampleTable
from serbench.machine import caretaker
from serbench.machine.caretaker import mark, remove_leftovers
from serbench.measure.listener import Finished
from serbench.measure.session import WEIGHER, WORKER, RequestLimits, Watchdog, WorkerSession
from serbench.render.environments import main_environment

pytestmark = pytest.mark.drawn(part=9, of="faults of workers")

LATER = pytest.param(200, marks=pytest.mark.full)  # during timing
linux = pytest.mark.skipif(sys.platform != "linux", reason="signals and address space limits are Linux's")


def test_a_dropped_field_is_caught_before_timing():
    """A codec that loses a field fails with the path of the first difference and gets no sample."""
    source = GOOD.replace("asdict(item)", '{**asdict(item), "size": 0}')
    heard = measured(case("good"), case("wrong", source))
    assert heard.cell("wrong").status == "failed"
    assert heard.cell("wrong").reason == "decode: value[0].size: expected 1, got 0"
    assert heard.cell("wrong").id not in {sample.cell for sample in heard.all_samples}
    assert heard.cell("good").status == "ok"


def test_bytes_that_mean_something_else_are_caught():
    """A codec that only understands itself fails although its objects survive the round trip."""
    source = GOOD.replace("json.dumps(", "json.dumps([[]] + ").replace("in json.loads(blob)", "in json.loads(blob)[1:]")
    heard = measured(case("good"), case("private", source))
    assert heard.cell("private").status == "failed"
    assert "the bytes, read by" in (heard.cell("private").reason or "")


@linux
@pytest.mark.parametrize("calls", [0, 200])
def test_a_crash_before_or_during_timing_loses_only_its_case(calls):
    """A SIGSEGV is a row that names the signal, whenever it comes; the other libraries have all their waves."""
    heard = measured(
        case("good"), case("deadly", after(calls, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"))
    )
    assert heard.cell("deadly").status == "crashed"
    assert "SIGSEGV" in (heard.cell("deadly").reason or "") or "Segmentation fault" in (
        heard.cell("deadly").reason or ""
    )
    assert heard.cell("good").status == "ok"
    assert {sample.wave for sample in heard.all_samples if sample.cell == heard.cell("good").id} == {1, 2, 3, 4}


@pytest.mark.parametrize("calls", [0, LATER])
def test_a_hang_before_or_during_timing_ends_at_the_time_limit(calls):
    """An endless loop is a row that names the limit."""
    heard = measured(case("good"), case("endless", after(calls, "exec('while True: pass')")), time_limit_s=3.0)
    assert (heard.cell("endless").status, heard.cell("endless").reason) == ("timeout", "no answer within 3 s")
    assert heard.cell("good").status == "ok"


@linux
def test_what_a_hanging_library_has_started_ends_with_it(tmp_path):
    """A copy of the process holds the pipe on which the answer is awaited: it is ended too, and nobody waits for it."""
    there = tmp_path / "the copy is still there"
    copied = f"os.fork() == 0 and (time.sleep(8), open({str(there)!r}, 'w'), os._exit(0))"
    hanging = after(0, f"import os, time; {copied}; exec('while True: pass')")
    heard = measured(case("good"), case("endless", hanging), time_limit_s=2.0)
    assert (heard.cell("endless").status, heard.cell("good").status) == ("timeout", "ok")
    assert not there.exists()


@linux
@pytest.mark.parametrize("calls", [0, LATER])
def test_a_memory_hog_ends_at_the_memory_limit(calls):
    """Eating memory without end is a row, and the machine lives."""
    eat = "hoard = []; exec('while True: hoard.append(bytearray(1 << 26))')"
    heard = measured(case("good"), case("greedy", after(calls, eat)))
    assert heard.cell("greedy").status == "memory"
    assert heard.cell("good").status == "ok"


def test_an_answer_that_cannot_be_read_is_a_row():
    """Code that replaces what the worker frames its answers with loses its own case only."""
    heard = measured(
        case("good"), case("replacing", after(0, "import struct; struct.pack = lambda *_: bytes(3) + b'7'"))
    )
    assert ("crashed", "what the process answers cannot be read") == (
        heard.cell("replacing").status,
        heard.cell("replacing").reason,
    )
    assert heard.cell("good").status == "ok"


def test_what_a_library_prints_never_reaches_the_protocol():
    """Printing and writing to file descriptor 1 leave the run as it is."""
    noisy = GOOD + "\n\nimport os\n\nprint('hello')\nos.write(1, b'\\x00\\x00\\x00\\x05hello')\n"
    assert measured(case("good"), case("noisy", noisy)).cell("noisy").status == "ok"


def test_a_fault_of_the_reference_leaves_the_others_measured(tmp_path):
    """When the fastest case dies in mid-run, in one of its later processes, another becomes the reference."""
    ended = tmp_path / "the first repetition has ended"

    class Marking(Heard):
        def wave_done(self, wave):
            super().wave_done(wave)
            ended.touch()

    fast = after(20, f"os.path.exists({str(ended)!r}) and os.abort()").replace("asdict(item)", "item.__dict__")
    heard = measured(case("good"), case("fast", fast + "\n\nimport os\n"), case("plain"), heard=Marking())
    assert heard.cell("fast").status == "crashed"
    assert max(sample.wave for sample in heard.all_samples if sample.cell == heard.cell("fast").id) in {1, 2, 3}
    assert not heard.cell("fast").reference
    assert {heard.cell("good").status, heard.cell("plain").status} == {"ok"}
    assert heard.cell("good").reference or heard.cell("plain").reference


def test_an_empty_field_of_cases_ends_quietly():
    """When nothing can be measured the run ends with reasons and no sample."""
    heard = measured(case("raises", GOOD + "\n\nraise RuntimeError('never')\n"))
    assert heard.cell("raises").reason == "RuntimeError: never"
    assert heard.all_samples == []


def test_an_interrupt_is_nobodys_fault(monkeypatch):
    """A case whose worker is ended by an interrupt, while others are verified, is not said to have failed."""

    class Impatient(Heard):
        def progress(self, progress):
            if progress.what.startswith("verifying") and progress.done:
                raise KeyboardInterrupt

    # That file may be closed before it is read, which would hide what this test is about.
    monkeypatch.setattr(WorkerSession, "_last_words", lambda _: "")
    heard = Impatient()
    with pytest.raises(KeyboardInterrupt):
        measured(case("good"), case("slow", after(0, "__import__('time').sleep(60)")), heard=heard)
    assert {("unresolved", None)} == {(cell.status, cell.reason) for cell in heard.known.values()}


def test_a_crash_while_collecting_garbage_is_its_cases():
    """A library that dies when the collector runs at the end of set-up is a row, and the others are measured."""
    source = GOOD + "\n\nimport gc, os\n\ngc.disable()\ngc.callbacks.append(lambda *_: os._exit(7))\n"
    heard = measured(case("good"), case("deadly", source))
    assert (heard.cell("deadly").status, heard.cell("deadly").reason) == ("crashed", "the process ended: exit code 7")
    assert heard.cell("good").status == "ok"


def test_a_run_goes_on_where_no_case_of_an_operation_is_left():
    """Resuming when all that was measured has died since ends quietly with the reasons."""
    heard = measured(case("good"))
    dead = [replace(cell, status="crashed", reason="gone") for cell in heard.known.values()]
    again = measured(case("good"), finished=Finished(dead, SampleTable(heard.all_samples)))
    assert again.all_samples == []
    assert again.cell("good").reason == "gone"


ONCE = "import os, signal, pathlib; p = pathlib.Path({flag!r}); p.exists() or (p.touch(), os.kill(os.getpid(), {how}))"


@linux
@pytest.mark.parametrize("how", ["signal.SIGKILL", pytest.param("signal.SIGSTOP", marks=pytest.mark.full)])
@pytest.mark.parametrize("calls", [0, LATER])
def test_a_kill_from_outside_costs_a_visit_and_no_row(how, calls, tmp_path):
    """A process that is killed or stopped once is replaced, its visit is repeated, and every wave is whole."""
    source = after(calls, ONCE.format(flag=str(tmp_path / "flag"), how=how))
    heard = measured(case("good"), case("unlucky", source), time_limit_s=3.0)
    assert (tmp_path / "flag").exists()
    for library in ("good", "unlucky"):
        assert heard.cell(library).status == "ok", heard.cell(library).reason
        rounds = Counter(s.wave for s in heard.all_samples if s.cell == heard.cell(library).id and s.visit >= 0)
        assert set(rounds) == {1, 2, 3, 4}
        assert all(count % 4 == 0 for count in rounds.values())


@linux
def test_a_case_that_is_killed_again_and_again_is_to_blame():
    """What the system kills every time is a row with that reason, and the others are measured."""
    heard = measured(
        case("good"), case("greedy", after(200, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"))
    )
    assert heard.cell("greedy").status == "memory"
    assert "SIGKILL" in (heard.cell("greedy").reason or "")
    assert heard.cell("good").status == "ok"


@linux
def test_a_worker_that_was_left_alone_is_ended_by_the_next_run(tmp_path):
    """A call without end in a worker whose conductor was killed ends when another run begins."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(LONGEST_S)
    scratch = tmp_path / f"{caretaker._begins(gone.pid)}x"
    scratch.mkdir()
    left = WorkerSession(main_environment(), Watchdog(), scratch, RequestLimits())
    left.call(WEIGHER, "files")
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    mark(scratch, other.pid, WORKER)  # a number that another program has got since
    remove_leftovers(tmp_path)
    assert -signal.SIGKILL == left._popen.wait(LONGEST_S)
    assert not scratch.exists()
    assert other.poll() is None
    other.communicate(b"\n", timeout=LONGEST_S)


@linux
def test_a_kill_while_wrong_documents_are_tried_costs_no_row(tmp_path):
    """A worker that is killed once while it refuses is replaced, and its refusals are measured."""
    kill = ONCE.format(flag=str(tmp_path / "flag"), how="signal.SIGKILL")
    wrong = f"""
good_decode = decode


def decode(blob):
    if blob.count(b"size") < 2:
        {kill}
    return good_decode(blob)
"""
    operations = ("encode", "decode", "reject")
    cases = [
        replace(case("unlucky", GOOD + wrong), operations=operations),
        replace(case("good"), operations=operations),
    ]
    heard = measured(*cases, operations=operations)
    assert (tmp_path / "flag").exists()
    assert {"ok"} == {heard.cell(name, "reject").status for name in ("good", "unlucky")}


@linux
@pytest.mark.parametrize("metric", ["run", "weigh"])
def test_a_machine_may_allow_less_memory_than_a_request(metric, tmp_path):
    """Where `ulimit -v` is below the default memory limit, that is the limit: everything is measured."""
    choice = ["-w", "tiny", "-n", "2", "-l", "msgspec", "-f", "orjson", "--store", str(tmp_path / "s")]
    more = ["-e", "quick"] if metric == "run" else ["--metric", "start", "--processes", "1"]
    command = shlex.join([sys.executable, "-m", "serbench", metric, *choice, *more, "--json"])
    done = run(["sh", "-c", f"ulimit -v 4000000; exec {command}"])
    assert "CPython" in done.stdout
    assert "maximum limit" not in done.stdout
