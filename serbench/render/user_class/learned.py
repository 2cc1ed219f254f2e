"""What the refusals of a class of the user's have told of its values, from draw to draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_GUESSED = ("hint", "said", "json")  # of what a refusal asks for: only the first counts


@dataclass
class Learned:
    """What the refusals of a class have told of the places of its values: limits, and how many forms were refused there.

    No value is drawn for the places in `left`; those in `needed` have one; those in `accepted` had one in a record that
    was accepted; those in `untried` are left out without a try. `untyped` says that a value may have another type than its field. `values` have been drawn in all.
    """

    limits: dict[str, dict[str, Any]] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)
    needed: set[str] = field(default_factory=set)
    accepted: set[str] = field(default_factory=set)
    untried: dict[str, None] = field(default_factory=dict)
    untyped: bool = False
    values: int = 0
    typed: bool = False  # whether each value keeps the type of its field

    def refused(self, where: str, limits: Mapping[str, Any]) -> None:
        """Take down that a value of a place was refused: its limits if they are new, or else that it has another form."""
        known = self.limits.setdefault(where, {})
        limits = {name: limit for name, limit in limits.items() if name not in _GUESSED or name not in known}
        if keys := limits.get("keys"):
            limits = {**limits, "keys": tuple(dict.fromkeys((*known.get("keys", ()), *keys)))}
        if limits and not limits.items() <= known.items():
            known.update(limits)
        else:
            self.turns[where] = self.turns.get(where, 0) + 1
