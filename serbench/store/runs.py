"""Stored runs as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from serbench.results import MeasuredRun, Origin, Sample

SAMPLE = [(name, "i8") for name in Sample._fields]
"""The fields of the structured array that keeps a run's samples."""
RunStatus = Literal["running", "finished", "interrupted"]


@dataclass(frozen=True)
class RunInfo(Origin):
    """A run without its measurements.

    Attributes:
        finished: ISO 8601 in UTC.
        status: stays "running" if the process was killed.
        serbench: the version that measured it.
        seconds: how long it took in all.
        cells: the number of cells.
        waves: the number of waves with samples.
        machines: name → facts of each machine, if blocks were measured elsewhere.
    """

    finished: str | None
    status: RunStatus
    plan: Any
    serbench: str
    warnings: list[str]
    seconds: float | None
    cells: int
    waves: int
    machines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class StoredRun(MeasuredRun):
    """A run with the measured modules by the sha256 of their text."""

    info: RunInfo
    sources: Mapping[str, str] = field(default_factory=dict)
