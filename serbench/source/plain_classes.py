"""Ordinary classes with an `__init__`, as they are written by hand."""

from __future__ import annotations

from collections.abc import Callable

from serbench.schema import Field, Optional, Record
from serbench.source.expressions import Bracketed
from serbench.source.layout import Module, lay_out
from serbench.source.models import Unsupported, alternatives, annotation, default_literal


def class_with_init(
    module: Module, record: Record, *, slots: bool = False, checks: Callable[[Field], list[str]] = lambda _: []
) -> str:
    """The class of a record; `checks` gives the lines that look at a field's argument, not indented."""
    lines = [f"class {record.name}:"]
    if slots:
        names = tuple(f'"{f.name}"' for f in record.fields)
        lines += [lay_out(Bracketed("(", names, ",)" if len(names) == 1 else ")"), 4, "__slots__ = "), ""]
    parameters = tuple(_parameter(module, f) for f in record.fields)
    lines.append(lay_out(Bracketed("def __init__(", ("self", *parameters), ") -> None:"), 4))
    lines += [f"        {line}" for f in record.fields for check in checks(f) for line in check.split("\n")]
    for f in record.fields:
        value = f"{type(f.default).__name__}() if {f.name} is None else {f.name}" if has_fresh_default(f) else f.name
        lines.append(f"        self.{f.name} = {value}")
    return "\n".join(lines if record.fields else [f"class {record.name}:", "    pass"])


def _parameter(module: Module, f: Field) -> str:
    type_ = annotation(f.type, module)
    if has_fresh_default(f):
        return f"{f.name}: {alternatives(module, type_, 'None')} = None"
    return f"{f.name}: {type_}" + ("" if f.required else f" = {default_literal(f)}")


def has_fresh_default(f: Field) -> bool:
    """Whether each object needs a default of its own, because it could change; its argument may be None."""
    if not isinstance(f.default, list | dict | set):
        return False
    if f.default or isinstance(f.type, Optional):
        raise Unsupported(f"field {f.name}: no source for the default {f.default!r} of an argument; leave it out")
    return True
