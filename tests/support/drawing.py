"""Draws which tests a run has: of many that prove alike, each run needs some, and the runs together have all.

`drawn(part=10)` marks tests of which each run has one in ten, `drawn(count=3)` tests of which it has three. Those of one
function are drawn together, or those with the same `of`. `every` marks tests that no run draws.
The seed is the commit, or `--seed`, so that a run can be repeated. `-m every` runs all tests, and so do those who
name tests, by `-k` or by their ids, get all that they named.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import pytest

NAMED = 5
"""So many tests of a group are named, and more only counted."""


def chosen(seed: str, names: list[str], count: int) -> set[str]:
    """So many of the names, drawn by the seed; the order of the names does not matter."""
    return set(sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())[:count])


def commit(folder: Path) -> str:
    """The commit that is checked out, or "none" if the folder has no history."""
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"


def group(item: pytest.Item) -> str:
    """The group of which a test is drawn; empty if it is not drawn."""
    marker = item.get_closest_marker("drawn")
    return str(marker.kwargs.get("of", item.nodeid.partition("[")[0])) if marker else ""


class Drawing:
    """The draw of one run, in the process that pytest was started as and in those of pytest-xdist alike."""

    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        option.seed = option.seed or os.environ.get("SERBENCH_SEED") or commit(config.rootpath)  # xdist hands it on
        self.seed = option.seed
        self.has_all = bool(re.search(r"\bevery\b", option.markexpr))
        self.draws = not (self.has_all or option.keyword or any("::" in argument for argument in config.args))
        self.sizes: Counter[str] = Counter()
        self.drawn: dict[str, list[str]] = {}

    def pytest_report_header(self) -> str:
        """Tell the seed."""
        return f"seed: {self.seed}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect what is not drawn."""
        if self.has_all:
            for item in items:
                item.add_marker("every")
        if not self.draws:
            return
        groups = defaultdict(list)
        for item in items:
            if group(item):
                groups[group(item)].append(item)
        out = {item.nodeid for item in items if item.get_closest_marker("every")}
        for name, members in groups.items():
            self.sizes[name] = len(members)
            asked = members[0].get_closest_marker("drawn").kwargs
            count = asked["count"] if "count" in asked else math.ceil(len(members) / asked["part"])
            names = [item.nodeid for item in members]
            out |= set(names) - chosen(self.seed, names, count)
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in out])
        items[:] = [item for item in items if item.nodeid not in out]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what this run has of each group, after other options have selected."""
        drawn = defaultdict(list)
        for item in session.items:
            if group(item) in self.sizes:
                drawn[group(item)].append(item.callspec.id if hasattr(item, "callspec") else item.name)
        self.drawn = {
            name: [f"{len(tests)} of {self.sizes[name]}", *tests[: NAMED + 1]] for name, tests in drawn.items()
        }

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tell it to the process that prints."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["drawn"] = self.drawn

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        """Hear it; all processes have drawn the same."""
        self.drawn |= getattr(node, "workeroutput", {}).get("drawn", {})

    def pytest_terminal_summary(self, terminalreporter) -> None:
        """Tell the seed, and what was drawn."""
        if self.drawn:
            terminalreporter.write_line(f"drawn by the seed {self.seed} (--seed); -m every runs all:")
        for name, (count, *tests) in sorted(self.drawn.items()):
            terminalreporter.write_line(f"  {count} {name}" + (f": {', '.join(tests)}" if len(tests) <= NAMED else ""))
