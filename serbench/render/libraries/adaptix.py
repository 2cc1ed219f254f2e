"""adaptix: a retort that generates loaders and dumpers for dataclasses and whatever they hold.

- Dates and times are ISO 8601, UUIDs and decimals text, a timedelta its seconds, an enum its value,
  a set an array; bytes are base64. Bytes, and what a typed codec has a type for, are themselves by `as_is_dumper`.
- A timedelta has a loader of our own: that of 3.0.0b12 loses a microsecond here and there, and a second
  of a negative one (https://github.com/reagento/adaptix/pull/453).
- Wire names are given to the retort by `name_mapping`; the classes know nothing of them.
- `omit_default` leaves out keys whose value is the field's default, null among them.
- An unknown key is dropped; `ExtraForbid` refuses it.
- A tag is a Literal field, by which the loaders of a union's classes refuse one another's data.
"""

from __future__ import annotations

from serbench.judge.outcomes import DEFAULTS, REFUSED
from serbench.model.records import Schema
from serbench.model.scalars import FLOAT, INTEGERS
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, refuse_leaving_out, use_codec
from serbench.render.source.by_hand import hooks
from serbench.render.source.classes import refuse_confusion
from serbench.render.source.models import Models, name_table
from serbench.render.source.module import call, listed

_DOCS = "https://adaptix.readthedocs.io/en/latest"
_TUTORIAL = f"{_DOCS}/loading-and-dumping/tutorial.html"
_TYPES = f"{_DOCS}/loading-and-dumping/specific-types-behavior.html"
_OMITTING = f"{_DOCS}/loading-and-dumping/extended-usage.html"
_OMITS = {"omit_default=True": DEFAULTS}
_LAX = "strict_coercion=False"
_FORBIDDING = "extra_in=ExtraForbid()"
_MAPPED = (*_OMITS, _FORBIDDING)


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a retort, and its loader and dumper for the document."""
    m = models(schema, codec, "dataclasses")
    trail = m.with_imports(variant.replace("debug_trail=", "debug_trail=adaptix:DebugTrail."))
    options = [] if variant == "default" else trail.split()
    if variant in _MAPPED:
        options = []
    if variant in _OMITS:
        refuse_leaving_out(schema, codec, _OMITTING, defaults=True, has_tag_field=True)
    # adaptix tries float before int, whatever their order; without strict coercion the first loader takes nearly anything.
    refuse_confusion(schema, _TYPES, lambda *two: _LAX in options or (FLOAT in two and INTEGERS & set(two)))
    m.dataclasses(tag=True)
    use_codec(m, codec)
    recipe = [*_providers(m, codec), *_names(m)]
    if variant == _FORBIDDING:
        m.use("adaptix", "ExtraForbid")
    if variant in _MAPPED:
        recipe.append(m.imported("adaptix", f"name_mapping({variant})"))
    arguments = [f"recipe={listed(recipe)}"] if recipe else []
    m.add(f"retort = {call(m.imported('adaptix', 'Retort'), *arguments, *options)}")
    type_ = m.annotation(schema.root)
    m.add(f"load_document = retort.get_loader({type_})")
    m.add(f"dump_document = retort.get_dumper({type_})")
    return Rendered(m, dump="dump_document({})", load="load_document({})")


def _providers(m: Models, codec: Codec) -> list[str]:
    """Providers that leave alone what the codec carries, and load a timedelta exactly."""
    providers = []
    for hook in hooks(m, m.schema.features & (codec.native | {"timedelta"}), codec.native):
        if hook.kept:
            providers += [m.imported("adaptix", f"as_is_{step}({hook.class_})") for step in ("dumper", "loader")]
            continue
        providers.append(m.imported("adaptix", f"loader({hook.class_}, {hook.load})"))
        if hook.kind != "timedelta":
            providers.append(m.imported("adaptix", f"dumper({hook.class_}, {hook.dump})"))
    return providers


def _names(m: Models) -> list[str]:
    """The wire names of each record, none of which adaptix shall make by itself; it would leave a private field out."""
    private = {
        r.name: [f for f in m.fields(r) if f.alias is not None or f.name.startswith("_")] for r in m.schema.records
    }
    mappings = [f"name_mapping({name}, map={name_table(fields)})" for name, fields in private.items() if fields]
    if any(f.name.endswith("_") and f.alias is None for record in m.schema.records for f in record.fields):
        mappings.append("name_mapping(trim_trailing_underscore=False)")
    if mappings:
        m.use("adaptix", "name_mapping")
    return mappings


LIBRARY = Library(
    name="adaptix",
    summary="loaders and dumpers generated for each type, configured apart from the classes",
    docs=_DOCS,
    render=render,
    pins=("adaptix==3.0.0b12",),
    unchecked=("arg-type", "no-any-return"),
    variants={
        **dict.fromkeys(
            ("debug_trail=FIRST", "debug_trail=DISABLE", _LAX, f"debug_trail=DISABLE {_LAX}"),
            f"{_TUTORIAL}#retort-configuration",
        ),
        "omit_default=True": _OMITTING,
        _FORBIDDING: f"{_OMITTING}#unknown-fields-processing",
    },
    unknown_keys={REFUSED: _FORBIDDING},
    omits=_OMITS,
    recommended={"json": "orjson"},
)
