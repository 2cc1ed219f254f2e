"""Files of many records, written and read one by one, in processes that may be lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from serbench.judge.outcomes import REST_IGNORED
from serbench.machine.caretaker import scratch_folder
from serbench.measure.plan import without_rest
from serbench.measure.session import FILES, WEIGHER, Fault, RequestLimits, Watchdog, WorkerSession, write_module
from serbench.model.data.dataset import Dataset
from serbench.model.records import List, Schema
from serbench.render.case import Case, render
from serbench.render.codec import Codec
from serbench.render.environments import main_environment
from serbench.render.library import Library

HEAD_BYTES = 8 << 20  # of a file of the user's: the part by which it is described and proven


@dataclass(frozen=True)
class Streamed:
    """One case's file: how fast records were written and read, and the most memory that reading took.

    Times are CPU time, opening and reading the file included. `status` is "ok", or that of a case that could
    not do it, with its `reason`. A file of the user's is not written; `ignores` says if a part of its fields is read.
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
    ignores: str | None = None


@dataclass(frozen=True)
class Lines:
    """A JSON Lines file of the user's, and another with its first lines."""

    path: Path
    head: Path

    @classmethod
    def of(cls, path: Path, folder: Path) -> Lines:
        """The file, with its first lines in a folder."""
        head = folder / path.name
        with path.open("rb") as file:
            text = file.read(HEAD_BYTES)
        head.write_bytes(text if len(text) < HEAD_BYTES else text[: text.rfind(b"\n") + 1] or text)
        return cls(path, head)

    def count(self) -> int:
        """The number of records."""
        with self.path.open("rb") as file:
            return sum(1 for _ in filter(bytes.strip, file))


def streams(
    pairs: Iterable[tuple[Library, str, Codec]],
    dataset: Dataset,
    target_bytes: int,
    memory_limit_bytes: int,
    time_limit_s: float,
    lines: Lines | None = None,
) -> Iterator[Streamed]:
    """Each case with a file of at least so many bytes, made of the data's records over and over.

    Codecs of JSON read the user's `lines` instead, of which the data is the first part. The reading process may have
    `memory_limit_bytes` of address space, and keeps no record.
    """
    part = dataset if dataset.written is None else without_rest(dataset)
    root, expected = part.schema.root, None if lines is None else lines.count()
    with Watchdog() as watchdog:
        for library, variant, codec in pairs:
            streamed = Streamed(library.name, variant, codec.name, codec.format, "unsupported", records=expected)
            if not isinstance(root, List) or not dataset.value:
                yield replace(streamed, reason=f"{dataset.name} is one record; a stream is made of the items of a list")
                continue
            item = replace(part, schema=_of_item(part.schema))
            case = render(library, variant, codec, item.schema, beside=("stream",))
            reads_lines = lines is not None and codec.format == "json"
            if case.absent is not None:
                yield replace(streamed, status="unavailable", reason=case.absent)
            elif case.reason is not None or "stream" not in case.operations:
                lacking = case.cannot.get("stream", "the codec reads no stream of records")
                yield replace(streamed, reason=case.reason or lacking)
            elif not reads_lines and "encode" not in case.operations:
                yield replace(streamed, reason=f"{case.cannot['encode']}; it can read your own JSON Lines file")
            else:
                with scratch_folder() as scratch:
                    limits = [RequestLimits(time_limit_s, memory) for memory in (0, memory_limit_bytes)]
                    main = main_environment()
                    sessions = [WorkerSession(main, watchdog, scratch, limit) for limit in limits]
                    try:
                        if reads_lines:
                            assert lines is not None
                            whole = dataset.written and _of_item(dataset.written)
                            proof = replace(item, value=dataset.value, written=whole)
                            yield _read(streamed, case, proof, lines, *sessions)
                        else:
                            yield _streamed(streamed, case, item, target_bytes, *sessions)
                    except Fault as fault:
                        yield replace(streamed, status=fault.status, reason=fault.reason)


def _streamed(
    streamed: Streamed, case: Case, item: Dataset, target: int, writing: WorkerSession, reading: WorkerSession
) -> Streamed:
    module = write_module(case, writing.scratch, "streamed")
    asked = {"module": "streamed", "path": module["path"], "file": str(writing.scratch / "records")}
    user = module.get("user")
    with writing:
        data = writing.add_value("values", item.schema.as_data(), item.value)
        written = writing.call(FILES, "write_stream", data=data, target=target, user=user, **asked)
    records = written["rounds"] * len(item.value)
    done = replace(
        streamed,
        records=records,
        size_bytes=written["size_bytes"],
        written_per_s=records / written["cpu_ns"] * 1e9,
    )
    return _timed(done, asked, reading)


def _of_item(schema: Schema) -> Schema:
    assert isinstance(schema.root, List)
    return Schema(schema.root.item, schema.records)


def _read(
    streamed: Streamed, case: Case, item: Dataset, lines: Lines, proving: WorkerSession, reading: WorkerSession
) -> Streamed:
    """Read the user's file, after the first part of it was read and compared with the data."""
    module = write_module(case, proving.scratch, "streamed")
    asked = {"module": "streamed", "path": module["path"]}
    with proving:
        data = proving.add_value("values", item.spec, item.value)
        file, user = str(lines.head), module.get("user")
        proven = proving.call(FILES, "prove_stream", data=data, user=user, file=file, **asked)
    ignores = None if item.written is None or proven["everything"] else REST_IGNORED
    done = replace(streamed, ignores=ignores, size_bytes=lines.path.stat().st_size)
    return _timed(done, {**asked, "file": str(lines.path)}, reading)


def _timed(streamed: Streamed, asked: Mapping[str, object], reading: WorkerSession) -> Streamed:
    with reading:
        read = reading.call(WEIGHER, "read_stream", **asked)
    assert streamed.records is not None
    if read["records"] != streamed.records:
        return replace(
            streamed, status="failed", reason=f"{streamed.records} records were written and {read['records']} read"
        )
    return replace(
        streamed,
        status="ok",
        read_per_s=streamed.records / read["cpu_ns"] * 1e9,
        peak_bytes=read["peak_bytes"],
    )
