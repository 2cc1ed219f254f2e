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
    """Return each serious or critical finding as "rule: element (what is wrong)"; `within` is the CSS selector of a part."""
    page.evaluate(source)
    where = "document" if within == "document" else f"document.querySelector({within!r})"
    found = page.evaluate(f"axe.run({where}, {{ resultTypes: ['violations'] }})")
    return [
        f"{one['id']}: {' '.join(map(str, node['target']))} ({' '.join((node['failureSummary'] or '').split())})"
        for one in found["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"]
    ]
