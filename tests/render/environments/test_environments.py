"""`serbench env`, and runs that need environments: if one cannot be built, its rows give the reason."""

from __future__ import annotations

import json

import pytest

from serbench.api import judging, verifying
from serbench.render import environments as building
from serbench.render.environments import BuildError


@pytest.fixture
def offline(monkeypatch):
    """Let uv build environments and find interpreters, but not reach an index."""
    real = building._uv

    def answer(*arguments: str, **_: object) -> str:
        if arguments[:2] == ("pip", "install"):
            raise BuildError("error: Could not connect, are you offline?")
        return real(*arguments)

    monkeypatch.setattr(building, "_uv", answer)


def test_without_a_network_the_rest_is_measured(offline):
    """Rows whose environment cannot be built give the reason; all others are verified."""
    cells = verifying.verify(libraries="dataclasses, pydantic@2.5", formats="json/json", records=2)
    found = {(cell.library, cell.status, cell.reason) for cell in cells}
    assert {
        ("dataclasses", "ok", None),
        ("pydantic", "unavailable", "error: Could not connect, are you offline?"),
    } == found


def test_a_missing_interpreter_is_a_reason():
    """A missing interpreter affects only its own rows."""
    cells = verifying.verify(libraries="dataclasses", formats="json/json", records=2, python="main, 2.1")
    assert [("main", "ok"), ("main", "ok"), ("2.1", "unavailable"), ("2.1", "unavailable")] == [
        (cell.environment, cell.status) for cell in cells
    ]
    assert "no interpreter '2.1'" in str(cells[-1].reason)


def test_the_standard_library_in_an_environment_of_its_own(offline):
    """A case runs in the environment of its interpreter, with the packages that could be installed there."""
    from serbench.render.environments import main_environment

    own = main_environment().python
    cells = verifying.verify(libraries="dataclasses", formats="json/json, orjson", records=2, python=own)
    found = {(cell.codec, cell.status) for cell in cells}
    assert {("json", "ok"), ("orjson", "unavailable")} == found
    assert {own} == {cell.environment for cell in cells}
    assert {"are you offline?" in str(cell.reason) for cell in cells if cell.codec == "orjson"} == {True}


@pytest.mark.slow
def test_a_history_is_one_library_side_by_side():
    """`history` measures the installed version, and shows a series for each operation and codec."""
    found = judging.history("dataclasses", "installed", formats="json/json", records=2, effort="quick")
    assert ["encode", "decode"] == [series.steps[0].row.operation for series in found.series]
    assert [1.0, 1.0] == [series.steps[0].change for series in found.series]
    assert "the first" in str(found)


@pytest.mark.full
def test_a_gate_judges_two_libraries(cli):
    """`serbench gate` measures both sides in one run; the verdict determines the exit code."""
    code, out, _ = cli(
        *("gate", "--baseline", "dataclasses", "--candidate", "marshmallow", "-n", "20", "-f", "json/json"),
        *("-e", "quick", "--json"),
    )
    found = json.loads(out)
    assert (1, "slower") == (code, found["verdict"])
    assert ["encode", "decode"] == [check["operation"] for check in found["checks"]]
