"""Files of many records one after the other: written and read in processes with less memory than the file is long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from serbench.measure.sessions.files import write_module
from serbench.measure.sessions.session import WEIGHER, Fault, RequestLimits, Watchdog, WorkerSession
from serbench.model.data.dataset import Dataset
from serbench.model.types import List
from serbench.render.case import Case
from serbench.render.codec import Codec
from serbench.render.environments.caretaker import scratch_folder
from serbench.render.environments.environment import main_environment
from serbench.render.library import Library
from serbench.render.rendering import render


@dataclass(frozen=True)
class Streamed:
    """One case's file: how fast records were written and read, and the most memory that reading took.

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
    root = dataset.schema.root
    with Watchdog() as watchdog:
        for library, variant, codec in pairs:
            streamed = Streamed(library.name, variant, codec.name, codec.format, "unsupported")
            if not isinstance(root, List) or not dataset.value:
                yield replace(streamed, reason=f"{dataset.name} is one record; a stream is made of the items of a list")
                continue
            item = replace(dataset, schema=replace(dataset.schema, root=root.item))
            case = render(library, variant, codec, item.schema, beside=("stream",))
            if case.absent is not None:
                yield replace(streamed, status="unavailable", reason=case.absent)
            elif case.reason is not None or "stream" not in case.operations:
                lacking = case.cannot.get("stream", "the codec reads no stream of records")
                yield replace(streamed, reason=case.reason or lacking)
            else:
                with scratch_folder() as scratch:
                    limits = [RequestLimits(time_limit_s, memory) for memory in (0, memory_limit_bytes)]
                    main = main_environment()
                    sessions = [WorkerSession(main, watchdog, scratch, limit) for limit in limits]
                    try:
                        yield _streamed(streamed, case, item, target_bytes, *sessions)
                    except Fault as fault:
                        yield replace(streamed, status=fault.status, reason=fault.reason)


def _streamed(
    streamed: Streamed, case: Case, item: Dataset, target: int, writing: WorkerSession, reading: WorkerSession
) -> Streamed:
    module = write_module(case, writing.scratch, "streamed")
    asked = {"module": "streamed", "path": module["path"], "file": str(writing.scratch / "records")}
    with writing:
        data = writing.add_value("values", item.schema.as_data(), item.value)
        written = writing.call(WEIGHER, "write_stream", data=data, target=target, **asked)
    with reading:
        read = reading.call(WEIGHER, "read_stream", **asked)
    records = written["rounds"] * len(item.value)
    if read["records"] != records:
        return replace(streamed, status="failed", reason=f"{records} records were written and {read['records']} read")
    return replace(
        streamed,
        status="ok",
        records=records,
        size_bytes=written["size_bytes"],
        written_per_s=records / written["cpu_ns"] * 1e9,
        read_per_s=records / read["cpu_ns"] * 1e9,
        peak_bytes=read["peak_bytes"],
    )
