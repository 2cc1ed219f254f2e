"""The kind of control that a parameter gets: by its name as an option of `serbench.run`, by what may be chosen, or by its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from serbench.ask.calling import arguments
from serbench.ask.claims import measure_claims, named_claims
from serbench.ask.running import run
from serbench.claims.reading import claims
from serbench.errors import SerbenchError
from serbench.keep.archive import DEEPER, SIZES
from serbench.measure.options import Option
from serbench.model.classes.fields import kind_of as kind_of_class
from serbench.model.data.dataset import get, workload_names

ALIASES = {"operation": "operations"}


@dataclass(frozen=True)
class Kind:
    """What a control is like.

    Attributes:
        what: "sizes", "names", "choice", "file", "class", or "plain" for what its value is.
        choices: what it offers.
        option: the declaration of what it sets.
        argument: makes the argument of what the control has.
    """

    what: str = "plain"
    choices: Sequence[Any] = ()
    option: Option = Option("")  # noqa: RUF009  # which is frozen
    argument: Callable[[Any], Any] = lambda value: value

    @property
    def help(self) -> str:
        """The tooltip."""
        return self.option.help.replace("`", "")


def option_of(name: str) -> Option:
    """Return the declaration of a notebook's parameter: that of the option of its name, if there is one."""
    if name == "claims":
        option = arguments(measure_claims)["ids"].option
        return replace(option, choices=lambda: tuple(claims()), refuse=lambda one: named_claims([one], claims()))
    declared = arguments(run).get(ALIASES.get(name, name))
    return Option("") if declared is None else declared.option


def kind_of(name: str, value: Any, choices: Sequence[Any], namespace: Mapping[str, Any]) -> Kind:
    """Return the kind of a parameter's control; without choices it offers those that serbench knows."""
    option = option_of(name)
    several = isinstance(value, list | tuple)
    if choices and all(type(choice) is int for choice in choices):
        return Kind("sizes", tuple(choices), option)
    if choices and not several:
        return Kind("choice", tuple(dict.fromkeys([*choices, value])), option)
    if name == "records" and value:
        return Kind("sizes", SIZES, option)
    if name == "depth" and value:
        return Kind("sizes", depths_of(namespace.get("workload")), option)
    if option.choices and not option.refuse and not several:
        return Kind("choice", option.choices(), option)
    if option.refuse or several:
        offered = tuple(choices) or (option.choices() if option.choices else ())
        return Kind("names", offered, option, list)
    if name == "payload":
        return Kind("file", (), option, lambda path: path or None)
    if name == "model":
        here = tuple(key for key, one in namespace.items() if _is_model(one))
        return Kind("class", here, option, lambda text: namespace[text] if text in here else text or None)
    return Kind("plain", (), option)


def depths_of(workload: Any) -> tuple[int, ...]:
    """Return the depths to offer of a workload: none that it cannot have."""
    least = get(workload).shallowest if isinstance(workload, str) and workload in workload_names() else 1
    return tuple(least + more for more in DEEPER)


def _is_model(value: Any) -> bool:
    try:
        return isinstance(value, type) and value.__module__ == "__main__" and bool(kind_of_class(value))
    except SerbenchError:
        return False
