"""Refusals that several libraries share: members of unions that they cannot tell apart, and names that they cannot have."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from serbench.model.records import Schema
from serbench.model.scalars import INTEGER_KINDS, Scalar
from serbench.model.types import Enum, List, Optional, Ref, Set, Tuple, Type, Union
from serbench.render.source.models import members, tag_field, untagged_unions
from serbench.render.source.module import Unsupported, is_decided


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
    for union in untagged_unions(schema):
        for one, other in combinations(union.members, 2):
            if confused(one, other):
                raise Unsupported(f"it cannot distinguish {said(one)} from {said(other)} in a union ({page})")


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
    moments = {"datetime", "naive_datetime"}
    if moments <= schema.features and len(moments & native) == 1:
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
    match type_:
        case Scalar(kind):
            kind = "int" if kind in INTEGER_KINDS else kind
            return kind if kind in native | {"int", "float", "bool", "timedelta"} else "text"
        case Enum(_, members):
            return "text" if isinstance(members[0][1], str) else "int"
        case List() | Tuple() | Set():
            return "an array"
        case Optional(item):
            return _form(item, native)
        case _:
            return "a map"


def said(type_: Type) -> str:
    """A member of a union in a refusal: a kind, a name or what it is."""
    if isinstance(type_, Scalar):
        return type_.kind
    return type_.record if isinstance(type_, Ref) else getattr(type_, "name", type(type_).__name__.lower())
