"""cattrs: attrs classes, and converters preconfigured for each codec.

- JSON's preconfigured converters write bytes in base85 (json, orjson) or base64 (msgspec), dates in ISO 8601.
- That for msgpack writes dates and datetimes as timestamps, which come back in UTC, and naive ones as text.
- Times, UUIDs and decimals go as text and a timedelta as its seconds, by hooks, where the converter has none.
- Where there is no preconfigured converter, a plain one is hooked up around the codec.
- `omit_if_default` leaves out keys whose value is the field's default, null among them.
- An unknown key is dropped; `forbid_extra_keys` refuses it.
- Tagged unions have the strategy of that name, or hooks if they hold one another.
"""

from __future__ import annotations

from serbench.judge.outcomes import DEFAULTS, REFUSED
from serbench.model.records import Optional, Schema, Union, walk
from serbench.model.scalars import MOMENTS, TEXT_KINDS, Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, refuse_leaving_out, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.classes import add_attrs_classes, refuse_confusion
from serbench.render.source.models import (
    Models,
    alternatives,
    members,
    numbered,
    renamed_fields,
    tagged_unions,
    untagged_unions,
)
from serbench.render.source.module import Unsupported, braced, call, literal

_DOCS = "https://catt.rs/en/stable"
_VALIDATING = f"{_DOCS}/validation.html#detailed-validation"
_OMITTING = f"{_DOCS}/customizing.html#omit-if-default"
_OMITS = {"omit_if_default=True": DEFAULTS}
_FORBIDDING = "forbid_extra_keys=True"
_MSGPACK_KINDS = frozenset({"bytes", "date", "datetime"})
_PRECONFIGURED = {("json", name): _MSGPACK_KINDS | MOMENTS for name in ("json", "orjson", "msgspec")}
_PRECONFIGURED["msgpack", "msgpack"] = _MSGPACK_KINDS
"""(format, codec) → the kinds that its preconfigured converter carries."""


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Attrs classes, and a converter with the hooks that the schema needs."""
    if variant in _OMITS:
        refuse_leaving_out(schema, codec, _OMITTING, defaults=True)
    m = models(schema, codec)
    add_attrs_classes(m)
    use_codec(m, codec)
    if codec.format == "pickle":
        if variant != "default":
            raise Unsupported("pickle encodes the attrs classes directly; there is no converter to tune")
        return Rendered(m, untyped=True)
    if (codec.format, codec.name) == ("json", "msgspec") and (name := _passed_on(schema)):
        raise Unsupported(
            f"in cattrs 26.2.1, its msgspec converter passes the recursive {name} on with field names instead of aliases ({_DOCS}/preconf.html)"
        )
    preconfigured = _PRECONFIGURED.get((codec.format, codec.name))
    options = [] if variant == "default" else [variant]
    if preconfigured is None and "set" in schema.features - codec.kinds.encodes:
        options.append(f"unstruct_collection_overrides={{{m.imported('collections.abc', 'Set')}: list}}")
    module = "cattrs" if preconfigured is None else f"cattrs.preconf.{codec.name}"
    made = m.imported(module, "Converter" if preconfigured is None else "make_converter")
    m.add(f"converter = {call(made, *options)}")
    _add_hooks(m, codec, codec.kinds.decodes & {"bytes"} if preconfigured is None else preconfigured)
    _add_renames(m, variant)
    _add_unions(m, plain=preconfigured is None, forbidding=variant == _FORBIDDING)
    type_ = m.annotation(schema.root)
    steps = f"converter.unstructure({{}}, {type_})", f"converter.structure({{}}, {type_})"
    if preconfigured is None:
        return Rendered(m, *steps)
    encode = f"converter.dumps({m.root_name}, {type_}){'.encode()' if codec.name == 'json' else ''}"
    return Rendered(m, *steps, encode=encode, decode=f"converter.loads(blob, {type_})")


def _add_hooks(m: Models, codec: Codec, carried: frozenset[str]) -> None:
    """Hooks for the classes that the converter does not carry, each as the codec likes it best."""
    used = m.schema.features & TEXT_KINDS
    for hook in hooks(m, used - carried, codec.kinds.decodes):
        of_class = used & MOMENTS if hook.class_ == "datetime" else {hook.kind}
        if not of_class <= codec.kinds.encodes:
            m.add(f"converter.register_unstructure_hook({hook.class_}, {hook.dump})")
        elif hook.class_ == "datetime" and "date" in used - carried - codec.kinds.encodes:  # whose hook would be asked
            m.add(f"converter.register_unstructure_hook({hook.class_}, lambda value: value)")
        m.add(f"converter.register_structure_hook({hook.class_}, lambda value, _: {hook.loaded})")


def _add_renames(m: Models, variant: str) -> None:
    """Hook factories for records with wire names: made when first used, so that they may be recursive."""
    for record in m.schema.records:
        names = renamed_fields(record.fields)
        if any(f.name in ("cl", "converter") for f in names):
            raise Unsupported(f"{record.name}: cattrs has arguments of that name ({_DOCS}/customizing.html)")
        overrides = [f"{f.name}=override(rename={literal(f.wire)})" for f in names]
        for way in ("unstructure", "structure") if overrides else ():
            m.use("cattrs.gen", f"make_dict_{way}_fn", "override")
            omitting = [f"_cattrs_{variant}"] if variant in _OMITS and way == "unstructure" else []
            made = call(f"make_dict_{way}_fn", "cls", "converter", *omitting, *overrides)
            m.add(f"converter.register_{way}_hook_factory(lambda cls: cls is {record.name}, lambda cls: {made})")


def _add_unions(m: Models, *, plain: bool, forbidding: bool) -> None:
    untagged = untagged_unions(m.schema)
    # It tells no list from a record or a map without a hook.
    refuse_confusion(m.schema, f"{_DOCS}/unions.html", lambda *two: not any(isinstance(t, Scalar) for t in two))
    if any(t in tagged_unions(m.schema) for t in walk(*untagged)):
        raise Unsupported(
            f"cattrs 26.2.1 writes members of an untagged union by class, so the tag is missing ({_DOCS}/unions.html)"
        )
    if plain and untagged:
        m.use("cattrs.strategies", "configure_union_passthrough")
        scalars = alternatives(m, "str", "int", "float", "bool", "bytes", "None")
        m.add(f"configure_union_passthrough({scalars}, converter)")
    inside = {union: _inside(m.schema, union) for union in tagged_unions(m.schema)}
    for union in sorted(inside, key=lambda one: len(inside[one])):
        type_, tag = m.annotation(union), literal(union.tag)
        tags = braced(f"{r.name}: {literal(r.tag_value)}" for r in members(m.schema, union))
        if Optional(union) in m.schema.types():  # before members that hold the union are looked up
            optional = alternatives(m, type_, "None")
            for way, head, more in (("unstructure", "value", ""), ("structure", "value, _", f", {type_}")):
                hook = f"converter.get_{way}_hook({type_})(value{more})"
                m.add(f"converter.register_{way}_hook({optional}, lambda {head}: None if value is None else {hook})")
        tag_arguments = any(record.tag_argument for record in members(m.schema, union))  # which the strategy takes away
        if tag_arguments or any(union in inside[other] for other in inside[union]):  # neither can be configured first
            names, classes = (numbered(name, m.schema, union) for name in ("TAGS", "CLASSES"))
            m.add(f"{names} = {tags}\n{classes} = {m.tag_table(union)}")
            dump = f"lambda value: {{{tag}: {names}[type(value)], **converter.unstructure(value)}}"
            fields = f"{{key: item for key, item in value.items() if key != {tag}}}" if forbidding else "value"
            load = f"lambda value, _: converter.structure({fields}, {classes}[value[{tag}]])"
            m.add(f"converter.register_unstructure_hook({type_}, {dump})")
            m.add(f"converter.register_structure_hook({type_}, {load})")
        else:
            made = m.imported("cattrs.strategies", "configure_tagged_union")
            m.add(f"{made}({type_}, converter, tag_name={tag}, tag_generator={tags}.__getitem__)")


def _passed_on(schema: Schema) -> str | None:
    """A recursive record without an alias that holds a record with one."""
    aliased = {record.name for record in schema.records if renamed_fields(record.fields)}
    reached = {record.name: schema.reachable(record) for record in schema.records}
    return next((name for name, others in reached.items() if name in others - aliased and others & aliased), None)


def _inside(schema: Schema, union: Union) -> set[Union]:
    """The other tagged unions in the fields of its members: configuring it looks up the hooks of these."""
    names = {name for record in members(schema, union) for name in (record.name, *schema.reachable(record))}
    inner = {t for name in names for t in walk(*schema.record(name).types)}
    return {other for other in tagged_unions(schema) if other in inner and other != union}


LIBRARY = Library(
    name="cattrs",
    summary="attrs classes, and converters preconfigured for each codec",
    docs=_DOCS,
    model="attrs",
    render=render,
    core=True,
    distributions=("cattrs", "attrs"),
    variants={
        "detailed_validation=False": _VALIDATING,
        **dict.fromkeys(_OMITS, _OMITTING),
        _FORBIDDING: f"{_DOCS}/customizing.html#forbid-extra-keys",
    },
    omits=_OMITS,
    unknown_keys={REFUSED: _FORBIDDING},
)
