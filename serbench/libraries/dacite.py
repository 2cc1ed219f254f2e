"""dacite: builds dataclasses out of dicts, checking types; `dataclasses.asdict` and the codec do the way back.

- Where the codec knows dataclasses (orjson, msgspec), it encodes them; elsewhere `asdict` makes the dicts.
- What the codec cannot encode goes through its hook (without one, conversions are by hand): dates and times as ISO 8601, UUIDs and decimals
  as text, bytes as base64, a timedelta as its seconds, an enum as its value, a set as a list.
- Coming back, `type_hooks` and `cast` of its Config restore them; `convert_key` finds the wire names.
- A tag is a Literal field, by which the type check chooses the member of a union.
- A document that is neither a record nor a list of records is the content of one more dataclass.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Step, Unsupported, use_codec
from serbench.schema import List, Ref, Schema, Tuple
from serbench.source.by_hand import TEXT_KINDS, ByHand, add_default_hook, from_text
from serbench.source.expressions import Bracketed, Comprehension, Expression, Keyword, call
from serbench.source.layout import Module, function, lay_out
from serbench.source.models import annotation, literal, snake, tag_field
from serbench.source.records import add_dataclasses, enclosed, has_record_at_root

_DOCS = "https://github.com/konradhalas/dacite"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a Config where the schema needs one, and `from_dict` around the codec."""
    if codec.format == "pickle":
        raise Unsupported("pickle takes the dataclasses as they are: dacite has no part in it")
    if variant != "default" and "tagged_union" in schema.features:
        raise Unsupported(f"without its type check, dacite takes the first member of a union ({_DOCS}#type-checking)")
    module = Module(future="recursion" in schema.features)
    models = _with_record_at_root(schema)
    add_dataclasses(module, models, tag=True)
    use_codec(module, codec)
    names = _wire_names(module, models)
    arguments = ("config",) if models.records and _config(module, models, codec, variant, names) else ()
    load = None
    if models.records:
        module.use("dacite", *(("Config", "from_dict") if arguments else ("from_dict",)))
        load = _loading(schema, models, arguments)
    dump, options = _dump(module, schema, models, codec, names)
    return Rendered(module, dump, load, options=options, untyped=load is None)


def _with_record_at_root(schema: Schema) -> Schema:
    """The schema with its document inside a record, where it is neither a record nor a list of records."""
    if has_record_at_root(schema) or not ByHand(Module(), schema, "load", frozenset()).differs(schema.root):
        return schema
    return enclosed(schema)


def _loading(schema: Schema, models: Schema, arguments: tuple[str, ...]) -> Step:
    match schema.root:
        case Ref(name):
            return lambda value: call("from_dict", name, value, *arguments)
        case List(Ref(name)):
            each = snake(name)
            made = call("from_dict", name, each, *arguments)
            return lambda value: Comprehension("[", made, f"for {each} in {value}", "]")
    name = models.records[-1].name
    return lambda value: Bracketed("from_dict(", (name, f'{{"content": {value}}}', *arguments), ").content")


def _dumping(schema: Schema, models: Schema, arguments: tuple[str, ...]) -> Step:
    match schema.root:
        case Ref():
            return lambda value: call("asdict", value, *arguments)
        case List(Ref(name)):
            each = snake(name)
            made = call("asdict", each, *arguments)
            return lambda value: Comprehension("[", made, f"for {each} in {value}", "]")
    name = models.records[-1].name
    return lambda value: Bracketed("asdict(", (f"{name}({value})", *arguments), ')["content"]')


def _wire_names(module: Module, schema: Schema) -> bool:
    """Add the table of wire names that are not the fields', and say whether there is one."""
    names: dict[str, str] = {}
    for record in schema.records:
        tag = [tag_field(schema, record)] if record.name in schema.tags else []
        for f in (*record.fields, *tag):
            if names.setdefault(f.name, f.wire) != f.wire:
                raise Unsupported(f"convert_key knows no record, and {f.name} has two wire names ({_DOCS}#convert-key)")
    entries = [Keyword(f"{literal(name)}: ", literal(wire)) for name, wire in names.items() if name != wire]
    if entries:
        module.state(lay_out(Bracketed("{", tuple(entries), "}"), before="WIRE_NAMES = "))
    return bool(entries)


def _config(module: Module, schema: Schema, codec: Codec, variant: str, names: bool) -> bool:
    """Add the Config, and say whether there is one."""
    hooks = {}
    cast = {"Enum"} if schema.enums else set()
    for kind in sorted(schema.features & TEXT_KINDS - codec.decodes):
        name, function_ = from_text(module, kind)
        hooks[name] = function_
    for type_ in schema.types():
        if isinstance(type_, Tuple):
            hooks[annotation(type_, module)] = "tuple"
    cast |= {name for name in hooks if hooks[name] == name} | ({"set"} & schema.features)
    table = [Keyword(f"{name}: ", value) for name, value in hooks.items() if name not in cast]
    options: list[Expression] = []
    if table:
        options.append(Keyword("type_hooks=", Bracketed("{", tuple(table), "}")))
    if cast:
        options.append(Keyword("cast=", Bracketed("[", tuple(sorted(cast)), "]")))
    if names:
        options.append("convert_key=lambda name: WIRE_NAMES.get(name, name)")
    if variant != "default":
        options.append(variant)
    if options:
        module.state(lay_out(call("Config", *options), before="config = "))
    return bool(options)


def _dump(
    module: Module, schema: Schema, models: Schema, codec: Codec, names: bool
) -> tuple[Step | None, tuple[str, ...]]:
    """The way to what the codec takes, and the options with which it takes it."""
    unknown = schema.features & (TEXT_KINDS | {"enum", "set"}) - codec.encodes
    if unknown and not codec.default:
        hand = ByHand(module, schema, "dump", codec.encodes)
        hand.add_functions()
        return hand.document, ()
    options = (f"{codec.default}={add_default_hook(module, unknown)}",) if unknown else ()
    if not models.records or ("dataclass" in codec.takes and not names):
        return None, options
    arguments: tuple[str, ...] = ()
    if names:
        arguments = ("dict_factory=by_wire_name",)
        body = "    return {WIRE_NAMES.get(name, name): value for name, value in items}"
        module.use("typing", "Any")
        module.add(function("by_wire_name", ["items: list[tuple[str, Any]]"], "dict[str, Any]", body))
    module.use("dataclasses", "asdict")
    return _dumping(schema, models, arguments), options


LIBRARY = Library(
    name="dacite",
    summary="builds dataclasses out of dicts, checking types",
    docs=_DOCS,
    model="dataclass",
    render=render,
    core=True,
    distributions=("dacite",),
    variants={"check_types=False": f"{_DOCS}#type-checking"},
)
