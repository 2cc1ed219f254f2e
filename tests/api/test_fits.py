"""Each option says with which others it goes: what cannot matter is refused in one line before anything is measured."""

import importlib
import shlex
from concurrent.futures import ThreadPoolExecutor

import pytest

import serbench
from serbench.api.calling import arguments
from serbench.api.command_line.program import COMMANDS
from serbench.api.selfcheck import selfcheck
from serbench.api.verifying import stream, sweep
from serbench.errors import PlanError
from serbench.measure.options import Fit, Option, check_fits
from serbench.measure.session import WorkerSession

REFUSED = [
    ("run --payload orders.json -w tiny", "--payload replaces --workload; omit one of them"),
    ("verify --map pay", "--map only matters with --payload; give that too, or omit --map"),
    ("run --record pay --model ways:Order", "--model says how its data is read; omit --record"),
    ("run --payload orders.json --model ways:Order -d 3", "--model has no field for further levels; omit --depth"),
    ("run --payload orders.json --schema s.json --map pay", "--schema says how the payload is read; omit --map"),
    ("run --scheduler tcp://127.0.0.1:1 --jobs 2", "--scheduler replaces --jobs; omit one of them"),
    ("run --json --verbose", "--json prints everything; omit --verbose"),
    ("run --stored latest -l msgspec -n 3", "--stored measures nothing; omit --records and --library"),
    ("run --output run.csv", "--output only matters with --to; give that too, or omit --output"),
    ("run --to csv", "--to only matters with --stored; give that too, or omit --to"),
    ("compare latest previous -e quick", "latest previous is a run; omit --effort"),
    ("compare ways.py:old ways.py:new --store s.sqlite", "ways.py:old ways.py:new is a function; omit --store"),
    ("gate --baseline attrs --candidate msgspec -l attrs", "--baseline is not a codec that a run can measure; omit --library"),
    ("recommend orders.json -w tiny", "orders.json is the data to measure; omit --workload"),
    ("recommend --run latest -o encode", "--run takes a run as it is; omit --operation"),
    ("recommend --cores 2 --demand validating", "--cores is computed for every case; omit --demand"),
    ("adopt msgspec json --forbid-unknown --keep-unknown", "--forbid-unknown replaces --keep-unknown; omit one of them"),
    ("adopt msgspec[gc=False] json --forbid-unknown", "omit [gc=False]"),
    ("claims --stored -e quick", "--stored measures nothing; omit --effort"),
    ("verify --sweep 3 --store s.sqlite", "--sweep is a separate question; omit --store"),
    ("verify --stream 1M --output out", "--stream is a separate question; omit --output"),
    ("show runs -n 3", "runs is a list; omit --records"),
    ("show orders.json -n 3", "orders.json is shown as types; omit --records"),
    ("show ways:Order --map pay", "ways:Order says how its data is read; omit --map"),
    ("show msgspec json --as tree", "json asks for code; omit --as"),
    ("report --run latest", "--run only matters with --html or --site; give that too, or omit --run"),
    ("report --tables nested_models", "--tables runs no notebook"),
    ("report --splice --time-limit 5m --only-missing", "--splice runs no notebook; omit --only-missing and --time-limit"),
    ("report --check --store s.sqlite", "--check reads no store without --run; omit --store"),
]  # fmt: skip
CALLS = [
    (serbench.run, {"workload": "tiny", "payload": [1]}, "--payload replaces --workload"),
    (serbench.run, {"executor": ThreadPoolExecutor(1), "jobs": 2}, "executor replaces --jobs"),
    (serbench.recommend, {"measured": "latest", "workload": "tiny"}, "--run takes a run as it is; omit --workload"),
    (serbench.describe, {"payload": "ways:Order", "as_map": "pay"}, "ways:Order says how its data is read; omit --map"),
    (serbench.Explorer, {"literal_strings": True}, "--literal-strings only matters with --payload"),
    (selfcheck, {"measure": False, "parts": "loop"}, "measure is False; omit --part"),
]
FUNCTIONS = [*(getattr(serbench, name) for name in serbench.__all__), selfcheck, stream, sweep]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with the files that the commands name, and no process for a case."""
    (tmp_path / "orders.json").write_text('[{"id": 1, "pay": {"a": 1}}]')
    (tmp_path / "ways.py").write_text("def old(_):\n    pass\n\n\nnew = old\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(WorkerSession, "_start", lambda _: pytest.fail("it has begun to measure"))


@pytest.mark.parametrize(("command", "line"), REFUSED, ids=[command for command, _ in REFUSED])
def test_an_option_that_cannot_matter_is_refused(command, line, refused):
    """One line says what to omit, or what else to give."""
    assert line in refused(*shlex.split(command))


@pytest.mark.parametrize(("function", "options", "line"), CALLS, ids=[line for *_, line in CALLS])
def test_a_function_refuses_what_its_command_does(function, options, line):
    """The declaration is the same in Python."""
    with pytest.raises(PlanError, match=line):
        function(**options)


def test_what_is_the_default_is_not_given(tmp_path):
    """An argument that a caller hands on with its default goes with everything."""
    text = serbench.describe(tmp_path / "orders.json", literal_strings=False, as_map=(), as_text=None)
    assert "pay" in text


def commands():
    """Each command, those of a group each by itself, with what its options say."""
    for name, module in COMMANDS.items():
        body = getattr(importlib.import_module(f"serbench.api.command_line.{module}"), f"{name}_command", None)
        if body is not None:
            yield name, getattr(body, "declared", {})


def test_every_name_in_a_declaration_is_an_option():
    """What an option names are options of a command or a function that has it."""
    known = dict(commands())
    known |= {
        f"serbench.{one.__name__}": {name: argument.option for name, argument in arguments(one).items()}
        for one in FUNCTIONS
        if hasattr(one, "__wrapped__")
    }
    assert len(known) > 20
    of_python = {
        "file",
        "what",
        *(argument for one in FUNCTIONS if hasattr(one, "__wrapped__") for argument in arguments(one)),
    }
    for name, fits in known.items():
        for option, declared in fits.items():
            beside = {other for options in known.values() if option in options for other in options}
            for fit in declared.fits:
                named = {*fit.needs, *fit.replaces, *(fit.leaves or ())}
                assert named <= beside | of_python, (name, option)


def test_what_is_refused_is_said_before_what_is_missing():
    """An option that another leaves no room for is not asked for more."""
    options = {
        "all": Option("", "--all", fits=(Fit(leaves=(), why="is alone"),)),
        "top": Option("", "--top N", fits=(Fit(needs=("rows",)),)),
        "rows": Option("", "--rows"),
        "file": Option("", "FILE"),
    }
    with pytest.raises(PlanError, match=r"^--all is alone; omit --top and a\.json$"):
        check_fits(options, {"top": 3, "all": True, "file": "a.json"})
    with pytest.raises(PlanError, match=r"^--top only matters with --rows; give that too, or omit --top$"):
        check_fits(options, {"top": 3})
    check_fits(options, {"top": 3, "rows": True})
