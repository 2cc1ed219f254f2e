"""The kind of control that a parameter gets: by its name as an option of `serbench.run`, by what may be chosen, or by its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from serbench.ask.calling import arguments
from serbench.ask.claims import named_claims
from serbench.ask.names import formats, libraries
from serbench.ask.running import run
from serbench.claims.reading import claims
from serbench.errors import PlanError, SerbenchError, check
from serbench.keep.archive import DEEPER, SIZES
from serbench.measure.plan import EFFORTS
from serbench.model.classes.fields import kind_of as kind_of_class
from serbench.model.data.dataset import get, workload_names
from serbench.render.selection import chosen_codecs, selection
from serbench.render.user_class.functions import is_of_functions
from serbench.results import OPERATIONS

ALIASES = {"operation": "operations"}


@dataclass(frozen=True)
class Kind:
    """What a control is like.

    Attributes:
        what: "sizes", "names", "choice", "file", "class", or "plain" for what its value is.
        choices: what it offers.
        help: its tooltip.
        check: refuses a name, with a SerbenchError of one line.
        empty: what no names stand for.
        argument: makes the argument of what the control has.
    """

    what: str = "plain"
    choices: Sequence[Any] = ()
    help: str = ""
    check: Callable[[str], object] = str
    empty: str = "the core ones"
    argument: Callable[[Any], Any] = lambda value: value


def kind_of(name: str, value: Any, choices: Sequence[Any], namespace: Mapping[str, Any]) -> Kind:
    """Return the kind of a parameter's control; without choices it offers those that serbench knows."""
    declared = arguments(run).get(ALIASES.get(name, name))
    help_ = "" if declared is None else declared.option.help.replace("`", "")
    several = isinstance(value, list | tuple)
    if choices and all(type(choice) is int for choice in choices):
        return Kind("sizes", tuple(choices), help_)
    if choices and not several:
        return Kind("choice", tuple(dict.fromkeys([*choices, value])), help_)
    if name == "records" and value:
        return Kind("sizes", SIZES, help_)
    if name == "depth" and value:
        return Kind("sizes", depths_of(namespace.get("workload")), help_)
    if name in _CHOICES and not several:
        return Kind("choice", _CHOICES[name](), help_)
    if name in _NAMES:
        offered, check, empty = _NAMES[name]
        return Kind("names", tuple(choices) or offered(), help_, check, empty, list)
    if name == "payload":
        return Kind("file", (), help_, argument=lambda path: path or None)
    if name == "model":
        here = tuple(key for key, one in namespace.items() if _is_model(one))
        return Kind("class", here, help_, argument=lambda text: namespace[text] if text in here else text or None)
    if several:
        return Kind("names", tuple(choices), help_, empty="none", argument=list)
    return Kind("plain", (), help_)


def check_value(name: str, value: Any) -> None:
    """Refuse a value that no run of a parameter of that name can have.

    Raises:
        PlanError: that line, with the nearest name that is known.
    """
    if name in _CHOICES:
        check(name, value, _CHOICES[name]())
    elif name in _NAMES:
        for one in value:
            _NAMES[name][1](one)
    elif name in ("records", "depth") and any(number < 1 for number in (value if isinstance(value, list) else [value])):
        raise PlanError(f"{name} must be at least 1, not {value}")


def depths_of(workload: Any) -> tuple[int, ...]:
    """Return the depths to offer of a workload: none that it cannot have."""
    least = get(workload).shallowest if isinstance(workload, str) and workload in workload_names() else 1
    return tuple(least + more for more in DEEPER)


def _is_model(value: Any) -> bool:
    try:
        return isinstance(value, type) and value.__module__ == "__main__" and bool(kind_of_class(value))
    except SerbenchError:
        return False


def _check_library(name: str) -> object:
    return None if is_of_functions(name) or name.startswith("yours") else selection([name])


_CHOICES: Mapping[str, Callable[[], Sequence[Any]]] = {
    "workload": workload_names,
    "operation": lambda: OPERATIONS,
    "effort": lambda: tuple(EFFORTS),
    "gc": lambda: ("on", "off"),
}
_NAMES: Mapping[str, tuple[Callable[[], Sequence[str]], Callable[[str], object], str]] = {
    "libraries": (lambda: tuple(libraries), _check_library, "the core ones"),
    "formats": (lambda: tuple(formats), lambda name: chosen_codecs([name]), "the core ones"),
    "claims": (lambda: tuple(claims()), lambda name: named_claims([name], claims()), "all of them"),
}
