"""adaptix: a retort that generates loaders and dumpers for dataclasses and whatever they hold.

- Dates and times are ISO 8601, UUIDs and decimals text, a timedelta its seconds, an enum its value,
  a set an array; bytes are base64, and themselves where the codec has bytes.
- A timedelta has a loader of our own: that of 3.0.0b12 loses a microsecond here and there, and a second
  of a negative one (https://github.com/reagento/adaptix/pull/453).
- Wire names are given to the retort by `name_mapping`; the classes know nothing of them.
- A tag is a Literal field, by which the loaders of a union's classes refuse one another's data.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import FLOAT, INTEGERS, Record, Schema, Union
from serbench.source.by_hand import from_text
from serbench.source.layout import Bracketed, Expression, Keyword, Module, call, lay_out, parsed
from serbench.source.models import annotation, literal, tag_field
from serbench.source.records import add_dataclasses

_DOCS = "https://adaptix.readthedocs.io/en/latest"
_TUTORIAL = f"{_DOCS}/loading-and-dumping/tutorial.html"
_TYPES = f"{_DOCS}/loading-and-dumping/specific-types-behavior.html"
_LAX = "strict_coercion=False"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a retort, and its loader and dumper for the document."""
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dataclasses as they are: adaptix has no part in it")
    options = [] if variant == "default" else variant.split()
    _refuse_ambiguous(schema, lax=_LAX in options)
    module = Module(future="recursion" in schema.features)
    add_dataclasses(module, schema, tag=True)
    use_codec(module, codec)
    type_ = annotation(schema.root, module)
    module.use("adaptix", "Retort")
    recipe = [*_providers(module, schema, codec), *_names(module, schema)]
    arguments: list[Expression] = [Keyword("recipe=", Bracketed("[", tuple(recipe), "]"))] if recipe else []
    for option in options:
        name, _, value = option.partition("=")
        if name == "debug_trail":
            module.use("adaptix", "DebugTrail")
        arguments.append(f"{name}=DebugTrail.{value}" if name == "debug_trail" else option)
    module.state(lay_out(call("Retort", *arguments), before="retort = "))
    module.state(lay_out(call("retort.get_loader", parsed(type_)), before="load_document = "))
    module.state(lay_out(call("retort.get_dumper", parsed(type_)), before="dump_document = "))
    return Rendered(
        module, dump=lambda value: call("dump_document", value), load=lambda value: call("load_document", value)
    )


def _refuse_ambiguous(schema: Schema, *, lax: bool) -> None:
    """Check that no loader of a union takes what is meant for a later one."""
    for union in schema.types():
        if not isinstance(union, Union) or union.tag is not None:
            continue
        if lax:
            raise Unsupported(
                f"without strict coercion, the first loader of a union takes nearly anything ({_TYPES}#union)"
            )
        if FLOAT in union.members and INTEGERS & {*union.members[union.members.index(FLOAT) :]}:
            raise Unsupported(f"its loader for float takes an int, which the union has as well ({_TYPES}#basic-types)")


def _providers(module: Module, schema: Schema, codec: Codec) -> list[Expression]:
    """What leaves bytes alone where the codec has bytes, and loads a timedelta exactly."""
    found: list[Expression] = []
    if schema.features & codec.encodes & codec.decodes & {"bytes"}:
        module.use("adaptix", "as_is_dumper", "as_is_loader")
        found += ["as_is_dumper(bytes)", "as_is_loader(bytes)"]
    if "timedelta" in schema.features:
        module.use("adaptix", "loader")
        found.append(call("loader", *from_text(module, "timedelta")))
    return found


def _names(module: Module, schema: Schema) -> list[Expression]:
    """The wire names of each record, none of which adaptix shall make by itself."""
    found: list[Expression] = []
    for record in schema.records:
        entries = _renamed(schema, record)
        if entries:
            mapped = Bracketed("{", tuple(Keyword(f"{literal(n)}: ", literal(w)) for n, w in entries.items()), "}")
            found.append(call("name_mapping", record.name, Keyword("map=", mapped)))
    if any(f.name.endswith("_") and f.alias is None for record in schema.records for f in record.fields):
        found.append("name_mapping(trim_trailing_underscore=False)")
    if found:
        module.use("adaptix", "name_mapping")
    return found


def _renamed(schema: Schema, record: Record) -> dict[str, str]:
    """The names that have to be told: a private field would be left out."""
    tag = [tag_field(schema, record)] if record.name in schema.tags else []
    return {f.name: f.wire for f in (*record.fields, *tag) if f.alias is not None or f.name.startswith("_")}


LIBRARY = Library(
    name="adaptix",
    summary="loaders and dumpers generated for each type, configured apart from the classes",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("adaptix",),
    pins=("adaptix==3.0.0b12",),
    unchecked=("arg-type", "no-any-return"),
    variants=dict.fromkeys(
        ("debug_trail=FIRST", "debug_trail=DISABLE", _LAX, f"debug_trail=DISABLE {_LAX}"),
        f"{_TUTORIAL}#retort-configuration",
    ),
    recommended={"json": "orjson"},
)
