"""Applies the declared losses of formats to neutral values."""

import datetime as dt
from typing import Any, Callable, Dict

from .building import member_of
from .kinds import CLASSES
from .parts import Spec, Type, scalar_difference

LOSSES: Dict[str, Callable[[Any], Any]] = {
    "utc": lambda value: value.astimezone(dt.timezone.utc),
    "utc milliseconds": lambda value: LOSSES["milliseconds"](value.astimezone(dt.timezone.utc)),
    "milliseconds": lambda value: value.replace(microsecond=value.microsecond // 1000 * 1000),
    "newlines": lambda value: value.replace("\r\n", "\n").replace("\r", "\n"),
    "null text": lambda _: "null",
    "none for empty": lambda value: value or None,
}
"""Name of a loss → function from a value to the value that a format with this loss returns."""


def apply_losses(
    spec: Spec, type_: Type, value: Any, losses: Dict[str, str], lost: Dict[str, str], field: str = ""
) -> Any:
    """Return the neutral value as a format with these losses (kind → name in `LOSSES`) returns it.

    Changed fields and their kinds are added to `lost`. "null" is the kind of None, and "empty" that of optional text,
    bytes or members of an enum.
    """
    kind = type_[0]
    if kind == "optional" and value is None:
        return _lost("null", value, losses, lost, field)
    if kind == "optional" and value in ("", b"") and type_[1][0] in ("str", "bytes", "enum"):
        return _lost("empty", value, losses, lost, field)
    if kind in CLASSES:
        return _lost(kind, value, losses, lost, field)
    if kind == "optional":
        return apply_losses(spec, type_[1], value, losses, lost, field)
    if kind in ("list", "set"):
        items = [apply_losses(spec, type_[1], item, losses, lost, field) for item in value]
        return set(items) if kind == "set" else items
    if kind == "tuple":
        return tuple(apply_losses(spec, item, part, losses, lost, field) for item, part in zip(type_[1], value))
    if kind == "map":
        return {key: apply_losses(spec, type_[1], item, losses, lost, field) for key, item in value.items()}
    if kind == "union":
        member = member_of(spec, type_, value)
        return value if member is None else apply_losses(spec, member, value, losses, lost, field)
    if kind == "ref":
        fields = spec["records"][type_[1]]["fields"]
        changed = {wire: apply_losses(spec, inner, value[wire], losses, lost, wire) for _, wire, inner in fields}
        return {**value, **changed}
    return value


def _lost(kind: str, value: Any, losses: Dict[str, str], lost: Dict[str, str], field: str) -> Any:
    if kind not in losses:
        return value
    left = LOSSES[losses[kind]](value)
    if scalar_difference(kind, value, left) if kind in CLASSES else left != value:
        lost[field or "the document"] = kind
    return left
