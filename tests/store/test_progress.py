"""The progress line: right over several sizes, and never wider than the terminal; the list of runs tells who is alive."""

import io
import json
import os
import re
from types import SimpleNamespace

import pytest
from waits import until

import serbench
from serbench.api.showing import list_runs
from serbench.display import table
from serbench.judge.rows import Row
from serbench.measure import listener as listening
from serbench.measure.listener import Listener, Paced, Progress
from serbench.measure.plan import Plan, block_count, blocks
from serbench.results import CaseId, Point
from serbench.store import active_run, progress
from serbench.store.progress import Watcher, progress_line
from serbench.store.store import Store


class Noted(Listener):
    """Keeps the last progress that it was told."""

    def progress(self, progress):
        self.last = progress


@pytest.fixture
def now(monkeypatch):
    """A clock that the test sets; an estimate is told as it is."""
    seconds = [0.0]
    monkeypatch.setattr(listening, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    monkeypatch.setattr(listening.Countdown, "follow", lambda _, left: left)
    return seconds


def test_the_time_left_is_that_of_all_sizes(now):
    """A block's own estimate is continued by those that follow it, which last as long as the others on average."""
    heard = Noted()
    paced = Paced(heard)
    paced.begin_block(3)
    paced.progress(Progress("verifying", 0, 1, 9))
    assert (heard.last.seconds_left, heard.last.block, heard.last.blocks) == (None, 1, 3)
    now[0] = 4.0
    paced.progress(Progress("measuring", 2, 1, 9, 6.0))
    assert 6 + 2 * 10 == heard.last.seconds_left
    now[0] = 10.0
    paced.begin_block(3)
    paced.progress(Progress("verifying", 0, 1, 9))
    assert (20.0, 2) == (heard.last.seconds_left, heard.last.block)
    now[0] = 20.0
    paced.progress(Progress("measuring", 1, 1, 9, 10.0))
    assert 10 + 15 == heard.last.seconds_left
    now[0] = 30.0
    paced.begin_block(3)
    paced.progress(Progress("measuring", 1, 1, 9, 1.0))
    assert 1 == heard.last.seconds_left


@pytest.mark.parametrize(
    "plan",
    [
        Plan(),
        Plan(workloads=("client", "rows"), records=(1, 2, 3), depth=(2, 4), libraries=("msgspec",)),
        Plan(workloads=("all",), records=(1,), conditions=("hot", "varied"), libraries=("msgspec",)),
    ],
    ids=["one", "several", "all"],
)
def test_the_blocks_of_a_plan_are_counted(plan):
    """The number that the progress names is that of the blocks that are measured."""
    made = list(blocks(plan))
    assert len(made) == block_count(plan, made[0].dataset)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_a_progress_line_is_never_wider_than_the_terminal(width):
    """What matters least is left out: first the step's name, then the wave; the time left stays at 40 columns."""
    line = progress_line(Progress("verifying dataclass-factory", 3, 117, 120, 4000.0, 11, 16, 0.423), width)
    assert len(line) <= width
    assert line.startswith("11 of 16: ")
    assert width < 40 or line.endswith("42%, about 67 min left")
    assert (width >= 80) == ("verifying" in line)
    assert "117 of 120" not in line


def test_without_an_estimate_steps_are_counted():
    """What builds environments or probes knows how many there are, and no more."""
    assert "building pydantic, 2 of 3" == progress_line(Progress("building pydantic", 0, 2, 3))


class Lead:
    """A run whose leaders are a word."""

    def __init__(self, word):
        self.word = word

    rows = tuple(
        Row(
            id=0,
            **vars(Point("w", 1, 1, 0)),
            **vars(CaseId(name, "default", "json", "json")),
            operation="encode",
            status=status,
            time_ns=time_ns,
        )
        for name, status, time_ns in (("a", "ok", 1.0), ("b", "unresolved", 2.0), ("c", "failed", None))
    )

    def leaders(self, count):
        return f"{self.word} {count}"

    def closing(self):
        return SimpleNamespace(use=f"the {self.word}")


@pytest.fixture
def told_at(monkeypatch, capsys):
    """Moves the clock of what repeats a step, and gives the line that is told then."""
    seconds = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: seconds[0]))
    monkeypatch.setattr(progress, "LOOKED_S", 0.01)

    def told(moment):
        seconds[0] = moment
        return until(lambda: capsys.readouterr().err, "a line")

    return told


