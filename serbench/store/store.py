"""The file that keeps every run: append-only, so that nothing measured is ever lost to a later fault."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from serbench.engine.results import Cell, Point, Sample
from serbench.store.errors import StoreError, explained
from serbench.store.migrate import check, migrate, steps
from serbench.store.opening import default_path, open_for_reading, open_for_writing
from serbench.store.runs import RunInfo, RunStatus, StoredRun

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POINT = ("workload", "records", "depth", "seed")
CELL = (
    *("id", "library", "variant", "codec", "format", "operation", "environment", "version", "control", "reference"),
    *("status", "reason", "work_class", "loops", "size_bytes", "size_gzip_bytes", "size_zstd_bytes", "source_sha256"),
    *("python", "warmup_ns", "gzip_ns", "gunzip_ns", "zstd_ns", "unzstd_ns", "machine"),
)
FLAGS = ("control", "reference")
SUMMARY = """
    SELECT id, started, finished, status, command, plan, machine, versions, serbench, warnings, seconds,
           machines,
           (SELECT count(*) FROM cell WHERE cell.run = run.number) AS cells,
           -- the least and the greatest by themselves: each is one look into the index
           coalesce((SELECT max(wave) FROM sample WHERE sample.run = run.number)
                    - (SELECT min(wave) FROM sample WHERE sample.run = run.number) + 1, 0) AS waves
    FROM run
