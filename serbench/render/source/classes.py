"""Classes that several libraries share, and what those libraries refuse."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from itertools import combinations

from serbench.model.classes.documents import form_of
from serbench.model.records import (
    Field,
    List,
    Optional,
    Record,
    Ref,
    Schema,
    Set,
    Tuple,
    Type,
    Union,
    bare,
    kind_of,
    referred,
)
from serbench.model.scalars import MOMENTS, STR, Scalar
from serbench.render.source.models import (
    Models,
    alternatives,
    annotation,
    default_source,
    factory,
    members,
    needs_factory,
    tag_field,
    untagged_unions,
)
from serbench.render.source.module import Module, Unsupported, braced, call, is_decided, literal, tuple_of


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
        ahead = {f.wire for f in record.fields if not m.defined.issuperset(referred(f.type))}
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


def refuse_members_of_any_list(schema: Schema, union: Union, page: str) -> None:
    """Check that each record of a union has a field that must be present.

    Raises:
        Unsupported: a record has none, and the library makes one of any list; `page` is the documentation to name.
    """
    for record in members(schema, union):
        if not any(f.required for f in record.fields):
            raise Unsupported(
                f"it turns any list into a {record.name}, because all fields of that record are optional ({page})"
            )


def refuse_confusion(schema: Schema, page: str, confused: Callable[[Type, Type], object]) -> None:
    """Check that no member of an untagged union takes the values of one that stands behind it.

    Raises:
        Unsupported: `confused` is true for a member and one behind it.
    """
    for union in () if is_decided() else untagged_unions(schema):
        for one, other in combinations(union.members, 2):
            if confused(one, other):
                raise Unsupported(f"it cannot distinguish {said(one)} from {said(other)} in a union ({page})")


def takes_letters(one: Type, other: Type) -> bool:
    """True if a library that tries the members of a union in turn makes a list of a text's letters: `list[str] | str`."""
    return isinstance(one, List | Set | Tuple) and other == STR


def refuse_lookalikes(schema: Schema, native: frozenset[str], format_: str) -> None:
    """Check that the bytes of a value say of which member of its untagged union it is.

    Raises:
        Unsupported: two members have the same form in the format, which carries `native` kinds.
    """
    for union in () if is_decided() else untagged_unions(schema):
        seen: dict[str, Type] = {}
        for member in union.members:
            form = _form(member, native)
            other = seen.setdefault(form, member)
            if other is not member:
                raise Unsupported(
                    f"in {format_}, {said(other)} and {said(member)} are both {form}: their union needs a tag"
                )


def refuse_mixed_datetimes(schema: Schema, native: frozenset[str], page: str) -> None:
    """Check that all datetimes are left as they are, or none, for a library that has one form for their class.

    Raises:
        Unsupported: the codec carries only aware ones, or only naive ones, and the schema has both.
    """
    if schema.features >= MOMENTS and len(MOMENTS & native) == 1:
        raise Unsupported(f"it treats datetimes with and without an offset alike, but the codec does not ({page})")


def refuse_renamed_tags(schema: Schema, page: str) -> None:
    """Check that each tag is the field of its key, for a library whose unions know the tag by one name only.

    Raises:
        Unsupported: a field for the tag would need an alias.
    """
    for record in map(schema.record, schema.tags):
        if tag_field(schema, record).alias is not None:
            raise Unsupported(
                f"the tag of a union must have the same name in the model and in the bytes, but {record.name}'s has two ({page})"
            )


def refuse_broken_strings(schema: Schema, *others: str | None) -> None:
    """Check that names can stand in a string as they are, for a library that puts them into the code it makes.

    Raises:
        Unsupported: a wire name, a tag's key or one of the other texts has a character that cannot.
    """
    wires = (f.wire for record in schema.records for f in record.fields)
    for text in filter(None, (*wires, *schema.tags.values(), *others)):
        if not text.isprintable() or set(text) & set("'\"\\"):
            raise Unsupported(
                f"it copies names into generated code without escaping them, and {text!r} would end a string"
            )


def _form(type_: Type, native: frozenset[str]) -> str:
    inner = bare(type_)
    if isinstance(inner, Scalar) and inner.kind in native | {"timedelta"}:
        return inner.kind
    form = form_of(inner)
    return {"array": "an array", "object": "a map", "any": "text"}.get(form, form)


def said(type_: Type) -> str:
    """A member of a union in a refusal: a kind, a name or what it is."""
    if isinstance(type_, Scalar):
        return type_.kind
    return type_.record if isinstance(type_, Ref) else getattr(type_, "name", kind_of(type_))
