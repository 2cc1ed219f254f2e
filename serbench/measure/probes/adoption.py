"""Proves an adopted module with the user's own files, and compares what it writes with what was read."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from decimal import Decimal
from functools import partial
from typing import Any, TypeAlias

from serbench.errors import WorkloadError
from serbench.judge.outcomes import FATES
from serbench.measure.probes.strictness import tried
from serbench.measure.probes.wrong import STRUCTURE
from serbench.measure.session import FILES, Fault, WorkerSession, write_module
from serbench.measure.worker.prepared_case import read_blobs, write_blobs
from serbench.model.data.files import FileBytes, parsed_as
from serbench.model.records import Schema
from serbench.render.case import Case, render
from serbench.render.codec import formats
from serbench.render.selection import chosen_codecs

AS_INT = "whole"
KINDS = {
    "null": "an absent key comes back as null",
    "no null": "a key that is null comes back as absent",
    "default": "an absent key comes back with its default",
    "no default": "a key that has its default comes back as absent",
    "number": "a number comes back with a decimal point or without",
    "digits": "a number has more digits than a float",
    "spelling": "a value comes back in another spelling",
    AS_INT: "a whole number is decoded as an int where the type is float",
}
"""The kinds of changes that lose nothing."""
LOST = "lost"
"""The kind of any other change."""
FILE_FORMATS = ("json", "msgpack", "parquet", "toml", "yaml")
"""The formats of files that a case is proven with."""
Defaults: TypeAlias = Mapping[str, Sequence[Any]]
"""Key → the defaults of the fields that have it."""
_Path: TypeAlias = "tuple[_Path | None, str | int]"
_SHOWN, _LONG = 60, 120  # characters of a value, and of a path
_ABSENT = object()
_PLAIN = frozenset({str, int, bool, type(None)})
_NUMBERS = frozenset({int, float, Decimal})
_FRACTION = re.compile(r"\.(\d+)")
_STANDARD = str.maketrans("-_", "+/", "=")


@dataclass(frozen=True)
class Change:
    """One kind of difference in the values of a column.

    Attributes:
        kind: a word of `KINDS`, or `LOST`.
        column: the path without numbers, such as `[].lines[].price`.
        path: that of the first value, such as `[3].lines[0].price`.
        text: what becomes of the first value.
        count: the number of values.
    """

    kind: str
    column: str
    path: str
    text: str
    count: int = 1

    def __str__(self) -> str:
        times = f" ({self.count:,} times)" if self.count > 1 else ""
        return f"{_cut(self.path) or 'the document'}: {self.text}{times}"


class Doubled(dict[str, Any]):
    """An object in which keys stand twice; `replaced` has the values that others replace."""

    replaced: dict[str, Any]


def parse(blob: bytes) -> Any:
    """Parse JSON without a loss: floats are Decimals, and an object knows of keys that stand in it twice."""
    return json.loads(blob, parse_float=Decimal, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) == len(pairs):
        return entries
    doubled = Doubled()
    doubled.replaced = {}
    for key, value in pairs:
        if key in doubled:
            doubled.replaced.setdefault(key, doubled[key])
        doubled[key] = value
    return doubled


def defaults_of(schema: Schema) -> Defaults:
    """Return the defaults of a schema's fields, parsed as documents are."""
    defaults: dict[str, list[Any]] = {}
    for f in (f for record in schema.records for f in record.fields):
        if not f.required and f.default is not None:
            defaults.setdefault(f.wire, []).append(parse(json.dumps(f.default, default=list).encode()))
    return defaults


def changes(before: Any, after: Any, defaults: Defaults | None = None) -> list[Change]:
    """Return what differs between two parsed documents, the first value of each kind and column with its path.

    The order of keys means nothing.
    """
    noted: dict[tuple[str, str], Change] = {}

    def note(kind: str, column: str, path: _Path | None, text: str) -> None:
        known = noted.get((kind, column))
        change = replace(known, count=known.count + 1) if known else Change(kind, column, _path(path), text)
        noted[kind, column] = change

    todo: list[tuple[str, _Path | None, Any, Any]] = [("", None, before, after)]
    while todo:
        column, path, one, other = todo.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            for key, lost in one.replaced.items() if isinstance(one, Doubled) else ():
                note(LOST, column + _step(key), (path, key), f"the key occurs twice, and {_text(lost)} is lost")
            todo += [(column + _step(key), (path, key), b, a) for key, b, a in _unequal(one, other)][::-1]
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            inside, pairs = f"{column}[]", enumerate(zip(one, other, strict=True))
            todo += [(inside, (path, index), b, a) for index, (b, a) in pairs if not _is_same(b, a)][::-1]
        elif kind := _kind(one, other, (defaults or {}).get(str(path[1]), ()) if path else ()):
            note(kind, column, path, _said(one, other))
    return list(noted.values())


