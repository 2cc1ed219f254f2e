"""Converts a document to the neutral value of its schema, whether inferred or given by the user."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from serbench.errors import SchemaError
from serbench.model.fidelity.kinds import KINDS
from serbench.model.names import field_names
from serbench.model.records import (
    REQUIRED,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Schema,
    Set,
    Tuple,
    Type,
    Union,
    json_type,
    replace_inner,
    walk_value,
)
from serbench.model.scalars import (
    ANY,
    DATES,
    INTEGER_KINDS,
    INTEGERS,
    JSON_KINDS,
    MOMENTS,
    READERS,
    STR,
    TIME,
    Scalar,
    integer,
    scalar_of,
)
from serbench.results import grouped

_Convert: TypeAlias = Callable[[Any], Any]
_TOO_FINE = re.compile(r"[.,]\d{6}\d*[1-9]")  # than microseconds


def normalise(document: object, schema: Schema) -> Any:
    """Return the neutral value of a document whose schema was inferred from it or from a document of the same shape.

    Objects become new dicts with every field; unchanged parts are shared, not copied.

    Raises:
        SchemaError: a value, key or text does not match the schema.
    """
    return _Normalising(schema, checked=False).neutral(document)


def apply_schema(document: object, schema: Schema, *, mixed: bool = True) -> tuple[Schema, Any]:
    """Return the schema with its integers and datetimes as the document has them, and the document's neutral value.

    For schemas from other sources than inference: texts, ints and booleans are checked too. The datetimes of a field
    have an offset from UTC or none, as in the document; only with `mixed`, some may have one and others none, and times
    have one: without it, these are texts, since several formats have no such times.

    Raises:
        SchemaError: a value, key or text does not match the schema.
    """
    normalising = _Normalising(schema, checked=True)
    value = normalising.neutral(document)
    for (record, name), kinds in normalising.moments.items():
        if kinds >= MOMENTS and not mixed:
            where = f"{record}.{name}: " if record else ""
            raise SchemaError(f"{where}some datetimes have an offset from UTC and others none; describe them as text")
    described = _described(schema, normalising, mixed=mixed)
    if not mixed and any(STR.kind in kinds for kinds in normalising.moments.values()):
        value = _Normalising(described, checked=True).neutral(document)
    return described, value


def fitting(schema: Schema) -> Callable[[Type, object], bool]:
    """Return what tells if a document fits a type of the schema, whatever the sizes of its integers."""
    normalising = _Normalising(schema, checked=True)

    def fits(type_: Type, document: object) -> bool:
        try:
            normalising.converter(type_)(document)
        except (SchemaError, RecursionError):
            return False
        return True

    return fits


def fitted(document: object, schema: Schema) -> Any:
    """Return the neutral value of a document that the schema describes as it is, whether inferred from others or not.

    Raises:
        SchemaError: a value, key, text or number does not match the schema.
    """
    described, value = apply_schema(document, schema)
    if described != schema:
        raise SchemaError("an integer or a datetime is of another kind than those of the schema")
    return value


def with_ignored(document: object, schema: Schema) -> Schema:
    """Return the schema with a field of any JSON for each key of the document that its open records have no field for.

    Raises:
        SchemaError: as `apply_schema`, of anything else.
    """
    normalising = _Normalising(schema, checked=True)
    normalising.further = {record.name: {} for record in schema.records if record.is_open and _is_alone(schema, record)}
    normalising.neutral(document)
    return replace(schema, records=tuple(_with(record, normalising.further) for record in schema.records))


def without_ignored(schema: Schema) -> Schema:
    """Return the schema with the fields alone that are read."""
    read = ((record, tuple(f for f in record.fields if not f.ignored)) for record in schema.records)
    return replace(schema, records=tuple(replace(record, fields=fields) for record, fields in read))


def _is_alone(schema: Schema, record: Record) -> bool:
    """Return False if the keys of a document tell the record from another."""
    unions = (t.members for t in schema.types() if isinstance(t, Union) and t.tag is None)
    return not any(Ref(record.name) in members and sum(isinstance(m, Ref) for m in members) > 1 for members in unions)


def _with(record: Record, further: Mapping[str, Mapping[str, None]]) -> Record:
    names = field_names(further.get(record.name, ()), {f.name for f in record.fields})
    more = [Field(name, Optional(ANY), None if name == key else key, None, ignored=True) for key, name in names.items()]
    return replace(record, fields=(*record.fields, *more))


def misfits(schema: Schema) -> Iterator[tuple[str, Field, str]]:
    """Yield the record, the field and the reason of each default that no field can have.

    A default is what a document would hold; it must be a value of the field's type and hold no record.
    """
    normalising = _Normalising(schema, checked=True)
    for record in schema.records:
        for f in record.fields:
            if f.required or f.default is None:
                continue
            normalising.key = (record.name, f.name)
            if _holds_record(schema, f.type, f.default):
                yield record.name, f, "is an object of a record"
                continue
            try:
                normalising.converter(f.type)(f.default)
            except SchemaError as error:
                yield record.name, f, f"does not fit: {error}"


def _holds_record(schema: Schema, type_: Type, value: object) -> bool:
    inside = walk_value(schema, type_, value)
    kinds = (inner for _, inner, part in inside if part is not None)
    return any(isinstance(inner, Ref) or (isinstance(inner, Union) and inner.tag is not None) for inner in kinds)


class _Normalising:
    def __init__(self, schema: Schema, *, checked: bool) -> None:
        self.schema, self.checked = schema, checked
        self.extents: dict[
            tuple[str, str], list[int]
        ] = {}  # smallest and greatest int of each field; of none the root's
        self.moments: dict[
            tuple[str, str], set[str]
        ] = {}  # the kinds of its datetimes, and of times with an offset text
        self.further: dict[str, dict[str, None]] = {}  # of the records that may have further keys, those that they have
        self._plans: dict[str, list[tuple[str, Field, _Convert | None]]] = {
            record.name: [] for record in schema.records
        }
        self.records = {record.name: self._record(record) for record in schema.records}
        for record in schema.records:
            for f in record.fields:
                self.key = (record.name, f.name)
                self._plans[record.name].append((f.wire, f, self._inner(f.type)))
        self.key = ("", "")

    def neutral(self, document: object) -> Any:
        try:
            return self.converter(self.schema.root)(document)
        except RecursionError:
            raise SchemaError("the document is nested too deeply for Python's stack; flatten it") from None

    def converter(self, type_: Type) -> _Convert:
        return self._inner(type_) or (lambda value: value)

    def _inner(self, type_: Type) -> _Convert | None:
        """Return the type's converter, or None if values need no conversion."""
        match type_:
            case Scalar(kind) if kind in INTEGER_KINDS and self.checked:
                return self._integer()
            case Scalar(kind) if kind in (*MOMENTS, TIME.kind) and self.checked:
                return self._moment(kind)
            case Scalar("float"):
                return _to_float
            case Scalar(kind) if kind in JSON_KINDS:
                return _exactly(KINDS[kind].cls) if self.checked else None
            case Scalar(kind) if kind in READERS:
                return _from_text(kind)
            case Scalar():
                return None
            case Enum():
                return _member(type_)
            case List(Scalar("float")):
                return _to_floats
            case Optional(item):
                inner = self._inner(item)
                return inner and _optional(inner)
            case List(item):
                inner = self._inner(item)
                return _each(inner) if inner or self.checked else None
            case Map(item):
                inner = self._inner(item)
                return _each_value(inner) if inner or self.checked else None
            case Set(item):
                return _set(self.converter(item))
            case Tuple(items):
                return _tuple([self.converter(item) for item in items])
            case Ref(name):
                return self.records[name]
            case Union(members, str() as tag):
                refs = [member for member in members if isinstance(member, Ref)]
                return _by_tag(tag, {self.schema.record(m.record).tag_value: self.records[m.record] for m in refs})
            case Union(members):
                read = [m for m in members if isinstance(m, Scalar) and m.kind in READERS]
                kinds: dict[type, list[Type]] = {KINDS[m.kind].cls: [m] for m in read}
                kinds |= grouped(members, json_type)
                kinds.update({str: [STR]} if STR in members else {})  # beside texts, a text is one, and no date
                return _by_kind({kind: self._first_of(some) for kind, some in kinds.items()})

    def _first_of(self, members: list[Type]) -> _Convert | None:
        """The conversion by the first of several members that takes a value."""
        *earlier, last = map(self.converter, members)
        if not earlier:
            return self._inner(members[0])

        def convert(value: Any) -> Any:
            for one in earlier:
                with suppress(SchemaError):
                    return one(value)
            return last(value)

        return convert

    def _integer(self) -> _Convert:
        extent = self.extents.setdefault(self.key, [0, 0])

        def convert(value: Any) -> Any:
            value = _checked(_whole(value), int)
            if value < extent[0]:
                extent[0] = value
            elif value > extent[1]:
                extent[1] = value
            return value

        return convert

    def _moment(self, kind: str) -> _Convert:
        met, read = self.moments.setdefault(self.key, set()), _from_text(kind)

        def convert(value: Any) -> Any:
            made = read(value)
            met.add(STR.kind if kind == TIME.kind and made.tzinfo else scalar_of(made).kind)
            return made

        return convert

    def _record(self, record: Record) -> _Convert:
        plan, name = self._plans[record.name], record.name
        tag = self.schema.tags.get(name)

        def convert(value: Any) -> Any:
            get = _checked(value, dict).get
            converted = {} if tag is None else {tag: get(tag)}
            for wire, f, inner in plan:  # a field's `wire` is computed, which takes a tenth of the time here
                item = get(wire)
                if item is None and f.default is not None and wire not in value:
                    item = f.fill if f.required else f.default
                    if item is REQUIRED and self.checked:
                        raise SchemaError(f"{name}.{wire}: the schema requires this key, but the document lacks it")
                    item = None if item is REQUIRED else item
                try:
                    converted[wire] = item if inner is None else inner(item)
                except SchemaError as error:
                    raise SchemaError(f"{name}.{wire}: {error}") from None
            if not value.keys() <= converted.keys():
                if name in self.further:
                    self.further[name] |= dict.fromkeys(key for key in value if key not in converted)
                    return converted
                surplus = next(key for key in value if key not in converted)
                raise SchemaError(f"record {name}: the schema has no field for the key {surplus!r}")
            return converted

        return convert


