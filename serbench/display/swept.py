"""What a sweep found: a line for each case, and a sentence for each difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from serbench.display.words import case_words, counted
from serbench.judge.outcomes import Swept
from serbench.results import bracketed

_STEPS = {
    "written": "writes it as another",
    "decoded": "decodes its own bytes to another",
    "read": "decodes another writer's bytes to another",
    "readers": "writes what independent readers read differently",
    "crashed": "crashes",
    "timeout": "takes too long",
    "memory": "runs out of memory",
}


def swept_rows(results: Iterable[Swept]) -> list[dict[str, Any]]:
    """A row for each case: how many values were tried, kept, refused and returned as others."""
    return [
        {
            "case": _case(one),
            "tried": f"{one.tried:,}" if one.tried else None,
            "kept": f"{one.kept:,}" if one.tried else None,
            "refused": f"{one.refused:,}" if one.refused else None,
            "different": f"{sum(d.values for d in one.differences):,}" if one.differences else None,
            "not supported": ", ".join(one.unsupported) or None,
            "reason": one.reason,
        }
        for one in results
    ]


def swept_lines(results: Iterable[Swept]) -> Iterator[str]:
    """A line for each difference: the case, the smallest value, and what it becomes."""
    for one in results:
        for d in one.differences:
            yield f"{_case(one)}: {d.type} {d.value}: {_STEPS[d.step]} ({counted(d.values, 'value')}): {d.detail}"


def _case(one: Swept) -> str:
    name = " ".join(filter(None, (f"{one.library}{bracketed(one.variant)}", one.version)))
    return case_words(name, one.library, one.codec, one.format)
