"""Outcomes of probes, sweeps and verification for a case, and its work class, packed as short texts."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from itertools import accumulate
from statistics import median
from typing import Any, NamedTuple

from serbench.results import OfCase, Status, grouped

OTHER = "records"
WORDS = {
    **{word: word for word in ("int", "float", "Decimal", "bool", "bytes", "UUID", "enum", "str")},
    **{word: word for word in ("datetime", "date", "time", "timedelta")},
    **dict.fromkeys(("tuple", "set", "list", "dict", "frozenset"), "containers"),
    "naive": "datetime",
    "midnight": "time",
    "lists": "nesting",
    **dict.fromkeys(("None", "empty"), "None"),
    **dict.fromkeys(("any", "bool,"), "any JSON"),
}
"""The first word of a probe of fidelity → its type."""


def probe_type(name: str) -> str:
    """The type of one probe: "int" for "int 2^63", "enum" for "enum: text that is no member"."""
    group, colon, _ = name.partition(": ")
    if colon and group not in WORDS and not group.startswith("str "):
        return "union" if group.endswith("union") else group
    if "where anything" in name:
        return "any JSON"
    return WORDS.get(group.split(" ")[0], OTHER)


def by_type(probes: Iterable[str]) -> dict[str, list[str]]:
    """Type → its probes, both in their order."""
    return grouped(probes, probe_type)


REST_IGNORED = "rest ignored"
"""The words of a work class for reading some of the fields that documents have."""
ABSENT, DEFAULTS = "absent left out", "defaults left out"
"""The words of a work class for documents that lack keys: those that would be null, or those that have their default."""

REFUSED, KEPT, DROPPED = UNKNOWN_KEYS = ("refused", "kept", "dropped")
"""What may become of an unknown key."""
UNKNOWN_KEY_PROBE = "structure: unknown key"
FATES = {"rejected": REFUSED, "let through": KEPT, "ignored": DROPPED}
"""Outcome of that probe → the fate of an unknown key."""
"""The probe of strictness that tells which."""


class WorkClass(NamedTuple):
    """The parts of a work class such as "objects, strict, absent left out, lossy (at: offset)"; empty if it has none.

    `holder` is "objects", "generated objects", "dicts", "builtins" or "own app", "objects as lines" or "dicts as lines" of an
    endpoint that sends JSON Lines, a message for each record, `checks` how input is checked,
    `left_out` what documents leave out or what of them is ignored, and `lossy` the fields that lose something.
    """

    holder: str
    checks: str
    left_out: str
    lossy: str

    @classmethod
    @lru_cache(1024)
    def parse(cls, text: str | None) -> WorkClass:
        """The parts of a work class; all are empty if it is not known."""
        kept, comma, lost = (text or "").partition(", lossy")
        kept, _, left_out = re.sub(r", ((?:absent|defaults) left out|rest ignored)", r"\n\1", kept).partition("\n")
        holder, _, checks = kept.partition(", ")
        return cls(holder, checks, left_out, f"lossy{lost}" if comma else "")


@dataclass(frozen=True)
class Finding:
    """The outcome of one probe, with details and the encoded text.

    `names` is True if a refusal names every field that is wrong; `declared` is the gap that serbench declares
    beforehand for this case.
    """

    outcome: str
    detail: str | None = None
    written: str | None = None
    names: bool | None = None
    declared: str | None = None


@dataclass(frozen=True)
class Difference:
    """Values of one type that a case does not return as they were, told by the smallest of them.

    `values` is the number of values that the sweep drew and found so. `step` says where:
    - "written": the case writes another value.
    - "decoded": it decodes its own bytes to another value.
    - "read": it decodes bytes of another writer to another value.
    - "readers": the independent readers do not agree.
    - the status of a process that ended.
    """

    type: str
    step: str
    value: str
    detail: str
    values: int


@dataclass(frozen=True)
class Swept:
    """The outcomes of a case with drawn values of every type: how many were tried, kept and refused, and the differences.

    `unsupported` has the types that the case says it lacks, each with the reason; `reason` says why nothing was tried.
    """

    library: str
    variant: str
    version: str | None
    environment: str
    codec: str
    format: str
    tried: int = 0
    kept: int = 0
    refused: int = 0
    unsupported: Mapping[str, str] = field(default_factory=dict)
    differences: tuple[Difference, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class Behaviour:
    """The outcomes of a case's probes by name, and the work class that follows from them.

    `reason` says why nothing could be tried. The outcomes of `fidelity` are "exact", "changed" or "refused", those of
    `strictness` "rejected", "coerced", "let through", "default", "ignored" or "unprobed"; of both also "crashed",
    "timeout" and "memory", and "unsupported" if the case cannot be rendered. `date` (ISO 8601 in UTC), `machine` in a
    line and `versions` of the case's distributions say what it holds for.
    """

    library: str
    variant: str
    version: str | None
    environment: str
    python: str | None
    codec: str
    format: str
    work_class: str | None = None
    reason: str | None = None
    fidelity: Mapping[str, Finding] = field(default_factory=dict)
    strictness: Mapping[str, Finding] = field(default_factory=dict)
    date: str = ""
    machine: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def unknown_keys(self) -> str:
        """The fate of an unknown key, a word of `UNKNOWN_KEYS`; empty if it was not tried."""
        finding = self.strictness.get(UNKNOWN_KEY_PROBE)
        return "" if finding is None else FATES.get(finding.outcome, "")

    @property
    def case(self) -> tuple[str, str, str, str, str]:
        """Library, variant, environment, format and codec: cases stand in the order of these."""
        return (self.library, self.variant, self.environment, self.format, self.codec)


MATRICES = ("fidelity", "strictness")
FIRST_SIGN = 0xC0
"""Above every sign that JSON or HTML writes in another way."""
LAST_SIGN = 0xD7FF
"""Below the surrogates, which no file holds."""
ABOUT = tuple(field.name for field in fields(Behaviour) if field.name not in MATRICES)


def packed(behaviours: Iterable[Behaviour]) -> dict[str, Any]:
    """The cases as JSON data, the most frequent findings first.

    `probes` has the names of each matrix, and `findings` the different findings without what they lack. Each of
    `cases` has a text for each matrix with one sign per probe: `FIRST_SIGN` plus the index of the finding, or a space
    if there is none.

    Raises:
        ValueError: more different findings than there are signs.
    """
    known = list(behaviours)
    met = Counter(id(f) for one in known for name in MATRICES for f in getattr(one, name).values())
    every = {id(f): f for one in known for name in MATRICES for f in getattr(one, name).values()}
    counted: Counter[Finding] = Counter()
    for number, times in met.items():  # many cases share a finding, which is compared with others once
        counted[every[number]] += times
    order = sorted(counted, key=lambda f: (-counted[f], json.dumps(vars(f))))
    if FIRST_SIGN + len(order) > LAST_SIGN:
        raise ValueError(f"{len(order):,} different findings, which is more than there are signs")
    signs_of = {finding: chr(FIRST_SIGN + number) for number, finding in enumerate(order)}
    sign = {number: signs_of[finding] for number, finding in every.items()}
    probes = {name: probe_names(known, name) for name in MATRICES}

    def signs(findings: Mapping[str, Finding], names: Sequence[str]) -> str:
        return "".join(sign[id(findings[name])] if name in findings else " " for name in names).rstrip(" ")

    return {
        "probes": probes,
        "findings": [{name: value for name, value in vars(f).items() if value is not None} for f in order],
        "cases": [
            {name: getattr(one, name) for name in ABOUT}
            | {name: signs(getattr(one, name), probes[name]) for name in MATRICES}
            for one in known
        ],
    }


def probe_names(behaviours: Iterable[Behaviour], matrix: str) -> list[str]:
    """Every probe of a matrix, in the order of the case that has most of them."""
    matrices = sorted((getattr(behaviour, matrix) for behaviour in behaviours), key=len, reverse=True)
    return list(dict.fromkeys(name for matrix in matrices for name in matrix))


def unpacked(data: Mapping[str, Any]) -> list[Behaviour]:
    """The cases in data that `packed` returned.

    Raises:
        KeyError, IndexError, TypeError: the data has another form.
    """
    findings = [Finding(**one) for one in data["findings"]]

    def findings_of(signs: str, names: Sequence[str]) -> dict[str, Finding]:
        return {name: findings[ord(sign) - FIRST_SIGN] for name, sign in zip(names, signs, strict=False) if sign != " "}

    return [
        Behaviour(**{**case, **{name: findings_of(case[name], data["probes"][name]) for name in MATRICES}})
        for case in data["cases"]
    ]


def packed_text(behaviours: Iterable[Behaviour]) -> str:
    """`packed` as JSON with a line for each finding and each case, so that two of them can be compared."""
    data = packed(behaviours)
    lists = [f'"{name}": [\n' + ",\n".join(map(_json, data[name])) + "\n]" for name in ("findings", "cases")]
    return "{" + ",\n".join([f'"probes": {_json(data["probes"])}', *lists]) + "}\n"


def finding_rows(behaviours: Iterable[Behaviour]) -> list[dict[str, Any]]:
    """A line for each case and probe, for tables: the case, the matrix, the probe and its outcome."""
    return [
        {name: getattr(behaviour, name) for name in ABOUT if name not in ("machine", "versions", "reason")}
        | {"matrix": name, "probe": probe, **asdict(finding)}
        for behaviour in behaviours
        for name in MATRICES
        for probe, finding in getattr(behaviour, name).items()
    ]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(kw_only=True)
class Weight(OfCase):
    """A quantity of a case other than the time of an operation, as several fresh processes gave it.

    `readings` has a number for each process, in the quantity's `unit`: "bytes", "ns" of CPU time, "×" for a
    ratio, "per call", "" for a count. If there is none, `status` and `reason` say why.
    """

    metric: str
    quantity: str
    unit: str
    readings: tuple[float, ...] = ()
    status: Status = "ok"
    reason: str | None = None

    @property
    def value(self) -> float | None:
        """The median."""
        return median(self.readings) if self.readings else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Readings between which the median of all processes lies with at least 95%; None if there are too few."""
        return median_interval(self.readings)

    @property
    def per_record(self) -> float | None:
        """The bytes for each record of what a decoded document keeps; None for other quantities."""
        value = self.value if self.quantity == "decode_retained" else None
        return None if value is None else value / max(self.records, 1)

    @property
    def leaks(self) -> bool | None:
        """True if the whole interval of a leak is above 0; None for other metrics, and without an interval."""
        return self.interval[0] > 0 if self.metric == "leak" and self.interval else None

    def as_data(self) -> dict[str, Any]:
        """The weight as JSON data, the readings last."""
        facts = {name: getattr(self, name) for name in COLUMNS if name != "readings"}
        low, high = self.interval or (None, None)
        more = {"per_record": self.per_record, "leaks": self.leaks, "readings": self.readings}
        return {**facts, "value": self.value, "low": low, "high": high, **more}


COLUMNS = tuple(field.name for field in fields(Weight))
"""The facts of a weight in the store."""


def median_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The narrowest pair of order statistics, alike from both ends, that holds the median with 95% probability.

    Whatever the distribution, each of n readings is below its median with probability ½, so the k-th from
    below and from above miss it with 2·P(Binomial(n, ½) < k). None if even the extremes miss it too often.
    """
    ordered, count = sorted(values), len(values)
    below = list(accumulate(math.comb(count, k) / 2**count for k in range(count)))
    fitting = [k for k in range(count // 2) if 2 * below[k] <= 0.05]
    return (ordered[fitting[-1]], ordered[-1 - fitting[-1]]) if fitting else None
