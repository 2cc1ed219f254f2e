"""Refusals that several libraries share: unions whose members they cannot tell apart."""

from __future__ import annotations

from serbench.schema import INTEGER_KINDS, Enum, List, Optional, Ref, Scalar, Schema, Set, Tuple, Type, Union
from serbench.source.models import Unsupported, members, untagged_unions


def refuse_members_of_any_list(schema: Schema, union: Union, page: str) -> None:
    """Check that each record of a union has a field that must be present.

    Raises:
        Unsupported: a record has none, and the library makes one of any list; `page` is the documentation to name.
    """
    for record in members(schema, union):
        if not any(f.required for f in record.fields):
            raise Unsupported(f"it makes a {record.name}, all of whose fields may be absent, of any list ({page})")


def refuse_lookalikes(schema: Schema, native: frozenset[str], format_: str) -> None:
    """Check that the bytes of a value say of which member of its untagged union it is.

    Raises:
        Unsupported: two members have the same form in the format, which carries `native` kinds.
    """
    for union in untagged_unions(schema):
        seen: dict[str, Type] = {}
        for member in union.members:
            form = _form(member, native)
            other = seen.setdefault(form, member)
            if other is not member:
                raise Unsupported(
                    f"in {format_}, {_said(other)} and {_said(member)} are both {form}: their union needs a tag"
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


def _said(type_: Type) -> str:
    if isinstance(type_, Scalar):
        return type_.kind
    return type_.record if isinstance(type_, Ref) else getattr(type_, "name", type(type_).__name__.lower())
