"""cattrs: attrs classes, and converters preconfigured for each codec.

- JSON's preconfigured converters write bytes in base85 (json, orjson) or base64 (msgspec), dates and
  datetimes in ISO 8601, an enum as its value.
- That for msgpack writes dates and datetimes as timestamps, which come back in UTC; naive ones are
  written as text instead.
- Times, UUIDs and decimals go as text and a timedelta as its seconds, by hooks, where the converter has none.
- Where there is no preconfigured converter, a plain one is hooked up around the codec.
- Tagged unions are configured with the strategy of that name, wire names by `override(rename=…)`.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Optional, Ref, Scalar, Schema, Type, Union
from serbench.schema.types import walk
from serbench.source.attrs_classes import add_attrs_classes
from serbench.source.by_hand import TEXT_KINDS, loaded, to_text
from serbench.source.expressions import Bracketed, Conditional, Keyword, call
from serbench.source.layout import Module, lay_out
from serbench.source.models import alternatives, annotation, literal, root_name

_DOCS = "https://catt.rs/en/stable"
_JSON_KINDS = frozenset({"bytes", "date", "datetime", "naive_datetime"})
# (format, codec) → the kinds that its preconfigured converter carries
_PRECONFIGURED = {
    ("json", "json"): _JSON_KINDS,
    ("json", "orjson"): _JSON_KINDS,
    ("json", "msgspec"): _JSON_KINDS,
    ("msgpack", "msgpack"): frozenset({"bytes", "date", "datetime"}),
}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Attrs classes, and a converter with the hooks that the schema needs."""
    module = Module(future="recursion" in schema.features)
    add_attrs_classes(module, schema)
    use_codec(module, codec)
    if codec.format == "pickle":
        if variant != "default":
            raise Unsupported("pickle takes the attrs classes as they are: there is no converter to tune")
        return Rendered(module, untyped=True)
    if (codec.format, codec.name) == ("json", "msgspec") and (name := _passed_on(schema)):
        raise Unsupported(
            f"its converter for msgspec passes the recursive {name} on with names in place of aliases ({_DOCS}/preconf.html)"
        )
    preconfigured = _PRECONFIGURED.get((codec.format, codec.name))
    options = [] if variant == "default" else [variant]
    if preconfigured is None:
        module.use("cattrs", "Converter")
        if "set" in schema.features - codec.encodes:
            module.use("collections.abc", "Set")
            options.append("unstruct_collection_overrides={Set: list}")
        module.state(lay_out(call("Converter", *options), before="converter = "))
    else:
        module.use(f"cattrs.preconf.{codec.name}", "make_converter")
        module.state(lay_out(call("make_converter", *options), before="converter = "))
    _add_hooks(module, schema, codec, preconfigured)
    _add_renames(module, schema)
    _add_unions(module, schema, plain=preconfigured is None)
    type_ = annotation(schema.root, module)
    encode = call("converter.dumps", root_name(schema), type_)
    if codec.name == "json":
        encode = Bracketed(encode.opening, encode.items, ").encode()")
    return Rendered(
        module,
        dump=lambda value: call("converter.unstructure", value, type_),
        load=lambda value: call("converter.structure", value, type_),
        encode=None if preconfigured is None else encode,
        decode=None if preconfigured is None else call("converter.loads", "blob", type_),
    )


def _add_hooks(module: Module, schema: Schema, codec: Codec, preconfigured: frozenset[str] | None) -> None:
    """Hooks for the classes that the converter does not carry, each as the codec likes it best."""
    carried = codec.decodes & {"bytes"} if preconfigured is None else preconfigured
    used = schema.features & TEXT_KINDS
    done = set()
    for kind in sorted(used - carried):
        name, dump = to_text(module, kind)
        if name in done:
            continue
        done.add(name)
        of_class = used & {"datetime", "naive_datetime"} if name == "datetime" else {kind}
        if not of_class <= codec.encodes:
            module.state(lay_out(call("converter.register_unstructure_hook", name, dump)))
        elif name == "datetime" and "date" in used - carried - codec.encodes:
            # a datetime is a date, whose hook would be asked
            module.state(lay_out(call("converter.register_unstructure_hook", name, "lambda value: value")))
        load = "value" if kind in codec.decodes else loaded(module, kind, "value")
        module.state(lay_out(call("converter.register_structure_hook", name, f"lambda value, _: {load}")))


