"""chili: encoders and decoders built from annotations on first use.

- Dates, times, UUIDs and decimals are text, an enum its value, a timedelta an ISO 8601 duration (that
  of no time at all is "P", which it does not read back).
- Bytes are base64, and themselves where the codec carries them, any JSON stays as it is, and a list
  becomes a set again, by encoders and decoders of our own, and so does a tag find its class.
- Wire names are a Mapper's, with which a class has an encoder and a decoder of its own.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import INTEGER_KINDS, List, Optional, Record, Ref, Scalar, Schema, Set, Type, Union
from serbench.schema.types import walk
from serbench.source.layout import (
    WIDTH,
    Bracketed,
    Comprehension,
    Expression,
    Keyword,
    Module,
    call,
    class_block,
    lay_out,
)
from serbench.source.models import annotation, literal, snake
from serbench.source.records import add_dataclasses

_DOCS = "https://github.com/kodemore/chili"
_JSON = frozenset({"str", *INTEGER_KINDS, "float", "bool"})


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, an encoder and a decoder for them, and the codec around."""
    if codec.format == "pickle":
        raise Unsupported(f"pickle takes the dataclasses as they are: chili has no part in it ({_DOCS})")
    _refuse(schema)
    module = Module(future="recursion" in schema.features)
    add_dataclasses(module, schema)
    _add_own_types(module, schema, codec)
    own = {side: _add_table(module, schema, codec, side) for side in ("encoder", "decoder")}
    use_codec(module, codec)
    root = schema.root.item if isinstance(schema.root, List) else schema.root
    if not isinstance(root, Ref):
        type_ = annotation(schema.root, module)
        return Rendered(
            module,
            dump=lambda value: call("chili.encode", value, type_, *_table(own, "encoder")),
            load=lambda value: call("chili.decode", value, type_, *_table(own, "decoder")),
        )
    for side in ("encoder", "decoder"):
        made = _coder(schema.record(root.record), side, *_table(own, side, f"{side}s="))
        module.state(lay_out(made, before=f"models_{side} = "))
    if root is schema.root:
        return Rendered(
            module,
            dump=lambda value: call("models_encoder.encode", value),
            load=lambda value: call("models_decoder.decode", value),
        )
    each = snake(root.record)
    return Rendered(
        module,
        dump=lambda value: Comprehension("[", call("models_encoder.encode", each), f"for {each} in {value}", "]"),
        load=lambda value: Comprehension("[", call("models_decoder.decode", each), f"for {each} in {value}", "]"),
    )


def _refuse(schema: Schema) -> None:
    for type_ in schema.types():
        match type_:
            case Union(members, None) if not all(isinstance(m, Scalar) and m.kind in _JSON for m in members):
                raise Unsupported(f"in a union it decodes only numbers, text and classes of its own ({_DOCS})")
            case Optional(Union(_, None)):
                raise Unsupported(f"it has no encoder for a union of three with None ({_DOCS})")


def _coder(record: Record, side: str, *options: Expression) -> Bracketed:
    """The encoder or decoder of a class, with a mapper where it has wire names."""
    pairs = [(f.wire, f.name) if side == "encoder" else (f.name, f.wire) for f in record.fields]
    if any(f.alias is not None for f in record.fields):
        entries = tuple(Keyword(f"{literal(key)}: ", literal(source)) for key, source in pairs)
        options = (*options, Keyword("mapper=", call("chili.Mapper", Bracketed("{", entries, "}"))))
    return call(f"chili.{side.title()}[{record.name}]", *options)


def _table(own: dict[str, bool], side: str, keyword: str = "") -> tuple[str, ...]:
    return (f"{keyword}{side}s",) if own[side] else ()


def _as_they_are(schema: Schema, codec: Codec) -> list[str]:
    return sorted({"any"} & schema.features | {"bytes"} & schema.features & codec.encodes & codec.decodes)


