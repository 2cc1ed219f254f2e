"""Each failed row of a user's class says whose fault it is, and names a plain script that shows it."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import attrs
import pytest
from planted import GOOD, case, measured
from waits import run

import serbench
from serbench.api.calling import make_plan
from serbench.machine.caretaker import with_us
from serbench.measure.plan import datasets
from serbench.measure.probes import blame
from serbench.measure.probes.blame import plain_trial, whose_form, whose_place
from serbench.render.environments import main_environment
from serbench.render.user_class.find import load_model, locate
from serbench.render.user_class.library import TAKING

FINE = {
    "pydantic": "class Model(pydantic.BaseModel):\n    x: int\n    at: datetime\n",
    "pydantic by alias": "class Model(pydantic.BaseModel):\n    x: int = pydantic.Field(alias='X')\n",
    "generic": "class Page[T](pydantic.BaseModel):\n    items: list[T]\n"
    if sys.version_info >= (3, 12)
    else "class Page(pydantic.BaseModel):\n    items: list[int]\n",
    "aliases": "type Age = int\ntype Pair[T] = tuple[T, T]\nclass Model(msgspec.Struct):\n    x: Age\n    pair: Pair[int]\n"
    if sys.version_info >= (3, 12)
    else "class Model(msgspec.Struct):\n    x: int\n    pair: tuple[int, int]\n",
    "default of a parameter": "class Box[T = int](msgspec.Struct):\n    x: T\n"
    "class Model(msgspec.Struct):\n    box: Box\n    text: Box[str]\n"
    if sys.version_info >= (3, 13)
    else "class Model(msgspec.Struct):\n    x: int\n",
    "pydantic1": "from pydantic.v1 import BaseModel\nclass Model(BaseModel):\n    x: int\n",
    "msgspec": "class Model(msgspec.Struct):\n    x: int\n    at: datetime\n",
    "msgspec, durations": "from datetime import timedelta\nclass Model(msgspec.Struct):\n    took: timedelta\n",
    "attrs": "@attrs.define\nclass Model:\n    x: int\n    level: Level\n",
    "attrs, hooks": "from datetime import time, timedelta\nfrom uuid import UUID\n"
    "@attrs.define\nclass Model:\n    at: time\n    took: timedelta\n    price: Decimal\n    id: UUID\n",
    "marshmallow": "class Model(Schema):\n    x = fields.Integer(required=True)\n",
    "djangorestframework": "from rest_framework import serializers\n"
    "class Model(serializers.Serializer):\n    x = serializers.IntegerField()\n",
}


def trial(text, library="", change=lambda value: value):
    """What a plain script does with the data that is drawn for a class."""
    loaded = load_model(locate(text))
    (found,) = datasets(make_plan(model=text, records=2))
    return plain_trial(loaded, library, found, [change(found.value)], [found.value], main_environment(), 60)


def shown(command):
    """The exit code, the lines and the errors of the command that a row names, whose script has ten lines or so."""
    python, script = shlex.split(command)
    assert len(Path(script).read_text(encoding="utf-8").splitlines()) <= (14 if "rest_framework" in script else 10)
    done = run([python, script], check=False, **with_us())
    return done.returncode, done.stdout.splitlines(), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", FINE)
def test_a_class_that_is_right(name, model):
    """A plain script of each library reads and writes what is drawn for a class."""
    if name == "djangorestframework":
        pytest.importorskip("rest_framework")
    assert "" == trial(model(FINE[name], "Page" if name == "generic" else "Model")).failed


@pytest.mark.parametrize("kind", ["ModuleNotFoundError", "SyntaxError"])
def test_what_an_environment_lacks_is_its_own(kind, model, monkeypatch):
    """What an environment lacks, or its Python does not know, is no fault of a library: it is whose environment it is."""
    monkeypatch.setattr(blame, "run_script", lambda *_: ("", 1, json.dumps([kind, f"{kind}: it", []])))
    made = replace(main_environment(), name="chili", packages={})
    text = model("@dataclass\nclass Model:\n    x: int\n")
    (found,) = datasets(make_plan(model=text, records=1))
    tried = plain_trial(load_model(locate(text)), "chili", found, [found.value], [found.value], made, 60)
    assert tried.whose.startswith("serbench, whose environment chili ")
    own = whose_place(f"{kind}: it", replace(made, folders=("/own",)))
    assert (True, False, False) == (own.startswith("chili, which "), tried.blames, replace(tried, whose=own).blames)
    assert "" == whose_place("TypeError: it", made)


@pytest.mark.parametrize("raised_by", ["the script", "cattrs"])
def test_another_version_is_no_fault_of_the_library(raised_by, model, monkeypatch):
    """What the plain script itself calls and the user's version lacks is the environment's; a library's own error is not."""

    def answered(_environment, _launched, script, _limit_s):
        files = [script] if raised_by == "the script" else [script, attrs.__file__]
        return (
            "",
            1,
            json.dumps(["AttributeError", "AttributeError: 'GenConverter' object has no attribute 'loads'", files]),
        )

    monkeypatch.setattr(blame, "run_script", answered)
    there = replace(main_environment(), name="own/bin/python", packages={}, folders=("/own",))
    text = model("@attrs.define\nclass Model:\n    x: int\n")
    (found,) = datasets(make_plan(model=text, records=1))
    tried = plain_trial(load_model(locate(text)), "cattrs", found, [found.value], [found.value], there, 60)
    own = "own/bin/python, which has a version without what the plain script calls"
    assert (
        (own, False) == (tried.whose, tried.blames) if raised_by == "the script" else "a crash of cattrs" == tried.whose
    )


