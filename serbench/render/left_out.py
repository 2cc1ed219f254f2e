"""Finds what a written document leaves out: fields that are absent, and fields that have their default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from serbench.judge.outcomes import ABSENT, DEFAULTS
from serbench.model.inference.infer import neutral_class
from serbench.model.normalise import normalise
from serbench.model.records import List, Map, Optional, Record, Ref, Schema, Tuple, Type, Union

_Change: TypeAlias = Callable[[Record, dict[str, Any], dict[str, Any]], dict[str, Any]]


@dataclass
class LeftOut:
    """The keys that documents leave out where the value is null, or another one; and those that they write as null."""

    absent: set[str] = field(default_factory=set)
    defaults: set[str] = field(default_factory=set)
    nulls: set[str] = field(default_factory=set)

    @property
    def words(self) -> str:
        """The part of the work class that says so: "absent left out", with the keys that are written as null; or ""."""
        if not self.absent and not self.defaults:
            return ""
        kept = f" (but {', '.join(sorted(self.nulls))})" if self.nulls else ""
        return (DEFAULTS if self.defaults else ABSENT) + kept

    def __or__(self, other: LeftOut) -> LeftOut:
        """What either leaves out."""
        return LeftOut(self.absent | other.absent, self.defaults | other.defaults, self.nulls | other.nulls)

    def fill(self, schema: Schema, value: Any, written: Any) -> Any:
        """The written document with the value of each key that it leaves out; what it leaves out is taken down here."""

        def filled(record: Record, value: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
            whole = dict(written)
            for f in record.fields:
                if f.wire not in value:
                    continue  # of another member of a union, which has the same keys outside
                if f.wire not in written:
                    (self.absent if value[f.wire] is None else self.defaults).add(f.wire)
                    whole[f.wire] = value[f.wire]
                elif value[f.wire] is None and written[f.wire] is None:
                    self.nulls.add(f.wire)
            return whole

        return _changed(schema, schema.root, value, written, filled)


def with_absent(schema: Schema, written: Any) -> Schema:
    """The schema of a document, with the keys that some of its records lack, and none has as null, as absent ones."""
    lacking, null = set[tuple[str, str]](), set[tuple[str, str]]()

    def noted(record: Record, _value: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
        lacking.update((record.name, f.wire) for f in record.fields if f.wire not in written)
        null.update((record.name, key) for key, item in written.items() if item is None)
        return written

    _changed(schema, schema.root, normalise(written, schema), written, noted)
    absent_keys = lacking - null
    absent = {
        record.name: tuple(f.wire for f in record.fields if (record.name, f.wire) in absent_keys)
        for record in schema.records
    }
    return Schema(schema.root, tuple(replace(record, absent=absent[record.name]) for record in schema.records))


def with_absent_of(schema: Schema, user_schema: Schema) -> Schema:
    """The schema of documents with the keys that are absent in the records of the same name of a class's own schema."""
    absent = {record.name: record.absent for record in user_schema.records}
    return Schema(schema.root, tuple(replace(record, absent=absent.get(record.name, ())) for record in schema.records))


def without_absent(schema: Schema, value: Any) -> Any:
    """The value of a class's own schema without the keys that are absent and never null."""

    def lacking(record: Record, value: dict[str, Any], _written: dict[str, Any]) -> dict[str, Any]:
        return {key: item for key, item in value.items() if item is not None or key not in record.absent}

    if not any(record.absent for record in schema.records):
        return value
    return _changed(schema, schema.root, value, value, lacking)


def without_computed(schema: Schema, value: Any) -> Any:
    """The document without the keys that a class computes, which are no fields."""

    def lacking(record: Record, value: dict[str, Any], _written: dict[str, Any]) -> dict[str, Any]:
        return {key: item for key, item in value.items() if key not in record.computed}

    return _changed(schema, schema.root, value, value, lacking)


def without_unknown(schema: Schema, value: Any) -> Any:
    """The document without the keys that no field of its records has."""

    def known(record: Record, value: dict[str, Any], _written: dict[str, Any]) -> dict[str, Any]:
        keys = {f.wire for f in record.fields} | {schema.tags.get(record.name)}
        return {key: item for key, item in value.items() if key in keys}

    return _changed(schema, schema.root, value, value, known)


def _changed(schema: Schema, root: Type, value: Any, written: Any, change: _Change) -> Any:
    """What is written of a value of the type, with each record changed."""
    nested = {record.name: {f.wire: f.type for f in record.fields if _has_records(f.type)} for record in schema.records}

    def inner(type_: Type, value: Any, written: Any) -> Any:
        match type_:
            case Ref(name) if isinstance(written, dict) and isinstance(value, dict):
                made = change(schema.record(name), value, written)
                below = {
                    key: inner(type_, value[key], made[key])
                    for key, type_ in nested[name].items()
                    if key in made and key in written
                }
                return {**made, **below}
            case Optional(item) if value is not None:
                return inner(item, value, written)
            case List(item) if _alike(value, written) and _has_records(item):
                return [inner(item, v, w) for v, w in zip(value, written, strict=True)]
            case Tuple(items) if _alike(value, written):
                return [inner(t, v, w) for t, v, w in zip(items, value, written, strict=True)]
            case Map(item) if isinstance(written, dict):
                return {key: inner(item, value[key], w) if key in value else w for key, w in written.items()}
            case Union(members, tag) if isinstance(value, dict):
                names = [member.record for member in members if isinstance(member, Ref)]
                fitting = next((name for name in names if _is_of(schema.record(name), value, tag)), None)
                return written if fitting is None else inner(Ref(fitting), value, written)
            case Union(members):
                one = next((member for member in members if neutral_class(member) is type(value)), None)
                return written if one is None else inner(one, value, written)
        return written

    return inner(root, value, written)


def _has_records(type_: Type) -> bool:
    match type_:
        case Ref():
            return True
        case Optional(item) | List(item) | Map(item):
            return _has_records(item)
        case Tuple(items) | Union(items):
            return any(map(_has_records, items))
    return False


def _alike(value: Any, written: Any) -> bool:
    return isinstance(value, list | tuple) and isinstance(written, list | tuple) and len(value) == len(written)


def _is_of(record: Record, value: dict[str, Any], tag: str | None) -> bool:
    if tag is not None:
        return value.get(tag) == record.tag_value
    return value.keys() == {f.wire for f in record.fields}
