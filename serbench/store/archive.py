"""Published runs and those of the store, each with its rows, and size grids."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeAlias

from serbench.errors import StoreError, checked, installed_by, parsed
from serbench.judge.leading import undecided
from serbench.judge.rows import NOT_REACHED, Row, by_column, decoding_classes, from_columns
from serbench.judge.waves import SAMPLE
from serbench.machine.files import stamp
from serbench.measure.plan import READING
from serbench.results import Origin, Sample, grouped
from serbench.store.folder import FACTS, RunInfo, StoredRun, check_samples, checked_cell, checked_run, checked_sheet
from serbench.store.opening import default_path
from serbench.store.run import Run
from serbench.store.store import Store, if_readable

SIZE_GRIDS = "size-grids"
"""The folder of all size grids, which has one for each of their conditions, and in it one for each workload."""
ROWS = "rows.json.gz"
SIZES = (1, 5, 20, 100, 500)
DEEPER = (0, 1, 3, 6)
"""Levels beyond a workload's least depth."""


@dataclass(frozen=True)
class Measuring:
    """The facts of a published run besides its rows."""

    gc: Literal["on", "off"] = "on"
    control: Mapping[str, float | None] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def size_grid_folder(data: Path, conditions: str, workload: str) -> Path:
    """The folder of a published size grid."""
    return data / SIZE_GRIDS / conditions / workload


def packed(run: Run) -> bytes:
    """A run's rows and origin, compressed: the same bytes each time."""
    info = run.info
    content = {
        "run": info.id,
        "date": info.started,
        "command": info.command,
        "machine": dict(info.machine),
        "versions": dict(info.versions),
        "gc": str(info.plan.get("gc", "on")),
        "control": run.to_data()["control"],
        "columns": by_column(run.rows),
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return gzip.compress(text.encode(), 9, mtime=0)


def unpacked(content: bytes) -> tuple[Origin, list[Row], Measuring]:
    """The origin of a size grid, its rows, and how they were measured.

    Raises:
        OSError, EOFError, zlib.error, ValueError: the file is damaged or of another form.
    """
    data = parsed(gzip.decompress(content), ROWS)
    info, rows = checked_sheet(data, lambda data: from_columns(data["columns"]), ROWS)
    return info, rows, checked(Measuring, data, ROWS)


PACKAGE = Path(__file__).parents[1]
UserData: TypeAlias = Mapping[str, Any]
"""The arguments of `serbench.run` that name the user's own data: those of `OWN_DATA` that are given."""
USER_DATA = ("payload", "schema", "model", "sample", *READING)


@dataclass(frozen=True, eq=False)
class Sheet:
    """The rows of one run, with their origin; what is worked out from it is kept with it.

    `gc` is the garbage collector's policy while timing, "on" or "off"; `published` tells serbench's own
    results from those of the user's store; `own` is the user's data that was measured, see `own_data`. `undecided` is
    what `judge.leading.undecided` says of a run in progress, and None of others.
    """

    info: Origin
    rows: list[Row]
    control: Mapping[str, Any]
    gc: str
    published: bool = False
    user_data: UserData = field(default_factory=dict)
    warnings: Sequence[str] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None  # of a published run, which has its sources
    undecided: tuple[int, int] | None = None

    @classmethod
    def of(cls, run: Run, *, running: bool = False) -> Sheet:
        """A run of the user's, finished or not; of one in progress the rows that it has reached."""
        plan = run.info.plan
        rows = [row for row in run.rows if row.reason != NOT_REACHED] if running else run.rows
        user_data, gc = user_data_of(plan), str(plan.get("gc", "on"))
        left = undecided(run.rows) if running else None
        return cls(run.info, rows, run.control, gc, False, user_data, run.warnings, run.sources, undecided=left)

    def source(self, sha256: str) -> str | None:
        """The measured module with this sha256; None if it is not kept with the run."""
        return (self.sources or (published_sources(self.folder) if self.folder else {})).get(sha256)

    @cached_property
    def of_data(self) -> dict[tuple[str, int], Sheet]:
        """Workload and seed → the sheet with their rows alone, without the code."""
        groups = grouped(self.rows, lambda row: (row.workload, row.seed))
        return {data: replace(self, rows=rows, sources={}) for data, rows in groups.items()}

    @cached_property
    def points(self) -> set[tuple[str, str, int, int]]:
        """Workload, conditions, records and depth of everything that was measured."""
        return {(row.workload, row.conditions, row.records, row.depth) for row in self.rows if row.measured}

    @cached_property
    def decoding(self) -> dict[int, str]:
        """The `id` of each row → the work class of its case's decoding."""
        return dict(zip(map(id, self.rows), decoding_classes(self.rows), strict=True))


def resources(name: str) -> Path:
    """A folder that travels with serbench ("data", "notebooks"): in the wheel, or beside the package in a checkout."""
    inside = PACKAGE / "_share" / name
    return inside if inside.is_dir() else PACKAGE.parent / name


def published(folder: Path | None = None) -> list[Sheet]:
    """The published results, newest first; other files are left out."""
    sheets = []
    for path in sorted((folder or resources("data")).rglob("results.json")):
        try:
            data = parsed(path.read_text(encoding="utf-8"), path.name)
            info, rows = checked_sheet(data, lambda data: map(Row.from_data, data["rows"]), path.name)
            beside = checked(Measuring, data, path.name)
        except (OSError, ValueError):
            continue
        off = any(text.startswith("garbage collector: off") for text in beside.warnings)
        gc = "off" if off else "on"
        made = Sheet(info, rows, beside.control, gc, published=True, warnings=beside.warnings, folder=path.parent)
        sheets.append(made)
    return sorted(sheets, key=lambda sheet: sheet.info.started, reverse=True)


def read_size_grid(path: Path) -> Sheet | None:
    """The published size grid in that file; None if there is none, or it is damaged."""
    try:
        info, rows, facts = unpacked(path.read_bytes())
        return Sheet(info, rows, facts.control, facts.gc, published=True, folder=path.parent)
    except (OSError, EOFError, zlib.error, ValueError):
        return None


def user_data_of(plan: Mapping[str, Any]) -> UserData:
    """Return what of a plan names the user's own data; nothing if it measures generated data."""
    named = {name: plan[name] for name in USER_DATA if plan.get(name)}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in named.items()}


