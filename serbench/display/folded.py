"""The code that was measured, folded: a line for each case, which opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from serbench.display.escapes import html


@dataclass(frozen=True)
class Folded:
    """Modules by their titles; they display themselves as lines that open."""

    sources: Mapping[str, str]

    def __str__(self) -> str:
        return "\n".join(f"# {title}\n\n{source}" for title, source in self.sources.items())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Text for logs, Markdown with parts that open for notebooks and forges."""
        parts = [
            f"<details><summary>{html(title)}</summary>\n\n{_fenced(source)}\n\n</details>\n"
            for title, source in self.sources.items()
        ]
        return {"text/plain": str(self), "text/markdown": "\n".join(parts)}


def _fenced(source: str) -> str:
    fence = "```"
    while fence in source:
        fence += "`"
    return f"{fence}python\n{source.rstrip()}\n{fence}"
