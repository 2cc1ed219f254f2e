"""Files of many records one after the other: written and read in processes with less memory than the file is long."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from serbench.cases import Case, render
from serbench.engine.process import WEIGHER, Fault, Process, Watchdog
from serbench.environments import main_environment
from serbench.formats import Codec
from serbench.libraries import Library
from serbench.schema import List
from serbench.workloads import Dataset


@dataclass(frozen=True)
class Streamed:
    """One case's file: how fast records were written and read, and what memory reading took at most.

    Times are CPU time, opening and reading the file included. `status` is "ok", or that of a case that could
    not do it, with its `reason`.
    """

    library: str
    variant: str
    codec: str
    format: str
    status: str
    reason: str | None = None
    records: int | None = None
    size_bytes: int | None = None
    written_per_s: float | None = None
    read_per_s: float | None = None
    peak_bytes: int | None = None


def streams(
    pairs: Iterable[tuple[Library, str, Codec]],
    dataset: Dataset,
    target_bytes: int,
    memory_limit_bytes: int,
    time_limit_s: float,
) -> Iterator[Streamed]:
    """Each case with a file of at least so many bytes, made of the data's records over and over.

    The reading process may have `memory_limit_bytes` of address space, and keeps no record.
    """
    watchdog = Watchdog()
    try:
        for library, variant, codec in pairs:
            told = Streamed(library.name, variant, codec.name, codec.format, "unsupported")
            if not isinstance(dataset.schema.root, List) or not dataset.value:
                yield replace(told, reason=f"{dataset.name} is one record; a stream is made of the items of a list")
                continue
            schema = replace(dataset.schema, root=dataset.schema.root.item)
            case = render(library, variant, codec, schema, beside=("stream",))
            with tempfile.TemporaryDirectory(prefix="serbench-") as scratch:
                folder = Path(scratch)
                (folder / "values.pickle").write_bytes(pickle.dumps(dataset.value, protocol=4))
                trial = _Stream(case, folder, watchdog, time_limit_s)
                yield trial.streamed(told, schema.as_data(), target_bytes, memory_limit_bytes, len(dataset.value))
    finally:
        watchdog.close()


class _Stream:
    """One case, its file and its processes."""

    def __init__(self, case: Case, folder: Path, watchdog: Watchdog, seconds: float) -> None:
        self.case, self.folder, self.watchdog, self.seconds = case, folder, watchdog, seconds

    def streamed(self, told: Streamed, spec: object, target: int, memory: int, items: int) -> Streamed:
        """What came of it."""
        if self.case.absent is not None:
            return replace(told, status="unavailable", reason=self.case.absent)
        if self.case.reason is not None:
            return replace(told, reason=self.case.reason)
        if "stream" not in self.case.operations:
            return replace(told, reason=self.case.cannot.get("stream", "the codec reads no stream of records"))
        source, file = self.folder / "streamed.py", self.folder / "records"
        source.write_text(self.case.source, encoding="utf-8")
        asked = {"weigher": str(WEIGHER), "module": "streamed", "path": str(source), "file": str(file)}
        try:
            with self._process(0) as process:
                process.ask("add_data", name="values", spec=spec, values=str(self.folder / "values.pickle"))
                written = process.ask("weigh", what="write_stream", data="values", target=target, **asked)
            with self._process(memory) as process:
                read = process.ask("weigh", what="read_stream", **asked)
        except Fault as fault:
            return replace(told, status=fault.status, reason=fault.reason)
        records = written["rounds"] * items
        if read["records"] != records:
            return replace(told, status="failed", reason=f"{records} records were written and {read['records']} read")
        return replace(
            told,
            status="ok",
            records=records,
            size_bytes=written["size_bytes"],
            written_per_s=records / written["cpu_ns"] * 1e9,
            read_per_s=records / read["cpu_ns"] * 1e9,
            peak_bytes=read["peak_bytes"],
        )

    def _process(self, memory: int) -> Process:
        return Process(main_environment().python, self.watchdog, self.folder, self.seconds, memory).start()
