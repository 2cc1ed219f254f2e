"""colander: schemas of nodes, made for web forms, that turn what comes in into dicts; only decoding is measured.

- It has types of its own for dates and times (ISO 8601), decimals (text) and enums (by value).
- Custom types, as its documentation shows them, carry None, UUIDs (text), bytes (base64), a timedelta (its
  seconds), any JSON, a dict whose keys are not known, and a tagged union.
- A set is a sequence that a preparer turns into a set.
- Records are dicts by wire name; an absent item becomes its default, an absent container is refused.
"""

from __future__ import annotations

from serbench.model.records import Enum, Field, Ref, Schema, Set, Tuple, Type, Union, bare, parts
from serbench.model.scalars import ANY, TEXT_KINDS, Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import from_text
from serbench.render.source.classes import add_typed_dicts
from serbench.render.source.marshmallow import Entry, FieldClass, FieldTable, attempt, named
from serbench.render.source.models import Models, default_source, helper_blocks, needs_factory, tag_field
from serbench.render.source.module import Unsupported, call, literal

_DOCS = "https://docs.pylonsproject.org/projects/colander/en/latest"
_WRITES_TEXT = f"colander serializes numbers and booleans to text, because it is made for forms ({_DOCS}/basics.html#serialization)"
_NO_UNION = f"colander has no type for a union ({_DOCS}/api.html#types)"


def _enum(_: FieldTable, enum: Enum) -> str:
    number = "" if isinstance(enum.members[0][1], str) else ", colander.Integer()"
    return f'colander.Enum({enum.name}, "value"{number})'


_TYPES: dict[str, Entry] = {
    **named("colander.{}()", int="Integer", float="Float", bool="Boolean", date="Date", time="Time", decimal="Decimal"),
    **named("colander.{}()", datetime="DateTime", list="Sequence", set="Sequence", tuple="Tuple"),
    "str": "colander.String(allow_empty=True)",
    "naive_datetime": "colander.DateTime(default_tzinfo=None)",
    "any": "Anything()",
    "map": "Values()",
    "enum": _enum,
    "tagged_union": lambda types, union: f"Tagged({literal(union.tag)}, {types.m.tag_table(union, '{}Schema()')})",
    "untagged_union": Unsupported(f"colander has no type for an untagged union ({_DOCS}/api.html#types)"),
}
_CLASS = FieldClass("colander.SchemaType", "deserialize(self, node: colander.SchemaNode, cstruct: Any)", options=False)
_NULL = "if cstruct is colander.null:\n    return cstruct\n"
_INVALID = "colander.Invalid(node, str(error)) from error"
_PARSE = attempt("self.parse(cstruct)", "(AttributeError, TypeError, ValueError) as error", _INVALID)
_CHECK = """if not isinstance(cstruct, self.class_):
    raise colander.Invalid(node, f"no {self.class_.__name__}")
return cstruct"""
_NULLABLE = "return None if cstruct is None else self.typ.deserialize(node, cstruct)"
_VALUES = """if not isinstance(cstruct, dict):
    raise colander.Invalid(node, "not a mapping")
value = node.children[0]
return {key: value.deserialize(item) for key, item in cstruct.items()}"""
_TAGGED = """if not isinstance(cstruct, dict) or cstruct.get(self.tag) not in self.schemas:
    raise colander.Invalid(node, "of no known type")
return self.schemas[cstruct[self.tag]].deserialize(cstruct)"""
_HELPERS = helper_blocks(
    [
        _CLASS.source("Nullable", "typ: colander.SchemaType", _NULLABLE),
        _CLASS.source("Parsed", "parse: Callable[[Any], Any]", _NULL + _PARSE),
        _CLASS.source("Instance", "class_: type[Any]", _NULL + _CHECK),
        _CLASS.source("Anything", "", "return cstruct"),
        _CLASS.source("Values", "", _NULL + _VALUES),
        _CLASS.source("Tagged", "tag: str, schemas: dict[str, colander.SchemaNode]", _NULL + _TAGGED),
    ],
    *("typing:Any", "collections.abc:Callable"),
)


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """TypedDicts for a type checker, the types that colander lacks, and a schema for each record."""
    m = models(schema, codec, "dicts", helpers=_HELPERS)
    add_typed_dicts(m)
    use_codec(m, codec)
    m.use("colander")
    m.emit_helpers()
    types = _types(m, codec)
    for record in m.records(f"{_DOCS}/api.html#colander.SchemaNode", empty="name of a node"):
        lines = []
        if record.name in schema.tags:
            tag, one = tag_field(schema, record), f"validator=colander.OneOf([{literal(record.tag_value)}])"
            lines.append(f"{tag.name} = {call('colander.SchemaNode', 'colander.String()', one, *_name(tag))}")
        lines += [f"{f.name} = {_node(types, f.type, *_missing(m, f), *_name(f))}" for f in record.fields]
        m.define(f"class {record.name}Schema(colander.MappingSchema):", lines)
    m.add(f"schema = {_node(types, schema.root)}")
    return Rendered(m, load="schema.deserialize({})", untyped=True)


def _types(m: Models, codec: Codec) -> FieldTable:
    def parsed(_: FieldTable, type_: Scalar) -> str:
        class_, parse = from_text(m, type_.kind)
        return f"Instance({class_})" if type_.kind in codec.kinds.decodes else f"Parsed({parse})"

    table = _TYPES | {kind: parsed for kind in TEXT_KINDS if kind in codec.kinds.decodes or kind not in _TYPES}
    return FieldTable(m, table)


def _node(types: FieldTable, type_: Type, *options: str) -> str:
    def node(typ: str) -> str:
        return typ if inner == type_ else f"{types.m.helper('Nullable')}({typ})"

    inner = bare(type_)
    type_ = ANY if inner == ANY else type_
    if isinstance(inner, Ref):
        return call(f"{inner.record}Schema", *([] if inner == type_ else [node("colander.Mapping()")]), *options)
    if isinstance(inner, Set):
        options = ("preparer=lambda value: set(value) if isinstance(value, list) else value", *options)
    children = [] if isinstance(inner, Union) else [_node(types, part) for part in parts(inner)]
    if isinstance(inner, Tuple):
        children = [_node(types, item, f'name="{index}"') for index, item in enumerate(inner.items)]
    return call("colander.SchemaNode", node(types.field(inner)), *children, *options)


def _missing(m: Models, f: Field) -> tuple[str, ...]:
    """What an absent item becomes; a container would be shared between all documents, so it has to be there."""
    return () if f.required or needs_factory(f) else (f"missing={default_source(m, f)}",)


def _name(f: Field) -> tuple[str, ...]:
    return () if f.alias is None else (f"name={literal(f.alias)}",)


LIBRARY = Library(
    name="colander",
    summary="schemas of nodes for forms, measured decoding only",
    docs=_DOCS,
    model="typeddict",
    render=render,
    pins=("colander==2.0", "iso8601==2.1.0", "translationstring==1.4"),
    unchecked=("arg-type", "import-untyped", "misc"),
    cannot={"encode": _WRITES_TEXT, "dump": _WRITES_TEXT, "dumps": _WRITES_TEXT},
    lacks={
        "recursion": f"a schema node contains its children, so it cannot contain itself ({_DOCS}/basics.html)",
        "untagged_union": _NO_UNION,
    },
    items=True,
)
