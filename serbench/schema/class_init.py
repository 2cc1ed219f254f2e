"""The parameters of a model's own `__init__`, which its library hands what a document has."""

from __future__ import annotations

import inspect
import typing
from contextlib import suppress
from typing import Any

from serbench.schema.records import REQUIRED


def own_parameters(class_: Any) -> dict[str, tuple[Any, Any]] | None:
    """The annotation and the default of each, by name; None if the class has no `__init__` of its own, or one of any keys."""
    if not getattr(class_, "__pydantic_custom_init__", False):
        return None
    _, *given = inspect.signature(class_.__init__).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in given):
        return None
    hints: dict[str, Any] = {}
    with suppress(Exception):  # an annotation may be any expression
        hints = typing.get_type_hints(class_.__init__, include_extras=True)
    return {
        one.name: (hints.get(one.name, Any), REQUIRED if one.default is one.empty else one.default)
        for one in given
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    }
