"""A row of a user's class has failed only if its own library fails in a plain script."""

from __future__ import annotations

import shlex
import sys

import pytest

import serbench
from serbench.ask.calling import make_plan
from serbench.measure.plan import datasets
from serbench.measure.probes.user_probe import plain_failure
from serbench.render.environments import main_environment, run_script
from serbench.render.user_class.find import load_model, locate

FINE = {
    "pydantic": "class Model(pydantic.BaseModel):\n    x: int\n    at: datetime\n",
    "pydantic by alias": "class Model(pydantic.BaseModel):\n    x: int = pydantic.Field(alias='X')\n",
    "generic": "class Page[T](pydantic.BaseModel):\n    items: list[T]\n"
    if sys.version_info >= (3, 12)
    else "class Page(pydantic.BaseModel):\n    items: list[int]\n",
    "pydantic1": "from pydantic.v1 import BaseModel\nclass Model(BaseModel):\n    x: int\n",
    "msgspec": "class Model(msgspec.Struct):\n    x: int\n    at: datetime\n",
    "attrs": "@attrs.define\nclass Model:\n    x: int\n    level: Level\n",
    "marshmallow": "class Model(Schema):\n    x = fields.Integer(required=True)\n",
}


def failure(model, name, change=lambda value: value):
    """What goes wrong in a plain script with the data that is drawn for a class."""
    loaded = load_model(locate(model(FINE[name], "Page" if name == "generic" else "Model")))
    (found,) = datasets(make_plan(model=f"{loaded.module}:{loaded.name}", records=2))
    return plain_failure(loaded, found, [change(found.value)], [found.value], main_environment(), 60)


@pytest.mark.slow
@pytest.mark.parametrize("name", FINE)
def test_a_class_that_is_right(name, model):
    """A plain script of each library reads and writes what is drawn for a class."""
    assert failure(model, name) == ""


@pytest.mark.slow
def test_a_class_that_writes_something_else(model):
    """If a plain script writes another value, the text has it, and a command that shows it."""
    told = failure(model, "pydantic", lambda value: [{**value[0], "x": -7}, value[1]])

    assert told.startswith("a plain script writes value[0].x: expected -7")
    command = shlex.split(told.partition(": python -c ")[2])
    assert ("[]\n", None) == run_script(main_environment(), command[0], "[]", 60)


UNLIKE = {
    "True, not 1": (
        """
        class Model(pydantic.BaseModel):
            x: bool | int = 1
            @pydantic.model_serializer(mode="wrap")
            def without_default(self, made):
                return {} if self.x == 1 else made(self)
        """,
        True,
        "expected True of type bool, got 1 of type int",
    ),
    "100.0, not 100": (
        """
        class Model(pydantic.BaseModel):
            x: int | float
            @pydantic.field_serializer("x")
            def whole(self, x):
                return int(x)
        """,
        100.0,
        "expected 100.0 of type float, got 100 of type int",
    ),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_equal_values_of_other_types_clear_nobody(name, model):
    """A plain script compares types as verification does: True is not 1, and 100.0 not 100."""
    source, value, told = UNLIKE[name]
    loaded = load_model(locate(model(source)))
    (found,) = datasets(make_plan(model=f"{loaded.module}:{loaded.name}", records=1))

    failed = plain_failure(loaded, found, [[{"x": value}]], [[{"x": value}]], main_environment(), 60)
    assert f"value[0].x: {told}" in failed


def test_a_class_without_a_library(model):
    """A dataclass has no library of its own to fail."""
    loaded = load_model(locate(model("@dataclass\nclass Model:\n    x: int\n")))
    (found,) = datasets(make_plan(model=f"{loaded.module}:{loaded.name}", records=2))

    assert plain_failure(loaded, found, [found.value], [found.value], main_environment(), 60) is None


@pytest.mark.slow
def test_a_row_that_is_not_the_class_s_fault(model):
    """A row that fails though the class's own library reads and writes the data is unsupported, and says so."""
    source = "class Model(pydantic.BaseModel):\n    at: datetime | date\n"
    cells = serbench.verify(model=model(source), records=9, libraries="msgspec", formats="orjson")
    by_codec = {(cell.codec, cell.status): cell.reason for cell in cells if cell.library == "yours (pydantic)"}

    assert "failed" not in {status for _, status in by_codec}
    assert by_codec["orjson", "unsupported"].startswith("serbench cannot measure this class with orjson: ")
    assert by_codec["orjson", "unsupported"].endswith("its own library reads and writes this data in a plain script")
