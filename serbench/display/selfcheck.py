"""The self-check as a table: what serbench claims of its figures, the targets, and the figures reached."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import Any, TypeAlias

from serbench.display.table import Table, Tables
from serbench.display.values import Displayed
from serbench.display.words import machine_line, three_digits
from serbench.errors import WrongDataError, checked
from serbench.judge import statistics
from serbench.judge.control import Pair, agree, p95, share

StoredPart = Mapping[str, Any]
_PAIR: TypeAlias = tuple[str, str, float | None, float, float, float, int, float]
"""The columns of a `Pair`."""
MISSES = (0.02, 0.08)
DETECTED = {"x1.02": 0.6, "x1.05": 0.95, "x1.20": 1.0}
COVERAGE, GROWTH, FASTER, CONDUCTOR, RANKS_DIFFER = 0.92, 1.5, 20, 0.1, 0.05


@dataclass(frozen=True)
class Criterion:
    """A line of the table; `met` is None if there is no target."""

    what: str
    target: str
    reached: str
    cases: str
    met: bool | None = None


@dataclass(frozen=True)
class Selfcheck(Displayed):
    """The stored parts of the self-check, by name; it displays itself as a table of criteria."""

    parts: Mapping[str, StoredPart]

    @property
    def criteria(self) -> list[Criterion]:
        """Every criterion of the measured parts."""
        return [one for name, part in self.parts.items() for one in CRITERIA[name](part)]

    @property
    def met(self) -> bool:
        """True if every part was measured, that of other tools perhaps not, and each target is met."""
        return self.parts.keys() >= NEEDED and all(one.met is not False for one in self.criteria)

    def to_data(self) -> dict[str, Any]:
        """The criteria and the parts that they rest on, as JSON data."""
        return {"claims": [asdict(one) for one in self.criteria], "met": self.met, "parts": dict(self.parts)}

    @property
    def origins(self) -> list[str]:
        """Date, machine and version of each part, those of one machine together."""
        of_machine: dict[str, list[str]] = {}
        for name, part in self.parts.items():
            quick = ", quick" if part["quick"] else ""
            quick += f", {part['conditions']}" if "conditions" in part else ""
            told = f"{part['date'][:10]}{quick}: {machine_line(part['machine'])}, serbench {part['serbench']}"
            of_machine.setdefault(told, []).append(f"{name} ({part['seconds']:,.0f} s)")
        return [f"{', '.join(names)}: {told}" for told, names in of_machine.items()]

    def table(self) -> Tables:
        """The criteria, the origins of their figures, and failures."""
        met = {True: "met", False: "not met", None: ""}
        lines = [(one.what, one.target, one.reached, one.cases, met[one.met]) for one in self.criteria]
        table = Table.of_lines(dict.fromkeys(("claim", "target", "reached", "of", ""), "left"), lines, markup=True)
        failures = [f"{name}: {line}" for name, part in self.parts.items() for line in part.get("failures", ())]
        missing = [f"{name}: not measured" for name in CRITERIA if name in NEEDED - self.parts.keys()]
        return Tables([replace(table, notes=[*self.origins, *failures])], warnings=missing)


@dataclass(frozen=True)
class _Part:
    """What every part has, and the types of what some have."""

    date: str
    seconds: float
    serbench: str | None
    machine: dict[str, str | int | float | bool | None]
    quick: bool
    conditions: str = ""
    failures: list[str] = field(default_factory=list)
    pairs: list[_PAIR] = field(default_factory=list)
    agreement: list[tuple[_PAIR, _PAIR]] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    called_different: dict[str, tuple[int, int]] = field(default_factory=dict)
    wall_ns: float = 1.0
    cpu_ns: float = 1.0
    conductor_ns: float = 0.0
    serbench_ns: list[float] = field(default_factory=list)
    timeit_ns: list[float] = field(default_factory=list)


def read_selfcheck(data: object) -> Selfcheck:
    """The self-check of stored parts, which anybody may have written.

    Raises:
        WrongDataError: an unknown part, a field of another type, or impossible figures.
    """
    parts = checked(dict[str, dict[str, Any]], data, "parts")
    for name, part in parts.items():
        checked(_Part, part, f"part {name}")
        if name not in CRITERIA:
            raise WrongDataError(f"part {name}: unknown part")
        try:
            CRITERIA[name](part)
        except (ValueError, LookupError, ArithmeticError) as error:
            raise WrongDataError(f"part {name}: impossible figures ({error})") from None
    return Selfcheck(parts)


def _pairs(part: StoredPart, group: str | None = None) -> list[Pair]:
    return [pair for pair in (Pair(*columns) for columns in part["pairs"]) if group in (None, pair.group)]


def _aa(part: StoredPart) -> list[Criterion]:
    """Identical code under two names, and the cost of conducting it."""
    pairs = _pairs(part)
    whole = part.get("wall_ns") or part["cpu_ns"]  # earlier versions knew the CPU time of all processes
    misses, conductor = share([not pair.holds for pair in pairs]), part["conductor_ns"] / whole
    reached = f"{misses:.1%}; errors of {p95(pairs):.1%} at most in 95% of cases"
    within, what = MISSES[0] <= misses <= MISSES[1], "share of serbench's own CPU time in the time of measuring"
    ranks_differ = share([pair.ranks_differ for pair in pairs])
    ranked = "identical code that ranks apart, beyond the margin of 1%"
    return [
        Criterion(
            "95% intervals of identical code that miss the truth", "2–8%", reached, f"{len(pairs)} pairs", within
        ),
        Criterion(ranked, "≤ 5%", f"{ranks_differ:.1%}", f"{len(pairs)} pairs", ranks_differ <= RANKS_DIFFER),
        Criterion(what, "< 10%", f"{conductor:.1%}", f"{whole / 1e9:,.0f} s", conductor < CONDUCTOR),
    ]


def _injected(part: StoredPart) -> list[Criterion]:
    """Work that is truly 1.02, 1.05 or 1.20 times as much."""
    criteria = []
    for name, target in DETECTED.items():
        pairs = _pairs(part, name)
        slower = share([pair.low > 1 for pair in pairs])
        mean = math.exp(math.fsum(math.log(pair.ratio) for pair in pairs) / max(len(pairs), 1))
        told = f"{slower:.0%}; {name[1:]} times the calls took {mean:.4f} times as long on average"
        wanted = f"{'' if target == 1 else '≥ '}{target:.0%}"
        what = f"{name[1:]} times the work is found"
        criteria.append(Criterion(what, wanted, told, f"{len(pairs)} pairs", slower >= target))
    scaled = [pair for pair in _pairs(part) if pair.group in DETECTED]
    held, cases = share([pair.holds for pair in scaled]), f"{len(scaled)} pairs"
    what = "95% intervals that hold these ratios"
    return [*criteria, Criterion(what, "≥ 92%", f"{held:.1%}", cases, held >= COVERAGE)]


def _neighbours(part: StoredPart) -> list[Criterion]:
    """The same beside a busy neighbour."""
    quiet, criteria = p95(_pairs(part, "quiet")), []
    for name in dict.fromkeys(pair.group for pair in _pairs(part) if pair.group != "quiet"):
        pairs = _pairs(part, name)
        error, missed = p95(pairs), share([not pair.holds for pair in pairs])
        told = f"{error / quiet:.2f}×: {quiet:.1%} → {error:.1%}; {missed:.1%} of intervals miss"
        what = f"growth of the noise floor beside a busy neighbour: {name}"
        criteria.append(Criterion(what, "≤ 1.5×", told, f"{len(pairs)} pairs", error / quiet <= GROWTH))
    return criteria


def _rivals(part: StoredPart) -> list[Criterion]:
    """The tools pyperf and pytest-benchmark on the same functions."""

    def seconds(group: str) -> float:
        return median([pair.seconds_to_precision for pair in _pairs(part, group)] or [math.nan])

    ours, alone = seconds("serbench"), three_digits(seconds("serbench, one pair alone"))
    criteria = []
    for tool, version in part["versions"].items():
        theirs, pairs = seconds(tool), f"{len(_pairs(part, tool))} pairs"
        told = f"{theirs / ours:.0f}× fewer: {three_digits(theirs)} s → {three_digits(ours)} s in a run of many"
        what = f"seconds to ±2% per pair, against {tool} {version}"
        criteria.append(
            Criterion(what, "≥ 20× fewer", f"{told} ({alone} s for one alone)", pairs, theirs / ours >= FASTER)
        )
    ours_first = sorted(part["called_different"].items(), key=lambda item: item[0] != "serbench")
    called = "; ".join(f"{tool} {wrong} of {cases}" for tool, (wrong, cases) in ours_first)
    known = {
        tool: [pair.holds for pair in _pairs(part, tool) if pair.factor] for tool in ("serbench", *part["versions"])
    }
    held = "; ".join(f"{tool} {sum(holds)} of {len(holds)}" for tool, holds in known.items())
    both = [(Pair(*one), Pair(*other)) for one, other in part["agreement"]]
    agreed = share([agree(one, other) for one, other in both])
    what = "ratios that agree with pyperf's within the joint interval, pyperf's over its runs of each function"
    return [
        *criteria,
        Criterion("identical functions called different", "", called, ""),
        Criterion("known ratios within the intervals of one run", "", held, ""),
        Criterion(what, "≥ 92%", f"{agreed:.1%}", f"{len(both)} ratios", agreed >= COVERAGE)
        if both
        else Criterion(what, "", "not measured by --quick", ""),
    ]


def _loop(part: StoredPart) -> list[Criterion]:
    """The loop around what is measured."""
    ours, theirs = ([math.log(value) for value in part[key]] for key in ("serbench_ns", "timeit_ns"))
    ratio = statistics.estimate([one - other for one, other in zip(ours, theirs, strict=True)])
    each = [math.exp(math.fsum(values) / len(values)) for values in (ours, theirs)]
    told = f"{each[0]:.1f} ns, timeit {each[1]:.1f} ns for an empty function: {math.exp(ratio.mean):.3f}×"
    told += f" ({math.exp(ratio.low):.3f} to {math.exp(ratio.high):.3f})"
    what = "a call and the loop around it, against timeit"
    return [Criterion(what, "≤ timeit's", told, f"{len(ours)} processes", ratio.low <= statistics.TIE)]


CRITERIA: dict[str, Callable[[StoredPart], list[Criterion]]] = {
    "aa": _aa,
    "injected": _injected,
    "neighbours": _neighbours,
    "rivals": _rivals,
    "loop": _loop,
}
"""Part → what it proves."""
NEEDED = CRITERIA.keys() - {"rivals"}
"""The parts that `serbench selfcheck` measures."""
