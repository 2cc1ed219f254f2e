"""Code of a user's class that does what no class should is told in one line; a class is measured in the user's interpreter."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import venv
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from waits import LONGEST_S, run, until

import serbench
from serbench.api.command_line.program import main
from serbench.errors import PlanError
from serbench.machine import supervisor
from serbench.machine.supervisor import COMMANDS, FIXED_LIMIT, LEFT_OUT, PRINTED_BYTES, bounded
from serbench.measure.plan import select_cases
from serbench.render.environments import user_environment
from serbench.render.user_class import find as own_interpreter
from serbench.render.user_class import values
from serbench.render.user_class.conversion import LIMIT_S, TookTooLong, limited, user_code, within
from serbench.render.user_class.find import locate

VALIDATED = """
    class Model(pydantic.BaseModel):
        x: int
        @pydantic.field_validator("x")
        @classmethod
        def checked(cls, value):
            {}
"""
ENDLESS = """exec('''
import signal
left, interval = signal.getitimer(signal.ITIMER_REAL)  # of the minute that a step has
signal.setitimer(signal.ITIMER_REAL, left / 1000, interval)
while True:
    pass
''')"""
MUTE = """
    class Mute(Exception):
        def __str__(self):
            raise ValueError("no text")
"""


supervised = pytest.mark.skipif(not hasattr(os, "fork"), reason="nobody supervises here")


def indented(text):
    return text.replace("\n    ", "\n")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("class Stop(BaseException):\n    pass\nraise Stop('enough')\n", r"cannot be imported from .*: Stop: enough$"),
        (f"{indented(MUTE)}\nraise Mute()\n", r"cannot be imported from .*: Mute$"),
        ("raise KeyboardInterrupt\n", r"cannot be imported from .*: KeyboardInterrupt$"),
        (ENDLESS, r"cannot be imported from .*: the import of \S+ took more than 60 s$"),
        (
            f"class Stop(BaseException):\n    pass\n{indented(VALIDATED).format('raise Stop(value)')}",
            r"none of 200 values .*Model: Stop: -?\d+.*payload",
        ),
        (f"{indented(MUTE)}{indented(VALIDATED).format('raise Mute()')}", "Model: Mute;.*payload"),
        (indented(VALIDATED).format(ENDLESS), r":Model: making its objects took more than 60 s$"),
        (
            indented(VALIDATED).format("return value")
            + f"\n    @pydantic.model_serializer\n    def slow(self):\n        {ENDLESS}\n",
            r":Model: writing a document .*took more than 60 s$",
        ),
    ],
)
def test_a_class_that_raises_ends_the_process_or_does_not_end(source, told, model):
    """An exception without a text or that is no Exception, and a step that ends the process or never ends, are one line."""
    text = model(source)
    with pytest.raises(serbench.PlanError, match=told) as raised:
        serbench.verify(model=text, records=2, libraries="msgspec", formats="json/json")

    assert "\n" not in str(raised.value)


def test_an_interrupt_from_outside_is_no_fault_of_a_class(model):
    """It ends the command, as always; and what the class does with its own does not outlast the step."""
    text = model("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        serbench.verify(model=text, records=2, libraries="msgspec", formats="json/json")

    assert before == signal.getsignal(signal.SIGINT)


def test_steps_that_together_do_not_end_are_one_line(model, monkeypatch):
    """A class that is slow each time, within what one step may take, has an end without a budget too."""
    monkeypatch.setattr(values, "MOST_S", 0.5)
    text = model(indented(VALIDATED).format("import time; time.sleep(0.1); return value"))
    with pytest.raises(serbench.PlanError, match=r":Model: .* (took more than 0?\.?\d* s|was used up .*)$"):
        serbench.adopt("pydantic", "json", model=text)


def test_a_copy_that_ends_a_step_notes_nothing(monkeypatch):
    """Code of users may fork within a step: its copy has no page, and what the step was is the parent's to say."""
    page = bytearray(b"-" * supervisor._STATE.size)
    monkeypatch.setattr(supervisor, "_page", page)
    with bounded("the step", 60):
        noted = bytes(page)
        supervisor._set_page()

    assert b"the step" in noted
    assert page == noted


