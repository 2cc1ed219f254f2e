"""pyfory: Apache Fory's serializer of object graphs, for dataclasses that are registered with it.

- In native mode and as strict as it is by default, with bytes of its own; dataclasses, enums, dates,
  datetimes, timedeltas, decimals, bytes, sets and tuples are carried as themselves.
- A time and a UUID, which it does not bring back, have serializers written for them: ISO 8601 and text.
- Types are annotated with Optional and Union, because it does not know the operator `|`.
- Data nested more deeply than 50 levels is refused, its default limit.
"""

from __future__ import annotations

import re

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported
from serbench.schema import Scalar, Schema
from serbench.source.by_hand import ByHand
from serbench.source.layout import Module, call, class_block, flat, function, returned
from serbench.source.models import annotation, root_name
from serbench.source.records import add_dataclasses

_DOCS = "https://fory.apache.org/docs/object-serialization/python"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, registered with a Fory of their own."""
    if codec.name != "fory":
        raise Unsupported(f"pyfory has a format of its own and no way to builtins ({_DOCS}/)")
    for record in schema.records:
        for f in record.fields if variant == "default" else ():
            if re.fullmatch(r"[A-Z][a-z._]*", f.name):
                raise Unsupported(
                    f"pyfory 1.7.7 finds no encoding for the name of the field {f.name}, with one capital in front "
                    f"({_DOCS}/schema-evolution)"
                )
    module = Module(future="recursion" in schema.features)
    module.python = min(module.python, (3, 9))
    add_dataclasses(module, schema)
    module.use("pyfory")
    options = [] if variant == "default" else [variant]
    kinds = sorted(schema.features & {"time", "uuid"})
    for kind in kinds:
        _add_serializer(module, schema, kind)
    names = [enum.name for enum in schema.enums] + [record.name for record in schema.records]
    module.state(f"fory = pyfory.Fory({', '.join(['xlang=False', *options])})")
    for name in names:
        module.state(f"fory.register({name})")
    for kind in kinds:
        name = annotation(Scalar(kind), module)
        module.state(f"fory.register({name}, serializer={_serializer(name)}(fory.type_resolver, {name}))")
    return Rendered(
        module,
        encode=call("fory.serialize", root_name(schema)),
        decode=call("fory.deserialize", "blob"),
        untyped=True,
    )


def _serializer(class_: str) -> str:
    return f"{class_[0].upper()}{class_[1:]}Serializer"


def _add_serializer(module: Module, schema: Schema, kind: str) -> None:
    """A serializer that writes a value as text."""
    class_ = annotation(Scalar(kind), module)
    module.use("typing", "Any")
    module.use("pyfory.serializer", "Serializer")
    text = ByHand(module, schema, "dump", frozenset()).convert(Scalar(kind), "value")
    value = ByHand(module, schema, "load", frozenset()).convert(Scalar(kind), "context.read_string()")
    write = function(
        "write", ["self", "context: Any", f"value: {class_}"], "None", f"    context.write_string({flat(text)})"
    )
    read = function("read", ["self", "context: Any"], class_, returned(value))
    module.add(class_block([f"class {_serializer(class_)}(Serializer):"], [write, "", read]))


LIBRARY = Library(
    name="pyfory",
    summary="Apache Fory's serializer of object graphs, with a format of its own",
    docs=f"{_DOCS}/",
    model="dataclass",
    render=render,
    distributions=("pyfory",),
    pins=("pyfory==1.7.7",),
    unchecked=("import-untyped", "misc", "no-any-return", "UP007", "UP045"),
    variants={"compatible=False": f"{_DOCS}/"},
    lacks={
        **dict.fromkeys(("uint64", "bigint"), f"it writes an int as a 64-bit integer with a sign ({_DOCS}/)"),
        "naive_datetime": f"a datetime without a time zone comes back with one, UTC ({_DOCS}/)",
    },
)
