"""Draws which tests a run has: of many that prove alike, each run needs some, and the runs together have all.

`drawn(part=10)` marks tests of which each run has one in ten, `drawn(count=3)` tests of which it has three. Those of one
function are drawn together, or those with the same `of`. `changed("docs")` marks tests that a run has if a commit of the
last day, or what is not committed, has changed that path. `every` marks tests that no run draws.
Of tests marked `slow` a run has one in twelve, drawn together with those that share fixtures of their module. Of the files
with tests marked `full` a run with `-m full` has one in four. `drawn` on such a test counts instead.
The seed is the commit, or `--seed`, so that a run can be repeated. `-m every` runs all tests, and so do those who
name tests, by `-k` or by their ids, get all that they named.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
import waits

NAMED = 5
"""So many tests of a group are named, and more only counted."""
PARTS = {"slow": 12, "full": 4}
"""A marker → a run has one in so many of the tests that it marks."""


def chosen(seed: str, names: Iterable[str], count: int) -> set[str]:
    """So many of the names, drawn by the seed; the order of the names does not matter."""
    return set(sorted(names, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())[:count])


def git(folder: Path, *arguments: str) -> str | None:
    """What git prints in that folder; None if the folder has no history."""
    try:
        done = waits.run(["git", *arguments], check=False, cwd=folder)
    except OSError:
        return None
    return None if done.returncode else done.stdout.strip()


def has_changed(folder: Path, paths: tuple[str, ...]) -> bool:
    """Whether a commit of the day before the present one, or what is not committed, has changed a path; True if unknown."""
    seconds = git(folder, "log", "-1", "--format=%ct")
    if not seconds:
        return True
    commits = git(folder, "log", f"--since={int(seconds) - 86_400}", "--format=%h", "--", *paths)
    return commits != "" or git(folder, "status", "--porcelain", "--", *paths) != ""


def group(item: pytest.Item) -> str:
    """The group of which a test is drawn; empty if it is not drawn."""
    if marker := item.get_closest_marker("changed"):
        return f"of what changes with {', '.join(marker.args)}"
    if marker := item.get_closest_marker("drawn"):
        return str(marker.kwargs.get("of", item.nodeid.partition("[")[0]))
    return next((name for name in ("full", "slow") if item.get_closest_marker(name)), "")


def file(item: pytest.Item) -> str:
    """The file of a test."""
    return item.nodeid.partition("::")[0]


def shared(item: pytest.Item) -> str:
    """What tests have in common that share fixtures of their module; empty if this one shares none."""
    scopes = {name: found[-1].scope for name, found in item._fixtureinfo.name2fixturedefs.items()}
    if "module" not in scopes.values():
        return ""
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return "-".join([file(item), *(str(value) for name, value in params.items() if scopes.get(name) == "module")])


def unit(item: pytest.Item, name: str) -> str:
    """What is drawn as a whole of a group: a test, those that share fixtures with a slow one, or a file."""
    if name == "full":
        return file(item)
    return (name == "slow" and shared(item)) or item.nodeid


def share(item: pytest.Item, size: int) -> int:
    """How many of a group of that size a run has, as one of its tests is marked."""
    if marker := item.get_closest_marker("changed"):
        return size if has_changed(item.config.rootpath, marker.args) else 0
    marker = item.get_closest_marker("drawn")
    asked = marker.kwargs if marker else {"part": PARTS[group(item)]}
    return asked["count"] if "count" in asked else math.ceil(size / asked["part"])


class Drawing:
    """The draw of one run, in the process that pytest was started as and in those of pytest-xdist alike."""

    @staticmethod
    def add_option(parser: pytest.Parser) -> None:
        """Add the option for the seed."""
        parser.addoption(
            "--seed", help="draw the tests of this run by this text (default: $SERBENCH_SEED, or the commit)"
        )

    def __init__(self, config: pytest.Config) -> None:
        option = config.option
        option.seed = option.seed or os.environ.get("SERBENCH_SEED")  # pytest-xdist hands it on
        option.seed = option.seed or git(config.rootpath, "rev-parse", "--short=12", "HEAD") or "none"
        self.seed = option.seed
        self.has_all = bool(re.search(r"\bevery\b", option.markexpr))
        self.draws = not (self.has_all or option.keyword or any("::" in argument for argument in config.args))
        self.sizes: Counter[str] = Counter()
        self.drawn: dict[str, str] = {}

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
        named = {item: group(item) for item in items}
        slow = {shared(item) for item, name in named.items() if name == "slow"} - {""}
        groups = defaultdict(list)
        for item, name in named.items():
            if not name and shared(item) in slow:
                item.add_marker("slow")
                groups["slow"].append(item)
            elif name:
                groups[name].append(item)
        out = {item.nodeid for item in items if item.get_closest_marker("every")}
        for name, members in groups.items():
            self.sizes[name] = len(members)
            units = {item: unit(item, name) for item in members}
            drawn = chosen(self.seed, set(units.values()), share(members[0], len(set(units.values()))))
            out |= {item.nodeid for item, its_unit in units.items() if its_unit not in drawn}
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in out])
        items[:] = [item for item in items if item.nodeid not in out]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what this run has of each group, after other options have selected."""
        found = defaultdict(list)
        for item in session.items if self.sizes else ():
            found[group(item)].append(item.callspec.id if hasattr(item, "callspec") else item.name)
        for name, size in self.sizes.items():
            ids = found[name]
            named = f": {', '.join(ids)}" if 0 < len(ids) <= NAMED else ""
            if ids or name != "full":
                self.drawn[name] = f"{len(ids)} of {size} {name}{named}"

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
        for line in sorted(self.drawn.values()):
            terminalreporter.write_line(f"  {line}")
