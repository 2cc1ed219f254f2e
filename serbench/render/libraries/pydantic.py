"""pydantic: models that validate and coerce, with a core in Rust that reads and writes JSON itself.

- Its own JSON has dates and times in ISO 8601, a timedelta as an ISO 8601 duration, UUIDs and
  decimals as text, bytes as URL-safe base64, an enum as its value.
- With another codec, `dump_python` gives Python values where the codec encodes all that the schema
  has, and the same forms as JSON (`mode="json"`) otherwise; `validate_python` takes both back.
- With a typed codec, `dump_python` gives Python values, too; what the codec has no type for has a serializer in its
  annotation.
- Bytes beside such types stay bytes for MessagePack, the codec's hook (`to_jsonable_python`) doing the rest.
- Bytes do not come back from base64 by way of `validate_python`; a strict model takes only exact types there.
- A tag is a Literal field, the discriminator of its union.
- `exclude_none` and `exclude_defaults` leave out keys, which the models then take as absent.
- An unknown key is dropped; `extra="forbid"` refuses it, `extra="allow"` keeps it.
"""

from __future__ import annotations

from serbench.judge.outcomes import ABSENT, DEFAULTS, KEPT, REFUSED
from serbench.model.records import Record, Ref, Schema, Set, kind_of, walk
from serbench.model.scalars import TEXT_KINDS, Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, refuse_leaving_out, use_codec
from serbench.render.source.by_hand import to_text
from serbench.render.source.classes import refuse_lookalikes
from serbench.render.source.models import Models, renamed_fields, untagged_unions
from serbench.render.source.module import Unsupported, call, literal

_DOCS = "https://docs.pydantic.dev/latest"
_BYTES = f"{_DOCS}/api/config/#pydantic.config.ConfigDict.val_json_bytes"
_STRICT = f"{_DOCS}/concepts/conversion_table/"
_SERIALIZERS = f"{_DOCS}/concepts/serialization/#field-plain-serializer"
_EXCLUDING = f"{_DOCS}/concepts/serialization/"
_OMITS = {"exclude_none": ABSENT, "exclude_defaults": DEFAULTS}
_EXTRA = f"{_DOCS}/concepts/models/#extra-data"
_UNKNOWN = {REFUSED: "extra=forbid", KEPT: "extra=allow"}
_RICH = TEXT_KINDS | {"enum", "set", "opaque"}
_BASE64 = ['ser_json_bytes="base64"', 'val_json_bytes="base64"']


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Models and a TypeAdapter, direct or around a foreign codec."""
    m = models(schema, codec, tagged='pydantic:Field(discriminator="{name}")')
    m.use("pydantic", "BaseModel")
    python = codec.typed and bool(schema.features & (codec.native | {"timedelta"}))
    if python:
        _add_serializers(m, codec)
    strict = ["strict=True"] if variant == "strict" else []
    extra = [f"extra={literal(variant.partition('=')[2])}"] if variant in _UNKNOWN.values() else []
    if variant in _OMITS:
        refuse_leaving_out(schema, codec, _EXCLUDING, defaults=variant == "exclude_defaults", has_tag_field=True)
    excluding = [f"{variant}=True"] if variant in _OMITS else []
    for record in m.records(f"{_DOCS}/concepts/models/", private=True):
        m.define(f"class {record.name}(BaseModel):", _body(m, record, [*strict, *extra]))
    use_codec(m, codec)
    if codec.format == "pickle":
        return Rendered(m, untyped=True)
    outside = [t for t in walk(schema.root) if not isinstance(t, Ref)]  # what the document holds outside its models
    options = strict if any(isinstance(t, Scalar) for t in outside) else []
    options = [*options, *(_BASE64 if Scalar("bytes") in outside else [])]
    config = [f"config={call(m.imported('pydantic', 'ConfigDict'), *options)}"] if options else []
    m.add(f"adapter = {call(m.imported('pydantic', 'TypeAdapter'), m.annotation(schema.root), *config)}")
    if codec.name == "pydantic":
        written = call("adapter.dump_json", m.root_name, *excluding)
        return Rendered(m, encode=written, decode="adapter.validate_json(blob)")
    foreign = schema.features - codec.kinds.decodes
    if "bytes" in foreign:
        raise Unsupported(f"validate_python does not decode base64; only pydantic's own JSON does ({_BYTES})")
    if strict and (inexact := foreign & (_RICH | {"tuple"})):
        raise Unsupported(
            f"in strict mode it accepts {min(inexact)} only as that type, which {codec.name} does not return ({_STRICT})"
        )
    form: list[str] = []
    hook: tuple[str, ...] = ()
    if not python and schema.features & _RICH - codec.kinds.encodes:
        if "bytes" in schema.features:
            hook = (_hook(m, codec),)
        else:
            refuse_lookalikes(schema, frozenset(), "pydantic's JSON")
            form = ['mode="json"']
    return Rendered(
        m, call("adapter.dump_python", "{}", *form, *excluding), "adapter.validate_python({})", options=hook
    )


def _add_serializers(m: Models, codec: Codec) -> None:
    """Annotate what a typed codec has no type for with a serializer, which `dump_python` asks in Python's mode, too."""
    functions = {kind: to_text(m, kind)[1] for kind in sorted(m.schema.features & TEXT_KINDS - codec.native)}
    functions |= {"enum": "lambda value: value.value"} if m.schema.enums else {}
    for kind, function in functions.items():
        m.classes[kind] = m.annotated("{}", f"pydantic:PlainSerializer({function})", "")
    if "set" in m.schema.features:
        m.classes["set"] = m.annotated("{}", "pydantic:WrapSerializer(lambda value, dump: list(dump(value)))", "")
    for union in untagged_unions(m.schema):
        if kinds := set(map(kind_of, walk(union))) & m.classes.keys():
            raise Unsupported(
                f"in a union, the serializer of {min(kinds)} would be called for the other members too ({_SERIALIZERS})"
            )


def _hook(m: Models, codec: Codec) -> str:
    """The way to the codec that leaves bytes alone, which `mode="json"` would not."""
    if not codec.asks_about(m.schema.features) or Set(Scalar("bytes")) in m.schema.types():
        raise Unsupported(
            f"next to types that {codec.name} lacks, bytes become text, which does not decode back to bytes ({_BYTES})"
        )
    return f"{codec.kinds.default}={m.imported('pydantic_core', 'to_jsonable_python')}"


def _body(m: Models, record: Record, options: list[str]) -> list[str]:
    if renamed_fields(m.fields(record)):
        options = [*options, "validate_by_name=True", "validate_by_alias=True", "serialize_by_alias=True"]
    if Scalar("bytes") in walk(*record.types):
        options = [*options, *_BASE64]
    config = [f"model_config = {call(m.imported('pydantic', 'ConfigDict'), *options)}", ""] if options else []
    return [*config, *m.lines(record, "pydantic:Field", "default_factory", wire="alias={}", tag=True)]


LIBRARY = Library(
    name="pydantic",
    summary="models that validate and coerce, with a core in Rust",
    docs=_DOCS,
    model="pydantic",
    render=render,
    core=True,
    distributions=("pydantic",),
    modules=("pydantic", "pydantic_core"),
    versions=">=2",
    variants={
        "strict": f"{_DOCS}/concepts/strict_mode/",
        **dict.fromkeys(_OMITS, _EXCLUDING),
        **dict.fromkeys(_UNKNOWN.values(), _EXTRA),
    },
    omits=_OMITS,
    unknown_keys=_UNKNOWN,
    recommended={"json": "pydantic"},
)
