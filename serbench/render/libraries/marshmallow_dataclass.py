"""marshmallow-dataclass: marshmallow's schemas, made of dataclasses by their annotations.

- Dates and times are ISO 8601 and UUIDs text, as marshmallow maps types to fields.
- A base schema maps decimals to text, an enum to its value and a timedelta to its microseconds,
  wherever they stand, and leaves what a typed codec has a type for, by a Raw field.
- It maps a record that refers to itself, or that several refer to, to a field that finds the schema by a function:
  by name, a class of another module could be found.
- A document that is neither a record nor a list of records is the content of one more dataclass.
- A union is its first member that takes the value; a tag is a Literal field, which others do not take.
"""

from __future__ import annotations

from serbench.model.records import Enum, Ref, Schema, Type, referred
from serbench.model.scalars import INTEGER_KINDS, Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.classes import refuse_confusion, refuse_lookalikes, refuse_mixed_datetimes
from serbench.render.source.marshmallow import calls, document
from serbench.render.source.models import Models, generic
from serbench.render.source.module import braced, call

_DOCS = "https://github.com/lovasoa/marshmallow_dataclass"
_UPSTREAM = "https://marshmallow.readthedocs.io/en/stable"
_MAPPED = {
    "decimal": "fields.Decimal, as_string=True",
    "timedelta": 'fields.TimeDelta, precision="microseconds"',
}
_LENIENT = frozenset({*INTEGER_KINDS, "float", "bool", "timedelta"})


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a base schema where marshmallow's mapping will not do, and the schema of the document."""
    m = models(schema, codec, "dataclasses", enclose=not isinstance(schema.item, Ref))
    name, root = m.root_record, document(m, _UPSTREAM)
    refuse_lookalikes(schema, frozenset(), codec.format)
    kept = schema.features & codec.native
    refuse_mixed_datetimes(schema, codec.native, _DOCS)
    refuse_confusion(
        schema,
        f"{_DOCS}#union-deserialization-coercion",
        lambda one, other: (isinstance(one, Scalar) and one.kind in kept) or _confused(one, other),
    )
    m.dataclasses(f"{_DOCS}#meta-options", reserved=("Meta", "Schema"), tag=True, wire='metadata={"data_key": {}}')
    recursive = _recursive(m)
    base = ["base_schema=BaseSchema"] if _add_mapping(m, kept, recursive) else []
    m.use("marshmallow_dataclass", "class_schema")
    for fromkey in dict.fromkeys((*recursive, name)):
        # A type checker would go round in a circle: the base schema refers to those of recursive records.
        type_ = f": {generic(m, 'type', 'Schema')}" if fromkey in recursive else ""
        m.add(f"{fromkey}Schema{type_} = {call('class_schema', fromkey, *base)}")
    use_codec(m, codec)
    m.add(f"schema = {root}")
    if m.enclosed:
        return Rendered(m, m.dumped("schema.dump({})"), m.loaded("schema.load({})"), untyped=True)
    return Rendered(m, *calls(schema, codec.name), untyped=True)


def _recursive(m: Models) -> list[str]:
    """The records that are referred to, by others or themselves, above their definition or a second time."""
    names: list[str] = []
    seen: set[str] = set()
    for record in m.records():
        for name in referred(*record.types):
            if name not in m.defined or name in seen:
                names.append(name)
            seen.add(name)
    return list(dict.fromkeys(names))


def _add_mapping(m: Models, kept: frozenset[str], recursive: list[str]) -> bool:
    """Add the base schema with the fields of types that marshmallow does not map so, and say whether there is one.

    Those of `kept` kinds leave each value as it is.
    """
    mapped = {**_MAPPED, **dict.fromkeys(kept, "fields.Raw")}
    fields = {m.annotation(Scalar(kind)): mapped[kind] for kind in sorted(m.schema.features & mapped.keys())}
    fields |= {enum.name: f"fields.Enum, {enum.name}, by_value=True" for enum in m.schema.enums}
    fields |= {name: f"fields.Nested, lambda: {name}Schema()" for name in recursive}
    if fields:
        m.use("functools", "partial")
        m.use("marshmallow", "Schema", "fields")
        m.use("typing", "Any")
        entries = braced(f"{type_}: partial({made})" for type_, made in fields.items())
        m.define("class BaseSchema(Schema):", [f"TYPE_MAPPING: dict[Any, Any] = {entries}"])
    return bool(fields)


def _confused(one: Type, other: Type) -> bool:
    """Whether a union's first member takes values of the other: a list those of a record, a number or bool those of all."""
    if isinstance(one, Enum):
        return isinstance(one.members[0][1], int)
    if isinstance(one, Scalar):
        return one.kind in _LENIENT
    return not isinstance(other, Scalar | Enum)


LIBRARY = Library(
    name="marshmallow-dataclass",
    summary="marshmallow's schemas, made of dataclasses",
    docs=_DOCS,
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
