"""A class is given as it is: of a file, or of a script or cell that no file can be imported from."""

from __future__ import annotations

import json
import sys

import pytest
from waits import run

import serbench
from serbench.api.calling import make_plan
from serbench.api.command_line.printing import tell_what_is_lost
from serbench.errors import PlanError
from serbench.measure.carried import located
from serbench.measure.plan import block_count, datasets, fixed
from serbench.store.scale_out import single_blocks

SCRIPT = """
import enum
from dataclasses import dataclass
import msgspec
import serbench

class Color(enum.Enum):
    RED = "red"

LIMIT = 3

@dataclass
class Line:
    sku: str
    quantity: int = LIMIT

@dataclass
class Order:
    id: int
    color: Color
    lines: "list[Line]"

class Struct(msgspec.Struct, rename="camel"):
    the_id: int
    lines: list[Line] = []
    structs: "list[Struct]" = []

def inner():
    @dataclass
    class Hidden:
        id: int
    return Hidden

if __name__ == "__main__":
    for model in (Order, Struct, inner()):
        try:
            cells = serbench.verify(model=model, libraries="msgspec", formats="orjson")
            print([(cell.library, cell.status) for cell in cells][:1])
        except serbench.PlanError as error:
            print(error)
"""


@pytest.mark.slow
def test_a_class_of_a_script_is_a_model(tmp_path):
    """It travels to fresh processes with what it uses; nothing of it is left, neither beside the store nor in it."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    environment = {"SERBENCH_STORE": str(tmp_path / "store.sqlite"), "PYTHONPATH": ":".join(filter(None, sys.path))}
    first, second, third = run([sys.executable, script], env=environment).stdout.splitlines()
    assert "[('yours (dataclass)', 'ok')]" == first
    assert "[('yours (msgspec)', 'ok')]" == second
    assert third.startswith("model Hidden: the name now means something else")
    assert [script] == [path for path in tmp_path.iterdir() if path.is_dir() or "store" not in path.name]


def test_a_class_of_a_file_is_found_in_it(tmp_path, monkeypatch):
    """A class that can be imported is measured where it is."""
    (tmp_path / "shop_of_test.py").write_text("class Order:\n    class Line:\n        id: int\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    import shop_of_test

    assert f"{tmp_path / 'shop_of_test.py'}:Order.Line" == located(shop_of_test.Order.Line)
    monkeypatch.delitem(sys.modules, "shop_of_test")


def test_what_is_no_class_is_told():
    """Something else than a class or a text is an error that says what a model is."""
    with pytest.raises(PlanError, match="model takes text, a class or several of it, not 3"):
        serbench.verify(model=3)
    with pytest.raises(PlanError, match="int has no file"):
        located(int)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["yours", "yours via msgspec", "dataclasses"])
def test_a_long_file_of_a_class_of_the_users(tmp_path, monkeypatch, library):
    """Its records come from a file of lines, and are written and read again as objects of the class."""
    text = "from dataclasses import dataclass\n\n@dataclass\nclass Order:\n    id: int\n    tags: list[str]\n"
    (tmp_path / "orders.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    lines = "".join(json.dumps({"id": number, "tags": ["a"]}) + "\n" for number in range(20))
    (tmp_path / "orders.jsonl").write_text(lines, encoding="utf-8")
    found = serbench.stream(
        model="orders.py:Order", payload=tmp_path / "orders.jsonl", libraries=library, formats="json/json", size=10_000
    )
    (streamed,) = [one for one in found if one.library.startswith(library)]
    assert ("ok", None) == (streamed.status, streamed.reason)
    assert 0 == streamed.records % 20
    assert streamed.size_bytes >= 10_000


CLASSES = """
from __future__ import annotations
from dataclasses import dataclass
import msgspec
import pydantic

@dataclass
class Node:
    name: str
    child: Node | None = None

class Folder(pydantic.BaseModel):
    name: str
    folders: list[Folder] = []

class Step(msgspec.Struct):
    number: int
    next: Step | None = None
    tags: list[str] = []

class Nest(pydantic.RootModel[list["Nest"]]):
    pass

@dataclass
class Flat:
    id: int
    tags: list[str]
"""


@pytest.mark.drawn(count=1)
@pytest.mark.parametrize("name", ["Node", "Folder", "Step", "Nest"])
def test_a_class_that_holds_itself_nests_to_the_depth_asked_for(name, tmp_path):
    """Each record of each document does, by a chain in its first field that can; each depth is one block."""
    (tmp_path / "deep.py").write_text(CLASSES)
    plan = make_plan(model=f"{tmp_path}/deep.py:{name}", depth=[1, 3, 6, 3], records=2)
    made = list(datasets(plan))
    assert [1, 3, 6] == [one.depth for one in made]
    for one in made:
        for number in range(3):
            assert {one.depth} == {nested(record, list if name == "Nest" else dict) for record in one.draw(number)}
    assert [] == fixed(plan)


def nested(value, kind):
    """How many values of a kind lie within one another in a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, kind) + max((nested(one, kind) for one in inner), default=0)


@pytest.mark.slow
def test_a_class_that_cannot_nest_says_so_first_and_is_measured_once(tmp_path, capsys):
    """One line before anything is measured, one block of its own depth, and the same line in the run."""
    (tmp_path / "flat.py").write_text(CLASSES)
    model = f"{tmp_path}/flat.py:Flat"
    plan = make_plan(model=model, depth=[1, 2, 4], records=3)
    (made,) = datasets(plan)
    assert (1, 3) == (made.depth, made.records)
    assert 1 == block_count(plan, made) == len(single_blocks(plan))
    (line,) = fixed(plan)
    assert line.startswith("Flat holds no record of its own type, so it cannot nest deeper: it is measured once")
    tell_what_is_lost({"model": model, "depth": (1, 2, 4)})
    assert f"{line}\n" == capsys.readouterr().err
