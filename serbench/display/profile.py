"""A profile: the functions with their shares of the time, as a table, and their calls as a flame graph in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from serbench.display import words
from serbench.display.table import Column, Table, Tables

WIDTH, ROW, CHARACTER = 1200, 18, 6.6  # px of the flame graph, its rows and a letter of its text
PYTHON = ("#8EC5E8", "#A8D8B0", "#D3BCEB", "#F3B6B0")
COMPILED, OTHER = "compiled", "others"
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
    whole = sum(function["own_ns"] for function in raw["functions"]) or 1.0
    return [
        HotFunction(
            **{name: value for name, value in function.items() if name != "callees"}
            | {"file": "the module" if function["file"].endswith(f"{module}.py") else function["file"]},
            share=function["own_ns"] / whole,
        )
        for function in raw["functions"]
    ]


def flame(raw: Mapping[str, Any], functions: Sequence[HotFunction]) -> Frame:
    """The calls as a tree from the operation down.

    The profiler knows how long each function took below each of its callers, but not below their callers. So a
    function's time below one caller is shared out among what it calls as it is below all callers. A function that calls
    itself, straight or through others, is not followed a second time.
    """

    def frame(index: int, share: float, above: frozenset[int]) -> Frame:
        below = raw["functions"][index]["callees"]
        whole = max(functions[index].total_ns, sum(ns for _, ns in below)) or 1.0
        parts = sorted(((share * ns / whole, callee) for callee, ns in below), reverse=True)
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


def flame_svg(root: Frame, title: str) -> str:
    """The tree as an SVG page: widths are shares, callees stand below their callers, and pointing at one tells all."""
    boxes: list[str] = []
    deepest = 0
    fills = {COMPILED: "#F0C46C", OTHER: "#C9CDD2"}

    def draw(frame: Frame, x: float, level: int, above: frozenset[HotFunction] = frozenset()) -> None:
        nonlocal deepest
        deepest = max(deepest, level)
        function, width, y = frame.function, frame.share * WIDTH, 44 + level * ROW
        origin = function.file.partition("/")[0] if function.file else COMPILED
        if origin not in fills:
            fills[origin] = (*PYTHON, fills[OTHER])[min(len(fills) - 2, len(PYTHON))]
        fill, again = fills[origin], " (again, not followed)" if function in above else ""
        where = f"{function.file}:{function.line}" if function.file else "not Python"
        about = f"{function.name} ({where}): {frame.share:.1%} here, {function.calls:,.1f} calls an operation in all"
        told = f"{function.name} {frame.share:.0%}{again}"
        label = next((text for text in (told, function.name) if len(text) * CHARACTER < width - 6), "")
        label = label or (function.name[: int((width - 12) / CHARACTER)] + "…" if width > 40 else "")
        boxes.append(
            f'<g><title>{escape(about)}</title><rect x="{x:.1f}" y="{y}" width="{max(width - 0.5, 0.5):.1f}" '
            f'height="{ROW - 1}" fill="{fill}" rx="2"/>'
            f'<text x="{x + 3:.1f}" y="{y + 13}">{escape(label)}</text></g>'
        )
        for child in frame.children:
            draw(child, x, level + 1, above | {function})
            x += child.share * WIDTH

    draw(root, 0.0, 0)
    height = 44 + (deepest + 1) * ROW + 24
    words, at = ["A function is as wide as its share; below it stands what it calls."], 3 + 68 * CHARACTER
    for name, fill in (*list(fills.items())[2 : 2 + len(PYTHON)], *list(fills.items())[:2]):
        words.append(f'<tspan x="{at:.0f}" fill="{fill}">■</tspan> {escape(name)}')
        at += (len(name) + 4) * CHARACTER
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'preserveAspectRatio="xMidYMin" font-family="monospace" '
        f'font-size="11" role="img" aria-label="{escape(title)}"><rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="3" y="20" font-size="14">{escape(title)}</text>'
        f'<text x="3" y="36" fill="#57606A">{" ".join(words)}</text>'
        f"{''.join(boxes)}</svg>\n"
    )


def profile_table(functions: Sequence[HotFunction], title: str, notes: Sequence[str]) -> Tables:
    """The functions in their order, with their shares and times."""
    unit, name = words.unit_of([function.total_ns for function in functions])
    columns = [
        Column("own %", [f"{function.share:.1%}" for function in functions]),
        Column(f"own {name}/op", [words.three_digits(function.own_ns / unit) for function in functions]),
        Column(f"with callees {name}/op", [words.three_digits(function.total_ns / unit) for function in functions]),
        Column("calls/op", [f"{function.calls:,.0f}" for function in functions]),
        Column("function", [function.name for function in functions], "left"),
        Column(
            "where", [f"{function.file}:{function.line}" if function.file else "" for function in functions], "left"
        ),
    ]
    return Tables([Table(title, columns, notes=notes)])
