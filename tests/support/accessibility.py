"""What axe-core finds on a page that a screen reader, or eyes that need contrast, cannot use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

GRAVE = ("serious", "critical")
INSTALLED = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"


def script() -> str:
    """Return the source of axe-core: the file `$AXE`, or what `npm install --no-save axe-core` installed; else skip the test."""
    path = Path(os.environ.get("AXE") or INSTALLED)
    if not path.is_file():
        pytest.skip(f"axe-core is not at {path}: run `npm install --no-save axe-core`, or name its axe.min.js by $AXE")
    return path.read_text(encoding="utf-8")


def grave(page: Any, source: str, within: str = "document") -> list[str]:
    """Return each serious or critical finding; `within` is the CSS selector of a part."""
    return [text for impact, text in _violations(page, source, within) if impact in GRAVE]


def found(page: Any, source: str, within: str = "document") -> list[str]:
    """Return each finding of any kind as "rule: element (what is wrong)"."""
    return [text for _, text in _violations(page, source, within)]


def _violations(page: Any, source: str, within: str) -> list[tuple[str, str]]:
    page.evaluate(source)
    where = "document" if within == "document" else f"document.querySelector({within!r})"
    told = page.evaluate(f"axe.run({where}, {{ resultTypes: ['violations'] }})")
    return [
        (
            one["impact"],
            f"{one['id']}: {' '.join(map(str, node['target']))} ({' '.join((node['failureSummary'] or '').split())})",
        )
        for one in told["violations"]
        for node in one["nodes"]
    ]
