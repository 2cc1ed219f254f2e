"""Makes data sets from the user's files and objects."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from serbench.errors import SchemaError, WorkloadError, visible
from serbench.model.data.dataset import Dataset, check_parameters
from serbench.model.data.files import read
from serbench.model.data.sample import Sampling
from serbench.model.data.scale import scale
from serbench.model.data.values import DEPTH, RECORDS, draw_document
from serbench.model.inference.decided import Doubt, Overrides
from serbench.model.inference.infer import Inferred, inferred
from serbench.model.json_schema.files import read_schema, schema_in, split
from serbench.model.json_schema.write import is_json_schema
from serbench.model.normalise import apply_schema, normalise, with_ignored, without_ignored
from serbench.model.records import Schema
from serbench.model.types import List

Describe: TypeAlias = Callable[[Any], tuple[Schema, Any]]


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the garbage collector, which takes a fifth of the time and finds no garbage in a document."""
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
    overrides: Overrides | None = None,
    schema: Schema | str | Path | Describe | None = None,
    sample_bytes: int | None = None,
) -> Dataset:
    """Read a data set from a file and infer its schema; if the file is a JSON Schema, generate values for it.

    The data set's depth is the number of nested objects, not counting lists, as in generated data; its name is the file
    name.

    Args:
        path: a JSON, JSON Lines, MessagePack, YAML, TOML, CSV or Parquet file, optionally compressed with gzip or zstd; see
            `read`.
        records: number of records to scale to, see `scale`; default: those in the file.
        depth: depth to scale to; default: that of the file.
        seed: random seed for scaling.
        literal_strings: keep every text a text, even if it looks like a date.
        overrides: what the user decides by path.
        schema: schema to use in place of inference, or the path of a JSON Schema. The schema of a list also accepts
            one item. Its integer types are widened to the document. A function returns the schema of the document, and
            its neutral value.
        sample_bytes: size of the documents that are taken out of a larger one, with fewer items of its lists and maps,
            if neither `records` nor `depth` is given; by default it is measured whole.

    Raises:
        WorkloadError: the file does not exist or cannot be read, or a parameter is out of range.
    """
    path, fragment = split(path)
    blob, document = read(path)
    name = visible(path.name)
    digest = hashlib.sha256(blob).hexdigest()
    try:
        if fragment or is_json_schema(document):
            _check_not_decided(overrides)
            return from_schema(name, schema_in(path, document, fragment), records, depth, seed, digest)
        sampled = sample_bytes is not None and records is None and depth is None and len(blob) > sample_bytes
        doubts: tuple[Doubt, ...] = ()
        if schema is None:
            reading = inferred(document, _name(path), literal_strings=literal_strings, overrides=overrides)
            described, doubts = reading.schema, reading.doubts
            value = None if sampled else normalise(document, described)
        else:
            described, value = schema(document) if callable(schema) else _applied(document, schema)
        if sample_bytes is not None and sampled:
            neutral = _like(described, schema if callable(schema) else None)
            parts = _parts(name, Sampling(document, described, sample_bytes), neutral)
            return replace(parts, sha256=digest, doubts=doubts)
    except SchemaError as error:
        raise WorkloadError(f"{path}: {error}") from None
    items = len(document) if isinstance(document, list) else 1
    data = Dataset(name, items, _depth(document), 0, described, value, digest, doubts=doubts)
    return scale(data, records, depth, seed)


def _like(described: Schema, describe: Describe | None) -> Describe:
    """A function that gives the value of a part of a document in the terms of the whole."""

    def neutral(part: Any) -> tuple[Schema, Any]:
        schema, value = describe(part) if describe else (described, None)
        alike = describe and [record.name for record in schema.records] == [record.name for record in described.records]
        alike = alike and without_ignored(described) == described  # a part may lack what is ignored
        return described, value if alike else normalise(part, described)

    return neutral


def _applied(document: Any, schema: Schema | str | Path) -> tuple[Schema, Any]:
    described = schema if isinstance(schema, Schema) else read_schema(schema)
    if isinstance(described.root, List) and not isinstance(document, list):
        described = Schema(described.root.item, described.records)
    return apply_schema(document, with_ignored(document, described))


