"""The parameters of a class's own `__init__`, which may be others than its fields."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterable
from contextlib import suppress
from types import CodeType
from typing import Any

from serbench.model.classes.hints import hints_of
from serbench.model.records import REQUIRED


def init_parameters(class_: Any) -> dict[str, tuple[Any, Any]] | None:
    """The annotation and the default of each for a model of pydantic, which hands it what a document has.

    None if the class has no `__init__` of its own, or one of any keys.
    """
    if not getattr(class_, "__pydantic_custom_init__", False):
        return None
    _, *parameters = inspect.signature(class_.__init__).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return None
    hints = _hints(class_)
    return {
        one.name: (hints.get(one.name, Any), REQUIRED if one.default is one.empty else one.default)
        for one in parameters
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    }


def unlike_fields(class_: Any, names: Iterable[str]) -> list[str]:
    """The fields of a dataclass or attrs class for which its own `__init__` takes values of other types than they have."""
    code = getattr(getattr(class_, "__init__", None), "__code__", None)
    if not isinstance(code, CodeType) or code.co_filename.startswith("<"):  # that of a generated function
        return []
    of_init, fields = _hints(class_), hints_of(class_, names, lenient=True)
    return [name for name in names if name in of_init and name in fields and of_init[name] != fields[name]]


def _hints(class_: Any) -> dict[str, Any]:
    with suppress(Exception):  # an annotation may be any expression
        return typing.get_type_hints(class_.__init__, include_extras=True)
    return {}
