"""The sets of a user's class in a schema that was inferred from what it writes, where they are lists: their order varies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from serbench.model.records import Record, Schema
from serbench.model.scalars import ANY, Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Type, Union, walk


def with_sets(schema: Schema, own: Schema) -> Schema:
    """The inferred schema of documents of a class, with a set for each list that the class's own schema has as one."""
    found = _Sets(schema, own)
    root = found.type(schema.root, own.root)
    return Schema(root, tuple(found.records[record.name] for record in schema.records))


def hidden(schema: Schema, own: Schema) -> set[str]:
    """The names of the class's records that are any JSON in a document, as in a union that only the class tells apart."""
    return _reached(own) - _reached(schema)


def _reached(schema: Schema) -> set[str]:
    """The names of the records that a document may hold."""
    names = {one.record for one in walk(schema.root) if isinstance(one, Ref)}
    return names.union(*(schema.reachable(schema.record(name)) for name in names))


class _Sets:
    """Walks both schemas together; `records` are those of the inferred one as they are known to be."""

    def __init__(self, schema: Schema, own: Schema) -> None:
        self.records: dict[str, Record] = {record.name: record for record in schema.records}
        self.own = own
        self._seen: set[tuple[str, str]] = set()

    def type(self, inferred: Type, own: Type) -> Type:
        """The inferred type, and those of the records in it, with the sets of the class's type."""
        for one in self._members(own):
            inferred = self._with(inferred, one)
        return inferred

    def _members(self, own: Type) -> Iterator[Type]:
        match own:
            case Optional(item):
                yield from self._members(item)
            case Union(members):
                for member in members:
                    yield from self._members(member)
            case Ref(name) if self.own.record(name).root:
                yield from self._members(self.own.record(name).fields[0].type)
            case _:
                yield own

    def _with(self, inferred: Type, own: Type) -> Type:
        match inferred, own:
            case Optional(item), _:
                return Optional(self._with(item, own))
            case Union(members, tag), _:
                return Union(tuple(self._with(member, own) for member in members), tag)
            case List(item), Set() if isinstance(item, Scalar | Enum) and item != ANY:
                return Set(item)
            case List(item), List(inner):
                return List(self.type(item, inner))
            case Map(item), Map(inner):
                return Map(self.type(item, inner))
            case Ref(name), Ref(other):
                self._record(name, {f.wire: f.type for f in self.own.record(other).fields}, other)
            case Map(item), Ref(other):  # whose keys looked like any
                for f in self.own.record(other).fields:
                    item = self.type(item, f.type)
                return Map(item)
            case Ref(name), Map(inner):  # whose keys looked like those of a record
                self._record(name, {f.wire: inner for f in self.records[name].fields}, str(inner))
        return inferred

    def _record(self, name: str, own: dict[str, Type], key: str) -> None:
        if (name, key) in self._seen:
            return
        self._seen.add((name, key))
        for place, f in enumerate(self.records[name].fields):
            if f.wire in own:
                self.type(f.type, own[f.wire])  # which may change this very record, if it is within itself
                fields = list(self.records[name].fields)
                fields[place] = replace(f, type=self.type(fields[place].type, own[f.wire]))
                self.records[name] = replace(self.records[name], fields=tuple(fields))
