"""The arguments of the public functions are declared once, explicit and typed, and the commands have the same."""

import datetime as dt
import inspect
import os
import subprocess
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Union

import dry
import known_runs
import numpy as np
import pytest

import serbench
from serbench.api import showing
from serbench.api.calling import arguments, as_declared
from serbench.api.command_line.program import program
from serbench.api.notebook.settings import DECLARED, TYPES
from serbench.api.selfcheck import selfcheck
from serbench.measure.options import fraction, seconds, size, whole

FUNCTIONS = {name: getattr(serbench, name) for name in serbench.__all__ if inspect.isfunction(getattr(serbench, name))}
FUNCTIONS["build_environments"] = showing.build_environments
FUNCTIONS["selfcheck"] = selfcheck
COMMANDS = {
    name: FUNCTIONS[function]
    for name, function in [
        ("run", "run"),
        ("verify", "verify"),
        ("compare", "compare"),
        ("history", "history"),
        ("gate", "gate"),
        ("recommend", "recommend"),
        ("adopt", "adopt"),
        ("claims", "measure_claims"),
        ("selfcheck", "selfcheck"),
        ("weigh", "weigh"),
    ]
}
FOLDED = [("show", "show"), ("show", "describe"), ("verify", "stream"), ("run", "serve")]
"""Commands, with a function that one of their options calls."""
SINGLE = {"workload": [str], "records": [int | None], "depth": [int | None], "python": [str, str | None]}
"""Arguments of which some functions take one value only."""
OWN_MEANING = {"library", "versions", "output", "payload", "run", "name"}
"""Names whose meaning differs between a few functions: gate's library writes its models, describe's payload is required."""
FREE = {"controls", "interact"}
"""Functions whose arguments have the names of the parameters that they control."""
OWN_DEFAULT = {
    ("recommend", "effort"): "quick",
    ("measure_claims", "effort"): "quick",
    ("serve", "endpoints"): inspect.Parameter.empty,
    ("probe", "time_limit"): 10.0,
    ("sweep", "time_limit"): 10.0,
    ("stream", "libraries"): "dataclasses",
    ("stream", "formats"): ("json", "msgpack", "cbor"),
    ("stream", "time_limit"): 600.0,
    ("stream", "memory_limit"): 0,
}


def test_no_folder_hides_a_public_name():
    """No folder of the package has the name of a public function, which an import of the folder would replace."""
    folders = {path.name for path in Path(serbench.__file__).parent.iterdir()}
    assert folders.isdisjoint(serbench.__all__)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - FREE))
def test_every_argument_is_explicit_and_typed(name):
    """No public function hides arguments behind `**`, and each has a plain type that `help` shows."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    assert all(one.kind is not one.VAR_KEYWORD for one in parameters)
    assert [one.name for one in parameters if "Annotated" in str(one.annotation) or one.annotation is one.empty] == []


def test_an_argument_that_there_is_not_is_named():
    """A wrong name of an argument is an error that names the nearest one, before anything is measured."""
    with pytest.raises(TypeError, match=r"run\(\) has no argument 'recrds'; did you mean 'records'\?"):
        serbench.run(recrds=5)
    with pytest.raises(TypeError, match=r"show\(\) missing a required argument: 'library'"):
        serbench.show()


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"ledger"} - FREE))
def test_every_argument_is_declared(name):
    """Each argument has a declaration, and the function's help a line for it."""
    assert list(arguments(FUNCTIONS[name])) == list(inspect.signature(FUNCTIONS[name]).parameters)
    assert [one for one in arguments(FUNCTIONS[name]) if f"    {one}: " not in FUNCTIONS[name].__doc__] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_name_has_one_declaration_and_one_default(name):
    """An argument of the same name is the same in every function, but for the listed ones."""
    for argument, parameter in inspect.signature(FUNCTIONS[name]).parameters.items():
        if argument not in inspect.signature(serbench.run).parameters or argument in OWN_MEANING:
            continue
        assert parameter.default == OWN_DEFAULT.get(
            (name, argument), inspect.signature(serbench.run).parameters[argument].default
        )
        single = parameter.annotation in SINGLE.get(argument, [])
        assert single or arguments(FUNCTIONS[name])[argument].option == arguments(serbench.run)[argument].option


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_options_of_its_function(name):
    """Each argument that can be typed is an option or argument of the command, under its own name."""
    typed = [one for one, (option, _, _) in arguments(COMMANDS[name]).items() if option.flags or option.positional]
    found = {one.name: one for one in program().get_command(None, name).params}
    assert typed == list(found)[: len(typed)]
    for argument, (option, _, default) in arguments(COMMANDS[name]).items():
        if option.flags:
            assert option.flags == found[argument].opts
            help_ = option.help if default is inspect.Parameter.empty else option.sentence(default)
            assert help_ == found[argument].help


