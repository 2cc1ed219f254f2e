"""Data sets of the user's files and objects, sampled or scaled to more records or depth."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from serbench.errors import SchemaError, WorkloadError, and_more, visible
from serbench.model.data.dataset import Dataset, check_parameters, check_total, item_records, with_inner
from serbench.model.data.files import Content, numbers_as_texts, otherwise_in_yaml11, read
from serbench.model.data.values import DEPTH, RECORDS, draw_document, pick
from serbench.model.inference.decided import MOST_NAMED, Doubt, Overrides
from serbench.model.inference.infer import Inferred, inferred
from serbench.model.json_schema.files import read_schema, schema_in, split
from serbench.model.json_schema.write import is_json_schema
from serbench.model.names import field_name, file_words
from serbench.model.normalise import apply_schema, normalise, with_ignored, without_ignored
from serbench.model.records import (
    List,
    Map,
    Optional,
    Ref,
    Schema,
    Set,
    Type,
    Union,
    bare,
    every_value,
    member_of,
    walk_value,
)
from serbench.model.scalars import ANY, Scalar


def scale(data: Dataset, records: int | None, depth: int | None, seed: int) -> Dataset:
    """Return the data set with `records` items in its root list and `depth` levels of nested objects.

    The payload's own items come first. Further items are drawn value by value from those at the same path in the
    payload: scalars and list lengths are among those found, and optional values and members of unions are as frequent
    as found. A payload that is not a list counts as one item. If `depth` is greater than the payload's, every item gets
    a chain of further items in a new field, `inner`.

    Raises:
        WorkloadError: a number is out of range, or the payload is an empty list.
    """
    count = data.records if records is None else records
    depth = data.depth if depth is None else depth
    wanted = 1 if records is None else records  # None: the payload may be an empty list
    check_parameters(wanted, depth, seed, shallowest=data.depth, of=f"the payload {data.name}")
    check_total(count, depth, depth - data.depth + 1)
    single = not isinstance(data.schema.root, List)
    item = data.schema.item
    real = [data.value] if single else data.value
    if (count, depth) != (data.records, data.depth) and not real:
        raise WorkloadError(f"{data.name}: an empty list cannot be scaled; omit --records")
    schema, key = _with_inner(data, item) if depth > data.depth else (data.schema, "")
    pool = _Pool(item, real)

    def document(number: int) -> Any:
        random = Random(f"{seed} {number}" if number else seed)
        drawn = (pool.draw(random, data.schema) for _ in iter(int, 1))
        of_payload = real[number * count : (number + 1) * count]
        values = [*of_payload, *(next(drawn) for _ in range(count - len(of_payload)))]
        if key:
            links = [next(drawn) for _ in range(count * (depth - data.depth))]
            for record in _roots([*values, *links], item, data.schema):
                record[key] = None
            last = values
            for _ in range(depth - data.depth):
                for outer, link in zip(last, links, strict=False):
                    outer[key] = link
                last, links = links[:count], links[count:]
        return values[0] if single and count == 1 else values

    if (count, depth) == (data.records, data.depth):
        return replace(data, draw=document if real else None)
    root = item if single and count == 1 else List(item)
    return replace(
        data,
        records=count,
        depth=depth,
        seed=seed,
        schema=Schema(root, schema.records),
        value=document(0),
        draw=document,
    )


@dataclass(eq=False)
class _Pool:
    """All values at one path of the payload; pools of inner paths are built on demand."""

    type: Type
    pool: Sequence[Any]
    inner: dict[Any, _Pool] = field(default_factory=dict)

    def draw(self, random: Random, schema: Schema) -> Any:
        one = pick(random, self.pool)
        match self.type:
            case Optional(item) if one is not None:
                present = (value for value in self.pool if value is not None)
                return self._inside(None, item, present).draw(random, schema)
            case List(item) if one:
                items = self._inside(None, item, chain.from_iterable(self.pool))
                if isinstance(item, Scalar):
                    return [pick(random, items.pool) for _ in one]
                return [items.draw(random, schema) for _ in one]
            case Map(item) if one:
                values = self._inside(None, item, (value for each in self.pool for value in each.values()))
                return {key: values.draw(random, schema) for key in one}
            case Ref(name):
                tag = {schema.tags[name]: one[schema.tags[name]]} if name in schema.tags else {}
                fields = schema.record(name).fields
                places = ((f.wire, self._inside(f.wire, f.type, (v[f.wire] for v in self.pool))) for f in fields)
                return tag | {wire: pool.draw(random, schema) for wire, pool in places}
            case Union() if (member := member_of(schema, self.type, one)) is not None:
                alike = (value for value in self.pool if member_of(schema, self.type, value) == member)
                return self._inside(member, member, alike).draw(random, schema)
        return one

    def _inside(self, key: Any, type_: Type, values: Iterable[Any]) -> _Pool:
        """Return the pool of an inner path; `values` is consumed only on the first call."""
        if key not in self.inner:
            self.inner[key] = _Pool(type_, list(values))
        return self.inner[key]


def _with_inner(data: Dataset, item: Type) -> tuple[Schema, str]:
    """Return the schema with a field for a nested item in each of the item's records, and that field's key."""
    names = item_records(item)
    if not names or (isinstance(item, Union) and item.tag is None):
        raise WorkloadError(f"{data.name}: only records can be nested deeper; omit --depth")
    records = [data.schema.record(name) for name in sorted(names)]
    used = {name for record in records for f in record.fields for name in (f.name, f.wire)}
    key = field_name("inner", {*used, *data.schema.tags.values(), *(r.name for r in data.schema.records)})
    return Schema(data.schema.root, with_inner(data.schema.records, item, key)), key


def _roots(values: list[Any], item: Type, schema: Schema) -> Iterator[dict[str, Any]]:
    """Yield every object of the item's record types, including objects nested in others."""
    names = item_records(item)
    for value in values:
        for _, type_, part in walk_value(schema, item, value):
            if isinstance(type_, Ref) and type_.record in names:
                yield part


