"""Finds and opens the store's file, brings it up to its version, and turns its errors into one line each."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from shlex import quote

from serbench.errors import StoreError, WrongDataError
from serbench.machine.files import make_private_folder, restrict

APPLICATION_ID = 0x53455242
"""Marks an SQLite file as a store of serbench ("SERB"), so that no other program's file is written to."""
FIRST = 5
"""The version of schema.sql: that of the last store before it, so that those are read as they are."""
MIGRATIONS = files("serbench.store") / "migrations"


def migrate(connection: sqlite3.Connection, where: Path, version: str, migrations: Traversable = MIGRATIONS) -> None:
    """Applies what the store lacks, one transaction a step; `version` is the serbench that does it.

    Raises:
        StoreError: the file belongs to another program or to a newer serbench, or is not what its version says.
    """
    known = steps(migrations)
    if is_current(connection, where, max(known)):
        return
    for number, (name, script) in known.items():
        connection.execute("BEGIN IMMEDIATE")
        try:
            if _pragma(connection, "user_version") < number:
                for statement in _statements(script):
                    connection.execute(statement)
                connection.execute(
                    "INSERT INTO migration VALUES (?, ?, ?, ?)",
                    (number, name, datetime.now(UTC).isoformat(timespec="seconds"), version),
                )
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:
                reason = f"{where} has other tables than its version {number - 1} says ({error})"
                raise StoreError(f"{reason}; choose another file with --store") from None
            raise


def is_current(connection: sqlite3.Connection, where: Path, newest: int) -> bool:
    """True if the store is at version `newest`; refuses files that this serbench must not touch."""
    version = _pragma(connection, "user_version")
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and _pragma(connection, "application_id") != APPLICATION_ID:
        raise StoreError(f"{where} is an SQLite database of another program; choose another file with --store")
    if connection.execute("SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')").fetchone()[0]:
        raise StoreError(f"{where} has views or triggers, and serbench makes none; choose another file with --store")
    if 0 < version < FIRST:
        what = f"{where} was written by {_writer(connection, 'an earlier serbench')} (store version {version})"
        raise StoreError(
            f"{what}, and this serbench reads versions from {FIRST}; move it away, or choose another with --store"
        )
    if version > newest:
        raise StoreError(
            f"{where} was written by {_writer(connection, 'a newer serbench')} (store version {version}), and this serbench "
            f"knows versions up to {newest}; upgrade with `pip install -U serbench`, or choose another file with --store"
        )
    return version == newest


def steps(migrations: Traversable = MIGRATIONS) -> dict[int, tuple[str, str]]:
    """Name and SQL of each version in order: schema.sql, then the numbered files."""
    steps = {FIRST: ("schema", (files("serbench.store") / "schema.sql").read_text(encoding="utf-8"))}
    for file in sorted(migrations.iterdir(), key=lambda file: file.name):
        if match := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name):
            steps[int(match[1])] = (match[2], file.read_text(encoding="utf-8"))
    if list(steps) != list(range(FIRST, FIRST + len(steps))):
        raise StoreError(f"migrations must be numbered without gaps from {FIRST + 1:04}, found {list(steps)[1:]}")
    return steps


def _writer(connection: sqlite3.Connection, unnamed: str) -> str:
    try:
        row = connection.execute("SELECT serbench FROM migration ORDER BY version DESC LIMIT 1").fetchone()
    except sqlite3.Error:
        row = None
    return f"serbench {row[0]}" if row else unnamed


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; `executescript` would commit the transaction that they belong to."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    yield statement


@cache
def installed_version() -> str:
    """The version of serbench that is installed here; "unknown" if it is not installed."""
    try:
        return metadata.version("serbench")
    except metadata.PackageNotFoundError:
        return "unknown"


