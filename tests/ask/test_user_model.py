"""A class is given as it is: of a file, or of a script or cell that no file can be imported from."""

from __future__ import annotations

import json
import sys

import pytest
from waits import run

import serbench
from serbench.errors import PlanError
from serbench.measure.carried import located

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
    assert third.startswith("model Hidden: the name means something else by now")
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
