"""What the self-check proves: from pairs whose true ratio is known to a table of claims, targets and figures reached."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from serbench import statistics
from serbench.analysis.display import machine_line, three_digits
from serbench.analysis.rows import run_priors
from serbench.analysis.waves import Samples, cell_waves, paired_ratios
from serbench.engine.results import Cell

if TYPE_CHECKING:
    from rich.console import Group

Part = Mapping[str, Any]
PRECISION = 0.02
MISSES, FOUND, COVERAGE, GROWTH, FASTER, CONDUCTOR = (
    (0.02, 0.08),
    {"x1.02": 0.6, "x1.05": 0.95, "x1.20": 1.0},
    0.92,
    1.5,
    20,
    0.1,
)


@dataclass(frozen=True)
class Pair:
    """The time of one function over that of another, with its 95 % interval, where the true ratio is known or asked for.

    `factor` is the true ratio (None where nobody knows it), `repeated` how many processes or sessions the interval
    rests on, `seconds` what measuring took for this pair.
    """

    group: str
    of: str
    factor: float | None
    ratio: float
    low: float
    high: float
    repeated: int
    seconds: float = 0.0

    @property
    def error(self) -> float:
        """How far the ratio is from the true one: 0.01 is 1 %."""
        return abs(self.ratio / (self.factor or self.ratio) - 1)

    @property
    def holds(self) -> bool:
        """Whether the true ratio is within the interval."""
        return self.factor is None or self.low <= self.factor <= self.high

    @property
    def different(self) -> bool:
        """Whether the interval excludes that there is no difference."""
        return not self.low <= 1 <= self.high

    @property
    def seconds_to_precision(self) -> float:
        """Seconds to an interval of ±2 %: what it took, and as much longer as the square of what is missing."""
        half = math.sqrt(self.high / self.low) - 1
        return self.seconds * max(1.0, (half / PRECISION) ** 2)


@dataclass(frozen=True)
class Claim:
    """A line of the table; `met` is None where there is no target."""

    what: str
    target: str
    reached: str
    cases: str
    met: bool | None = None


@dataclass(frozen=True)
class Selfcheck:
    """The stored parts of the self-check, by name; it displays itself as the table of what they prove."""

    parts: Mapping[str, Part]

    @property
    def claims(self) -> list[Claim]:
        """Every claim of the parts that there are."""
        return [claim for name, part in self.parts.items() for claim in CLAIMS[name](part)]

    @property
    def met(self) -> bool:
        """Whether every part was measured, and each target is met."""
        return self.parts.keys() == CLAIMS.keys() and all(claim.met is not False for claim in self.claims)

    def to_data(self) -> dict[str, Any]:
        """The claims and the parts that they rest on, as JSON data."""
        return {"claims": [asdict(claim) for claim in self.claims], "met": self.met, "parts": dict(self.parts)}

    @property
    def origins(self) -> list[str]:
        """Where and when each part was measured, those of one machine together."""
        found: dict[str, list[str]] = {}
        for name, part in self.parts.items():
            quick = ", quick" if part["quick"] else ""
            told = f"{part['date'][:10]}{quick}: {machine_line(part['machine'])}, serbench {part['serbench']}"
            found.setdefault(told, []).append(f"{name} ({part['seconds']:,.0f} s)")
        return [f"{', '.join(names)}: {told}" for told, names in found.items()]

    def to_markdown(self) -> str:
        """The claims as a Markdown table, with where they were measured."""
        lines = ["| claim | target | reached | of | |", "| :-- | :-- | :-- | :-- | :-- |"]
        lines += [f"| {c.what} | {c.target} | {c.reached} | {c.cases} | {_verdict(c)} |" for c in self.claims]
        failures = [f"- {name}: {line}" for name, part in self.parts.items() for line in part.get("failures", ())]
        return "\n".join([*lines, "", *(f"- {line}" for line in self.origins), *failures, ""])

    def table(self) -> Group:
        """The claims as a Rich renderable."""
        from rich import box
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table("claim", "target", "reached", "of", "", box=box.SIMPLE_HEAD, pad_edge=False)
        for claim in self.claims:
            table.add_row(*map(Text, (claim.what, claim.target, claim.reached, claim.cases, _verdict(claim))))
        failures = [f"! {name}: {line}" for name, part in self.parts.items() for line in part.get("failures", ())]
        missing = [f"! {name}: not measured" for name in CLAIMS if name not in self.parts]
        return Group(table, *(Text(line, style="dim") for line in [*self.origins, *failures, *missing]))

    def __rich__(self) -> Group:
        return self.table()


def pairs(
    cells: Sequence[Cell], samples: Samples, wanted: Iterable[tuple[str, str, float | None, Cell, Cell]]
) -> list[Pair]:
    """Group, name, true ratio and the two cells of each pair → what a run says of it, as `gate` would.

    No cell is the second of two pairs; pairs without a common wave are left out.
    """
    waves = cell_waves(cells, samples)
    prior, _ = run_priors(cells, waves)
    listed = list(wanted)
    ratios = paired_ratios(cells, samples, {other.id: base.id for *_, base, other in listed}, waves)
    found = []
    for group, of, factor, _, other in listed:
        shared = ratios.get(other.id)
        if shared:
            e = statistics.estimate(list(shared.values()), prior)
            found.append(Pair(group, of, factor, math.exp(e.mean), math.exp(e.low), math.exp(e.high), e.waves))
    return found


def as_columns(found: Sequence[Pair]) -> list[list[Any]]:
    """Pairs as short JSON data."""
    return [[round(v, 5) if isinstance(v, float) else v for v in asdict(pair).values()] for pair in found]


def _pairs(part: Part, group: str | None = None) -> list[Pair]:
    return [pair for pair in (Pair(*columns) for columns in part["pairs"]) if group in (None, pair.group)]


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else math.nan


def _p95(found: Sequence[Pair]) -> float:
    errors = sorted(pair.error for pair in found)
    return errors[math.ceil(0.95 * len(errors)) - 1] if errors else math.nan


def _verdict(claim: Claim) -> str:
    return {True: "met", False: "**not met**", None: ""}[claim.met]


def aa_claims(part: Part) -> list[Claim]:
    """Of identical code under two names, and of what conducting it cost."""
    found = _pairs(part)
    misses, share = _share([not pair.holds for pair in found]), part["conductor_ns"] / part["cpu_ns"]
    low, high = MISSES
    return [
        Claim(
            "A/A: 95 % intervals that miss the truth",
            "2–8 %",
            f"{misses:.1%}; errors of {_p95(found):.1%} at most in 95 % of cases",
            f"{len(found)} cases",
            met=low <= misses <= high,
        ),
        Claim(
            "share of the conductor in the CPU time while measuring",
            "< 10 %",
            f"{share:.1%}",
            f"{part['cpu_ns'] / 1e9:,.0f} s",
            met=share < CONDUCTOR,
        ),
    ]


def injected_claims(part: Part) -> list[Claim]:
    """Of work that is truly 1.02, 1.05 or 1.20 times as much."""
    claims = []
    for name, target in FOUND.items():
        found = _pairs(part, name)
        share = _share([pair.low > 1 for pair in found])
        mean = math.exp(math.fsum(math.log(pair.ratio) for pair in found) / max(len(found), 1))
        told = f"{share:.0%}; {part['calls'][name]} calls for {part['calls']['base']} took {mean:.4f} times as long on average"
        sign = "" if target == 1 else "≥ "
        claims.append(
            Claim(
                f"{name[1:]} times the work is found",
                f"{sign}{target:.0%}",
                told,
                f"{len(found)} cases",
                share >= target,
            )
        )
    scaled = [pair for pair in _pairs(part) if pair.group in FOUND]
    covered = _share([pair.holds for pair in scaled])
    claims.append(
        Claim(
            "95 % intervals that hold these ratios",
            "≥ 92 %",
            f"{covered:.1%}",
            f"{len(scaled)} cases",
            covered >= COVERAGE,
        )
    )
    return claims


def neighbour_claims(part: Part) -> list[Claim]:
    """Of the same beside a busy neighbour."""
    quiet, claims = _p95(_pairs(part, "quiet")), []
    for name in dict.fromkeys(pair.group for pair in _pairs(part) if pair.group != "quiet"):
        found = _pairs(part, name)
        growth = _p95(found) / quiet
        told = f"{growth:.2f}×: {quiet:.1%} → {_p95(found):.1%}; {_share([not p.holds for p in found]):.1%} of intervals miss"
        what = f"growth of the error that 95 % of cases keep within, beside a busy neighbour: {name}"
        claims.append(Claim(what, "≤ 1.5×", told, f"{len(found)} cases", growth <= GROWTH))
    return claims


def rival_claims(part: Part) -> list[Claim]:
    """Of pyperf and pytest-benchmark on the same functions."""
    ours = _median([pair.seconds_to_precision for pair in _pairs(part, "serbench")])
    alone = _median([pair.seconds_to_precision for pair in _pairs(part, "serbench, one pair alone")])
    claims = []
    for tool, version in part["versions"].items():
        found = _pairs(part, tool)
        theirs = _median([pair.seconds_to_precision for pair in found])
        told = f"{theirs / ours:.0f}× fewer: {three_digits(theirs)} s → {three_digits(ours)} s in a run of many"
        told += f" ({three_digits(alone)} s for one alone)"
        what = f"seconds to ±2 % per pair, against {tool} {version}"
        claims.append(Claim(what, "≥ 20× fewer", told, f"{len(found)} pairs", theirs / ours >= FASTER))
    called = "; ".join(f"{tool} {wrong} of {cases}" for tool, (wrong, cases) in _ours_first(part["called_different"]))
    claims.append(Claim("identical functions called different", "", called, ""))
    both = [(Pair(*one), Pair(*other)) for one, other in part["agreement"]]
    agreed = _share([_agree(one, other) for one, other in both])
    what = "ratios that agree with pyperf's within the joint interval"
    claims.append(Claim(what, "≥ 92 %", f"{agreed:.1%}", f"{len(both)} ratios", agreed >= COVERAGE))
    return claims


def loop_claims(part: Part) -> list[Claim]:
    """Of the loop around what is measured."""
    ours, theirs = ([math.log(value) for value in part[key]] for key in ("serbench_ns", "timeit_ns"))
    ratio = statistics.estimate([one - other for one, other in zip(ours, theirs, strict=True)])
    each = [math.exp(math.fsum(values) / len(values)) for values in (ours, theirs)]
    told = f"{each[0]:.1f} ns, timeit {each[1]:.1f} ns for an empty function: {math.exp(ratio.mean):.3f}×"
    told += f" ({math.exp(ratio.low):.3f} to {math.exp(ratio.high):.3f})"
    processes = f"{len(ours)} processes"
    return [
        Claim(
            "a call and the loop around it, against timeit", "≤ timeit's", told, processes, ratio.low <= statistics.TIE
        )
    ]


def _ours_first(figures: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(figures.items(), key=lambda item: item[0] != "serbench")


def _agree(one: Pair, other: Pair) -> bool:
    halves = [math.log(pair.high / pair.low) / 2 for pair in (one, other)]
    return abs(math.log(one.ratio / other.ratio)) <= math.hypot(*halves)


def _median(values: Sequence[float]) -> float:
    ranked = sorted(values)
    return (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2 if ranked else math.nan


CLAIMS = {
    "aa": aa_claims,
    "injected": injected_claims,
    "neighbours": neighbour_claims,
    "rivals": rival_claims,
    "loop": loop_claims,
}
"""Part → what it proves."""