def _optional(inner: _Convert) -> _Convert:
    return lambda value: None if value is None else inner(value)


def _each(inner: _Convert | None) -> _Convert:
    if inner is None:
        return _exactly(list)
    return lambda value: list(map(inner, _checked(value, list)))


def _each_value(inner: _Convert | None) -> _Convert:
    if inner is None:
        return _exactly(dict)
    return lambda value: {key: inner(item) for key, item in _checked(value, dict).items()}


def _set(inner: _Convert) -> _Convert:
    def convert(value: Any) -> Any:
        items = set(map(inner, _checked(value, list)))
        if len(items) < len(value):
            raise SchemaError("the schema requires a set, but the document has an item twice")
        return items

    return convert


def _tuple(parts: list[_Convert]) -> _Convert:
    def convert(value: Any) -> Any:
        if len(_checked(value, list)) != len(parts):
            raise SchemaError(f"the schema requires {len(parts)} items, but the document has {len(value)}")
        return tuple(part(item) for part, item in zip(parts, value, strict=True))

    return convert


def _member(enum: Enum) -> _Convert:
    values = [value for _, value in enum.members]

    def convert(value: Any) -> Any:
        if enum.kinds <= {str, int}:
            value = _whole(value)
        if value not in values or isinstance(value, bool):
            raise SchemaError(
                f"the schema requires one of {', '.join(map(repr, values))}, but the document has {value!r}"
            )
        return value

    return convert


