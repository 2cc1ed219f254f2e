"""typeddict: plain dicts whose keys and types a type checker knows, converted by hand where that is needed.

- A schema of JSON's own types needs no conversion: what the codec reads is the document.
- Dates, times, UUIDs and decimals are text, bytes base64, a timedelta its seconds, an enum its value,
  unless the codec carries them itself; a dict with such an item is rebuilt, others are passed through.
- Keys are the wire's; a record with a key that is no identifier is written in the functional syntax.
- Every key is always present, and a member of a tagged union holds its tag.
"""

from __future__ import annotations

import keyword

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, by_hand
from serbench.schema import Record, Ref, Schema
from serbench.schema.types import walk
from serbench.source.layout import Bracketed, Keyword, Module, call, class_block, field_line, lay_out
from serbench.source.models import add_enums, annotation, literal, ordered_records

_DOCS = "https://docs.python.org/3/library/typing.html#typing.TypedDict"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The types, and conversions by hand."""
    module = Module(future="recursion" in schema.features)
    add_enums(schema, module)
    defined: set[str] = set()
    for record in ordered_records(schema):
        _add(module, schema, record, defined)
        defined.add(record.name)
    return by_hand(module, schema, codec, "typeddict", items=True)


def _add(module: Module, schema: Schema, record: Record, defined: set[str]) -> None:
    module.use("typing", "TypedDict")
    items = {f.wire: annotation(f.type, module) for f in record.fields}
    ahead = {f.wire for f in record.fields for t in walk(f.type) if isinstance(t, Ref) and t.record not in defined}
    if record.name in schema.tags:
        module.use("typing", "Literal")
        items = {schema.tags[record.name]: f"Literal[{literal(record.tag_value)}]", **items}
    if all(_is_attribute(key) for key in items):
        lines = [field_line(key, type_) for key, type_ in items.items()]
        module.add(class_block([f"class {record.name}(TypedDict):"], lines))
    else:
        entries = [
            Keyword(f"{literal(key)}: ", literal(type_) if key in ahead else type_) for key, type_ in items.items()
        ]
        made = call("TypedDict", literal(record.name), Bracketed("{", tuple(entries), "}"))
        module.state(lay_out(made, before=f"{record.name} = "))


def _is_attribute(key: str) -> bool:
    """Whether the class syntax can have the key; it would put the class name in front of a `__key`."""
    return key.isidentifier() and key.isascii() and not keyword.iskeyword(key) and not key.startswith("__")


LIBRARY = Library(
    name="typeddict",
    summary="plain dicts with types for a checker, converted by hand",
    docs=_DOCS,
    model="typeddict",
    render=render,
    core=True,
    items=True,
)