def test_a_step_that_takes_long_is_told_again(told_at):
    """It is told with its seconds as long as nothing else is."""
    with Watcher() as watcher:
        watcher.progress(Progress("reading a.json", 0, 0, 0))
        assert ["reading a.json (2 s)\n", "reading a.json (4 s)\n"] == [told_at(2.0), told_at(4.0)]


def test_the_time_left_passes_while_nothing_else_is_told(told_at):
    """A step that lasts longer than the whole was thought to has no time left; until then it goes by."""
    with Watcher() as watcher:
        watcher.progress(Progress("verifying", 0, 1, 9, 5.0))
        assert [
            "verifying, 1 of 9, about 5 s left\n",
            "verifying, 1 of 9, about 3 s left (2 s)\n",
            "verifying, 1 of 9 (6 s)\n",
        ] == [told_at(0.0), told_at(2.0), told_at(6.0)]


def test_the_time_left_never_rises_while_a_step_is_repeated(told_at):
    """The next step may have more left than the line said last, as its time passes more slowly."""
    with Watcher() as watcher:
        watcher.progress(Progress("verifying", 0, 1, 9, 8.0))
        assert ["verifying, 1 of 9, about 8 s left\n", "verifying, 1 of 9, about 4 s left (4 s)\n"] == [
            told_at(0.0),
            told_at(4.0),
        ]
        watcher.progress(Progress("verifying", 0, 2, 9, 6.0))
        assert "verifying, 2 of 9, about 4 s left (2 s)\n" == told_at(6.0)


def test_the_first_step_of_many_is_told_at_once(monkeypatch, capsys):
    """Reading is told only if it takes long: a file may be refused, in one line."""
    monkeypatch.setattr(progress, "SILENCE_S", 3600)
    with Watcher() as watcher:
        watcher.progress(Progress("reading a.json", 0, 0, 0))
        assert "" == capsys.readouterr().err
        for done in range(3):
            watcher.progress(Progress("verifying", 0, done, 9))
        assert "verifying, 0 of 9\n" == capsys.readouterr().err


def test_nothing_is_told_after_the_end(capsys):
    """A step that comes late is not shown."""
    with Watcher() as watcher:
        pass
    capsys.readouterr()
    watcher.progress(Progress("verifying", 0, 1, 9))
    assert "" == capsys.readouterr().err


def test_a_quiet_watcher_says_nothing(monkeypatch, capsys):
    """Neither steps nor leaders, but whoever listens behind it hears them."""
    monkeypatch.setattr(progress, "SILENCE_S", 0.0)
    heard = Noted()
    heard.visit = heard.wave = lambda so_far: None
    with Watcher(heard, quiet=True) as watcher:
        watcher.progress(Progress("measuring", 1, 1, 9))
        watcher.visit(lambda: Lead("first"))
        watcher.wave(lambda: Lead("wave"))
    assert "" == capsys.readouterr().err
    assert "measuring" == heard.last.what


def test_leaders_are_shown_as_soon_as_some_cases_are_measured(capsys):
    """Once after the first cases of the first wave, and once after that wave."""
    with Watcher() as watcher:
        for step in (Progress("verifying", 0, 1, 9), Progress("measuring", 1, 0, 9)):
            watcher.progress(step)
            watcher.visit(lambda: Lead("early"))
        for done in (1, 2):
            watcher.progress(Progress("measuring", 1, done, 9))
            watcher.visit(lambda: Lead("first"))
        for _ in range(2):
            watcher.wave(lambda: Lead("wave"))
            watcher.visit(lambda: Lead("late"))
    err = capsys.readouterr().err.splitlines()
    assert ["first 5", "wave 5"] == [line for line in err if re.match("(early|first|wave|late) ", line)]
    assert [f"the {word}, so far; 1 of 2 combinations can still change that" for word in ("first", "wave")] == [
        line for line in err if "can still" in line
    ]


