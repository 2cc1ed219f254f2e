"""The fixture `serbench` of pytest, by which a test holds one way of your code against another; it costs nothing until used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from serbench.ask.choices import Function
    from serbench.ask.comparing import Timings
    from serbench.judge.rows import Row

Undecided = Literal["skip", "pass", "fail"]


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

        Raises:
            PlanError: the functions give different answers, or cannot be taken to fresh processes.
        """
        from serbench.ask.comparing import compare

        timings = compare({"than": than, "function": function}, setup=setup, **options)
        decided, text = verdict(limit, timings)
        if decided is False or (decided is None and undecided == "fail"):
            pytest.fail(text, pytrace=False)
        if decided is None and undecided == "skip":
            pytest.skip(text)
        return timings


def verdict(limit: float, timings: Timings) -> tuple[bool | None, str]:
    """Return whether a function takes at most `limit` times the time of the other (None if undecided), and why."""
    row = _row(timings, "function")
    for one in (_row(timings, "than"), row):
        if not one.measured:
            return False, f"{one.library} failed: {one.reason}"
    assert row.ratio_low is not None
    assert row.ratio_high is not None
    interval = f"95 % interval {row.ratio_low:.3f} to {row.ratio_high:.3f}"
    text = f"{row.ratio:.3f} times as long ({interval}), limit {limit:g}"
    if row.ratio_low > limit:
        return False, f"too slow: {text}"
    return (True, text) if row.ratio_high <= limit else (None, f"undecided: {text}")


def _row(timings: Timings, label: str) -> Row:
    return next(row for row in timings.rows if row.library == label)


@pytest.fixture(name="serbench")
def _holder() -> Holder:
    """Compare two ways of your code: `serbench.at_most(1.05, new, than=old)`."""
    return Holder()
