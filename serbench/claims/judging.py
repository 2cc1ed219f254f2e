"""Measures the rows of a claim, judges its figures by their times, and keeps the outcome with its verdict."""

from __future__ import annotations

import json
import math
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from statistics import mean, median, quantiles, stdev
from typing import Any, Literal, get_args

from msgspec import structs
from packaging.requirements import Requirement

from serbench.claims.reading import TIMED, Claim, ClaimRow, PublishedFigure, Versions, snippet
from serbench.display.words import three_digits, unit_of
from serbench.errors import WrongDataError, checked, installed_by
from serbench.judge import statistics
from serbench.judge.statistics import TIE
from serbench.judge.waves import cell_waves
from serbench.measure.comparing import Answer, FunctionBenchmark
from serbench.measure.plan import EFFORTS, Effort, maker
from serbench.measure.rounds import is_finished
from serbench.render.environments import MAIN, Recipe
from serbench.results import Cell, Sample, grouped
from serbench.store.recorder import RunListener

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
    hold = " figure holds" if next(iter(counts.values())).total() == 1 else " figures hold"
    told = ", ".join(
        f"{count['holds']} of {count.total()}{'' if place else hold} {versions.get(name, name)}"
        for place, (name, count) in enumerate(counts.items())
    )
    against = [f"{count['reversed']} {versions.get(name, name)}" for name, count in counts.items() if count["reversed"]]
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


ROUNDS = 32
"""Whoever else uses the machine slows a core for moments that last longer than eight rounds."""

OUT_OF_TIME = "it was not measured within the budget"
SIGNS = (1, -1, -1, 1)
"""A figure's rows in its logarithm: `of`, `to`, and the two of `against`."""


@dataclass
class Bench:
    """The measurement of a claim's rows in one set of versions, by the rows' names."""

    cells: dict[str, Cell] = field(default_factory=dict)  # status, environment and reason of each
    samples: list[Sample] = field(default_factory=list)  # everything that was timed
    answers: dict[str, Answer] = field(default_factory=dict)  # that of each before it was timed
    packages: dict[str, dict[str, str]] = field(default_factory=dict)  # the versions that each ran with
    wrong: dict[str, str] = field(default_factory=dict)  # printed row → its other answer, or how it fails, in words
    reason: str = OUT_OF_TIME  # why rows without a cell were not measured


@dataclass(frozen=True)
class Terms:
    """The effort, the listener and the end of a measurement, after which nothing begins, on the monotonic clock."""

    effort: str = "normal"
    end: float | None = None
    listener: RunListener = field(default_factory=RunListener)

    @property
    def left(self) -> float:
        """The time before the end, in s."""
        return math.inf if self.end is None else self.end - time.monotonic()


def measured(claim: Claim, versions: str, terms: Terms, parts: int) -> Bench:
    """A claim's rows in one set of versions, which is the first of so many equal parts of the time left."""
    bench, effort = Bench(), EFFORTS[terms.effort]
    deadline = None if terms.end is None else time.monotonic() + max(0.0, terms.left) / parts
    rows = {f"row_{number:04}": row for number, row in enumerate(claim.rows_in(versions).values())}
    recipes = {name: recipe(row, versions, claim.versions[versions]) for name, row in rows.items()}
    made = maker(terms.listener, terms.end)(set(recipes.values()))
    if terms.left <= 0:
        return bench
    on_one_core = all(figure.quantity not in ("wall", "busy") for figure in claim.figures)
    with FunctionBenchmark(on_one_core=on_one_core, rounds=ROUNDS) as benchmark:
        for name, row in rows.items():
            environment = made[recipes[name]]
            process = "" if row.apart else row.snippet
            benchmark.add(name, row.name, _module(row, claim), environment, row.parameters, process)
            if environment.reason is None:
                packages = {Requirement(text).name for text in recipes[name].requirements}
                bench.packages[row.name] = environment.versions(packages)
        bench.answers = {rows[name].name: answer for name, answer in benchmark.try_out().items()}
        bench.cells = {rows[name].name: _told(cell) for name, cell in benchmark.cells.items()}
        _compare_answers(rows.values(), bench)
        if claim.is_timed:
            is_known = partial(_is_known, claim, bench.cells, effort)
            benchmark.run(effort, is_known, f"{claim.id} {versions}", terms.listener.progress, deadline)
        bench.samples = benchmark.samples
    return bench


def recipe(row: ClaimRow, name: str, versions: Versions) -> Recipe:
    """The environment of a row in a set of versions; serbench's own if nothing is required."""
    own = row.requires.get(name, ())
    label = next(iter(own or versions.requirements), "")
    python = row.python.get(name, versions.python)
    return Recipe((*versions.requirements, *own), python, label, tools=versions.tools)


