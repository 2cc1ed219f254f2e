"""Code that lives in no file of its own travels by value with what it uses, or what cannot is named."""

from __future__ import annotations

import functools
import io
import pickle
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest
from waits import run

from serbench.measure.carried import CannotTravel, carry, source_of
from serbench.measure.worker import user_code

SCRIPT = """
import dataclasses
import enum
import functools
import xml.etree.ElementTree
from dataclasses import dataclass, field
from typing import Annotated, Generic, NamedTuple, NewType, NotRequired, TypedDict, TypeVar

import attrs
import marshmallow
import msgspec
import pydantic

RATE = 3
Id = NewType("Id", int)
T = TypeVar("T")

class Color(enum.Enum):
    RED = "red"

class Price(int):
    def twice(self):
        return scaled(self, 2)

@dataclass
class Line:
    price: "Price"
    id: Id = Id(1)
    more: list = field(default_factory=list)

@functools.lru_cache
def scaled(value, by=RATE):
    return value * by

class Node(msgspec.Struct, Generic[T], rename="camel", tag=True, omit_defaults=True):
    the_value: T
    color: Color = Color.RED
    nodes: "list[Node]" = []
    own: dict = msgspec.field(default_factory=lambda: {"a": RATE}, name="mine")

    def doubled(self):
        return Node(self.the_value * 2, nodes=[self])

class Checked(msgspec.Struct, kw_only=True, frozen=True):
    value: int

    def __post_init__(self):
        if self.value < 0:
            raise ValueError(self.value)

class Tree(TypedDict):
    name: str
    trees: NotRequired["list[Tree]"]

class Point(NamedTuple):
    x: int
    y: int = 2

@attrs.define
class Box:
    line: "Line"
    size: int = attrs.field(default=1, validator=attrs.validators.gt(0))

class Model(pydantic.BaseModel):
    id: int
    model: "Model | None" = None

    @pydantic.field_validator("id")
    @classmethod
    def positive(cls, value):
        assert value > 0
        return value

class Schema(marshmallow.Schema):
    id = marshmallow.fields.Integer()
    other = marshmallow.fields.Nested(lambda: Schema())

    @marshmallow.post_load
    def made(self, data, **_):
        return {**data, "made": True}

decoder = msgspec.json.Decoder(list[Node])
adapter = pydantic.TypeAdapter(list[Model])
lines = [Line(Price(4))]
Alias = Annotated[Line, "noted"]
works = lambda: [line.price.twice() for line in lines]
tag = lambda: xml.etree.ElementTree.fromstring("<a/>").tag
typed = lambda: Alias.__metadata__[0] + str(scaled(2))

@functools.lru_cache
def factorial(n):
    return n * factorial(n - 1) if n else 1

seen = msgspec.json.decode(b'"red"', type=Color), msgspec.convert({"price": Price(1)}, Line)

def even(n):
    return n == 0 or odd(n - 1)

def odd(n):
    return n > 0 and even(n - 1)

def around():
    inside = [Price(7)]
    return lambda: inside[0].twice()

closed = around()
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    """The names of a script that has run."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    module = ModuleType("__main__")
    module.__file__ = str(path)
    monkeypatch.setitem(sys.modules, "__main__", module)
    exec(compile(SCRIPT, str(path), "exec", dont_inherit=True), vars(module))
    return vars(module)


def fresh(values, expressions, tmp_path):
    """What expressions give in a fresh process, by which `value` is known."""
    carry(values, tmp_path / "values.pickle")
    path = tmp_path / "carried.py"
    load = f"import sys; sys.path.append({str(user_code.__file__).rpartition('/')[0]!r})\nimport user_code\n"
    load += f"values = user_code.values_of({str(tmp_path / 'values.pickle')!r})\n"
    path.write_text(load + "".join(f"print({expression})\n" for expression in expressions), encoding="utf-8")
    done = run([sys.executable, "-I", path])
    assert "" == done.stderr
    return done.stdout.splitlines()


ANSWERS = {
    "works": ("()", "[8]"),
    "tag": ("()", "a"),
    "typed": ("()", "noted6"),
    "even": ("(5)", "False"),
    "closed": ("()", "14"),
    "factorial": ("(5)", "120"),
    "Color": ('("red")', "Color.RED"),
    "Line": ("(3).more", "[]"),
    "Point": ("(1)", "Point(x=1, y=2)"),
    "Box": (".__attrs_attrs__[1].validator", "<Validator for x > 0>"),
    "Model": ('(id=1, model={"id": 2}).model.id', "2"),
    "Schema": ('().load({"id": "1", "other": {}})', "{'id': 1, 'other': {'made': True}, 'made': True}"),
    "decoder": (
        '.decode(b\'[{"type": "Node", "theValue": 1}]\')[0].doubled().nodes[0].own',
        "{'a': 3}",
    ),
    "adapter": ('.validate_json(b"[]")', "[]"),
}


