"""Drawn commands end well or in one line, whatever goes with whatever; what a line says to omit is what stands in the way."""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections import Counter
from itertools import count as numbers

import dry
import known_runs
import pytest

from serbench.api.command_line.program import COMMANDS, command_named

LONGEST_S = 60
ENDINGS = (0, 1, 2, 3)
ORDERS = [
    {"id": 1, "at": "2024-01-01", "pay": {"type": "card", "no": "1"}},
    {"id": 2, "at": "2024-01-02", "pay": {"type": "cash", "cents": 3}},
]
SHOP = "from dataclasses import dataclass\n\n\n@dataclass\nclass Order:\n    id: int\n"
WAYS = "def make():\n    return 1\n\n\ndef old(one):\n    return one\n\n\ndef new(one):\n    return one\n"
ODD = ("", " ", "0", "-1", "1e999", "nan", "9" * 30, "*", "latest", "msgspec", "orjson", "x" * 300, "a,b", "\x1b[2J", "/", "..", "\udcff.json", "é", "json", "encode", "1", "quick", "5s", "2%", "client", "'", "--", "a\nb", "$(id)", "tcp://127.0.0.1:1")  # fmt: skip
VALID = {
    "as_map": ("pay",), "as_record": ("pay",), "as_text": ("at",), "as_union": ("pay.type",), "bandwidth": ("10Mbit/s",),
    "baseline": ("msgspec",), "budget": ("60s",), "candidate": ("attrs",),
    "check": ("orders.json",), "codec": ("json", "orjson"), "compared": ("latest previous", "ways.py:old ways.py:new"), "compression": ("gzip",),
    "conditions": ("hot", "varied"), "cores": ("2",), "data": ("orders.json",), "demands": ("human-readable",),
    "depth": ("2",), "effort": ("quick",), "endpoints": ("falcon",), "file": ("orders.json",), "file_size": ("64k",), "form": ("tree", "python"),
    "formats": ("orjson", "json"), "gc": ("on", "off"), "html": ("new",), "ids": ("000", "003"), "jobs": ("1",), "libraries": ("msgspec", "attrs"),
    "library": ("msgspec",), "measured": ("latest",), "memory_limit": ("4G", "0"), "metrics": ("start",), "model": ("shop.py:Order",),
    "notebook": ("scaling",), "operations": ("encode", "decode"), "output": ("new",), "parameter": ("effort=quick",),
    "parts": ("loop",), "payload": ("orders.json",), "precision": ("5%",), "present": ("msgspec/orjson",), "processes": ("1",), "python": ("main",),
    "records": ("1", "2"), "request": ("GET /orders",), "run": ("latest",), "schema": ("schema.json",), "seed": ("7",), "setup": ("ways.py:make",),
    "site": ("new",), "store": ("runs.sqlite",), "stored": ("latest", "previous"), "threshold": ("5%",), "time_limit": ("30s",), "to": ("csv", "json"),
    "values": ("1",), "versions": ("installed",), "what": ("runs", "libraries", "orders.json", "shop.py:Order", "msgspec"),
    "workload": ("tiny",),
}  # fmt: skip
"""Parameter → values that commands take; "new" is a file that is not there yet."""
OTHERS = {
    ("adopt", "to"): ("new",), ("claims", "versions"): ("now",), ("gate", "library"): ("msgspec",),
    ("env", "name"): ("pydantic==2.5",), ("env", "names"): ("marshmallow2",),
}  # fmt: skip
NOT_DRAWN = {"scheduler", "more", "requirements", "module", "sources", "image", "index"}
"""What asks a server or a browser, or takes more than a file."""


def known_commands():
    """Each command, those of a group each by itself, with its parameters."""
    for name in COMMANDS:
        command = command_named(name)
        below = getattr(command, "commands", None) or {"": command}
        for sub, one in below.items():
            yield ((name, sub) if len(below) > 1 else (name,)), one.params


