"""Code that lives in no file of its own travels with what it uses, or the name that cannot is told."""

from __future__ import annotations

import functools
import linecache
import sys
import threading
from types import ModuleType

import pytest
from waits import run

from serbench.measure.carried import TARGET, CannotTravel, Carrier, source_of
from serbench.measure.worker import user_code

SCRIPT = '''
import functools
import xml.etree.ElementTree
from dataclasses import dataclass, field
from typing import Annotated

RATE = 3

@dataclass
class Line:
    price: "Price"
    more: list = field(default_factory=list)

class Price(int):
    def twice(self):
        return scaled(self, 2)

@functools.lru_cache
def scaled(value, by=RATE):
    return value * by

class Machine:
    """Cannot be pickled."""
    def __init__(self):
        self.steps = [lambda value: value]
    def add(self, step):
        self.steps.append(step)
        return step
    def run(self, value):
        return functools.reduce(lambda result, step: step(result), self.steps, value)

machine = Machine()
machine.add(lambda value: value + RATE)
@machine.add
def tenfold(value):
    return value * 10

lines = [Line(Price(4))]
Alias = Annotated[Line, "noted"]
again = scaled
works = lambda: [machine.run(line.price.twice()) for line in lines]
tag = lambda: xml.etree.ElementTree.fromstring("<a/>").tag
typed = lambda: Alias.__metadata__[0] + str(again(2))

def odd(n):
    return n > 0 and even(n - 1)

def even(n):
    return n == 0 or odd(n - 1)

def around():
    inside = [Price(7)]
    return lambda: inside[0].twice()

closed = around()
two = lambda: (lambda: 1)(), lambda: 2
'''


@pytest.fixture
def script(tmp_path, monkeypatch):
    """The names of a script that has run."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    module = ModuleType("__main__")
    module.__file__ = str(path)
    monkeypatch.setitem(sys.modules, "__main__", module)
    exec(compile(SCRIPT, str(path), "exec"), vars(module))
    yield vars(module)
    linecache.clearcache()


def fresh(carrier, expression, tmp_path):
    """What an expression gives in a fresh process."""
    path = tmp_path / "carried.py"
    load = f"import sys; sys.path.insert(0, {str(user_code.__file__).rpartition('/')[0]!r})\n"
    load += "import user_code; sys.modules['_serbench_user_code'] = user_code\n"
    path.write_text(f"{load}{carrier.text}\nprint({expression})\n", encoding="utf-8")
    done = run([sys.executable, "-I", path])
    assert "" == done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("name", "answer"),
    [("works()", "[110]"), ("tag()", "a"), ("typed()", "noted6"), ("even(5)", "False"), ("closed()", "14")],
)
def test_code_of_a_script_travels_with_what_it_uses(script, tmp_path, name, answer):
    """Imports, constants, values, classes, aliases, functions that call each other, and what changed a live object."""
    carrier = Carrier(script, tmp_path)
    called = carrier.callable(script[name.partition("(")[0]], "target")
    assert answer == fresh(carrier, called + name[name.index("(") :], tmp_path)


def test_what_is_made_again_is_named(script, tmp_path):
    """A live object that cannot be pickled is made by its statements, and its name is known."""
    carrier = Carrier(script, tmp_path)
    carrier.use("machine.run(1)")
    assert (["machine"], "40") == (carrier.remade, fresh(carrier, "machine.run(1)", tmp_path))


def test_an_object_that_can_be_called_travels_as_a_value(script, tmp_path):
    """A partial is pickled with its function."""
    carrier = Carrier(script, tmp_path)
    called = carrier.callable(functools.partial(script["scaled"], 5, by=script["Price"](2)), "target")
    assert "10" == fresh(carrier, f"{called}()", tmp_path)


def test_a_method_travels_with_its_object(script, tmp_path):
    """Of a live object too, which is made again; what has no name is told by that of the method."""
    carrier = Carrier(script, tmp_path)
    assert ("machine.run", "40") == (
        carrier.callable(script["machine"].run, TARGET),
        fresh(carrier, "machine.run(1)", tmp_path),
    )
    with pytest.raises(CannotTravel, match=r"Machine.run cannot be taken to a fresh process"):
        Carrier(script, tmp_path).callable(script["Machine"]().run, TARGET)


def test_lambdas_of_one_line_are_told_apart(script):
    """The source of a lambda is its own, not that of the line."""
    one, two = script["two"]
    assert ["lambda: (lambda: 1)()", "lambda: 2"] == [source_of(one), source_of(two)]
    assert 'lambda: xml.etree.ElementTree.fromstring("<a/>").tag' == source_of(script["tag"])


def test_what_cannot_travel_is_named(script, tmp_path):
    """A lock is no value of another process; a function whose source is not known cannot be sent."""
    script["lock"] = threading.Lock()
    with pytest.raises(CannotTravel, match=r"lock cannot be taken to a fresh process \(TypeError: cannot pickle"):
        Carrier(script, tmp_path).use("lock.locked()")
    exec("def typed_in():\n    return 1", script)
    with pytest.raises(CannotTravel, match="the source of typed_in is not known; define it in a cell or a file"):
        Carrier(script, tmp_path).callable(script["typed_in"], "target")
