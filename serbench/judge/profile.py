"""The functions of a profile with their shares of the time, and their calls as a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

LEAST = 0.002
"""A smaller share of the whole is too narrow to be seen."""
DEEPEST = 60


@dataclass(frozen=True)
class HotFunction:
    """A function's share of an operation under the profiler.

    `file` and `line` are empty for one that is not Python. `calls` are those of one operation; times are ns
    of wall time for one operation, `own_ns` without the functions it calls and `total_ns` with them.
    """

    name: str
    file: str
    line: int
    calls: float
    share: float
    own_ns: float
    total_ns: float


@dataclass(frozen=True)
class Frame:
    """A function at one place in the tree of calls: its share of the whole, and the functions that it calls there."""

    function: HotFunction
    share: float
    children: list[Frame] = field(default_factory=list)


def hot_functions(raw: Mapping[str, Any], module: str) -> list[HotFunction]:
    """Every function of a raw profile in its order; `module` is the case's own, whose path says nothing."""
    loops, functions = raw["loops"], raw["functions"]
    whole = sum(one["own_s"] for one in functions) or 1.0
    return [
        HotFunction(
            name=one["name"],
            file="the module" if one["file"].endswith(f"{module}.py") else one["file"],
            line=one["line"],
            calls=one["calls"] / loops,
            share=one["own_s"] / whole,
            own_ns=one["own_s"] / loops * 1e9,
            total_ns=one["total_s"] / loops * 1e9,
        )
        for one in functions
    ]


def flame(raw: Mapping[str, Any], functions: Sequence[HotFunction]) -> Frame:
    """The calls as a tree from the operation down.

    The profiler knows how long each function took below each of its callers, but not below their callers. So a
    function's time below one caller is shared out among what it calls as it is below all callers. A function that calls
    itself, straight or through others, is not followed a second time.
    """

    def frame(index: int, share: float, above: frozenset[int]) -> Frame:
        one = raw["functions"][index]
        below = [(callee, seconds) for callee, _, seconds in one["callees"]]
        whole = max(one["total_s"], sum(seconds for _, seconds in below)) or 1.0
        parts = sorted(((share * seconds / whole, callee) for callee, seconds in below), reverse=True)
        open_ = above | {index}
        children = [
            frame(callee, part, open_)
            if callee not in open_ and len(open_) < DEEPEST
            else Frame(functions[callee], part)
            for part, callee in parts
            if part >= LEAST
        ]
        return Frame(functions[index], share, children)

    root = raw["root"]
    if root is None:
        root = max(range(len(functions)), key=lambda index: functions[index].total_ns)
    return frame(root, 1.0, frozenset())
