"""The documents of a user's class as a schema, and what the class declares beyond them."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from serbench.model.classes.fields import ClassField
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
    Type,
    Union,
    bare,
    json_type,
    replace_inner,
    walk,
)
from serbench.model.scalars import ANY, FLOAT, STR, Scalar

LIBRARIES = ("pydantic", "pydantic1", "marshmallow", "djangorestframework")
"""The kinds of classes whose library has types of its own, and decides what a member of a union is."""


def documented(user_schema: Schema, kind: str) -> Schema:
    """The schema of the documents of a class, whose objects have the schema `own`.

    What only objects have is text, or any JSON; a class that is one value is what is in it. Members of a union that
    have the same form in JSON are one text, or any JSON, if the class's library tells them apart.
    """
    documents = _Documents(user_schema, kind)
    records = tuple(documents.record(record) for record in user_schema.records if not record.root)
    return Schema(documents.plain(user_schema.root), records)


class _Documents:
    def __init__(self, user_schema: Schema, kind: str) -> None:
        self._merges = kind in LIBRARIES
        self._inside = {record.name: record.fields[0].type for record in user_schema.records if record.root}
        self._types = {record.name for record in user_schema.records} | {enum.name for enum in user_schema.enums}
        self._entered: list[str] = []  # the names of such records that a type is inside of

    def record(self, record: Record) -> Record:
        hiding = {f.name for f in record.fields if not f.required or isinstance(f.type, Optional)} & self._types
        names = field_names((field.name for field in record.fields), hiding)  # a default hides the type of its name
        plain = {f.name: names[f.name] for f in record.fields if f.name.startswith("_") or f.name in hiding}
        fields = tuple(self._field(field, plain.get(field.name, field.name)) for field in record.fields)
        return dataclasses.replace(record, fields=fields, absent=(), tag_argument="")

    def _field(self, field: Field, name: str) -> Field:
        alias = None if field.wire == name else field.wire
        return dataclasses.replace(field, name=name, type=self.plain(field.type), alias=alias)

    def plain(self, type_: Type) -> Type:
        """The type as documents have it."""
        match type_:
            case Scalar(kind) if of_user := KINDS[kind].of_user:
                return Scalar(of_user)
            case Ref(name) if name in self._inside:
                return self._entering(name)
            case List(item):
                return List(self.plain(item))
            case Set(item):
                inner = self.plain(item)
                return Set(inner) if isinstance(inner, Scalar | Enum) and inner != ANY else List(inner)
            case Map(value):
                return Map(self.plain(value))
            case Optional(item) if isinstance(inner := self.plain(item), Optional) or inner == ANY:
                return inner
            case Union(members, None):
                return self._union([self.plain(member) for member in members])
        return replace_inner(type_, self.plain)

    def _entering(self, name: str) -> Type:
        if name in self._entered:  # it contains itself
            return ANY
        self._entered.append(name)
        inner = self.plain(self._inside[name])
        self._entered.pop()
        return inner

    def _union(self, members: list[Type]) -> Type:
        null = any(isinstance(member, Optional) for member in members)
        members = [member.item if isinstance(member, Optional) else member for member in members]
        members = [
            member for m in members for member in (m.members if isinstance(m, Union) and m.tag is None else (m,))
        ]
        distinct = list(dict.fromkeys(members))
        merged = _merged(distinct)
        if self._merges or merged == [ANY]:
            distinct = merged
        if ANY in distinct:
            return ANY
        type_ = distinct[0] if len(distinct) == 1 else Union(tuple(distinct))
        return Optional(type_) if null else type_


def _merged(members: list[Type]) -> list[Type]:
    """The members, of which no two have the same form in JSON."""
    forms = [form_of(member) for member in members]
    if len(set(forms)) == len(forms):
        return members
    if any(forms.count(form) > 1 for form in ("array", "object", "any")):
        return [ANY]
    plain: dict[str, Type] = {"text": STR, "int": Scalar("int")}
    return list(dict.fromkeys(plain[f] if forms.count(f) > 1 else m for f, m in zip(forms, members, strict=True)))


def form_of(type_: Type) -> str:
    """The JSON kind of a type's values: "text", "int", "float", "bool", "array", "object" or "any"."""
    kind = json_type(type_).__name__
    return "any" if bare(type_) == ANY else {"str": "text", "list": "array", "dict": "object"}.get(kind, kind)


def defaults(class_field: ClassField, type_: Type) -> tuple[Any, Any]:
    """Return the default that a schema can hold, and otherwise what a document that lacks the field stands for."""
    default = class_field.default
    if type(default) is int and type_ in (FLOAT, Optional(FLOAT)):
        return float(default), REQUIRED
    if default is REQUIRED or default is None or type(default) in (str, int, float, bool):
        return default, REQUIRED
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = class_field.filled()
    except Exception:  # it has no JSON, or is made of other fields
        return REQUIRED, REQUIRED
    match type_:
        case List() if value == []:
            return [], REQUIRED
        case Map() if value == {}:
            return {}, REQUIRED
        case Enum(_, members) | Optional(Enum(_, members)) if value in [member for _, member in members]:
            return value, REQUIRED
    return REQUIRED, value


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
        for member in self._members(user_type):
            inferred = self._with(inferred, member)
        return inferred

    def _members(self, user_type: Type) -> Iterator[Type]:
        match bare(user_type):
            case Union(members):
                for member in members:
                    yield from self._members(member)
            case Ref(name) if self.user_schema.record(name).root:
                yield from self._members(self.user_schema.record(name).fields[0].type)
            case other:
                yield other

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
