"""dacite: builds dataclasses out of dicts, checking types; `dataclasses.asdict` and the codec do the way back.

- Where the codec knows dataclasses (orjson, msgspec), it encodes them; elsewhere `asdict` makes the dicts.
- What the codec cannot encode goes through its hook (without one, conversions are by hand): dates and times as ISO 8601, UUIDs and decimals
  as text, bytes as base64, a timedelta as its seconds, an enum as its value, a set as a list.
- Coming back, `type_hooks` and `cast` of its Config restore them; `convert_key` finds the wire names.
- With 1.9.2, a whole number stays an int in a float field, and 1.0 is refused for an int.
- An unknown key is dropped; `strict` refuses it.
- A tag is a Literal field, by which the type check chooses the member of a union.
- A document that is neither a record nor a list of records is the content of one more dataclass.
"""

from __future__ import annotations

from serbench.judge.outcomes import REFUSED
from serbench.model.records import Ref, Schema, Tuple
from serbench.model.scalars import TEXT_KINDS
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import ByHand, add_default_hook, hooks
from serbench.render.source.models import Models
from serbench.render.source.module import Module, Unsupported, braced, call, listed, literal

_DOCS = "https://github.com/konradhalas/dacite"
_STRICT = "strict=True"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, a Config where the schema needs one, and `from_dict` around the codec."""
    differs = ByHand(Module(), schema, "load", frozenset()).differs(schema.root)
    m = models(schema, codec, "dataclasses", enclose=differs and not isinstance(schema.item, Ref))
    if variant == _STRICT and "alias" in schema.features:
        raise Unsupported(
            f"strict compares the keys with the names of the fields, not with the wire names ({_DOCS}#strict-mode)"
        )
    if variant == "check_types=False" and "tagged_union" in schema.features:
        raise Unsupported(
            f"without its type check, dacite always chooses the first member of a union ({_DOCS}#type-checking)"
        )
    m.dataclasses(tag=True)
    use_codec(m, codec)
    names = _add_wire_names(m)
    load = ""
    if m.root_record:
        config = _config(m, codec, variant, renamed=names)
        if config:
            m.add(f"config = {call(m.imported('dacite', 'Config'), *config)}")
        made = call(m.imported("dacite", "from_dict"), m.root_record, "{}", *(["config"] if config else []))
        load = m.loaded(made)
    dump, options = _dump(m, schema, codec, renamed=names)
    return Rendered(m, dump, load, options=options, untyped=not load)


def _add_wire_names(m: Models) -> bool:
    """Add the table of wire names that are not the fields', and say whether there is one."""
    names: dict[str, str] = {}
    for f in (f for record in m.schema.records for f in m.fields(record)):
        if names.setdefault(f.name, f.wire) != f.wire:
            raise Unsupported(
                f"convert_key does not receive the record, and {f.name} has two wire names ({_DOCS}#convert-key)"
            )
    entries = [f"{literal(name)}: {literal(wire)}" for name, wire in names.items() if name != wire]
    if entries:
        m.add(f"WIRE_NAMES = {braced(entries)}")
    return bool(entries)


def _config(m: Models, codec: Codec, variant: str, *, renamed: bool) -> list[str]:
    functions = {
        hook.class_: hook.load for hook in hooks(m, m.schema.features - codec.kinds.decodes, codec.kinds.decodes)
    }
    functions |= {m.annotation(t): "tuple" for t in m.schema.types() if isinstance(t, Tuple)}
    cast = {name for name, function in functions.items() if function == name} | ({"set"} & m.schema.features)
    cast |= {m.imported("enum", "Enum")} if m.schema.enums else set()
    options = []
    if table := [f"{name}: {function}" for name, function in functions.items() if name not in cast]:
        options.append(f"type_hooks={braced(table)}")
    if cast:
        options.append(f"cast={listed(sorted(cast))}")
    if renamed:
        options.append("convert_key=lambda name: WIRE_NAMES.get(name, name)")
    return options if variant == "default" else [*options, variant]


def _dump(m: Models, schema: Schema, codec: Codec, *, renamed: bool) -> tuple[str, tuple[str, ...]]:
    unknown = schema.features & (TEXT_KINDS | {"enum", "set"}) - codec.kinds.encodes
    if unknown and not codec.asks_about(unknown):
        return ByHand(m, schema, "dump", codec.kinds.encodes).template(), ()
    options = (f"{codec.kinds.default}={add_default_hook(m, unknown)}",) if unknown else ()
    if not m.root_record or ("dataclass" in codec.objects.takes and not renamed):
        return "", options
    factory = []
    if renamed:
        m.use("typing", "Any")
        lines = ["return {WIRE_NAMES.get(name, name): value for name, value in items}"]
        m.define("def by_wire_name(items: list[tuple[str, Any]]) -> dict[str, Any]:", lines)
        factory = ["dict_factory=by_wire_name"]
    return m.dumped(call(m.imported("dataclasses", "asdict"), "{}", *factory)), options


LIBRARY = Library(
    name="dacite",
    summary="builds dataclasses out of dicts, checking types",
    docs=_DOCS,
    render=render,
    core=True,
    distributions=("dacite",),
    variants={"check_types=False": f"{_DOCS}#type-checking", _STRICT: f"{_DOCS}#strict-mode"},
    unknown_keys={REFUSED: _STRICT},
)