@pytest.mark.slow
@pytest.mark.parametrize("library", sorted({*TAKING} - {"typedload"}))  # which has an environment of its own
def test_a_library_that_takes_the_class(library, model):
    """A plain script of each library through which a dataclass goes reads and writes its data."""
    pytest.importorskip(library.replace("-", "_"))
    level = "int" if library == "databind" else "Level"  # of which it writes names
    assert "" == trial(model(f"@dataclass\nclass Model:\n    x: int\n    level: {level}\n"), library).failed


def test_a_class_that_writes_something_else(model):
    """If a plain script writes another value, the text has it, and the script prints what it has read and written."""
    found = trial(model(FINE["msgspec"]), change=lambda value: [{**value[0], "x": -7}, value[1]])

    assert found.failed.startswith("a plain script writes value[0].x: expected -7")
    assert "the class" == found.whose
    code, lines, _ = shown(found.command)
    read, written = [json.loads(line)[0]["x"] for line in lines]
    assert (0, read, int) == (code, written, type(read))


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


@pytest.mark.slow
@pytest.mark.parametrize("name", UNLIKE)
def test_equal_values_of_other_types_clear_nobody(name, model):
    """A plain script compares types as verification does: True is not 1, and 100.0 not 100."""
    source, value, told = UNLIKE[name]
    text = model(source)
    (found,) = datasets(make_plan(model=text, payload=[{"x": 5}]))

    failed = plain_trial(
        load_model(locate(text)), "", found, [[{"x": value}]], [[{"x": value}]], main_environment(), 60
    )
    assert f"value[0].x: {told}" in failed.failed
    assert f"AssertionError: it reads this as something else: value[0].x: {told}" in shown(failed.command)[2]


@pytest.mark.parametrize(
    ("library", "holds"), [("", "datetime(2026, 1, 1, tzinfo=UTC)"), ("msgspec", "'five'"), ("cattrs", "'five'")]
)
def test_a_class_whose_objects_hold_something_else(library, holds, model):
    """A class that puts into a field what its annotation does not say is to blame for what its library makes of that."""
    field = "str" if "date" in holds else "int"
    source = f"""
    from datetime import UTC
    @attrs.define
    class Model:
        pair: tuple[int, str]
        x: {field}
        def __attrs_post_init__(self):
            self.x = {holds}
    """
    found = trial(model(source), library)
    assert "the class, whose objects hold what the annotation of Model.x does not say" == found.whose


def test_a_class_that_changes_what_it_is_called_with(model):
    """A class that makes another value each time is to blame for the value that a library writes."""
    found = trial(
        model("@dataclass\nclass Model:\n    x: int\n    def __post_init__(self):\n        self.x += 1\n"), "cattrs"
    )
    assert "the class, which makes something else of value[0].x" == found.whose


