"""msgspec: Structs compiled in C, with JSON and MessagePack codecs that know them.

- With its own codecs everything is direct: dates and UUIDs as text, bytes as base64 (JSON), a
  timedelta in ISO 8601, decimals as text.
- With another codec it converts to builtins (`to_builtins`) and back (`convert`), as its
  documentation shows for other protocols.
- Types are checked strictly while decoding: with 0.22.0, 1.0 and 1e2 are refused for an int, and 1 is taken for a float.
  More than six digits of a second are rounded.
- `omit_defaults` leaves out keys whose value is the field's default, null among them.
- An unknown key is dropped; `forbid_unknown_fields` refuses it.
"""

from __future__ import annotations

from serbench.judge.outcomes import DEFAULTS, REFUSED
from serbench.model.records import List, Optional, Ref, Schema, Union
from serbench.model.scalars import TEXT_KINDS, Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, refuse_leaving_out, use_codec
from serbench.render.source.classes import refuse_confusion, refuse_lookalikes, refuse_mixed_datetimes
from serbench.render.source.models import Models, is_plain
from serbench.render.source.module import Unsupported, call, literal, tuple_of

_DOCS = "https://jcristharif.com/msgspec"
_ENUMS = f"{_DOCS}/supported-types.html#enum-intenum-strenum"
_OMITTING = f"{_DOCS}/structs.html#omitting-default-values"
_OMITS = {"omit_defaults=True": DEFAULTS}
_FORBIDDING = "forbid_unknown_fields=True"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Structs, with a typed encoder and decoder or with conversions around a foreign codec."""
    for wire in (f.wire for record in schema.records for f in record.fields):
        if not is_plain(wire):
            raise Unsupported(f"msgspec cannot rename a field to {wire!r} ({_DOCS}/structs.html#renaming-fields)")
    for enum in schema.enums:
        if enum.mixed:
            raise Unsupported(f"its enums hold texts or integers alone, and {enum.name} does not ({_ENUMS})")
    if variant == "array_like=True":  # then records are arrays
        refuse_confusion(schema, f"{_DOCS}/supported-types.html", lambda *two: {Ref, List} == {*map(type, two)})
    if variant in _OMITS:
        refuse_leaving_out(schema, codec, _OMITTING, defaults=True)
    m = models(schema, codec)
    m.use("msgspec")
    options = [] if variant == "default" else [variant]
    for record in m.records():
        tag = []
        if record.name in schema.tags:
            tag = [f"tag_field={literal(schema.tags[record.name])}", f"tag={literal(record.tag_value)}"]
        head = call(f"class {record.name}", "msgspec.Struct", *tag, *options)
        m.define(f"{head}:", m.lines(record, "msgspec.field", "default_factory", wire="name={}"))
    type_ = m.annotation(schema.root)
    by_msgspec = codec.name.partition("[")[0] == "msgspec" and bool(codec.calls.decoder)
    use_codec(m, codec, type_ if by_msgspec else "")
    union = isinstance(schema.root, Union | Optional)
    if by_msgspec or codec.format == "pickle":
        return Rendered(m, untyped=not by_msgspec or union)
    refuse_lookalikes(schema, frozenset(), "msgspec's unions")  # it asks the annotation, not the codec
    refuse_mixed_datetimes(schema, codec.kinds.encodes, f"{_DOCS}/api.html#msgspec.to_builtins")
    if codec.typed and "timedelta" in schema.features - codec.native:
        raise Unsupported(
            f"msgspec writes a timedelta as text, but {codec.format} needs a number of seconds ({_DOCS}/api.html)"
        )
    dump = call("msgspec.to_builtins", "{}", *_builtin_types(m, codec.kinds.encodes))
    load = call("msgspec.convert", "{}", type_, *_builtin_types(m, codec.kinds.decodes))
    return Rendered(m, dump, load, untyped=union)


def _builtin_types(m: Models, kinds: frozenset[str]) -> list[str]:
    names = sorted({m.annotation(Scalar(kind)) for kind in kinds & m.schema.features & TEXT_KINDS})
    return [f"builtin_types={tuple_of(names)}"] if names else []


LIBRARY = Library(
    name="msgspec",
    summary="Structs compiled in C, with codecs that know them",
    docs=_DOCS,
    model="struct",
    render=render,
    core=True,
    distributions=("msgspec",),
    variants={
        "gc=False": f"{_DOCS}/structs.html#disabling-garbage-collection",
        "array_like=True": f"{_DOCS}/structs.html#encoding-decoding-as-arrays",
        "omit_defaults=True": _OMITTING,
        _FORBIDDING: f"{_DOCS}/structs.html#forbidding-unknown-fields",
    },
    omits=_OMITS,
    unknown_keys={REFUSED: _FORBIDDING},
    recommended={"json": "msgspec", "msgpack": "msgspec"},
)
