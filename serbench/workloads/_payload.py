"""Makes a data set of a file or an object that the user has."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from serbench.schema import List, Schema, SchemaError, fitted, infer, normalise
from serbench.schema.json_schema import is_json_schema
from serbench.schema.read_json_schema import from_json_schema
from serbench.workloads._contract import Dataset, WorkloadError
from serbench.workloads._read import read
from serbench.workloads._scale import scaled
from serbench.workloads._values import DEPTH, RECORDS, drawn


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the garbage collector: nothing of a document is garbage, and looking for it takes a fifth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@_uncollected()
def from_payload(
    path: str | Path,
    records: int | None = None,
    depth: int | None = None,
    seed: int = 0,
    *,
    literal_strings: bool = False,
    schema: Schema | str | Path | None = None,
) -> Dataset:
    """The data set that a file holds, with the schema inferred from it.

    Its depth is the number of objects that stand inside one another, lists not counted, as in
    generated data; its name is that of the file without folders. Of a JSON Schema the values are made.

    Args:
        path: JSON, a document a line, MessagePack, CSV or Parquet, packed with gzip or zstd or not; see `read`.
        records, depth, seed: of what it is scaled to, see `scaled`; as it is without.
        literal_strings: whether a text is nothing but a text, even if it looks like a date.
        schema: what describes the document in place of what would be inferred: the path of a JSON Schema, or a
            schema; one of a list also describes one of its items. Its integers are made as wide as the document's.

    Raises:
        WorkloadError: there is no such file, or it is not what its name says.
    """
    path = Path(path)
    blob, document = read(path)
    digest = hashlib.sha256(blob).hexdigest()
    try:
        if is_json_schema(document):
            return from_schema(path.name, from_json_schema(document, _name(path)), records, depth, seed, digest)
        if schema is None:
            described = infer(document, _name(path), literal_strings=literal_strings)
            value = normalise(document, described)
        else:
            described = schema if isinstance(schema, Schema) else read_schema(schema)
            if isinstance(described.root, List) and not isinstance(document, list):
                described = Schema(described.root.item, described.records)
            described, value = fitted(document, described)
    except SchemaError as error:
        raise WorkloadError(f"{path}: {error}") from None
    items = len(document) if isinstance(document, list) else 1
    return scaled(Dataset(path.name, items, _depth(document), 0, described, value, digest), records, depth, seed)


@_uncollected()
def schema_of(path: str | Path, *, literal_strings: bool = False) -> Schema:
    """The schema of a file: what a JSON Schema says, or what is inferred from data.

    Raises:
        WorkloadError: there is no such file, or it is not what its name says.
    """
    path = Path(path)
    document = read(path)[1]
    try:
        if is_json_schema(document):
            return from_json_schema(document, _name(path))
        return infer(document, _name(path), literal_strings=literal_strings)
    except SchemaError as error:
        raise WorkloadError(f"{path}: {error}") from None


def read_schema(path: str | Path) -> Schema:
    """The schema that a file with a JSON Schema describes.

    Raises:
        WorkloadError: there is no such file, or it holds no JSON Schema.
    """
    path = Path(path)
    _, document = read(path)
    try:
        return from_json_schema(document, _name(path))
    except SchemaError as error:
        raise WorkloadError(f"{path}: {error}") from None


def keep(value: object, folder: Path) -> Path:
    """Write a Python object as JSON into the folder, under a name that its content decides.

    Dataclasses, attrs classes, Structs and pydantic models become objects, dates and UUIDs their texts.

    Raises:
        WorkloadError: the object has something that JSON cannot hold, or the folder cannot be written.
    """
    import msgspec

    try:
        blob = msgspec.json.encode(value, enc_hook=_as_builtins)
    except (TypeError, ValueError, RecursionError, OverflowError, msgspec.MsgspecError) as error:
        raise WorkloadError(
            f"the payload cannot be written as JSON ({error}); give a file, or plain Python values"
        ) from None
    path = folder / f"object-{hashlib.sha256(blob).hexdigest()[:8]}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(blob)
    except OSError as error:
        what = f"the payload cannot be kept in {folder} ({error.strerror}); give a file"
        raise WorkloadError(f"{what}, or set $SERBENCH_STORE to a file in a folder that can be written") from None
    return path


def _as_builtins(value: Any) -> Any:
    if hasattr(value, "model_dump"):  # pydantic
        return value.model_dump(mode="json")
    if hasattr(value, "to_dict") and hasattr(value, "columns"):  # a data frame
        return value.to_dict("records")
    raise TypeError(f"no JSON for {type(value).__name__}")


def from_document(name: str, document: list[Any], schema: Schema, records: int | None, seed: int) -> Dataset:
    """A data set of a document in memory that a schema describes, scaled to that many records.

    Raises:
        SchemaError: the schema does not describe it.
        WorkloadError: a number out of range.
    """
    schema, value = fitted(document, schema)
    return scaled(Dataset(name, len(document), _depth(document), 0, schema, value), records, None, seed)


def from_schema(
    name: str, schema: Schema, records: int | None, depth: int | None, seed: int, sha256: str | None = None
) -> Dataset:
    """A data set of values that are made of a schema.

    Raises:
        WorkloadError: a number out of range, or a record that must hold itself.
    """
    count = RECORDS if records is None else records
    deep = DEPTH if depth is None else depth
    for what, number, least in (("records", count, 1), ("depth", deep, 1), ("seed", seed, 0)):
        if number < least:
            raise WorkloadError(f"{what} must be at least {least}, not {number}")
    root, value = drawn(schema, count, deep, seed)
    return Dataset(name, count, _depth(value), seed, Schema(root, schema.records), value, sha256)


def _name(path: Path) -> str:
    """What the root is called: the file's name without what says how it is written."""
    return path.name.partition(".")[0] or "record"


def _depth(document: object) -> int:
    """How many objects stand inside one another at the deepest place, at least 1."""
    depth, level = 0, [document]
    while level:
        objects = []
        while level:
            objects += [part for part in level if type(part) is dict]
            level = [item for part in level if type(part) is list for item in part if type(item) in (dict, list)]
        depth += bool(objects)
        level = [item for part in objects for item in part.values() if type(item) in (dict, list)]
    return max(depth, 1)
