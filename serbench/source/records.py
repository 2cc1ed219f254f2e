"""Dataclasses, in the ways that the libraries built on them want them written."""

from __future__ import annotations

from collections.abc import Callable

from serbench.schema import Field, List, Record, Ref, Schema, Union
from serbench.source.expressions import Expression
from serbench.source.layout import Module, class_block
from serbench.source.models import add_enums, assignment, field_lines, ordered_records


def add_dataclasses(
    module: Module,
    schema: Schema,
    *,
    decorator: str = "@dataclass",
    tag: bool = False,
    tagged: Callable[[Union, str], str] | None = None,
    options: Callable[[Field], tuple[Expression, ...]] = lambda _: (),
    inside: Callable[[Record], list[str]] = lambda _: [],
    alias: str = "",
) -> None:
    """Enums and a dataclass for each record.

    `options` gives further arguments of a field's `field(…)`, `inside` further lines of a class;
    `tag`, `tagged` and `alias` are as for `field_lines`.
    """

    def assigned(f: Field) -> Expression | None:
        return assignment(module, f, "dataclasses:field", "default_factory", *options(f))

    add_enums(schema, module)
    for record in ordered_records(schema):
        module.use("dataclasses", "dataclass")
        lines = field_lines(module, schema, record, assigned, tag=tag, tagged=tagged, alias=alias)
        module.add(class_block([decorator, f"class {record.name}:"], lines + inside(record)))


def has_record_at_root(schema: Schema) -> bool:
    """Whether the document is a record or a list of records."""
    return isinstance(schema.root, Ref) or (isinstance(schema.root, List) and isinstance(schema.root.item, Ref))


def enclosed(schema: Schema) -> Schema:
    """The schema with its document as the `content` of one more record, the last, for a library that wants one at the root."""
    taken = {record.name for record in schema.records} | {enum.name for enum in schema.enums}
    name = next(name for name in ("Document", "Envelope", "Wrapper", "Wrapping") if name not in taken)
    return Schema(Ref(name), (*schema.records, Record(name, (Field("content", schema.root),))))
