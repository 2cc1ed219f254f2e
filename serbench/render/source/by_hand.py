"""Conversions between objects and builtins, written as a careful person writes them by hand.

One function per record that needs one, expressions for everything else. A value whose type the
codec carries natively, or that JSON has, is passed through untouched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from serbench.model.records import Field, Record, Schema
from serbench.model.scalars import INTEGER_KINDS, STR, Scalar
from serbench.model.types import Enum, List, Map, Optional, Ref, Set, Tuple, Type, Union
from serbench.render.source.annotations import annotation, generic
from serbench.render.source.defaults import default_source
from serbench.render.source.dispatch import add_dispatch, loop_variable
from serbench.render.source.members import MemberTests
from serbench.render.source.models import members, numbered, ordered_records, tagged_unions
from serbench.render.source.module import Module, braced, call, literal, tuple_of
from serbench.render.source.names import snake
from serbench.render.source.texts import TEXT_KINDS, dumped, loaded

_JSON = frozenset({"str", *INTEGER_KINDS, "float", "bool", "any", "opaque"})


@dataclass
class ByHand:
    """Renders one direction of the conversion for one schema into `module`.

    `native` holds the kinds ("datetime", "enum", "tuple", …) that the codec carries as themselves in
    this direction. Records are attributes of objects made by calling their class with keyword
    arguments or, with `items`, plain dicts. If a library converts records itself, `nested` gives
    the expression from a record's name and a value. `name` begins the names of the functions, in
    place of the verb.
    """

    module: Module
    schema: Schema
    verb: Literal["dump", "load"]
    native: frozenset[str]
    items: bool = False
    nested: Callable[[str, str], str] | None = None
    name: str = ""
    type: str = ""

    def __post_init__(self) -> None:
        self.name = self.name or self.verb

    def document(self, value: str) -> str:
        """The whole document, which the expression `value` gives, converted."""
        return self.convert(self.schema.root, value)

    def template(self) -> str:
        """Add the functions, and give the template that converts the document."""
        self.add_functions()
        return self.document("{}")

    def add_functions(self) -> None:
        """Add the functions that `document` calls to the module.

        Raises:
            Unsupported: a value may be of several members of an untagged union.
        """
        unions = [union for union in tagged_unions(self.schema) if self.differs(union)]
        named = {record.name for union in unions for record in members(self.schema, union)}
        add = self._dump_function if self.verb == "dump" else self._load_function
        for record in (one for one in ordered_records(self.schema) if not one.root):
            if record.name in named or (self.nested is None and self.differs(Ref(record.name))):
                add(record)
        for union in unions:
            self._dispatch(union)

    def differs(self, type_: Type) -> bool:
        """Return True if a value of this type takes a conversion."""
        return self._differs(type_, self._differing)

    @cached_property
    def _differing(self) -> frozenset[str]:
        """The records that take a conversion: a fixed point, because records may be recursive."""
        if not self.items:
            return frozenset(record.name for record in self.schema.records)
        differing: frozenset[str] = frozenset()
        while True:
            more = frozenset(
                r.name for r in self.schema.records if any(self._differs(f.type, differing) for f in r.fields)
            )
            if more == differing:
                return differing
            differing = more

    def _differs(self, type_: Type, records: frozenset[str]) -> bool:
        match type_:
            case Scalar(kind):
                return kind not in _JSON | self.native
            case Enum():
                return "enum" not in self.native
            case Set(item, held):
                frozen = self.verb == "load" and held != "set"
                return frozen or "set" not in self.native or self._differs(item, records)
            case List(item, "tuple") if self.verb == "load":
                return True
            case Map(_, key) if key != STR:
                return True
            case Optional(item) | List(item) | Map(item):
                return self._differs(item, records)
            case Tuple(items):
                rebuilt = self.verb == "load" and "tuple" not in self.native
                return rebuilt or any(self._differs(item, records) for item in items)
            case Union(items):
                return any(self._differs(item, records) for item in items)
            case Ref(name):
                return name in records

    def convert(self, type_: Type, value: str) -> str:
        """A value of the type, which the expression `value` gives, converted."""
        if not self.differs(type_):
            return value
        loading = self.verb == "load"
        match type_:
            case Scalar(kind):
                return (loaded if loading else dumped)(self.module, kind, value)
            case Enum(name):
                return f"{name}({value})" if loading else f"{value}.value"
            case Optional(item):
                if ".get(" in value:
                    return f"None if (value := {value}) is None else {self.convert(item, 'value')}"
                return f"None if {value} is None else {self.convert(item, value)}"
            case List(item, held):
                name = loop_variable(self.schema, {value})
                each = self.convert(item, name)
                if loading and held == "tuple":
                    return f"tuple({value})" if each == name else f"tuple({each} for {name} in {value})"
                return f"[{each} for {name} in {value}]"
            case Set(item, held):
                name = loop_variable(self.schema, {value})
                each = self.convert(item, name)
                if loading and held != "set":
                    return f"{held}({value})" if each == name else f"{held}({each} for {name} in {value})"
                if each == name:
                    return f"{('set' if loading else 'list')}({value})"
                return f"{('{' if loading else '[')}{each} for {name} in {value}{('}' if loading else ']')}"
            case Map(item, keys):
                name = loop_variable(self.schema, {value})
                each = f"{self._key(keys)}: {self.convert(item, name)}"
                return f"{{{each} for key, {name} in {value}.items()}}"
            case Tuple(items):
                parts = tuple(self.convert(item, f"{value}[{index}]") for index, item in enumerate(items))
                return tuple_of(parts)
            case Ref(name) if (record := self.schema.record(name)).root:
                return self._one(record, value)
            case Ref(name) if self.nested:
                return self.nested(name, value)
            case Ref(name):
                return f"{self.name}_{snake(name)}({value})"
            case Union(_, tag) if tag is not None:
                key = f"{value}[{literal(tag)}]" if loading or self.items else f"type({value})"
                return f"{numbered(f'{self.name.upper()}ERS', self.schema, type_)}[{key}]({value})"
            case Union():
                return self._of_member(type_, value)

    def _of_member(self, union: Union, value: str) -> str:
        """A value of an untagged union: converted if it is of a member that takes a conversion, otherwise as it is."""
        differing, expression = [one for one in union.members if self.differs(one)], value
        tests = MemberTests(self.module, self.schema, self.native, self.verb == "load", self.items)
        for member, test in reversed(list(tests.of(union, differing))):
            expression = f"{self.convert(member, value)} if {test.replace('{}', value)} else {expression}"
        return expression

    def _one(self, record: Record, value: str) -> str:
        """A class of the user's that is one value: made of it, or made to it by the class that it derives from."""
        inner = self.convert(record.fields[0].type, value)
        if self.verb == "load":
            return f"{record.name}({inner})"
        return inner if inner != value else f"{annotation(record.fields[0].type, self.module)}({value})"

    def _key(self, key: Type) -> str:
        """The key of a map converted; in a document all keys are strings."""
        loading = self.verb == "load"
        match key:
            case Scalar("str"):
                return "key"
            case Scalar(kind) if kind in TEXT_KINDS:
                return (loaded if loading else dumped)(self.module, kind, "key")
            case Enum(class_, members):
                number = isinstance(members[0][1], int)
                inside = "int(key)" if number else "key"
                return f"{class_}({inside})" if loading else "str(key.value)" if number else "key.value"
        return f"{annotation(key, self.module)}(key)" if loading else "str(key)"

    def _dump_function(self, record: Record) -> None:
        name = snake(record.name)
        made = self.nested(record.name, name) if self.nested else self._dumped(record, name)
        self.module.use("typing", "Any")
        head = f"def dump_{name}({name}: {self.type or record.name}) -> {self._dumped_type}:"
        self.module.define(head, self._returned(record, made, name, self._dumped_type))

    def _dumped(self, record: Record, name: str) -> str:
        entries: list[str] = []
        if record.name in self.schema.tags:
            key = literal(self.schema.tags[record.name])
            entries.append(f"{key}: {(f'{name}[{key}]' if self.items else literal(record.tag_value))}")
        for f in self._always(record):
            key = literal(f.wire)
            if self.items and not f.required and f.default is None:
                entries.append(f"{key}: {self._item(f.type, name, key)}")
            else:
                entries.append(f"{key}: {self.convert(f.type, f'{name}[{key}]' if self.items else f'{name}.{f.name}')}")
        return braced(entries)

    def _always(self, record: Record) -> list[Field]:
        """The fields that a record has in any document: all but those that a dict of the user's may lack."""
        return [f for f in record.fields if not (self.items and f.wire in record.absent)]

    def _returned(self, record: Record, made: str, source: str, type_: str) -> list[str]:
        """The statements that return what is made, with the keys that a dict of the user's may lack if it has them."""
        lacking = [f for f in record.fields if self.items and f.wire in record.absent]
        if not lacking:
            return [f"return {made}"]
        lines = [f"found: {type_} = {made}"]
        for f in lacking:
            key, inner = literal(f.wire), f.type.item if isinstance(f.type, Optional) else f.type
            lines += [f"if {key} in {source}:", f"    found[{key}] = {self.convert(inner, f'{source}[{key}]')}"]
        return [*lines, "return found"]

    def _item(self, type_: Type, name: str, key: str) -> str:
        """The item of a dict that may lack it, converted."""
        if not self.differs(type_):
            return f"{name}.get({key})"
        value = f"{name}[{key}]"
        none, item = (f" or {value} is None", type_.item) if isinstance(type_, Optional) else ("", type_)
        return f"None if {key} not in {name}{none} else {self.convert(item, value)}"

    def _load_function(self, record: Record) -> None:
        entries: list[str] = []
        if self.items and record.name in self.schema.tags:
            key = literal(self.schema.tags[record.name])
            entries.append(f"{key}: data[{key}]")
        tag_arguments = [f"{record.tag_argument}={literal(record.tag_value)}"] if record.tag_argument else []
        entries += [*map(self._loaded_field, self._always(record)), *tag_arguments]
        made = braced(entries) if self.items else call(record.name, *entries)
        self.module.use("typing", "Any")
        name = f"{self.name}_{snake(record.name)}"
        head = f"def {name}(data: {self._builtins}) -> {record.name}:"
        self.module.define(head, self._returned(record, made, "data", record.name))

    @property
    def _builtins(self) -> str:
        return generic(self.module, "dict", "str", "Any")

    @property
    def _dumped_type(self) -> str:
        """The type of what a record's function gives; a library's own conversion may have none."""
        return "Any" if self.nested else self._builtins

    def _loaded_field(self, f: Field) -> str:
        key = literal(f.wire)
        start = f"{key}: " if self.items else f"{f.name}="
        if f.required:
            return start + self.convert(f.type, f"data[{key}]")
        if f.default is None:
            return start + self.convert(f.type, f"data.get({key})")
        default, made = default_source(self.module, f), self.convert(f.type, f"data[{key}]")
        return start + (
            f"data.get({key}, {default})" if made == f"data[{key}]" else f"{default} if {key} not in data else {made}"
        )

    def _dispatch(self, union: Union) -> None:
        dumping = self.verb == "dump"
        argument, value = ("Any", self._dumped_type) if dumping else (self._builtins, annotation(union, self.module))
        keys = ("type" if dumping and not self.items else "str", f"Callable[[{argument}], {value}]")
        name = numbered(f"{self.name.upper()}ERS", self.schema, union)
        add_dispatch(self.module, self.schema, union, name, self.name, keys)
