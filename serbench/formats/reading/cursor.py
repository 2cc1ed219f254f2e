"""A place in some bytes, from which numbers and pieces are taken in order."""

from __future__ import annotations

import struct
from typing import Any


class Cursor:
    """Takes from `blob` in order; raises a ValueError where it ends too early."""

    def __init__(self, blob: bytes, at: int = 0) -> None:
        self.blob, self.at = blob, at

    def take(self, count: int) -> bytes:
        """The next bytes."""
        piece = self.blob[self.at : self.at + count]
        if len(piece) < count:
            raise ValueError(f"the bytes end at {len(self.blob)}, where {count} more are announced at {self.at}")
        self.at += count
        return piece

    def number(self, code: str) -> Any:
        """The next number, by its code in `struct`, byte order included."""
        return struct.unpack(code, self.take(struct.calcsize(code)))[0]

    def until(self, end: bytes) -> bytes:
        """The bytes up to the next `end`, which is passed."""
        place = self.blob.index(end, self.at)
        piece = self.take(place - self.at)
        self.at += len(end)
        return piece

    @property
    def done(self) -> bool:
        """Whether everything has been taken."""
        return self.at >= len(self.blob)


def whole(cursor: Cursor, value: Any) -> Any:
    """The value, if nothing is left behind it.

    Raises:
        ValueError: there is.
    """
    if not cursor.done:
        raise ValueError(f"{len(cursor.blob) - cursor.at} bytes follow the document")
    return value