@pytest.mark.parametrize(("command", "function"), FOLDED)
def test_a_command_has_the_options_of_what_its_options_call(command, function):
    """Each argument of that function that can be typed is among the options of the command."""
    known = {flag for one in program().get_command(None, command).params for flag in one.opts}
    typed = [one.option.flags for one in arguments(FUNCTIONS[function]).values() if one.option.flags]
    assert typed
    assert [flags for flags in typed if not known.issuperset(flags)] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_value_of_another_type_is_refused_in_one_line(name):
    """No argument that is a number, text or path takes what is none, and the line names the argument."""

    class Odd:
        """Of no type that an argument has."""

    kinds = inspect.signature(FUNCTIONS[name]).parameters
    required = {
        one: "x"
        for one, (_, _, default) in arguments(FUNCTIONS[name]).items()
        if default is inspect.Parameter.empty and kinds[one].kind is not inspect.Parameter.VAR_POSITIONAL
    }
    for argument, (option, declared, _) in arguments(FUNCTIONS[name]).items():
        kinds_of = {typing.get_origin(one) or one for one in (declared, *typing.get_args(declared))}
        if not kinds_of <= {int, float, str, bool, Path, Mapping, Iterable, os.PathLike, Union, UnionType, type(None)}:
            continue  # of another type, or of any
        if argument in ("compared", "names"):  # several without a name; what they are is told later
            continue
        for value in (Odd(), *["ten" for _ in [option.reader] if option.reader in (whole, seconds, fraction, size)]):
            with pytest.raises(serbench.PlanError, match=rf"\A{argument} takes [^\n]*, not [^\n]*\Z"):
                FUNCTIONS[name](**{**required, argument: value})


def test_a_name_that_is_too_long_is_no_file_of_an_explorer():
    """The explorer opens, and says so."""
    assert "9" * 60 in serbench.Explorer(payload="9" * 5000).shown["note"]


class _Unshown:
    """Of no type that an argument has, and nothing that can be shown or compared."""

    def __repr__(self):
        raise ValueError

    def __eq__(self, other):
        raise ValueError

    __hash__ = None


class _OddText(str):
    """A text that cannot be compared."""

    __slots__ = ()

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = str.__hash__


class _Nameless:
    """What fails when an attribute is asked for that it has not."""

    def __getattr__(self, name):
        raise RuntimeError


class _Uniterated:
    """What says that it has several values, and fails to give them."""

    def __iter__(self):
        raise RuntimeError


class _Pathless:
    """What says that it is a path, and fails to be one."""

    def __fspath__(self):
        raise RuntimeError


class _BytesPath:
    """A path whose text is bytes."""

    def __fspath__(self):
        return b"x"


class _Reached(BaseException):
    """Raised in place of a process that a call would start."""


WRONG = {
    "number": 5, "negative": -1, "zero": 0, "part": 1.5, "nan": float("nan"), "infinite": float("-inf"), "huge": 10**30,
    "empty text": "", "text": "nonsense", "NUL": "a\0b", "surrogate": "\udcff", "half": "\ud800", "path in bytes": _BytesPath(), "bytes": b"x", "path": Path("nowhere"),
    "no names": [], "no name": [""], "names": {"a"}, "numbers": [5], "nothing inside": [None], "nested": [["a"]],
    "no keys": {}, "keys": {"a": 1}, "truth": True, "object": object(), "complex": 1j, "date": dt.date(2020, 1, 1),
    "class": type("Empty", (), {}), "function": lambda: 1, "none": None, "long": "x" * 100_000, "long name": "x" * 300,
    "blank": " ", "part empty": "json,", "without end": range(10**12), "no dimensions": np.array(5), "bytes that change": bytearray(b"x"), "digits": "9" * 5000, "unshown": _Unshown(),
    "beyond floats": 10**5000, "no iteration": _Uniterated(), "no functions": [{}], "odd text": _OddText("x"), "no attributes": _Nameless(),
}  # fmt: skip
"""A value of each kind that someone may pass for another."""
USABLE = {
    "adopt": {"library": "msgspec", "codec": "json", "workload": "tiny"},
    "gate": {"baseline": "orjson==3.10.0", "candidate": "orjson==3.11.0"},
    "show": {"library": "msgspec", "codec": "json"},
    "history": {"library": "pydantic"},
    "sweep": {"values": 1},
    "stream": {"size": 1000},
    "describe": {"payload": [{"a": 1}]},
    "serve": {"endpoints": "falcon", "servers": "uvicorn"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*FUNCTIONS} - {"controls", "interact"}))
