"""Compares pairs of functions whose ratio is known: identical code under two names, and code that does 5 % more.

python tests/scripts/compare_accuracy.py [PAIRS] [EFFORT]; on a quiet machine, in about 10 s a pair.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import serbench

WAYS = """
import json

def make(number):
    return [{{"id": number, "name": "a" * {letters}, "ratio": number / 7}}] * {size}

def one(value):
    for _ in range({base}):
        text = json.dumps(value)
    return text

def other(value):
    for _ in range({more}):
        text = json.dumps(value)
    return text
"""


def compared(number: int, more: int, effort: str) -> tuple[float, float, float, int]:
    """The ratio of the second function with its ends, and its rank."""
    text = WAYS.format(letters=5 + number % 20, size=1 + number % 7, base=20, more=more)
    Path(f"ways_{number}.py").write_text(text, encoding="utf-8")
    names = [f"ways_{number}.py:one", f"ways_{number}.py:other"]
    found = serbench.compare(*names, setup=f"ways_{number}.py:make", effort=effort)
    row = next(row for row in found.rows if row.library == names[1])
    reference = next(row for row in found.rows if row.library == names[0])
    assert row.ratio is not None
    assert row.ratio_low is not None
    assert row.ratio_high is not None
    return row.ratio, row.ratio_low, row.ratio_high, (row.rank or 0) - (reference.rank or 0)


def main(pairs: int, effort: str) -> None:
    """Print how often a difference is told that there is not, and how often one of 5 % is told."""
    for name, more, truth in (("identical", 20, 1.0), ("5 % more", 21, 1.05)):
        began, told, ranked, missed = time.monotonic(), 0, 0, 0
        for number in range(pairs):
            ratio, low, high, rank = compared(number, more, effort)
            told += not low <= 1 <= high
            ranked += rank != 0
            missed += not low <= truth <= high
            print(f"{name} {number + 1}: {ratio:.3f} ({low:.3f} to {high:.3f})", flush=True)
        each = (time.monotonic() - began) / pairs
        print(
            f"{name}: of {pairs} pairs {told} intervals exclude 1, {ranked} have different ranks, {missed} miss {truth}; "
            f"{each:.1f} s a pair",
            flush=True,
        )


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 50, sys.argv[2] if len(sys.argv) > 2 else "normal")