def test_a_timer_does_not_ring_while_its_step_is_being_left():
    """It would leave the step open, which would end with the process, and take its answer back."""
    leaving, waited = SimpleNamespace(f_code=contextmanager.__code__), False
    with pytest.raises(TookTooLong), limited(60, "the step"):  # noqa: PT012  # the loop is the step
        signal.getsignal(signal.SIGALRM)(signal.SIGALRM, leaving)
        waited = True
        while True:
            pass
    assert waited


@pytest.mark.slow
def test_what_a_class_prints_is_no_result(model, capsys):
    """What a class prints while it is imported, made and written goes to standard error."""
    source = """
        print("imported")
        class Model(msgspec.Struct):
            x: int
            def __post_init__(self):
                print("made")
        """
    with pytest.raises(SystemExit) as ended:
        main(["verify", "--model", model(source), "-n", "2", "-l", "msgspec", "-f", "json/json", "--json"])
    said = capsys.readouterr()

    assert ended.value.code in (0, None)
    assert {"ok"} == {row["status"] for row in json.loads(said.out)["rows"]}
    assert {"imported", "made"} <= set(said.err.split())


@supervised
@pytest.mark.parametrize(
    "line",
    [
        "print('noise', file=sys.{})",
        "sys.{}.buffer.write(b'noise ')",
        "os.write(1, b'noise ' * 100_000)",
        "os.write(2, b'noise ' * 100_000)",
    ],
)
def test_of_what_a_class_prints_the_beginning_is_shown(line, tmp_path):
    """The line that tells why there is no answer stands behind it, and is not to be looked for in 70 MB."""
    many = "\n".join(line.format(name) for name in ("stdout", "stderr") * 10_000) if "{}" in line else line
    ended = run(own(tmp_path, f"import os, sys\n{many}\nraise ValueError('no')"), cwd=tmp_path, check=False)
    *noise, last = ended.stderr.splitlines()

    assert "ValueError: no" in last
    assert noise[-1] == LEFT_OUT.strip()
    assert len(ended.stderr) < 2 * PRINTED_BYTES
    assert "noise" in noise[0]


@supervised
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device is full")
def test_what_cannot_be_told_has_its_exit_code(tmp_path):
    """1 would say "no"."""
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            own(tmp_path, "import os\nos._exit(0)"), cwd=tmp_path, stderr=full, timeout=LONGEST_S, check=False
        )
    assert 2 == ended.returncode


@supervised
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_the_line_is_written_at_once(unbuffered, tmp_path, monkeypatch):
    """A module that ends the process at its exit, before what is buffered is written, takes no answer away."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    source = "import atexit, os\natexit.register(os._exit, 1)\nraise ValueError('no')"
    ended = run(own(tmp_path, source), cwd=tmp_path, check=False)
    assert (2, True) == (ended.returncode, "ValueError: no" in ended.stderr)


@supervised
def test_a_closed_output_is_no_pipe_of_the_supervisor(tmp_path):
    """What a class prints then ends no command, and stands in no answer."""
    prints = "import os, time\nfor number in 1, 2: os.write(number, b'noise')\ntime.sleep(0.3)"
    ended = run(["sh", "-c", 'exec "$@" <&- 2>&-', "sh", *own(tmp_path, prints)], cwd=tmp_path, check=False)
    assert 0 == ended.returncode, ended.stderr
    assert "noise" not in ended.stdout


@supervised
@pytest.mark.parametrize("end", ["os._exit(3)", "raise ValueError"])
def test_the_line_is_a_line_of_its_own(end, tmp_path):
    """What a class prints without an end of line stands above it."""
    source = f"import os, sys\nprint('noise', end='')\nsys.stderr.write('unended')\nsys.stderr.flush()\n{end}"
    ended = run(own(tmp_path, source), cwd=tmp_path, check=False)
    *_, noise, last = ended.stderr.splitlines()
    assert last.startswith("serbench: ")
    assert "serbench" not in noise


def test_a_class_that_goes_elsewhere(model):
    """A module that changes the working folder, closes its standard output or has no standard error is measured all the same."""
    source = """
        import os, sys
        os.chdir("/")
        sys.stdout.close()
        sys.stderr = None
        class Model(msgspec.Struct):
            x: int
        """
    before, text = Path.cwd(), model(source)
    cells = serbench.verify(model=text, records=2, libraries="msgspec", formats="json/json")

    assert before == Path.cwd()
    assert sys.stderr is not None
    assert {"ok"} == {cell.status for cell in cells}


AT_IMPORT = {
    "raises": "raise ValueError('no')",
    "sleeps": "import time\ntime.sleep(100)",
    "takes memory": "taken = bytearray(1 << 50)",
    "kills itself": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "ends at exit": "import atexit, os\natexit.register(os._exit, 1)",
    "writes": "import os\nos.write(1, b'noise')",
    "starts a writer": "import subprocess\nsubprocess.run(['echo', 'noise'], check=True)",
    "leaves a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(100,)).start()",
    "goes elsewhere": "import os\nos.chdir('/')",
    "replaces json": "import json\njson.dumps = json.loads = lambda *_, **__: 'replaced'",
}
WHEN_MADE = {"": "", "made slowly": "import time\ntime.sleep(5)", "stopped": "raise SystemExit(3)"}


PAIRS = [*zip(itertools.combinations(AT_IMPORT, 2), itertools.cycle(WHEN_MADE))]


@pytest.mark.full
@pytest.mark.parametrize(
    ("pair", "when_made"), PAIRS, ids=[" and ".join(filter(None, (*pair, made))) for pair, made in PAIRS]
)
def test_a_module_that_does_what_it_should_not(pair, when_made, tmp_path):
    """It is measured, or refused in one line, before what it waits for ends; output and exit code are serbench's."""
    made = textwrap.indent(WHEN_MADE[when_made] or "pass", " " * 8)
    (tmp_path / "own.py").write_text(
        "from dataclasses import dataclass\n\n"
        + "\n".join(AT_IMPORT[kind] for kind in pair)
        + f"\n\n@dataclass\nclass Own:\n    number: int\n\n    def __post_init__(self):\n{made}\n"
    )
    command = ["run", "-m", "own.py:Own", "-l", "yours", "-f", "json/json", "-e", "quick", "--budget", "8s", "--json"]
    ended = run([sys.executable, "-m", "serbench", *command], cwd=tmp_path, check=False, seconds=90)
    *_, last = ended.stderr.splitlines()
    assert ended.returncode in (0, 2)
    if ended.returncode == 2:
        assert last.startswith("serbench: ")
        assert not ended.stdout
    else:
        assert {"ok", "unresolved"} >= {row["status"] for row in json.loads(ended.stdout)["rows"]}
    assert "Traceback" not in ended.stderr


