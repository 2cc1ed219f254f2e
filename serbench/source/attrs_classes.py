"""attrs classes, as the libraries built on attrs have them written."""

from __future__ import annotations

from serbench.schema import Field, Schema
from serbench.source.expressions import Expression, call, flat
from serbench.source.layout import Module, class_block
from serbench.source.models import add_enums, assignment, field_lines, literal, ordered_records


def add_attrs_classes(module: Module, schema: Schema, *options: Expression) -> None:
    """Enums and an attrs class for each record; `options` are arguments of the decorator."""

    def assigned(f: Field) -> Expression | None:
        # attrs leaves the underscore out of the argument unless it is told the argument's name.
        private = (f"alias={literal(f.name)}",) if f.name.startswith("_") else ()
        return assignment(module, f, "attrs.field", "factory", *private)

    add_enums(schema, module)
    decorator = call("@attrs.define", *options) if options else "@attrs.define"
    for record in ordered_records(schema):
        module.use("attrs")
        lines = field_lines(module, schema, record, assigned)
        module.add(class_block([flat(decorator), f"class {record.name}:"], lines))
