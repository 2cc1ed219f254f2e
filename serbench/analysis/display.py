"""How results are put into words and numbers: shared by the terminal, Markdown and the figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from serbench.analysis.rows import Row
from serbench.probes.wrong import BASICS

UNITS = ((1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"))
BYTES = ((1, "bytes"), (1e3, "kB"), (1e6, "MB"))
VERBS = {operation: f"{operation}s" for operation in ("encode", "decode", "dump", "load", "read", "build", "frame")}
UNRESOLVED, BY_WALL, NAMED_IN_BYTES, PROBED = "?", "*", "†", "§"
FOOTNOTES = {
    UNRESOLVED: "not known to the precision that was asked for",
    BY_WALL: "wall time, because the library uses threads; all others are CPU time",
    PROBED: f"work classes: decoding got one record wrong in {len(BASICS.wrong)} ways "
    f"({', '.join(wrong.name for wrong in BASICS.wrong[:4])} and so on); strict refuses all of them, coercing makes the right type "
    "of some, unchecked lets some through; `serbench verify --all` shows each",
    NAMED_IN_BYTES: "pickles hold the names of module and classes, so their size depends on these",
}


class Info(Protocol):
    """What is told of a run under its tables; `store.RunInfo` is one."""

    @property
    def id(self) -> str:
        """The run's id."""

    @property
    def started(self) -> str:
        """When it began."""

    @property
    def command(self) -> str:
        """The command that repeats it."""

    @property
    def machine(self) -> Mapping[str, Any]:
        """The fingerprint of the machine."""

    @property
    def versions(self) -> Mapping[str, Any]:
        """Distribution → version of everything measured."""


class Coded(Protocol):
    """Whatever has a codec and its format."""

    @property
    def codec(self) -> str:
        """The codec's name."""

    @property
    def format(self) -> str:
        """The byte format's name."""


@dataclass(frozen=True)
class Board:
    """The rows of one point and operation: measured ones by work class in the order of their ranks, and the rest."""

    title: str
    sections: list[tuple[str, list[Row]]]
    failed: list[Row]

    @property
    def measured(self) -> list[Row]:
        """The measured rows of all sections."""
        return [row for _, rows in self.sections for row in rows]

    @property
    def apart(self) -> dict[str, AbstractSet[str]]:
        """What tells the rows of each library apart."""
        return told_apart([*self.measured, *self.failed])

    @property
    def failures(self) -> list[str]:
        """What could not be measured, and why."""
        return failures(self.failed, self.apart)


def boards(rows: Iterable[Row], *, across_classes: bool = False) -> list[Board]:
    """The rows, put together as they are shown."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.workload, row.records, row.depth, row.seed, row.operation), []).append(row)
    return [_board(group, across_classes) for group in groups.values()]


def _board(rows: list[Row], across_classes: bool) -> Board:
    sections: dict[str, list[Row]] = {}
    for row in rows:
        if row.measured:
            name = "all work classes" if across_classes else row.work_class or "work class not measured"
            sections.setdefault(name, []).append(row)
    for section in sections.values():
        section.sort(key=lambda row: (row.rank or 0, row.time_ns or 0.0))
    return Board(board_title(rows[0]), list(sections.items()), [row for row in rows if not row.measured])


def board_title(row: Row) -> str:
    """The operation and data of a row, as "decode client · 1,000 records · depth 2"."""
    return f"{row.operation} {point_title(row)}"


def point_title(row: Row) -> str:
    """The data of a row, as "client · 1,000 records · depth 2"."""
    records = f"{row.records:,} record{'' if row.records == 1 else 's'}"
    return f"{row.workload} · {records} · depth {row.depth}"


def library_label(row: Row, several: Mapping[str, AbstractSet[str]] = MappingProxyType({})) -> str:
    """Library and variant; with version, Python or environment where `several` says that they tell rows apart."""
    return library_name(row, several) + ("" if row.variant == "default" else f" [{row.variant}]")


def library_name(row: Row, several: Mapping[str, AbstractSet[str]] = MappingProxyType({})) -> str:
    """The same without the variant."""
    apart = several.get(row.library, set())
    python = (row.python or "").rpartition(".")[0] if "python" in apart else ""
    version = row.version if "version" in apart and row.version not in (row.python or "").split() else ""
    where = f"@{row.environment}" if "environment" in apart else ""
    return " ".join(part for part in (row.library, version, where, f"({python})" if python else "") if part)


def told_apart(rows: Iterable[Row]) -> dict[str, AbstractSet[str]]:
    """What tells the rows of a library apart: "version", "python", or where neither does, "environment"."""
    found: dict[str, set[tuple[str | None, str | None, str]]] = {}
    for row in rows:
        found.setdefault(row.library, set()).add((row.version, row.python, row.environment))
    apart: dict[str, AbstractSet[str]] = {}
    for library, places in found.items():
        versions, pythons = {one[0] for one in places}, {one[1] for one in places if one[1]}
        names = ({"version"} if len(versions) > 1 else set()) | ({"python"} if len(pythons) > 1 else set())
        unclear = len({one[:2] for one in places}) < len(places)
        apart[library] = names | ({"environment"} if unclear else set())
    return apart


def failures(rows: Sequence[Row], several: Mapping[str, AbstractSet[str]]) -> list[str]:
    """The rows without a time, those of a library that have the same reason together."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        label = library_label(row, several)
        if row.environment != "main" and row.python is None:
            label = f"{row.library} @{row.environment}" if row.library not in row.environment else row.environment
        groups.setdefault((label, row.status, " ".join((row.reason or "").split())), []).append(codec_label(row))
    return [
        f"{label} {', '.join(dict.fromkeys(codecs))}: {status}: {reason}"
        for (label, status, reason), codecs in groups.items()
    ]


