"""Conversions as a careful person writes them by hand: of single values, of whole objects, and functions that touch every field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

from serbench.model.fidelity.kinds import KINDS, Kind
from serbench.model.records import (
    SETS,
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
    parts,
)
from serbench.model.scalars import JSON_KINDS, MOMENTS, STR, TEXT_KINDS, Scalar
from serbench.render.source.classes import said
from serbench.render.source.models import (
    Models,
    annotation,
    class_name,
    default_source,
    generic,
    members,
    numbered,
    ordered_records,
    tagged_unions,
)
from serbench.render.source.module import Module, Unsupported, block, braced, call, is_decided, literal, snake, tuple_of


def loaded(module: Module, kind: str, value: str) -> str:
    """The expression that makes a value of a kind from its text (a timedelta from its seconds)."""
    load = _row(kind).load
    if "base64." in load:
        module.use("base64")
    else:
        class_name(kind, module)
    return load.format(value)


def _row(kind: str) -> Kind:
    if not KINDS[kind].dump:
        raise Unsupported("a field has a type that only its class's own library can write")
    return KINDS[kind]


def dumped(module: Module, kind: str, value: str) -> str:
    """The expression that makes text of a value of a kind (a timedelta's seconds)."""
    dump = _row(kind).dump
    if "base64." in dump:
        module.use("base64")
    return dump.format(value)


def from_text(module: Module, kind: str) -> tuple[str, str]:
    """The class of a kind, and the function that makes it from its text (a timedelta from its seconds)."""
    load = loaded(module, kind, "{}")
    function_ = load.removesuffix("({})") if load.endswith("({})") else f"lambda value: {load.format('value')}"
    return class_name(kind, module), function_


def to_text(module: Module, kind: str) -> tuple[str, str]:
    """The class of a kind, and the function that makes its text (a timedelta's seconds)."""
    dump, class_ = _row(kind).dump, class_name(kind, module)
    if dump == "str({})":
        return class_, "str"
    if dump.startswith("{}."):
        return class_, f"{class_}{dump[2:-2]}"
    return class_, f"lambda value: {dumped(module, kind, 'value')}"


@dataclass(frozen=True)
class Hook:
    """The conversion of a class that a library or codec does not know, as source.

    Attributes:
        kind: the kind of scalar, the first one of its class.
        class_: the class.
        dump: the function to text (a timedelta's seconds).
        load: the function back.
        kept: whether both leave each value as it is, because the codec carries it.
    """

    kind: str
    class_: str
    dump: str
    load: str
    kept: bool = False

    @property
    def dumped(self) -> str:
        """`dump` applied to `value`."""
        return _applied(self.dump)

    @property
    def loaded(self) -> str:
        """`load` applied to `value`."""
        return _applied(self.load)


def _applied(function: str) -> str:
    return function.removeprefix("lambda value: ") if function.startswith("lambda") else f"{function}(value)"


def hooks(m: Models, kinds: Iterable[str], native: frozenset[str] = frozenset()) -> list[Hook]:
    """A hook for each class of these kinds, in their alphabetic order; other kinds than those of text have none.

    `native` are kinds to leave as they are. If dates are, datetimes have a hook, too: a datetime is a date.
    """
    by_class: dict[str, Hook] = {}
    asked = TEXT_KINDS.intersection(kinds)
    if "date" in asked & native:
        asked |= m.schema.features & MOMENTS
    for kind in sorted(asked):
        of_class = m.schema.features & MOMENTS if kind in MOMENTS else {kind}
        class_, load = from_text(m, kind)
        _, dump = to_text(m, kind)
        if kept := of_class <= native:
            dump = load = "lambda value: value"
        elif of_class & native:  # some are told from others by their offset, or by coming back as text
            ways = ("value", dumped(m, kind, "value"))
            aware, naive = ways if "datetime" in native else ways[::-1]
            dump = f"lambda value: {aware} if value.tzinfo else {naive}"
            load = f"lambda value: value if isinstance(value, {class_}) else {loaded(m, kind, 'value')}"
        by_class.setdefault(class_, Hook(kind, class_, dump, load, kept))
    return list(by_class.values())


def add_default_hook(module: Module, kinds: frozenset[str]) -> str:
    """Add the function that makes builtins of single values, for a codec to call; return its name."""
    classes: dict[str, list[str]] = {}
    for kind in sorted(kinds & TEXT_KINDS - {"foreign"}):
        classes.setdefault(dumped(module, kind, "value"), []).append(class_name(kind, module))
    if "enum" in kinds:
        module.use("enum", "Enum")
        classes["value.value"] = ["Enum"]
    if "set" in kinds:
        classes["list(value)"] = ["set"]
    module.use("typing", "Any")
    tests = [
        line
        for expression, names in classes.items()
        for line in (f"if isinstance(value, {any_of(module, names)}):", f"    return {expression}")
    ]
    failure = 'raise TypeError(f"{type(value).__name__} is not serializable")'
    module.define("def to_builtin(value: Any) -> Any:", [*tests, failure])
    return "to_builtin"


def any_of(module: Module, names: list[str]) -> str:
    """These classes as the second argument of `isinstance`."""
    distinct = list(dict.fromkeys(names))
    if module.python >= (3, 10) or len(distinct) == 1:
        return " | ".join(distinct)
    return f"({', '.join(distinct)})"


_FORMS = {"str": "text", "list": "arrays", "dict": "objects"}


@dataclass(frozen=True)
class MemberTests:
    """Tells members by the class of a value; an enum also by its values, before other texts or integers.

    `native` are the kinds that the codec carries in this direction. With `loading`, values are what it has read, and
    otherwise the model's, whose records are dicts with `items`.
    """

    module: Module
    schema: Schema
    native: frozenset[str]
    loading: bool
    items: bool

    def of(self, union: Union, differing: Collection[Type]) -> Iterator[tuple[Type, str]]:
        """Yield each member that takes a conversion and its test, `{}` for the value, in the order in which to try them.

        Raises:
            Unsupported: a value of such a member may be of another one, too.
        """
        classes = {member: self._class(member) for member in union.members}
        keys = {member: self._own_key(member, union) for member in union.members}
        for one, other in combinations(union.members, 2):
            told_apart = _by_value(one, other) or keys[one] or keys[other]
            if classes[one] == classes[other] and {one, other} & set(differing) and not told_apart:
                what = _FORMS.get(classes[one], classes[one])
                told = f"{said(one)} and {said(other)} are both {what}: their union needs a tag"
                raise Unsupported(f"in a conversion by hand, {told}")
        for member in sorted(differing, key=lambda one: (not isinstance(one, Enum), not keys[one])):
            others = {classes[one] for one in union.members if one != member}
            key = f" and {literal(keys[member])} in {{}}" if keys[member] and classes[member] in others else ""
            yield member, self._test(member, classes[member], others) + key

    def _own_key(self, member: Type, union: Union) -> str:
        """A key that every document of a record has, and none of the other records of the union of a user's classes."""
        if not is_decided() or not isinstance(member, Ref) or self._class(member) != "dict":
            return ""
        others = [self.schema.record(one.record) for one in union.members if isinstance(one, Ref) and one != member]
        known = {f.wire for record in others for f in record.fields}
        return next(
            (f.wire for f in self.schema.record(member.record).fields if f.required and f.wire not in known), ""
        )

    def _test(self, member: Type, class_: str, others: set[str]) -> str:
        if not isinstance(member, Enum) or not self.loading:
            moments = " and not isinstance({}, datetime)" if class_ == "date" and "datetime" in others else ""
            return f"isinstance({{}}, {class_}){moments}"
        kind = "type({}) is int" if class_ == "int" else f"isinstance({{}}, {class_})"  # a bool is an int, too
        tests = [kind] if others != {class_} else []
        if others & {class_, ""}:
            tests.append(f"{{}} in {self._values(member)}")
        return " and ".join(tests)

    def _values(self, enum: Enum) -> str:
        """The name of a set of an enum's values, which is added to the module once."""
        name, values = f"{snake(enum.name)}_values".upper(), f"{{one.value for one in {enum.name}}}"
        while any(block.startswith(f"{name} = ") and block != f"{name} = {values}" for block in self.module.blocks):
            name += "_"
        if f"{name} = {values}" not in self.module.blocks:
            self.module.add(f"{name} = {values}")
        return name

    def _class(self, member: Type) -> str:
        """The class of a member's values; none for any JSON, which is what no other member takes."""
        match bare(member):
            case Scalar("any" | "opaque"):
                return ""
            case Map():
                return "dict"
            case Ref(name) if self.loading or self.items:
                record = self.schema.record(name)
                return self._class(record.fields[0].type) if record.root else "dict"
            case Union(_, str()) if self.loading or self.items:
                return "dict"
            case Union(members, str()):
                return any_of(self.module, [member.record for member in members if isinstance(member, Ref)])
            case Enum(name, values) if self.loading and "enum" not in self.native:
                kinds = {type(value).__name__ for _, value in values}
                if len(kinds) == 1:
                    return kinds.pop()
                raise Unsupported(f"by hand, the values of {name} are texts and integers, which a union keeps apart")
            case Ref(name) | Enum(name):
                return name
            case List(_, held) | Set(_, held):
                native = not self.loading or (isinstance(member, Set) and "set" in self.native)
                return held if native else "list"
            case Tuple():
                return "tuple" if not self.loading or "tuple" in self.native else "list"
            case Scalar(kind):
                builtin = KINDS[kind].builtin if self.loading and kind not in self.native else ""
                return builtin or annotation(member, self.module)
        raise Unsupported("serbench writes no conversion by hand for a union in a union")


def _by_value(one: Type, other: Type) -> bool:
    """Return True if the values of an enum tell two members that are one class in JSON apart."""
    values = [{value for _, value in each.members} for each in (one, other) if isinstance(each, Enum)]
    return bool(values) and not (len(values) == 2 and values[0] & values[1])


def add_dispatch(module: Module, schema: Schema, union: Union, name: str, verb: str, types: tuple[str, str]) -> None:
    """Add the dict from the classes of a union, or from its tags, to the functions of its records.

    `types` are those of its keys and values: classes are keys if the first is "type".
    """
    keys, values = types
    entries = (
        f"{record.name if keys == 'type' else literal(record.tag_value)}: {verb}_{snake(record.name)}"
        for record in members(schema, union)
    )
    module.use("collections.abc" if module.python >= (3, 9) else "typing", "Callable")
    module.use("typing", "Any")
    module.add(f"{name}: {generic(module, 'dict', keys, values)} = {braced(entries)}")


def loop_variable(schema: Schema, used: Iterable[str], level: int = 1) -> str:
    """A variable for a loop at this depth of nesting that is neither a record's parameter nor `taken`."""
    others = {*used, *(snake(record.name) for record in schema.records)}
    names = [name for name in ("item", "entry", "element", "part", "piece", "bit", "atom") if name not in others]
    return names[level - 1] if level <= len(names) else f"item_{level}"


_JSON = JSON_KINDS | {"any", "opaque"}


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
        for record in (record for record in ordered_records(self.schema) if not record.root):
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
        differs, loading = False, self.verb == "load"
        match type_:
            case Scalar(kind):
                differs = kind not in _JSON | self.native
            case Ref(name):
                differs = name in records
            case Enum():
                differs = "enum" not in self.native
            case Set(_, held):
                differs = "set" not in self.native or (loading and held != "set")
            case List(_, held):
                differs = held in SETS or (loading and held == "tuple")
            case Map(_, key):
                differs = key != STR
            case Tuple():
                differs = loading and "tuple" not in self.native
        return differs or any(self._differs(part, records) for part in parts(type_))

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
            case List(item, held) | Set(item, held):
                name, is_set = loop_variable(self.schema, {value}), held in SETS
                each = self.convert(item, name)
                items = value if each == name else f"{each} for {name} in {value}"
                if loading and held in ("tuple", "frozenset"):
                    return f"{held}({items})"
                if is_set and each == name:
                    return f"{('set' if loading else 'list')}({value})"
                return f"{{{each} for {name} in {value}}}" if is_set and loading else f"[{each} for {name} in {value}]"
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
        differing, expression = [member for member in union.members if self.differs(member)], value
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
            key = literal(f.wire)
            lines += [f"if {key} in {source}:", f"    found[{key}] = {self.convert(bare(f.type), f'{source}[{key}]')}"]
        return [*lines, "return found"]

    def _item(self, type_: Type, name: str, key: str) -> str:
        """The item of a dict that may lack it, converted."""
        if not self.differs(type_):
            return f"{name}.get({key})"
        value = f"{name}[{key}]"
        none = f" or {value} is None" if isinstance(type_, Optional) else ""
        return f"None if {key} not in {name}{none} else {self.convert(bare(type_), value)}"

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


@dataclass
class Reading:
    """Renders `read` and a function per record into `module`; with `items`, records are dicts by wire name."""

    module: Module
    schema: Schema
    items: bool = False

    def add_functions(self, document: str) -> None:
        """Add `read`, whose parameter is the document's name, and what it calls."""
        for record in ordered_records(self.schema):
            name = snake(record.name)
            body = [line for f in record.fields for line in self._field(name, f)]
            self.module.define(f"def read_{name}({name}: {record.name}) -> None:", body)
        types = ("Any" if self.items else "type", "Callable[[Any], None]")
        for union in tagged_unions(self.schema):
            add_dispatch(self.module, self.schema, union, numbered("READERS", self.schema, union), "read", types)
        type_ = annotation(self.schema.root, self.module)
        self.module.define(f"def read({document}: {type_}) -> None:", self._touch(self.schema.root, document, 1))

    def _field(self, owner: str, f: Field) -> list[str]:
        value = f"{owner}[{literal(f.wire)}]" if self.items else f"{owner}.{f.name}"
        if isinstance(f.type, Optional) and self._deeper(f.type):
            return [f"value = {value}", block("if value is not None:", self._touch(f.type.item, "value", 2))]
        return self._touch(f.type, value, 1) if self._deeper(f.type) else [f"_ = {value}"]

    def _deeper(self, type_: Type) -> bool:
        """Return True if there is something to touch inside a value of the type."""
        if isinstance(type_, Optional):
            return self._deeper(type_.item)
        return type_.tag is not None if isinstance(type_, Union) else isinstance(type_, Ref) or bool(parts(type_))

    def _touch(self, type_: Type, value: str, level: int) -> list[str]:
        name = loop_variable(self.schema, (), level)
        match type_:
            case Ref(record):
                return [f"read_{snake(record)}({value})"]
            case Union(_, tag) if tag is not None:
                key = f"{value}[{literal(tag)}]" if self.items else f"type({value})"
                return [f"{numbered('READERS', self.schema, type_)}[{key}]({value})"]
            case Optional(item) if self._deeper(item):
                return [block(f"if {value} is not None:", self._touch(item, value, level + 1))]
            case List(item) | Set(item) | Map(item):
                items = f"{value}.values()" if isinstance(type_, Map) else value
                return [block(f"for {name} in {items}:", self._touch(item, name, level + 1))]
            case Tuple(items):
                parts = [(item, f"{value}[{index}]") for index, item in enumerate(items)]
                return [
                    line
                    for item, part in parts
                    for line in (self._touch(item, part, level) if self._deeper(item) else [f"_ = {part}"])
                ]
        return []
