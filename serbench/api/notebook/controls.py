"""Controls of a notebook's parameters, and functions that follow them."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Hashable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from typing import Any

from serbench.api.calling import arguments, as_declared, several
from serbench.api.claims import measure_claims, named_claims
from serbench.api.running import run
from serbench.claims.reading import claims
from serbench.errors import PlanError, brief, check, installed_by
from serbench.measure.options import Option
from serbench.render.environments import main_environment
from serbench.render.framework import endpoint_cases, frameworks, is_own_app
from serbench.render.selection import chosen_codecs
from serbench.results import FLOOR

ALIASES = {"operation": "operations"}
USUAL = {
    "workload": "client",
    "records": 1,
    "depth": 2,
    "libraries": [],
    "formats": [],
    "operation": "decode",
    "payload": "",
    "model": "",
    "effort": "quick",
}
"""The controls that there are if none is named, and the values of those that the notebook has no variable of."""


def option_of(name: str) -> Option:
    """Return the declaration of a notebook's parameter: that of the option of its name, if there is one."""
    if name == "claims":
        option = arguments(measure_claims)["ids"].option
        return replace(option, choices=lambda: tuple(claims()), refuse=lambda one: named_claims([one], claims()))
    if name == "versions":
        known = tuple(dict.fromkeys(chain.from_iterable(claim.versions for claim in claims().values())))
        option = arguments(measure_claims)[name].option
        return replace(option, choices=lambda: known, refuse=lambda one: check("set of versions", one, known))
    declared = arguments(run).get(ALIASES.get(name, name))
    if name == "endpoints" and declared is not None:
        ways = [(one.name, way) for one in frameworks().values() for way in one.ways if way not in ("default", FLOOR)]
        known = (*frameworks(), *(f"{framework}[{way}]" for framework, way in ways))
        option = replace(declared.option, choices=lambda: known)
        return replace(option, refuse=lambda one: None if is_own_app(one) else endpoint_cases([one]))
    return Option("") if declared is None else declared.option


def is_number(value: object) -> bool:
    """Tell if a value is a number; a truth is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_held(name: str, value: object) -> bool:
    """Tell if a control holds a value itself: a text, a number, a truth, several texts or numbers, or nothing."""
    if name != "payload" and isinstance(value, list | tuple):
        return all(isinstance(one, str) for one in value) or all(map(is_number, value))
    return value is None or isinstance(value, str) or (name != "payload" and isinstance(value, int | float))


def usable(name: str, value: Any) -> Any:
    """Return the value of a parameter, as the option of its name takes it: a range or an array of numbers as a list.

    Raises:
        PlanError: the option takes none such.
    """
    value = list(value) if isinstance(value, range) and name != "payload" else value
    declared = arguments(run).get(ALIASES.get(name, name))
    if declared is None or (is_held(name, value) and not declared.option.choices and not declared.option.refuse):
        return value
    return value if value is None or isinstance(value, str) else as_declared(name, value, declared)


def text_of(name: str, value: Any) -> str:
    """Return what a control shows of a value that it does not hold: a function gets it as it is, until the control is moved.

    Raises:
        PlanError: the control has names to choose from.
    """
    if isinstance(value, os.PathLike):
        return str(value)
    if name == "payload":
        return "data of the notebook"
    option = option_of(name)
    if option.choices or option.refuse:
        raise PlanError(f"{name} takes names here, not {brief(value)}; pass it to serbench.run in the function")
    each = value if isinstance(value, list | tuple) else [value]
    return ", ".join(one.__name__ if isinstance(one, type) else brief(one) for one in each)


class Line:
    """Parameters where nobody can move a control: as a line of text.

    Attributes:
        value: name → value of each parameter.
        result: what the function has returned; None if there is none.
    """

    def __init__(self, value: Mapping[str, Any], notes: Sequence[str] = ()) -> None:
        self.value, self._notes = dict(value), notes
        self.result: Any = None

    def __str__(self) -> str:
        each = (f"{name} = {repr(one) if is_held(name, one) else brief(one)}" for name, one in self.value.items())
        return "\n".join([", ".join(each), *self._notes])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The line."""
        return {"text/plain": str(self)}


def controls(*names: str, **choices: Sequence[Any]) -> Any:
    """Return controls of parameters of `serbench.run`, with Run and its result beneath: a widget of ipywidgets.

    A control begins with the notebook's variable of its name, which it sets when it is moved; then what is stored of
    these values is shown. Where nobody can move a control, as with papermill, it is a line of text.

    Args:
        names: The options to show, such as `records`; by default the data, cases and effort.
        choices: For an option, what its slider or list offers, such as `records=[1, 100, 10_000]`.

    Raises:
        PlanError: no option has such a name.
    """
    namespace = vars(sys.modules["__main__"])
    for name in (*names, *choices):
        check("option of serbench.run", name, [*arguments(run), *ALIASES])
    _check_choices(choices)
    wanted = dict.fromkeys([*names, *choices] or USUAL)
    values = {name: usable(name, namespace.get(name, USUAL.get(name))) for name in wanted}

    def measured(**asked: Any) -> Any:
        own = {name for name in ("payload", "model") if asked.get(name) is not None}
        used = {
            ALIASES.get(name, name): one for name, one in asked.items() if not (own and name in ("workload", "depth"))
        }
        return run(**{name: one for name, one in used.items() if one is not None})

    notes = _missing(values, namespace)
    return _made(measured, values, choices, namespace, notes) if is_attended() else Line(values, notes)


