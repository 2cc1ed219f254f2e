"""What others wrote, in a store, a folder or an archive, is data: it is checked when it is opened, against the types of our own values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, get_type_hints

from serbench.errors import visible
from serbench.keep.folder import RunInfo
from serbench.measure.plan import Plan
from serbench.results import CALL, OPERATIONS, Cell, Sample, by_part

T = TypeVar("T")
MAY_BE_NEGATIVE = frozenset({"seed"})
COUNTS = frozenset({"cores", "usable_cores", "memory_bytes"})
ID = re.compile(r"\w[\w.-]*")


class WrongDataError(ValueError):
    """A value is not as serbench writes it; the message names the field and what is wrong."""


def parsed(text: object, field: str) -> Any:
    """The JSON in a field.

    Raises:
        WrongDataError: there is none, or it is nested too deep to be read.
    """
    try:
        return json.loads(text)  # type: ignore[arg-type]  # what is no text is a TypeError
    except (TypeError, ValueError, RecursionError) as error:
        raise WrongDataError(f"{field}: {error}") from None


def checked(kind: type[T], data: object, what: str) -> T:
    """The data as a value of a class, whose numbers are finite and not negative.

    Raises:
        WrongDataError: a field is missing or has another type or an impossible number; the message begins with `what`.
    """
    import msgspec

    try:
        value = msgspec.convert(data, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise WrongDataError(f"{what}: {str(error).replace('$.', '')}") from None
    _check_numbers(value, what)
    return value


def shown(value: Any) -> Any:
    """Data whose texts are only shown, each in one line and without signs that steer what shows it."""
    if isinstance(value, str):
        return visible(" ".join(value.splitlines()))
    if isinstance(value, Mapping):
        return {shown(name): shown(inner) for name, inner in value.items()}
    return list(map(shown, value)) if isinstance(value, list) else value


def _check_numbers(value: object, what: str) -> None:
    if not is_dataclass(value):
        return
    for field in fields(value):
        number = getattr(value, field.name)
        if isinstance(number, float) and not math.isfinite(number):
            raise WrongDataError(f"{what}: {field.name} is {number}")
        if isinstance(number, int | float) and number < 0 and field.name not in MAY_BE_NEGATIVE:
            raise WrongDataError(f"{what}: {field.name} is {number}, less than 0")
        _check_numbers(number, what)


def checked_run(facts: Mapping[str, Any], what: str = "run") -> RunInfo:
    """The facts of a run.

    Raises:
        WrongDataError: as `checked` does; also for a plan, a date or an id that cannot be.
    """
    if not isinstance(facts, Mapping):
        raise WrongDataError(f"{what}: it is no object")
    facts = shown({name: value for name, value in facts.items() if name != "plan"}) | {"plan": facts.get("plan")}
    info = checked(RunInfo, facts, what)
    if not ID.fullmatch(info.id):
        raise WrongDataError(f"{what}: id {info.id!r} is no id")
    what = f"run {info.id}"
    check_plan(info.plan, f"{what}: plan")
    for name in ("started", "finished"):
        moment = getattr(info, name)
        try:
            if moment is not None:
                datetime.fromisoformat(moment)
        except ValueError:
            raise WrongDataError(f"{what}: {name} {moment!r} is no date") from None
    for name in ("machine", "versions", *(f"machines.{one}" for one in info.machines)):
        known = getattr(info, name, None) or info.machines.get(name.partition(".")[2], {})
        for key, value in known.items():
            if isinstance(value, dict | list | float) and not (isinstance(value, float) and math.isfinite(value)):
                raise WrongDataError(f"{what}: {name}: {key} is neither a text nor a number")
            if key in COUNTS and not isinstance(value, int):
                raise WrongDataError(f"{what}: {name}: {key} is no whole number")
    return info


def check_plan(plan: object, what: str) -> None:
    """Refuse a plan whose fields have other types.

    Raises:
        WrongDataError: as `checked` does.
    """
    checked(_plan(), plan, what)


@cache
def _plan() -> type[Any]:
    """The types of a plan's fields, each of which may be missing: earlier versions had fewer."""
    import msgspec

    hints = get_type_hints(Plan)
    return msgspec.defstruct("StoredPlan", [(one.name, hints[one.name], one.default) for one in fields(Plan)])


def checked_cell(row: Mapping[str, Any], what: str = "cell") -> Cell:
    """A cell from its columns.

    Raises:
        WrongDataError: as `checked` does; also for an unknown operation.
    """
    direct, parts = by_part(Cell, shown(row))
    cell = checked(Cell, {**direct, **parts}, f"{what} {row.get('id')}")
    if cell.operation not in (*OPERATIONS, CALL):
        raise WrongDataError(f"{what} {cell.id}: unknown operation {cell.operation!r}")
    return cell


def check_samples(samples: Any) -> None:
    """Refuse samples with numbers that cannot be.

    Raises:
        WrongDataError: names the field.
    """
    for name in Sample._fields:
        if len(samples) and samples[name].min() < (-1 if name == "visit" else 0):
            raise WrongDataError(f"sample: {name} is {samples[name].min()}")