def test_keys_that_only_mashumaro_gives(model):
    """That another library misses the key that metadata names is no fault of it; what it says of other fields may be."""
    source = "from dataclasses import field\nfrom mashumaro import field_options\n"
    source += "@dataclass\nclass Model:\n    x: int = field(metadata=field_options(alias='key'))\n    y: int = 0\n"
    loaded, said = load_model(locate(model(source))), "Object missing required field `x`"
    assert "serbench, whose documents follow mashumaro's field_options, which msgspec does not use" == (
        whose_form(loaded, "msgspec", said)
    )
    assert "" == whose_form(loaded, "mashumaro", said) == whose_form(loaded, "msgspec", "Object missing `y`")

    own = load_model(
        locate(
            model(
                "from mashumaro import DataClassDictMixin\n@dataclass\nclass Model(DataClassDictMixin):\n    x: int\n"
            )
        )
    )
    methods = "serbench, whose documents follow Model.from_dict and Model.to_dict, which cattrs does not use"
    assert (methods, "") == (whose_form(own, "cattrs", said), whose_form(own, "mashumaro", said))


def test_a_class_without_a_library(model):
    """A dataclass has no library of its own to fail."""
    assert trial(model("@dataclass\nclass Model:\n    x: int\n")) is None


RAISES = """
    import sys
    class Model(pydantic.BaseModel):
        x: int
        @pydantic.field_validator("x")
        @classmethod
        def checked(cls, x):
            if "serbench.api" not in sys.modules:
                raise KeyError("here")
            return x
"""
TAGGED = """
    class A({0}):
        type: Literal["a"]
        x: int
    class B({0}):
        type: Literal["b"]
        y: str
    class Model({0}):
        parts: list[A | B]
"""
COMES_FROM = {
    "the class": (RAISES, "yours", 1, "KeyError: 'here'"),
    "msgspec": (
        TAGGED.format("").replace("class ", "@dataclass\n    class "),
        "yours via msgspec",
        1,
        "TypeError: Type unions",
    ),
    "msgspec, as the codec": ("class Model(TypedDict):\n    at: str | date\n", "yours", 1, "TypeError: Type unions"),
    "pydantic around orjson": (
        "class Model(pydantic.BaseModel, strict=True):\n    at: pydantic.AwareDatetime\n",
        "yours",
        1,
        "ValidationError",
    ),
    "a crash of adaptix": (TAGGED.format("TypedDict"), "yours via adaptix", 1, "KeyError"),
    "serbench": (
        "class Odd(str):\n    pass\nclass Model(pydantic.BaseModel):\n    x: Annotated[str, pydantic.AfterValidator(Odd)]\n",
        "yours",
        0,
        "",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("whose", COMES_FROM)
def test_a_row_that_is_not_ok_says_what_it_comes_from(whose, model):
    """It names the class, the library, its crash or serbench, and a script of ten lines that shows it."""
    source, library, code, words = COMES_FROM[whose]
    whose, as_codec, _ = whose.partition(", as the codec")
    formats = "msgspec/json" if as_codec or whose == "serbench" else "orjson"
    cells = serbench.verify(model=model(source), records=9, libraries=library, formats=formats)
    (reason,) = {cell.reason for cell in cells if cell.status != "ok"}
    command = reason.rpartition(": ")[2]

    if whose == "serbench":
        assert reason.startswith("serbench cannot measure this class with msgspec: ")
        assert f"; its own library reads and writes this data in a plain script: {command}" in reason
    else:
        pair = f"{whose}, which take no such data" if " around " in whose else whose
        assert f"; this comes from {pair}: a plain script ends with " in reason
    fault = whose != "serbench" and " around " not in whose and not as_codec
    assert {"failed" if fault else "unsupported"} == {cell.status for cell in cells}
    assert (code, True) == ((found := shown(command))[0], words in found[2])


def test_code_that_serbench_wrote_is_kept():
    """A failed row of a model that serbench wrote for a class's fields comes from serbench, and names the file of its code."""
    source = GOOD.replace("Item(**item)", "Item(item['name'], -1)")
    reason = measured(case("wrong", source), model="nowhere:Model").cell("wrong").reason

    words, _, path = reason.rpartition(": ")
    assert words.endswith("; this comes from serbench, which wrote this code of the class's fields")
    assert "Item(item['name'], -1)" in Path(path).read_text(encoding="utf-8")
