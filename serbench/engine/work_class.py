"""What decoding really does with bad input, found out by feeding it some.

One small record, the same for every library, is made wrong in one place at a time; for a class of
the user's own it is the first record of its data. A case is
*strict* if it refuses every wrong input, *coercing* if whatever it lets in has become the declared
type, and *unchecked* if a wrong type or a missing field gets through.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
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
    """One wrong input: the value put at a path of (name, key in the bytes), and the types that a coercion may make of it."""

    path: tuple[tuple[str, str | int], ...]
    value: Any
    right: tuple[str, ...]

    def document(self, good: Any) -> Any:
        """The good document made wrong."""
        document = copy.deepcopy(good)
        holder = document
        for _, key in self.path[:-1]:
            holder = holder[key]
        if self.value is MISSING:
            del holder[self.path[-1][1]]
        else:
            holder[self.path[-1][1]] = self.value
        return document


@dataclass(frozen=True)
class Probe:
    """A record as a neutral value, and what may be wrong with it."""

    schema: Schema
    good: dict[str, Any]
    wrong: tuple[Bad, ...]
    own: bool = True  # whether it is of a class of the user's


def _bad(key: str, value: Any, *right: str) -> Bad:
    return Bad(tuple((part, part) for part in key.split(".")), value, right)


PROBES = (
    _bad("text", 12, "str"),
    _bad("text", None, "str"),
    _bad("text", MISSING),
    _bad("count", "x", "int"),
    _bad("count", "12", "int"),
    _bad("count", 1.5, "int"),
    _bad("ratio", "x", "float"),
    _bad("flag", "maybe", "bool"),
    _bad("inner", "x", "Inner", "dict"),
    _bad("inner.name", 12, "str"),
    _bad("items", "ab", "list"),
    _bad("items", 5, "list"),
)


PROBE = Probe(SCHEMA, GOOD, PROBES, own=False)


def strictness(process: Process, case: Case, scratch: Path, probe: Probe = PROBE) -> str:
    """Probe the library, variant and codec of a case, in a process that has been started.

    Returns:
        What holds the records and how they are checked: "objects, strict", "dicts, coercing", …

    Raises:
        Fault: the probe itself could not be encoded or decoded, or the process ended.
    """
    rendered = render(case.library, case.variant, case.codec, probe.schema, case.environment)
    if rendered.reason is not None:
        raise Fault("failed", f"the probe cannot be rendered: {rendered.reason}", fatal=False)
    name = f"probe_{case.module_name}"
    values = scratch / (f"{name}.pickle" if probe.own else "probe.pickle")
    if not values.exists():
        values.write_bytes(pickle.dumps(probe.good, protocol=4))
    path = scratch / f"{name}.py"
    path.write_text(rendered.source, encoding="utf-8")
    process.ask("add_data", name="probe", spec=probe.schema.as_data(), values=str(values))
    writer = None
    if rendered.writer:
        writer = str(scratch / f"writer_of_{name}.py")
        Path(writer).write_text(rendered.writer.source, encoding="utf-8")
    process.ask("prepare", case=name, module=name, path=str(path), data="probe", writer=writer)
    good = process.ask("verify", case=name, operations=[], reader=None, losses={})
    if good["difference"] is not None:
        raise Fault("failed", f"the probe does not survive a round trip: {good['difference']}", fatal=False)
    readers = list(rendered.readers(probe.schema.as_data()).values())
    written = readers[0](good["blob"]) if readers else None
    arrays = isinstance(written, list)
    if probe.own and arrays:
        raise Fault("failed", "its records are arrays, in which no field has a name", fatal=False)
    document = written if probe.own else GOOD
    write = formats()[case.codec.format].write
    if probe.own and write is not None and probe.wrong:  # else every refusal would be of something else
        again = process.ask("probe", case=name, path=probe.wrong[0].path, blob=_written(write, document), value=None)
        if again["outcome"] == "rejected":
            raise Fault("failed", f"a right record, written anew, is refused: {again['message']}", fatal=False)
    outcomes = [_outcome(process, name, case, bad, document, arrays) for bad in probe.wrong]
    process.ask("drop", case=name)
    holder = good["holder"]
    if "let through" in outcomes:
        return f"{holder}, unchecked"
    return f"{holder}, coercing" if "coerced" in outcomes else f"{holder}, strict"


def _outcome(process: Process, name: str, case: Case, bad: Bad, good: Any, arrays: bool) -> str:
    write = formats()[case.codec.format].write
    if write is None and bad.value is MISSING:
        return "rejected"  # an object cannot be made without its field
    blob = None
    if write is not None:
        document = bad.document(good)
        blob = _written(write, _as_arrays(document) if arrays else document)
    value = None if bad.value is MISSING else bad.value
    found = process.ask("probe", case=name, path=bad.path, blob=blob, value=value)["outcome"]
    if found == "rejected" or (bad.value is MISSING and found in bad.right):
        return "rejected"
    return "coerced" if found in bad.right else "let through"


def _written(write: Callable[[Any], bytes], document: Any) -> str:
    try:
        return write(document).hex()
    except Exception as error:  # whatever a writer raises on what its reader gave
        raise Fault("failed", f"the wrong input cannot be written: {error}", fatal=False) from None


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