def _unequal(one: dict[str, Any], other: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for key, value in one.items():
        back = other.get(key, _ABSENT)
        if not _is_same(value, back):
            yield key, value, back
    yield from ((key, _ABSENT, value) for key, value in other.items() if key not in one)


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and type(one) in _PLAIN and bool(one == other)


def _kind(one: Any, other: Any, defaults: Sequence[Any]) -> str:
    """Return the kind of a change; empty if there is none."""
    if one is _ABSENT or other is _ABSENT:
        value, no = (other, "") if one is _ABSENT else (one, "no ")
        if value is None:
            return f"{no}null"
        return f"{no}default" if any(value == d and type(value) is type(d) for d in defaults) else LOST
    if {type(one), type(other)} <= _NUMBERS:
        return _kind_of_number(one, other)
    if type(one) is not type(other):
        return LOST
    if one == other:
        return ""
    return "spelling" if isinstance(one, str) and _is_respelled(one, other) else LOST


def _kind_of_number(one: Any, other: Any) -> str:
    if one == other and (str(one)[0] == "-") == (str(other)[0] == "-"):
        return "" if type(one) is type(other) else "number"
    is_rounded = type(one) is type(other) is Decimal and one != other and float(one) == float(other)
    return "digits" if is_rounded else LOST


def _is_respelled(one: str, other: str) -> bool:
    """Return whether two texts are the same moment, time, UUID, decimal or base64."""
    if one.translate(_STANDARD) == other.translate(_STANDARD):
        return True
    return any(_read(read, one) == _read(read, other) is not None for read in _READERS)


def _read(read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text)
    except (ValueError, ArithmeticError):
        return None


def _moment(read: Callable[[str], Any], text: str) -> tuple[Any, ...]:
    if ":" not in text:  # a date alone
        raise ValueError(text)
    moment = read(text)
    return (moment.replace(tzinfo=None), moment.utcoffset(), _fraction(text))


def _fraction(text: str) -> str:
    """Return all digits of the seconds' fraction, of which Python reads six."""
    digits = _FRACTION.search(text)
    return digits[1].rstrip("0") if digits else ""


_READERS: tuple[Callable[[str], Any], ...] = (
    partial(_moment, datetime.fromisoformat),
    partial(_moment, time.fromisoformat),
    uuid.UUID,
    lambda text: Decimal(text).as_tuple(),
)


def _said(one: Any, other: Any) -> str:
    if isinstance(one, list) and isinstance(other, list):
        return f"{len(one):,} items come back as {len(other):,}"
    if other is _ABSENT:
        return f"{_text(one)} does not come back"
    return f"{'absent' if one is _ABSENT else _text(one)}, comes back as {_text(other)}"


def _text(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else f"a list of {len(value):,}"
    write = json.dumps if type(value) in _PLAIN else str if type(value) in _NUMBERS else ascii
    text = write(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _cut(path: str) -> str:
    return path if len(path) <= _LONG else f"{path[: _LONG // 2]}…{path[-_LONG // 2 :]}"


def _step(key: str) -> str:
    return f".{key}" if key.isidentifier() and key.isascii() else f"[{json.dumps(key)}]"


def _path(path: _Path | None) -> str:
    steps: list[str] = []
    while path is not None:
        path, key = path
        steps.append(f"[{key}]" if isinstance(key, int) else _step(key))
    return "".join(reversed(steps)).removeprefix(".")


@dataclass(frozen=True)
class UserFile:
    """A file of the user's, and the neutral values of its documents; None if the schema does not describe them."""

    name: str
    content: FileBytes
    values: Sequence[Any] | None


@dataclass(frozen=True)
class Returned:
    """The result for a file of many documents: the first refusal, their number, and the differences."""

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
    return content.format == case.codec.format in FILE_FORMATS


def returned(session: WorkerSession, case: Case, schema: Schema, file: UserFile) -> Returned:
    """Have the case's module decode a file and write it again, and compare both.

    A module of one direction is proved in that: what it decodes is compared with the file's values, or what it writes of these
    with the file.
    """
    blobs, scratch = file.content.documents, session.scratch
    documents, back, lines = (scratch / name for name in ("documents", "returned", "lines"))
    write_blobs(str(documents), list(blobs))
    try:
        path = write_module(case, scratch, "models")["path"]
        asked: dict[str, Any] = {"module": "models", "path": path, "blobs": str(documents), "written": str(back)}
        if file.values is not None:
            session.known.discard(("data", "values"))
            asked["data"] = session.add_value("values", schema.as_data(), list(file.values))
        if file.content.lines and "stream" in case.operations:
            lines.write_bytes(file.content.content)
            asked["stream"] = str(lines)
        reply = session.call(FILES, "returned", **asked)
    except Fault as fault:
        return Returned(file.name, len(blobs), fault.reason, len(blobs))
    written = read_blobs(str(back))
    refused = {number for number, _ in reply["refused"]}
    words = {"misread": LOST, "whole": AS_INT}
    differences = [Change(kind, *_misread(reply[word], file.content)) for word, kind in words.items() if word in reply]
    if "encode" in case.operations:
        pairs = [(b, w) for number, (b, w) in enumerate(zip(blobs, written, strict=True)) if number not in refused]
        differences += _changes(pairs, file.content, schema)
    refusal = ""
    if reply["refused"]:
        number, refusal = reply["refused"][0]
        refusal = f"line {number + 1}: {refusal}" if file.content.lines else refusal
    return Returned(file.name, len(blobs), refusal, reply["refusals"], tuple(differences))


def _changes(pairs: Sequence[tuple[bytes, bytes]], content: FileBytes, schema: Schema) -> list[Change]:
    read: Callable[[bytes], Any] = partial(parsed_as, content.format)
    read = {"json": parse, "msgpack": _read_msgpack}.get(content.format, read)
    try:
        after = [read(blob) for _, blob in pairs]
    except (ValueError, RecursionError, WorkloadError) as error:
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


def unknown_key(session: WorkerSession, case: Case) -> str:
    """Return what becomes of an unknown key, as a word of `UNKNOWN_KEYS`; empty if that cannot be tried.

    The library, variant and codec of the case are probed with a record of the probes.
    """
    codec = case.codec
    if codec.format == "parquet":  # whose further columns reach the library as the keys of a dict
        (codec,) = chosen_codecs(["json/json"])
    if formats()[codec.format].typed:
        return ""
    rendered = render(case.library, case.variant, codec, STRUCTURE.schema, case.environment)
    try:
        (finding,) = tried(session, rendered, STRUCTURE, STRUCTURE.wrong[:1])[1].values()
    except Fault:
        return ""
    return FATES.get(finding.outcome, "")
