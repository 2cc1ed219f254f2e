"""Conversions between objects and builtins, written as a careful person writes them by hand.

One function per record that needs one, expressions for everything else. A value whose type the
codec carries natively, or that JSON has, is passed through untouched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from serbench.schema import (
    INTEGER_KINDS,
    Enum,
    Field,
    List,
    Map,
    Optional,
    Record,
    Ref,
    Scalar,
    Schema,
    Set,
    Tuple,
    Type,
    Union,
)
from serbench.source.layout import (
    Bracketed,
    Comprehension,
    Conditional,
    Expression,
    Keyword,
    Module,
    call,
    field_line,
    function,
    returned,
)
from serbench.source.models import Unsupported, annotation, generic, literal, ordered_records, snake

# kind → import, to builtins, from builtins; "{}" is the value
_TEXT = {
    "datetime": (("datetime", "datetime"), "{}.isoformat()", "datetime.fromisoformat({})"),
    "naive_datetime": (("datetime", "datetime"), "{}.isoformat()", "datetime.fromisoformat({})"),
    "date": (("datetime", "date"), "{}.isoformat()", "date.fromisoformat({})"),
    "time": (("datetime", "time"), "{}.isoformat()", "time.fromisoformat({})"),
    "timedelta": (("datetime", "timedelta"), "{}.total_seconds()", "timedelta(seconds={})"),
    "decimal": (("decimal", "Decimal"), "str({})", "Decimal({})"),
    "uuid": (("uuid", "UUID"), "str({})", "UUID({})"),
    "bytes": (("base64",), "base64.b64encode({}).decode()", "base64.b64decode({})"),
}
TEXT_KINDS = frozenset(_TEXT)
_JSON = frozenset({"str", *INTEGER_KINDS, "float", "bool", "any"})


def loaded(module: Module, kind: str, value: str) -> str:
    """The expression that makes a value of a kind from its text (a timedelta from its seconds)."""
    source, _, load = _TEXT[kind]
    module.use(*source)
    return load.format(value)


def from_text(module: Module, kind: str) -> tuple[str, str]:
    """The class of a kind, and the function that makes it from its text (a timedelta from its seconds)."""
    load = loaded(module, kind, "{}")
    function_ = load.removesuffix("({})") if load.endswith("({})") else f"lambda value: {load.format('value')}"
    return annotation(Scalar(kind), module), function_


def to_text(module: Module, kind: str) -> tuple[str, str]:
    """The class of a kind, and the function that makes its text (a timedelta's seconds)."""
    source, dump, _ = _TEXT[kind]
    class_ = annotation(Scalar(kind), module)
    if dump == "str({})":
        return class_, "str"
    if dump.startswith("{}."):
        return class_, f"{class_}{dump[2:-2]}"
    module.use(*source)
    return class_, f"lambda value: {dump.format('value')}"


def add_default_hook(module: Module, kinds: frozenset[str]) -> str:
    """Add the function that makes builtins of single values, for a codec to call; return its name."""
    classes: dict[str, list[str]] = {}
    for kind in sorted(kinds & set(_TEXT)):
        source, dumped, _ = _TEXT[kind]
        module.use(*source)
        classes.setdefault(dumped.format("value"), []).append(annotation(Scalar(kind), module))
    if "enum" in kinds:
        module.use("enum", "Enum")
        classes["value.value"] = ["Enum"]
    if "set" in kinds:
        classes["list(value)"] = ["set"]
    module.use("typing", "Any")
    tests = [
        line
        for expression, names in classes.items()
        for line in (f"    if isinstance(value, {_classes(module, names)}):", f"        return {expression}")
    ]
    failure = '    raise TypeError(f"{type(value).__name__} is not serializable")'
    module.add(function("to_builtin", ["value: Any"], "Any", *tests, failure))
    return "to_builtin"


def _classes(module: Module, names: list[str]) -> str:
    """Classes as the second argument of `isinstance`."""
    distinct = list(dict.fromkeys(names))
    if module.python >= (3, 10) or len(distinct) == 1:
        return " | ".join(distinct)
    return f"({', '.join(distinct)})"


@dataclass
class ByHand:
    """Renders one direction of the conversion for one schema into `module`.

    `native` holds the kinds ("datetime", "enum", "tuple", …) that the codec carries as themselves in
    this direction. Records are attributes of objects made by calling their class with keyword
    arguments or, with `items`, plain dicts. Where a library converts records itself, `nested` gives
    the expression from a record's name and a value. `name` begins the names of the functions, in
    place of the verb.
    """

    module: Module
    schema: Schema
    verb: Literal["dump", "load"]
    native: frozenset[str]
    items: bool = False
    nested: Callable[[str, str], Expression] | None = None
    name: str = ""
    type: str = ""

    def document(self, value: str) -> Expression:
        """The whole document, which the expression `value` gives, converted."""
        return self.convert(self.schema.root, value)

    def add_functions(self) -> None:
        """Add the functions that `document` calls to the module.

        Raises:
            Unsupported: an untagged union has an enum, a set or a tuple that needs a conversion.
        """
        unions = [t for t in dict.fromkeys(self.schema.types()) if isinstance(t, Union) and t.tag and self.differs(t)]
        members = {member for union in unions for member in union.members}
        add = self._dump_function if self.verb == "dump" else self._load_function
        for record in ordered_records(self.schema):
            if Ref(record.name) in members or (self.nested is None and self.differs(Ref(record.name))):
                add(record)
        for union in unions:
            self._dispatch(union)

    def differs(self, type_: Type) -> bool:
        """Whether a value of this type takes a conversion."""
        return self._differs(type_, self._differing)

    @cached_property
    def _differing(self) -> frozenset[str]:
        """The records that take a conversion: a fixed point, because records may be recursive."""
        if not self.items:
            return frozenset(record.name for record in self.schema.records)
        found: frozenset[str] = frozenset()
        while True:
            more = frozenset(r.name for r in self.schema.records if any(self._differs(f.type, found) for f in r.fields))
            if more == found:
                return found
            found = more

    def _differs(self, type_: Type, records: frozenset[str]) -> bool:
        match type_:
            case Scalar(kind):
                return kind not in _JSON | self.native
            case Enum():
                return "enum" not in self.native
            case Set(item):
                return "set" not in self.native or self._differs(item, records)
            case Optional(item) | List(item) | Map(item):
                return self._differs(item, records)
            case Tuple(items):
                rebuilt = self.verb == "load" and "tuple" not in self.native
                return rebuilt or any(self._differs(item, records) for item in items)
            case Union(members):
                return any(self._differs(member, records) for member in members)
            case Ref(name):
                return name in records

    def convert(self, type_: Type, value: str) -> Expression:
        """A value of the type, which the expression `value` gives, converted."""
        if not self.differs(type_):
            return value
        loading = self.verb == "load"
        match type_:
            case Scalar(kind):
                return self._scalar(kind, value)
            case Enum(name):
                return call(name, value) if loading else f"{value}.value"
            case Optional(item):
                if ".get(" in value:
                    return Conditional("None", f"(value := {value}) is None", self.convert(item, "value"))
                return Conditional("None", f"{value} is None", self.convert(item, value))
            case List(item):
                name = self._each(value)
                return Comprehension("[", self.convert(item, name), f"for {name} in {value}", "]")
            case Set(item):
                name = self._each(value)
                each = self.convert(item, name)
                if each == name:
                    return call("set" if loading else "list", value)
                return Comprehension("{" if loading else "[", each, f"for {name} in {value}", "}" if loading else "]")
            case Map(item):
                name = self._each(value)
                each = Keyword("key: ", self.convert(item, name))
                return Comprehension("{", each, f"for key, {name} in {value}.items()", "}")
            case Tuple(items):
                parts = tuple(self.convert(item, f"{value}[{index}]") for index, item in enumerate(items))
                return Bracketed("(", parts, ",)" if len(parts) == 1 else ")")
            case Ref(name) if self.nested:
                return self.nested(name, value)
            case Ref(name):
                return call(f"{self.name or self.verb}_{snake(name)}", value)
            case Union(_, tag) if tag is not None:
                key = f"{value}[{literal(tag)}]" if loading or self.items else f"type({value})"
                return call(f"{self._union_name(type_)}[{key}]", value)
            case Union(members):
                expression: Expression = value
                for member in filter(self.differs, members):
                    test = f"isinstance({value}, {self._class(member)})"
                    expression = Conditional(self.convert(member, value), test, expression)
                return expression

    def _class(self, member: Type) -> str:
        """The class by which a value of an untagged union is known to be of this member."""
        match member:
            case Ref(name) if self.verb == "dump" and not self.items:
                return name
            case Ref() | Map() | Union():
                return "dict"
            case List():
                return "list"
            case Scalar(kind) if self.verb == "dump" or kind in self.native:
                return annotation(member, self.module)
            case Scalar():
                return "str"
            case _:
                raise Unsupported("no conversion is rendered by hand for such a member of an untagged union")

    def _each(self, value: str) -> str:
        """A loop variable that is neither a record's parameter nor the loop's own iterable."""
        taken = {snake(record.name) for record in self.schema.records} | {value}
        return next(name for name in ("item", "entry", "element", "part", "piece") if name not in taken)

    def _scalar(self, kind: str, value: str) -> str:
        if self.verb == "load":
            return loaded(self.module, kind, value)
        source, dumped, _ = _TEXT[kind]
        if source == ("base64",):
            self.module.use(*source)
        return dumped.format(value)

    def _dump_function(self, record: Record) -> None:
        name = snake(record.name)
        made = self.nested(record.name, name) if self.nested else self._dumped(record, name)
        self.module.use("typing", "Any")
        self.module.add(
            function(f"dump_{name}", [f"{name}: {self.type or record.name}"], self._dumped_type, returned(made))
        )

    def _dumped(self, record: Record, name: str) -> Expression:
        entries: list[Expression] = []
        if record.name in self.schema.tags:
            key = literal(self.schema.tags[record.name])
            entries.append(Keyword(f"{key}: ", f"{name}[{key}]" if self.items else literal(record.tag_value)))
        for f in record.fields:
            value = f"{name}[{literal(f.wire)}]" if self.items else f"{name}.{f.name}"
            entries.append(Keyword(f"{literal(f.wire)}: ", self.convert(f.type, value)))
        return Bracketed("{", tuple(entries), "}")

    def _load_function(self, record: Record) -> None:
        entries: list[Expression] = []
        if self.items and record.name in self.schema.tags:
            key = literal(self.schema.tags[record.name])
            entries.append(Keyword(f"{key}: ", f"data[{key}]"))
        entries += [self._loaded_field(f) for f in record.fields]
        made = Bracketed("{", tuple(entries), "}") if self.items else call(record.name, *entries)
        self.module.use("typing", "Any")
        name = f"{self.name or self.verb}_{snake(record.name)}"
        self.module.add(function(name, [f"data: {self._builtins}"], record.name, returned(made)))

    @property
    def _builtins(self) -> str:
        """The type of a record as builtins."""
        return generic(self.module, "dict", "str", "Any")

    @property
    def _dumped_type(self) -> str:
        """The type of what a record's function gives; a library's own conversion may have none."""
        return "Any" if self.nested else self._builtins

    def _loaded_field(self, f: Field) -> Keyword:
        key = literal(f.wire)
        value = f"data.get({key})" if not f.required and f.default is None else f"data[{key}]"
        return Keyword(f"{key}: " if self.items else f"{f.name}=", self.convert(f.type, value))

    def _dispatch(self, union: Union) -> None:
        entries: list[Expression] = []
        for record in (self.schema.record(m.record) for m in union.members if isinstance(m, Ref)):
            by_class = self.verb == "dump" and not self.items
            key = record.name if by_class else literal(record.tag_value)
            entries.append(Keyword(f"{key}: ", f"{self.name or self.verb}_{snake(record.name)}"))
        self.module.use("collections.abc" if self.module.python >= (3, 9) else "typing", "Callable")
        self.module.use("typing", "Any")
        if self.verb == "dump":
            keys, function_type = "str" if self.items else "type", f"Callable[[Any], {self._dumped_type}]"
        else:
            keys, function_type = "str", f"Callable[[{self._builtins}], {annotation(union, self.module)}]"
        display = Bracketed("{", tuple(entries), "}")
        table = generic(self.module, "dict", keys, function_type)
        self.module.state(field_line(self._union_name(union), table, display, 0))

    def _union_name(self, union: Union) -> str:
        tagged = [t for t in dict.fromkeys(self.schema.types()) if isinstance(t, Union) and t.tag]
        index = tagged.index(union)
        return f"{(self.name or self.verb).upper()}ERS" + (f"_{index + 1}" if index else "")
