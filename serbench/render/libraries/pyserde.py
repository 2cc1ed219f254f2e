"""pyserde: serialization code generated for dataclasses by a decorator, modelled on Rust's serde.

- Dates, times, UUIDs and decimals are text, an enum its value, a set a list.
- A timedelta is its seconds and bytes are base64, by a serializer registered for all classes; what a typed codec has a
  type for stays as it is, by a serializer of the class.
- Its own json module writes with orjson and its own msgpack module with msgpack; `to_dict` and
  `from_dict` go around the other codecs.
- Classes that refer to each other get the decorator as a function, once all are there.
- A class says how the unions in it are tagged. So a document with a union outside of any class is read back as the
  content of one more class, and its own modules have no part in it.
- Of a union, the first member that does not fail is taken: with 0.34.0, a text becomes a list of its letters if
  `list[str] | str` has the list first, so serbench refuses that order.
- A whole number stays an int in a float field of `from_dict`, which then refuses it; `from_json` reads it.
- An unknown key is dropped; `deny_unknown_fields` refuses it.
- A tag is a Literal field, by which one member of an Untagged union after the other is tried.
"""

from __future__ import annotations

from serbench.judge.outcomes import REFUSED
from serbench.model.records import Optional, Record, Ref, Schema, Union, walk
from serbench.model.scalars import Scalar
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models, use_codec
from serbench.render.source.by_hand import Hook, hooks
from serbench.render.source.classes import (
    refuse_broken_strings,
    refuse_confusion,
    refuse_lookalikes,
    refuse_members_of_any_list,
    takes_letters,
)
from serbench.render.source.models import Models, members, untagged_unions
from serbench.render.source.module import Unsupported, block, call

_DOCS = "https://yukinarit.github.io/pyserde/latest"
_DENYING = "deny_unknown_fields=True"
_MODULES = {("json", "orjson"): "json", ("msgpack", "msgpack"): "msgpack"}  # (format, codec) → its own module for them
_UNKNOWN = frozenset({"bytes", "timedelta"})
_SERIALIZE = """\
@dispatch
def serialize(self, value: {0.class_}) -> Any:
    return {0.dumped}"""
