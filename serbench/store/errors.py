"""Errors of the store's file, each as one line that says what is wrong, where, and what to do."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from serbench.errors import StoreError

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


MISSING = re.compile(r"no such (table|column): |table \w+ has no column named ")
"""What SQLite says, under a code that is also that of any wrong SQL, of a store that somebody else has changed."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns SQLite's errors within the block into `StoreError`; faults of ours pass as they are."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "") or ""
        for name, reason in REASONS.items():
            if code.startswith(name) and (name != "SQLITE_ERROR" or MISSING.match(str(error))):
                raise StoreError(reason.format(path=path, detail=error)) from error
        raise
