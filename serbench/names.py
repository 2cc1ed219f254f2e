"""Names that a user types: checked against what is known, with the nearest one as a hint."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PlanError(ValueError):
    """A choice that cannot be measured: one line that says what, where and what to type instead."""


def check(what: str, name: str, known: Iterable[str]) -> None:
    """Nothing, where the name is known.

    Raises:
        PlanError: with the nearest known name, or all of them.
    """
    names = list(dict.fromkeys(known))
    if name in names:
        return
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}"
    raise PlanError(f"unknown {what} {name!r}: {hint}")