_DESERIALIZE = """\
@dispatch
def deserialize(self, cls: type[{0.class_}], value: Any) -> {0.class_}:
    return {0.loaded}"""


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Classes under its decorator, and its functions for the codec or around it."""
    bare = any(isinstance(t, Union) and t.tag is not None for t in walk(schema.root))
    m = models(schema, codec, "dataclasses", enclose=bare)
    _refuse(schema, codec)
    m.blocks = [*_serializers(m, codec), *m.blocks]
    if schema.records:
        m.use("serde", "serde")

    def decorator(record: Record) -> str:
        options = _options(m, record, variant, codec)
        return "{}" if m.future else f"@{call('serde', *options)}" if options else "@serde"

    page = f"{_DOCS}/field-attributes#rename"
    m.dataclasses(page, empty="name", function="serde:field", wire="rename={}", tag=True, decorator=decorator)
    for record in m.records() if m.future else ():
        m.add(call("serde", record.name, *_options(m, record, variant, codec)))
    type_ = m.annotation(schema.root)
    module = _MODULES.get((codec.format, codec.name))
    if module is None or bare:
        use_codec(m, codec)
        m.use("serde", "from_dict", "to_dict")
        dump = f"to_dict({{}}, {type_}, reuse_instances=False, convert_sets=True)"
        load = f"from_dict({m.root_record if bare else type_}, {{}}, reuse_instances=False)"
        return Rendered(m, dump, m.loaded(load) if bare else load, untyped=bare)
    encode = m.imported(f"serde.{module}", f"to_{module}({m.root_name}, {type_})")
    lists = ["use_list=True"] if module == "msgpack" and "any" in schema.features else []
    decode = call(m.imported(f"serde.{module}", f"from_{module}"), type_, "blob", *lists)
    return Rendered(m, encode=f"{encode}.encode()" if module == "json" else encode, decode=decode)


def _refuse(schema: Schema, codec: Codec) -> None:
    refuse_lookalikes(schema, codec.native, "pyserde")
    refuse_confusion(schema, f"{_DOCS}/union", takes_letters)
    refuse_broken_strings(schema, *(record.tag_value for record in schema.records if isinstance(record.tag_value, str)))
    for union in untagged_unions(schema):
        if kept := {getattr(t, "kind", "") for t in walk(union)} & codec.native - _UNKNOWN:
            raise Unsupported(f"pyserde 0.34.0: in a union, it calls no converter for a {min(kept)} ({_DOCS}/union)")
        if any(isinstance(t, Optional) for t in walk(union)):
            raise Unsupported(f"pyserde 0.34.0: in a union, it cannot name an optional type ({_DOCS}/union)")
        refuse_members_of_any_list(schema, union, f"{_DOCS}/union")
        if union in walk(schema.root) and members(schema, union):
            raise Unsupported(
                f"pyserde 0.34.0: outside a class, it writes a union with class names as tags ({_DOCS}/union)"
            )
    outside = {t.kind for t in walk(schema.root) if isinstance(t, Scalar)}
    if "bytes" in outside - codec.kinds.decodes:
        raise Unsupported(
            f"pyserde 0.34.0: outside a class, it leaves bytes to the codec, but {codec.name} has no bytes ({_DOCS}/types)"
        )
    if kept := outside & codec.native - _UNKNOWN:
        raise Unsupported(f"pyserde 0.34.0: outside a class, it converts each {min(kept)} to text ({_DOCS}/types)")


def _options(m: Models, record: Record, variant: str, codec: Codec) -> list[str]:
    options = [] if variant == "default" else [m.with_imports(variant.replace("=disabled", "=serde:disabled"))]
    if _kept(m, codec):
        options += ["class_serializer=NativeSerializer()", "class_deserializer=NativeDeserializer()"]
    if any(isinstance(t, Union) and isinstance(t.members[0], Ref) for t in walk(*record.types)):
        options.insert(0, f"tagging={m.imported('serde', 'Untagged')}")
    return options


def _serializers(m: Models, codec: Codec) -> list[str]:
    """Classes for what it does not know by itself, and their registration for all classes; a class for what it leaves."""
    classes, registered = [], []
    for hook in hooks(m, m.schema.features & _UNKNOWN, codec.native):
        name = hook.kind.title()
        classes.append(_both(m, name, [hook]))
        registered.append(m.imported("serde", f"add_serializer({name}Serializer())"))
        registered.append(m.imported("serde", f"add_deserializer({name}Deserializer())"))
    kept = hooks(m, _kept(m, codec), codec.native)
    return [*classes, *registered, *([_both(m, "Native", kept)] if kept else [])]


def _kept(m: Models, codec: Codec) -> frozenset[str]:
    """The kinds that its classes are told to leave as they are."""
    return m.schema.features & codec.native - _UNKNOWN


def _both(m: Models, name: str, converted: list[Hook]) -> str:
    m.use("plum", "dispatch")
    m.use("typing", "Any")
    ends = (("Serializer", _SERIALIZE), ("Deserializer", _DESERIALIZE))
    return "\n\n".join(
        block(f"class {name}{end}:", ["\n\n".join(map(method.format, converted))]) for end, method in ends
    )


LIBRARY = Library(
    name="pyserde",
    summary="serialization code generated for dataclasses, after Rust's serde",
    docs=_DOCS,
    render=render,
    modules=("serde", "plum"),
    pins=(
        "pyserde==0.34.0",
        "beartype==0.23.1",
        "casefy==1.1.0",
        "jinja2==3.1.6",
        "markdown-it-py==4.3.0",
        "markupsafe==3.0.4",
        "mdurl==0.1.2",
        "plum-dispatch==2.10.1",
        "pygments==2.21.0",
        "rich==15.0.0",
        "typing-extensions==4.16.0",
    ),
    unchecked=("arg-type", "misc", "no-any-return", "RUF009"),
    variants={"type_check=disabled": f"{_DOCS}/type-check", _DENYING: f"{_DOCS}/class-attributes#deny_unknown_fields"},
    unknown_keys={REFUSED: _DENYING},
    recommended={"json": "orjson"},
)