_GOLDEN = (5**0.5 - 1) / 2


class Sampling:
    """Samples a document, as parsed, of this schema; `size` is that of one sample, in bytes of JSON."""

    def __init__(self, document: Any, schema: Schema, size: int) -> None:
        self.document, self.schema, self.size = document, schema, size

    def sample(self, number: int) -> Any:
        """Return the sample of this number, from 0: each has other items, as long as there are others."""
        return self._thinned(self.schema.root, self.document, self.size, number)

    def _thinned(self, type_: Type, value: Any, size: float, number: int) -> Any:
        whole = _size(value)
        if whole <= size:
            return value
        type_ = self._bare(type_, value)
        if isinstance(value, list) and value and (isinstance(type_, List | Set) or type_ == ANY):
            item = type_.item if isinstance(type_, List | Set) else ANY
            return [
                self._thinned(item, value[i], part, number) for i, part in _sample_parts(value, size, whole, number)
            ]
        if isinstance(value, dict) and isinstance(type_, Map) and value:
            keys, values = list(value), list(value.values())
            parts = _sample_parts(values, size, whole, number)
            return {keys[i]: self._thinned(type_.value, values[i], part, number) for i, part in parts}
        if isinstance(value, dict):
            fields = self.schema.record(type_.record).fields if isinstance(type_, Ref) else ()
            types = {f.wire: f.type for f in fields}
            return {
                key: self._thinned(types.get(key, ANY), one, _size(one) * size / whole, number)
                for key, one in value.items()
            }
        return value

    def _bare(self, type_: Type, value: Any) -> Type:
        """Return the type of the value inside an optional type, a root record, or a union of lists and others."""
        while True:
            match type_ := bare(type_):
                case Ref(name) if self.schema.record(name).root in ("alias", "one"):
                    type_ = self.schema.record(name).fields[0].type
                case Union() if (member := member_of(self.schema, type_, value)) is not None:
                    type_ = member
                case _:
                    return type_


def _sample_parts(items: Sequence[Any], size: float, whole: int, number: int) -> list[tuple[int, float]]:
    """Return which items to keep, and how large each may be.

    Items that are larger than the sample keep their part of it, so that no number misses them.
    """
    share, sizes = size / whole, list(map(_size, items))
    large = [index for index, one in enumerate(sizes) if one > size]
    few, rest = _evenly(large, share, number), [index for index, one in enumerate(sizes) if one <= size]
    each = share * sum(sizes[index] for index in large) / (len(few) or 1)
    kept = [(index, each) for index in few] + [(index, size) for index in _evenly(rest, share, number)]
    return sorted(kept)


def _evenly(items: Sequence[int], share: float, number: int) -> list[int]:
    """Return this share of the items, at least one, evenly over all of them; other numbers begin elsewhere."""
    count = min(len(items), max(1, round(len(items) * share)))
    step, start = len(items) / (count or 1), number * _GOLDEN % 1
    return [items[int((turn + start) * step)] for turn in range(count)]


