"""What decoding really does with bad input, found out by feeding it some.

One small record, the same for every library, is made wrong in one place at a time. A case is
*strict* if it refuses every wrong input, *coercing* if whatever it lets in has become the declared
type, and *unchecked* if a wrong type or a missing field gets through.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serbench.cases import Case, render
from serbench.engine.process import Fault, Process
from serbench.formats import formats
from serbench.schema import BOOL, FLOAT, INT, STR, Field, List, Record, Ref, Schema

SCHEMA = Schema(
    Ref("Probe"),
    (
        Record("Inner", (Field("name", STR),)),
        Record(
            "Probe",
            (
                Field("text", STR),
                Field("count", INT),
                Field("ratio", FLOAT),
                Field("flag", BOOL),
                Field("inner", Ref("Inner")),
                Field("items", List(INT)),
            ),
        ),
    ),
)
GOOD: dict[str, Any] = {"text": "a", "count": 1, "ratio": 1.5, "flag": True, "inner": {"name": "b"}, "items": [1, 2]}
MISSING = object()


@dataclass(frozen=True)
class Bad:
    """One wrong input: the value put at a path, and the types that a coercion may make of it."""

    path: tuple[str, ...]
    value: Any
    right: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """The whole wrong document."""
        document = copy.deepcopy(GOOD)
        holder = document
        for key in self.path[:-1]:
            holder = holder[key]
        if self.value is MISSING:
            del holder[self.path[-1]]
        else:
            holder[self.path[-1]] = self.value
        return document


PROBES = (
    Bad(("text",), 12, ("str",)),
    Bad(("text",), None, ("str",)),
    Bad(("text",), MISSING, ()),
    Bad(("count",), "x", ("int",)),
    Bad(("count",), "12", ("int",)),
    Bad(("count",), 1.5, ("int",)),
    Bad(("ratio",), "x", ("float",)),
    Bad(("flag",), "maybe", ("bool",)),
    Bad(("inner",), "x", ("Inner", "dict")),
    Bad(("inner", "name"), 12, ("str",)),
    Bad(("items",), "ab", ("list",)),
    Bad(("items",), 5, ("list",)),
)


def strictness(process: Process, case: Case, scratch: Path) -> str:
    """Probe the library, variant and codec of a case, in a process that has been started.

    Returns:
        What holds the records and how they are checked: "objects, strict", "dicts, coercing", …

    Raises:
        Fault: the probe itself could not be encoded or decoded, or the process ended.
    """
    probe = render(case.library, case.variant, case.codec, SCHEMA, case.environment)
    if probe.reason is not None:
        raise Fault("failed", f"the probe cannot be rendered: {probe.reason}", fatal=False)
    values = scratch / "probe.pickle"
    if not values.exists():
        values.write_bytes(pickle.dumps(GOOD, protocol=4))
    name = f"probe_{case.module_name}"
    path = scratch / f"{name}.py"
    path.write_text(probe.source, encoding="utf-8")
    process.ask("add_data", name="probe", spec=SCHEMA.as_data(), values=str(values))
    writer = None
    if probe.writer:
        writer = str(scratch / f"writer_of_{name}.py")
        Path(writer).write_text(probe.writer.source, encoding="utf-8")
    process.ask("prepare", case=name, module=name, path=str(path), data="probe", writer=writer)
    good = process.ask("verify", case=name, operations=[], reader=None, losses={})
    if good["difference"] is not None:
        raise Fault("failed", f"the probe does not survive a round trip: {good['difference']}", fatal=False)
    readers = probe.readers(SCHEMA.as_data())
    arrays = any(isinstance(read(good["blob"]), list) for read in list(readers.values())[:1])
    outcomes = [_outcome(process, name, case, bad, arrays) for bad in PROBES]
    process.ask("drop", case=name)
    holder = good["holder"]
    if "let through" in outcomes:
        return f"{holder}, unchecked"
    return f"{holder}, coercing" if "coerced" in outcomes else f"{holder}, strict"


def _outcome(process: Process, name: str, case: Case, bad: Bad, arrays: bool) -> str:
    write = formats()[case.codec.format].write
    if write is None and bad.value is MISSING:
        return "rejected"  # an object cannot be made without its field
    document = _as_arrays(bad.document()) if arrays else bad.document()
    blob = None if write is None else write(document).hex()
    value = None if bad.value is MISSING else bad.value
    path = [[key, key] for key in bad.path]
    found = process.ask("probe", case=name, path=path, blob=blob, value=value)["outcome"]
    if found == "rejected":
        return "rejected"
    return "coerced" if found in bad.right else "let through"


def _as_arrays(document: Any) -> Any:
    """Records as arrays of their fields, which is how an `array_like` case writes them."""
    return [_as_arrays(value) for value in document.values()] if isinstance(document, dict) else document


def work_class(operation: str, probed: str, lost: Mapping[str, str] | None = None) -> str:
    """The words under which rows are ranked: what an operation yields or takes, how it checks, what it loses.

    `probed` is what `strictness` gave, or "builtins" for data without records; `lost` the fields that do not
    come back as they were, and what they lose.
    """
    if operation in ("dumps", "loads"):
        words = "builtins"
    else:
        words = probed if operation in ("decode", "load") else probed.partition(",")[0]
    if not lost:
        return words
    return f"{words}, lossy ({', '.join(f'{name}: {what}' for name, what in sorted(lost.items()))})"