@cache
def published_sources(folder: Path) -> Mapping[str, str]:
    """The measured modules of a published run by the sha256 of their text; none if they cannot be read."""
    try:
        import pyarrow.parquet as pq

        table = pq.read_table(folder / "sources.parquet")
        return dict(zip(table["sha256"].to_pylist(), table["text"].to_pylist(), strict=True))
    except (ImportError, OSError, KeyError, ValueError, NotImplementedError):
        return {}


def state_of(store: Path) -> tuple[int, ...]:
    """Return what tells one content of a store from another: when its parts changed last, and their sizes."""
    return *stamp(store), *stamp(store.with_name(f"{store.name}-wal"))  # what is new stands in the second first


def files_key(run: str) -> str:
    """The store's fact with the sha256 of each file of the user's when a run began."""
    return f"files of {run}"


@lru_cache(64)
def digest_of(path: str, _changed: tuple[int, int]) -> str:
    """The sha256 of a file; empty if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _measured_again(runs: Iterable[RunInfo]) -> set[str]:
    """The ids of those runs, newest first, of which a newer one has all: the same plan, versions and machine."""
    whole, again = set[str](), set[str]()
    for run in runs:
        same = json.dumps((run.plan, run.cells, dict(run.versions), dict(run.machine)), sort_keys=True)
        if same in whole:
            again.add(run.id)
        elif run.waves and run.status == "finished":
            whole.add(same)
    return again


def _newness(sheet: Sheet) -> tuple[bool, str]:
    """What orders sheets: the published ones come last, and of either kind the oldest."""
    return not sheet.published, sheet.info.started


class Archive:
    """Published results at once, and the store's runs as they are asked for, newest first.

    A run of generated data that was measured again is not read, if the newer one has everything that it has.

    Args:
        store: the file with the runs; default: the usual one. If it is missing, there are only published results.
    """

    def __init__(self, store: str | Path | None = None, sheets: Iterable[Sheet] | None = None) -> None:
        self.store = Path(store) if store is not None else default_path()
        self.sheets = list(published() if sheets is None else sheets)
        self.running: Sheet | None = None
        self._data = resources("data") if sheets is None else None
        self._grids_read: set[tuple[str, str]] = set()
        self._files: dict[str, dict[str, str]] = {}  # of a run that has own data: path → sha256 when it began
        self._reading = Lock()
        self._unread: list[tuple[str, UserData, str]] = []
        self._having: dict[tuple[str, int], set[str]] = {}
        self._begun: list[UserData] = []
        self._listed: set[tuple[str, float | None]] = set()
        self._seen: tuple[int, ...] = ()
        self.look_again()

    def look_again(self) -> None:
        """List the runs that have come into the store since it was listed, and those that may have more rows: going on, or resumed."""
        seen = state_of(self.store)
        if seen == self._seen:
            return
        self._seen = seen
        stored = [(run, user_data_of(run.plan)) for run in if_readable(self.store, Store.runs) or ()]
        again = _measured_again(run for run, user_data in stored if not user_data)
        new = [(run, user_data) for run, user_data in stored if run.waves and (run.id, run.seconds) not in self._listed]
        listed = [(run.id, user_data, run.started) for run, user_data in new if run.id not in again]
        with self._reading:
            self._unread = [*listed, *(one for one in self._unread if one not in listed)]
            self._begun = [user_data for _, user_data in stored]
            self._listed = {(run.id, run.seconds) for run, _ in stored if run.finished}
            self._having = {}

    def read_next(
        self, user_data: UserData | None = None, workload_and_seed: tuple[str, int] | None = None
    ) -> Sheet | None:
        """Read the newest stored run (of this data of the user's, with this workload and seed) that has not been read yet; None if there is none."""
        having = self._runs_of(*workload_and_seed) if workload_and_seed else None
        while True:
            with self._reading:
                asked = (one for one in self._unread if user_data in (None, one[1]))
                newest = next((one for one in asked if having is None or one[0] in having), None)
                if newest is None:
                    return None
                self._unread.remove(newest)
            if run := self._run(newest[0]):
                return self.add(Sheet.of(run))

    def _runs_of(self, workload: str, seed: int) -> set[str]:
        """The ids of the stored runs with this workload and seed, which are looked up once."""
        data = workload, seed
        if data not in self._having:
            self._having[data] = if_readable(self.store, lambda opened: opened.having(*data)) or set()
        return self._having[data]

    def read_size_grid(self, workload: str, conditions: str) -> None:
        """Read the published size grid of a workload, if there is one and it has not been read yet."""
        if self._data is None or (workload, conditions) in self._grids_read:
            return
        self._grids_read.add((workload, conditions))
        sheet = read_size_grid(size_grid_folder(self._data, conditions, workload) / ROWS)
        if sheet is not None:
            self.add(sheet)

    def take(self, sheet: Sheet, *, running: bool) -> None:
        """A run of which a part has been measured, or the whole."""
        self.running = sheet if running else None
        if not running:
            self.add(sheet)

    def read_again(self, run: str) -> Run | None:
        """Return a run of the store as it is now, which another process measures or has measured; None if it cannot be read."""
        with self._reading:
            self._unread = [one for one in self._unread if one[0] != run]
        return self._run(run)

    def _run(self, name: str) -> Run | None:
        return if_readable(self.store, lambda opened: Run.from_store(opened.load(name), self.store))

    def add(self, sheet: Sheet) -> Sheet:
        """A run that was measured or read; the newest comes first."""
        with self._reading:  # a thread reads older runs meanwhile
            others = [other for other in self.sheets if other.info.id != sheet.info.id]
            place = bisect_left(others, True, key=lambda other: _newness(other) < _newness(sheet))
            self.sheets = [*others[:place], sheet, *others[place:]]
        return sheet

    def __iter__(self) -> Iterator[Sheet]:
        """The run in progress, then the user's runs and then published ones, newest first."""
        return iter([*([self.running] if self.running else []), *self.sheets])

    def of(self, user_data: UserData) -> list[Sheet]:
        """The runs of this data of the user's, whose files are as they were, or if there is none, of generated data."""
        return [sheet for sheet in self if sheet.user_data == user_data and self._has_its_files(sheet)]

    def _has_its_files(self, sheet: Sheet) -> bool:
        """Return whether the user's files are as they were when the run began; a file that is gone counts as unchanged."""
        if not sheet.user_data:
            return True
        name = sheet.info.id
        if name not in self._files:
            known = if_readable(self.store, lambda opened: opened.fact(files_key(name), dict[str, str]) or {})
            if known is None:
                return True
            self._files[name] = known
        return all(digest_of(path, stamp(Path(path))) in ("", then) for path, then in self._files[name].items())

    def source(self, sha256: str) -> str | None:
        """The measured module with this sha256; None if no run has it."""
        having = (sheet for sheet in self if any(row.source_sha256 == sha256 for row in sheet.rows))
        known = next(filter(None, (sheet.source(sha256) for sheet in having)), None)
        return known or if_readable(self.store, lambda opened: opened.source(sha256))

    def user_data(self) -> list[UserData]:
        """All data of the user's of which there are runs, that of the newest run first; last if nothing of it was measured."""
        with self._reading:
            dated = [(sheet.info.started, sheet.user_data) for sheet in self.sheets]
            dated += [(started, user_data) for _, user_data, started in self._unread]
        newest = (user_data for _, user_data in sorted(dated, key=itemgetter(0), reverse=True))
        every = [*([self.running.user_data] if self.running else []), *newest, *self._begun]
        return [one for number, one in enumerate(every) if one and one not in every[:number]]


def read_run(folder: Path) -> StoredRun:
    """The run that `as_files` gives.

    Raises:
        StoreError: the folder holds none, or one of its files is damaged, or pyarrow is not installed.
    """
    try:
        import numpy as np
        import pyarrow.parquet as pq

        info = checked_run(parsed((folder / FACTS).read_text(encoding="utf-8"), FACTS), FACTS)
        cells = [checked_cell(row, "cells.parquet:") for row in pq.read_table(folder / "cells.parquet").to_pylist()]
        table = pq.read_table(folder / "samples.parquet")
        samples = np.empty(table.num_rows, SAMPLE)
        for name in Sample._fields:
            samples[name] = table[name].to_numpy()
        table = pq.read_table(folder / "sources.parquet")
        texts = dict(zip(table["sha256"].to_pylist(), table["text"].to_pylist(), strict=True))
        sources = checked(dict[str, str], texts, "sources.parquet")
        check_samples(samples)
    except ImportError:
        raise StoreError(f"published runs are Parquet, which needs pyarrow: {installed_by('report')}") from None
    except (OSError, ValueError, TypeError, KeyError, NotImplementedError) as error:
        why = " ".join(str(error).split())
        raise StoreError(f"{folder} has no readable run ({why}); `serbench report` writes one") from None
    return StoredRun(info, cells, samples, sources)
