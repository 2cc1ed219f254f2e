"""A class is read with the packages of the user's interpreter, and measured in it."""

from __future__ import annotations

import sys
import venv
from dataclasses import replace
from importlib.metadata import version

import pytest
from waits import run

import serbench
from serbench.errors import PlanError
from serbench.render.environments import user_environment
from serbench.render.user_class import find as own_interpreter

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
        "import sys, serbench.ask.command_line.measuring, serbench.ask.command_line.proving, serbench.measure.conduct, serbench.ask.judging\n"
        "from serbench.render.user_class.find import _LIBRARIES\n"
        "print([name for name in _LIBRARIES if name in sys.modules])"
    )
    done = run([sys.executable, "-c", code])
    assert "[]" == done.stdout.strip()
