"""Advice from a run's rows: the fastest that qualifies, the smallest, the trade-offs, and what the present choice costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.analysis.display import codec_label, library_label, point_title, three_digits, unit_of
from serbench.analysis.rows import Row

Key = tuple[str, str, str, str]  # library, variant, codec, format
_TIE = 0.01  # a proven difference smaller than this is none, as in a run's ranks


@dataclass(frozen=True)
class Option:
    """One case with its rows: `decode`, and `encode` where that was measured too."""

    decode: Row
    encode: Row

    @property
    def label(self) -> str:
        """What it is called."""
        return f"{library_label(self.decode)} with {codec_label(self.decode)}"

    @property
    def time_ns(self) -> float:
        """The time to encode the document and decode it again."""
        return (self.encode.time_ns or 0.0) + (self.decode.time_ns or 0.0)

    @property
    def size_bytes(self) -> int:
        """The size of the encoded document."""
        return self.decode.size_bytes or 0


@dataclass(frozen=True)
class Ratio:
    """How many times as long one case takes as another, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def proven(self) -> bool:
        """Whether the interval leaves no doubt that they differ by more than 1 %."""
        return self.low > 1 + _TIE or self.high < 1 - _TIE

    def __str__(self) -> str:
        digits = 1 if self.value >= 10 else 2
        return f"{self.value:.{digits}f}× ± {max((self.high - self.low) / 2, 10**-digits):.{digits}f}"


@dataclass(frozen=True)
class Against:
    """The present choice held against another: how many times as long it takes, and what would change."""

    present: Option
    other: Option
    decode: Ratio
    encode: Ratio
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Advice:
    """What the rows of one workload point say.

    Attributes:
        point: the data.
        qualified: the cases that fulfil the demands, fastest first.
        excluded: how many do not, by reason.
        validating: the fastest that checks its input, and those that tie with it.
        fastest: the fastest of all, and those that tie with it.
        smallest: those with the fewest bytes, fastest first.
        front: the cases that none beats in both time and size, fastest first.
        against: the present choice against the fastest of its own format, and against the fastest of all; of
            those that check their input, if there are any.
    """

    point: str
    qualified: tuple[Option, ...]
    excluded: dict[str, int]
    validating: tuple[Option, ...]
    fastest: tuple[Option, ...]
    smallest: tuple[Option, ...]
    front: tuple[Option, ...]
    against: tuple[Against, ...]

    def lines(self) -> list[str]:
        """The advice in sentences, each with its evidence."""
        if not self.qualified:
            return ["no case fulfils these demands", *self._exclusions()]
        said = []
        if self.validating:
            said.append(f"fastest that checks its input: {_all(self.validating)}, {_time(self.validating[0])}")
        if self.fastest[0] not in self.validating:
            said.append(f"fastest, {self.fastest[0].decode.work_class}: {_all(self.fastest)}, {_time(self.fastest[0])}")
        said.append(
            f"smallest: {self.smallest[0].label}, {self.smallest[0].size_bytes:,} bytes{_others(self.smallest)}"
        )
        front = "; ".join(f"{o.label} ({_time(o)}, {o.size_bytes:,} bytes)" for o in self.front)
        said.append(f"best in time, size or between: {front}")
        for against in self.against:
            said += _against_lines(against)
        return said + self._exclusions()

    def _exclusions(self) -> list[str]:
        return [f"{count} {'case' if count == 1 else 'cases'} left out: {why}" for why, count in self.excluded.items()]

    def to_data(self) -> dict[str, Any]:
        """The advice as JSON data."""
        return {
            "data": self.point,
            "validating": [_data(option) for option in self.validating],
            "fastest": [_data(option) for option in self.fastest],
            "smallest": [_data(option) for option in self.smallest],
            "front": [_data(option) for option in self.front],
            "against": [_against_data(against) for against in self.against],
            "excluded": self.excluded,
            "advice": self.lines(),
        }


def recommend(
    rows: Iterable[Row], *, refuse: Callable[[Row], str | None] = lambda _: None, present: Key | None = None
) -> list[Advice]:
    """What the rows of each workload point say.

    Times are of encoding and decoding together. Two cases tie if the difference between them is not proven
    to be more than 1 %, in either direction: the logarithms of their ratios to the run's reference have
    intervals, and that of the difference has the root of the sum of their squares for its width.

    Args:
        rows: a run's rows, of which encode and decode are looked at.
        refuse: why a case does not qualify, by its decode row; None if it does.
        present: the case that is used today.
    """
    points: dict[Any, dict[Key, dict[str, Row]]] = {}
    for row in rows:
        if row.measured and row.operation in ("encode", "decode"):
            where = (row.workload, row.records, row.depth, row.seed)
            points.setdefault(where, {}).setdefault(key(row), {})[row.operation] = row
    return [_advice(cases, refuse, present) for cases in points.values()]


def key(row: Row) -> Key:
    """What identifies a row's case."""
    return (row.library, row.variant, row.codec, row.format)


