"""The samples of a run in memory: held once, 64 bytes each, added visit by visit."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from serbench.judge.statistics import sample_table
from serbench.results import Sample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLE = [(name, "i8") for name in Sample._fields]
"""The fields of the structured array that keeps a run's samples."""


class SampleTable:
    """Samples in the order in which they came; what was added never changes, so that an array stays valid."""

    def __init__(self, samples: Iterable[Sample] | NDArray[Any] | None = None) -> None:
        self._rows: NDArray[np.int64] | None = None  # with room for more; None before numpy is needed
        self._length = 0
        if samples is not None:
            self.add(samples)

    def __len__(self) -> int:
        return self._length

    def add(self, samples: Iterable[Sample] | NDArray[Any]) -> None:
        """Add these samples."""
        import numpy as np

        fresh = sample_table(samples)
        whole = self._length + len(fresh)
        if self._rows is None or whole > len(self._rows):
            rows = np.empty((max(whole * 5 // 4, 1024), len(SAMPLE)), np.int64)
            rows[: self._length] = self.rows()
            self._rows = rows
        self._rows[self._length : whole] = fresh
        self._length = whole

    def rows(self, first: int = 0) -> NDArray[np.int64]:
        """The samples from that one on, as an array of shape (n, 8) that shares their memory."""
        return sample_table(()) if self._rows is None else self._rows[first : self._length]

    def array(self) -> NDArray[Any]:
        """The samples as a structured array of shape (n,) that shares their memory, as `MeasuredRun.samples` has it."""
        return self.rows().view(SAMPLE).reshape(-1)

    def places(self, cells: Collection[int]) -> NDArray[np.intp]:
        """The numbers of the samples that these cells have, in their order."""
        import numpy as np

        return np.flatnonzero(np.isin(self.rows()[:, 0], list(cells)))
