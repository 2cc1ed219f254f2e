"""colander: schemas of nodes, made for web forms, that turn what comes in into dicts; only decoding is measured.

- It has types of its own for dates and times (ISO 8601), decimals (text) and enums (by value).
- None, UUIDs (text), bytes (base64), a timedelta (its seconds), any JSON, a dict with keys that are not
  known and a tagged union have types written for it, as its documentation shows.
- A set is a sequence, made a set by a preparer.
- The records are dicts by wire name; an absent item becomes its default, an absent container is refused.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
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
from serbench.source.by_hand import TEXT_KINDS, from_text
from serbench.source.layout import Bracketed, Expression, Keyword, Module, call, class_block, lay_out
from serbench.source.models import annotation, default_literal, literal, ordered_records, tag_field
from serbench.source.typed_dicts import add_typed_dicts

_DOCS = "https://docs.pylonsproject.org/projects/colander/en/latest"
_WRITES_TEXT = (
    f"colander serializes numbers and booleans to text, as forms want them ({_DOCS}/basics.html#serialization)"
)
_TYPES = {
    "str": "String(allow_empty=True)",
    **dict.fromkeys(INTEGER_KINDS, "Integer()"),
    "float": "Float()",
    "bool": "Boolean()",
    "datetime": "DateTime()",
    "naive_datetime": "DateTime(default_tzinfo=None)",
    "date": "Date()",
    "time": "Time()",
    "decimal": "Decimal()",
}
# name → the lines of a type of our own
_CUSTOM = {
    "Nullable": (
        "def __init__(self, typ: colander.SchemaType) -> None:",
        "    self.typ = typ",
        "",
        "def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:",
        "    return None if cstruct is None else self.typ.deserialize(node, cstruct)",
    ),
    "Parsed": (
        "def __init__(self, parse: Callable[[Any], Any]) -> None:",
        "    self.parse = parse",
        "",
        "def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:",
        "    if cstruct is colander.null:",
        "        return cstruct",
        "    try:",
        "        return self.parse(cstruct)",
        "    except (AttributeError, TypeError, ValueError) as error:",
        "        raise colander.Invalid(node, str(error)) from error",
    ),
    "Anything": (
        "def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:",
        "    return cstruct",
    ),
    "Values": (
        "def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:",
        "    if cstruct is colander.null:",
        "        return cstruct",
        "    if not isinstance(cstruct, dict):",
        '        raise colander.Invalid(node, "not a mapping")',
        "    value = node.children[0]",
        "    return {key: value.deserialize(item) for key, item in cstruct.items()}",
    ),
    "Tagged": (
        "def __init__(self, tag: str, schemas: dict[str, colander.SchemaNode]) -> None:",
        "    self.tag = tag",
        "    self.schemas = schemas",
        "",
        "def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:",
        "    if cstruct is colander.null:",
        "        return cstruct",
        "    if not isinstance(cstruct, dict) or cstruct.get(self.tag) not in self.schemas:",
        '        raise colander.Invalid(node, "of no known type")',
        "    return self.schemas[cstruct[self.tag]].deserialize(cstruct)",
    ),
}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """TypedDicts for a type checker, the types that colander lacks, and a schema for each record."""
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dicts as they are: colander has no part in it")
    module = Module()
    add_typed_dicts(module, schema)
    use_codec(module, codec)
    module.use("colander")
    nodes = _Nodes(module, codec, schema)
    classes = [
        class_block(
            [lay_out(Bracketed(f"class {record.name}Schema(", ("colander.MappingSchema",), "):"))], nodes.lines(record)
        )
        for record in ordered_records(schema)
    ]
    root = nodes.node(schema.root)
    for name in (name for name in _CUSTOM if name in nodes.customs):
        module.use("typing", "Any")
        if name == "Parsed":
            module.use("collections.abc", "Callable")
        module.add(class_block([f"class {name}(colander.SchemaType):"], _CUSTOM[name]))
    for block in classes:
        module.add(block)
    module.state(lay_out(root, before="schema = "))
    return Rendered(module, load=lambda value: call("schema.deserialize", value), untyped=True)


class _Nodes:
    """Renders nodes, and knows which types of our own they use."""

    def __init__(self, module: Module, codec: Codec, schema: Schema) -> None:
        self.module, self.codec, self.schema = module, codec, schema
        self.customs: set[str] = set()

    def lines(self, record: Record) -> list[str]:
        """The body of a record's schema."""
        lines = []
        if record.name in self.schema.tags:
            tag = tag_field(self.schema, record)
            one: Expression = call("colander.OneOf", f"[{literal(record.tag_value)}]")
            made = call("colander.SchemaNode", "colander.String()", Keyword("validator=", one), *_name(tag))
            lines.append(lay_out(made, before=f"{tag.name} = ", width=84))
        taken = {"colander", *_CUSTOM, *(f"{other.name}Schema" for other in self.schema.records)}
        for f in record.fields:
            if f.name in taken:
                raise Unsupported(f"{record.name}: inside the schema, a node {f.name} would hide colander's own")
            lines.append(lay_out(self.node(f.type, *_missing(f), *_name(f)), before=f"{f.name} = ", width=84))
        return lines

    def node(self, type_: Type, *options: Expression) -> Bracketed:
        """A node with its type and its children."""
        inner = type_.item if isinstance(type_, Optional) and type_.item != Scalar("any") else type_
        if isinstance(inner, Ref):
            typ = (self.own("Nullable", "colander.Mapping()"),) if inner is not type_ else ()
            return call(f"{inner.record}Schema", *typ, *options)
        typ_, children = self.typ(inner)
        if isinstance(inner, Set):
            to_set = Keyword("preparer=lambda value: ", "set(value) if isinstance(value, list) else value")
            options = (to_set, *options)
        made = self.own("Nullable", typ_) if inner is not type_ else typ_
        return call("colander.SchemaNode", made, *children, *options)

    def own(self, name: str, *arguments: Expression) -> Bracketed:
        """An instance of a type of our own."""
        self.customs.add(name)
        return call(name, *arguments)

    def typ(self, type_: Type) -> tuple[Expression, tuple[Expression, ...]]:
        """The type of a node, and its children."""
        match type_:
            case Scalar(kind) if kind in TEXT_KINDS and kind in self.codec.decodes:
                name = annotation(type_, self.module)
                return self.own("Parsed", name), ()
            case Scalar(kind) if kind in _TYPES:
                return f"colander.{_TYPES[kind]}", ()
            case Scalar("any") | Optional():
                return self.own("Anything"), ()
            case Scalar(kind):
                return self.own("Parsed", from_text(self.module, kind)[1]), ()
            case Enum(name, members):
                typ = () if isinstance(members[0][1], str) else ("colander.Integer()",)
                return call("colander.Enum", name, '"value"', *typ), ()
            case List(item) | Set(item):
                return "colander.Sequence()", (self.node(item),)
            case Tuple(items):
                return "colander.Tuple()", tuple(self.node(item, f'name="{index}"') for index, item in enumerate(items))
            case Map(value):
                return self.own("Values"), (self.node(value),)
            case Union(members, tag) if tag is not None:
                records = [self.schema.record(m.record) for m in members if isinstance(m, Ref)]
                entries = tuple(Keyword(f"{literal(r.tag_value)}: ", f"{r.name}Schema()") for r in records)
                return self.own("Tagged", literal(tag), Bracketed("{", entries, "}")), ()
            case _:
                raise Unsupported(f"colander has no type for an untagged union ({_DOCS}/api.html#types)")


def _missing(f: Field) -> tuple[str, ...]:
    """What an absent item becomes; a container would be shared between all documents, so it has to be there."""
    return () if f.required or isinstance(f.default, list | dict | set) else (f"missing={default_literal(f)}",)


def _name(f: Field) -> tuple[str, ...]:
    if f.alias == "":
        raise Unsupported(f"an empty name of a node is taken for none ({_DOCS}/api.html#colander.SchemaNode)")
    return () if f.alias is None else (f"name={literal(f.alias)}",)


LIBRARY = Library(
    name="colander",
    summary="schemas of nodes for forms, measured decoding only",
    docs=_DOCS,
    model="typeddict",
    render=render,
    distributions=("colander",),
    pins=("colander==2.0", "iso8601==2.1.0", "translationstring==1.4"),
    unchecked=("arg-type", "import-untyped", "misc"),
    cannot={"encode": _WRITES_TEXT, "dump": _WRITES_TEXT, "dumps": _WRITES_TEXT},
    lacks={
        "recursion": f"a node holds its children, so none can hold itself ({_DOCS}/basics.html)",
        "untagged_union": f"colander has no type for a union ({_DOCS}/api.html#types)",
    },
    items=True,
)
