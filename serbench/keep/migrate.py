"""Brings a store up to the version that this serbench knows, or refuses it by name."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from serbench.errors import StoreError

APPLICATION_ID = 0x53455242
"""Marks an SQLite file as a store of serbench ("SERB"), so that no other program's file is written to."""
FIRST = 5
"""The version of schema.sql: that of the last store before it, so that those are read as they are."""
MIGRATIONS = files("serbench.keep") / "migrations"


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
    steps = {FIRST: ("schema", (files("serbench.keep") / "schema.sql").read_text(encoding="utf-8"))}
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


def installed_version() -> str:
    """The version of serbench that is installed here; "unknown" if it is not installed."""
    try:
        return metadata.version("serbench")
    except metadata.PackageNotFoundError:
        return "unknown"
