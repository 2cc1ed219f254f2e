"""The outcome of measuring a claim, and the rule of its verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from serbench.claims.reading import PublishedFigure
from serbench.display.words import three_digits, unit_of
from serbench.errors import WrongDataError, checked
from serbench.judge.statistics import TIE
from serbench.results import grouped

Verdict = Literal["reversed", "smaller", "larger", "holds", "not measurable"]
"""The verdict of a figure; in the order in which tables count them, the worst first."""
Headline = Verdict | Literal["mixed"]
"""The verdict of a claim: that of its figures if they agree, else "mixed"."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
TOLERANCE = 1.25
"""A published ratio has no interval, and is of another machine: within this factor it is the same."""
SAME = 1.1
"""Figures that were published as equal are equal within this factor."""
EQUAL = 0.02
"""A ratio within 2% of 1 was published as equal."""


def band(figure: PublishedFigure) -> tuple[float, float]:
    """The logarithms between which the figure holds: a factor about the published range, for a small effect half of it."""
    low, high = math.log(figure.low), math.log(figure.high)
    if figure.tolerance is not None:
        width = math.log(figure.tolerance)
    elif not (directed(figure) or figure.share):
        width = math.log(SAME)
    else:
        width = min(math.log(TOLERANCE), min(abs(low), abs(high)) / 2)
    return low - width, high + width


def directed(figure: PublishedFigure) -> bool:
    """Return True if the figure says that one thing is more than another, so that the opposite can be proven."""
    compared = figure.quantity in ("time", "wall", "size") and bool(figure.to) and not figure.share
    return compared and abs(math.log(figure.low)) > EQUAL


def judge(figure: PublishedFigure, low: float, high: float) -> Verdict:
    """The verdict of a figure on a measured interval, in logarithms.

    If the interval is wider than the tolerance, and its ends alone would have other verdicts, it is not measurable.
    """
    verdict = _meeting(figure, low, high)
    if high - low > 2 * math.log(TOLERANCE) and {_meeting(figure, end, end) for end in (low, high)} != {verdict}:
        return "not measurable"
    return verdict


def _meeting(figure: PublishedFigure, low: float, high: float) -> Verdict:
    if figure.expected is not None:
        return "holds" if low == high == 0 else "reversed"
    if figure.sense == "more":
        return "holds" if low > TIE else "reversed" if high < -TIE else "smaller"
    least, most = band(figure)
    rounding = 1e-9
    if (high >= least - rounding or figure.sense == "at most") and (
        low <= most + rounding or figure.sense == "at least"
    ):
        return "holds"
    if not directed(figure):
        return "larger" if low > most else "smaller"
    is_gain = figure.low > 1
    if high < -TIE if is_gain else low > TIE:
        return "reversed"
    return "larger" if (low > most) == is_gain else "smaller"


def factor(figure: PublishedFigure, measured: float) -> float | None:
    """The measured figure divided by the published one, or by the nearer end of a published range; 1 within the range.

    A published ratio below 1 counts as its inverse, and so does what was measured: below 1 the effect is smaller than
    published. None if no figure was published, or nothing above 0 was measured.
    """
    if figure.sense == "more" or figure.expected is not None or measured <= 0 or figure.low <= 0:
        return None
    ratio = measured / min(max(measured, figure.low), figure.high)
    return 1 / ratio if directed(figure) and figure.low < 1 else ratio


def combined(verdicts: Iterable[Verdict]) -> Headline:
    """The verdict of several figures together: "mixed" unless all that can be measured agree."""
    different = {verdict for verdict in verdicts if verdict != "not measurable"}
    if len(different) > 1:
        return "mixed"
    return different.pop() if different else "not measurable"


TIMES = ("min", "max", "mean", "stddev", "median", "iqr")
EARLIER = {"no difference": "smaller"}
"""A verdict of outcomes that earlier versions have kept → today's."""


@dataclass(frozen=True)
class MeasuredRow:
    """A row as it was measured in one set of versions."""

    row: str
    versions: str
    environment: str
    packages: Mapping[str, str]
    status: str
    reason: str | None = None
    size_bytes: int | None = None
    answer: str | None = None
    statistics: Mapping[str, float] | None = None  # those of pytest-benchmark's table, in ns of wall time per call


