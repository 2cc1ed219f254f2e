"""The outcome of a claim's measurement, as values that are kept as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from serbench.claims.verdict import Verdict


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

    `possible` are the verdicts that a repetition might have.
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


@dataclass(frozen=True)
class Outcome:
    """The outcome of a claim.

    Attributes:
        verdict: over all figures and sets of versions; `verdicts` by set.
        near_boundary: a repetition might well give another verdict.
        explanation: one sentence computed from the figures, and the claim's own explanation of them.
        notes: errors that were found before timing, such as the answer of a printed snippet.
        seconds: the time that the measurement took.
    """

    id: str
    source: str
    statement: str
    compared: str
    fair: str
    verdict: Verdict
    near_boundary: bool
    verdicts: Mapping[str, Verdict]
    explanation: str
    figures: tuple[Judged, ...]
    rows: tuple[MeasuredRow, ...]
    notes: tuple[str, ...] = ()
    date: str = ""
    effort: str = ""
    seconds: float = 0.0
    machine: Mapping[str, Any] = field(default_factory=dict)

    def leading(self) -> dict[str, Judged]:
        """The first figure of each set of versions."""
        found: dict[str, Judged] = {}
        for figure in self.figures:
            found.setdefault(figure.versions, figure)
        return found

    def as_data(self) -> dict[str, Any]:
        """The outcome as JSON data."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Outcome:
        """An outcome from `as_data`."""
        known = dict(data)
        known["figures"] = tuple(Judged(**{**one, "possible": tuple(one["possible"])}) for one in known["figures"])
        known["rows"] = tuple(MeasuredRow(**one) for one in known["rows"])
        known["notes"] = tuple(known["notes"])
        return cls(**known)
