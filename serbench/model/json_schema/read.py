"""Reads JSON Schemas, written by serbench or not, into schemas."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

from serbench.errors import SchemaError
from serbench.model.json_schema.allowed import (
    ANY_VALUE,
    Allowed,
    AnyOf,
    Applying,
    Array,
    Object,
    Plain,
    Source,
    either_of,
    key_of,
)
from serbench.model.json_schema.references import Notes, References, Retrieve
from serbench.model.names import field_name, field_names, function_key, record_name
from serbench.model.normalise import misfits
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
    bare,
    json_type,
    nullable,
)
from serbench.model.scalars import ANY, BOOL, STR, Scalar

_DEEPEST = 100  # types inside one another
_MOST_TYPES = 20_000  # that are read, those behind a reference each time


def from_json_schema(
    document: object, name: str = "Record", *, fragment: str = "", base: str = "", retrieve: Retrieve = lambda _: None
) -> Schema:
    """Return the schema that a JSON Schema describes; its `notes` say what is read more widely or narrowly than it is written.

    Args:
        document: the JSON Schema, or a document that has it.
        name: the name of a root that has no title.
        fragment: where the document has it: a JSON Pointer or an anchor.
        base: the URI of the document.
        retrieve: reads other documents to which it refers.

    Raises:
        SchemaError: it is not a JSON Schema, refers to what is not there, allows no value, or is too deep or too large.
    """
    notes = Notes()
    references = References(document, base, retrieve)
    root = references.root(fragment)
    reading = _Reading(Applying(references, notes), notes)
    try:
        return reading.schema(((root,),), root.name or name)
    except RecursionError:
        raise SchemaError(
            f"the JSON Schema is nested more than {_DEEPEST} types deep; flatten it, or describe the inner part as {{}}"
        ) from None


@dataclass
class _Reading:
    """Makes types of what subschemas allow; `records` are those that it makes, which `_todo` has yet to fill."""

    applying: Applying
    notes: Notes
    records: dict[str, Record] = field(default_factory=dict)
    _names: dict[tuple[Source, str | None], str] = field(default_factory=dict)
    _enums: dict[Any, Enum] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)
    _hiding: set[str] = field(default_factory=set)  # names of fields, which hide a class that has one of them
    _todo: deque[tuple[str, Object, str | None]] = field(default_factory=deque)
    _inside: list[Any] = field(default_factory=list)
    _deciding: list[Source] = field(default_factory=list)
    _read: int = 0

    def schema(self, root: AnyOf, name: str) -> Schema:
        """Return the whole schema."""
        type_ = self._type(root, name)
        if type_ is None:
            raise SchemaError("the JSON Schema allows no value; correct what contradicts itself")
        while self._todo:
            self._fill(*self._todo.popleft())
        schema = self._with_fitting_defaults(Schema(type_, tuple(self.records.values())))
        return replace(schema, notes=self.notes.lines())

    def _type(self, node: AnyOf, name: str) -> Type | None:
        """Return the type of what the alternatives allow, or None if that is nothing; `name` names what has no title."""
        self._read += 1
        if self._read > _MOST_TYPES:
            raise SchemaError(
                f"the JSON Schema has more than {_MOST_TYPES:,} types; describe a part of the data as {{}}"
            )
        if len(self._inside) > _DEEPEST:
            raise RecursionError
        key = key_of(node)
        if key != key_of(ANY_VALUE) and key in self._inside:
            self.notes.widely("what contains itself, as any JSON")
            return ANY
        self._inside.append(key)
        type_ = self._of(self.applying.allowed(node), name)
        self._inside.pop()
        return type_

    def _of(self, allowed: Allowed, name: str) -> Type | None:
        if allowed.is_anything:
            return ANY
        objects = self._objects(allowed.objects, name)
        members: list[Type] = [] if objects is None or isinstance(objects, Map) else [objects]
        # In this order no member accepts values of a later one, even if a library tries members in turn.
        members += self._plain(allowed.number, name)
        members += [BOOL] if allowed.boolean else []
        members += self._plain(allowed.text, name)
        members += [objects] if isinstance(objects, Map) else []
        members += [self._array(allowed.array, name)] if allowed.array else []
        if not members:
            if allowed.null:
                self.notes.widely("null alone, as any JSON")
            return ANY if allowed.null else None
        type_ = members[0] if len(members) == 1 else Union(tuple(members))
        return Optional(type_) if allowed.null else type_

    def _plain(self, plain: Plain | None, name: str) -> list[Type]:
        if plain is None:
            return []
        if plain.values is not None:
            return [self._enum(plain, name)]
        if STR in plain.kinds or (plain.widest == STR and len(plain.kinds) > 1):
            if STR not in plain.kinds:
                self.notes.widely("texts of several formats, as any text")
            return [STR]
        return sorted(plain.kinds, key=lambda kind: kind != plain.widest)

    def _enum(self, plain: Plain, name: str) -> Enum:
        values = plain.values or ()
        known = (values, plain.names, plain.title or name)
        if known not in self._enums:
            members: dict[str, Any] = {}
            for index, value in enumerate(values):
                own = value.upper() if isinstance(value, str) else f"V{value}"
                text = plain.names[index] if index < len(plain.names) else own
                members[field_name(text, members)] = value
            wanted = plain.title or (f"{name}_enum" if name in self._used else name)
            self._enums[known] = Enum(self._class_name(wanted), tuple(members.items()))
        return self._enums[known]

    def _array(self, array: Array, name: str) -> Type:
        if array.is_tuple:
            items = [self._type(item, name) for item in array.first]
            if None not in items:
                return Tuple(tuple(item for item in items if item is not None))
        if array.first:
            self.notes.widely("items of an open number, as a list of any of them")
            if array.items is None and array.most != len(array.first):
                self.notes.narrowly("items beyond those that the schema describes, as one of these")
        item = self._inner(array.any_item if array.most != 0 else None, name)
        is_set = array.is_set and isinstance(item, Scalar | Enum) and item != ANY
        return Set(item) if is_set else List(item)

    def _inner(self, node: AnyOf | None, name: str) -> Type:
        """Return the type of items or of a map's values, and note if there can be none."""
        type_ = self._type(node, name) if node else None
        if type_ is None:
            self.notes.widely("lists and objects that are always empty, as those of any JSON")
        return type_ or ANY

    def _objects(self, objects: tuple[Object, ...], name: str) -> Type | None:
        if not objects:
            return None
        tagged = self.applying.tag(objects) if len(objects) > 1 else None
        if tagged is None:
            return self._object(self.applying.one_object(objects), name)
        tag, groups = tagged
        refs: list[Ref] = []
        for value, group in groups.items():
            one = self.applying.one_object(tuple(group))
            if tag not in one.required:
                self.notes.narrowly("the constant that tells objects apart, as required")
            refs.append(self._record(one, one.name or f"{name}_{value}", tag, value))
        return Union(tuple(refs), tag)

    def _object(self, one: Object, name: str) -> Type:
        if one.more and one.is_open:
            self.notes.narrowly("keys that match no pattern, as those that match one")
        if not one.properties:
            return Map(ANY if one.is_open and not one.more else self._inner(either_of(*one.more), name))
        if one.more and one.source not in self._deciding:
            self._deciding.append(one.source)
            value = self._value_of_all(one, name)
            self._deciding.pop()
            if value is not None:
                self.notes.widely("properties beside further keys, as a map of both")
                return Map(value)
            self.notes.narrowly("further keys that the schema describes, which have no field")
        return self._record(one, one.name or name)

    def _value_of_all(self, one: Object, name: str) -> Type | None:
        """Return the type of every value, if it is of one type or each type is another in JSON."""
        nodes = (*one.properties.values(), *one.more)
        with self.notes.quiet():
            types = {bare(type_) for node in nodes if (type_ := self._type(node, name)) is not None}
        if len(types) > 1 and (ANY in types or len(set(map(json_type, types))) < len(types)):
            return None
        return self._type(either_of(*nodes), name)

    def _record(self, one: Object, name: str, tag: str | None = None, value: str | None = None) -> Ref:
        known = (one.source, tag)
        if known not in self._names:
            chosen = self._names[known] = self._class_name(name)
            self.records[chosen] = Record(chosen, (), value)
            self._todo.append((chosen, one, tag))
        return Ref(self._names[known])

    def _fill(self, name: str, one: Object, tag: str | None) -> None:
        fields: list[Field] = []
        keys = dict.fromkeys((*one.properties, *(sorted(one.required) if one.is_open else ())))
        nodes = {key: one.properties.get(key, ANY_VALUE) for key in keys if key != tag}
        wanted: dict[str, Any] = {}
        for key, node in nodes.items():
            self.notes.where = f"{name}.{key}"
            wanted[key] = self.applying.annotation(node, "x-name")
        classes = {*self.records, *(enum.name for enum in self._enums.values())}
        names = field_names(nodes, classes | ({tag} if tag else set()), wanted)
        self._hiding.update(names.values(), {tag} if tag else ())
        for key, field_ in names.items():
            self.notes.where = f"{name}.{key}"
            f = self._field(key, nodes[key], key in one.required, field_)
            fields += [] if f is None else [f]
        self.notes.where = ""
        if one.is_open:
            self.notes.narrowly("keys beside the properties, which have no field", name)
        self.records[name] = replace(self.records[name], fields=_sorted(fields), is_open=one.is_open)

    def _field(self, key: str, node: AnyOf, required: bool, name: str) -> Field | None:
        type_ = self._type(node, key)
        if type_ is None:
            return None
        default = self.applying.annotation(node, "default")
        if default is None:
            default = REQUIRED if required else None
            type_ = type_ if required else nullable(type_)
        elif required:
            self.notes.widely("required keys that have a default, as keys that may be absent")
        return Field(name, type_, None if name == key else key, default)

    def _with_fitting_defaults(self, schema: Schema) -> Schema:
        """Return the schema without the defaults that are no value of their type, or hold a record."""
        records = {record.name: record for record in schema.records}
        for name, f, reason in misfits(schema):
            self.notes.widely(f"an absent key, as null, since its default {reason}", f"{name}.{f.wire}")
            others = tuple(other for other in records[name].fields if other.name != f.name)
            without = replace(f, type=nullable(f.type), default=None)
            records[name] = replace(records[name], fields=_sorted([*others, without]))
        return Schema(schema.root, tuple(records.values()))

    def _class_name(self, name: str) -> str:
        chosen = record_name(name, self._used | self._hiding)
        self._used |= {chosen, function_key(chosen)}
        return chosen


def _sorted(fields: list[Field]) -> tuple[Field, ...]:
    return tuple(sorted(fields, key=lambda f: not f.required))
