"""Proves an adopted module with the user's own files: it decodes each and writes it again, in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import Any

from serbench.judge.work_class import DROPPED, KEPT, REFUSED
from serbench.measure.probes.meaning import LOST, Change, changes, defaults_of, parse
from serbench.measure.sessions.files import write_module
from serbench.measure.sessions.session import ADOPTED, Fault, WorkerSession
from serbench.measure.worker.prepared_case import read_blobs, write_blobs
from serbench.model.data.files import FileBytes
from serbench.model.inference.build import neutral_class
from serbench.model.records import Record, Schema
from serbench.model.types import List, Map, Optional, Ref, Tuple, Type, Union
from serbench.render.case import Case
from serbench.render.format import formats

_MARK = b"\xef\xbb\xbf"  # of the order of bytes
MOST_BYTES = 32 << 20
"""So much is tried to find which records refuse such a key; of a larger document, all count as one."""


@dataclass(frozen=True)
class UserFile:
    """A file of the user's, and the neutral values of its documents; None if the schema does not describe them."""

    name: str
    content: FileBytes
    values: Sequence[Any] | None


@dataclass(frozen=True)
class Returned:
    """What comes back of a file of so many documents: the first refusal and the number of all, and what differs."""

    name: str
    documents: int
    refusal: str = ""
    refusals: int = 0
    changes: tuple[Change, ...] = ()

    @property
    def losses(self) -> tuple[Change, ...]:
        """The changes that lose something."""
        return tuple(change for change in self.changes if change.kind == LOST)


def reads(case: Case, content: FileBytes) -> bool:
    """Return whether a file is of the case's format."""
    return content.format == case.codec.format in ("json", "msgpack")


def returned(session: WorkerSession, case: Case, schema: Schema, file: UserFile) -> Returned:
    """Have the case's module decode a file and write it again, and compare both.

    A module of one direction is proved in that: what it decodes is compared with the file's values, or what it writes of these
    with the file.
    """
    blobs = file.content.documents
    stream = file.content.content if file.content.lines and "stream" in case.operations else None
    try:
        reply, written = _run(session, case, schema, blobs, file.values, stream)
    except Fault as fault:
        return Returned(file.name, len(blobs), fault.reason, len(blobs))
    refused = {number for number, _ in reply["refused"]}
    words = {"misread": LOST, "whole": "whole"}
    differences = [Change(kind, *_misread(reply[word], file.content)) for word, kind in words.items() if word in reply]
    if "encode" in case.operations:
        pairs = [(b, w) for number, (b, w) in enumerate(zip(blobs, written, strict=True)) if number not in refused]
        differences += _changes(pairs, file.content, schema)
    refusal = ""
    if reply["refused"]:
        number, refusal = reply["refused"][0]
        refusal = f"line {number + 1}: {refusal}" if file.content.lines else refusal
    return Returned(file.name, len(blobs), refusal, reply["refusals"], tuple(differences))


def _run(
    session: WorkerSession,
    case: Case,
    schema: Schema,
    blobs: Sequence[bytes],
    values: Sequence[Any] | None = None,
    stream: bytes | None = None,
) -> tuple[Mapping[str, Any], list[bytes]]:
    scratch = session.scratch
    documents, written, lines = (scratch / name for name in ("documents", "returned", "lines"))
    write_blobs(str(documents), list(blobs))
    module = write_module(case, scratch, "models")
    asked: dict[str, Any] = {
        "module": "models",
        "path": module["path"],
        "blobs": str(documents),
        "written": str(written),
    }
    if values is not None:
        session.known.discard(("data", "values"))
        asked["data"] = session.add_value("values", schema.as_data(), list(values))
    if stream is not None:
        lines.write_bytes(stream)
        asked["stream"] = str(lines)
    reply = session.call(ADOPTED, "returned", **asked)
    return reply, read_blobs(str(written))


def _changes(pairs: Sequence[tuple[bytes, bytes]], content: FileBytes, schema: Schema) -> list[Change]:
    read = parse if content.format == "json" else _read_msgpack
    try:
        after = [read(blob) for _, blob in pairs]
    except (ValueError, RecursionError) as error:
        return [Change(LOST, "", "", f"what is written is not {content.format}: {error}")]
    before = [read(blob) for blob, _ in pairs]
    if content.lines:
        return changes(before, after, defaults_of(schema))
    return [
        change for one, other in zip(before, after, strict=True) for change in changes(one, other, defaults_of(schema))
    ]


def _read_msgpack(blob: bytes) -> Any:
    import msgspec

    return msgspec.msgpack.decode(blob)


def _misread(misread: Sequence[Any], content: FileBytes) -> tuple[str, str, str]:
    """Return column, path and text of the first value that is decoded to another."""
    number, text = misread
    path, _, what = str(text).partition(": ")
    path = f"[{number}]{path}" if content.lines else path
    return re.sub(r"\[\d+\]", "[]", path), path, f"decoded to another value: {what}"


