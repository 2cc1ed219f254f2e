"""The fields that a model of pydantic takes from inside another value of its document (AliasPath), as keys and types."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

Step: TypeAlias = str | int


def first_path(info: Any) -> list[Step]:
    """The first path under which a field is read that has only paths."""
    alias = info.validation_alias
    return list(getattr(alias, "choices", [alias])[0].path)


def fields_at(paths: Iterable[tuple[Any, list[Step]]]) -> Iterator[tuple[str, Any, bool]]:
    """Yield each key of the document that has such fields, the type of what is there, and whether it is required."""
    held: dict[str, list[tuple[Any, list[Step]]]] = {}
    for info, (key, *rest) in paths:
        held.setdefault(str(key), []).append((info, rest))
    for key, inside in held.items():
        yield key, _type_of(key, inside), any(info.is_required() for info, _ in inside)


def _type_of(name: str, inside: list[tuple[Any, list[Step]]]) -> Any:
    """The type of a value that has fields at these paths: an object's keys, or an array's items up to the last."""
    ends = [info for info, rest in inside if not rest]
    if ends:
        return ends[0].annotation
    steps: dict[Step, list[tuple[Any, list[Step]]]] = {}
    for info, (step, *rest) in inside:
        steps.setdefault(step, []).append((info, rest))
    types = {step: _type_of(f"{name}_{step}", some) for step, some in steps.items()}
    if all(isinstance(step, int) for step in steps):
        last = max(*map(int, steps), -min(map(int, steps)) - 1)
        items = [types.get(index, types.get(index - last - 1, typing.Any)) for index in range(last + 1)]
        return tuple.__class_getitem__(tuple(items))
    made: Any = typing.TypedDict  # whose keys a checker wants to read
    return made(name, {str(step): type_ for step, type_ in types.items()})
