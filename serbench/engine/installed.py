"""What a distribution brings with it: itself and everything that it requires."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from serbench.environments import Environment, normalised


def closure(
    roots: Iterable[str], distributions: Mapping[str, Mapping[str, Any]], environment: Environment
) -> dict[str, int]:
    """Normalised name → bytes of these distributions and all that they require in that environment.

    `distributions` has for each installed one its `bytes`, and what it `requires` as its metadata says it;
    a requirement that is not installed there is one of another platform.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    known = {normalised(name): facts for name, facts in distributions.items()}
    todo = [(normalised(root), "") for root in roots]
    seen: set[tuple[str, str]] = set()
    while todo:
        name, extra = todo.pop()
        if (name, extra) in seen or name not in known:
            continue
        seen.add((name, extra))
        for line in known[name]["requires"]:
            try:
                needed = Requirement(line)
            except InvalidRequirement:  # of an old distribution, which pip did not understand either
                continue
            if environment.admits(str(needed.marker or ""), extra):
                todo += [(normalised(needed.name), one) for one in ("", *needed.extras)]
    return {name: int(known[name]["bytes"]) for name, _ in seen}
