"""No test reads or writes the store or the environments of whoever runs it; and modules with a user's classes."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from serbench.cli import main

HEAD = """
from __future__ import annotations
import enum
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
import attrs, msgspec, pydantic
from marshmallow import Schema, fields, validate

class Level(enum.Enum):
    LOW = "low"
    HIGH = "high"
"""

settings.register_profile("serbench", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("serbench")  # no test fails for the time that it takes


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory, monkeypatch):
    """An empty store and no environments but main for each test that names none."""
    monkeypatch.setenv("SERBENCH_ENVIRONMENTS", str(tmp_path_factory.mktemp("environments")))
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path_factory.mktemp("store") / "serbench.sqlite"))


@pytest.fixture(scope="module")  # not longer: while Playwright runs, no other test may start an event loop
def browser():
    """One browser for the tests of a file, or the reason why they are skipped."""
    sys.path.insert(0, str(Path(__file__).parent / "notebook"))
    import pages

    if why := pages.missing():
        pytest.skip(f"a real browser is needed: {why}")
    with pages.browser() as started:
        yield started


@pytest.fixture
def model(tmp_path, monkeypatch):
    """Writes a module with a class of that kind; gives what --model takes."""
    monkeypatch.chdir(tmp_path)

    def write(source: str, name: str = "Model") -> str:
        module = f"models_{abs(hash((source, str(tmp_path))))}"
        (tmp_path / f"{module}.py").write_text(HEAD + textwrap.dedent(source), encoding="utf-8")
        return f"{module}:{name}"

    yield write
    for name in [name for name in sys.modules if name.startswith("models_")]:
        del sys.modules[name]


@pytest.fixture
def cli(capsys):
    """Calls the command line in this process: exit code, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    return call


@pytest.fixture
def refused(cli):
    """What is said, in its one line, of a call that must be refused."""

    def call(*arguments):
        code, out, err = cli(*arguments)
        assert (2, "") == (code, out)
        assert err.startswith("serbench: ")
        assert [err.removesuffix("\n")] == err.splitlines()
        return err

    return call