class Drawn:
    """One command as its words, in parts that can be left out."""

    def __init__(self, names, params, drawn, files, *, odd):
        self.names, self.parts = names, []
        optional = [one for one in params if not one.required and one.name not in NOT_DRAWN]
        several = drawn.sample(optional, min(len(optional), drawn.randint(0, 4)))
        for param in [*(one for one in params if one.required), *several]:
            usual = OTHERS.get((names[0], param.name), VALID.get(param.name, ODD))
            value = drawn.choice(ODD if odd and drawn.random() < 0.4 else usual)
            value = f"new{next(files)}" if value == "new" else value
            is_flag, typed = getattr(param, "is_flag", False), param.opts[0].startswith("-")
            words = [] if is_flag else value.split(" ") if param.nargs == -1 else [value]
            self.parts.append(((param.opts[0],) if typed else (), words))
        if odd and drawn.random() < 0.2:
            self.parts.append((("--" + drawn.choice(list(VALID)),), [drawn.choice(ODD)]))

    @property
    def words(self):
        """What is typed."""
        return [*self.names, *(word for flag, words in self.parts for word in (*flag, *words))]

    def advised(self, line):
        """Leave out what the line says to omit; False if it says nothing of that kind."""
        before, omit, after = line.partition("; omit ")
        if not omit:
            before, omit, after = line.partition(", or omit ")
        told = before.rpartition(" replaces ")[2] if after.startswith("one of them") else after
        names = re.split(r", | and ", told.strip())
        left = [(flag, words) for flag, words in self.parts if not {*flag, *words, " ".join(words)} & set(names)]
        changed = len(left) < len(self.parts)
        self.parts = left
        return bool(omit) and changed


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with files to name and a store with runs; commands measure nothing in it."""
    (tmp_path / "orders.json").write_text(json.dumps(ORDERS))
    (tmp_path / "y_1.json").write_text("1")
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "ways.py").write_text(WAYS)
    schema = {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    known_runs.stored(tmp_path / "runs.sqlite", dry.STORED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SERBENCH_STORE", str(tmp_path / "runs.sqlite"))
    dry.without_processes(monkeypatch)
    return tmp_path


def tried(count, seed, cli, folder):
    """Run at least so many drawn commands, each again without what its line says to omit; endings by command, and the slowest."""
    drawn, files, slowest = random.Random(seed), numbers(), (0.0, "")
    known, endings = list(known_commands()), Counter()
    while endings.total() < count:
        names, params = known[endings.total() % len(known)] if drawn.random() < 0.5 else drawn.choice(known)
        command = Drawn(names, params, drawn, files, odd=drawn.random() < 0.4)
        for _ in range(6):
            began = time.monotonic()
            try:
                code, _, err = cli(*command.words)
            except BaseException as error:
                raise AssertionError(f"seed {seed}: serbench {command.words}") from error
            slowest = max(slowest, (time.monotonic() - began, " ".join(command.words)))
            endings[" ".join(names), code] += 1
            assert code in ENDINGS, command.words
            assert "Traceback" not in err
            if code != 2:
                break
            line = err.splitlines()[-1]
            assert line.startswith("serbench: "), (command.words, err)
            if not command.advised(line.removeprefix("serbench: ")):
                break
    return endings, slowest


def told(endings, slowest):
    """The counts as lines."""
    accepted = sum(many for (_, code), many in endings.items() if code != 2)
    lines = [f"{endings.total():,} drawn commands: {accepted:,} accepted, {endings.total() - accepted:,} refused"]
    for name in dict.fromkeys(name for name, _ in endings):
        codes = ", ".join(f"{many} × {code}" for (one, code), many in sorted(endings.items()) if one == name)
        lines.append(f"  {name}: {codes}")
    return "\n".join([*lines, f"  the slowest took {slowest[0]:.1f} s: {slowest[1][:150]}"]), accepted


@pytest.mark.slow
def test_drawn_commands_end_well_or_in_one_line(cli, folder):
    """A few commands of each kind, with options and values that were drawn."""
    endings, _ = tried(80, 7, cli, folder)
    assert told(endings, (0.0, ""))[1] >= endings.total() / 3


@pytest.mark.every
@pytest.mark.timeout(3600)
def test_a_thousand_drawn_commands(cli, folder, capsys):
    """Of more than a thousand none ends in a traceback or with a code of its own, and at least a third is accepted."""
    endings, slowest = tried(2000, 41, cli, folder)
    said, accepted = told(endings, slowest)
    with capsys.disabled():
        sys.stdout.write(f"\n{said}\n")
    assert {name.split()[0] for name, _ in endings} == set(COMMANDS)
    assert accepted >= endings.total() / 3
    assert slowest[0] < LONGEST_S
