"""What decoding does with wrong input, found out by feeding it some."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from serbench.cases import Case
from serbench.engine.process import Fault
from serbench.engine.results import Finding
from serbench.formats import formats
from serbench.probes.wrong import MISSING, Trial, Wrong
from serbench.schema import List, Ref, Schema, Type

Ask = Callable[..., dict[str, Any]]
NO_NAMES = "an object cannot be made without its field"


class _Positional(dict[str, Any]):
    """A record that stands in its bytes as an array of its fields."""


def tried(
    ask: Ask, case: Case, scratch: Path, trial: Trial, wanted: Iterable[Wrong] | None = None
) -> tuple[str, dict[str, Finding]]:
    """Feed a case, which is rendered for the trial's schema, with wrong inputs; all of them if none are named.

    Returns:
        What holds the records ("objects" or "dicts"), and what became of each input by its name: "rejected",
        "coerced", "let through", "default" (a missing field got one), "ignored" (an unknown key) or "unprobed".

    Raises:
        Fault: the good record could not be encoded, decoded or written anew, or the process ended.
    """
    name, good = opened(ask, case, scratch, trial.name, trial.schema, trial.good)
    write = formats()[case.codec.format].write
    inputs = list(trial.wrong if wanted is None else wanted)
    unmade: dict[str, Finding] = {}
    if write is None:
        possible = [one for one in inputs if one.value is not MISSING and not one.more and one.path[0][1] in trial.good]
        given = [{"path": one.path, "blob": None, "value": one.value, "names": one.names} for one in possible]
        answers = dict(zip((one.name for one in possible), taken(ask, name, given), strict=True))
    else:
        document = _document(case, trial.schema, good["blob"])
        again: dict[str, Any] = {"path": [], "blob": written(case, document).hex(), "value": None}
        first = taken(ask, name, [again])[0] if inputs else {"outcome": ""}
        if first["outcome"] == "rejected":
            raise Fault("failed", f"a right record, written anew, is refused: {first['message']}", fatal=False)
        blobs = {one.name: _made_wrong(case, one, document) for one in inputs}
        given = [
            {"path": one.path, "blob": blob.hex(), "value": None, "names": one.names}
            for one in inputs
            if isinstance(blob := blobs[one.name], bytes)
        ]
        fitting = [name for name, blob in blobs.items() if isinstance(blob, bytes)]
        answers = dict(zip(fitting, taken(ask, name, given), strict=True))
        unmade = {name: Finding("unprobed", blob) for name, blob in blobs.items() if isinstance(blob, str)}
    ask("drop", case=name)
    return good["holder"], {
        one.name: unmade.get(one.name) or _finding(one, answers.get(one.name), trial) for one in inputs
    }


def opened(ask: Ask, case: Case, scratch: Path, key: str, schema: Schema, good: Any) -> tuple[str, dict[str, Any]]:
    """A case with its good document in a process: its name there, and what verifying it gave.

    Raises:
        Fault: it cannot be rendered, or does not come back.
    """
    if case.reason is not None:
        raise Fault("unsupported", f"the probe cannot be rendered: {case.reason}", fatal=False)
    name = f"{key.replace(' ', '_')}_of_{case.module_name}"
    values, path = scratch / f"{name}.pickle", scratch / f"{name}.py"
    values.write_bytes(pickle.dumps(good, protocol=4))
    path.write_text(case.source, encoding="utf-8")
    writer = None
    if case.writer:
        writer = str(scratch / f"writer_of_{name}.py")
        Path(writer).write_text(case.writer.source, encoding="utf-8")
    ask("add_data", name=name, spec=schema.as_data(), values=str(values))
    ask("prepare", case=name, module=name, path=str(path), data=name, writer=writer)
    found = ask("verify", case=name, operations=[], reader=None, losses={})
    if found["difference"] is not None:
        raise Fault("failed", f"the probe does not survive a round trip: {found['difference']}", fatal=False)
    return name, found


def taken(ask: Ask, name: str, inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What became of these inputs of a case."""
    found: list[dict[str, Any]] = ask("take", case=name, inputs=inputs)["outcomes"] if inputs else []
    return found


def written(case: Case, document: Any) -> bytes:
    """A document in the format of the case, by serbench's own hand."""
    write = formats()[case.codec.format].write
    assert write is not None
    plain = _plain(document)
    try:
        return write({case.root: plain} if case.root else plain)
    except Exception as error:  # whatever a writer raises on what its reader gave
        raise Fault("failed", f"the wrong input cannot be written: {error}", fatal=False) from None


def read(case: Case, schema: Schema, blob: bytes) -> Any:
    """The document in these bytes as the first independent reader has it; records that are arrays get their keys."""
    readers = list(case.readers(schema.as_data()).values())
    if not readers:
        raise Fault("failed", "nothing else reads these bytes", fatal=False)
    return _named(schema, schema.root, readers[0](blob))


def _document(case: Case, schema: Schema, blob: bytes) -> Any:
    try:
        return read(case, schema, blob)
    except Fault:
        raise
    except Exception as error:
        raise Fault("failed", f"the good record cannot be read: {error}", fatal=False) from None


def _made_wrong(case: Case, one: Wrong, document: Any) -> bytes | str:
    """The bytes of a wrong input, or why there are none."""
    try:
        return written(case, one.document(document))
    except (LookupError, TypeError) as error:
        return f"its bytes have no such place: {error}"
    except Fault as fault:
        return fault.reason


def _finding(wrong: Wrong, answer: Mapping[str, Any] | None, trial: Trial) -> Finding:
    if answer is None:
        return Finding("unprobed", NO_NAMES)
    if answer["outcome"] == "rejected":
        return Finding("rejected", answer["message"], names=set(answer["names"]) == set(wrong.names))
    what = f"{answer['value']} of type {answer['outcome']}"
    if answer["outcome"] in wrong.right:
        return Finding("default" if wrong.value is MISSING else "coerced", f"becomes {what}")
    if answer["outcome"] == "NoneType" and not trial.own and wrong.path[0][1] not in trial.good:
        return Finding("ignored", "it is left out")
    return Finding("let through", f"becomes {what}" if wrong.value is not MISSING else f"its place has {what}")


def _named(schema: Schema, type_: Type, parsed: Any) -> Any:
    """Records that are arrays of their fields as mappings that remember it."""
    if isinstance(type_, List) and isinstance(parsed, list):
        return [_named(schema, type_.item, item) for item in parsed]
    if not isinstance(type_, Ref) or not isinstance(parsed, list | dict):
        return parsed
    fields = schema.record(type_.record).fields
    if isinstance(parsed, dict):
        known = {f.wire: f.type for f in fields}
        return {key: _named(schema, known[key], v) if key in known else v for key, v in parsed.items()}
    if len(parsed) != len(fields):
        return parsed
    pairs = zip(fields, parsed, strict=True)
    return _Positional((f.wire, _named(schema, f.type, value)) for f, value in pairs)


def _plain(document: Any) -> Any:
    """The document as it is written: arrays in place of what was one."""
    if isinstance(document, _Positional):
        return [_plain(value) for value in document.values()]
    if isinstance(document, dict):
        return {key: _plain(value) for key, value in document.items()}
    return [_plain(item) for item in document] if isinstance(document, list) else document
