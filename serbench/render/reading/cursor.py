"""Reads numbers and pieces from bytes in order."""

from __future__ import annotations

import struct
from typing import Any


class Cursor:
    """Reads `blob` from offset `at`; raises ValueError if it ends too early."""

    def __init__(self, blob: bytes, at: int = 0) -> None:
        self.blob, self.at = blob, at

    def take(self, count: int) -> bytes:
        """Read the next `count` bytes."""
        piece = self.blob[self.at : self.at + count]
        if len(piece) < count:
            raise ValueError(f"{count} bytes expected at offset {self.at}, but the document ends at {len(self.blob)}")
        self.at += count
        return piece

    def number(self, code: str) -> Any:
        """Read the next number; `code` is its format in `struct`, with byte order."""
        return struct.unpack(code, self.take(struct.calcsize(code)))[0]

    def until(self, end: bytes) -> bytes:
        """Read the bytes before the next `end`, and skip `end`."""
        end_at = self.blob.index(end, self.at)
        piece = self.take(end_at - self.at)
        self.at += len(end)
        return piece

    @property
    def done(self) -> bool:
        """True if all bytes have been read."""
        return self.at >= len(self.blob)


def check_end(cursor: Cursor, value: Any) -> Any:
    """Return `value` if all bytes have been read.

    Raises:
        ValueError: bytes follow the document.
    """
    if not cursor.done:
        raise ValueError(f"{len(cursor.blob) - cursor.at} bytes follow the document")
    return value
