"""`serbench compare` takes functions of one's own: their answers are compared, then their times."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import serbench
from serbench.errors import PlanError
from serbench.measure.comparing import Comparison
from serbench.measure.rounds import WaveLoop
from serbench.measure.session import Watchdog
from serbench.measure.worker import user_code
from serbench.render.environments import main_environment

WAYS = """
import json

def make(number):
    return {"id": number, "tags": ["a"] * 20}

def spaced(value):
    return json.dumps(value)

def short(value):
    return json.dumps(value, separators=(",", ":")).encode()

def thrice(value):
    return [json.dumps(value) for _ in range(3)][0]

def other(value):
    return json.dumps({**value, "id": str(value["id"])})

def popping(value):
    return len(value.pop("tags", ""))

def failing(value):
    raise ValueError("no such way")
"""


@pytest.fixture
def ways(tmp_path, monkeypatch):
    """A file with functions, in the present folder."""
    (tmp_path / "ways.py").write_text(WAYS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return lambda *names, **options: serbench.compare(
        *(f"ways.py:{name}" for name in names), setup="ways.py:make", effort="quick", **options
    )


@pytest.mark.slow
def test_functions_of_a_file_are_ranked(ways):
    """The slower one is last, with its ratio; the last line says how many times as fast the other is."""
    found = ways("spaced", "thrice")
    assert ["ways.py:spaced", "ways.py:thrice"] == [row.library for row in found.rows]
    assert [1, 2] == [row.rank for row in found.rows]
    assert found.rows[1].ratio > 2
    assert found.conclusion.startswith("ways.py:spaced is ")
    assert "faster than ways.py:thrice" in str(found)


@pytest.mark.slow
def test_functions_with_other_answers_are_not_timed_unasked(ways):
    """The difference and its argument are told; with `unequal` they are timed, and the note stays."""
    told = "ways.py:other gives another answer than ways.py:spaced: the answer is "
    with pytest.raises(PlanError, match=f"{told}.*; --unequal times them anyway"):
        ways("spaced", "other")
    found = ways("spaced", "other", unequal=True)
    assert all(row.measured for row in found.rows)
    assert found.notes[0].startswith(told)


@pytest.mark.slow
def test_json_of_the_same_value_is_the_same_answer(ways):
    """Spaces and bytes make no difference, which is said."""
    assert "the texts differ, and are JSON of the same value" in ways("spaced", "short").notes


@pytest.mark.slow
def test_a_function_that_changes_its_argument_needs_fresh_ones(ways):
    """If all calls get the same argument, the second answer tells."""
    assert all(row.measured for row in ways("popping", "popping").rows)
    with pytest.raises(PlanError, match="popping gives another answer the second time: the answer is 0, not 20"):
        ways("popping", conditions="hot")


@pytest.mark.slow
def test_a_function_that_fails_is_a_row(ways):
    """The others are timed."""
    found = ways("failing", "spaced")
    assert {"ways.py:failing": "failed", "ways.py:spaced": "ok"}.keys() == {row.library for row in found.rows}
    (failed,) = [row for row in found.rows if not row.measured]
    assert ("failed", "ValueError: no such way") == (failed.status, failed.reason)
    assert "ways.py:failing: ValueError: no such way" in str(found)


FAILING = """class Mute(Exception):
    def __str__(self):
        raise RuntimeError

def old():
    raise Mute

def new():
    return len(bytearray(9 << 30))

def usual():
    return 1
