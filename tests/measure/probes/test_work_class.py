"""The work class is what decoding is seen to do with bad input, of libraries and of a class of the user's."""

from __future__ import annotations

import json

import pytest

import serbench
from serbench.api.verifying import verify
from serbench.render.selection import find_case

EXPECTED = [
    ("msgspec", "msgspec/json", "objects, strict"),
    ("msgspec", "pickle", "objects, unchecked"),
    ("msgspec[array_like=True]", "msgspec/json", "objects, strict"),
    ("pydantic", "pydantic/json", "objects, coercing"),
    ("pydantic[strict]", "pydantic/json", "objects, strict"),
    ("dataclasses", "json/json", "objects, unchecked"),
    ("dataclasses", "msgspec/json", "objects, strict"),
    ("dacite", "json/json", "objects, strict"),
    ("dacite[check_types=False]", "json/json", "objects, unchecked"),
    ("typeddict", "json/json", "dicts, unchecked"),
    ("typeddict", "msgspec/json", "dicts, strict"),
    ("marshmallow", "json/json", "objects, coercing"),
    ("cattrs", "json/json", "objects, coercing"),
]


@pytest.mark.parametrize(("library", "codec", "expected"), EXPECTED)
def test_the_work_class_is_measured(library, codec, expected):
    """Libraries known to check, to convert or to do neither are found out."""
    codec_name = find_case(library, codec)[2]
    cells = verify("tiny", records=1, libraries=library, formats=f"{codec_name.name}/{codec_name.format}")
    assert {cell.operation: cell.work_class for cell in cells} == {
        "encode": expected.partition(",")[0],
        "decode": expected,
    }


HEAD = """
from __future__ import annotations
from dataclasses import dataclass
from typing import Annotated, Any
import attrs
import marshmallow
import msgspec
import pydantic
from marshmallow import fields, validate
from pydantic import BaseModel, Field, field_validator
"""
CHECKED = {
    "dataclass": "@dataclass\nclass Order:\n    size: int\n    def __post_init__(self):\n        if self.size < 0:\n            raise ValueError('negative')\n",
    "attrs": "@attrs.define\nclass Order:\n    size: int = attrs.field(validator=attrs.validators.ge(0))\n",
}


@pytest.fixture
def classes(tmp_path):
    """A function that verifies a class with its first records, and returns the work class of decoding of each row."""

    def work_classes(source, value, *libraries, codec="json/json", name="Order", models=1):
        payload = tmp_path / "data.json"
        payload.write_text(json.dumps([value]), encoding="utf-8")
        paths = [tmp_path / f"orders{number}.py" for number in range(models)]
        for path in paths:
            path.write_text(f"{HEAD}\n{source}", encoding="utf-8")
        cells = serbench.verify(
            model=[f"{path}:{name}" for path in paths],
            payload=payload,
            libraries=libraries,
            formats=codec,
            operations="decode",
        )
        assert {"ok"} == {cell.status for cell in cells}, [cell.reason for cell in cells]
        return {cell.library: cell.work_class for cell in cells}

    return work_classes


@pytest.mark.slow
def test_a_class_and_its_like_are_in_one_work_class(classes):
    """A class without a number gives pydantic nothing to convert, whoever wrote it."""
    source = "class Order(BaseModel):\n    name: str\n    tags: list[str]\n"
    named = classes(source, {"name": "a", "tags": ["b"]}, "yours", "pydantic", codec="pydantic/json", models=2)
    assert 3 == len(named)
    assert {"objects, strict"} == set(named.values())


@pytest.mark.slow
def test_the_same_class_through_a_library_is_as_if_written_for_it(classes):
    """Strict ones are strict, converting ones convert."""
    source = "@dataclass\nclass Order:\n    size: int\n    tags: list[int]\n"
    value = {"size": 1, "tags": [2]}
    named = classes(source, value, "yours", "yours via msgspec", "yours via pydantic", "msgspec", "pydantic")
    assert named["yours via msgspec"] == named["msgspec"] == "objects, strict"
    assert named["yours via pydantic"] == named["pydantic"] == "objects, coercing"
    assert "objects, unchecked" == named["yours (dataclass)"]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "through"), [("dataclass", {"yours via chili": "objects, unchecked"}), ("attrs", {})])
def test_a_library_that_does_not_ask_the_class_lets_through(classes, kind, through):
    """One makes objects without `__init__` (chili), which attrs checks as well when values are set."""
    named = classes(CHECKED[kind], {"size": 1}, "yours via cattrs", "yours via chili", "cattrs", "chili")
    assert through == {name: said for name, said in named.items() if said != named["cattrs"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "class Order(BaseModel, strict=True):\n    size: Any\n    @field_validator('size')\n    @classmethod\n    def even(cls, value):\n        if value != 1:\n            raise ValueError('not 1')\n        return value\n",
        "class Order(BaseModel):\n    size: Annotated[Any, Field(ge=0)]\n",
    ],
)
def test_a_validator_alone_is_tried(classes, source):
    """A field of any type with a validator has values that the class refuses."""
    named = classes(source, {"size": 1}, "yours", codec="pydantic/json")
    assert {"yours (pydantic)": "objects, strict"} == named


@pytest.mark.slow
def test_a_schema_with_a_validator_is_tried(classes):
    """Its validators refuse what its types take."""
    source = "class Order(marshmallow.Schema):\n    size = fields.Raw(validate=validate.Equal(1))\n"
    named = classes(source, {"size": 1}, "yours", "msgspec")
    assert "dicts, strict" == named["yours (marshmallow)"]
    assert named["msgspec"].startswith("objects, unknown (no record to try has a value that can be wrong)")


@pytest.mark.slow
@pytest.mark.parametrize(("strict", "expected"), [(True, "strict"), (False, "coercing")])
def test_models_in_a_plain_union_are_tried(classes, strict, expected):
    """Members of a union that only the class tells apart are corrupted in rows of the class."""
    source = f"class Cat(BaseModel, strict={strict}):\n    lives: int\n\nclass Dog(BaseModel, strict={strict}):\n    name: str\n\nclass Order(BaseModel):\n    pets: list[Cat | Dog]\n"
    named = classes(source, {"pets": [{"lives": 9}]}, "yours", codec="pydantic/json")
    assert {"yours (pydantic)": f"objects, {expected}"} == named