"""


class Store:
    """An open store. Use it as a context manager, in one thread; several processes may hold one file open.

    Args:
        path: the file, made with its folder where it is missing; `default_path()` without.
        read_only: never write, and find a file that is there; for published runs and read-only folders.
        timeout: seconds to wait for another process's lock.

    Raises:
        StoreError: from every method, in one line: the file cannot be opened, is locked, is not a store, …
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, read_only: bool = False, timeout: float = 5.0
    ) -> None:
        self.path = Path(path) if path is not None else default_path()
        self.serbench = own_version()
        with explained(self.path):
            self.connection = (
                open_for_reading(self.path, timeout) if read_only else open_for_writing(self.path, timeout)
            )
            try:
                if read_only:
                    self._refuse_older(max(steps()))
                else:
                    migrate(self.connection, self.path, self.serbench)
            except BaseException:
                self.connection.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; what was committed stays."""
        self.connection.close()

    def begin(
        self, *, command: str, plan: Any, machine: Mapping[str, Any], versions: Mapping[str, Any] | None = None
    ) -> str:
        """A new run in status "running"; gives its id, `YYYYMMDD-HHMMSS-xxxx` in UTC."""
        now = datetime.now(UTC)
        name = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        row = (name, _iso(now), "running", command, _json(plan), _json(machine), _json(versions or {}), self.serbench)
        with self.transaction():
            self.connection.execute(
                "INSERT INTO run (id, started, status, command, plan, machine, versions, serbench)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
        return name

    def reopen(self, run: str) -> None:
        """Marks an unfinished run as running again."""
        with self.transaction():
            self.connection.execute(
                "UPDATE run SET status = 'running', finished = NULL WHERE number = ?", (self._number(run),)
            )

    def finish(
        self,
        run: str,
        *,
        status: RunStatus = "finished",
        warnings: Sequence[str] = (),
        seconds: float | None = None,
        versions: Mapping[str, Any] | None = None,
    ) -> None:
        """Ends a run, or interrupts it. `versions` replaces those known at its beginning."""
        with self.transaction():
            self.connection.execute(
                "UPDATE run SET status = ?, finished = ?, warnings = ?, seconds = ?, versions = coalesce(?, versions)"
                " WHERE number = ?",
                (
                    *(status, _iso(datetime.now(UTC)), _json(list(warnings)), seconds),
                    None if versions is None else _json(versions),
                    self._number(run),
                ),
            )

    def put_cells(self, run: str, cells: Iterable[Cell]) -> None:
        """Adds cells, or replaces those with the same ids."""
        with self.transaction():
            self._add_cells(self._number(run), cells)

    def _add_cells(self, number: int, cells: Iterable[Cell]) -> None:
        columns = (*POINT, *CELL)
        self.connection.executemany(
            f"INSERT OR REPLACE INTO cell (run, {', '.join(columns)})"  # noqa: S608 (names of ours)
            f" VALUES (?{', ?' * len(columns)})",
            (
                (number, *(getattr(cell.point, name) for name in POINT), *(getattr(cell, name) for name in CELL))
                for cell in cells
            ),
        )

    def add_samples(self, run: str, samples: Iterable[Sample]) -> None:
        """Appends samples in one transaction: all of them, or none.

        Raises:
            StoreError: a sample of the same cell, wave, visit and round is there already.
        """
        try:
            with self.transaction():
                self._add_samples(self._number(run), samples)
        except sqlite3.IntegrityError as error:
            raise StoreError(f"run {run} in {self.path} has these samples already ({error})") from error

    def _add_samples(self, number: int, samples: Iterable[Sample]) -> None:
        self.connection.executemany(
            "INSERT INTO sample (run, cell, wave, visit, round, cpu_ns, wall_ns, process_ns, switches)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((number, *sample) for sample in samples),
        )

    def put_part(
        self,
        run: str,
        key: str,
        *,
        cells: Sequence[Cell],
        samples: Sequence[Sample],
        sources: Mapping[str, str],
        host: str,
        machine: Mapping[str, Any],
    ) -> None:
        """Keeps a block that a machine has measured, with its facts, or nothing; `key` is remembered as done."""
        with self.transaction():
            number = self._number(run)
            known = json.loads(self._value("SELECT machines FROM run WHERE id = ?", run) or "{}")
            self.connection.execute(
                "UPDATE run SET machines = ? WHERE number = ?", (_json({**known, host: machine}), number)
            )
            self.connection.executemany("INSERT OR IGNORE INTO source VALUES (?, ?)", sources.items())
            self._add_cells(number, cells)
            self._add_samples(number, samples)
            self.connection.execute("INSERT OR REPLACE INTO fact VALUES (?, 'true')", (key,))

    def put_source(self, sha256: str, text: str) -> None:
        """Keeps a rendered source under the sha256 of its text."""
        with self.transaction():
            self.connection.execute("INSERT OR IGNORE INTO source VALUES (?, ?)", (sha256, text))

    def source(self, sha256: str) -> str | None:
        """The source with that sha256, if it was kept."""
        return self._value("SELECT text FROM source WHERE sha256 = ?", sha256)

    def put_fact(self, key: str, value: Any) -> None:
        """Remembers JSON data under a key, in place of what was there."""
        with self.transaction():
            self.connection.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (key, _json(value)))

    def put_facts(self, facts: Mapping[str, Any]) -> None:
        """Remembers several at once."""
        with self.transaction():
            self.connection.executemany(
                "INSERT OR REPLACE INTO fact VALUES (?, ?)", [(key, _json(value)) for key, value in facts.items()]
            )

    def take(self, key: str, value: Any, free: Callable[[Any], bool]) -> bool:
        """Remember a value unless another is there that is not `free`; no other process can come between."""
        with self.transaction():
            held = self.fact(key)
            if held is not None and not free(held):
                return False
            self.connection.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (key, _json(value)))
        return True

    def wait(self, seconds: float) -> None:
        """From now on wait so long for another process's lock."""
        with explained(self.path):
            self.connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

    def facts(self, prefix: str) -> dict[str, Any]:
        """Everything that is remembered under keys that begin so."""
        with explained(self.path):
            rows = self.connection.execute(
                "SELECT key, value FROM fact WHERE substr(key, 1, ?) = ?", (len(prefix), prefix)
            )
            return {key: json.loads(value) for key, value in rows}

    def fact(self, key: str) -> Any:
        """What was remembered under the key; None where nothing was."""
        text = self._value("SELECT value FROM fact WHERE key = ?", key)
        return None if text is None else json.loads(text)

    def runs(self) -> list[RunInfo]:
        """All runs, newest first."""
        with explained(self.path):
            return [_info(row) for row in self.connection.execute(f"{SUMMARY} ORDER BY number DESC")]

    def unfinished(self, plan: Any = None) -> list[RunInfo]:
        """Runs that have not ended (those of a process still at work as well), newest first, of one plan or of all."""
        wanted = None if plan is None else json.loads(_json(plan))
        return [run for run in self.runs() if run.status != "finished" and (wanted is None or run.plan == wanted)]

    def load(self, run: str = "latest") -> StoredRun:
        """A run with its cells and samples, by its id, the beginning of it, or "latest".

        Raises:
            StoreError: no run, or more than one, answers to that name.
        """
        name = self._resolve(run)
        with explained(self.path):
            number = self._number(name)
            info = _info(self.connection.execute(f"{SUMMARY} WHERE number = ?", (number,)).fetchone())
            cells = self.connection.execute(
                f"SELECT {', '.join((*POINT, *CELL))} FROM cell WHERE run = ? ORDER BY id",  # noqa: S608 (as above)
                (number,),
            )
            sources = self.connection.execute(
                "SELECT sha256, text FROM source WHERE sha256 IN (SELECT source_sha256 FROM cell WHERE run = ?)"
                " ORDER BY sha256",
                (number,),
            )
            return StoredRun(info, [_cell(row) for row in cells], self._samples(number), dict(map(tuple, sources)))

    def _samples(self, number: int) -> NDArray[np.void]:
        import numpy as np

        rows = self.connection.cursor()
        rows.row_factory = None
        rows.execute(
            f"SELECT {', '.join(Sample._fields)} FROM sample WHERE run = ?",  # noqa: S608 (as above)
            (number,),
        )
        flat = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
        return flat.view([(name, np.int64) for name in Sample._fields])

    def _resolve(self, run: str) -> str:
        with explained(self.path):
            names = [row[0] for row in self.connection.execute("SELECT id FROM run ORDER BY number")]
        if not names:
            raise StoreError(f"{self.path} holds no run yet; measure one with `serbench run`")
        if run == "latest":
            return str(names[-1])
        found = [name for name in names if name == run] or [name for name in names if name.startswith(run)]
        if len(found) == 1 and run:
            return str(found[0])
        problem = f"{len(found)} runs begin with" if found else "no run has the id"
        raise StoreError(f"{problem} {run!r} in {self.path}; see `serbench list runs`")

    def _number(self, run: str) -> int:
        row = self.connection.execute("SELECT number FROM run WHERE id = ?", (run,)).fetchone()
        if row is None:
            raise StoreError(f"no run has the id {run!r} in {self.path}; see `serbench list runs`")
        return int(row[0])

    def _value(self, query: str, key: str) -> str | None:
        with explained(self.path):
            row = self.connection.execute(query, (key,)).fetchone()
        return None if row is None else str(row[0])

    def _refuse_older(self, newest: int) -> None:
        if not check(self.connection, self.path, newest):
            raise StoreError(f"{self.path} is older than this serbench and must be migrated; open it once for writing")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction that takes the write lock at once, so that it never fails half-way for a lock."""
        with explained(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                # SQLite has rolled back already where the disk is full; the first error is the one to tell.
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")
                raise


def _info(row: sqlite3.Row) -> RunInfo:
    fields = dict(row)
    for name in ("plan", "machine", "versions", "warnings", "machines"):
        fields[name] = json.loads(fields[name])
    return RunInfo(**fields)


def _cell(row: sqlite3.Row) -> Cell:
    fields: dict[str, Any] = dict(row)
    point = Point(**{name: fields.pop(name) for name in POINT})
    fields |= {name: bool(fields[name]) for name in FLAGS}
    return Cell(point=point, **fields)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def own_version() -> str:
    """The version of serbench that is installed here; "unknown" where none is."""
    try:
        return metadata.version("serbench")
    except metadata.PackageNotFoundError:
        return "unknown"
