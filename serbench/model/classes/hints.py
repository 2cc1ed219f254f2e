"""The annotations of a class's fields, resolved: all at once or, if one of another attribute has no meaning, one by one."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterable
from typing import Any

from serbench.errors import SchemaError


def hints_of(class_: Any, names: Iterable[str] = (), *, lenient: bool = False) -> dict[str, Any]:
    """Return the annotations of a class; if some are names that only a type checker knows, those of these fields.

    With `lenient`, what cannot be resolved stays a text.

    Raises:
        SchemaError: the annotation of a field cannot be resolved.
    """
    try:
        return typing.get_type_hints(class_, include_extras=True)
    except Exception as error:  # an annotation may be any expression
        hints = {name: _hint(class_, name, lenient=lenient) for name in names}
        if not hints:
            raise _unresolved(class_, error) from None
        return hints


def _hint(class_: Any, name: str, *, lenient: bool) -> Any:
    owner = next((one for one in class_.__mro__ if name in vars(one).get("__annotations__", ())), class_)
    written = vars(owner).get("__annotations__", {}).get(name, Any)
    holder = types.SimpleNamespace(__annotations__={name: written})
    try:
        return typing.get_type_hints(holder, vars(sys.modules[owner.__module__]), dict(vars(owner)), True)[name]
    except Exception as error:  # as above
        if lenient:
            return written
        raise _unresolved(class_, error) from None


def _unresolved(class_: Any, error: Exception) -> SchemaError:
    return SchemaError(f"{class_.__name__}: an annotation cannot be resolved ({error}); import that name in its module")


def has_forward_references(class_: Any) -> bool:
    """Return True for an attrs class in which a part of an annotation is a text, which cattrs does not resolve."""
    if not hasattr(class_, "__attrs_attrs__"):
        return False
    written = [one for owner in class_.__mro__ for one in vars(owner).get("__annotations__", {}).values()]
    return any(_is_forward(one) for one in written if not isinstance(one, str))


def _is_forward(annotation: Any) -> bool:
    return isinstance(annotation, typing.ForwardRef) or any(map(_is_forward, typing.get_args(annotation)))
