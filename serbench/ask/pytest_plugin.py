"""The fixture `serbench` of pytest, by which a test holds one way of your code against another; it costs nothing until used."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import exp, hypot, log
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import pytest

if TYPE_CHECKING:
    from serbench.ask.timings import Timings
    from serbench.judge.rows import Row

Undecided = Literal["skip", "pass", "fail"]
RATIOS = "serbench-ratios.json"
"""The file beside a test that has its kept ratios: machine → test → ratio, and the ends of its 95 % interval."""


class Ratio(NamedTuple):
    """The time of a function over that of another, with the ends of its 95 % interval."""

    ratio: float
    low: float
    high: float

    def over(self, kept: Ratio) -> Ratio:
        """How many times as large it is as one that was kept, which has an interval too."""
        ratio = self.ratio / kept.ratio
        width = exp(hypot(*(log(one.high / one.low) / 2 for one in (self, kept))))
        return Ratio(ratio, ratio / width, ratio * width)


ONE = Ratio(1.0, 1.0, 1.0)


class Holder:
    """What the fixture gives."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._kept = _Kept(request.path.with_name(RATIOS), f"{request.path.name}::{request.node.name}")
        self._updates = bool(request.config.getoption("serbench_update"))

    def at_most(
        self,
        limit: float,
        function: Callable[..., Any],
        *,
        than: Callable[..., Any],
        setup: Callable[..., Any] | None = None,
        kept: bool = False,
        undecided: Undecided = "skip",
        **options: Any,
    ) -> Timings:
        """Fail the test if a function is proven to take more than `limit` times the time of another.

        Args:
            limit: the ratio of their times, such as 1.05.
            function: what is judged.
            than: what it is compared with.
            setup: makes the argument of each call.
            kept: the limit is a multiple of the ratio that `pytest --serbench-update` has kept for this machine.
            undecided: what becomes of the test if the interval has the limit inside, if the functions could not be taken
                to fresh processes, or if no ratio is kept.
            options: further arguments of `serbench.compare`.

        Returns:
            The timings, if the test goes on.

        Raises:
            PlanError: the functions give different answers.
        """
        from serbench.ask.comparing import compare

        name = self._kept.next_name() if kept else ""
        known = self._kept.get(name) if kept else ONE  # a file that cannot be read is told before anything is measured
        timings = compare({"than": than, "function": function}, setup=setup, **options)
        if kept and self._updates and (ratio := ratio_of(timings)) is not None:
            self._kept.put(name, ratio)
            return timings
        decided, text = verdict(limit, timings, known)
        if decided is False or (decided is None and undecided == "fail"):
            pytest.fail(text, pytrace=False)
        if decided is None and undecided == "skip":
            pytest.skip(text)
        return timings


class _Kept:
    """The kept ratios of one test on this machine."""

    def __init__(self, path: Path, test: str) -> None:
        self.path, self.test, self.asked = path, test, 0

    def next_name(self) -> str:
        """The name of the next question of the test."""
        self.asked += 1
        return self.test if self.asked == 1 else f"{self.test} ({self.asked})"

    def get(self, name: str) -> Ratio | None:
        """The ratio that is kept, if there is one."""
        known = self._read().get(_machine(), {}).get(name)
        return None if known is None else Ratio(*known)

    def put(self, name: str, ratio: Ratio) -> None:
        """Keep a ratio in place of the earlier one."""
        from serbench.machine.files import write_file

        known = self._read()
        known.setdefault(_machine(), {})[name] = [round(one, 4) for one in ratio]
        write_file(self.path, json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n")

    def _read(self) -> dict[str, dict[str, list[float]]]:
        from msgspec import Meta

        from serbench.errors import WrongDataError, checked, parsed

        if not self.path.exists():
            return {}
        three = Annotated[list[Annotated[float, Meta(gt=0)]], Meta(min_length=3, max_length=3)]
        try:
            content = parsed(self.path.read_bytes(), self.path.name)
            return checked(dict[str, dict[str, three]], content, self.path.name)
        except WrongDataError as error:
            pytest.fail(f"{error}; correct {self.path}, or delete it and run pytest --serbench-update", pytrace=False)


def _machine() -> str:
    """What must be the same for a ratio to be the same: processor, cores and the version of Python without its last part."""
    from serbench.machine.platform import machine

    facts = machine()
    return f"{facts['cpu']}, {facts['cores']} cores, {str(facts['python']).rpartition('.')[0]}"


def ratio_of(timings: Timings) -> Ratio | None:
    """The ratio of the functions' times; None if one failed, or they shared a process."""
    row = _row(timings, "function")
    if not (timings.fresh and row.measured and _row(timings, "than").measured):
        return None
    assert row.ratio is not None
    assert row.ratio_low is not None
    assert row.ratio_high is not None
    return Ratio(row.ratio, row.ratio_low, row.ratio_high)


def verdict(limit: float, timings: Timings, kept: Ratio | None = ONE) -> tuple[bool | None, str]:
    """Whether a function takes at most `limit` times the time of the other, None if that is not decided; and why.

    `kept` is the ratio by which theirs is divided; None if none is kept.
    """
    for one in (_row(timings, "than"), _row(timings, "function")):
        if not one.measured:
            return False, f"{one.library} failed: {one.reason}"
    ratio = ratio_of(timings)
    if ratio is None:
        return None, f"undecided: {timings.notes[-1]}"
    if kept is None:
        return None, "undecided: no ratio is kept for this machine; pytest --serbench-update keeps it"
    now = ratio.over(kept)
    what = "times as long" if kept is ONE else f"times the kept ratio, {kept.ratio:.3f}"
    text = f"{now.ratio:.3f} {what} (95 % interval {now.low:.3f} to {now.high:.3f}), limit {limit:g}"
    if now.low > limit:
        return False, f"too slow: {text}"
    return (True, text) if now.high <= limit else (None, f"undecided: {text}")


def _row(timings: Timings, label: str) -> Row:
    return next(row for row in timings.rows if row.library == label)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option by which ratios are kept."""
    text = f"keep the ratios of serbench.at_most(…, kept=True) for this machine, in {RATIOS} beside the tests"
    parser.getgroup("serbench").addoption("--serbench-update", action="store_true", help=text)


@pytest.fixture(name="serbench")
def _holder(request: pytest.FixtureRequest) -> Holder:
    """Compare two ways of your code: `serbench.at_most(1.05, new, than=old)`."""
    return Holder(request)
