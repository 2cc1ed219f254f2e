"""Controls of parameters set the variables that the cells below use."""

from __future__ import annotations

import builtins
import sys
from importlib.metadata import version

import pytest

import serbench
from serbench.ask.notebook import controls as module
from serbench.ask.notebook.controls import Controls
from serbench.errors import PlanError
from serbench.render.environments import Environment


def all_of(widget):
    """The widgets in a box, and in boxes in it."""
    return [one for child in getattr(widget, "children", ()) for one in (child, *all_of(child))]


def of(widget, description):
    """The control with that description."""
    return next(one for one in all_of(widget) if getattr(one, "description", "") == description)


def test_each_control_sets_its_variable():
    """A number, a list of numbers, names and a choice: each is what `serbench.run` takes."""
    variables = {"records": [1, 10], "depth": 2, "effort": "quick", "libraries": ["msgspec"]}
    widget = Controls(variables, [*variables]).widget()
    assert ("1, 10", 2, "quick") == tuple(of(widget, name).value for name in ("records", "depth", "effort"))
    of(widget, "records").value = "1, 1_000"
    of(widget, "depth").value = 5
    of(widget, "effort").value = "thorough"
    (tags,) = [one for one in all_of(widget) if type(one).__name__ == "TagsInput"]
    tags.value = ["msgspec", "pydantic@2.5"]
    assert {
        "records": [1, 1000],
        "depth": 5,
        "effort": "thorough",
        "libraries": ["msgspec", "pydantic@2.5"],
    } == variables
    of(widget, "records").value = "ten"
    assert [1, 1000] == variables["records"]
    assert "Number of records" in of(widget, "records").tooltip
    assert ("quick", "normal", "thorough") == of(widget, "effort").options


def test_without_ipywidgets_they_are_a_line(monkeypatch):
    """The cell stays readable, and nothing fails."""
    real = builtins.__import__

    def lacking(name, *rest, **more):
        if name == "ipywidgets":
            raise ImportError(name)
        return real(name, *rest, **more)

    controls = Controls({"records": 3}, ["records"])
    bundle = controls._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    monkeypatch.setattr(builtins, "__import__", lacking)
    assert {"text/plain": "records = 3"} == controls._repr_mimebundle_()


def test_what_is_not_installed_is_said_first(monkeypatch):
    """A distribution that a chosen format needs, and pyarrow where tables are written, are named with how to install them."""
    packages = {"msgspec": version("msgspec")}
    monkeypatch.setattr(
        module, "main_environment", lambda: Environment("main", sys.executable, (3, 12), packages=packages)
    )
    text = str(Controls({"formats": ["orjson", "msgspec/json"], "output": "x"}, ["formats"]))
    _, formats, tables = text.splitlines()
    assert formats.startswith("orjson: not installed, so rows say so instead of times; pip install '.[formats]'")
    assert tables.startswith("pyarrow: not installed, so tables are not written as Parquet; pip install '.[report]'")
    assert [] == Controls({"formats": ["msgspec/json"]}, ["formats"]).missing()


def test_names_are_those_of_the_notebook(monkeypatch):
    """A name without a variable or an option is told."""
    monkeypatch.setattr(sys.modules["__main__"], "records", [1], raising=False)
    assert "records = [1]" == str(serbench.controls("records"))
    with pytest.raises(PlanError, match=r"option of serbench\.run"):
        serbench.controls("recrds")
    with pytest.raises(PlanError, match="unknown parameter 'depth'"):
        serbench.controls("depth")