def _size(value: Any) -> int:
    """Return the bytes of a value as JSON."""
    import msgspec

    return len(msgspec.json.encode(value))


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
    sample: int = 0,
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
        sample: number of records to read; 0 for all, see `read`.
        sample_bytes: size of the documents that are taken out of a larger one, with fewer items of its lists and maps,
            if neither `records` nor `depth` is given; by default it is measured whole.

    Raises:
        WorkloadError: the file does not exist or cannot be read, or a parameter is out of range.
    """
    path, fragment = split(path)
    content, document = read(path, sample)
    name, digest = visible(path.name), content.sha256
    try:
        if fragment or is_json_schema(document):
            _check_not_decided(overrides)
            return from_schema(name, schema_in(path, document, fragment), records, depth, seed, digest)
        sampled = (
            sample_bytes is not None and records is None and depth is None and len(content.unpacked) > sample_bytes
        )
        doubts = _of_the_file(path, content, document)
        if schema is None:
            decided = replace(overrides or Overrides(), known_maps=content.maps)
            reading = inferred(document, _name(path), literal_strings=literal_strings, overrides=decided)
            described, doubts = reading.schema, doubts + reading.doubts
            value = None if sampled else normalise(document, described)
        else:
            described, value = schema(document) if callable(schema) else _applied(document, schema)
        if sample_bytes is not None and sampled:
            neutral = _like(described, schema if callable(schema) else None)
            parts = _parts(name, Sampling(document, described, sample_bytes), neutral)
            return replace(parts, sha256=digest, doubts=doubts, unread=content.unread)
    except SchemaError as error:
        raise WorkloadError(f"{path}: {error}") from None
    items = len(document) if isinstance(document, list) else 1
    data = Dataset(name, items, _depth(document), 0, described, value, digest, doubts=doubts, unread=content.unread)
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
    return apply_schema(document, with_ignored(document, described), mixed=False)


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
def schema_of(
    path: str | Path,
    *,
    literal_strings: bool = False,
    overrides: Overrides | None = None,
    sample: int = 0,
) -> Inferred:
    """Return the schema of a file: inferred from data, perhaps with doubts, or described by a JSON Schema.

    Raises:
        WorkloadError: the file does not exist or cannot be read.
    """
    path, fragment = split(path)
    content, document = read(path, sample)
    try:
        if fragment or is_json_schema(document):
            _check_not_decided(overrides)
            return Inferred(schema_in(path, document, fragment))
        decided = replace(overrides or Overrides(), known_maps=content.maps)
        reading = inferred(document, _name(path), literal_strings=literal_strings, overrides=decided)
        return replace(reading, doubts=_of_the_file(path, content, document) + reading.doubts)
    except SchemaError as error:
        raise WorkloadError(f"{path}: {error}") from None


def _of_the_file(path: Path, content: Content, document: Any) -> tuple[Doubt, ...]:
    """Doubt what is inferred of a part of a file, numbers that are texts since no float keeps them, and YAML that others read otherwise."""
    part = (Doubt((), content.unread, "the rest may have other keys and types"),) if content.unread else ()
    says = "text, though all are numbers: floats would lose digits, or make two texts one"
    texts = (
        Doubt((key,), says, "write them with fewer digits and alike, or as JSON")
        for key in numbers_as_texts(path, content.unpacked, document)
    )
    old = [f"`{visible(text[:40])}`" for text in otherwise_in_yaml11(path, content.unpacked)]
    plain = f"read as YAML 1.2 does: YAML 1.1, as PyYAML reads it, takes {and_more(old, MOST_NAMED)} otherwise"
    return (*part, *texts, *([Doubt((), plain, "quotes make them texts in both")] if old else []))


def _check_not_decided(overrides: Overrides | None) -> None:
    """Raise SchemaError if the user decides by path in a JSON Schema, which says everything itself."""
    if overrides is not None and overrides.any:
        raise SchemaError("--map, --record, --union, --text and --any have no effect on a JSON Schema; omit them")


def as_document(value: object) -> bytes:
    """Return a Python object as JSON.

    Instances of dataclasses, attrs, msgspec and pydantic classes become objects; dates and UUIDs become text.

    Raises:
        WorkloadError: JSON cannot represent the object.
    """
    import msgspec

    try:
        document = msgspec.to_builtins(value, enc_hook=_as_builtins)
        for part in every_value(document):
            if isinstance(part, float) and not math.isfinite(part):
                raise ValueError(f"{part} is not a JSON number")
            if isinstance(part, dict) and len(set(map(str, part))) < len(part):
                raise ValueError("two keys are one as texts")
        return msgspec.json.encode(document)
    except Exception as error:  # of msgspec, or whatever a class of the user's raises
        raise WorkloadError(
            f"this object cannot be written as JSON ({error}); pass a file or plain Python values"
        ) from None


def _as_builtins(value: Any) -> Any:
    if isinstance(value, type):
        raise TypeError("a class has no JSON form")
    if hasattr(value, "model_dump"):  # pydantic
        return value.model_dump(mode="json")
    if hasattr(value, "to_dicts"):  # a data frame of polars
        if "time_unit='ns'" in str(value.dtypes):  # which it would cut
            raise ValueError("a column has nanoseconds, which Python's times do not hold")
        return value.to_dicts()
    if hasattr(value, "to_dict") and hasattr(value, "columns"):  # of pandas
        if not value.columns.is_unique:
            raise ValueError(f"two columns have the name {value.columns[value.columns.duplicated()][0]!r}")
        return value.astype(object).where(value.notna(), None).to_dict("records")
    if getattr(value, "nanosecond", getattr(value, "nanoseconds", 0)) > 0:
        raise ValueError(f"{value} has nanoseconds, which Python's times do not hold")
    if isinstance(value, datetime):  # of a subclass, such as that of pandas
        return datetime.combine(value.date(), value.timetz())
    if isinstance(value, timedelta):
        return timedelta(value.days, value.seconds, value.microseconds)
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
    """Return the name of the root: the words of the file name up to its first dot, unless it begins as an identifier of data."""
    words = file_words(path.name.partition(".")[0])
    return "record" if not words or words[0].isdigit() else words


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
