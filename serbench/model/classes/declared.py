"""What a user's class declares and documents do not show: sets, which are lists of varying order there, and any JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from serbench.model.records import Record, Schema
from serbench.model.scalars import ANY, Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Type, Union, walk


def with_declared(schema: Schema, user_schema: Schema) -> Schema:
    """The inferred schema of documents of a class, with the sets and the any JSON that the class's own schema has."""
    walked = _Declared(schema, user_schema)
    root = walked.type(schema.root, user_schema.root)
    known = Schema(root, tuple(walked.records[record.name] for record in schema.records))
    names = _reached(known)
    return Schema(root, tuple(record for record in known.records if record.name in names))


def hidden(schema: Schema, user_schema: Schema) -> set[str]:
    """The names of the class's records that are any JSON in a document, as in a union that only the class tells apart."""
    return _reached(user_schema) - _reached(schema)


def _reached(schema: Schema) -> set[str]:
    """The names of the records that a document may hold."""
    names = {one.record for one in walk(schema.root) if isinstance(one, Ref)}
    return names.union(*(schema.reachable(schema.record(name)) for name in names))


class _Declared:
    """Walks both schemas together; `records` are those of the inferred one as they are known to be."""

    def __init__(self, schema: Schema, user_schema: Schema) -> None:
        self.records: dict[str, Record] = {record.name: record for record in schema.records}
        self.user_schema = user_schema
        self._seen: set[tuple[str, str]] = set()

    def type(self, inferred: Type, user_type: Type) -> Type:
        """The inferred type, and those of the records in it, with the sets of the class's type."""
        for one in self._members(user_type):
            inferred = self._with(inferred, one)
        return inferred

    def _members(self, user_type: Type) -> Iterator[Type]:
        match user_type:
            case Optional(item):
                yield from self._members(item)
            case Union(members):
                for member in members:
                    yield from self._members(member)
            case Ref(name) if self.user_schema.record(name).root:
                yield from self._members(self.user_schema.record(name).fields[0].type)
            case _:
                yield user_type

    def _with(self, inferred: Type, user_type: Type) -> Type:
        match inferred, user_type:
            case _, Scalar() if user_type == ANY and any(isinstance(one, Ref) for one in walk(inferred)):
                return ANY
            case Ref(), Map(inner) if inner == ANY:
                return Map(ANY)
            case Optional(item), _:
                return Optional(self._with(item, user_type))
            case Union(members, tag), _:
                return Union(tuple(self._with(member, user_type) for member in members), tag)
            case List(item), Set() if isinstance(item, Scalar | Enum) and item != ANY:
                return Set(item)
            case List(item), List(inner):
                return List(self.type(item, inner))
            case Map(item), Map(inner):
                return Map(self.type(item, inner))
            case Ref(name), Ref(other):
                self._record(name, {f.wire: f.type for f in self.user_schema.record(other).fields}, other)
            case Map(item), Ref(other):  # whose keys looked like any
                for f in self.user_schema.record(other).fields:
                    item = self.type(item, f.type)
                return Map(item)
            case Ref(name), Map(inner):  # whose keys looked like those of a record
                self._record(name, {f.wire: inner for f in self.records[name].fields}, str(inner))
        return inferred

    def _record(self, name: str, user_types: dict[str, Type], key: str) -> None:
        if (name, key) in self._seen:
            return
        self._seen.add((name, key))
        for number, f in enumerate(self.records[name].fields):
            if f.wire in user_types:
                self.type(f.type, user_types[f.wire])  # which may change this very record, if it is within itself
                fields = list(self.records[name].fields)
                fields[number] = replace(f, type=self.type(fields[number].type, user_types[f.wire]))
                self.records[name] = replace(self.records[name], fields=tuple(fields))