def test_no_wrong_value_gets_past_the_arguments(name, monkeypatch, tmp_path):
    """A public function with one wrong argument refuses it with an error of serbench's, or has nothing against it."""

    def start(*_, **__):
        raise _Reached

    def answers_nobody(*_, **__):
        raise OSError("no answer")

    monkeypatch.setattr(subprocess.Popen, "__init__", start)
    monkeypatch.setattr("distributed.Client", answers_nobody)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "runs.sqlite"))  # where names are looked for
    known_runs.stored(tmp_path / "runs.sqlite", dry.STORED)
    refused, function = 0, FUNCTIONS[name]
    for parameter in inspect.signature(function).parameters.values():
        for kind, value in WRONG.items():
            is_named = parameter.kind is not parameter.VAR_POSITIONAL
            values = {**USABLE.get(name, {}), **({parameter.name: value} if is_named else {})}
            try:
                function(*(() if is_named else (value,)), **values)
            except (serbench.PlanError, serbench.WorkloadError, serbench.StoreError):
                refused += 1
            except _Reached:
                pass
            except Exception as error:
                pytest.fail(f"{name}({parameter.name}: {kind}) raised {type(error).__name__}: {error}")
    assert refused > 20


METHODS = {
    "Run": ("export", "figure", "scaling", "tradeoff", "hidden", "hidden_figure", "phases", "budget", "growth", "leaders", "write"),
    "Ledger": ("figure", "table", "write", "read"),
    "Matrices": ("figure", "to_markdown", "write", "read"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "method"), [(kind, one) for kind, methods in METHODS.items() for one in methods])
def test_methods_of_results_refuse_wrong_types(kind, method):
    """A text, a number, a path and one of a few words are nothing else, and the error names the argument."""
    made = {"Run": dry.STORED, "Ledger": serbench.ledger(), "Matrices": serbench.Matrices(())}[kind]
    usual = {"export": {"to": "json"}}.get(method, {})
    for name in inspect.signature(getattr(made, method)).parameters:
        if name in ("tables", "markup", "tell"):
            continue
        for value in (_Unshown(), object(), b"x", ["a"], True, 1j, dry.STORED):
            with pytest.raises(serbench.PlanError, match=rf"\A{name} takes |\Aunknown {name} "):
                getattr(made, method)(**{**usual, name: value})


@pytest.mark.parametrize("call", [serbench.load, serbench.weighing], ids=["load", "weighing"])
@pytest.mark.parametrize("name", ["\udcff", "latest\udcff", "é"], ids=ascii)
def test_a_name_that_no_run_has_is_one_line(call, name, tmp_path):
    """Half a character names no run, and the line that says so can be printed."""
    store = tmp_path / "runs.sqlite"
    known_runs.stored(store, dry.STORED)
    with pytest.raises(serbench.StoreError, match=r"no (run|weighing) has the id") as raised:
        call(name, store=store)
    str(raised.value).encode()


REFUSED = {
    "a path of half a character": (lambda: serbench.runs(store="\udcff"), "no store at .udcff"),
    "no precision": (lambda: serbench.history("msgspec", precision=0), "precision must be between"),
    "fewer records than none": (lambda: serbench.describe([1], sample=-5), "sample must be at least 0, not -5"),
    "a dict of no functions": (lambda: serbench.run(libraries=["msgspec", {}]), "a dict without functions"),
    "a number beyond floats": (lambda: serbench.run(budget=10**5000), "budget takes a number"),
    "cores beyond floats": (lambda: dry.STORED.budget(cores=10**5000), "cores takes a whole number"),
    "none of the fastest": (lambda: dry.STORED.leaders(0), "count must be at least 1"),
    "fewer than none": (lambda: dry.STORED.leaders(-1), "count must be at least 1"),
    "a size that it has not": (lambda: dry.STORED.scaling(records=0), "unknown records 0"),
    "a depth that it has not": (lambda: dry.STORED.scaling(depth=-1), "unknown depth -1"),
    "an empty path": (lambda: dry.STORED.write(""), "folder is an empty path"),
    "a path that fails": (lambda: dry.STORED.write(_Pathless()), "folder takes text or a path"),
    "a blank store": (lambda: serbench.runs(store=" "), "store is an empty path"),
    "a blank module": (lambda: serbench.adopt("msgspec", "json", to="\t"), "to is an empty path"),
    "no folder of claims": (lambda: serbench.ledger(""), "folder is an empty path"),
    "a blank path": (lambda: dry.STORED.export("json", " "), "path is an empty path"),
    "no effort of a gate": (
        lambda: serbench.gate("orjson==3.10.0", "orjson==3.11.0", effort="fast"),
        "unknown effort 'fast'",
    ),
    "no outcomes": (lambda: serbench.Matrices(()).updated(range(10**12)), "newer takes outcomes of cases, not 0"),
    "no run": (lambda: serbench.Run.from_store([5]), "stored takes a StoredRun"),
    "a file for a folder": (lambda: serbench.Matrices.read(__file__), "is not a folder"),
    "a file for outcomes": (lambda: serbench.Ledger.read(__file__), "is not a folder"),
    "a file to keep claims in": (lambda: serbench.measure_claims(output=__file__), "is not a folder"),
    "a folder below a file": (
        lambda: serbench.measure_claims("none", output=f"{__file__}/a/b"),
        r"\.py is not a folder",
    ),
}


