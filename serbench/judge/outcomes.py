"""What probes and sweeps find of a case: plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from serbench.judge.work_class import DROPPED, KEPT, REFUSED, UNKNOWN_KEY_PROBE


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
class Limit:
    """The largest value that worked for a case, and the outcome of a larger one; `most` is None if it cannot be tried.

    `far` is the outcome of a far larger value if it differs: a case that refuses 400 levels may crash at 20,000.
    """

    most: int | None
    outcome: str
    detail: str
    far: str = ""


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
    limits: Mapping[str, Limit] = field(default_factory=dict)
    date: str = ""
    machine: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def unknown_keys(self) -> str:
        """What becomes of a key that no field has, a word of `UNKNOWN_KEYS`; empty if that was not tried."""
        finding = self.strictness.get(UNKNOWN_KEY_PROBE)
        words = {"rejected": REFUSED, "let through": KEPT, "ignored": DROPPED}
        return "" if finding is None else words.get(finding.outcome, "")

    @property
    def case(self) -> tuple[str, str, str, str, str]:
        """Library, variant, environment, format and codec: cases stand in the order of these."""
        return (self.library, self.variant, self.environment, self.format, self.codec)
