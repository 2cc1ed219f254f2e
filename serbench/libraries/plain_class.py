"""class: an ordinary class with an `__init__`, with conversions written by hand.

- No codec but pickle knows such classes, so every record is converted, both ways.
- Dates, times, UUIDs and decimals are text, bytes base64, a timedelta its seconds, an enum its value,
  unless the codec carries them itself.
"""

from __future__ import annotations

from serbench.formats import Codec
from serbench.libraries import Library, Rendered, Unsupported, by_hand
from serbench.schema import Field, Optional, Record, Schema
from serbench.source.layout import Bracketed, Module, lay_out
from serbench.source.models import add_enums, alternatives, annotation, default_literal, ordered_records

_DOCS = "https://docs.python.org/3/reference"


def render(schema: Schema, codec: Codec, variant: str) -> Rendered:
    """The classes, and conversions by hand."""
    module = Module(future="recursion" in schema.features)
    add_enums(schema, module)
    for record in ordered_records(schema):
        module.add(_class(module, record, slots=variant == "slots"))
    return by_hand(module, schema, codec, "class")


def _class(module: Module, record: Record, *, slots: bool) -> str:
    lines = [f"class {record.name}:"]
    if slots:
        names = tuple(f'"{f.name}"' for f in record.fields)
        lines += [lay_out(Bracketed("(", names, ",)" if len(names) == 1 else ")"), 4, "__slots__ = "), ""]
    parameters = tuple(_parameter(module, f) for f in record.fields)
    lines.append(lay_out(Bracketed("def __init__(", ("self", *parameters), ") -> None:"), 4))
    for f in record.fields:
        value = f"{type(f.default).__name__}() if {f.name} is None else {f.name}" if _fresh(f) else f.name
        lines.append(f"        self.{f.name} = {value}")
    return "\n".join(lines if record.fields else [f"class {record.name}:", "    pass"])


def _parameter(module: Module, f: Field) -> str:
    type_ = annotation(f.type, module)
    if _fresh(f):
        return f"{f.name}: {alternatives(module, type_, 'None')} = None"
    return f"{f.name}: {type_}" + ("" if f.required else f" = {default_literal(f)}")


def _fresh(f: Field) -> bool:
    """Whether each object needs a default of its own, because it could change."""
    if not isinstance(f.default, list | dict | set):
        return False
    if f.default or isinstance(f.type, Optional):
        raise Unsupported(f"field {f.name}: no source for the default {f.default!r} of an argument; leave it out")
    return True


LIBRARY = Library(
    name="class",
    summary="an ordinary class with an __init__, converted by hand",
    docs=f"{_DOCS}/compound_stmts.html#class-definitions",
    model="class",
    render=render,
    core=True,
    variants={"slots": f"{_DOCS}/datamodel.html#slots"},
)