def test_code_of_a_script_travels_with_what_it_uses(script, tmp_path):
    """Functions, closures, classes of each library, and decoders that were made once; values are as they were."""
    given = fresh(
        {name: script[name] for name in ANSWERS},
        [f"values[{name!r}]{text}" for name, (text, _) in ANSWERS.items()],
        tmp_path,
    )
    assert {name: answer for name, (_, answer) in ANSWERS.items()} == dict(zip(ANSWERS, given, strict=True))


def test_classes_are_what_they_were(script, tmp_path):
    """Fields, options, defaults and annotations of classes, which libraries read, and which cloudpickle alone would lose."""
    asked = {
        "Node": "[one.__struct_fields__, one.__struct_config__.tag, one.__struct_encode_fields__]",
        "Checked": "[one.__struct_config__.frozen, str(inspect.signature(one)), refused(one, value=-1)]",
        "Tree": "[typing.get_type_hints(one)['name'], sorted(one.__optional_keys__)]",
        "Line": "[dataclasses.fields(one)[0].default is dataclasses.MISSING, typing.get_type_hints(one)['price']]",
        "Box": "[attrs.fields(attrs.resolve_types(one))[0].type, attrs.fields(one)[0].default is attrs.NOTHING]",
    }
    imports = "import attrs, dataclasses, inspect, typing\ndef refused(one, **named):\n    try: one(**named)\n    except ValueError: return True"
    values = {name: script[name] for name in asked}
    (tmp_path / "asked.py").write_text(f"{imports}\n", encoding="utf-8")
    namespace = {"values": values}
    exec(imports, namespace)
    expected = [str(eval(text, {**namespace, "one": values[name]})) for name, text in asked.items()]
    texts = [f"eval({text!r}, {{**names, 'one': values[{name!r}]}})" for name, text in asked.items()]
    given = fresh(values, [f"[names := {{}}, exec({imports!r}, names)][1]", *texts], tmp_path)
    assert ["None", *expected] == given


def test_an_object_that_can_be_called_travels_as_a_value(script, tmp_path):
    """A partial, and a method with its object."""
    values = {
        "partial": functools.partial(script["scaled"], 5, by=script["Price"](2)),
        "method": script["Price"](4).twice,
    }
    assert ["10", "8"] == fresh(values, ["values['partial']()", "values['method']()"], tmp_path)


def test_names_in_annotations_are_known(script, tmp_path):
    """Classes that only the text of an annotation names are there too, by name."""
    assert {"Box", "Line", "Price"} <= carry({"Box": script["Box"]}, tmp_path / "box").keys()


def test_what_cannot_travel_is_named(script, tmp_path):
    """A lock and an open file are no values of another process, whoever uses them."""
    script["lock"] = threading.Lock()
    exec("def inner(): return lock.locked()\ndef outer(): return inner()", script)
    with pytest.raises(CannotTravel, match=r"lock cannot be taken to a fresh process \(TypeError: cannot pickle"):
        carry({"given": script["outer"]}, tmp_path / "values")
    with Path(__file__).open() as opened, pytest.raises(CannotTravel, match=r"given cannot be taken .* an open file"):
        carry({"given": opened}, tmp_path / "values")
    assert not (tmp_path / "values").exists()


def test_another_python_reads_none_of_it(tmp_path, monkeypatch):
    """Its line says what to do; nothing of the value is unpickled."""
    path = tmp_path / "values"
    carry({"given": io.StringIO}, path)
    monkeypatch.setattr(sys.implementation, "cache_tag", "cpython-36")
    monkeypatch.setattr(pickle, "Unpickler", None)
    with pytest.raises(RuntimeError, match=r"runs on cpython-3\d+ alone; put it into a file"):
        user_code.values_of(str(path))


def test_modules_that_no_import_finds_travel_by_value(tmp_path, monkeypatch):
    """Such as a test that pytest has imported by its path."""
    module = ModuleType("hidden_of_test")
    monkeypatch.setitem(sys.modules, "hidden_of_test", module)
    exec("FACTOR = 3\ndef times(value): return value * FACTOR", vars(module))
    assert ["6"] == fresh({"times": module.times}, ["values['times'](2)"], tmp_path)


def test_the_source_of_a_function_is_told(script):
    """As comments, for those who look at a result; of what can be imported its name, and what has none says so."""
    assert "# def even(n):\n#     return n == 0 or odd(n - 1)\n" == source_of(script["even"])
    exec("def typed_in():\n    return 1", script)
    assert "# functools.wraps\n" == source_of(functools.wraps)
    assert "# There is no source of typed_in.\n" == source_of(script["typed_in"])