def _parts(name: str, sampling: Sampling, neutral: Describe) -> Dataset:
    """Make a data set of documents that are taken out of a large one; `neutral` gives the neutral value of each."""
    first = sampling.sample(0)
    records = len(first) if isinstance(first, list) else 1
    return Dataset(
        name,
        records,
        _depth(first),
        0,
        sampling.schema,
        neutral(first)[1],
        draw=lambda number: neutral(sampling.sample(number))[1],
        sampled=first != sampling.document,
    )


@_uncollected()
def schema_of(path: str | Path, *, literal_strings: bool = False, overrides: Overrides | None = None) -> Inferred:
    """Return the schema of a file: inferred from data, perhaps with doubts, or described by a JSON Schema.

    Raises:
        WorkloadError: the file does not exist or cannot be read.
    """
    path, fragment = split(path)
    document = read(path)[1]
    try:
        if fragment or is_json_schema(document):
            _check_not_decided(overrides)
            return Inferred(schema_in(path, document, fragment))
        return inferred(document, _name(path), literal_strings=literal_strings, overrides=overrides)
    except SchemaError as error:
        raise WorkloadError(f"{path}: {error}") from None


def _check_not_decided(overrides: Overrides | None) -> None:
    """Raise SchemaError if the user decides by path in a JSON Schema, which says everything itself."""
    if overrides is not None and overrides.any:
        raise SchemaError(
            "this is a JSON Schema, in which --map, --record, --union and --text decide nothing; omit them"
        )


def as_document(value: object) -> bytes:
    """Return a Python object as JSON.

    Instances of dataclasses, attrs, msgspec and pydantic classes become objects; dates and UUIDs become text.

    Raises:
        WorkloadError: JSON cannot represent the object.
    """
    import msgspec

    try:
        return msgspec.json.encode(value, enc_hook=_as_builtins)
    except (TypeError, ValueError, RecursionError, OverflowError, msgspec.MsgspecError) as error:
        raise WorkloadError(
            f"this object cannot be written as JSON ({error}); pass a file or plain Python values"
        ) from None


def _as_builtins(value: Any) -> Any:
    if hasattr(value, "model_dump"):  # pydantic
        return value.model_dump(mode="json")
    if hasattr(value, "to_dict") and hasattr(value, "columns"):  # a data frame
        return value.to_dict("records")
    raise TypeError(f"{type(value).__name__} has no JSON form")


def from_document(name: str, document: list[Any], schema: Schema, records: int | None, seed: int) -> Dataset:
    """Make a data set from a document in memory and its schema, scaled to `records` records.

    Raises:
        SchemaError: the document does not match the schema.
        WorkloadError: a number is out of range.
    """
    schema, value = apply_schema(document, schema)
    return scale(Dataset(name, len(document), _depth(document), 0, schema, value), records, None, seed)


def from_schema(
    name: str, schema: Schema, records: int | None, depth: int | None, seed: int, sha256: str | None = None
) -> Dataset:
    """Generate a data set of random values for a schema.

    Raises:
        WorkloadError: a number is out of range, or a record must contain itself endlessly.
    """
    count = RECORDS if records is None else records
    deep = DEPTH if depth is None else depth
    check_parameters(count, deep, seed)
    root, value = draw_document(schema, count, deep, Random(seed))

    def document(number: int) -> Any:
        return draw_document(schema, count, deep, Random(f"{seed} {number}"))[1]

    return Dataset(name, count, _depth(value), seed, Schema(root, schema.records), value, sha256, document)


def _name(path: Path) -> str:
    """Return the name of the root: the file name up to its first dot."""
    return path.name.partition(".")[0] or "record"


def _depth(document: object) -> int:
    """Return the number of nested objects at the deepest place, at least 1."""
    depth, level = 0, [document]
    while level:
        objects = []
        while level:
            objects += [part for part in level if type(part) is dict]
            level = [item for part in level if type(part) is list for item in part if type(item) in (dict, list)]
        depth += bool(objects)
        level = [item for part in objects for item in part.values() if type(item) in (dict, list)]
    return max(depth, 1)
