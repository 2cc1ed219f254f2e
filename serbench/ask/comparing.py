"""The public function compare, of runs or functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Unpack, overload

from serbench.ask import choices
from serbench.ask.calling import public, several
from serbench.ask.choices import Comparable
from serbench.ask.running import load
from serbench.ask.timings import Timings, labelled, time_functions, time_pairs
from serbench.display.comparison import Comparison, compare_runs
from serbench.errors import PlanError, check
from serbench.keep.opening import store_option
from serbench.keep.recorder import RunListener
from serbench.measure.plan import EFFORTS
from serbench.render.user_class.find import function_located


@overload
def compare(
    *compared: Callable[..., Any] | tuple[choices.Function, choices.Function] | Mapping[str, Comparable],
    **options: Unpack[choices.Comparing],
) -> Timings: ...


@overload
def compare(
    *compared: str,
    **options: Unpack[choices.Comparing],
) -> Comparison | Timings: ...


@public
def compare(
    *compared: choices.Compared,
    **options: Unpack[choices.Comparing],
) -> Comparison | Timings:
    """Compare functions, pairs of an encoder and its decoder, or find which common cases of two stored runs are proven faster or slower.

    The functions' answers are compared first: they are timed if these are equal, or JSON of the same value; of pairs those of
    decoding what was encoded. A function of a notebook or a script runs in fresh processes with what it uses of it.

    Raises:
        PlanError: there is nothing to compare, or answers differ.
        StoreError: a name means no run, or several.
    """
    singles, by_label = _sorted(compared)
    labels = {**labelled(singles), **by_label}
    runs = [label for label in labels.values() if isinstance(label, str) and function_located(label) is None]
    if runs and len(runs) == len(labels) and not by_label:
        return _compare_runs(runs, options["store"])
    if runs and not by_label:
        raise PlanError(f"{runs[0]} is a run and no function; name a function as file.py:function")
    if not labels:
        raise PlanError("nothing to compare; name two runs, or functions as file.py:function")
    check("effort", options["effort"], EFFORTS)
    if len(under := several(options["conditions"])) != 1:
        raise PlanError(f"functions are compared under one of the conditions, not {len(under)}; call compare for each")
    requirements = options["requirements"]
    environments = [requirements] if isinstance(requirements, str) else list(requirements)
    terms: dict[str, Any] = {
        **{name: options[name] for name in ("unequal", "setup", "effort")},
        "conditions": under[0],
        "pythons": several(options["python"]),
        "tell": (options["listener"] or RunListener()).progress,
    }
    pairs = {label: one for label, one in labels.items() if isinstance(one, tuple)}
    if not pairs:
        return time_functions(labels, environments, **terms)
    if len(pairs) < len(labels):
        raise PlanError("a pair is compared with pairs; name each as file.py:encode,file.py:decode")
    unnamed = [one for label, one in pairs.items() if label not in by_label]
    names = [[*labelled(one[side] for one in unnamed), *by_label] for side in (0, 1)]
    encoders, decoders = (dict(zip(some, pairs.values(), strict=True)) for some in names)
    return time_pairs(encoders, decoders, environments, **terms)


def _sorted(
    compared: Iterable[Comparable | Mapping[str, Comparable]],
) -> tuple[list[Comparable], dict[str, Comparable]]:
    """What has no label, and what has one; a text with a comma is a pair of functions, or names of runs."""
    singles: list[Comparable] = []
    by_label: dict[str, Comparable] = {}
    for one in compared:
        if isinstance(one, Mapping):
            by_label |= {label: _pair(value) for label, value in one.items()}
        else:
            pair = _pair(one)
            singles += several(pair) if isinstance(pair, str) and function_located(pair) is None else [pair]
    return singles, by_label


def _pair(comparable: Comparable) -> Comparable:
    """A pair if a text is one, or else what it is."""
    parts = several(comparable) if isinstance(comparable, str) else ()
    is_pair = len(parts) == 2 and all(function_located(part) is not None for part in parts)
    return (parts[0], parts[1]) if is_pair else comparable


def _compare_runs(runs: list[str], store: choices.Store) -> Comparison:
    if len(runs) > 2:
        raise PlanError(f"two runs can be compared, not {len(runs)}")
    first, second = (load(name, store=store) for name in (*runs, "latest")[:2])
    if first.id == second.id:
        raise PlanError(f"run {first.id} cannot be compared with itself; `serbench show runs` lists the others")
    return compare_runs(first, second, store_option(first.path))
