"""An interrupt ends any command with 130 and one line, whenever it comes: no verdict, no traceback, and what is kept is said."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest
import waits

from serbench.ask.command_line import program
from serbench.errors import Interrupted, if_interrupted

AT_AN_IMPORT = """
import os, signal, sys
class Interrupting:
    left = int(sys.argv.pop(1))
    def find_spec(self, *_):
        Interrupting.left -= 1
        if not Interrupting.left:
            os.kill(os.getpid(), signal.SIGINT)
from serbench.__main__ import main
sys.meta_path.insert(0, Interrupting())
main()
"""
CASES = ("-w", "tiny", "-n", "5", "-l", "msgspec,dataclasses,attrs", "-f", "orjson,msgpack")
COMMANDS = {
    "run": CASES,
    "recommend": CASES,
    "weigh": CASES,
    "verify": ("--all", "-l", "msgspec"),
    "gate": ("--baseline", "dataclasses", "--candidate", "typeddict", "-f", "orjson"),
    "history": ("msgspec",),
    "explain": ("msgspec", "json"),
    "claims": (),
    "selfcheck": ("--quick",),
    "report": (),
    "adopt": ("pydantic", "json"),
    "show": ("libraries",),
    "compare": ("latest", "previous"),
    "env": ("remove", "pydantic==2.5"),
    "app": ("--no-browser",),
}
"""A call of each command that takes a while."""
DELAYS = (0.1, 0.2, 0.5, 1, 2)
"""Seconds after Python itself has started; modules are imported in the first of them."""
JUDGING = ("gate", "claims", "selfcheck")
"""Commands whose answer is a verdict, of which nothing may be printed."""


@pytest.mark.parametrize("number", [1, 30, 300])
def test_an_interrupt_while_modules_are_imported_is_one_line(number):
    """Ctrl-C at any import ends at once, with one line and 130."""
    done = waits.run([sys.executable, "-c", AT_AN_IMPORT, str(number), "show", "runs"], check=False)
    assert (130, "") == (done.returncode, done.stdout)
    assert "serbench: interrupted before it began; give the command again\n" == done.stderr


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted("interrupted; two claims are kept")], ids=repr)
def test_each_command_ends_with_130_and_says_what_is_kept(cli, monkeypatch, error):
    """A command that is interrupted prints its own line, or that nothing is kept; grouped commands do too."""

    def interrupted(*_, **__):
        raise error

    monkeypatch.setattr("serbench.ask.command_line.looking.remove_environment", interrupted)
    line = str(error) or "interrupted; nothing is kept, so give the command again"
    assert (130, "", f"serbench: {line}\n") == cli("env", "remove", "pydantic==2.5")


def test_an_interrupt_while_options_are_read_is_one_line(cli, monkeypatch):
    """Ctrl-C between the import of a command and its first step is told as any other; Typer would end without a word."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("typer.core.TyperCommand.make_context", interrupted)
    assert (130, "", "serbench: interrupted; nothing is kept, so give the command again\n") == cli("report")


def test_the_innermost_part_says_what_is_kept():
    """What is known of the work within is said, not what a wider part would say."""
    outer = if_interrupted("nothing is kept")
    with pytest.raises(Interrupted, match=r"^interrupted; all is kept$"), outer, if_interrupted("all is kept"):
        raise KeyboardInterrupt


@pytest.mark.full
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_interrupted_at_any_time(command, tmp_path, monkeypatch, capsys):
    """From its first 0.1 s on, each command ends with 130, a last line that says what is kept, and nothing left behind."""
    assert program.COMMANDS.keys() == COMMANDS.keys()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    interrupted, had_ended = [], []
    for delay in (*DELAYS, random.Random(command).uniform(2, 12)):
        process = subprocess.Popen(
            [sys.executable, "-c", "import serbench.__main__ as m; print(flush=True); m.main()", command, *COMMANDS[command]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )  # fmt: skip
        assert "\n" == process.stdout.readline(), "Python itself has not started"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=waits.LONGEST_S)
        assert "Traceback" not in said
        if process.returncode in (0, 2):
            had_ended.append(delay)
            continue
        assert 130 == process.returncode, said
        assert "interrupted" in said.splitlines()[-1]
        assert command not in JUDGING or not out
        assert not list(tmp_path.glob("serbench-[!c]*"))
        interrupted.append(delay)
    assert interrupted, "it always ends before"
    with capsys.disabled():
        told = [", ".join(f"{delay:.1f}" for delay in delays) for delays in (interrupted, had_ended)]
        sys.stdout.write(f"\n{command}: interrupted after {told[0]} s; had ended after {told[1] or 'none'}\n")
