"""The outcome of a claim's measurement, as values that are kept as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from serbench.claims.entry import PublishedFigure
from serbench.claims.verdict import VERDICTS, Headline, Verdict, combined, directed, factor, may_change
from serbench.results import grouped


@dataclass(frozen=True)
class MeasuredRow:
    """A row as it was measured in one set of versions. Times are ns per call, with 95 % intervals.

    `statistics` are those of pytest-benchmark's table, over all batches, in ns per call of wall time.
    """

    row: str
    versions: str
    environment: str
    packages: Mapping[str, str]
    status: str
    reason: str | None = None
    time_ns: float | None = None
    time_ns_low: float | None = None
    time_ns_high: float | None = None
    busy: float | None = None
    size_bytes: int | None = None
    answer: str | None = None
    statistics: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Judged:
    """A figure in one set of versions: published, measured with its 95 % interval, and its verdict.

    `factor` is the measured figure divided by the published one, as `verdict.factor` has it; `possible` are the
    verdicts that a repetition might have, and `states` what was measured in the fastest and the slowest rounds.
    If `expected` is not a number, `answer` holds the answer of the code, and `measured` is 1 if it is the expected one, else 0.
    """

    of: str
    to: str
    versions: str
    quantity: str
    sense: str
    published_low: float
    published_high: float
    verdict: Verdict
    possible: tuple[Verdict, ...] = ()
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    waves: int = 0
    reason: str | None = None
    factor: float | None = None
    states: tuple[float, float] | None = None
    share: bool = False
    expected: Any = None
    answer: Any = None

    @property
    def near_boundary(self) -> bool:
        """True if a repetition might well give another verdict."""
        return len(self.possible) > 1


@dataclass(frozen=True)
class Outcome:
    """The outcome of a claim.

    Attributes:
        explanation: one sentence computed from the figures, and the claim's own explanation of them.
        notes: errors that were found before timing, such as the answer of a printed snippet.
        seconds: the time that the measurement took.
    """

    id: str
    source: str
    statement: str
    compared: str
    fair: str
    explanation: str
    figures: tuple[Judged, ...]
    rows: tuple[MeasuredRow, ...]
    notes: tuple[str, ...] = ()
    date: str = ""
    effort: str = ""
    seconds: float = 0.0
    machine: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> Headline:
        """The verdict over all figures of the sets of versions whose leading figure can be measured."""
        return combined(figure.verdict for figure in self._decisive())

    @property
    def near_boundary(self) -> bool:
        """True if a repetition might well give another verdict."""
        decisive = self._decisive()
        return may_change([one.verdict for one in decisive], [set(one.possible) for one in decisive])

    def verdicts(self) -> dict[str, Headline]:
        """The verdict over all figures of each set of versions; none is drawn if the leading one cannot be measured."""
        return {name: combined(one.verdict for one in _decisive(figures)) for name, figures in self._by_set().items()}

    @property
    def measurable(self) -> int:
        """How many of its figures were measured."""
        return sum(figure.verdict != "not measurable" for figure in self.figures)

    def counts(self) -> dict[str, dict[Verdict, int]]:
        """The number of figures with each verdict in each set of versions, the worst verdicts first."""
        told = {name: [one.verdict for one in figures] for name, figures in self._by_set().items()}
        return {
            name: {one: verdicts.count(one) for one in VERDICTS if one in verdicts} for name, verdicts in told.items()
        }

    def leading(self) -> dict[str, Judged]:
        """The first figure of each set of versions."""
        return {name: figures[0] for name, figures in self._by_set().items()}

    def _decisive(self) -> list[Judged]:
        return [one for figures in self._by_set().values() for one in _decisive(figures)]

    def _by_set(self) -> dict[str, list[Judged]]:
        return grouped(self.figures, lambda figure: figure.versions)

    def as_data(self) -> dict[str, Any]:
        """The outcome as JSON data, with its verdicts."""
        told = {"verdict": self.verdict, "near_boundary": self.near_boundary, "verdicts": self.verdicts()}
        return asdict(self) | told

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Outcome:
        """An outcome from `as_data`, of this version of serbench or an earlier one."""
        known = {name: value for name, value in data.items() if name not in ("verdict", "near_boundary", "verdicts")}
        known["figures"] = tuple(_figure(one) for one in known["figures"])
        known["rows"] = tuple(MeasuredRow(**one) for one in known["rows"])
        known["notes"] = tuple(known["notes"])
        return cls(**known)


def _decisive(figures: list[Judged]) -> list[Judged]:
    """The figures of a set of versions that decide: none if the leading one, which is the claim, is not measurable."""
    return [] if figures[0].verdict == "not measurable" else figures


def _figure(data: Mapping[str, Any]) -> Judged:
    """A figure from its data; verdicts of version 1 of the rule become those that its interval has today."""
    states = data.get("states")
    kept = Judged(**{**data, "possible": tuple(data["possible"]), "states": states and tuple(states)})
    told = {kept.verdict, *kept.possible}
    if told <= set(VERDICTS) and "factor" in data:
        return kept
    of, to, low, high = kept.of, kept.to, kept.published_low, kept.published_high
    expected = True if kept.quantity == "answer" and kept.measured in (0, 1) and low == high == 1 else None
    kinds = {"quantity": kept.quantity, "sense": kept.sense, "expected": expected}
    figure = PublishedFigure(of, to, low, high, **cast("Any", kinds))
    ratio = None if kept.measured is None else factor(figure, kept.measured)

    def renewed(verdict: str) -> Verdict:
        size: Verdict = "larger" if (ratio or 0) > 1 else "smaller"
        nothing: Verdict = "reversed" if expected else "no difference" if directed(figure) or ratio is None else size
        old = {"holds in part": size, "does not hold": nothing, "not measurable here": "not measurable"}
        return cast("Verdict", old.get(verdict, verdict))

    possible = tuple(sorted({renewed(one) for one in kept.possible}))
    return replace(kept, verdict=renewed(kept.verdict), possible=possible, factor=ratio)
