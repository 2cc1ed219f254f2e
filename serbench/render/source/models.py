"""The module of a schema's models: annotations, enum classes, records in order, their fields and defaults."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from serbench.model.fidelity.kinds import KINDS
from serbench.model.records import (
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
    kind_of,
    referred,
)
from serbench.model.scalars import JSON_KINDS, READERS, STR, UUID, Scalar
from serbench.render.source.module import (
    Module,
    Unsupported,
    braced,
    call,
    filled,
    listed,
    literal,
    once,
    root_name,
    snake,
    tuple_of,
)


def class_name(kind: str, module: Module) -> str:
    """The class of a kind of scalar, imported into `module`."""
    cls = KINDS[kind].cls or Any
    source = cls.__module__.partition(".")[0]  # Python 3.13 has Path in `pathlib._local`
    if source != "builtins":
        module.use(source, cls.__name__)
    return str(cls.__name__)


def annotation(
    type_: Type,
    module: Module,
    tagged: Callable[[Union, str], str] | None = None,
    classes: Mapping[str, str] | None = None,
) -> str:
    """The annotation of a type, importing into `module` what it names.

    `tagged` writes a tagged union from its description and its members' union; by default it is the members' union.
    `classes` maps kinds of scalars, "enum" and "set" to what replaces the annotation, in which `{}` stands for it.
    """
    text = _annotation(type_, module, tagged, lambda item: annotation(item, module, tagged, classes))
    return (classes or {}).get(kind_of(type_), "{}").replace("{}", text)


def _annotation(
    type_: Type, module: Module, tagged: Callable[[Union, str], str] | None, inner: Callable[[Type], str]
) -> str:
    match type_:
        case Scalar(kind):
            return class_name(kind, module)
        case Enum(name) | Ref(name):
            return name
        case Optional(item):
            return alternatives(module, inner(item), "None")
        case List(item, held) | Set(item, held):
            return generic(module, held, inner(item), *(["..."] if held == "tuple" else []))
        case Tuple(items):
            return generic(module, "tuple", *map(inner, items))
        case Map(value, key):
            return generic(module, "dict", inner(key), inner(value))
        case Union(members, tag):
            union = alternatives(module, *map(inner, members))
            return tagged(type_, union) if tagged and tag is not None else union


def generic(module: Module, container: str, *arguments: str) -> str:
    """`list[int]`, or `List[int]` on Python 3.8."""
    if module.python < (3, 9):
        container = container.title()
        module.use("typing", container)
    return f"{container}[{', '.join(arguments)}]"


def alternatives(module: Module, *members: str) -> str:
    """`int | None`, or `Optional[int]` before Python 3.10; `Union[…]` likewise."""
    if module.python >= (3, 10):
        return " | ".join(members)
    name = "Optional" if members[-1] == "None" and len(members) == 2 else "Union"
    module.use("typing", name)
    return f"{name}[{', '.join(members[:1] if name == 'Optional' else members)}]"


_external: ContextVar[frozenset[str]] = ContextVar("external", default=frozenset())


@contextmanager
def external_classes(schema: Schema) -> Iterator[None]:
    """Have the modules that are made inside define no class of this schema, whose classes are imported into them."""
    names = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
    token = _external.set(frozenset(names))
    try:
        yield
    finally:
        _external.reset(token)


def needs_factory(f: Field) -> bool:
    """True if each object needs a default of its own, because it could change, or is made by a function that may do anything."""
    return isinstance(f.default, list | dict | set) or (bare(f.type) == UUID and isinstance(f.default, str))


def factory(module: Module, f: Field) -> str:
    """What makes the default of a field anew, as "list" or a lambda; empty if all objects share it."""
    if not needs_factory(f):
        return ""
    if isinstance(f.default, list | dict | set) and not f.default:
        return "set" if isinstance(f.type, Set) else type(f.default).__name__
    return f"lambda: {default_source(module, f)}"


def default_of(module: Module, f: Field) -> str:
    """The default of an optional field, or what makes it, for a library that calls a default that can be called."""
    return factory(module, f) or default_source(module, f)


def assignment(module: Module, f: Field, function: str, factory_word: str, *options: str) -> str | None:
    """The text behind `=` in the class body: a default, or a call of the library's `function`; None for neither.

    `function` is a dotted name, or "module:name" if the name has to be imported; `factory_word` is its keyword for what
    makes a default; `options` are further arguments.
    """
    if f.required:
        arguments = options
    elif made := factory(module, f):
        arguments = (*options, f"{factory_word}={made}")
    elif options:
        arguments = (*options, f"default={default_source(module, f)}")
    else:
        return default_source(module, f)
    if not arguments:
        return None
    source, _, name = function.rpartition(":")
    if source:
        module.use(source, name)
    return call(name, *arguments)


def default_source(module: Module, f: Field) -> str:
    """The default of a field as an expression.

    Raises:
        Unsupported: there is none for its type.
    """
    try:
        return _source(module, f.type, f.default)
    except (ValueError, TypeError, KeyError):
        raise Unsupported(f"field {f.name}: no source for the default {f.default!r}; leave it out") from None


def _source(module: Module, type_: Type, value: Any) -> str:
    match bare(type_):
        case _ if value is None:
            return "None"
        case Enum(name, members):
            return {member: f"{name}.{key}" for key, member in members}[value]
        case Scalar(kind) if kind in READERS and isinstance(value, str):
            return _constructed(module, kind, READERS[kind](value))
        case List(item, "list") if isinstance(value, list):
            return f"[{_each(module, item, value)}]"
        case List(_, "tuple" | "set" | "frozenset" as held) if value == []:
            return f"{held}()"
        case Set(item, "set") if isinstance(value, list):
            return f"{{{_each(module, item, dict.fromkeys(value))}}}"
        case Tuple(items):
            return tuple_of([_source(module, item, one) for item, one in zip(items, value, strict=True)])
        case Map(item) if isinstance(value, dict):
            return braced(f"{literal(key)}: {_source(module, item, one)}" for key, one in value.items())
        case Union(members, None):
            return _source(module, _member(members, value), value)
        case Scalar("any"):
            return json_source(value)
        case Scalar("float") if isinstance(value, int):
            return literal(float(value))
        case _ if isinstance(value, str | int | float):
            return literal(value)
    raise TypeError


def _each(module: Module, item: Type, values: Iterable[Any]) -> str:
    return ", ".join(_source(module, item, value) for value in values)


def _member(members: tuple[Type, ...], value: Any) -> Type:
    """Return the member of an untagged union whose JSON a value is: an enum of that value, or else a text if there are texts."""
    kind = float if type(value) is int and int not in map(json_type, members) else type(value)
    fitting = [member for member in members if json_type(member) is kind]
    for one in fitting:
        if isinstance(one, Enum) and any(value == other for _, other in one.members):
            return one
    return STR if STR in fitting else fitting[0] if fitting else members[0]


def json_source(value: Any) -> str:
    """JSON data as source."""
    match value:
        case list():
            return listed(map(json_source, value))
        case dict():
            return braced(f"{literal(key)}: {json_source(item)}" for key, item in value.items())
    return literal(value)


def _constructed(module: Module, kind: str, value: Any) -> str:
    """The call that makes a value, such as `date(2024, 2, 29)`."""
    class_name(kind, module)
    text = re.sub(r"\bdatetime\.(?=[a-z]+[.(])", "", repr(value))
    for name in ("timezone", "timedelta"):  # of an offset
        if re.search(rf"\b{name}[.(]", text):
            module.use("datetime", name)
    return text.replace("'", '"') if kind in ("decimal", "uuid") else text


@once
def untagged_unions(schema: Schema) -> tuple[Union, ...]:
    """The unions without a tag, each once."""
    return tuple(dict.fromkeys(t for t in schema.types() if isinstance(t, Union) and t.tag is None))


def is_json(type_: Type) -> bool:
    """True if it is a text, a number or a boolean."""
    return isinstance(type_, Scalar) and type_.kind in JSON_KINDS


@once
def ordered_records(schema: Schema) -> tuple[Record, ...]:
    """The records, each after those it refers to (but for recursion)."""
    done: dict[str, Record] = {}
    visiting: set[str] = set()
    stack = [(record, False) for record in reversed(schema.records)]
    while stack:
        record, ready = stack.pop()
        if ready:
            done.setdefault(record.name, record)
        elif record.name not in visiting:
            visiting.add(record.name)
            stack.append((record, True))
            inner = reversed([*referred(*record.types)])
            stack += [(schema.record(name), False) for name in inner if name not in visiting]
    return tuple(done.values())


def is_plain(key: str) -> bool:
    """True if a wire name has nothing that JSON escapes, such as a quote or a newline."""
    return not any(char in '"\\' or char < " " for char in key)


def renamed_fields(fields: Iterable[Field]) -> list[Field]:
    """The fields that have another name on the wire."""
    return [f for f in fields if f.alias is not None]


def name_table(fields: Iterable[Field], *, back: bool = False) -> str:
    """A dict display: name of each field → its wire name, or `back` from wire names to names."""
    pairs = ((f.wire, f.name) if back else (f.name, f.wire) for f in fields)
    return braced(f"{literal(key)}: {literal(value)}" for key, value in pairs)


@dataclass
class Models(Module):
    """The module of a schema's models, with the questions that plug-ins ask of the schema.

    Attributes:
        schema: the schema of the models.
        helpers: name → the block that defines it and the imports it needs ("module" or "module:name"); see `helper`.
        tagged: writes the annotation of a tagged union from its description and its members' union.
        classes: as for `annotation`.
        enclosed: whether the document is the content of a record that was made for it, the root of `schema`.
        external: the names of records and enums whose classes are a user's, which are imported and not defined.
        current: the record that a loop over `records` is at; empty outside of one.
        defined: the records that the loop has gone past, all of them after it.
        used_helpers: the helper blocks that have been added.
    """

    schema: Schema = field(default_factory=lambda: Schema(STR))
    helpers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tagged: Callable[[Union, str], str] | None = None
    classes: dict[str, str] = field(default_factory=dict)
    enclosed: bool = False
    external: Container[str] = field(default_factory=_external.get)
    current: str = ""
    defined: set[str] = field(default_factory=set)
    used_helpers: list[str] = field(default_factory=list)
    _helpers_at: int = 0

    def __post_init__(self) -> None:
        self.future = "recursion" in self.schema.features
        for enum in self.schema.enums:
            if enum.name in self.external:
                continue
            self.use("enum", "Enum")
            lines = [f"{name} = {literal(value)}" for name, value in enum.members]
            self.define(f"class {enum.name}(Enum):", lines)
        self.emit_helpers()

    def emit_helpers(self) -> None:
        """Let helper blocks stand here, behind the blocks so far, and not behind the enums."""
        self._helpers_at = len(self.blocks)

    def helper(self, name: str) -> str:
        """The name of a helper block, which is added, once, behind the enums in the order of `helpers`."""
        if name not in self.used_helpers:
            block, *imports = self.helpers[name]
            order = list(self.helpers)
            self.used_helpers = sorted([*self.used_helpers, name], key=order.index)
            self.blocks.insert(self._helpers_at + self.used_helpers.index(name), block)
            self.use_each(imports)
        return name

    def imported(self, source: str, expression: str) -> str:
        """The expression, whose first name is imported from `source`."""
        self.use(source, re.split(r"\W", expression, maxsplit=1)[0])
        return expression

    def with_imports(self, expression: str) -> str:
        """The expression, in which "module:name" stands for a name that is imported."""

        def name(match: re.Match[str]) -> str:
            self.use(match[1], match[2])
            return match[2]

        return re.sub(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)", name, expression)

    def annotated(self, type_: str, note: str, text: str | None) -> str:
        """`Annotated[type_, note]`; in the note, `{}` is the text and "module:name" a name that is imported."""
        self.use("typing" if self.python >= (3, 9) else "typing_extensions", "Annotated")
        return f"Annotated[{type_}, {filled(self.with_imports(note), literal(text))}]"

    def discriminated(self, union: Union, type_: str, note: str) -> str:
        """`Annotated[type_, note]` for a tagged union; in the note, `{}` is the tag's key and `{name}` its field."""
        name = min(tag_field(self.schema, record).name for record in members(self.schema, union))
        return self.annotated(type_, note.replace("{name}", name), union.tag)

    def annotation(self, type_: Type) -> str:
        """The annotation of a type."""
        return annotation(type_, self, self.tagged, self.classes)

    def records(
        self, page: str = "", *, reserved: Container[str] = (), private: bool = False, empty: str = ""
    ) -> Iterator[Record]:
        """The records whose classes are to be defined, each after those it refers to.

        Args:
            page: the documentation that a refusal names.
            reserved: names that no field may have, because the library has something of that name.
            private: True if the library takes no field whose name begins with an underscore.
            empty: the option that the library takes for absent if it is an empty text.

        Raises:
            Unsupported: a field has a name that it may not have, or an empty alias.
        """
        self.defined.clear()
        for record in ordered_records(self.schema):
            if record.name in self.external:
                continue
            for f in self.fields(record):
                if f.name in reserved:
                    raise Unsupported(f"a field called {f.name} would hide the library's own attribute ({page})")
                if private and f.name.startswith("_"):
                    raise Unsupported(f"a field name must not begin with an underscore, but {f.name} does ({page})")
                if empty and f.alias == "":
                    raise Unsupported(f"an empty {empty} counts as absent ({page})")
            self.current = record.name
            yield record
            self.defined.add(record.name)
        self.current = ""

    def fields(self, record: Record) -> tuple[Field, ...]:
        """The fields of a record, the last of them its tag if it has one."""
        tag = (tag_field(self.schema, record),) if record.name in self.schema.tags else ()
        return (*record.fields, *tag)

    def lines(
        self,
        record: Record,
        function: str = "",
        factory: str = "",
        options: Callable[[Field], tuple[str, ...]] = lambda _: (),
        *,
        wire: str = "",
        tag: bool = False,
        alias: str = "",
        quoted: bool = False,
    ) -> list[str]:
        """The fields in the body of a record's class, inside a loop over `records`: `name: type = default`.

        Args:
            function, factory: as for `assignment`.
            options: further arguments of a field's `function`.
            wire: the argument that gives a field its alias, such as "name={}", where `{}` is the alias
                and "module:name" a name that is imported.
            tag: whether a tagged record has its tag as a Literal field.
            alias: the class, as "module:name", that annotates a field with its wire name if it has one.
            quoted: whether an annotation is a string if it refers to a class that stands below, for a library that
                reads annotations as they are.
        """
        lines = []
        for f in self.fields(record) if tag else record.fields:
            if f in record.fields:
                type_ = self.annotation(f.type)
            else:
                self.use("typing", "Literal")
                type_ = f"Literal[{literal(record.tag_value)}]"
            if alias and f.alias is not None:
                type_ = self.annotated(type_, f"{alias}({{}})", f.alias)
            if quoted and not self.defined.issuperset(referred(f.type)):
                type_ = literal(type_)
            renamed = (filled(self.with_imports(wire), literal(f.alias)),) if wire and f.alias is not None else ()
            assigned = assignment(self, f, function, factory, *options(f), *renamed)
            lines.append(f"{f.name}: {type_}" + (f" = {assigned}" if assigned else ""))
        return lines

    def dataclasses(
        self,
        page: str = "",
        *,
        reserved: Container[str] = (),
        empty: str = "",
        wire: str = "",
        tag: bool = False,
        alias: str = "",
        quoted: bool = False,
        options: str = "",
        decorator: str | Callable[[Record], str] = "{}",
        base: str = "",
        renamed: str = "",
        each: str = "",
        function: str = "dataclasses:field",
    ) -> None:
        """Add the dataclass of each record.

        Args:
            page, reserved, empty: as for `records`.
            wire, tag, alias, quoted: as for `lines`.
            options: the arguments of `@dataclass`.
            decorator: what stands above a class, one decorator a line, or a function that returns it for a record; `{}` is
                `@dataclass` with its options, which may be left out, and "module:name" a name that is imported.
            base: the base class, as "module:name".
            renamed: a statement of each class with wire names, behind its fields; `{}` is their `name_table`.
            each: a statement of each class, behind its fields.
            function: what takes the place of `dataclasses.field`.
        """
        plain = call("@dataclass", options) if options else "@dataclass"
        for record in self.records(page, reserved=reserved, empty=empty):
            self.use("dataclasses", "dataclass")
            lines = self.lines(record, function, "default_factory", wire=wire, tag=tag, alias=alias, quoted=quoted)
            if renamed and (names := renamed_fields(self.fields(record))):
                lines += ["", filled(renamed, name_table(names))]
            lines += ["", each] if each else []
            bases = f"({self.with_imports(base)})" if base else ""
            above = self.with_imports(decorator if isinstance(decorator, str) else decorator(record))
            self.define(f"{filled(above, plain)}\nclass {record.name}{bases}:", lines)

    def dumped(self, template: str) -> str:
        """The template that dumps the document, from that for a record: for each one, or for the record around it."""
        return filled(template, f"{self.root_record}({{}})") + '["content"]' if self.enclosed else self._each(template)

    def loaded(self, template: str) -> str:
        """The template that loads the document, from that for a record: for each one, or for the record around it."""
        return filled(template, '{"content": {}}') + ".content" if self.enclosed else self._each(template)

    def _each(self, template: str) -> str:
        if not self.many:
            return template
        each = snake(self.root_record)
        return f"[{filled(template, each)} for {each} in {{}}]"

    def tag_table(self, union: Union, template: str = "{}") -> str:
        """A dict display: tag of each member → the template with the member's name, such as `CircleSchema()`."""
        records = members(self.schema, union)
        return braced(f"{literal(r.tag_value)}: {template.replace('{}', r.name)}" for r in records)

    @property
    def root_name(self) -> str:
        """What the rendered functions call the document."""
        return root_name(self.schema)

    @property
    def root_record(self) -> str:
        """The record that the document is, or is a list of; empty if it is something else."""
        return self.schema.item.record if isinstance(self.schema.item, Ref) else ""

    @property
    def many(self) -> bool:
        """True if the document is a list of records."""
        return self.schema.row is not None