@dataclass(frozen=True)
class Judged:
    """A figure in one set of versions: published, measured with its 95% interval, and its verdict.

    `factor` is the measured figure divided by the published one, as `verdict.factor` has it. If `expected` is not a
    number, `answer` holds the answer of the code, and `measured` is 1 if it is the expected one, else 0.
    """

    of: str
    to: str
    versions: str
    quantity: str
    sense: str
    published_low: float
    published_high: float
    verdict: Verdict
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    waves: int = 0
    reason: str | None = None
    factor: float | None = None
    share: bool = False
    expected: Any = None
    answer: Any = None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a claim."""

    id: str
    source: str
    statement: str
    compared: str
    fair: str
    explanation: str  # one sentence of the figures, and the claim's own explanation of them
    figures: tuple[Judged, ...]
    rows: tuple[MeasuredRow, ...]
    notes: tuple[str, ...] = ()  # errors that were found before timing, such as the answer of a printed snippet
    date: str = ""
    effort: str = ""
    seconds: float = 0.0  # the time that the measurement took
    machine: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> Headline:
        """The verdict over all figures of the sets of versions whose leading figure can be measured."""
        return combined(figure.verdict for figures in self._by_set().values() for figure in _decisive(figures))

    def verdicts(self) -> dict[str, Headline]:
        """The verdict over all figures of each set of versions; none is drawn if the leading one cannot be measured."""
        return {name: combined(figure.verdict for figure in _decisive(of)) for name, of in self._by_set().items()}

    def counts(self) -> list[str]:
        """The verdicts of the figures of each set of versions in words, such as "now: 1 of 3 hold, 2 larger"."""
        return [f"{name}: {_counted(figures)}" for name, figures in self._by_set().items()]

    def leading(self) -> dict[str, Judged]:
        """The first figure of each set of versions."""
        return {name: figures[0] for name, figures in self._by_set().items()}

    def _by_set(self) -> dict[str, list[Judged]]:
        return grouped(self.figures, lambda figure: figure.versions)

    def statistics_rows(self, versions: str) -> list[dict[str, Any]]:
        """A plain row for each timed row: wall time per call with its ratio to the column's least, outliers and rounds."""
        known = {row.row: row.statistics for row in self.rows if row.versions == versions and row.statistics}
        if not known:
            return []
        factor, unit = unit_of(facts["median"] for facts in known.values())
        least = {name: min(facts[name] for facts in known.values()) for name in TIMES}
        return [
            {
                f"{versions}, in {unit}": row,
                **{name: _beside(facts[name], least[name], factor) for name in TIMES},
                "outliers": f"{facts['outliers_sd']:.0f};{facts['outliers_iqr']:.0f}",
                "rounds": int(facts["rounds"]),
            }
            for row, facts in known.items()
        ]

    def as_data(self) -> dict[str, Any]:
        """The outcome as JSON data, with its verdicts."""
        return asdict(self) | {"verdict": self.verdict, "verdicts": self.verdicts()}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Outcome:
        """An outcome from `as_data`, of this version of serbench or an earlier one; other data is a WrongDataError."""
        for figure in data["figures"]:
            figure["verdict"] = EARLIER.get(figure["verdict"], figure["verdict"])
        outcome = checked(cls, data, "outcome")
        if not outcome.figures:
            raise WrongDataError("outcome: it has no figure")
        return outcome


def summary(outcomes: Iterable[Outcome]) -> str:
    """Count the figures that hold and those that are reversed: "231 of 344 figures hold with the versions of their time, 172 of …"."""
    figures = [figure for outcome in outcomes for figure in outcome.figures]
    by_set = grouped(sorted(figures, key=lambda figure: figure.versions == "now"), lambda figure: figure.versions)
    counts = {name: Counter(figure.verdict for figure in of) for name, of in by_set.items()}
    if not counts:
        return "No published claim has been measured"
    today = "with today's" if "then" in counts else "with today's versions"
    versions = {"then": "with the versions of their time", "now": today}  # a claim of others may name more
    held = [
        f"{count['holds']} of {count.total()} figures hold {versions.get(name, name)}" for name, count in counts.items()
    ]
    against = [f"{count['reversed']} {versions.get(name, name)}" for name, count in counts.items() if count["reversed"]]
    told = ", ".join([held[0], *(text.replace(" figures hold", "", 1) for text in held[1:])])
    return told + (f"; reversed: {', '.join(against)}" if against else "")


def _counted(figures: list[Judged]) -> str:
    """The verdicts of figures in words, the worst first: "holds"; "1 of 3 hold, 2 larger" if there are several figures."""
    if len(figures) == 1:
        return figures[0].verdict
    counts = Counter(figure.verdict for figure in figures)
    others = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict] and verdict != "holds"]
    return ", ".join([f"{counts['holds']} of {len(figures)} hold", *others])


def _decisive(figures: list[Judged]) -> list[Judged]:
    """The figures of a set of versions that decide: none if the leading one, which is the claim, is not measurable."""
    return [] if figures[0].verdict == "not measurable" else figures


def _beside(time: float, least: float, factor: float) -> str:
    return three_digits(time / factor) + (f" ({three_digits(time / least)})" if least else "")