"""


@pytest.mark.slow
def test_a_function_that_cannot_say_why_it_fails_or_takes_all_memory_is_a_row(tmp_path):
    """An error without a text is told by its name, at once; memory has the limit that it has in other commands."""
    file = tmp_path / "failing.py"
    file.write_text(FAILING)
    timings = serbench.compare(*(f"{file}:{name}" for name in ("old", "new", "usual")), effort="quick", unequal=True)
    old, new = (next(row for row in timings.rows if name in row.library) for name in (":old", ":new"))
    assert ("failed", "memory") == (old.status, new.status)
    assert "Mute: an error that cannot say what it is" in old.reason


@pytest.mark.slow
def test_functions_of_a_module_are_taken_as_they_are():
    """So are lambdas with what they use; each has its text as a label."""
    data = [1] * 50
    found = serbench.compare(lambda: json.dumps(data), lambda: json.loads(json.dumps(json.dumps(data))), effort="quick")
    assert "json.dumps(data)" == found.rows[0].library


@pytest.mark.parametrize("options", [{}, {"setup": int}])
def test_what_cannot_travel_stops_a_comparison(options):
    """It is named, with what to do instead."""
    lock = threading.Lock()
    with pytest.raises(PlanError, match=r"lock cannot be taken .*; put it in a file, and name it as file.py:function"):
        serbench.compare(lambda *_: lock, **options)


@pytest.mark.parametrize(
    ("compared", "options", "told"),
    [
        ((), {}, "nothing to compare; name two runs, or functions as file.py:function"),
        (("a", "b", "c"), {}, "two runs can be compared, not 3"),
        (("latest", "ways.py:make"), {}, "latest is a run, not a function"),
        (
            ("latest",),
            {"setup": int},
            "latest is a run; omit --setup",
        ),
        (("ways.py:mak",), {}, "unknown name in ways.py 'mak': did you mean make?"),
        (("nowhere.py:make",), {}, "there is no file nowhere.py; name a function as file.py:function"),
        ((int,), {"setup": "1 + 1"}, "setup is a function, such as file.py:make, not '1 \\+ 1'"),
        (({"one": 1},), {}, "one is a function, such as file.py:make, not int"),
        (({"one": "1 / 0"},), {}, "one is a function, such as file.py:make, not '1 / 0'"),
        ((int,), {"conditions": "hot,varied"}, "functions are compared under one condition at a time, not 2"),
        ((int,), {"requirements": "a=b"}, "'a=b' is not a requirement such as pydantic==2.12.5"),
        ((int,), {"effort": "great"}, "unknown effort 'great'"),
    ],
)
def test_what_cannot_be_compared_is_told(compared, options, told, ways):  # for the file
    """One line says what is wrong."""
    with pytest.raises(PlanError, match=told):
        serbench.compare(*compared, **options)


def test_a_file_of_functions_that_cannot_be_read_is_one_line(ways, monkeypatch):
    """It names the file and the reason."""

    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(PlanError, match=r"^ways.py cannot be read \(Permission denied\)$"):
        serbench.compare("ways.py:make")


@pytest.mark.parametrize(
    ("file", "setup", "names"),
    [
        ("unions", "make", ["smart", "discriminated", "called"]),
        ("unions", "make_models", ["dump_smart", "dump_discriminated"]),
        ("nested", "make", ["many", "listed"]),
        ("nested", "make", ["load_many", "load_listed"]),
        ("attributes", "make", ["from_attributes", "keywords", "constructed"]),
        ("copies", "make", ["deepcopy", "by_pickle", "by_msgpack"]),
    ],
)
def test_the_ways_of_the_page_give_the_same_answers(file, setup, names):
    """Every file that *Compare your own code* speaks of compares what does the same."""
    module = user_code.module_at(str(Path(__file__).parents[1] / "data" / "ways"), f"{file}.py")
    make = getattr(module, setup)
    first, *others = [user_code.told(getattr(module, name)(make(5))) for name in names]
    assert [None] * len(others) == [Comparison(first, other).difference for other in others]


def test_what_lacks_its_argument_names_the_setup(ways, tmp_path):
    """Its reason says which option makes one."""
    (tmp_path / "orders.py").write_text(
        "class Order:\n    def __init__(self, number):\n        self.number = number\n", "utf-8"
    )
    (row,) = serbench.compare("orders.py:Order", effort="quick").rows
    assert row.reason.endswith("'number'; --setup file.py:make names the function that makes its argument")
    found = serbench.compare("ways.py:spaced", "ways.py:short", effort="quick")
    assert {"; --setup file.py:make names the function that makes its argument"} == {
        row.reason.partition("'value'")[2] for row in found.rows
    }


PAIRS = """
import json, pickle

def make(number):
    return {"id": number, "tags": ["a"] * 20}

def to_json(value):
    return json.dumps(value).encode()

def from_json(blob):
    return json.loads(blob)

def to_pickle(value):
    return pickle.dumps(value)

def from_pickle(blob):
    return pickle.loads(blob)

def lossy(blob):
    return {**pickle.loads(blob), "id": 0}
