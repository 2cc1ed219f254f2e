"""TypedDicts, for the libraries whose records are dicts."""

from __future__ import annotations

import keyword

from serbench.schema import Record, Ref, Schema
from serbench.schema.types import walk
from serbench.source.expressions import Bracketed, Keyword, call
from serbench.source.layout import Module, class_block, field_line, lay_out, parsed
from serbench.source.models import add_enums, annotation, literal, ordered_records


def add_typed_dicts(module: Module, schema: Schema) -> None:
    """Enums and a TypedDict for each record, whose keys are the wire's."""
    add_enums(schema, module)
    defined: set[str] = set()
    for record in ordered_records(schema):
        _add(module, schema, record, defined)
        defined.add(record.name)


def _add(module: Module, schema: Schema, record: Record, defined: set[str]) -> None:
    module.use("typing", "TypedDict")
    items = {f.wire: annotation(f.type, module) for f in record.fields}
    ahead = {f.wire for f in record.fields for t in walk(f.type) if isinstance(t, Ref) and t.record not in defined}
    if record.name in schema.tags:
        module.use("typing", "Literal")
        items = {schema.tags[record.name]: f"Literal[{literal(record.tag_value)}]", **items}
    if all(is_attribute(key) for key in items):
        lines = [field_line(key, type_) for key, type_ in items.items()]
        module.add(class_block([f"class {record.name}(TypedDict):"], lines))
    else:
        entries = [
            Keyword(f"{literal(key)}: ", literal(type_) if key in ahead else parsed(type_))
            for key, type_ in items.items()
        ]
        made = call("TypedDict", literal(record.name), Bracketed("{", tuple(entries), "}"))
        module.state(lay_out(made, before=f"{record.name} = "))


def is_attribute(key: str) -> bool:
    """Whether the class syntax can have the key; it would put the class name in front of a `__key`."""
    return key.isidentifier() and key.isascii() and not keyword.iskeyword(key) and not key.startswith("__")
