"""The pytest fixture `serbench`, which compares two functions in a test; it imports nothing until used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import pytest

if TYPE_CHECKING:
    from serbench.api.choices import Function
    from serbench.api.comparing import Timings
    from serbench.judge.rows import Row

Undecided = Literal["skip", "pass", "fail"]
MAIN = "main"
"""The environment of serbench itself."""


class Holder:
    """The value of the fixture."""

    def at_most(
        self,
        limit: float,
        function: Function,
        *,
        than: Function,
        setup: Function | None = None,
        undecided: Undecided = "skip",
        **options: Any,
    ) -> Timings:
        """Fail the test if a function is proven to take more than `limit` times the time of another.

        Args:
            limit: the ratio of their times, such as 1.05.
            function: what is judged: a function, or its place as `file.py:function`.
            than: what it is compared with.
            setup: makes the argument of each call.
            undecided: what becomes of the test if the interval has the limit inside.
            options: further arguments of `serbench.compare`.

        Returns:
            The timings, if the test goes on.

        The test fails with one line, too, if the functions give different answers or cannot be taken to fresh processes.
        """
        from serbench.api.comparing import compare
        from serbench.errors import SerbenchError, check

        try:
            check("undecided", undecided, get_args(Undecided))
            timings = compare({"than": than, "function": function}, setup=setup, **options)
        except SerbenchError as error:
            pytest.fail(str(error), pytrace=False)
        decided, text = verdict(limit, timings)
        if decided is False or (decided is None and undecided == "fail"):
            pytest.fail(text, pytrace=False)
        if decided is None and undecided == "skip":
            pytest.skip(text)
        return timings


def verdict(limit: float, timings: Timings) -> tuple[bool | None, str]:
    """Return whether a function takes at most `limit` times the time of the other (None if undecided), and why.

    Of several environments, the first that fails decides, or else the first that is undecided.
    """
    found = []
    for environment in dict.fromkeys(row.environment for row in timings.rows):
        than, function = (
            next(row for row in timings.rows if (row.library, row.environment) == (label, environment))
            for label in ("than", "function")
        )
        decided, text = _verdict(limit, function, than)
        found.append((decided, text if environment == MAIN else f"{text}, with {environment}"))
    return min(found, key=lambda one: (one[0] is not False, one[0] is not None))


def _verdict(limit: float, function: Row, than: Row) -> tuple[bool | None, str]:
    from serbench.judge.compare import relation

    for row in (than, function):
        if not row.measured:
            return False, f"{row.library} failed: {row.reason}"
    ratio = relation(function, than)
    if ratio.low is None or ratio.high is None:
        return None, "undecided: the two were measured in no common repetition"
    interval = f"95% interval {ratio.low:.3f} to {ratio.high:.3f}"
    text = f"{ratio.ratio:.3f} times as long ({interval}), limit {limit:g}"
    if ratio.low > limit:
        return False, f"too slow: {text}"
    return (True, text) if ratio.high <= limit else (None, f"undecided: {text}")


@pytest.fixture(name="serbench")
def _holder() -> Holder:
    """Compare two ways of your code: `serbench.at_most(1.05, new, than=old)`."""
    return Holder()
