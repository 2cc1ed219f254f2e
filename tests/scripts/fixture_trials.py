"""Counts how often the fixture of pytest judges rightly: a function that is 10 % slower must fail, an identical one must not.

    python3 tests/scripts/fixture_trials.py

Each trial is a run of pytest in a scratch project, with what `at_most` measures by default. The machine should be quiet.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from importlib.metadata import entry_points
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from waits import run

WAYS = """
import json

DATA = {"id": 1, "tags": ["new", "sale"] * 5, "price": 1.5}


def make(number):
    return {**DATA, "id": number}


def repeated(value, times):
    for _ in range(times):
        text = json.dumps(value)
    return text


def old(value):
    return repeated(value, 20)


def same(value):
    return repeated(value, 20)


def slower(value):
    return repeated(value, 22)
"""
TEST = """
import ways


def test_{name}(serbench):
    serbench.at_most(1.05, ways.{name}, than=ways.old, setup=ways.make)
"""


def outcome(folder: Path, name: str) -> str:
    """What became of one test: "passed", "failed" or "skipped"."""
    plugin = [] if entry_points(group="pytest11", name="serbench") else ["-p", "serbench.ask.pytest_plugin"]
    words = ["-m", "pytest", "-q", *plugin, "-p", "no:cacheprovider", "-p", "no:xdist", f"test_{name}.py"]
    done = run([sys.executable, *words], check=False, seconds=600, cwd=folder)
    last = done.stdout.strip().rpartition("\n")[2]
    known = [word for word in ("passed", "failed", "skipped") if f"1 {word}" in last]
    if len(known) != 1:
        raise SystemExit(f"pytest ended otherwise:\n{done.stdout}\n{done.stderr}")
    return known[0]


def main() -> None:
    """Run the trials in turns, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slower", type=int, default=20, metavar="N", help="trials of the slower function")
    parser.add_argument("--identical", type=int, default=50, metavar="N", help="trials of the identical one")
    asked = parser.parse_args()
    counts = {"slower": Counter[str](), "same": Counter[str]()}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "ways.py").write_text(WAYS, encoding="utf-8")
        for name in counts:
            (folder / f"test_{name}.py").write_text(TEST.format(name=name), encoding="utf-8")
        for name, times in (("slower", asked.slower), ("same", asked.identical)):
            for _ in range(times):
                counts[name][outcome(folder, name)] += 1
    for name, one in counts.items():
        print(f"{name}: {dict(one)}")
    print(f"{(time.monotonic() - began) / max(asked.slower + asked.identical, 1):.1f} s a trial")
    if counts["slower"].keys() - {"failed"} or counts["same"]["failed"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
