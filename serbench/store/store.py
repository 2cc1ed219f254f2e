"""The SQLite file that keeps every run and weighing; it is append-only, so no later fault loses a measurement."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from serbench.errors import StoreError, WrongDataError, checked, parsed, visible
from serbench.judge.outcomes import COLUMNS, Weight
from serbench.judge.waves import SAMPLE
from serbench.machine.platform import now
from serbench.results import CELL_COLUMNS, Cell, Origin, Sample
from serbench.store.folder import (
    RunInfo,
    RunLine,
    RunStatus,
    StoredRun,
    check_plan,
    check_samples,
    checked_cell,
    checked_run,
    shown,
)
from serbench.store.opening import (
    copied,
    default_path,
    explained,
    file_identity,
    installed_version,
    is_current,
    keep_private,
    migrate,
    open_for_reading,
    open_for_writing,
    steps,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Found = TypeVar("Found")
FLAGS = [field.name for field in fields(Cell) if field.type == "bool"]
_DIGITS = str.maketrans({"-": None, ":": None, "T": "-"})
SOURCE, FACT = ("sha256", "text"), ("key", "value")
JSON = ("plan", "machine", "versions", "warnings", "machines")
_COUNTS = """
           (SELECT count(*) FROM cell WHERE cell.run = run.number) AS cells,
           -- the least and the greatest by themselves: each is one look into the index
           coalesce((SELECT max(wave) FROM sample WHERE sample.run = run.number)
                    - (SELECT min(wave) FROM sample WHERE sample.run = run.number) + 1, 0) AS waves
"""
SUMMARY = f"""
    SELECT id, started, finished, status, command, plan, machine, versions, serbench, warnings, seconds,
           machines, (SELECT value FROM fact WHERE key = 'budget ended ' || run.id) AS by_budget, {_COUNTS} FROM run
