"""Odd input, and options that cannot matter, are refused in one line before anything is measured."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from serbench.measure.sessions.session import WorkerSession

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
