"""Annotations of user classes: types in aliases, members of unions, and their tags."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator
from importlib import import_module
from typing import Any, TypeAlias

from serbench.errors import SchemaError
from serbench.model.classes.fields import ClassField, bound, hints_of, kind_of, origin_of
from serbench.model.names import field_name

Value: TypeAlias = str | int
_UNIONS = (typing.Union, types.UnionType)
_QUALIFIERS = ("Required", "NotRequired", "ReadOnly", "Final")
_CHAINED = 100  # aliases of aliases
_KINDS = ("pydantic", "pydantic1", "msgspec", "attrs", "dataclass", "namedtuple", "typeddict")
"""The kinds whose classes an alias may name, those whose library also takes the classes of a later one first."""


def is_alias(annotation: Any) -> bool:
    """Return True for what `type X = …` makes, with or without parameters."""
    return hasattr(origin_of(annotation), "__value__") and hasattr(origin_of(annotation), "__type_params__")


def aliased(annotation: Any) -> Any:
    """The type that an alias stands for."""
    alias = origin_of(annotation)
    return bound(alias.__value__, dict(zip(alias.__type_params__, typing.get_args(annotation), strict=False)))


def is_qualified(annotation: Any) -> bool:
    """Return True for what says something of a field and not of its type: `Required`, `ReadOnly`, `Final` and the like."""
    form = typing.get_origin(annotation) or annotation
    return not isinstance(form, type) and getattr(form, "_name", None) in _QUALIFIERS  # also of typing_extensions


def is_of_pydantic1(annotation: Any, *bases: type) -> bool:
    """Return True for a constrained type of pydantic 1 that derives from one of these, as `conlist` and `constr` make."""
    known = isinstance(annotation, type) and issubclass(annotation, bases)
    return known and any(one.__module__.split(".")[0] == "pydantic" for one in annotation.__mro__)


def unwrapped(annotation: Any) -> Any:
    """The type inside annotations, qualifiers, new types and aliases."""
    for _ in range(_CHAINED):
        if typing.get_origin(annotation) is typing.Annotated:
            annotation = typing.get_args(annotation)[0]
        elif is_qualified(annotation):
            annotation = (*typing.get_args(annotation), Any)[0]
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif is_alias(annotation):
            annotation = aliased(annotation)
        else:
            return annotation
    raise SchemaError(f"{annotation} is an alias of itself; name a type")


def item_of(annotation: Any) -> Any:
    """The type of the items of a list, or of an alias of one; anything else as it is."""
    list_ = aliased(annotation) if is_alias(annotation) else annotation
    arguments = typing.get_args(list_)
    return arguments[0] if typing.get_origin(list_) is list and arguments else annotation


def is_union(annotation: Any) -> bool:
    """Return True for a union, not for an alias of one."""
    return typing.get_origin(annotation) in _UNIONS


def members_of(annotation: Any) -> Iterator[Any]:
    """The members of a union, with those of the unions inside it; anything else alone."""
    inner = unwrapped(annotation)
    if not is_union(inner):
        yield annotation
        return
    for member in typing.get_args(inner):
        yield from members_of(member)


def tag_of(
    classes: list[Any], named: str | None, fields_of: Callable[[Any], Iterable[ClassField]], *, writing: bool
) -> tuple[str, list[tuple[Value, ...]]] | None:
    """The key whose constants tell these classes apart, and those of each; None if there is none.

    `named` is the discriminator that the union names, as a field or a key.
    """
    configs = [getattr(origin_of(one), "__struct_config__", None) for one in classes]
    if any(config is not None for config in configs):
        return _tag_of_structs(configs)
    try:
        fields = [[one for one in fields_of(class_) if one.key(writing=writing)] for class_ in classes]
    except SchemaError:
        return None
    if len(fields) < 2:
        return None
    for first in fields[0]:
        if named in (None, first.wire, first.name):
            key = first.key(writing=writing)
            held = [next((one for one in some if one.key(writing=writing) == key), None) for some in fields]
            values: list[tuple[Value, ...]] = [() if one is None else constants(one.annotation) for one in held]
            every = [value for some in values for value in some]
            if all(values) and len(set(every)) == len(every):
                return key, values
    return None


def _tag_of_structs(configs: list[Any]) -> tuple[str, list[tuple[Value, ...]]] | None:
    keys = {getattr(config, "tag_field", None) for config in configs}
    values = [getattr(config, "tag", None) for config in configs]
    key = keys.pop() if len(keys) == 1 else None
    said = [value for value in values if value is not None]
    if key is None or len(set(said)) < len(values) or len(values) < 2:
        return None
    return str(key), [(value,) for value in said]


def constants(annotation: Any) -> tuple[Value, ...]:
    """The texts or numbers of a Literal; none for anything else."""
    inner = unwrapped(annotation)
    arguments = typing.get_args(inner) if typing.get_origin(inner) is typing.Literal else ()
    values = [getattr(argument, "value", argument) for argument in arguments]
    if any(isinstance(value, bool) or not isinstance(value, Value) for value in values):
        return ()
    return tuple(str(value) if isinstance(value, str) else value for value in values)


def discriminator_in(notes: Iterable[Any]) -> str | None:
    """The name that a note of pydantic gives for the tag of a union."""
    discriminators = (
        getattr(note, "discriminator", None) for note in notes if type(note).__module__.startswith("pydantic")
    )
    return next((name for name in discriminators if isinstance(name, str)), None)


def root_kind(type_: Any) -> str:
    """The kind of a class or, for an alias, of the classes in it.

    Raises:
        SchemaError: it is neither a model nor made of other types.
    """
    inner = unwrapped(type_)
    origin = typing.get_origin(inner)
    if not is_union(inner) and not (isinstance(origin, type) and issubclass(origin, Collection)):
        kind = kind_of(inner)
        return "pydantic" if kind == "dataclass" and _is_noted(origin or inner) else kind
    kinds = set(_kinds_in(type_))
    return next((kind for kind in _KINDS if kind in kinds), "msgspec")


def _is_noted(class_: Any) -> bool:
    """Return True for a dataclass of pydantic, or one with notes of it in annotations: it reads and writes these."""
    if hasattr(class_, "from_dict"):
        return False
    hints = hints_of(class_, [f.name for f in dataclasses.fields(class_)], lenient=True)
    return "__pydantic_validator__" in vars(class_) or any(
        "pydantic" in _kinds_of_notes(hint) for hint in hints.values()
    )


def _kinds_of_notes(annotation: Any) -> set[str]:
    """The libraries whose notes stand in an annotation."""
    arguments = typing.get_args(annotation)
    notes = arguments[1:] if typing.get_origin(annotation) is typing.Annotated else ()
    return {type(note).__module__.partition(".")[0] for note in notes}.union(*map(_kinds_of_notes, arguments))


def _kinds_in(annotation: Any) -> Iterator[str]:
    if typing.get_origin(annotation) is typing.Annotated and any(
        type(arg).__module__.startswith("pydantic") for arg in typing.get_args(annotation)[1:]
    ):
        yield "pydantic"
    inner = unwrapped(annotation)
    try:
        yield kind_of(inner)
    except SchemaError:
        for arg in typing.get_args(inner):
            yield from _kinds_in(arg)


def json_kind(annotation: Any, *, writing: bool) -> str:
    """Return the type that pydantic's JSON Schema says for an annotation; empty if it says none or several."""
    try:
        adapter = import_module("pydantic").TypeAdapter(annotation)
        said = adapter.json_schema(mode="serialization" if writing else "validation").get("type")
    except Exception:  # it has no schema
        return ""
    return said if isinstance(said, str) else ""


def class_tag(class_: Any) -> list[ClassField]:
    """The tag of a Struct that stands alone, as a field with one value."""
    config = getattr(origin_of(class_), "__struct_config__", None)
    if config is None or config.tag is None:
        return []
    return [ClassField(field_name(config.tag_field), config.tag_field, typing.Literal[config.tag])]