def helper_blocks(blocks: Iterable[str], *imports: str) -> dict[str, tuple[str, ...]]:
    """`Models.helpers` from the source of classes and functions.

    `imports` are "module" or "module:name"; each block has those whose name it has as a word.
    """
    helpers = {}
    for text in blocks:
        _, name, *words = re.findall(r"\w+", text)
        helpers[name] = (text, *(one for one in imports if one.rpartition(":")[2] in words))
    return helpers


@once
def tagged_unions(schema: Schema) -> tuple[Union, ...]:
    """The unions with a tag, each once."""
    return tuple(dict.fromkeys(t for t in schema.types() if isinstance(t, Union) and t.tag is not None))


def numbered(name: str, schema: Schema, union: Union) -> str:
    """A name for something of this tagged union: `name` for the first one, then `name_2` and so on."""
    index = tagged_unions(schema).index(union)
    return f"{name}_{index + 1}" if index else name


def members(schema: Schema, union: Union) -> list[Record]:
    """The records of a union."""
    return [schema.record(member.record) for member in union.members if isinstance(member, Ref)]


def tag_field(schema: Schema, record: Record) -> Field:
    """The tag of a member of a tagged union as a field: an identifier, with an alias if the key is not one."""
    key, name = schema.tags[record.name], schema.tag_name(record)
    return Field(name, STR, alias=None if name == key else key, default=record.tag_value)
