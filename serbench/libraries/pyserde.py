"""pyserde: serialization code generated for dataclasses by a decorator, modelled on Rust's serde.

- Dates, times, UUIDs and decimals are text, an enum its value, a set a list.
- A timedelta is its seconds and bytes are base64, by a serializer registered for all classes.
- Its own json module writes with orjson and its own msgpack module with msgpack; `to_dict` and
  `from_dict` go around the other codecs.
- Classes that refer to each other get the decorator as a function, once all are there.
- A class says how the unions in it are tagged: a document with a union outside of any class is read
  back as the content of one more, and its own modules have no part in it.
- A tag is a Literal field, by which one member of an Untagged union after the other is tried.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Models, Rendered, Unsupported, models, use_codec
from serbench.schema import Optional, Record, Ref, Scalar, Schema, Union
from serbench.schema.types import walk
from serbench.source.by_hand import hooks
from serbench.source.models import members, untagged_unions
from serbench.source.module import call
from serbench.source.refusals import refuse_broken_strings, refuse_members_of_any_list

_DOCS = "https://yukinarit.github.io/pyserde/latest"
# (format, codec) → its own module for them
_OWN = {("json", "orjson"): "json", ("msgpack", "msgpack"): "msgpack"}
_SERIALIZER = """\
class {0}Serializer:
    @dispatch
    def serialize(self, value: {1}) -> Any:
        return {2}

class {0}Deserializer:
    @dispatch
    def deserialize(self, cls: type[{1}], value: Any) -> {1}:
        return {3}"""


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Classes under its decorator, and its functions for the codec or around it."""
    bare = any(isinstance(t, Union) and t.tag is not None for t in walk(schema.root))
    m = models(schema, codec, "dataclasses", enclose=bare)
    _refuse(schema, codec)
    m.blocks = [*_serializers(m, codec), *m.blocks]
    if schema.records:
        m.use("serde", "serde")
    for record in m.records(f"{_DOCS}/field-attributes#rename", empty="name"):
        options = _options(m, record, variant)
        decorator = f"@serde({', '.join(options)})" if options else "@serde"
        if m.future:
            decorator = f"@{m.imported('dataclasses', 'dataclass')}"
        lines = m.lines(record, "serde:field", "default_factory", wire="rename={}", tag=True)
        m.define(f"{decorator}\nclass {record.name}:", lines)
    for record in m.records() if m.future else ():
        m.add(call("serde", record.name, *_options(m, record, variant)))
    type_ = m.annotation(schema.root)
    own = _OWN.get((codec.format, codec.name))
    if own is None or bare:
        use_codec(m, codec)
        m.use("serde", "from_dict", "to_dict")
        dump = f"to_dict({{}}, {type_}, reuse_instances=False, convert_sets=True)"
        load = f"from_dict({m.root_record if bare else type_}, {{}}, reuse_instances=False)"
        return Rendered(m, dump, m.loaded(load) if bare else load, untyped=bare)
    encode = m.imported(f"serde.{own}", f"to_{own}({m.root_name}, {type_})")
    lists = ["use_list=True"] if own == "msgpack" and "any" in schema.features else []
    decode = call(m.imported(f"serde.{own}", f"from_{own}"), type_, "blob", *lists)
    return Rendered(m, encode=f"{encode}.encode()" if own == "json" else encode, decode=decode)


def _refuse(schema: Schema, codec: Codec) -> None:
    refuse_broken_strings(schema, *(record.tag_value for record in schema.records))
    for union in untagged_unions(schema):
        if any(isinstance(t, Optional) for t in walk(union)):
            raise Unsupported(f"inside of a union, it does not find the name of an optional type ({_DOCS}/union)")
        refuse_members_of_any_list(schema, union, f"{_DOCS}/union")
        if union in walk(schema.root) and members(schema, union):
            raise Unsupported(f"outside of a class, a union is written with the names of its classes ({_DOCS}/union)")
    if Scalar("bytes") in walk(schema.root) and "bytes" not in codec.decodes:
        raise Unsupported(f"outside of a class, bytes are left to the codec, and {codec.name} has none ({_DOCS}/types)")


def _options(m: Models, record: Record, variant: str) -> list[str]:
    options = [] if variant == "default" else [m.with_imports(variant.replace("=", "=serde:"))]
    if any(isinstance(t, Union) and isinstance(t.members[0], Ref) for f in record.fields for t in walk(f.type)):
        options.insert(0, f"tagging={m.imported('serde', 'Untagged')}")
    return options


def _serializers(m: Models, codec: Codec) -> list[str]:
    """Classes for what it does not know by itself, and their registration for all classes."""
    classes, registered = [], []
    for hook in hooks(m, m.schema.features & {"bytes", "timedelta"}):
        steps = ("value", "value") if hook.kind in codec.carries else (hook.dumped, hook.loaded)
        name = hook.kind.title()
        m.use("plum", "dispatch")
        m.use("typing", "Any")
        classes.append(_SERIALIZER.format(name, hook.class_, *steps))
        registered.append(m.imported("serde", f"add_serializer({name}Serializer())"))
        registered.append(m.imported("serde", f"add_deserializer({name}Deserializer())"))
    return classes + registered


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
    variants={"type_check=disabled": f"{_DOCS}/type-check"},
    recommended={"json": "orjson"},
)
