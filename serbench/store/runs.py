"""What the store hands out: a run's facts, and a run with everything that was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from serbench.engine.results import Cell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RunStatus = Literal["running", "finished", "interrupted"]


@dataclass(frozen=True)
class RunInfo:
    """A run without its measurements. Times are ISO 8601 in UTC; `waves` is how many waves have samples.

    `status` stays "running" where the process was killed. `machines` has the facts of each machine by its name,
    where blocks were measured elsewhere.
    """

    id: str
    started: str
    finished: str | None
    status: RunStatus
    command: str
    plan: Any
    machine: Mapping[str, Any]
    versions: Mapping[str, Any]
    serbench: str
    warnings: list[str]
    seconds: float | None
    cells: int
    waves: int
    machines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class StoredRun:
    """A run as it was measured.

    `samples` is a structured array whose fields are those of `engine.results.Sample`, in the same order,
    sorted by wave, cell, visit and round; `sources` has the measured modules by their sha256.
    """

    info: RunInfo
    cells: list[Cell]
    samples: NDArray[np.void]
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The run's id."""
        return self.info.id

    @property
    def machine(self) -> Mapping[str, Any]:
        """The fingerprint of the machine that measured it."""
        return self.info.machine