def ratio(row: Row, other: Row) -> Ratio:
    """How many times as long `row` takes as `other`, both of one point and operation."""
    logs = [_logs(one) for one in (row, other)]
    (mean, half), (other_mean, other_half) = logs
    middle, width = mean - other_mean, math.hypot(half, other_half)
    return Ratio(math.exp(middle), math.exp(middle - width), math.exp(middle + width))


def _logs(row: Row) -> tuple[float, float]:
    """The logarithm of a row's ratio, or of its time where there is none, and half the width of its interval."""
    value, low, high = row.ratio, row.ratio_low, row.ratio_high
    if value is None or low is None or high is None:
        value, low, high = row.time_ns, row.time_ns_low, row.time_ns_high
    assert value is not None
    assert low is not None
    assert high is not None
    return math.log(value), (math.log(high) - math.log(low)) / 2


def _advice(cases: dict[Key, dict[str, Row]], refuse: Callable[[Row], str | None], present: Key | None) -> Advice:
    options = [Option(found["decode"], found["encode"]) for found in cases.values() if len(found) == 2]
    excluded: dict[str, int] = {}
    qualified = []
    for option in sorted(options, key=lambda option: option.time_ns):
        why = refuse(option.decode)
        if why is None:
            qualified.append(option)
        else:
            excluded[why] = excluded.get(why, 0) + 1
    validating = _ties([option for option in qualified if _validates(option.decode)])
    fastest = _ties(qualified)
    least = min((option.size_bytes for option in qualified), default=0)
    today = next((option for option in options if key(option.decode) == present), None)
    checked = [option for option in qualified if _validates(option.decode)] or qualified
    alike = [option for option in checked if today and option.decode.format == today.decode.format]
    best = dict.fromkeys(found[0] for found in (alike, checked) if found)
    first = next(iter(cases.values()))
    return Advice(
        point_title(next(iter(first.values()))),
        tuple(qualified),
        excluded,
        validating,
        fastest,
        tuple(option for option in qualified if option.size_bytes == least),
        tuple(_front(qualified)),
        tuple(_held_against(today, other) for other in best) if today else (),
    )


def _validates(row: Row) -> bool:
    return (row.work_class or "").endswith(("strict", "coercing"))


def _ties(options: Sequence[Option]) -> tuple[Option, ...]:
    """The first, and those after it of which it is not proven that they are slower."""
    if not options:
        return ()
    best = options[0]
    return tuple(
        option
        for option in options
        if option is best or not (ratio(option.decode, best.decode).proven or ratio(option.encode, best.encode).proven)
    )


def _front(options: Sequence[Option]) -> list[Option]:
    """The Pareto front: each is smaller than all that are faster."""
    front: list[Option] = []
    for option in options:
        if not front or option.size_bytes < front[-1].size_bytes:
            front.append(option)
    return front


def _held_against(present: Option, other: Option) -> Against:
    changes = []
    before, after = present.decode, other.decode
    if before.work_class != after.work_class:
        changes.append(f"decoding is “{after.work_class}”, not “{before.work_class}”")
    if before.format != after.format:
        changes.append(f"the bytes are {after.format}, not {before.format}")
    if before.library != after.library:
        changes.append(
            f"what {before.library} offers beyond encoding and decoding, such as validators of your own, is "
            f"{after.library}'s or nobody's"
        )
    return Against(present, other, ratio(before, after), ratio(present.encode, other.encode), tuple(changes))


def _against_lines(against: Against) -> list[str]:
    present, other = against.present.label, against.other.label
    if against.present == against.other:
        return [f"you use {present}, and nothing that checks as much is faster"]
    parts = [
        f"{operation} {found} faster" if found.value > 1 else f"{operation} {_inverse(found)} slower"
        for operation, found in (("decode", against.decode), ("encode", against.encode))
        if found.proven
    ]
    gain = f"{other} would {' and '.join(parts)}" if parts else f"{other} is not proven faster"
    return [f"you use {present}; {gain}", *(f"what would change: {change}" for change in against.changes)]


def _inverse(found: Ratio) -> Ratio:
    return Ratio(1 / found.value, 1 / found.high, 1 / found.low)


def _against_data(against: Against) -> dict[str, Any]:
    return {
        "present": _data(against.present),
        "other": _data(against.other),
        "changes": list(against.changes),
        **{
            f"{name}_ratio": [found.value, found.low, found.high]
            for name, found in (("decode", against.decode), ("encode", against.encode))
        },
    }


def _data(option: Option) -> dict[str, Any]:
    library, variant, codec, format_ = key(option.decode)
    return {
        "library": library,
        "variant": variant,
        "codec": codec,
        "format": format_,
        "work_class": option.decode.work_class,
        "time_ns": option.time_ns,
        "size_bytes": option.size_bytes,
    }


def _time(option: Option) -> str:
    unit, name = unit_of([option.time_ns])
    return f"{three_digits(option.time_ns / unit)} {name} to encode and decode"


def _all(options: Sequence[Option]) -> str:
    return options[0].label + (f" (tied: {', '.join(o.label for o in options[1:])})" if len(options) > 1 else "")


def _others(options: Sequence[Option]) -> str:
    return f" (and {len(options) - 1} more of that size)" if len(options) > 1 else ""
