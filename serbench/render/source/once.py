"""Results that are worked out once for each schema, because many cases of a plan share one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from serbench.model.records import Schema

_Result = TypeVar("_Result")


def once(function: Callable[[Schema], _Result]) -> Callable[[Schema], _Result]:
    """Make a function of a schema keep its result with the schema, which lives as long."""
    key = f"{function.__module__}.{function.__name__}"

    @wraps(function)
    def kept(schema: Schema) -> _Result:
        results = vars(schema)
        if key not in results:
            results[key] = function(schema)
        result: _Result = results[key]
        return result

    return kept
