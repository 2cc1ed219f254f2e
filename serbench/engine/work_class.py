"""Work classes: what an operation really does, derived from what decoding does with wrong input.

A case is *strict* if it refuses every wrong input of one record, *coercing* if whatever it lets in has
become the declared type, and *unchecked* if a wrong type or a missing field gets through. The record is the
same for every library; for a class of the user's own it is the first of its data.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from serbench.cases import REJECTS, Case, render
from serbench.engine.process import Process
from serbench.engine.results import Finding
from serbench.engine.strictness import tried
from serbench.probes.wrong import BASICS, Trial


def strictness(process: Process, case: Case, scratch: Path, trial: Trial = BASICS) -> str:
    """Probe the library, variant and codec of a case, in a process that has been started.

    Returns:
        What holds the records and how they are checked: "objects, strict", "dicts, coercing", …

    Raises:
        Fault: the probe itself could not be encoded or decoded, or the process ended.
    """
    rendered = render(case.library, case.variant, case.codec, trial.schema, case.environment)
    return checked(*tried(process.ask, rendered, scratch, trial))


def checked(holder: str, findings: Mapping[str, Finding]) -> str:
    """The work class of decoding that did this with wrong input."""
    outcomes = {finding.outcome for finding in findings.values()}
    if "let through" in outcomes:
        return f"{holder}, unchecked"
    return f"{holder}, coercing" if "coerced" in outcomes else f"{holder}, strict"


def work_class(operation: str, probed: str, lost: Mapping[str, str] | None = None) -> str:
    """The words under which rows are ranked: what an operation yields or takes, how it checks, what it loses.

    `probed` is what `strictness` gave, or "builtins" for data without records; `lost` the fields that do not
    come back as they were, and what they lose.
    """
    if operation in ("dumps", "loads"):
        words = "builtins"
    else:
        words = probed if operation in ("decode", "load", *REJECTS) else probed.partition(",")[0]
    if not lost:
        return words
    return f"{words}, lossy ({', '.join(f'{name}: {what}' for name, what in sorted(lost.items()))})"
