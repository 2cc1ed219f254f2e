"""Record classes in the standard library's ways of writing them."""

from __future__ import annotations

from serbench.schema import Record, Schema
from serbench.source.layout import Module, class_block
from serbench.source.models import add_enums, annotation, default_source, literal, ordered_records


def add_dataclasses(module: Module, schema: Schema, *, decorator: str = "@dataclass", tags: bool = False) -> None:
    """Enums and a dataclass for each record; with `tags`, a tagged record has its tag as a Literal field."""
    module.use("dataclasses", "dataclass")
    add_enums(schema, module)
    for record in ordered_records(schema):
        module.add(class_block([decorator, f"class {record.name}:"], field_lines(module, schema, record, tags=tags)))


def field_lines(module: Module, schema: Schema, record: Record, *, tags: bool = False) -> list[str]:
    """`name: type = default` for each field of a dataclass."""
    lines = []
    for f in record.fields:
        default = default_source(f, "field(default_factory={})")
        if default is not None and default.startswith("field("):
            module.use("dataclasses", "field")
        lines.append(f"{f.name}: {annotation(f.type, module)}" + ("" if default is None else f" = {default}"))
    if tags and record.name in schema.tags:
        module.use("typing", "Literal")
        lines.append(tag_line(schema, record))
    return lines


def tag_line(schema: Schema, record: Record) -> str:
    """The tag as a field that has one possible value."""
    tag = literal(record.tag_value)
    return f"{schema.tags[record.name]}: Literal[{tag}] = {tag}"
