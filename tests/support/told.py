"""A listener made of functions."""

from collections.abc import Callable
from typing import Any

from serbench import RunListener
from serbench.store.run import Run


def ignore(_: Any) -> None:
    """Hear nothing."""


class Told(RunListener):
    """Calls a function with each step, and with the run as it stands after each wave and visit."""

    def __init__(
        self,
        progress: Callable[[Any], None] = ignore,
        wave: Callable[[Run], None] = ignore,
        visit: Callable[[Run], None] = ignore,
    ) -> None:
        self.progress = progress  # type: ignore[method-assign]
        self.wave = lambda so_far: wave(so_far())  # type: ignore[method-assign]
        self.visit = lambda so_far: visit(so_far())  # type: ignore[method-assign]