REASONS = {
    "SQLITE_BUSY": "{path} is locked by another process; wait for it to end, or choose another file with --store",
    "SQLITE_LOCKED": "{path} is locked by another process; wait for it to end, or choose another file with --store",
    "SQLITE_READONLY": "{path} cannot be written: the file or its folder is read-only; choose another with --store",
    "SQLITE_CANTOPEN": "{path} cannot be opened or created; check its folder's rights, or choose another with --store",
    "SQLITE_PERM": "{path} cannot be opened: access is denied; choose another file with --store",
    "SQLITE_FULL": "the disk that holds {path} is full; free some space and go on with --resume",
    "SQLITE_IOERR": "{path} cannot be read or written ({detail}); check the disk, or choose another with --store",
    "SQLITE_NOTADB": "{path} is not a serbench store (not an SQLite database); choose another file with --store",
    "SQLITE_ERROR": "{path} is not as serbench makes it ({detail}); move it away, or choose another with --store",
    "SQLITE_CORRUPT": "{path} is damaged; move it away, or save what can be read with `sqlite3 {path} .recover`",
}
FULL_BYTES = 64 << 10
PAYLOADS = "payloads"
KEPT = re.compile(r"document\.[0-9a-f]{8}\.json|[0-9a-f]{12}")
"""Names that serbench gives in that folder to an object, and to the folder of an upload."""
NO_TEXT = "Could not decode to UTF-8"
MISSING = re.compile(r"no such (table|column): |table \w+ has no column named ")
"""What SQLite says, under a code that is also that of any wrong SQL, of a store that somebody else has changed."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns SQLite's errors within the block into `StoreError`, and those of checked data; faults of ours pass as they are."""
    try:
        yield
    except WrongDataError as error:
        raise StoreError(REASONS["SQLITE_ERROR"].format(path=path, detail=" ".join(str(error).split()))) from None
    except UnicodeDecodeError:  # of SQLite's own message about what it has found
        raise StoreError(REASONS["SQLITE_CORRUPT"].format(path=path)) from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "") or ("SQLITE_CORRUPT" if NO_TEXT in str(error) else "")
        for name, reason in REASONS.items():
            if code.startswith("SQLITE_IOERR") and _is_full(path):
                raise StoreError(REASONS["SQLITE_FULL"].format(path=path)) from error
            if code.startswith(name) and (name != "SQLITE_ERROR" or MISSING.match(str(error))):
                raise StoreError(reason.format(path=path, detail=error)) from error
        raise


def _is_full(path: Path) -> bool:
    """Return whether the disk is full; for its shared memory, SQLite says only that writing failed."""
    with suppress(OSError):
        return shutil.disk_usage(Path(path).parent).free < FULL_BYTES
    return False


def default_path() -> Path:
    """The file that keeps runs: named by SERBENCH_STORE, else in the user's data folder."""
    if named := os.environ.get("SERBENCH_STORE"):
        return Path(named)
    return data_folder() / "serbench.sqlite"


def data_folder() -> Path:
    """The user's data folder of serbench."""
    from platformdirs import user_data_path

    return user_data_path("serbench", appauthor=False)


def keep_private(path: Path) -> None:
    """Let only this user read a store and the payloads kept beside it; earlier versions let everybody.

    A folder that may hold other files keeps its rights.
    """
    if path.parent == data_folder():
        restrict(path.parent)
    for suffix in ("", "-wal", "-shm"):
        restrict(path.with_name(path.name + suffix))
    with suppress(OSError):
        for kept in (path.parent / PAYLOADS).iterdir():
            if KEPT.fullmatch(kept.name):
                restrict(kept)
                for inside in kept.iterdir() if kept.is_dir() else ():
                    restrict(inside)


def open_for_writing(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection in WAL mode; makes the file and its folder, for this user alone, if they are missing."""
    try:
        make_private_folder(path.parent)
    except OSError as error:
        why = error.strerror or error
        raise StoreError(f"{path} cannot be created: {why}: {path.parent}; choose another with --store") from error
    _refuse_folder(path)
    with suppress(OSError):  # it is there, or SQLite says why it cannot be
        path.touch(mode=0o600, exist_ok=False)
    connection = sqlite3.connect(path, timeout=timeout, isolation_level=None)
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        is_current(connection, path, 2**31)  # another program's file must stay as it is
        connection.execute("PRAGMA journal_mode = WAL")
        # In WAL mode NORMAL loses nothing when the process dies; only a power cut can take the last commits.
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_folder(path: Path) -> None:
    if os.path.isdir(path):  # noqa: PTH112  # Path.is_dir fails for a name that is too long
        raise StoreError(f"{path} is a folder; name a file in it with --store")


def file_identity(path: Path) -> tuple[int, int] | None:
    """The identity of a file, which differs from another of the same name; None if there is no file."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def store_option(path: str | os.PathLike[str] | None) -> str:
    """The option for this store at the end of a command: " --store FILE"; empty for the default or none."""
    return "" if path is None or Path(path) == default_path() else f" --store {quote(str(path))}"


def open_for_reading(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection that cannot write, to a file that is there."""
    _refuse_folder(path)
    if not os.path.isfile(path):  # noqa: PTH113  # Path.is_file fails for a name that is too long
        raise StoreError(
            f"there is no store at {path}; measure something with `serbench run`, or name one with --store"
        )
    address = path.resolve().as_uri()
    # Where the folder cannot be written SQLite cannot share a WAL file, but then nobody can write one either.
    alone = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    connection = sqlite3.connect(
        f"{address}?mode=ro{'&immutable=1' if alone else ''}", uri=True, timeout=timeout, isolation_level=None
    )
    connection.row_factory = sqlite3.Row
    return connection


def copied(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A copy of a store in memory, which can be migrated to be read while the file stays as it is; closes the original."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    copy.row_factory = sqlite3.Row
    with closing(connection):
        connection.backup(copy)
    return copy
