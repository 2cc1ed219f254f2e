"""Odd input, and options that cannot matter, are refused in one line before anything is measured; drawn commands too."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

from serbench.measure.sessions.session import WorkerSession
from serbench.render.environments.build import BuildError

POSIX = pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes")
REFUSED = [
    (("claims", "--effort", "*"), "unknown effort '*'"),
    (
        ("gate", "--baseline", "orjson==3.10", "--candidate", "orjson==3.11", "--library", "nosuch-like"),
        "unknown library",
    ),
    (("verify", "--hostile", "--time-limit", "0"), "time limit must be more than 0 s, not 0"),
    (("verify", "--limits", "-l", "msgspec", "--time-limit", "0"), "time limit must be more than 0 s"),
    (("run", "--literal-strings"), "--literal-strings only matters with --payload; give that too, or omit"),
    (("recommend", "--present", "yours/json"), "yours/json stands for your own class; name it with --model"),
    (("recommend", "--run", "latest", "--effort", "quick"), "--run takes a run as it is; omit --effort"),
    (("show", "a" * 300), "a"),
    (("run", "--payload", "a" * 300 + ".json"), "a"),
]
SLOW = ("app", "report", "selfcheck", "claims")
VALUES = ("", " ", "0", "-1", "1e999", "nan", "9" * 30, "*", "latest", "msgspec", "orjson", "x" * 300, "a,b", "\x1b[2J", "/", "..", "\udcff.json", "é", "json", "encode", "1", "quick", "5s", "2%", "client", "'", "--", "a\nb", "$(id)", "tcp://127.0.0.1:1")  # fmt: skip

LIKELY = {
    "workload": ("tiny", "client"), "libraries": ("msgspec", "attrs"), "library": ("msgspec", "pydantic"), "formats": ("orjson", "json"),
    "codec": ("json", "orjson"), "operations": ("decode", "encode"), "effort": ("quick",), "records": ("1", "2"), "depth": ("2",),
    "baseline": ("dataclasses",), "candidate": ("typeddict",), "what": ("workloads", "runs", "libraries", "msgspec", "env"),
    "metrics": ("start",), "processes": ("1",), "seed": ("7",), "conditions": ("hot",), "gc": ("off",), "values": ("3",), "versions": ("0.22.0",),
}  # fmt: skip
"""Parameter → values that commands take, so that not every drawn command is refused."""


@pytest.mark.parametrize(
    ("command", "words"), REFUSED, ids=lambda one: " ".join(one)[:40] if isinstance(one, tuple) else ""
)
def test_what_cannot_be_or_matter_is_refused_before_measuring(command, words, refused, monkeypatch):
    """One line says so, and no process has been started for a case."""
    monkeypatch.setattr(WorkerSession, "_start", lambda _: pytest.fail("it has begun to measure"))
    assert words in refused(*command)


def test_a_long_name_of_an_interpreter_is_one_line(cli):
    """What no file can be called is no fault of ours."""
    code, _, err = cli("run", "--python", "x" * 240)
    assert (2, True) == (code, err.splitlines()[-1].startswith("serbench: ")), err


@POSIX
def test_a_name_that_is_not_utf_8_is_said(tmp_path, refused):
    """A run keeps the names of its files as JSON; the line shows the byte as an escape."""
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.json")
    Path(path).write_text("[1]")
    assert r"\udcff.json is not UTF-8; rename the file or its folder" in refused("run", "--payload", path)


def drawn_commands(count, seed):
    """So many commands with options of theirs, of others and of none, and odd values."""
    from serbench.ask.command_line.program import COMMANDS, command_named

    drawn = random.Random(seed)
    known = []
    for name in COMMANDS:
        command = command_named(name)
        subs = getattr(command, "commands", None)
        known += (
            [((name, sub), one) for sub, one in subs.items() if len(subs) > 1]
            if subs and len(subs) > 1
            else [((name,), command)]
        )
    flags = sorted({flag for _, one in known for param in one.params for flag in param.opts if flag.startswith("--")})
    for _ in range(count):
        names, command = drawn.choice(known)
        words, odd = [*names], drawn.random() < 0.5
        needed = [param for param in command.params if param.required and param.name in LIKELY]
        for param in [*needed, *drawn.sample(command.params, min(len(command.params), drawn.randint(0, 4)))]:
            known_values = LIKELY.get(param.name, VALUES if odd else ())
            value = drawn.choice(VALUES if odd and drawn.random() < 0.3 else known_values or ("",))
            if not value and not odd and not getattr(param, "is_flag", False):
                continue
            if param.name in ("scheduler", "jobs", "browser", "no_browser", "lab"):
                continue
            if not param.opts[0].startswith("-"):
                words.append(value)
            else:
                words.append(drawn.choice(param.opts))
                if not getattr(param, "is_flag", False):
                    words.append(value)
        if drawn.random() < 0.1:
            words += [drawn.choice(flags), drawn.choice(VALUES)]
        if names[0] not in SLOW and names not in (("env", "build"), ("env", "add")):
            yield words


def tried(count, seed, cli, tmp_path, monkeypatch):
    """Run drawn commands, in which no process measures; how many ended how."""

    def no_index(*_):
        raise BuildError("no package index")

    def nothing(_):
        raise OSError(28, "no process is started here", "worker")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(WorkerSession, "_start", nothing)
    monkeypatch.setattr("serbench.render.environments.build._uv", no_index)
    codes = {}
    for words in drawn_commands(count, seed):
        try:
            code, _, err = cli(*words)
        except BaseException as error:
            raise AssertionError(f"seed {seed}: serbench {words}") from error
        codes[code] = codes.get(code, 0) + 1
        assert code in (0, 1, 2, 3), words
        assert "Traceback" not in err
        if code == 2:
            assert err.splitlines()[-1].startswith("serbench: "), (words, err)
    return codes


def test_drawn_commands_end_well_or_in_one_line(cli, tmp_path, monkeypatch):
    """A few commands with options and values that were drawn."""
    assert tried(60, 7, cli, tmp_path, monkeypatch)


@pytest.mark.every
@pytest.mark.timeout(3600)
def test_a_thousand_drawn_commands(cli, tmp_path, monkeypatch, capsys):
    """More than a thousand of them: none ends in a traceback or with an exit code of its own."""
    codes = tried(1800, 41, cli, tmp_path, monkeypatch)
    assert sum(codes.values()) >= 1000
    with capsys.disabled():
        sys.stdout.write(f"\n{sum(codes.values())} drawn commands, by exit code: {codes}\n")