@pytest.mark.parametrize(("call", "told"), REFUSED.values(), ids=REFUSED)
def test_nonsense_is_refused_before_it_is_used(call, told, tmp_path, monkeypatch):
    """What has the right type and no meaning is one line, and nothing is measured or written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    with pytest.raises((serbench.PlanError, serbench.StoreError), match=told) as raised:
        call()
    assert str(raised.value).isprintable()
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("choices", [1.5, {}, [], "json", object(), lambda: 1])
def test_choices_of_controls_are_lists(choices):
    """What a control offers is a list of one value or more."""
    with pytest.raises(serbench.PlanError, match="interact takes a function, not <class 'int'>"):
        serbench.interact(int)
    for call in (serbench.controls, lambda **asked: serbench.interact(lambda records: records, **asked)):
        with pytest.raises(serbench.PlanError, match="records takes what its control offers"):
            call(records=choices)
    for function in (lambda: 1, None):
        with pytest.raises(serbench.PlanError, match="show takes a function, not 5"):
            serbench.interact(function, show=5)
    with pytest.raises(serbench.PlanError, match=r"unknown option of serbench.run \[5\]"):
        serbench.controls([5])


RUN = arguments(serbench.run)


@pytest.mark.parametrize(
    ("name", "given", "read"),
    [
        ("budget", "1.5m", 90.0),
        ("precision", "2%", 0.02),
        ("records", "1,1e3", [1, 1000]),
        ("records", np.int64(3), 3),
        ("records", np.array([1, 10]), [1, 10]),
        ("records", (n for n in (1, 2)), [1, 2]),
        ("records", ["5"], [5]),
        ("budget", 5, 5.0),
        ("resume", "newest", "newest"),
        ("operations", ("decode",), ("decode",)),
        ("store", Path("a.sqlite"), Path("a.sqlite")),
        ("literal_strings", True, True),
    ],
    ids=[*map(str, range(12))],
)
def test_a_value_is_read_as_on_the_command_line(name, given, read):
    """Texts of papermill, and numbers of NumPy, are what they mean."""
    value = as_declared(name, given, RUN[name])
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(("name", "given"), [("seed", True), ("literal_strings", "no"), ("records", [1.5])])
def test_what_only_looks_like_the_type_is_refused(name, given):
    """A truth is no number, a text no truth, and a part no whole number."""
    with pytest.raises(serbench.PlanError, match=f"{name} takes "):
        as_declared(name, given, RUN[name])


def test_the_explorer_takes_each_setting_by_name():
    """Every setting is a keyword argument of `Explorer` that may be left out, with a type and a line in its help."""
    parameters = dict(inspect.signature(serbench.Explorer).parameters)
    assert ["state", "store", "measure"] == [name for name in parameters if name not in TYPES]
    assert {name for name in TYPES if DECLARED[name].help} == set(TYPES) < set(parameters)
    settings = [parameters[name] for name in TYPES]
    assert all((one.KEYWORD_ONLY, None) == (one.kind, one.default) for one in settings)
    assert [] == [one.name for one in settings if "Annotated" in str(one.annotation) or one.annotation is one.empty]
    assert [] == [name for name in parameters if f"    {name}: " not in serbench.Explorer.__init__.__doc__]
    with pytest.raises(TypeError, match=r"Explorer\(\) has no argument 'recrds'; did you mean 'records'\?"):
        serbench.Explorer(recrds=5)
