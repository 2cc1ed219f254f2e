"""Versions of the user's class are the class in the environments of its library, never a copy of it."""

from __future__ import annotations

import pytest

import serbench
from serbench.api.judging import history
from serbench.errors import PlanError
from serbench.measure.plan import select_cases
from serbench.render.user_class.find import locate


@pytest.fixture
def model(tmp_path):
    """Where a class of pydantic is."""
    path = tmp_path / "versioned_class.py"
    path.write_text("import pydantic\n\n\nclass Versioned(pydantic.BaseModel):\n    id: int\n", encoding="utf-8")
    return locate(f"{path}:Versioned")


def chosen(model, *texts, formats=("json/json",)):
    """Library and environment of each case that the texts mean."""
    return [(one.library.name, one.recipe.name) for one in select_cases(texts, formats, (), model)]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("yours",), [("yours (pydantic)", "main")]),
        (("yours@2.10.6", "yours@2.11.0"), [("yours (pydantic)", f"pydantic=={one}") for one in ("2.10.6", "2.11.0")]),
        (("yours@1.10.2",), [("yours (pydantic)", "pydantic==1.10.2")]),
        (("dataclasses",), [("yours (pydantic)", "main"), ("dataclasses", "main")]),
        (("yours@2.5.0", "attrs"), [("yours (pydantic)", "pydantic==2.5.0"), ("attrs", "main")]),
    ],
)
def test_yours_in_a_version_is_the_class_there(model, texts, expected):
    """Only what is named is chosen; the class is added as it is if its name is not among the libraries."""
    assert expected == chosen(model, *texts)


def test_a_codec_in_another_version_has_an_environment(model):
    """The class is the same in it."""
    ((library, environment),) = chosen(model, "yours+orjson==3.8.0", formats=("orjson",))
    assert ("yours (pydantic)", True) == (library, environment.endswith("orjson==3.8.0"))


def test_versions_of_another_library_measure_no_copy(model):
    """One line says so, before anything is measured."""
    folder, module, name = model.rsplit(":", 2)
    told = "Versioned is a class of pydantic, so another version of msgspec measures another class"
    with pytest.raises(PlanError, match=told):
        history("msgspec", "0.19", model=f"{folder}/{module}.py:{name}")


CLASSES = """
from __future__ import annotations

import msgspec
import pydantic


class Line(pydantic.BaseModel):
    sku: str
    price: float


class Order(pydantic.BaseModel):
    id: int
    lines: list[Line]


class Part(msgspec.Struct):
    sku: str
    price: float


class Record(msgspec.Struct):
    id: int
    lines: list[Part]


class Strange(pydantic.BaseModel):
    name: str
"""


@pytest.mark.slow
def test_several_classes_are_rows_of_one_run(tmp_path):
    """Data of the first is proven with each, whatever library it is of; a class that refuses it has the reason."""
    path = tmp_path / "several_classes.py"
    path.write_text(CLASSES, encoding="utf-8")
    names = [f"{path}:{name}" for name in ("Order", "Record", "Strange")]
    cells = serbench.verify(model=names, libraries="yours", formats="json/json", records=3, operations="decode")
    assert {
        "yours (pydantic)": "ok",
        "yours (msgspec, Record)": "ok",
        "yours (pydantic, Strange)": "failed",
    } == {cell.library: cell.status for cell in cells}
    (reason,) = [cell.reason for cell in cells if cell.status == "failed"]
    assert "1 validation error for Strange" in reason


def test_what_takes_one_class_says_so():
    """History and gates have no rows for others."""
    with pytest.raises(PlanError, match="history takes one class, not 2; `serbench run` has several as rows"):
        history("pydantic", "2.5.0", model=["a.py:A", "a.py:B"])
