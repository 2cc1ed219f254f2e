"""The code is formatted, linted and typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "arguments",
    [("ruff", "check", "."), ("ruff", "format", "--check", "."), pytest.param(("mypy",), marks=pytest.mark.full)],
    ids=" ".join,
)
def test_the_tools_have_nothing_to_say(arguments):
    """Ruff finds nothing to mend, its formatter nothing to move, and mypy --strict no error."""
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
