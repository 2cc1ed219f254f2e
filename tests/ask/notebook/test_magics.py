"""`%serbench` and `serbench.compare` hold any expressions against each other."""

from __future__ import annotations

import pytest
from IPython.testing.globalipapp import start_ipython

from serbench.ask.notebook.controls import expressions
from serbench.ask.timings import Timings, time_expressions
from serbench.errors import PlanError


@pytest.fixture(scope="module")
def shell():
    """An IPython with the extension loaded and data to work on."""
    found = start_ipython()
    found.run_line_magic("load_ext", "serbench")
    found.run_cell("import json, pickle\ndata = {'numbers': list(range(50))}\nmine = lambda: json.dumps(data)")
    return found


@pytest.mark.slow
def test_a_line_compares_expressions_in_fresh_processes(shell):
    """What can be taken to another process is timed there, and an expression that does far more is last."""
    found = shell.run_line_magic("serbench", "-o -w 4 sum(range(100)) ; sum(range(100)) ; sum(range(100_000))")
    assert isinstance(found, Timings)
    assert found.fresh
    assert 3 == found.rows[-1].rank
    assert [4, 4, 4] == [row.waves for row in found.rows]
    assert "sum(range(100_000))" == found.rows[-1].library


@pytest.mark.slow
def test_a_cell_compares_its_lines(shell, capsys):
    """Each line is an expression; without -o the result is shown and not returned."""
    assert shell.run_cell_magic("serbench", "-w 2", "json.dumps(data)\npickle.dumps(data)\n") is None
    shown = capsys.readouterr().out
    assert "json.dumps(data)" in shown
    assert "fresh processes in each of 2 waves" in shown


@pytest.mark.slow
def test_what_is_defined_here_travels(shell):
    """A function of the notebook is timed in fresh processes, with what it uses."""
    found = shell.run_line_magic("serbench", "-o -w 2 mine() ; json.dumps(data)")
    assert found.fresh
    assert {True} == {row.measured for row in found.rows}


def test_what_cannot_travel_is_timed_here(shell):
    """With an open file all are timed in this process, and the note names it."""
    shell.run_cell("import os\nopened = open(os.devnull)")
    found = shell.run_line_magic("serbench", "-o -w 2 opened.name ; json.dumps(data)")
    shell.run_cell("opened.close()")
    assert not found.fresh
    (note,) = found.notes
    assert "what varies between processes is not in the intervals" in note
    assert "opened cannot be taken to a fresh process (TypeError: cannot pickle" in note
    assert {True} == {row.measured for row in found.rows}


@pytest.mark.slow
def test_functions_of_cells_travel_with_live_objects(shell):
    """A method of an object that holds functions is compared in fresh processes, with a setup of a cell."""
    for text in (
        "import serbench",
        "class Machine:\n    steps = [lambda value: value]\n    def run(self, value): return self.steps[-1](value)",
        "machine = Machine()\nmachine.lock = lambda: None\nmachine.steps.append(lambda value: value * FACTOR)\nFACTOR = 2",
        "def number_of(call):\n    return call",
        "compared = serbench.compare({'method': machine.run, 'lambda': lambda value: value * 2}, setup=number_of, effort='quick')",
    ):
        shell.run_cell(text, store_history=True)
    found = shell.user_ns["compared"]
    assert ["method", "lambda"] == sorted((row.library for row in found.rows), reverse=True)
    assert found.fresh


def test_an_expression_that_fails_is_a_row(shell):
    """The others are timed, and its reason stands in its row."""
    found = shell.run_line_magic("serbench", "-o -w 2 json.dumps(data) ; json.loads(data)")
    (failed,) = [row for row in found.rows if not row.measured]
    assert ("json.loads(data)", "failed") == (failed.library, failed.status)
    assert "TypeError" in failed.reason
    assert "TypeError" in str(found)


@pytest.mark.parametrize(
    ("text", "told"),
    [("a = 1", "'a = 1' is not an expression"), ("", "there is no expression"), ("1 +", "invalid syntax")],
)
def test_what_is_no_expression_is_refused(shell, capsys, text, told):
    """One line says what is wrong and how the magic is used."""
    with pytest.raises(PlanError):
        expressions(text)
    assert shell.run_line_magic("serbench", text) is None
    out = capsys.readouterr().out
    assert told in out
    assert 1 == out.count("\n")


def test_semicolons_in_strings_do_not_divide():
    """Expressions are divided by Python's own grammar."""
    assert ["f(';')", "g(\n 1)"] == expressions("f(';') ; g(\n 1)")


def test_expressions_that_all_fail_are_rows_with_their_reasons():
    """If nothing is left to time, each expression says why."""
    (row,) = time_expressions({"never": "1 / 0"}).rows
    assert (row.status, row.reason) == ("failed", "ZeroDivisionError: division by zero")


def test_what_is_neither_text_nor_function_is_refused():
    """So is an empty comparison."""
    with pytest.raises(PlanError, match="one must be a function or the text of an expression, not int"):
        time_expressions({"one": 1})
    with pytest.raises(PlanError, match="at least two waves"):
        time_expressions({"one": "1"}, waves=1)
