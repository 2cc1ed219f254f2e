"""The code is formatted, linted and typed, and no test waits for ever."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from waits import run

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        pytest.param(("mypy",), marks=[pytest.mark.full, pytest.mark.drawn(part=1), pytest.mark.xdist_group("mypy")]),
    ],
    ids=" ".join,
)
def test_the_tools_have_nothing_to_say(arguments):
    """Ruff finds nothing to mend, its formatter nothing to move, and mypy --strict no error."""
    run([sys.executable, "-m", *arguments], cwd=ROOT)


def test_ruff_looks_at_all_of_the_package():
    """A folder that is left out because others published it is no folder of ours with the same name."""
    shown = run([sys.executable, "-m", "ruff", "check", "--show-files", "."], cwd=ROOT).stdout
    looked_at = set(map(Path, shown.splitlines()))
    assert set() == set((ROOT / "serbench").rglob("*.py")) - looked_at
    assert not [path for path in looked_at if path.is_relative_to(ROOT / "data")]


PROGRAMS = {"subprocess." + name for name in ("run", "call", "check_call", "check_output")} | {"urllib.request.urlopen"}


def endless(tree: ast.AST) -> set[int]:
    """The lines of the calls that may wait for ever."""
    lines = set()
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            is_bare = call.func.attr in ("join", "wait", "result") and not (call.args or call.keywords)
            takes_timeout = call.func.attr == "communicate" or ast.unparse(call.func) in PROGRAMS
            if is_bare or (takes_timeout and "timeout" not in {keyword.arg for keyword in call.keywords}):
                lines.add(call.lineno)
    return lines


def test_every_wait_of_a_test_ends():
    """What tests wait for, a program, a thread, an event or an answer, has a limit of time; see tests/support/waits.py."""
    assert {1, 2, 3} == endless(ast.parse("one.join()\nsubprocess.run(one)\none.communicate(b'')\n', '.join(one)\n"))
    waiting = re.compile(r"\.(join|wait|result)\(\)|subprocess|communicate|urlopen")
    files = [path for path in (ROOT / "tests").rglob("*.py") if path.parent.name not in ("scripts", "snapshots")]
    texts = {path.name: text for path in files if waiting.search(text := path.read_text("utf-8"))}
    assert {} == {name: lines for name, text in texts.items() if (lines := endless(ast.parse(text)))}


GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")


def listed(heading: str) -> list[str]:
    """The words in the first column of the glossary's table below a heading."""
    table = GLOSSARY.partition(f"{heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[1:]


def test_the_glossary_is_of_the_code():
    """The code has each of the glossary's terms, each of which stands there once."""
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "serbench").rglob("*.py"))
    terms = listed("# Glossary")
    assert terms
    assert len(set(terms)) == len(terms) <= 25
    assert [] == [term for term in terms if term not in code]