ENDINGS = {
    "import os\nos._exit(0)": r"the import of \S+ ended the process \(exit code 0\)",
    "import ctypes\nctypes.string_at(0)": r"the import of \S+ ended the process \(killed by SIG\w+\), at .*own\.py, line 2",
    "held = [b'x' * (1 << 24) for _ in range(1 << 20)]": r"the import of \S+ took more than 512 MB of memory .*, at .*own\.py, line 1",
    "import os, threading, time\nthreading.Timer(0.01, os._exit, [7]).start()\ntime.sleep(5)": r"the import of \S+ ended .*exit code 7",
    "import os\nos.closerange(3, 256)": r"the import of \S+, which closed files of serbench, ended the process \(exit code 2\)",
    "WHEN MADE import os\nos.abort()": r"making its objects ended the process \(killed by SIGABRT\), at .*own\.py, line \d+",
}


def own(folder, source):
    """A class in a file of its own, whose module or objects run the source."""
    made = source.removeprefix("WHEN MADE ")
    at_import, made = ("", made) if made != source else (source, "pass")
    text = f"{at_import}\nfrom dataclasses import dataclass\n\n@dataclass\nclass Own:\n    number: int\n\n    def __post_init__(self):\n"
    (folder / "own.py").write_text(text + textwrap.indent(made, " " * 8) + "\n")
    options = ["-m", "own.py:Own", "-l", "yours", "-f", "json/json", "--memory-limit", "512M", "--json"]
    return [sys.executable, "-m", "serbench", "verify", *options]


@supervised
@pytest.mark.slow
@pytest.mark.parametrize(("source", "told"), ENDINGS.items())
def test_a_class_that_ends_the_process_is_one_line(source, told, tmp_path):
    """Whatever ends it or takes all memory, the last line says which step it was and where; the exit code is that of wrong use."""
    ended = run(own(tmp_path, source), cwd=tmp_path, check=False)
    *_, last = ended.stderr.splitlines()
    assert (2, "") == (ended.returncode, ended.stdout)
    assert re.match(f"serbench: {told}", last)
    assert "Traceback" not in ended.stderr