def test_a_terminal_follows_the_first_wave(monkeypatch):
    """What was measured until others are verified is seen then, also if the last look was a moment ago."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(progress.sys, "stderr", out)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "console", lambda stream: table.console(stream, force_terminal=True, width=80))
    seen = []
    monkeypatch.setattr(Lead, "leaders", lambda self, _: seen.append(self.word) or self.word)
    with Watcher() as watcher:
        for done, word in ((1, "first"), (2, "second"), (3, "third")):
            watcher.progress(Progress("measuring", 1, done, 9))
            watcher.visit(lambda word=word: Lead(word))
        for _ in range(2):
            watcher.progress(Progress("verifying", 0, 6, 9))
    assert ["first", "third"] == seen


@pytest.mark.full
def test_several_sizes_are_told_with_their_number(tmp_path, capsys):
    """A run of two sizes says at which it is; standard error that is no terminal gets plain lines."""
    choice = {
        "store": tmp_path / "s",
        "effort": "quick",
        "conditions": "hot",
        "libraries": "msgspec",
        "formats": "orjson",
    }
    serbench.run("tiny", records=[1, 2], progress=True, **choice)
    err = capsys.readouterr().err
    assert "1 of 2: verifying msgspec" in err
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", err)


def test_a_terminal_lists_the_newest_runs(tmp_path, cli, monkeypatch):
    """A line says how many older ones there are; as JSON, all are listed, and any is found by its beginning."""
    monkeypatch.setattr("serbench.api.command_line.looking.NEWEST", 2)
    path = tmp_path / "s"
    with Store(path) as store:
        names = [store.begin(command="", plan={}, machine={}) for _ in range(5)]
        assert names == [store.load(name).info.id for name in names]
        assert names[:-3:-1] == [store.load(name).info.id for name in ("latest", "previous")]
    listed = [row["run"] for row in json.loads(cli("show", "runs", "--store", path, "--json")[1])["runs"]]
    assert names[::-1] == listed
    out = cli("show", "runs", "--store", path)[1]
    assert [True, True, False, False, False] == [name in out for name in listed]
    assert ["run", "date", "status", "rows", "repetitions"] == out.split()[:5]
    assert out.endswith("… and 3 older runs: --json lists all\n")
    with Store(path) as store, store.transaction() as connection:
        connection.execute("UPDATE run SET command = x'ff' WHERE number = 1")
    assert out == cli("show", "runs", "--store", path)[1], "older runs are counted and not read"
    assert cli("show", "runs", "--store", path, "--json")[0] == 2


def test_a_run_whose_process_was_killed_is_interrupted(tmp_path):
    """The list says "running" only of a run whose process lives, whichever process asks."""
    path = tmp_path / "s"
    with Store(path) as store:
        alive, killed, lost = (store.begin(command="", plan={}, machine={}) for _ in range(3))
        assert active_run.acquire(store, alive)
        store.take(active_run._lock_key(killed), {"pid": os.getpid(), "began": -1.0}, lambda _: True)
    status = {row["run"]: row["status"] for row in list_runs(path)[0]}
    assert {alive: "running", killed: "interrupted", lost: "interrupted"} == status
    assert status == {info.id: info.status for info in serbench.runs(store=path)}


@pytest.mark.parametrize(("encoding", "drawn"), [("utf-8", "████████░░░░░░░░ "), ("ascii", "########........ ")])
def test_a_terminal_has_a_bar_of_the_whole(monkeypatch, encoding, drawn):
    """It has one bar, of signs that the terminal has, before what is done and the time left."""
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(progress.sys, "stderr", out)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "console", lambda stream: table.console(stream, force_terminal=True, width=80))
    with Watcher() as watcher:
        watcher.progress(Progress("measuring", 2, 1, 9, 30.0, part=0.5))
    out.seek(0)
    assert f"{drawn}measuring, repetition 2, 50%, about 30 s left" in re.sub(r"\x1b\[[\d;?]*\w", "", out.read())


def test_the_cases_just_verified_stand_above_the_bar(monkeypatch):
    """They are the last few, in the order of their proofs, with times that are rough; names cannot write to the terminal."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(progress.sys, "stderr", out)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "console", lambda stream: table.console(stream, force_terminal=True, width=80))
    with Watcher() as watcher:
        for number in range(progress.VERIFIED + 1):
            watcher.verified(f"library{number}\a via json", {"encode": 1234.5, "decode": 87_654.0})
        watcher.progress(Progress("verifying", 0, 6, 9, 30.0, part=0.5))
    out.seek(0)
    shown = re.sub(r"\x1b\[[\d;?]*\w", "", out.read())
    assert "library0" not in shown
    assert re.search(r"library1\S* via json: encode about 1.20 µs, decode about 88.0 µs", shown)
    assert "\a" not in shown
