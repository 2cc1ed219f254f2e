"""Code of a user's class that does what no class should: one line says so, and serbench goes on as before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import serbench
from serbench.cases import own_guard
from serbench.cli import main

VALIDATED = """
    class Model(pydantic.BaseModel):
        x: int
        @pydantic.field_validator("x")
        @classmethod
        def checked(cls, value):
            {}
"""
MUTE = """
    class Mute(Exception):
        def __str__(self):
            raise ValueError("no text")
"""


def indented(text):
    return text.replace("\n    ", "\n")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("class Stop(BaseException):\n    pass\nraise Stop('enough')\n", r"cannot be imported from .*: Stop: enough$"),
        (
            "import os\nos._exit(3)\n",
            r"cannot be imported from .*: the import called os\._exit, which ends the process$",
        ),
        (
            "import os\n" + indented(VALIDATED).format("os.abort()"),
            r"was accepted: Model: making its objects called os\.abort, which ends the process; give a payload",
        ),
        (f"{indented(MUTE)}\nraise Mute()\n", r"cannot be imported from .*: Mute$"),
        ("while True:\n    pass\n", r"cannot be imported from .*: the import took more than 0\.2 s$"),
        (
            f"class Stop(BaseException):\n    pass\n{indented(VALIDATED).format('raise Stop(value)')}",
            r"none of 200 values was accepted: Model: Stop: -?\d+; give a payload",
        ),
        (f"{indented(MUTE)}{indented(VALIDATED).format('raise Mute()')}", "was accepted: Model: Mute; give a payload"),
        (indented(VALIDATED).format("while True: pass"), r":Model: making its objects took more than 0\.2 s$"),
        (
            indented(VALIDATED).format("return value")
            + "\n    @pydantic.model_serializer\n    def slow(self):\n        while True: pass\n",
            r":Model: writing a document .*took more than 0\.2 s$",
        ),
    ],
)
def test_a_class_that_raises_ends_the_process_or_does_not_end(source, told, model, monkeypatch):
    """An exception without a text or that is no Exception, and a step that ends the process or never ends, are one line."""
    text = model(source)
    if "0\\.2" in told:
        monkeypatch.setattr(own_guard, "LIMIT_S", 0.2)
    with pytest.raises(serbench.PlanError, match=told) as raised:
        serbench.verify(model=text, records=2, libraries="msgspec", formats="json/json")

    assert "\n" not in str(raised.value)


def test_what_a_class_prints_is_no_result(model, capsys):
    """What a class prints while it is imported, made and written goes to standard error."""
    source = """
        print("imported")
        class Model(msgspec.Struct):
            x: int
            def __post_init__(self):
                print("made")
        """
    with pytest.raises(SystemExit) as ended:
        main(["verify", "--model", model(source), "-n", "2", "-l", "msgspec", "-f", "json/json", "--json"])
    said = capsys.readouterr()

    assert ended.value.code in (0, None)
    assert {"ok"} == {row["status"] for row in json.loads(said.out)["rows"]}
    assert {"imported", "made"} <= set(said.err.split())


def test_a_class_that_goes_elsewhere(model):
    """A module that changes the working folder or closes its standard output is measured all the same."""
    source = """
        import os, sys
        os.chdir("/")
        sys.stdout.close()
        class Model(msgspec.Struct):
            x: int
        """
    before, text = Path.cwd(), model(source)
    cells = serbench.verify(model=text, records=2, libraries="msgspec", formats="json/json")

    assert before == Path.cwd()
    assert {"ok"} == {cell.status for cell in cells}