def _add_renames(module: Module, schema: Schema) -> None:
    """Hook factories for records with wire names: made when first used, so that they may be recursive."""
    for record in schema.records:
        renamed = [f for f in record.fields if f.alias is not None]
        if any(f.name in ("cl", "converter") for f in renamed):
            raise Unsupported(f"{record.name}: cattrs's own arguments are called so ({_DOCS}/customizing.html)")
        overrides = [f"{f.name}=override(rename={literal(f.wire)})" for f in renamed]
        for way in ("unstructure", "structure") if overrides else ():
            module.use("cattrs.gen", f"make_dict_{way}_fn", "override")
            made = call(f"make_dict_{way}_fn", "cls", "converter", *overrides)
            factory = (f"lambda cls: cls is {record.name}", Keyword("lambda cls: ", made))
            module.state(lay_out(call(f"converter.register_{way}_hook_factory", *factory)))


def _add_unions(module: Module, schema: Schema, *, plain: bool) -> None:
    """The strategies for the unions that occur."""
    unions = [t for t in dict.fromkeys(schema.types()) if isinstance(t, Union)]
    if any(sum(not isinstance(m, Scalar) for m in u.members) > 1 for u in unions if u.tag is None):
        raise Unsupported(
            f"cattrs tells no list from a record or a map in a union without a hook ({_DOCS}/unions.html)"
        )
    if any(isinstance(t, Union) and t.tag is not None for u in unions if u.tag is None for t in walk(u)):
        raise Unsupported(f"within an untagged union cattrs writes by class, and so no tag ({_DOCS}/unions.html)")
    if plain and any(u.tag is None for u in unions):
        module.use("cattrs.strategies", "configure_union_passthrough")
        scalars = alternatives(module, "str", "int", "float", "bool", "bytes", "None")
        module.state(f"configure_union_passthrough({scalars}, converter)")
    for union in _inner_first(schema, [u for u in unions if u.tag is not None]):
        module.use("cattrs.strategies", "configure_tagged_union")
        type_ = annotation(union, module)
        records = [schema.record(m.record) for m in union.members if isinstance(m, Ref)]
        tags = Bracketed("{", tuple(f"{r.name}: {literal(r.tag_value)}" for r in records), "}.__getitem__")
        options = (f"tag_name={literal(union.tag)}", Keyword("tag_generator=", tags))
        module.state(lay_out(call("configure_tagged_union", type_, "converter", *options)))
        if Optional(union) in schema.types():
            for way, arguments in (("unstructure", "value"), ("structure", f"value, {type_}")):
                hook = f"converter.get_{way}_hook({type_})({arguments})"
                convert = Keyword(
                    "lambda value: " if way == "unstructure" else "lambda value, _: ",
                    Conditional("None", "value is None", hook),
                )
                module.state(
                    lay_out(call(f"converter.register_{way}_hook", alternatives(module, type_, "None"), convert))
                )


def _passed_on(schema: Schema) -> str | None:
    """A recursive record without an alias that holds a record with one."""
    aliased = {record.name for record in schema.records if any(f.alias is not None for f in record.fields)}
    for record in schema.records:
        reached = schema.reachable(record)
        if record.name in reached - aliased and reached & aliased:
            return record.name
    return None


def _inner_first(schema: Schema, unions: list[Union]) -> list[Union]:
    """Each union after those inside it: configuring one looks up the hooks of its members' fields."""

    def inside(union: Union) -> int:
        found: set[Type] = set()
        todo: list[Type] = [union]
        while todo:
            for type_ in walk(todo.pop()):
                if type_ not in found:
                    found.add(type_)
                    todo += [f.type for f in schema.record(type_.record).fields] if isinstance(type_, Ref) else []
        return sum(other in found for other in unions)

    return sorted(unions, key=inside)


LIBRARY = Library(
    name="cattrs",
    summary="attrs classes, and converters preconfigured for each codec",
    docs=_DOCS,
    model="attrs",
    render=render,
    core=True,
    distributions=("cattrs", "attrs"),
    variants={"detailed_validation=False": f"{_DOCS}/validation.html#detailed-validation"},
)