def codec_label(row: Coded) -> str:
    """The codec, with its format where the name does not say it."""
    return row.codec if row.codec == row.format else f"{row.codec} ({row.format})"


def rank_label(row: Row, rows: Iterable[Row]) -> str:
    """The rank, marked with = where others of the ranking share it."""
    return f"{row.rank}=" if sum(other.rank == row.rank for other in rows) > 1 else f"{row.rank}"


def first_label(row: Row) -> str:
    """How probable it is that no row of the ranking is faster, as "62 %"; nothing below 1 %."""
    share = row.first_probability or 0.0
    return f"{share:.0%}".replace("%", " %") if share >= 0.01 else ""


def unit_of(values: Iterable[float], units: Sequence[tuple[float, str]] = UNITS) -> tuple[float, str]:
    """The unit in which the middle value is at least 1, for all values of a table."""
    ranked = sorted(values)
    middle = ranked[len(ranked) // 2] if ranked else 1.0
    return next((unit for unit in reversed(units) if middle >= unit[0]), units[0])


def three_digits(value: float) -> str:
    """The value with three significant digits, never in exponents: "0.0123", "1.23", "1,230"."""
    if value <= 0 or not math.isfinite(value):
        return f"{value:.3g}"
    decimals = 2 - math.floor(math.log10(float(f"{value:.2e}")))
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def number(value: float | None, unit: float) -> str:
    """The value in a unit, with three digits; empty where it is not known."""
    return "" if value is None else three_digits(value / unit)


def time_label(row: Row, unit: float) -> str:
    """The time in a unit, marked where it is wall time."""
    return number(row.time_ns, unit) + (BY_WALL if row.clock == "wall" else "")


def size_label(row: Row, unit: float) -> str:
    """The size in a unit, bytes whole, marked where it depends on more than the data."""
    if row.size_bytes is None:
        return ""
    text = f"{row.size_bytes:,}" if unit == 1 else three_digits(row.size_bytes / unit)
    return text + (NAMED_IN_BYTES if row.format == "pickle" else "")


def factor_text(factor: float) -> str:
    """A factor in a sentence, with two digits or all before the point: "1.3×", "240×"."""
    return f"{factor:,.0f}×" if factor >= 10 else f"{factor:.2g}×"


def ratio_label(row: Row) -> str:
    """The ratio with its interval's half-width to one or two digits: "1.32× ± 0.02"."""
    if row.ratio is None or row.ratio_low is None or row.ratio_high is None:
        return "no reference"
    if row.reference:
        return "1× (reference)"
    mark = UNRESOLVED if row.status == "unresolved" else ""
    if row.ratio_high <= row.ratio_low:
        return f"{three_digits(row.ratio)}×{mark}"
    return with_half_width(row.ratio, row.ratio_low, row.ratio_high) + mark


def with_half_width(factor: float, low: float, high: float) -> str:
    """A factor with its interval's half-width to one or two digits: "1.32× ± 0.02"."""
    half = (high - low) / 2
    decimals = max(0, -math.floor(math.log10(half * 1.05))) if half > 0 else 3
    return f"{factor:,.{decimals}f}× ± {half:.{decimals}f}"


def versions_line(versions: Mapping[str, Any]) -> str:
    """What was measured: "attrs 25.3.0, orjson 3.13.0"; serbench's Python stands with the machine.

    Of another environment, only what its rows do not say: codecs in other versions.
    """
    shown: dict[str, None] = {}
    for name, version in versions.items():
        where, _, what = name.rpartition(": ")
        if what == "python" or (where and versions.get(what) == version):
            continue
        said = not where or where.startswith(f"{what}=={version}")
        shown[f"{what} {version}" + ("" if said else f" ({where})")] = None
    return ", ".join(shown)


def machine_line(machine: Mapping[str, Any]) -> str:
    """The machine in one line; what is not known is left out."""
    cores = machine.get("cores")
    parts = [
        machine.get("cpu"),
        f"{cores} core{'' if cores == 1 else 's'}" if cores else None,
        " ".join(str(machine[key]) for key in ("system", "kernel") if machine.get(key)),
        machine.get("python"),
    ]
    return ", ".join(str(part) for part in parts if part)


def control_line(control: Mapping[str, float | int | None]) -> str:
    """The A/A error in a sentence."""
    cases, error, miss = (control.get(f"aa_{name}") for name in ("cases", "error", "miss_rate"))
    if not cases or error is None or miss is None:
        return "A/A: this run has no hidden duplicates, so its accuracy is not known"
    most = "at most" if cases < 10 else "less than"
    often = "" if cases < 10 else " in 95 % of cases"
    return (
        f"A/A error {error:.1%}: identical code under two names differed by {most} that{often}; "
        f"{round(miss * cases)} of {cases} intervals missed the truth"
    )


def finding(board: Board) -> str:
    """What the largest section of a board shows, in one sentence that can stand as a title."""
    if not board.measured:
        return f"Nothing could be measured: {board.title}"
    name, rows = max(board.sections, key=lambda section: len(section[1]))
    text = _ranking_finding(rows, board.apart)
    return text if len(board.sections) == 1 else f"{name.capitalize()}: {text}"


def findings(rows: Iterable[Row]) -> dict[str, list[str]]:
    """What the rows show, in sentences by workload point: each ranking in turn, then the sizes of the bytes."""
    found: dict[str, list[str]] = {}
    sizes: dict[str, list[Row]] = {}
    for board in boards(rows):
        members = board.measured + board.failed
        point = point_title(members[0])
        lines = found.setdefault(point, [])
        if not board.measured:
            lines.append(f"{members[0].operation}: nothing could be measured")
        lines += [
            f"{members[0].operation}, {name}: {_ranking_finding(section, board.apart)}"
            for name, section in board.sections
        ]
        sizes.setdefault(point, []).extend(row for row in members if row.size_bytes is not None)
    for point, sized in sizes.items():
        if sized:
            found[point].append(_sizes_finding(sized))
    return found


def _sizes_finding(rows: Sequence[Row]) -> str:
    """The smallest and largest size in each format: "bytes: msgpack 86, json 100 to 106"."""
    ranges: dict[str, list[int]] = {}
    for row in sorted(rows, key=lambda row: row.size_bytes or 0):
        ranges.setdefault(row.format, []).append(row.size_bytes or 0)
    texts = [f"{name} {s[0]:,}" + (f" to {s[-1]:,}" if s[-1] > s[0] else "") for name, s in ranges.items()]
    return f"bytes: {', '.join(texts)}"


def _ranking_finding(rows: Sequence[Row], several: Mapping[str, AbstractSet[str]]) -> str:
    first, last = rows[0], rows[-1]
    what = first.workload
    verb = VERBS.get(first.operation, first.operation)
    leaders = [row for row in rows if row.rank == 1]
    if len(leaders) == len(rows) or first.time_ns is None or last.time_ns is None:
        unit, unit_name = unit_of([first.time_ns or 1.0])
        time = f"{three_digits((first.time_ns or 0) / unit)} {unit_name}"
        alone = f"{case_name(first, several)} is the only one, and {verb} {what} in {time}"
        return alone if len(rows) == 1 else f"No case {verb} {what} provably faster than another"
    factor = factor_text(last.time_ns / first.time_ns)
    tied = f" (tied with {len(leaders) - 1} other{'s' if len(leaders) > 2 else ''})" if len(leaders) > 1 else ""
    return f"{case_name(first, several)}{tied} {verb} {what} {factor} as fast as {case_name(last, several)}"


def case_name(row: Row, several: Mapping[str, AbstractSet[str]] = MappingProxyType({})) -> str:
    """A case in a sentence: "msgspec (json)", "cattrs + orjson (json)"; `several` as for `library_label`."""
    library = library_label(row, several)
    return f"{library} ({row.format})" if row.codec == row.library else f"{library} + {codec_label(row)}"


def footnotes(rows: Iterable[Row]) -> list[str]:
    """The footnotes that these rows need."""
    table = list(rows)
    needed = {
        UNRESOLVED: any(row.status == "unresolved" and not row.reference for row in table),
        BY_WALL: any(row.clock == "wall" for row in table),
        PROBED: any(_checks(row) for row in table),
        NAMED_IN_BYTES: any(row.format == "pickle" and row.size_bytes is not None for row in table),
    }
    return [f"{mark} {text}" for mark, text in FOOTNOTES.items() if needed[mark]]


def _checks(row: Row) -> bool:
    """Whether the row's work class says how input is checked."""
    return (row.work_class or "").partition(", ")[2].startswith(("strict", "coercing", "unchecked"))


def about_lines(info: Info, control: Mapping[str, float | int | None] | None) -> list[str]:
    """Run, machine, versions and accuracy, a line each; without `control` nothing is said of the accuracy."""
    run = " · ".join(part for part in (f"run {info.id}" if info.id else "", info.started, info.command) if part)
    accuracy = "" if control is None else control_line(control)
    return [line for line in (run, machine_line(info.machine), versions_line(info.versions), accuracy) if line]