def _told(cell: Cell) -> Cell:
    """A row's cell; if a module of serbench's own installation is missing, or what a snippet needs beside it, its reason says so."""
    if cell.reason and cell.reason.startswith("Unavailable: "):
        cell.status, cell.reason = "unavailable", cell.reason.removeprefix("Unavailable: ")
    missing = re.match(r"ModuleNotFoundError: No module named '([^']+)'", cell.reason or "")
    if missing and cell.environment == MAIN.name:
        cell.status = "unavailable"
        cell.reason = f"{missing[1]} is not installed: {installed_by('all')}"
    return cell


def _module(row: ClaimRow, claim: Claim) -> str:
    """The text of the snippet with what it shares, and the names that a worker asks for at its end."""
    source = snippet(claim.folder / row.snippet) + f"\n\ncall = {row.call}\n"
    if "\ndef prepare(" in source:
        source += "\n\ndef build(values):\n    return prepare(**values)\n"
    return source


def _compare_answers(rows: Iterable[ClaimRow], bench: Bench) -> None:
    """Compare rows that must agree with the first of them that is not a printed one; those that differ are not timed."""
    truths: dict[str, ClaimRow] = {}
    for row in sorted(rows, key=lambda row: row.printed):
        cell, answer = bench.cells[row.name], bench.answers.get(row.name)
        if row.printed and answer is None and cell.status == "failed":
            bench.wrong[row.name] = f"as printed, {row.name} fails: {cell.reason}"
        if answer is None or not row.agrees:
            continue
        truth = truths.setdefault(row.agrees, row)
        right = bench.answers[truth.name]
        if right.text == answer.text:
            continue
        text = f"{row.name} gives {_short(answer.text)}, but {truth.name} gives {_short(right.text)}"
        if row.printed:
            bench.wrong[row.name] = f"as printed, {text}"
        else:
            cell.status, cell.reason = "failed", text


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:60]} … {text[-15:]}"


def _is_known(claim: Claim, cells: Mapping[str, Cell], rules: Effort, samples: Sequence[Sample]) -> bool:
    known = [list(logs_of(figure, cells, samples).values()) for figure in claim.figures]
    return is_finished(filter(None, known), rules.wanted, statistics.fit_prior(known))


def logs_of(figure: PublishedFigure, cells: Mapping[str, Cell], samples: Any) -> dict[int, float]:
    """Return the logarithm of the figure's quantity by wave; empty if it is not timed."""
    if figure.quantity not in TIMED or not len(samples):
        return {}
    names = figure.rows
    if any(name not in cells or cells[name].status not in ("ok", "unresolved") for name in names):
        return {}
    if figure.quantity == "busy":
        logs = [_busy(cells[name].id, samples) for name in names]
    else:
        wall = figure.quantity == "wall"
        waves = cell_waves(list(cells.values()), [s._replace(cpu_ns=s.wall_ns) for s in samples] if wall else samples)
        measured = [waves[cells[name].id] for name in names if cells[name].id in waves]
        if len(measured) < len(names):
            return {}
        paired = all(one.log_ratios for one in measured) and figure.to
        logs = [one.log_ratios if paired else one.log_times for one in measured]
    return {
        wave: sum(sign * one[wave] for sign, one in zip(SIGNS, logs, strict=False))
        for wave in logs[0]
        if all(wave in log for log in logs)
    }


def _busy(cell: int, samples: Sequence[Sample]) -> dict[int, float]:
    """The logarithm of CPU time over wall time of a cell's process: the median over the rounds of each wave."""
    by_wave = grouped((one for one in samples if one.cell == cell and one.wall_ns), lambda one: one.wave)
    return {wave: math.log(median(one.process_ns / one.wall_ns for one in some)) for wave, some in by_wave.items()}


TINY = 1e-300
"""Stands for 0 in logarithms: an answer that is not the expected one."""


def judged(claim: Claim, versions: str, bench: Bench) -> list[Judged]:
    """The figures of a claim in a set of versions that has their rows; a correction takes a wrong printed row's place."""
    figures = [_corrected(claim, figure, bench) for figure in claim.figures]
    figures = [figure for figure in figures if claim.rows_in(versions).keys() >= set(figure.rows)]
    prior = statistics.fit_prior([list(logs_of(figure, bench.cells, bench.samples).values()) for figure in figures])
    return [_judged(figure, versions, bench, prior) for figure in figures]


