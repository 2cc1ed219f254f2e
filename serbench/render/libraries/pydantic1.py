"""pydantic1: pydantic's first generation, models in Python (or compiled with Cython) that validate and coerce.

- `dict` makes builtins of a model, and `pydantic_encoder` is the codec's hook for what is left: dates and
  times in ISO 8601, UUIDs as text, a timedelta as its seconds, an enum as its value, a set as a list.
- It would write a decimal as a float and bytes as UTF-8 text: where the codec has neither, a hook written
  by hand makes text of a decimal and base64 of bytes, which a custom data type takes back.
- With a codec that has no hook and lacks a kind, builtins are made by hand.
- `smart_union` keeps the types apart in an untagged union; a tag is a Literal field, the discriminator.
- A field that may be None may be absent, too.
- An unknown key is dropped; `extra = "forbid"` refuses it, `extra = "allow"` keeps it.
"""

from __future__ import annotations

from serbench.judge.outcomes import KEPT, REFUSED
from serbench.model.records import Field, List, Map, Optional, Record, Ref, Schema, Type, Union, referred, walk
from serbench.model.scalars import TEXT_KINDS
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import ByHand, add_default_hook
from serbench.render.source.models import Models, renamed_fields
from serbench.render.source.module import Unsupported, literal

_DOCS = "https://docs.pydantic.dev/1.10/usage"
_UNKNOWN = {REFUSED: "extra=forbid", KEPT: "extra=allow"}
_HOOK = "default=pydantic_encoder"
_BASE64 = """\
if TYPE_CHECKING:
    Base64Bytes = bytes
else:

    class Base64Bytes(bytes):
        @classmethod
        def __get_validators__(cls):
            yield cls.validate

        @classmethod
        def validate(cls, value):
            if isinstance(value, bytes):
                return value
            if isinstance(value, str):
                return base64.b64decode(value)
            raise TypeError("neither bytes nor base64")"""
_HELPERS = {"Base64Bytes": (_BASE64, "base64", "typing:TYPE_CHECKING")}
# what a model has of its own, so that a field cannot be called so
_MODEL_NAMES = {
    *("Config", "construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw", "schema"),
    *("schema_json", "update_forward_refs", "validate"),
}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Models, with `dict` and `parse_obj_as` around the codec."""
    if any(isinstance(t, Union) and t.tag is None for t in walk(schema.root)):
        raise Unsupported(f"smart_union works only inside a model ({_DOCS}/model_config/)")
    m = models(schema, codec, helpers=_HELPERS, tagged='pydantic:Field(discriminator="{name}")')
    if "bytes" in schema.features - codec.kinds.decodes and codec.format != "pickle":
        m.classes["bytes"] = m.helper("Base64Bytes")
    late = []
    for record in m.records(f"{_DOCS}/models/#model-properties", reserved=_MODEL_NAMES, private=True):
        _add_model(m, record, variant)
        inner = {*referred(*record.types)} - {record.name}
        if inner - m.defined:
            late.append(record.name)
    for name in late:
        m.add(f"{name}.update_forward_refs()")
    use_codec(m, codec)
    if codec.format == "pickle":
        return Rendered(m, untyped=True)
    dump, options = _dump(m, codec)
    encode = decode = ""
    if codec.name == "json":
        decode = _parsed(m, "raw", "blob")
        if isinstance(schema.root, Ref) and options in ((), (_HOOK,)):
            encode = f"{m.root_name}.json({_by_alias(m)}).encode()"
    return Rendered(m, dump, _parsed(m, "obj", "{}"), encode, decode, options=options)


def _add_model(m: Models, record: Record, variant: str) -> None:
    fields = m.fields(record)
    config = []
    if variant in _UNKNOWN.values():
        config.append(f"    extra = {literal(variant.partition('=')[2])}")
    if renamed_fields(fields):
        config.append("    allow_population_by_field_name = True")
    if any(isinstance(t, Union) and t.tag is None for t in walk(*record.types)):
        config.append("    smart_union = True")
    lines = m.lines(record, "pydantic:Field", "default_factory", _needed, wire="alias={}", tag=True)
    head = f"class {record.name}({m.imported('pydantic', 'BaseModel')}):"
    m.define(head, [*lines, *(["", "class Config:", *config] if config else [])])


def _needed(f: Field) -> tuple[str, ...]:
    return ("...",) if f.required and f.alias is not None else ()


def _parsed(m: Models, what: str, value: str) -> str:
    if isinstance(m.schema.root, Ref):
        return f"{m.schema.root.record}.parse_{what}({value})"
    return m.imported("pydantic", f"parse_{what}_as({m.annotation(m.schema.root)}, {value})")


def _dump(m: Models, codec: Codec) -> tuple[str, tuple[str, ...]]:
    unknown = m.schema.features & (TEXT_KINDS | {"enum", "set"}) - codec.kinds.encodes
    options: tuple[str, ...] = ()
    if unknown and not codec.asks_about(unknown):
        return ByHand(m, m.schema, "dump", codec.kinds.encodes).template(), ()
    if unknown & {"bytes", "decimal"}:
        options = (f"{codec.kinds.default}={add_default_hook(m, unknown)}",)
    elif unknown:
        m.use("pydantic.json", "pydantic_encoder")
        options = (_HOOK,)
    return _builtins(m, m.schema.root, "{}") if any(referred(m.schema.root)) else "", options


def _builtins(m: Models, type_: Type, value: str) -> str:
    """A value that holds models, with dicts in their place."""
    match type_:
        case Ref() | Union():
            return f"{value}.dict({_by_alias(m)})"
        case List(item) | Map(item):
            each = next(name for name in ("item", "entry", "element", "part") if name != value)
            made = _builtins(m, item, each)
            if isinstance(type_, List):
                return f"[{made} for {each} in {value}]"
            return f"{{key: {made} for key, {each} in {value}.items()}}"
        case Optional(item):
            return f"None if {value} is None else {_builtins(m, item, value)}"
    raise Unsupported(f"dict() exists only on models, and the document is a tuple of them ({_DOCS}/exporting_models/)")


def _by_alias(m: Models) -> str:
    return "by_alias=True" if any(renamed_fields(m.fields(record)) for record in m.schema.records) else ""


LIBRARY = Library(
    name="pydantic1",
    summary="pydantic's first generation: models that validate and coerce",
    docs=f"{_DOCS}/models/",
    model="pydantic1",
    render=render,
    variants=dict.fromkeys(_UNKNOWN.values(), f"{_DOCS}/model_config/"),
    unknown_keys=_UNKNOWN,
    versions="<2",
    pins=("pydantic==1.10.27", "typing-extensions==4.16.0"),
)
