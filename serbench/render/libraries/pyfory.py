"""pyfory: Apache Fory's serializer of object graphs, for dataclasses that are registered with it.

- In native mode and as strict as it is by default, with bytes of its own; dataclasses, enums, dates,
  datetimes, timedeltas, decimals, bytes, sets and tuples are carried as themselves.
- A time and a UUID, which it does not bring back, have serializers written for them: ISO 8601 and text.
- Types are annotated with Optional and Union, because it does not know the operator `|`.
- Data nested more deeply than 50 levels is refused, its default limit.
"""

from __future__ import annotations

import re

from serbench.model.records import Schema
from serbench.render.codec import Codec
from serbench.render.library import Library, Rendered, models
from serbench.render.source.by_hand import dumped, hooks, loaded
from serbench.render.source.module import Unsupported, block, call

_DOCS = "https://fory.apache.org/docs/object-serialization/python"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """Dataclasses, registered with a Fory of their own."""
    if codec.name != "fory":
        raise Unsupported(f"pyfory has its own format and no conversion to builtins ({_DOCS}/)")
    m = models(schema, codec, annotations=(3, 9))
    for record in schema.records:
        for f in record.fields if variant == "default" else ():
            if re.fullmatch(r"[A-Z][a-z._]*", f.name):
                raise Unsupported(
                    f"pyfory 1.7.7 cannot encode the field name {f.name}, which begins with a single capital "
                    f"({_DOCS}/schema-evolution)"
                )
    m.dataclasses()
    registered = [enum.name for enum in schema.enums] + [record.name for record in schema.records]
    for hook in hooks(m, schema.features & {"time", "uuid"}):
        name = f"{hook.class_[0].upper()}{hook.class_[1:]}Serializer"
        m.use("typing", "Any")
        write = f"context.write_string({dumped(m, hook.kind, 'value')})"
        read = f"return {loaded(m, hook.kind, 'context.read_string()')}"
        methods = [
            block(f"def write(self, context: Any, value: {hook.class_}) -> None:", [write]),
            block(f"def read(self, context: Any) -> {hook.class_}:", [read]),
        ]
        m.define(f"class {name}({m.imported('pyfory.serializer', 'Serializer')}):", methods)
        registered.append(f"{hook.class_}, serializer={name}(fory.type_resolver, {hook.class_})")
    m.use("pyfory")
    m.add(f"fory = {call('pyfory.Fory', 'xlang=False', *([] if variant == 'default' else [variant]))}")
    for arguments in registered:
        m.add(f"fory.register({arguments})")
    return Rendered(m, encode=f"fory.serialize({m.root_name})", decode="fory.deserialize(blob)", untyped=True)


LIBRARY = Library(
    name="pyfory",
    summary="Apache Fory's serializer of object graphs, with a format of its own",
    docs=f"{_DOCS}/",
    render=render,
    pins=("pyfory==1.7.7",),
    unchecked=("import-untyped", "misc", "no-any-return", "UP007", "UP045"),
    variants={"compatible=False": f"{_DOCS}/"},
    lacks={
        **dict.fromkeys(("uint64", "bigint"), f"pyfory 1.7.7 writes an int as a signed 64-bit integer ({_DOCS}/)"),
        "naive_datetime": f"in pyfory 1.7.7, a datetime without a time zone comes back with one, UTC ({_DOCS}/)",
    },
)
