"""marshmallow-dataclass: marshmallow's schemas, made of dataclasses by their annotations.

- Dates and times are ISO 8601 and UUIDs text, as marshmallow maps types to fields.
- A base schema maps decimals to text, an enum to its value and a timedelta to its microseconds,
  wherever they stand.
- It maps a record that refers to itself, or that several refer to, to a field that finds the schema by a function: by name, a class
  of another module could be found.
- A document that is neither a record nor a list of records is the content of one more dataclass.
- A union is its first member that takes the value; a tag is a Literal field, which others do not take.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import INTEGER_KINDS, Enum, Field, Ref, Scalar, Schema, Type, Union
from serbench.schema.types import walk
from serbench.source.layout import Bracketed, Expression, Keyword, Module, call, class_block, lay_out
from serbench.source.marshmallow import calls, document, refuse_namesakes
from serbench.source.models import annotation, generic, literal, ordered_records, refuse_lookalikes
from serbench.source.records import add_dataclasses, enclosed, has_record_at_root

_DOCS = "https://github.com/lovasoa/marshmallow_dataclass"
_UPSTREAM = "https://marshmallow.readthedocs.io/en/stable"
_MAPPED = {
    "decimal": ("fields.Decimal", "as_string=True"),
    "timedelta": ("fields.TimeDelta", 'precision="microseconds"'),
}
_LENIENT = frozenset({*INTEGER_KINDS, "float", "bool", "timedelta"})


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a base schema where marshmallow's mapping will not do, and the schema of the document."""
    enveloped = not has_record_at_root(schema)
    models = enclosed(schema) if enveloped else schema
    name, root = document(models, codec.format, _UPSTREAM)
    _check_unions(schema, codec)
    module = Module(future="recursion" in schema.features)
    add_dataclasses(module, models, tag=True, options=_options)
    recursive = _recursive(models)
    refuse_namesakes(models, ("BaseSchema", *(f"{one}Schema" for one in {name, *recursive})))
    module.use("marshmallow_dataclass", "class_schema")
    base = ["base_schema=BaseSchema"] if _add_mapping(module, schema, recursive) else []
    for one in dict.fromkeys((*recursive, name)):
        # A type checker would go round in a circle: the base schema refers to those of recursive records.
        type_ = f": {generic(module, 'type', 'Schema')}" if one in recursive else ""
        module.state(lay_out(call("class_schema", one, *base), before=f"{one}Schema{type_} = "))
    use_codec(module, codec)
    module.state(f"schema = {root}")
    if not enveloped:
        return Rendered(module, *calls(schema, codec.name), untyped=True)
    return Rendered(
        module,
        dump=lambda value: Bracketed("schema.dump(", (f"{name}({value})",), ')["content"]'),
        load=lambda value: Bracketed("schema.load(", (f'{{"content": {value}}}',), ").content"),
        untyped=True,
    )


def _options(f: Field) -> tuple[Expression, ...]:
    if f.name in ("Meta", "Schema"):
        raise Unsupported(f"a field {f.name} would be taken for the class's own schema ({_DOCS}#meta-options)")
    if f.alias is None:
        return ()
    return (Keyword("metadata=", Bracketed("{", (f'"data_key": {literal(f.alias)}',), "}")),)


def _recursive(schema: Schema) -> list[str]:
    """The records that are referred to, by others or themselves, above their definition or a second time."""
    ahead = [record.name for record in ordered_records(schema)]
    found: list[str] = []
    seen: set[str] = set()
    for record in ordered_records(schema):
        for name in (t.record for f in record.fields for t in walk(f.type) if isinstance(t, Ref)):
            if name in ahead or name in seen:
                found.append(name)
            seen.add(name)
        ahead.remove(record.name)
    return list(dict.fromkeys(found))


def _add_mapping(module: Module, schema: Schema, recursive: list[str]) -> bool:
    """Add the base schema with the fields of types that marshmallow does not map so, and say whether there is one."""
    fields: dict[str, tuple[str, ...]] = {
        annotation(Scalar(kind), module): _MAPPED[kind] for kind in sorted(schema.features & _MAPPED.keys())
    }
    fields |= {enum.name: ("fields.Enum", enum.name, "by_value=True") for enum in schema.enums}
    fields |= {name: ("fields.Nested", f"lambda: {name}Schema()") for name in recursive}
    if fields:
        module.use("functools", "partial")
        module.use("marshmallow", "Schema", "fields")
        module.use("typing", "Any")
        entries = tuple(Keyword(f"{type_}: ", call("partial", *made)) for type_, made in fields.items())
        table = lay_out(Bracketed("{", entries, "}"), before="TYPE_MAPPING: dict[Any, Any] = ", width=84)
        module.add(class_block(["class BaseSchema(Schema):"], [table]))
    return bool(fields)


def _check_unions(schema: Schema, codec: Codec) -> None:
    """Check that no member of an untagged union takes the values of one that stands behind it.

    Raises:
        Unsupported: one does.
    """
    refuse_lookalikes(schema, frozenset(), codec.format)
    for union in schema.types():
        if (
            isinstance(union, Union)
            and union.tag is None
            and sum(not isinstance(m, Scalar | Enum) for m in union.members) > 1
        ):
            raise Unsupported(f"it tells no list from a record in a union ({_DOCS}#union-deserialization-coercion)")
        if isinstance(union, Union) and union.tag is None and any(_is_lenient(one) for one in union.members[:-1]):
            raise Unsupported(
                f"a union is its first member that takes the value, and a number or bool takes others' "
                f"({_DOCS}#union-deserialization-coercion)"
            )


def _is_lenient(type_: Type) -> bool:
    """Whether the type's field takes values that are written as other types are."""
    if isinstance(type_, Enum):
        return isinstance(type_.members[0][1], int)
    return isinstance(type_, Scalar) and type_.kind in _LENIENT


LIBRARY = Library(
    name="marshmallow-dataclass",
    summary="marshmallow's schemas, made of dataclasses",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("marshmallow-dataclass", "marshmallow"),
    modules=("marshmallow", "marshmallow_dataclass"),
    pins=(
        "marshmallow-dataclass==8.7.1",
        "marshmallow==4.4.0",
        "mypy-extensions==1.2.0",
        "typeguard==4.6.0",
        "typing-extensions==4.16.0",
        "typing-inspect==0.9.0",
    ),
    unchecked=("no-any-return", "RUF012"),
    lacks={"bytes": f"marshmallow has no field for bytes ({_UPSTREAM}/marshmallow.fields.html)"},
)
