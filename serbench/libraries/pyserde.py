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
from serbench.libraries import Library, Rendered, Unsupported, use_codec
from serbench.schema import Field, Optional, Record, Ref, Scalar, Schema, Union
from serbench.schema.types import walk
from serbench.source.by_hand import from_text, to_text
from serbench.source.expressions import Bracketed, Expression, call
from serbench.source.layout import Module, class_block, lay_out
from serbench.source.models import (
    add_enums,
    annotation,
    assignment,
    field_lines,
    literal,
    ordered_records,
    root_name,
)
from serbench.source.records import enclosed

_DOCS = "https://yukinarit.github.io/pyserde/latest"
# (format, codec) → its own module for them
_OWN = {("json", "orjson"): "json", ("msgpack", "msgpack"): "msgpack"}


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Classes under its decorator, and its functions for the codec or around it."""
    if codec.format == "pickle":
        raise Unsupported(f"pickle takes the classes as they are: pyserde has no part in it ({_DOCS}/data-formats)")
    _refuse(schema, codec)
    bare = any(isinstance(t, Union) and t.tag is not None for t in walk(schema.root))
    models = enclosed(schema) if bare else schema
    recursive = "recursion" in schema.features
    module = Module(future=recursive)
    _add_types(module, schema, codec)
    add_enums(schema, module)
    if schema.records:
        module.use("serde", "serde")
    for record in ordered_records(models):
        if recursive:
            module.use("dataclasses", "dataclass")
        options = _options(module, record, variant)
        decorator = "@dataclass" if recursive else f"@serde({', '.join(options)})" if options else "@serde"
        lines = field_lines(module, models, record, lambda f: _assigned(module, f), tag=True)
        module.add(class_block([decorator, f"class {record.name}:"], lines))
    for record in ordered_records(models) if recursive else ():
        module.state(lay_out(call("serde", record.name, *_options(module, record, variant))))
    type_ = annotation(schema.root, module)
    own = _OWN.get((codec.format, codec.name))
    if own is None or bare:
        use_codec(module, codec)
        module.use("serde", "from_dict", "to_dict")
        loaded = (type_, "{}") if not bare else (models.records[-1].name, '{{"content": {}}}')
        return Rendered(
            module,
            dump=lambda value: call("to_dict", value, type_, "reuse_instances=False", "convert_sets=True"),
            load=lambda value: Bracketed(
                "from_dict(",
                (loaded[0], loaded[1].format(value), "reuse_instances=False"),
                ").content" if bare else ")",
            ),
            untyped=bare,
        )
    module.use(f"serde.{own}", f"from_{own}", f"to_{own}")
    encode = call(f"to_{own}", root_name(schema), type_)
    lists = ("use_list=True",) if own == "msgpack" and "any" in schema.features else ()
    return Rendered(
        module,
        encode=Bracketed(encode.opening, encode.items, ").encode()") if own == "json" else encode,
        decode=call(f"from_{own}", type_, "blob", *lists),
    )


def _refuse(schema: Schema, codec: Codec) -> None:
    """Check that what it makes of the schema holds together."""
    for record in schema.records:
        for text in (*(f.wire for f in record.fields), schema.tags.get(record.name, ""), record.tag_value or ""):
            if not text.isprintable() or set(text) & set("'\"\\"):
                raise Unsupported(
                    f"pyserde puts names into the code it makes as they are, and {text!r} would end a string"
                )
        if any(f.wire == "" for f in record.fields):
            raise Unsupported(f"an empty name is taken for none ({_DOCS}/field-attributes#rename)")
    for union in schema.types():
        if isinstance(union, Union) and union.tag is None:
            _refuse_union(schema, union)
    if any(
        isinstance(t, Union) and t.tag is None and any(isinstance(m, Ref) for m in t.members) for t in walk(schema.root)
    ):
        raise Unsupported(f"outside of a class, a union is written with the names of its classes ({_DOCS}/union)")
    if Scalar("bytes") in walk(schema.root) and "bytes" not in codec.decodes:
        raise Unsupported(f"outside of a class, bytes are left to the codec, and {codec.name} has none ({_DOCS}/types)")


def _refuse_union(schema: Schema, union: Union) -> None:
    if any(isinstance(t, Optional) for t in walk(union)):
        raise Unsupported(f"inside of a union, it does not find the name of an optional type ({_DOCS}/union)")
    for record in (schema.record(member.record) for member in union.members if isinstance(member, Ref)):
        if not any(f.required for f in record.fields):
            raise Unsupported(
                f"it makes a {record.name}, all of whose fields may be absent, of any list ({_DOCS}/union)"
            )


def _assigned(module: Module, f: Field) -> Expression | None:
    rename = () if f.alias is None else (f"rename={literal(f.alias)}",)
    return assignment(module, f, "serde:field", "default_factory", *rename)


def _options(module: Module, record: Record, variant: str) -> list[str]:
    """What the decorator is told."""
    options = []
    if any(isinstance(t, Union) and isinstance(t.members[0], Ref) for f in record.fields for t in walk(f.type)):
        module.use("serde", "Untagged")
        options.append("tagging=Untagged")
    if variant != "default":
        module.use("serde", "disabled")
        options.append(variant)
    return options


def _add_types(module: Module, schema: Schema, codec: Codec) -> None:
    """Register what it does not know by itself."""
    kinds = sorted({"bytes", "timedelta"} & schema.features)
    if not kinds:
        return
    module.use("plum", "dispatch")
    module.use("serde", "add_deserializer", "add_serializer")
    module.use("typing", "Any")
    for kind in kinds:
        class_ = annotation(Scalar(kind), module)
        dump = load = "value"
        if kind not in codec.encodes & codec.decodes:
            dump, load = _applied(to_text(module, kind)[1]), _applied(from_text(module, kind)[1])
        head = f"def deserialize(self, cls: type[{class_}], value: Any) -> {class_}:"
        name = kind.title()
        lines = ["@dispatch", f"def serialize(self, value: {class_}) -> Any:", f"    return {dump}"]
        module.add(class_block([f"class {name}Serializer:"], lines))
        module.add(class_block([f"class {name}Deserializer:"], ["@dispatch", head, f"    return {load}"]))
    for kind in kinds:
        module.state(f"add_serializer({kind.title()}Serializer())")
        module.state(f"add_deserializer({kind.title()}Deserializer())")


def _applied(function: str) -> str:
    return function.removeprefix("lambda value: ") if function.startswith("lambda") else f"{function}(value)"


LIBRARY = Library(
    name="pyserde",
    summary="serialization code generated for dataclasses, after Rust's serde",
    docs=_DOCS,
    model="dataclass",
    render=render,
    distributions=("pyserde",),
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
