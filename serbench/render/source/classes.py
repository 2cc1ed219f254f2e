"""The classes other than dataclasses that several libraries share: attrs classes, ordinary ones with an `__init__`, TypedDicts."""

from __future__ import annotations

import keyword
from collections.abc import Callable

from serbench.model.records import Field, Record
from serbench.model.types import Optional, Ref, walk
from serbench.render.source.annotations import alternatives, annotation
from serbench.render.source.defaults import default_source, factory, needs_factory
from serbench.render.source.models import Models
from serbench.render.source.module import Module, Unsupported, braced, call, literal, tuple_of


def add_attrs_classes(m: Models, *options: str) -> None:
    """Add an attrs class for each record; `options` are arguments of the decorator."""
    decorator = call("@attrs.define", *options) if options else "@attrs.define"
    for record in m.records():
        m.use("attrs")
        m.define(f"{decorator}\nclass {record.name}:", m.lines(record, "attrs.field", "factory", _argument))


def _argument(f: Field) -> tuple[str, ...]:
    """The name of a private field's argument, from which attrs would strip the underscore."""
    return (f"alias={literal(f.name)}",) if f.name.startswith("_") else ()


def class_with_init(
    module: Module, record: Record, *, slots: bool = False, checks: Callable[[Field], list[str]] = lambda _: []
) -> str:
    """The class of a record; `checks` gives the lines that look at a field's argument, not indented."""
    lines = [f"class {record.name}:"]
    if slots:
        names = tuple(f'"{f.name}"' for f in record.fields)
        lines += [f"    __slots__ = {tuple_of(names)}", ""]
    parameters = tuple(_parameter(module, f) for f in record.fields)
    lines.append(f"    {call('def __init__', 'self', *parameters)} -> None:")
    lines += [f"        {line}" for f in record.fields for check in checks(f) for line in check.split("\n")]
    for f in record.fields:
        value = f"{_fresh(module, f)} if {f.name} is None else {f.name}" if has_fresh_default(f) else f.name
        lines.append(f"        self.{f.name} = {value}")
    return "\n".join(lines if record.fields else [f"class {record.name}:", "    pass"])


def _parameter(module: Module, f: Field) -> str:
    type_ = annotation(f.type, module)
    if has_fresh_default(f):
        return f"{f.name}: {alternatives(module, type_, 'None')} = None"
    return f"{f.name}: {type_}" + ("" if f.required else f" = {default_source(module, f)}")


def has_fresh_default(f: Field) -> bool:
    """Return True if each object needs a default of its own, because it could change; its argument may be None."""
    if needs_factory(f) and isinstance(f.type, Optional):
        raise Unsupported(f"field {f.name}: no source for the default {f.default!r} of an argument; leave it out")
    return needs_factory(f)


def _fresh(module: Module, f: Field) -> str:
    made = factory(module, f)
    return made.removeprefix("lambda: ") if made.startswith("lambda") else f"{made}()"


def add_typed_dicts(m: Models) -> None:
    """Add a TypedDict for each record, whose keys are the wire's; one that is None by default may be absent."""
    for record in m.records():
        m.use("typing", "TypedDict")
        items = {f.wire: _item(m, f) for f in record.fields}
        ahead = {
            f.wire for f in record.fields for t in walk(f.type) if isinstance(t, Ref) and t.record not in m.defined
        }
        if record.name in m.schema.tags:
            m.use("typing", "Literal")
            items = {m.schema.tags[record.name]: f"Literal[{literal(record.tag_value)}]", **items}
        if all(map(is_attribute, items)):
            m.define(f"class {record.name}(TypedDict):", [f"{key}: {type_}" for key, type_ in items.items()])
        else:
            entries = [f"{literal(key)}: {literal(type_) if key in ahead else type_}" for key, type_ in items.items()]
            m.add(f"{record.name} = TypedDict({literal(record.name)}, {braced(entries)})")


def _item(m: Models, f: Field) -> str:
    type_ = m.annotation(f.type)
    if f.required or f.default is not None or m.python < (3, 11):
        return type_
    m.use("typing", "NotRequired")
    return f"NotRequired[{type_}]"


def is_attribute(key: str) -> bool:
    """Return True if the class syntax can have the key; it would put the class name in front of a `__key`."""
    return key.isidentifier() and key.isascii() and not keyword.iskeyword(key) and not key.startswith("__")