def unknown_keys(session: WorkerSession, case: Case, schema: Schema, blobs: Iterable[bytes]) -> dict[str, str]:
    """Return what becomes of a key that no field has, for each record that these documents have.

    The key is put into the first of each record. The answer is empty if the module reads or writes only, or if the format has
    no keys.
    """
    format_ = formats()[case.codec.format]
    if not {"encode", "decode"} <= set(case.operations) or format_.write is None or format_.typed:
        return {}
    outcomes: dict[str, str] = {}
    for blob in blobs:
        document = _shortened(schema, _parsed(case, schema, blob))
        paths = {name: path for name, path in first_paths(schema, document) if name not in outcomes}
        if paths:
            outcomes |= _outcomes(session, case, schema, document, paths)
        if len(outcomes) == len(schema.records):
            break
    return outcomes


def _outcomes(
    session: WorkerSession, case: Case, schema: Schema, document: Any, paths: Mapping[str, Sequence[str | int]]
) -> dict[str, str]:
    """Return what becomes of the key in each of these places: in all at once or, if that is refused, one by one."""
    key = _unknown_key(schema)
    everywhere = reduce(lambda one, path: _with_key(one, path, key), paths.values(), document)
    try:
        plain, together = _round_trips(session, case, schema, [document, everywhere])
        if plain is None:
            return {}
        if together is not None or len(paths) * len(_written(case, document)) > MOST_BYTES:
            return {record: _outcome(together, path, key) for record, path in paths.items()}
        alone = [_with_key(document, path, key) for path in paths.values()]
        each = zip(paths.items(), _round_trips(session, case, schema, alone), strict=True)
    except Fault:
        return {}
    return {record: _outcome(back, path, key) for (record, path), back in each}


def _outcome(written: Any, path: Sequence[str | int], key: str) -> str:
    if written is None:
        return REFUSED
    return KEPT if key in _part(written, path) else DROPPED


def _round_trips(session: WorkerSession, case: Case, schema: Schema, documents: Sequence[Any]) -> list[Any]:
    """Return what comes back of each of these parsed documents; None for one that is refused."""
    reply, written = _run(session, case, schema, [_written(case, document) for document in documents])
    refused = {number for number, _ in reply["refused"]}
    return [None if number in refused else _parsed(case, schema, blob) for number, blob in enumerate(written)]


def _parsed(case: Case, schema: Schema, blob: bytes) -> Any:
    """Parse a document with the first independent reader that can; each has its own limit of depth. None if none can."""
    for read in case.readers(schema.as_data()).values():
        with suppress(Exception):  # whatever a reader raises
            return read(blob.removeprefix(_MARK))
    return None


def _written(case: Case, document: Any) -> bytes:
    write = formats()[case.codec.format].write
    assert write is not None
    return write({case.root: document} if case.root else document)


def _shortened(schema: Schema, document: Any) -> Any:
    """Return a list's items that have the first of each record; another document as it is."""
    if not isinstance(schema.root, List) or not isinstance(document, list):
        return document
    firsts = {path[0] for _, path in first_paths(schema, document)}
    return [item for index, item in enumerate(document) if index in firsts]


def _unknown_key(schema: Schema) -> str:
    known = {f.wire for record in schema.records for f in record.fields} | set(schema.tags.values())
    key = "unknown_key"
    while key in known:
        key += "_"
    return key


def _with_key(document: Any, path: Sequence[str | int], key: str) -> Any:
    """Return a copy of a document with one more key in the object at a path; the rest is shared."""
    if not path:
        return {**document, key: 1}
    inner = _with_key(document[path[0]], path[1:], key)
    if isinstance(document, dict):
        return {**document, path[0]: inner}
    return [inner if index == path[0] else item for index, item in enumerate(document)]


def _part(document: Any, path: Sequence[str | int]) -> Any:
    for key in path:
        document = document[key]
    return document


def first_paths(schema: Schema, document: Any) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield each record that a document has, and the path of the first."""
    seen: set[str] = set()
    todo: list[tuple[Type, Any, tuple[str | int, ...]]] = [(schema.root, document, ())]
    while todo and len(seen) < len(schema.records):
        type_, value, path = todo.pop()
        inside: list[tuple[Type, Any, tuple[str | int, ...]]] = []
        match type_:
            case Optional(item) if value is not None:
                inside = [(item, value, path)]
            case List(item) if isinstance(value, list):
                inside = [(item, one, (*path, index)) for index, one in enumerate(value)]
            case Tuple(items) if isinstance(value, list):
                inside = [(item, one, (*path, i)) for i, (item, one) in enumerate(zip(items, value, strict=False))]
            case Map(item) if isinstance(value, dict):
                inside = [(item, one, (*path, key)) for key, one in value.items()]
            case Union(members, tag) if isinstance(value, dict):
                inside = [(one, value, path) for one in members if _is_member(schema, one, value, tag)][:1]
            case Union(members) if isinstance(value, list):
                inside = [(one, value, path) for one in members if neutral_class(one) is list]
            case Ref(name) if isinstance(value, dict):
                if name not in seen:
                    seen.add(name)
                    yield name, path
                fields = schema.record(name).fields
                inside = [(f.type, value[f.wire], (*path, f.wire)) for f in fields if f.wire in value]
        todo += inside[::-1]


def _is_member(schema: Schema, type_: Type, value: Mapping[str, Any], tag: str | None) -> bool:
    if not isinstance(type_, Ref):
        return isinstance(type_, Map | Union)
    record: Record = schema.record(type_.record)
    if tag is not None:
        return value.get(tag) == record.tag_value
    return value.keys() <= {f.wire for f in record.fields}