def test_the_option_that_raises_a_limit_is_one_of_the_command():
    """The line about memory names `--memory-limit` for the commands that have it."""
    pages = Path(__file__).parents[2] / "docs" / "commands"
    without = {name for name in COMMANDS if "--memory-limit" not in (pages / f"{name}.md").read_text("utf-8")}
    assert without == FIXED_LIMIT


@supervised
@pytest.mark.slow
def test_what_a_class_leaves_ends_with_the_command(tmp_path):
    """Processes that it has started, copies of its own too, a thread, and what it does at the end change nothing about the answer."""
    source = """import atexit, os, subprocess, threading, time
        print("noise")
        os.write(1, b"noise")
        left = [subprocess.Popen(["sleep", "1000"], start_new_session=apart) for apart in (False, True)]
        open("left", "w").write(" ".join(str(one.pid) for one in left))
        atexit.register(os._exit, 1)
        threading.Thread(target=time.sleep, args=(1000,)).start()
        os.fork()"""
    ended = run(own(tmp_path, source.replace(" " * 8, "")), cwd=tmp_path)
    assert {"ok"} == {row["status"] for row in json.loads(ended.stdout)["rows"]}
    for left in map(int, (tmp_path / "left").read_text().split()):
        until(lambda pid=left: not psutil.pid_exists(pid) or psutil.Process(pid).status() == "zombie", "it has ended")


@supervised
@pytest.mark.slow
def test_a_class_that_stops_its_process_is_ended(tmp_path):
    """Nobody has pressed Ctrl-Z: the limit of the step holds for a process that its own code has stopped."""
    command = own(tmp_path, "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)")
    command[3:4] = ["run", "-e", "quick", "--budget", "2s"]
    ended = run(command, cwd=tmp_path, check=False)
    assert 2 == ended.returncode
    assert re.search(r"serbench: the import of \S+ took more than [12]\.?\d* s", ended.stderr)


@supervised
@pytest.mark.slow
@pytest.mark.parametrize("words", ["show own.py:Own", "history pydantic 2.5 2.6 --model own.py:Own"])
def test_what_only_imports_a_class_is_supervised_too(words, tmp_path):
    """A class that ends the process while its types are shown, or before its library's versions are measured, is one line."""
    own(tmp_path, "import os\nos._exit(0)")
    ended = run([sys.executable, "-m", "serbench", *words.split()], cwd=tmp_path, check=False)
    assert (2, "") == (ended.returncode, ended.stdout)
    assert re.match(r"serbench: the import of \S+ ended the process \(exit code 0\)", ended.stderr.splitlines()[-1])
    assert "Traceback" not in ended.stderr


SHARED = """
import json, os, sys
json.dumps = json.loads = lambda *_, **__: "replaced"
os.getlogin = None
os.chdir("/")
sys.path.clear()
sys.meta_path.clear()
os.environ.clear()
os.environ["SERBENCH_NEW"] = "1"
"""