def interact(
    function: Callable[..., Any] | None = None, /, *, show: Callable[[Any], Any] | None = None, **choices: Any
) -> Any:
    """Show a function's result beneath controls of its parameters, as it is while it is measured.

    A parameter begins with its default or, if it has none, with the notebook's variable of its name; a class or data is
    passed on as it is, until another is named. What a function
    returns of runs that are stored is shown at once; Run measures. Where nobody can move a control, as with papermill,
    the function is called once.

    Args:
        function: What returns a run, a table, a figure, or anything else that a notebook shows.
        show: What to show of its result, such as `lambda run: run.figure("encode")`; the result itself by default.
        choices: For a parameter, what its slider or list offers, such as `depth=[1, 2, 3]`.

    Returns:
        The widget, with the function's `result` and the `value` of each parameter.

    Raises:
        PlanError: no parameter has such a name, or one has no value, or one that its option does not take.
    """
    if show is not None and not callable(show):
        raise PlanError(f"show takes a function, not {brief(show)}")
    if function is None:
        return lambda function: interact(function, show=show, **choices)
    if not hasattr(function, "__globals__"):
        raise PlanError(f"interact takes a function, not {brief(function)}")
    namespace, values = function.__globals__, {}
    parameters = inspect.signature(function).parameters
    for name in choices:
        check("parameter", name, parameters)
    _check_choices(choices)
    for name, parameter in parameters.items():
        values[name] = parameter.default if parameter.default is not parameter.empty else namespace.get(name)
        if values[name] is None and name not in namespace and parameter.default is parameter.empty:
            if name not in choices:
                raise PlanError(f"{name} has no value; give it a default, or choices: interact({name}=[…])")
            values[name] = choices[name][0]
        values[name] = usable(name, values[name])
    notes = [*_missing(values, namespace), *_unused(parameters, namespace)]
    if is_attended():
        panel = _made(function, values, choices, namespace, notes, show)
        _display(panel)
        return panel
    line = Line(values, notes)
    _display(line)
    line.result = function(**values)
    _display(line.result if show is None else show(line.result))
    return line


def _check_choices(choices: Mapping[str, object]) -> None:
    for name, offered in choices.items():
        if not isinstance(offered, Sequence) or isinstance(offered, str | bytes) or not offered:
            raise PlanError(f"{name} takes what its control offers, such as [1, 100], not {brief(offered)}")
        if not all(isinstance(one, Hashable) for one in offered):
            raise PlanError(f"{name} offers texts, numbers or classes, not {brief(offered)}")


def is_attended() -> bool:
    """Tell if somebody can move a control: a kernel that may ask for input has a front end, as has a page of Voila."""
    kernel = _kernel()
    if kernel is None or find_spec("ipywidgets") is None:
        return False
    is_page = os.environ.get("SERVER_SOFTWARE", "").startswith("voila")
    return is_page or bool(kernel.get_parent().get("content", {}).get("allow_stdin"))


def is_headless() -> bool:
    """Tell if a notebook is run where nobody can move a control, as by papermill."""
    return _kernel() is not None and not is_attended()


def _kernel() -> Any:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None)


def _made(
    function: Callable[..., Any],
    values: Mapping[str, Any],
    choices: Mapping[str, Sequence[Any]],
    namespace: MutableMapping[str, Any],
    notes: Sequence[str],
    show: Callable[[Any], Any] | None = None,
) -> Any:
    from serbench.api.notebook.panel import Panel  # imports ipywidgets

    return Panel(function, values, choices, namespace, show, notes)


def _missing(values: Mapping[str, Any], namespace: Mapping[str, Any]) -> list[str]:
    """Say what is not installed: distributions of the chosen formats, and what writes Parquet."""
    here, notes = main_environment(), []
    chosen = chosen_codecs(several(values["formats"])) if "formats" in values else ()
    distributions = (codec.distribution for codec in chosen if codec.distribution)
    if lacking := [name for name in dict.fromkeys(distributions) if here.installed(name) is None]:
        names = ", ".join(map(str, lacking))
        notes.append(f"{names}: not installed, so rows say so instead of times; {installed_by('formats')}")
    if "output" in namespace and here.installed("pyarrow") is None:
        notes.append(f"pyarrow: not installed, so tables are not written as Parquet; {installed_by('report')}")
    return notes


def _unused(parameters: Mapping[str, inspect.Parameter], namespace: Mapping[str, Any]) -> list[str]:
    """Say which variables of the notebook, such as those that papermill sets, a default of the function hides."""
    hidden = {
        name: one.default for name, one in parameters.items() if one.default is not one.empty and name in namespace
    }
    return [
        f"{name} begins with the function's default; leave that out to use the notebook's {name} = {brief(namespace[name])}"
        for name, default in hidden.items()
        if brief(namespace[name]) != brief(default)
    ]


def _display(shown: Any) -> None:
    if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
        from IPython.display import display

        display(shown)  # type: ignore[no-untyped-call]
    elif not hasattr(shown, "to_plotly_json"):  # a figure is written to a file, by whoever wants it
        print(shown)