def _corrected(claim: Claim, figure: PublishedFigure, bench: Bench) -> PublishedFigure:
    instead = {row.corrects: row.name for row in claim.rows if row.corrects in bench.wrong}
    of, to, *against = (instead.get(name, name) for name in (figure.of, figure.to, *figure.against))
    return structs.replace(figure, of=of, to=to, against=tuple(against))


def _judged(figure: PublishedFigure, versions: str, bench: Bench, prior: statistics.Prior) -> Judged:
    answer = bench.answers.get(figure.of)
    judged = Judged(
        f"{figure.of} / {figure.to}" if figure.against else figure.of,
        " / ".join(figure.against) or figure.to,
        versions,
        figure.quantity,
        figure.sense,
        figure.low,
        figure.high,
        "not measurable",
        share=figure.share,
        expected=figure.expected,
        answer=json.loads(answer.text) if answer and figure.expected is not None else None,
    )
    logs = logs_of(figure, bench.cells, bench.samples)
    if logs:
        estimate = statistics.estimate(list(logs.values()), prior)
        low, middle, high = (math.exp(end) for end in (estimate.low, estimate.mean, estimate.high))
    elif (value := exact(figure, bench.answers)) is not None:
        low = middle = high = value
    else:
        return replace(judged, reason=_reason(figure, bench))
    verdict = judge(figure, math.log(max(low, TINY)), math.log(max(high, TINY)))
    return replace(
        judged,
        verdict=verdict,
        measured=middle,
        low=low,
        high=high,
        factor=factor(figure, middle),
        waves=len(logs),
        reason="its interval is too wide to tell" if verdict == "not measurable" else None,
    )


def _reason(figure: PublishedFigure, bench: Bench) -> str:
    reasons = [
        f"{name}: {bench.cells[name].reason or bench.cells[name].status}"
        for name in figure.rows
        if name in bench.cells and bench.cells[name].status not in ("ok", "unresolved")
    ]
    if not reasons and figure.to and figure.quantity not in TIMED and set(figure.rows) <= bench.answers.keys():
        return f"the {figure.quantity} of {figure.to} is 0"
    return "; ".join(dict.fromkeys(reasons)) or bench.reason


def measured_rows(claim: Claim, versions: str, bench: Bench) -> list[MeasuredRow]:
    """Every row of a claim in one set of versions, in the claim's order."""
    rows = []
    for row in (row for row in claim.rows if row.name in bench.cells):
        cell, answer = bench.cells[row.name], bench.answers.get(row.name)
        timed = spread(cell, bench.samples)
        rows.append(
            MeasuredRow(
                row=row.name,
                versions=versions,
                environment=cell.environment,
                packages=bench.packages.get(row.name, {}),
                status="ok" if cell.status == "unresolved" and (timed or not claim.is_timed) else cell.status,
                reason=cell.reason,
                size_bytes=answer.size_bytes if answer else None,
                answer=answer.text[:200] if answer else None,
                statistics=timed,
            )
        )
    return rows


def exact(figure: PublishedFigure, answers: Mapping[str, Answer]) -> float | None:
    """A size or an answer, or the ratio of two; None if it is not known, or if the second is 0.

    An answer that must be `expected` is 1 or 0.
    """
    if figure.quantity in TIMED or any(name not in answers for name in figure.rows):
        return None
    values = [_value(figure, answers[name]) for name in figure.rows]
    numbers = [float(value) for value in values if value is not None]
    if len(numbers) < len(values) or 0 in numbers[1:]:
        return None
    return numbers[0] / numbers[1] if numbers[1:] else numbers[0]


def _value(figure: PublishedFigure, answer: Answer) -> float | None:
    if figure.quantity == "size":
        return answer.size_bytes
    told = json.loads(answer.text)
    if figure.expected is not None:  # of which True is not 1
        return float(type(told) is type(figure.expected) and told == figure.expected)
    return told if isinstance(told, int | float) else None


def spread(cell: Cell, samples: Any) -> dict[str, float] | None:
    """The statistics of pytest-benchmark's table over all batches of a cell, in ns of wall time per call.

    Outliers lie beyond one standard deviation of the mean, or beyond 1.5 interquartile ranges of the quartiles (Tukey).
    """
    times = [float(s.wall_ns) / cell.loops for s in samples if s.cell == cell.id]
    if len(times) < 4:
        return None
    low, middle, high = quantiles(times, n=4, method="inclusive")
    average, deviation, width = mean(times), stdev(times), high - low
    return {
        "min": min(times),
        "max": max(times),
        "mean": average,
        "stddev": deviation,
        "median": middle,
        "iqr": width,
        "outliers_sd": sum(abs(t - average) > deviation for t in times),
        "outliers_iqr": sum(not low - 1.5 * width <= t <= high + 1.5 * width for t in times),
        "rounds": len(times),
    }