"""  # noqa: S608  # texts of ours
LINES = f"SELECT id AS run, started AS date, status, {_COUNTS}, command FROM run ORDER BY number DESC"  # noqa: S608 (as above)


NAMED = {"latest": 1, "previous": 2}
"""Words for runs and weighings, by their place from the end."""
MADE = {"run": "measure one with `serbench run`", "weighing": "make one with `serbench weigh`"}
FOUND = {
    "run": "see `serbench show runs`",
    "weighing": "`serbench weigh --stored latest --json` tells the newest one's",
}


class Store:
    """An open store. Use it as a context manager, in one thread; several processes may hold one file open.

    Args:
        path: the file, made with its folder if missing; default: `default_path()`.
        read_only: never write, and require an existing file; for published runs and read-only folders.
        timeout: seconds to wait for another process's lock.

    Attributes:
        path: the file.

    Raises:
        StoreError: from every method, in one line: the file cannot be opened, is locked, is not a store, …
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, read_only: bool = False, timeout: float = 5.0
    ) -> None:
        self.path = Path(path) if path is not None else default_path()
        self.serbench = installed_version()
        with explained(self.path):
            self.connection = (
                open_for_reading(self.path, timeout) if read_only else open_for_writing(self.path, timeout)
            )
            try:
                if not read_only:
                    migrate(self.connection, self.path, self.serbench)
                elif not is_current(self.connection, self.path, max(steps())):
                    self.connection = copied(self.connection)
                    migrate(self.connection, self.path, self.serbench)
            except BaseException:
                self.connection.close()
                raise
        self._file = None if read_only else file_identity(self.path)
        if not read_only or self.path == default_path():
            keep_private(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; everything committed is kept."""
        self.connection.close()

    def begin(
        self, *, command: str, plan: Any, machine: Mapping[str, Any], versions: Mapping[str, Any] | None = None
    ) -> str:
        """A new run in status "running"; gives its id, `YYYYMMDD-HHMMSS-xxxx` in UTC."""
        return self.add_entry(
            "run", command, {"plan": plan, "machine": machine, "versions": versions or {}}, status="running"
        )

    def reopen(self, run: str) -> None:
        """Mark an unfinished run as running again."""
        with self.transaction():
            self.connection.execute(
                "UPDATE run SET status = 'running', finished = NULL WHERE number = ?", (self._number(run),)
            )
            self.put_facts({_budget_key(run): False})

    def finish(
        self,
        run: str,
        *,
        status: RunStatus = "finished",
        warnings: Sequence[str] = (),
        seconds: float | None = None,
        by_budget: bool = False,
    ) -> None:
        """End a run, or interrupt it, if `by_budget` because its budget is used up."""
        with self.transaction():
            self.connection.execute(
                "UPDATE run SET status = ?, finished = ?, warnings = ?, seconds = ? WHERE number = ?",
                (status, now(), as_json(list(warnings)), seconds, self._number(run)),
            )
            self.put_facts({_budget_key(run): by_budget})

    def add_entry(self, table: str, command: str, facts: Mapping[str, Any], **columns: str) -> str:
        """A new run or weighing, with JSON data in the columns of `facts`; gives its id."""
        started, said = now(), visible(command, lines=True)
        with self.transaction():
            names = (f"{started[:19].translate(_DIGITS)}-{secrets.token_hex(size)}" for size in count(2))
            taken = f"SELECT 1 FROM {table} WHERE id = ?"  # noqa: S608 (a name of ours)
            name = next(one for one in names if not self.connection.execute(taken, (one,)).fetchone())
            row = {"id": name, "started": started, "command": said, "serbench": self.serbench, **columns}
            row |= {column: as_json(value) for column, value in facts.items()}
            self.insert(table, row, [tuple(row.values())])
        return name

    def insert(self, table: str, columns: Collection[str], rows: Iterable[Sequence[Any]], instead: str = "") -> None:
        """Add rows to a table, all or none; `instead` of a row that is there already: "OR REPLACE"."""
        with self.transaction():
            self.connection.executemany(
                f"INSERT {instead} INTO {table} ({', '.join(columns)})"  # noqa: S608 (names of ours)
                f" VALUES ({', '.join('?' * len(columns))})",
                rows,
            )

    def put_cells(self, run: str, cells: Sequence[Cell]) -> None:
        """Add cells, or replaces those with the same ids."""
        with self.transaction():
            number = self._number(run)
            rows = ((number, *(getattr(cell, name) for name in CELL_COLUMNS)) for cell in cells)
            self.insert("cell", ("run", *CELL_COLUMNS), rows, "OR REPLACE")

    def add_samples(self, run: str, samples: Sequence[Sample]) -> None:
        """Append samples in one transaction: all of them, or none.

        Raises:
            StoreError: a sample of the same cell, wave, visit and round is there already.
        """
        with self.transaction():
            number = self._number(run)
            try:
                self.insert("sample", ("run", *Sample._fields), ((number, *sample) for sample in samples))
            except sqlite3.IntegrityError as error:
                raise StoreError(f"run {run} in {self.path} has these samples already ({error})") from error

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
        """Keep a block that a machine has measured, with its facts, or nothing; `key` is remembered as done.

        Raises:
            StoreError: as `add_samples` does.
        """
        with self.transaction():
            number = self._number(run)
            (known,) = self.connection.execute("SELECT machines FROM run WHERE number = ?", (number,)).fetchone()
            self.connection.execute(
                "UPDATE run SET machines = ? WHERE number = ?", (as_json({**json.loads(known), host: machine}), number)
            )
            self.insert("source", SOURCE, sources.items(), "OR IGNORE")
            self.put_cells(run, cells)
            self.add_samples(run, samples)
            self.put_facts({key: True})

    def put_source(self, sha256: str, text: str) -> None:
        """Keep a rendered source under the sha256 of its text."""
        self.insert("source", SOURCE, [(sha256, text)], "OR IGNORE")

    def put_facts(self, facts: Mapping[str, Any]) -> None:
        """Remember JSON data under keys, replacing old values."""
        self.insert("fact", FACT, [(key, as_json(value)) for key, value in facts.items()], "OR REPLACE")

    def take(self, key: str, value: Any, free: Callable[[Any], bool]) -> bool:
        """Remember a value unless another is there that is not `free`; no other process can come between."""
        with self.transaction():
            held = self.fact(key)
            if held is not None and not free(held):
                return False
            self.put_facts({key: value})
        return True

    def wait(self, seconds: float) -> None:
        """From now on wait so long for another process's lock."""
        with explained(self.path):
            self.connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

    def facts(self, prefix: str) -> dict[str, Any]:
        """All remembered values whose keys have this prefix."""
        rows = self._rows("SELECT key, value FROM fact WHERE substr(key, 1, ?) = ?", len(prefix), prefix)
        with explained(self.path):
            return {key: parsed(value, f"fact {key}") for key, value in rows}

    def fact(self, key: str, kind: Any = Any) -> Any:
        """The value of that type remembered under the key; None if there is none."""
        text = next((value for (value,) in self._rows("SELECT value FROM fact WHERE key = ?", key)), None)
        with explained(self.path):
            return None if text is None else checked(kind, parsed(text, f"fact {key}"), f"fact {key}")

    def runs(self) -> list[RunInfo]:
        """All runs, newest first."""
        with explained(self.path):
            return list(map(_info, self._rows(f"{SUMMARY} ORDER BY number DESC")))

    def lines(self, most: int | None = None) -> list[RunLine]:
        """The newest runs, or all, newest first, as a list shows them: of thousands, reading all facts takes long."""
        rows = self._rows(f"{LINES} LIMIT ?", -1 if most is None else most)
        with explained(self.path):
            return checked(list[RunLine], [shown(dict(row)) for row in rows], "run")

    def count(self) -> int:
        """How many runs there are."""
        return int(self._rows("SELECT count(*) FROM run")[0][0])

    def having(self, workload: str, seed: int) -> set[str]:
        """The ids of the runs with rows of a workload, drawn with this seed."""
        numbers = "SELECT run FROM cell WHERE workload = ? AND seed = ?"
        query = f"SELECT id FROM run WHERE number IN ({numbers})"  # noqa: S608  # a text of ours
        return {name for (name,) in self._rows(query, workload, seed)}

    def source(self, sha256: str) -> str | None:
        """The measured module with this sha256; None if no run has kept it."""
        rows = self._rows("SELECT text FROM source WHERE sha256 = ?", sha256)
        with explained(self.path):
            return next((checked(str, text, "source") for (text,) in rows), None)

    def running(self) -> list[str]:
        """The ids of runs that have begun and not ended, those of processes that were killed as well, newest first."""
        return [name for (name,) in self._rows("SELECT id FROM run WHERE status = 'running' ORDER BY number DESC")]

    def unfinished(self) -> list[RunInfo]:
        """Runs that have not ended (those of a process still at work as well), newest first."""
        return [run for run in self.runs() if run.status != "finished"]

    def load(self, run: str = "latest") -> StoredRun:
        """A run with its cells and samples, by its id, the beginning of it, "latest" or "previous".

        Raises:
            StoreError: no run, or more than one, answers to that name.
        """
        name = self.resolve(run)
        with explained(self.path):
            number = self._number(name)
            info = _info(self.connection.execute(f"{SUMMARY} WHERE number = ?", (number,)).fetchone())
            cells = self.connection.execute(
                f"SELECT {', '.join(CELL_COLUMNS)} FROM cell WHERE run = ? ORDER BY id",  # noqa: S608 (as above)
                (number,),
            )
            sources = self.connection.execute(
                "SELECT sha256, text FROM source WHERE sha256 IN (SELECT source_sha256 FROM cell WHERE run = ?)"
                " ORDER BY sha256",
                (number,),
            )
            known = [_cell(row) for row in cells]
            samples = self._samples(number)
            check_samples(samples)
            return StoredRun(info, known, samples, checked(dict[str, str], dict(map(tuple, sources)), "source"))

    def _samples(self, number: int) -> NDArray[np.void]:
        import numpy as np

        rows = self.connection.cursor()
        rows.row_factory = None
        rows.execute(
            f"SELECT {', '.join(Sample._fields)} FROM sample WHERE run = ?",  # noqa: S608 (as above)
            (number,),
        )
        try:
            flat = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
        except (TypeError, ValueError, OverflowError) as error:
            raise WrongDataError(f"sample: {error}") from None
        return flat.view(SAMPLE)

    def resolve(self, wanted: str, table: str = "run") -> str:
        """The id of a run or weighing by this id, the beginning of it, "latest" or "previous".

        Raises:
            StoreError: no row, or more than one, answers to that name.
        """
        of = f"SELECT id FROM {table}"  # noqa: S608 (as above)
        newest = self._rows(f"{of} ORDER BY number DESC LIMIT 2")
        if not newest:
            raise StoreError(f"{self.path} has no {table} yet; {MADE[table]}")
        if wanted in NAMED:
            if len(newest) < NAMED[wanted]:
                raise StoreError(f"{self.path} has only one {table}, so there is no previous one; {FOUND[table]}")
            return str(newest[NAMED[wanted] - 1]["id"])
        text = wanted if wanted.isascii() else ""  # as each id is; SQLite takes no half of a character
        matches = self._rows(f"{of} WHERE id = ?", text) or self._rows(
            f"{of} WHERE substr(id, 1, ?) = ?", len(wanted), text
        )
        if len(matches) == 1 and wanted:
            return str(matches[0]["id"])
        problem = f"{len(matches)} {table}s begin with" if matches else f"no {table} has the id"
        raise StoreError(f"{problem} {wanted!r} in {self.path}; {FOUND[table]}")

    def _number(self, run: str) -> int:
        row = self.connection.execute("SELECT number FROM run WHERE id = ?", (run,)).fetchone()
        if row is None:
            raise StoreError(f"no run has the id {run!r} in {self.path}; see `serbench show runs`")
        return int(row[0])

    def _rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with explained(self.path):
            return self.connection.execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction that takes the write lock at once, so that it never fails half-way for a lock; within another, a part of it.

        Raises:
            StoreError: the file is gone or cannot be written, or another is in its place.
        """
        if self._file is not None and file_identity(self.path) != self._file:
            raise StoreError(f"{self.path} is gone, or is another file now; nothing more can be kept in it")
        if self.connection.in_transaction:
            yield self.connection
            return
        with explained(self.path):
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                # SQLite has rolled back already if the disk is full; the first error is the one to tell.
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")
                raise


def if_readable(path: str | os.PathLike[str] | None, read: Callable[[Store], Found]) -> Found | None:
    """Return what is read of a store; None if it is missing or cannot be read."""
    try:
        with Store(path, read_only=True) as opened:
            return read(opened)
    except StoreError:
        return None


def _budget_key(run: str) -> str:
    return f"budget ended {run}"


def _info(row: sqlite3.Row) -> RunInfo:
    texts = {name: row[name] for name in (*JSON, "by_budget") if row[name] is not None}
    return checked_run(dict(row) | {name: parsed(text, f"run {row['id']}: {name}") for name, text in texts.items()})


def _cell(row: sqlite3.Row) -> Cell:
    flags = {name: bool(row[name]) for name in FLAGS if row[name] in (0, 1)}
    return checked_cell(dict(row) | flags)


def as_json(value: Any) -> str:
    """JSON text, the same for equal data."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


WEIGHING_JSON = ("plan", "machine", "versions")
WEIGHING_HEAD = ("id", "started", "command", *WEIGHING_JSON)


@dataclass(frozen=True)
class StoredWeighing(Origin):
    """A weighing as it was made."""

    plan: Any
    weights: list[Weight] = field(repr=False)


def add_weights(store: Store, weighing: str, weights: Sequence[Weight]) -> None:
    """Append weights: all of them, or none."""
    with store.transaction() as connection:
        (number,) = connection.execute("SELECT number FROM weighing WHERE id = ?", (weighing,)).fetchone()
        facts = [vars(weight) | {"readings": as_json(weight.readings)} for weight in weights]
        store.insert("weight", ("weighing", *COLUMNS), ((number, *(row[name] for name in COLUMNS)) for row in facts))


def load_weighing(store: Store, weighing: str = "latest") -> StoredWeighing:
    """A weighing by its id, the beginning of it, "latest" or "previous".

    Raises:
        StoreError: no weighing, or more than one, answers to that name.
    """
    name = store.resolve(weighing, "weighing")
    with explained(store.path):
        query = f"SELECT number, {', '.join(WEIGHING_HEAD)} FROM weighing WHERE id = ?"  # noqa: S608 (names of ours)
        found = store.connection.execute(query, (name,)).fetchone()
        if found is None:  # its id is no text
            raise StoreError(f"{store.path}: the id of weighing {name} is damaged; name another weighing or store")
        number, *values = found
        head, what = dict(zip(WEIGHING_HEAD, values, strict=True)), f"weighing {name}"
        head |= {name: parsed(head[name], f"{what}: {name}") for name in WEIGHING_JSON}
        check_plan(head["plan"], f"{what}: plan")
        rows = store.connection.execute("SELECT * FROM weight WHERE weighing = ? ORDER BY rowid", (number,))
        weights = [shown(dict(row)) for row in rows]
        readings = [{"readings": parsed(row["readings"], "weight: readings")} for row in weights]
        facts = {"plan": head["plan"], "weights": [row | more for row, more in zip(weights, readings, strict=True)]}
        return checked(StoredWeighing, shown(head) | facts, what)