"""


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """A file with pairs that encode and decode, in the present folder."""
    (tmp_path / "pairs.py").write_text(PAIRS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_pairs_have_rows_of_encoding_and_of_decoding(pairs, cli):
    """Each decoder gets what its own encoder has made; the bytes may differ."""
    names = [f"pairs.py:to_{one},pairs.py:from_{one}" for one in ("json", "pickle")]
    code, out, _ = cli("compare", *names, "--setup", "pairs.py:make", "-e", "quick", "--json")
    found = json.loads(out)
    assert 0 == code
    assert {
        ("encode", "pairs.py:to_json"),
        ("encode", "pairs.py:to_pickle"),
        ("decode", "pairs.py:from_json"),
        ("decode", "pairs.py:from_pickle"),
    } == {(row["operation"], row["code"]) for row in found["rows"]}
    assert {1, 2} == {row["rank"] for row in found["rows"] if row["operation"] == "decode"}
    assert found["conclusion"].startswith("encode: pairs.py:to_")
    assert "; decode: pairs.py:from_" in found["conclusion"]
    assert any(note.startswith("encode: pairs.py:to_pickle gives another answer") for note in found["notes"])


@pytest.mark.slow
def test_a_pair_that_decodes_something_else_is_not_timed(pairs):
    """The difference is told by its place."""
    both = ("pairs.py:to_json,pairs.py:from_json", "pairs.py:to_pickle,pairs.py:lossy")
    with pytest.raises(
        PlanError, match=r"pairs.py:lossy gives another answer than pairs.py:from_json for argument 1: "
    ):
        serbench.compare(*both, setup="pairs.py:make", effort="quick")


@pytest.mark.slow
def test_pairs_of_functions_are_tuples():
    """Labels name them, and the table has both operations."""
    data = {"id": 1}
    found = serbench.compare(
        {"json": (json.dumps, json.loads), "twice": (lambda one: json.dumps([one]), lambda text: json.loads(text)[0])},
        setup=lambda: data,
        effort="quick",
    )
    assert ["encode", "decode"] == list(dict.fromkeys(row.operation for row in found.rows))
    assert {"json", "twice"} == {row.library for row in found.rows}
    assert 2 == len(found.table().tables)
    assert len(found.rows) == len(found.figure().layout.yaxis.ticktext)


@pytest.mark.parametrize(
    ("compared", "options", "told"),
    [
        (("pairs.py:to_json,pairs.py:from_json",), {}, "pairs need --setup"),
        (("pairs.py:to_json,pairs.py:from_json", "pairs.py:to_json"), {"setup": int}, "a pair is compared with pairs"),
    ],
)
def test_what_is_no_comparison_of_pairs(pairs, compared, options, told):
    """One line says what to do instead."""
    with pytest.raises(PlanError, match=told):
        serbench.compare(*compared, **options)


@pytest.mark.parametrize(
    ("compared", "setup"),
    [
        (("endless.py:first", "endless.py:second"), None),
        (("endless.py:first,endless.py:second", "ways.py:spaced,ways.py:spaced"), "ways.py:make"),
    ],
)
def test_a_budget_ends_an_endless_import(ways, tmp_path, compared, setup):
    """One line says where the time went; the limit of a request, 60 s, would be that of each function."""
    source = "while True:\n    pass\n\n\ndef first(*_):\n    pass\n\n\nsecond = first\n"
    (tmp_path / "endless.py").write_text(source, encoding="utf-8")
    told = r"^nothing was measured: importing and calling endless\.py:first.* used up the budget of 1\.5 s; raise --budget$"
    with pytest.raises(PlanError, match=told):
        serbench.compare(*compared, setup=setup, budget=1.5)


def test_a_budget_shows_what_was_measured(ways, monkeypatch, cli):
    """What was not reached is no failure: the exit code is 0, and a line says that the budget is used up."""
    waves, run = [], WaveLoop.run

    def until_its_end(self, *args, **options):
        waves.append(self)
        if len(waves) == 2:  # that of decoders
            monkeypatch.setattr(Watchdog, "used_up", True)
        run(self, *args, **options)

    monkeypatch.setattr(WaveLoop, "run", until_its_end)
    monkeypatch.setattr("serbench.api.comparing.began", lambda _: time.monotonic() - 60)
    monkeypatch.setattr(Watchdog, "used_up", False)
    pair = "ways.py:spaced,ways.py:thrice"
    code, out, _ = cli("compare", pair, pair, "--setup", "ways.py:make", "-e", "quick", "--budget", "60s", "--json")
    found = json.loads(out)
    measured = {row["operation"]: row["time_ns"] is not None for row in found["rows"]}
    assert {"encode": True, "decode": False} == measured
    assert "the budget of 60 s is used up; a larger one tells more" == found["notes"][0]
    assert 0 == code


def test_environments_are_built_within_the_budget(ways, monkeypatch):
    """Without one, there is no end."""
    ends = []

    def make(recipes, _tell, end):
        ends.append(end)
        return dict.fromkeys(recipes, main_environment())

    monkeypatch.setattr("serbench.api.comparing.make", make)
    monkeypatch.setattr("serbench.api.comparing.began", lambda _: 1e9)
    for budget in (None, 60.0):
        ways("failing", budget=budget)
    assert [None, 1e9 + 60] == ends


@pytest.mark.slow
def test_a_tie_says_how_large_a_difference_may_be(ways):
    """It is the far end of the interval, not how far apart the times are; the closing lines name both, and measure again."""
    timed = ways("spaced", "thrice")
    first, second = (replace(row, rank=1) for row in timed.rows)
    close = replace(second, time_ns=first.time_ns, ratio=1.0, ratio_low=0.955, ratio_high=1.042)
    tied = replace(timed, rows=[first, close])

    far = replace(
        tied, rows=[first, replace(close, ratio=0.7, ratio_low=0.5, ratio_high=0.98)]
    )  # the first may take twice the time
    assert far.conclusion.endswith("it is below 100%")
    said = "no proven difference between ways.py:spaced and ways.py:thrice; if there is one, it is below 5%"
    assert said == tied.conclusion
    closing = tied.closing("serbench compare ways.py:spaced ways.py:thrice -e quick", "quick")
    assert ("ways.py:spaced or ways.py:thrice", said, "open") == (closing.use, closing.gain, closing.tone)
    assert "serbench compare ways.py:spaced ways.py:thrice --effort normal" == closing.next


@pytest.mark.slow
def test_the_closing_lines_name_the_fastest_and_what_fails(ways):
    """There is nothing to measure again if a difference is proven."""
    closing = ways("spaced", "thrice", "failing").closing("serbench compare", "quick")

    assert ("ways.py:spaced", "", "good") == (closing.use, closing.next, closing.tone)
    assert "ways.py:failing fails: ValueError: no such way" == closing.cost
