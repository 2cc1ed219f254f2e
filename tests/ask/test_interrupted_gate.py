"""An interrupt is never an answer: a gate that was ended gives no verdict, says what is kept, and goes on."""

from __future__ import annotations

import threading

import pytest

import serbench
from serbench.ask.command_line import judging
from serbench.ask.command_line.program import main
from serbench.errors import Interrupted

SIDES = ("dataclasses", "typeddict")
CHOICE = {"formats": "orjson", "operations": "decode", "effort": "quick", "records": 2}


class AtTheFirstVisit(serbench.RunListener):
    """Ends a run as soon as it has something that a verdict could be made of."""

    def __init__(self):
        self.cancel = threading.Event()

    def visit(self, _):
        self.cancel.set()


@pytest.mark.slow
def test_a_gate_that_is_ended_gives_no_verdict(tmp_path):
    """What was measured until then is kept, and the same gate goes on with it to its verdict."""
    store, ended = tmp_path / "runs.sqlite", AtTheFirstVisit()
    with pytest.raises(
        Interrupted,
        match=r"^interrupted before there was a verdict; run \S+ is kept, and --resume --store \S+ continues it",
    ):
        serbench.gate(*SIDES, **CHOICE, store=store, listener=ended, cancel=ended.cancel)
    (kept,) = serbench.runs(store=store)
    assert ("interrupted", False) == (kept.status, kept.used_up)

    gate = serbench.gate(*SIDES, **CHOICE, store=store, resume=True)
    assert gate.verdict in {"fine", "slower", "undecided"}
    assert [kept.id] == [run.id for run in serbench.runs(store=store)]


def test_the_command_says_so_and_ends_with_130(monkeypatch, capsys):
    """The command prints that line and no table, and its exit code is none of the verdicts'."""

    def ended(*_, **__):
        raise Interrupted("interrupted before there was a verdict")

    monkeypatch.setattr(judging, "watched", ended)
    with pytest.raises(SystemExit) as exit_:
        main(["gate", "--baseline", "dataclasses", "--candidate", "typeddict"])
    assert 130 == exit_.value.code
    assert ("", "serbench: interrupted before there was a verdict\n") == tuple(capsys.readouterr())
