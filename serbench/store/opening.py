"""Finds the store's file and opens it, for reading or writing, beside other processes."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from serbench.errors import StoreError
from serbench.store.migrate import is_current


def default_path() -> Path:
    """The file that keeps runs: named by SERBENCH_STORE, else in the user's data folder."""
    if named := os.environ.get("SERBENCH_STORE"):
        return Path(named)
    from platformdirs import user_data_path

    return user_data_path("serbench", appauthor=False) / "serbench.sqlite"


def open_for_writing(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection in WAL mode; makes the file and its folder if they are missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or error
        raise StoreError(f"{path} cannot be created: {why}: {path.parent}; choose another with --store") from error
    if path.is_dir():
        raise StoreError(f"{path} is a folder; name a file in it with --store")
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


def open_for_reading(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection that cannot write, to a file that is there."""
    if not path.is_file():
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
