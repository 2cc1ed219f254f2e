"""A profile as a table of the hottest functions, and as a flame graph in one file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from serbench.display import words
from serbench.display.table import Column, Table, Tables
from serbench.judge.profile import Frame, HotFunction

WIDTH, ROW, CHARACTER = 1200, 18, 6.6  # px of the flame graph, its rows and a letter of its text
PYTHON = ("#8EC5E8", "#A8D8B0", "#D3BCEB", "#F3B6B0")
COMPILED, OTHER = "compiled", "others"


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
    unit, name = words.unit_of([one.total_ns for one in functions])
    columns = [
        Column("own %", [f"{one.share:.1%}" for one in functions]),
        Column(f"own {name}/op", [words.three_digits(one.own_ns / unit) for one in functions]),
        Column(f"with callees {name}/op", [words.three_digits(one.total_ns / unit) for one in functions]),
        Column("calls/op", [f"{one.calls:,.0f}" for one in functions]),
        Column("function", [one.name for one in functions], "left"),
        Column("where", [f"{one.file}:{one.line}" if one.file else "" for one in functions], "left"),
    ]
    return Tables([Table(title, columns, notes=notes)])
