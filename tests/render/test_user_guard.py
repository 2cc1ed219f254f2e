"""Code of a user's class that does what no class should: one line says so, and serbench goes on as before."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

import serbench
from serbench.ask.command_line.program import main
from serbench.render.user_class.conversion import LIMIT_S, user_code

VALIDATED = """
    class Model(pydantic.BaseModel):
        x: int
        @pydantic.field_validator("x")
        @classmethod
        def checked(cls, value):
            {}
"""
ENDLESS = """exec('''
import signal
left, interval = signal.getitimer(signal.ITIMER_REAL)  # of the minute that a step has
signal.setitimer(signal.ITIMER_REAL, left / 1000, interval)
while True:
    pass
''')"""
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
            r"imported .*the import called os\._exit",
        ),
        (
            "import os\n" + indented(VALIDATED).format("os.abort()"),
            r"Model: making its objects called os\.abort.*payload",
        ),
        (f"{indented(MUTE)}\nraise Mute()\n", r"cannot be imported from .*: Mute$"),
        (ENDLESS, r"cannot be imported from .*: the import took more than 60 s$"),
        (
            f"class Stop(BaseException):\n    pass\n{indented(VALIDATED).format('raise Stop(value)')}",
            r"none of 200 values .*Model: Stop: -?\d+.*payload",
        ),
        (f"{indented(MUTE)}{indented(VALIDATED).format('raise Mute()')}", "Model: Mute;.*payload"),
        (indented(VALIDATED).format(ENDLESS), r":Model: making its objects took more than 60 s$"),
        (
            indented(VALIDATED).format("return value")
            + f"\n    @pydantic.model_serializer\n    def slow(self):\n        {ENDLESS}\n",
            r":Model: writing a document .*took more than 60 s$",
        ),
    ],
)
def test_a_class_that_raises_ends_the_process_or_does_not_end(source, told, model):
    """An exception without a text or that is no Exception, and a step that ends the process or never ends, are one line."""
    text = model(source)
    with pytest.raises(serbench.PlanError, match=told) as raised:
        serbench.verify(model=text, records=2, libraries="msgspec", formats="json/json")

    assert "\n" not in str(raised.value)


@pytest.mark.slow
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


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_a_timer_of_somebody_else_s_goes_on():
    """The limit of a step stops no timer that was set before it, and its handler is there again."""

    def handler(*_):
        raise AssertionError("not in this test")

    before, timer = signal.signal(signal.SIGALRM, handler), signal.setitimer(signal.ITIMER_REAL, 1000, 7)
    try:
        with user_code("the step"):
            limited = signal.getitimer(signal.ITIMER_REAL)
        assert limited[0] <= LIMIT_S
        assert signal.getsignal(signal.SIGALRM) is handler
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert LIMIT_S < left <= 1000
        assert interval == pytest.approx(7)
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *timer)
