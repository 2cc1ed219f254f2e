"""The public function that compares: two stored runs, or functions of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, overload

from serbench.ask import choices, further_choices
from serbench.ask.calling import public, several
from serbench.display.comparison import Comparison, compare_runs
from serbench.errors import PlanError, check
from serbench.keep.opening import store_option
from serbench.keep.store import Store
from serbench.keep.timings import Timings, labelled, time_functions
from serbench.measure.plan import EFFORTS
from serbench.render.user_class.find import function_located


@overload
def compare(
    *compared: Callable[..., Any] | Mapping[str, str | Callable[..., Any]],
    setup: further_choices.Setup = None,
    requirements: further_choices.With = (),
    conditions: choices.Conditions = "varied",
    unequal: bool = False,
    effort: str = "normal",
    store: choices.Store = None,
    listener: choices.Listener = None,
) -> Timings: ...


@overload
def compare(
    *compared: str,
    setup: further_choices.Setup = None,
    requirements: further_choices.With = (),
    conditions: choices.Conditions = "varied",
    unequal: bool = False,
    effort: str = "normal",
    store: choices.Store = None,
    listener: choices.Listener = None,
) -> Comparison | Timings: ...


@public
def compare(
    *compared: further_choices.Compared,
    setup: further_choices.Setup = None,
    requirements: further_choices.With = (),
    conditions: choices.Conditions = "varied",
    unequal: further_choices.Unequal = False,
    effort: choices.Effort = "normal",
    store: choices.Store = None,
    listener: choices.Listener = None,
) -> Comparison | Timings:
    """Compare functions, or find which common cases of two stored runs are proven faster or slower.

    The functions' answers are compared first: they are timed if these are equal, or JSON of the same value. A function of a
    notebook or a script runs in fresh processes with what it uses of it.

    Raises:
        PlanError: there is nothing to compare, or answers differ.
        StoreError: a name means no run, or several.
    """
    labels: dict[str, str | Callable[..., Any]] = {}
    for one in compared:
        labels |= one if isinstance(one, Mapping) else {}
    labels = {**labelled([one for one in compared if not isinstance(one, Mapping)]), **labels}
    runs = [one for one in labels.values() if isinstance(one, str) and function_located(one) is None]
    if runs and len(runs) == len(labels) == len(compared):
        return _compare_runs(runs, store)
    if runs and not any(isinstance(one, Mapping) for one in compared):
        raise PlanError(f"{runs[0]} is a run and no function; name a function as file.py:function")
    if not labels:
        raise PlanError("nothing to compare; name two runs, or functions as file.py:function")
    check("effort", effort, EFFORTS)
    if len(under := several(conditions)) != 1:
        raise PlanError(f"functions are compared under one of the conditions, not {len(under)}; call compare for each")
    environments = [requirements] if isinstance(requirements, str) else list(requirements)
    tell = (lambda _: None) if listener is None else listener.progress
    return time_functions(
        labels, environments, setup=setup, conditions=under[0], unequal=unequal, effort=effort, tell=tell
    )


def _compare_runs(runs: list[str], store: choices.Store) -> Comparison:
    if len(runs) > 2:
        raise PlanError(f"two runs can be compared, not {len(runs)}")
    with Store(store, read_only=True) as opened:
        first, second = (opened.load(name) for name in (*runs, "latest")[:2])
        if first.id == second.id:
            raise PlanError(f"run {first.id} cannot be compared with itself; `serbench show runs` lists the others")
        return compare_runs(first, second, store_option(opened.path))