@pytest.mark.parametrize("step", ["import", "made"])
def test_what_a_class_replaces_is_put_back(step, model, monkeypatch):
    """Whenever its code replaces or removes what serbench goes on with, such as `json.dumps`, that is there again."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.setenv("SERBENCH_NEW", "")
    before = json.dumps, os.getlogin, Path.cwd(), {*sys.path}, {*map(id, sys.meta_path)}
    variables = os.environ.copy()
    if step == "import":
        text = model(f"@dataclass\nclass Model:\n    x: int\n{SHARED}")
    else:
        text = model(f"{indented(VALIDATED).format('exec(SHARED); return value')}\nSHARED = {SHARED!r}\n")
    serbench.verify(model=text, records=2, libraries="msgspec", formats="json/json")

    after = json.dumps, os.getlogin, Path.cwd(), {*sys.path}, {*map(id, sys.meta_path)}
    assert before[:3] == after[:3]
    assert before[3] <= after[3]
    assert before[4] <= after[4]
    assert variables | {"SERBENCH_NEW": "1"} == os.environ


def test_a_step_does_not_begin_with_nothing_left():
    """A timer of a millisecond would ring in the middle of its own set-up, and leave a traceback."""
    with pytest.raises(PlanError, match="the budget was used up before a step"), within(0.005), user_code("a step"):
        pytest.fail("it has begun")


@supervised
@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], ids=lambda one: one.name
)
def test_a_signal_ends_what_is_supervised(number, tmp_path):
    """It is passed on once; without its supervisor, no process goes on."""
    command = own(tmp_path, "import time\nopen('begun', 'w').close()\ntime.sleep(50)")
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True)
    until((tmp_path / "begun").exists, "the import has begun")
    (child,) = psutil.Process(process.pid).children()
    process.send_signal(number)
    _, said = process.communicate(timeout=LONGEST_S)
    assert (130 if number == signal.SIGINT else -number) == process.returncode
    assert (number == signal.SIGINT) == ("serbench: interrupted; nothing is kept, so give the command again\n" in said)
    until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, "it has ended")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_a_timer_of_somebody_else_s_goes_on():
    """The limit of a step stops no timer that was set before it, and its handler is there again."""

    def handler(*_):
        raise AssertionError("not in this test")

    before, timer = signal.signal(signal.SIGALRM, handler), signal.setitimer(signal.ITIMER_REAL, 1000, 7)
    try:
        with user_code("the step"):
            limited = signal.getitimer(signal.ITIMER_REAL)
        assert limited[0] <= LIMIT_S
        assert signal.getsignal(signal.SIGALRM) is handler
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert LIMIT_S < left <= 1000
        assert interval == pytest.approx(7)
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *timer)


SOURCE = "class Model(pydantic.BaseModel):\n    x: int\n"


@pytest.mark.slow
def test_rows_of_the_user_s_interpreter(model):
    """The rows of the class name the interpreter and its version of the library; other libraries run where they always do."""
    given = {"libraries": "msgspec", "formats": "json/json", "records": 2, "python": sys.executable}
    cells = serbench.verify(model=model(SOURCE), **given)

    assert {
        ("yours (pydantic)", sys.executable, version("pydantic"), "ok"),
        ("msgspec", "main", version("msgspec"), "ok"),
    } == {(cell.library, cell.environment, cell.version, cell.status) for cell in cells}


def test_other_libraries_take_a_class_where_it_is(model):
    """A library that takes the class unchanged runs in the user's interpreter, which has the class."""
    located = locate(model("@dataclass\nclass Model:\n    x: int\n"))
    cases = select_cases(["yours", "yours via cattrs"], ["json/json"], [sys.executable], located)

    assert {"yours (dataclass)": sys.executable, "yours via cattrs": sys.executable} == {
        case.library.name: case.recipe.python for case in cases
    }


def test_an_interpreter_of_another_version(model, monkeypatch):
    """An interpreter of another Python version is refused in a line that says what to do."""
    other = replace(user_environment(sys.executable), version=(3, 9), full_version="3.9.16")
    monkeypatch.setattr(own_interpreter, "user_environment", lambda _: other)

    with pytest.raises(PlanError, match=r"is CPython 3\.9\.16, whose packages .* install serbench with Python 3\.9"):
        serbench.verify(model=model(SOURCE), python=sys.executable)


def test_an_interpreter_that_does_not_run(model):
    """A path without an interpreter is refused."""
    with pytest.raises(PlanError, match=r"the interpreter /nowhere/python does not run"):
        serbench.verify(model=model(SOURCE), python="/nowhere/python")
    with pytest.raises(PlanError, match=r"the interpreter .* prints more than the script"):
        serbench.verify(model=model(SOURCE), python=shutil.which("echo"))


@pytest.mark.full
def test_packages_of_the_user_s_interpreter(tmp_path):
    """A class is found in the packages of an interpreter that has nothing of serbench."""
    folder = tmp_path / "environment"
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    (site,) = user_environment(str(python)).folders
    source = "from dataclasses import dataclass\n@dataclass\nclass Trip:\n    seats: int\n"
    (tmp_path / site / "harbour.py").write_text(source, encoding="utf-8")
    options = ["--model", "harbour:Trip", "--python", python, "-l", "msgspec", "-f", "json/json", "-n", "2"]
    command = [sys.executable, "-m", "serbench", "verify", *options]
    assert "yours" in run(command, cwd=tmp_path).stdout


@pytest.mark.slow
def test_no_library_of_a_class_is_imported_beforehand():
    """Whatever measures a class imports none of the libraries of which the user's interpreter may have another version."""
    code = (
        "import sys, serbench.api.command_line.measuring, serbench.api.command_line.proving, serbench.measure.conduct, serbench.api.judging\n"
        "from serbench.render.user_class.find import _LIBRARIES\n"
        "print([name for name in _LIBRARIES if name in sys.modules])"
    )
    done = run([sys.executable, "-c", code])
    assert "[]" == done.stdout.strip()
