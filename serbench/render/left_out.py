"""Finds what a written document leaves out: fields that are absent, and fields that have their default."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from serbench.errors import SchemaError
from serbench.judge.outcomes import ABSENT, DEFAULTS
from serbench.model import fidelity
from serbench.model.normalise import apply_schema
from serbench.model.records import Ref, Schema, walk_value


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

        def filled(name: str, value: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
            whole = dict(written)
            for f in schema.record(name).fields:
                if f.wire not in value:
                    continue  # of another member of a union, which has the same keys outside
                if f.wire not in written:
                    (self.absent if value[f.wire] is None else self.defaults).add(f.wire)
                    whole[f.wire] = value[f.wire]
                elif value[f.wire] is None and written[f.wire] is None:
                    self.nulls.add(f.wire)
            return whole

        return fidelity.change_records(schema.as_data(), value, written, filled)


def left_out(schema: Schema, value: Any, written: Any) -> str | None:
    """What a written document leaves out of a value, in the words of a work class; None if it has another value."""
    found, spec = LeftOut(), schema.as_data()
    if fidelity.wire_difference(spec, spec["root"], value, found.fill(schema, value, written)) is not None:
        return None
    return DEFAULTS if found.defaults else ABSENT if found.absent else ""


def fitting(schema: Schema, written: Any) -> tuple[Schema, Any, str] | None:
    """A schema widened to a written document, the document's value, and what it leaves out; None if it has no such value."""
    with suppress(SchemaError):
        schema, value = apply_schema(written, schema)
        if (words := left_out(schema, value, written)) is not None:
            return schema, value, words
    return None


def with_absent(schema: Schema, written: Any) -> Schema:
    """The schema of a document, with the keys that some of its records lack, and none has as null, as absent ones."""
    lacking, null = set[tuple[str, str]](), set[tuple[str, str]]()

    for _, type_, part in walk_value(schema, schema.root, written):
        if isinstance(type_, Ref) and isinstance(part, dict):
            name = type_.record
            lacking.update((name, f.wire) for f in schema.record(name).fields if f.wire not in part)
            null.update((name, key) for key, item in part.items() if item is None)
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
    return fidelity.without_absent(schema.as_data(), value) if any(r.absent for r in schema.records) else value


def without_computed(schema: Schema, value: Any) -> Any:
    """The document without the keys that a class computes, which are no fields."""

    def lacking(name: str, _value: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
        return {key: item for key, item in written.items() if key not in schema.record(name).computed}

    return fidelity.change_records(schema.as_data(), value, value, lacking)
