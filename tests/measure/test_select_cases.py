"""Versions of the user's class are the class in the environments of its library, never a copy of it."""

from __future__ import annotations

import pytest

from serbench.ask.judging import history
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