def _exactly(kind: type) -> _Convert:
    return lambda value: _checked(value, kind)


def _whole(value: Any) -> Any:
    """Return a float without a fraction as an int, as JSON Schema takes 1.0 for an integer; else the value."""
    return int(value) if type(value) is float and value.is_integer() else value


def _checked(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise SchemaError(f"the schema requires {kind.__name__}, but the document has {type(value).__name__}")
    return value


def _by_kind(converters: dict[type, _Convert | None]) -> _Convert:
    if float in converters:
        converters.setdefault(int, converters[float])

    def convert(value: Any) -> Any:
        if type(value) is float and float not in converters and int in converters:
            value = _whole(value)
        if type(value) not in converters:
            kinds = ", ".join(sorted(kind.__name__ for kind in converters))
            raise SchemaError(f"the schema requires {kinds}, but the document has {type(value).__name__}")
        inner = converters[type(value)]
        return value if inner is None else inner(value)

    return convert


def _by_tag(tag: str, converters: dict[str | int | None, _Convert]) -> _Convert:
    def convert(value: Any) -> Any:
        convert_member = converters.get(_checked(value, dict).get(tag))
        if convert_member is None:
            known = ", ".join(sorted(map(str, filter(None, converters))))
            raise SchemaError(f"the schema requires {known} as {tag!r}, but the document has {value.get(tag)!r}")
        return convert_member(value)

    return convert


def _from_text(kind: str) -> _Convert:
    """Return a converter from text; values that the document's format already parsed are kept."""
    class_, read = KINDS[kind].cls, READERS[kind]

    def convert(value: Any) -> Any:
        if isinstance(value, class_):
            return value.astimezone(UTC) if isinstance(value, datetime) and kind == "datetime" else value
        seconds = kind == "timedelta" and type(value) in (int, float)
        text = value if seconds else _checked(value, str)
        try:
            made = timedelta(seconds=value) if seconds else read(text)
        except (ValueError, OverflowError):
            what = "a number" if seconds else f"the text {text[:60]!r}"
            raise SchemaError(f"the schema requires {kind}, but the document has {what}") from None
        if kind in DATES and _TOO_FINE.search(text):
            raise SchemaError(f"{text!r} has more digits of a second than {kind} holds; describe it as text")
        return made

    return convert


def _to_float(value: Any) -> Any:
    if type(value) is float:
        return value
    try:
        number = float(_checked(value, int))
    except OverflowError:
        number = math.inf
    if number != value:
        raise SchemaError("the schema requires float, but the document has an int that no float holds exactly")
    return number


def _to_floats(value: Any) -> Any:
    if set(map(type, _checked(value, list))) <= {float}:
        return value
    return list(map(_to_float, value))


def _described(schema: Schema, met: _Normalising, *, mixed: bool) -> Schema:
    """Return the schema with integers wide enough for those of each field, and its kind of datetimes and times."""

    def of(type_: Type, key: tuple[str, str]) -> Type:
        if not isinstance(type_, Scalar):
            return replace_inner(type_, lambda inner: of(inner, key))
        if type_ in INTEGERS:
            low, high = met.extents.get(key, (0, 0))
            return integer(low, high, type_)
        moments = met.moments.get(key, set())
        if type_ == TIME and STR.kind in moments and not mixed:
            return STR
        return Scalar(*moments & MOMENTS) if type_.kind in MOMENTS and len(moments & MOMENTS) == 1 else type_

    records = (
        (record, tuple(replace(f, type=of(f.type, (record.name, f.name))) for f in record.fields))
        for record in schema.records
    )
    return Schema(of(schema.root, ("", "")), tuple(replace(record, fields=fields) for record, fields in records))