def _add_own_types(module: Module, schema: Schema, codec: Codec) -> None:
    """Add the classes for what it does not carry by itself."""
    module.use("chili")
    if _as_they_are(schema, codec):
        module.use("typing", "Any")
        lines = [
            line
            for name in ("encode", "decode")
            for line in (f"def {name}(self, value: Any) -> Any:", "    return value", "")
        ]
        module.add(class_block(["class AsItIs:"], lines[:-1]))
    if "set" in schema.features:
        module.use("typing", "Any")
        lines = [
            "def __init__(self, items: Any) -> None:",
            "    self.items = items",
            "",
            "def decode(self, value: Any) -> set[Any]:",
            "    return set(chili.decode(value, self.items, decoders))",
        ]
        module.add(class_block(["class SetDecoder:"], lines))
    if schema.tags:
        module.use("typing", "Any")
        lines = [
            "def __init__(self, tag: str, classes: dict[str, type[Any]]) -> None:",
            "    self.tag = tag",
            "    self.classes = classes",
            "    self.values = {class_: value for value, class_ in classes.items()}",
            "",
            "def encode(self, value: Any) -> Any:",
            "    if value is None:",
            "        return None",
            "    class_ = type(value)",
            "    fields: Any = chili.encode(value, class_, encoders)",
            "    return {self.tag: self.values[class_], **fields}",
            "",
            "def decode(self, value: Any) -> Any:",
            "    if value is None:",
            "        return None",
            "    return chili.decode(value, self.classes[value[self.tag]], decoders)",
        ]
        module.add(class_block(["class TaggedUnion:"], lines))


def _tagged(schema: Schema) -> list[Optional | Union]:
    """The tagged unions that occur, and those of them with None."""
    unions = [t for t in schema.types() if isinstance(t, Union) and t.tag is not None]
    optional = [t for t in schema.types() if isinstance(t, Optional) and t.item in unions]
    return list(dict.fromkeys([*unions, *optional]))


def _add_table(module: Module, schema: Schema, codec: Codec, side: str) -> bool:
    """Add the table of encoders or decoders that are not its own choice, and say whether there is one."""
    entries = [Keyword(f"{annotation(Scalar(kind), module)}: ", "AsItIs()") for kind in _as_they_are(schema, codec)]
    sets = dict.fromkeys(type_ for type_ in schema.types() if isinstance(type_, Set))
    entries += [
        Keyword(f"{annotation(type_, module)}: ", call("SetDecoder", annotation(List(type_.item), module)))
        for type_ in (sets if side == "decoder" else ())
    ]
    for type_ in _tagged(schema):
        union = type_.item if isinstance(type_, Optional) else type_
        assert isinstance(union, Union)
        records = [schema.record(m.record) for m in union.members if isinstance(m, Ref)]
        classes = Bracketed("{", tuple(Keyword(f"{literal(r.tag_value)}: ", r.name) for r in records), "}")
        key = annotation(type_, module)
        if len(f"        {key}: TaggedUnion(") > WIDTH:
            key = key.replace(" | ", "\n        | ")
        entries.append(Keyword(f"{key}: ", call("TaggedUnion", literal(union.tag), classes)))
    inner = {t.record for record in schema.records for f in record.fields for t in walk(f.type) if isinstance(t, Ref)}
    inner |= {t.record for t in walk(schema.root) if isinstance(t, Ref) and t not in _outermost(schema)}
    renamed = [r for r in schema.records if r.name in inner and any(f.alias is not None for f in r.fields)]
    if not entries and not renamed:
        return False
    kind = f"Type{side.title()}s"
    module.use(f"chili.{side}", kind)
    module.state(
        lay_out(call(kind, Bracketed("{", tuple(entries), "}")) if entries else f"{kind}()", before=f"{side}s = ")
    )
    for record in renamed:
        made, before = _coder(record, side, f"{side}s={side}s"), f"{side}s[{record.name}] = "
        if len(before + made.opening) > WIDTH:
            before += made.opening.replace("[", "[\n    ").replace("](", "\n]")
            made = Bracketed("(", made.items, ")")
        module.state(lay_out(made, before=before))
    return True


def _outermost(schema: Schema) -> tuple[Type, ...]:
    """The record of the document, which has a coder anyway."""
    return (schema.root, schema.root.item) if isinstance(schema.root, List) else (schema.root,)


LIBRARY = Library(
    name="chili",
    summary="encoders and decoders built from annotations",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("chili",),
    pins=("chili==2.9.0", "gaffe==0.3.0", "typing-extensions==4.16.0"),
)
