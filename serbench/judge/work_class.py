"""The words of a work class: what a case does, so that like is ranked with like."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

REST_IGNORED = "rest ignored"
"""The words of a work class for reading some of the fields that documents have."""
ABSENT, DEFAULTS = "absent left out", "defaults left out"
"""The words of a work class for documents that lack keys: those that would be null, or those that have their default."""

REFUSED, KEPT, DROPPED = UNKNOWN_KEYS = ("refused", "kept", "dropped")
"""What may become of a key that no field has."""
UNKNOWN_KEY_PROBE = "structure: unknown key"
"""The probe of strictness that tells which."""


class WorkClass(NamedTuple):
    """The parts of a work class such as "objects, strict, absent left out, lossy (at: offset)"; empty if it has none.

    `holder` is "objects", "generated objects", "dicts" or "builtins", `checks` how input is checked, `left_out` what
    documents leave out or what of them is ignored, and `lossy` the fields that lose something.
    """

    holder: str
    checks: str
    left_out: str
    lossy: str

    @classmethod
    @lru_cache(1024)
    def parse(cls, text: str | None) -> WorkClass:
        """The parts of a work class; all are empty if it is not known."""
        kept, comma, lost = (text or "").partition(", lossy")
        kept, _, left_out = re.sub(r", ((?:absent|defaults) left out|rest ignored)", r"\n\1", kept).partition("\n")
        holder, _, checks = kept.partition(", ")
        return cls(holder, checks, left_out, f"lossy{lost}" if comma else "")
