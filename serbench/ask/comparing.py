"""The public functions compare, of runs or functions, and explain, of a service's conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack, overload

from serbench.ask import choices
from serbench.ask.calling import case_blocks, one_model, plan_of, public, several
from serbench.ask.choices import Comparable
from serbench.ask.running import load
from serbench.ask.timings import Timings, labelled, time_functions, time_pairs
from serbench.display import words
from serbench.display.closing import Closing
from serbench.display.comparison import Comparison, compare_runs
from serbench.display.table import Side, Table, Tables
from serbench.display.values import Displayed
from serbench.errors import PlanError, check
from serbench.judge.compare import is_proven
from serbench.judge.rows import Row
from serbench.judge.rows import rows as rows_of
from serbench.keep.opening import store_option
from serbench.keep.recorder import RunListener
from serbench.measure.plan import EFFORTS, Block, Plan
from serbench.measure.stream import KEPT, Conditions
from serbench.measure.verifying import ladder
from serbench.render.user_class.find import function_located
from serbench.results import grouped


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


STEPS = {
    "hot": "one document again and again",
    "documents": "another document in each call",
    "documents+fresh": "and its argument has just been made",
    "varied": f"and the last {KEPT} results are in use",
}
HEADINGS: dict[str, Side] = {
    "conditions": "left",
    "what calls meet": "left",
    "time": "right",
    "over hot": "right",
    "interval": "right",
    "this step": "right",
}
FIGURES = ("time_ns", "time_ns_low", "time_ns_high", "ratio", "ratio_low", "ratio_high", "waves", "samples")


@dataclass(frozen=True)
class Explanation(Displayed):
    """The times of one case under conditions that grow from `hot` to `varied`; it displays itself.

    Attributes:
        title: the case and the data.
        rows: a row per operation and conditions; `ratio` is its time over that of `hot`, paired within waves.
    """

    title: str
    rows: Sequence[Row]

    def to_data(self) -> dict[str, Any]:
        """The object that `serbench explain --json` prints."""
        keys = ("operation", "conditions", "status", "reason", *FIGURES)
        return {"title": self.title, "rows": [{key: getattr(row, key) for key in keys} for row in self.rows]}

    def table(self) -> Tables:
        """A table for each operation, from the least conditions to the most."""
        tables = []
        for operation, rows in grouped(self.rows, lambda row: row.operation).items():
            lines = [self._line(row, before) for row, before in zip(rows, [None, *rows], strict=False)]
            table = Table.of_lines(HEADINGS, lines)
            what = "" if rows[-1].ratio is None else f": {_service_words(rows[-1])}"
            tables.append(replace(table, title=f"{operation}{what}", sections=[("", len(lines))]))
        return Tables(tables, [self.title, "each ratio has a 95 % interval over waves of fresh processes"])

    def closing(self) -> Closing:
        """The last lines in a terminal: under which conditions to measure, and what a service pays."""
        boards = grouped((row for row in self.rows if row.measured), lambda row: row.operation)
        ends = {operation: rows[-1] for operation, rows in boards.items()}
        if not ends:
            return Closing("nothing could be measured", tone="open")
        proven = [row for row in ends.values() if is_proven(row.ratio, row.ratio_low, row.ratio_high)]
        least, most = ("hot", "varied") if not proven else ("varied", "varied")
        use = f"conditions {most}, as a service meets them" if proven else f"{least} or {most} conditions: they agree"
        gains = [f"{operation}: {_service_words(row)}" for operation, row in ends.items()]
        return Closing(use, "; ".join(gains), tone="good" if proven else "open")

    def _line(self, row: Row, before: Row | None) -> tuple[str, ...]:
        what = STEPS.get(row.conditions, "")
        if row.time_ns is None:
            return (row.conditions, what, row.status, row.reason or "", "", "")
        time = words.with_unit(row.time_ns)
        if before is None or before.ratio is None or row.ratio is None:
            return (row.conditions, what, time, "1", "", "")
        interval = f"{row.ratio_low or 0:.3g} to {row.ratio_high or 0:.3g}"
        return (row.conditions, what, time, f"{row.ratio:.3g}", interval, f"× {row.ratio / before.ratio:.3g}")


def _service_words(row: Row) -> str:
    """What a service pays over one repeated document, if there is a proven difference."""
    if not is_proven(row.ratio, row.ratio_low, row.ratio_high):
        return "no proven difference between a service and one repeated document"
    more = words.difference_words(row.ratio, row.ratio_low, row.ratio_high)
    return f"a service is {more} than one repeated document shows"


@public
def explain(
    library: choices.LibraryName,
    codec: choices.CodecName,
    workload: choices.OneWorkload = "client",
    *,
    model: choices.Model = None,
    python: choices.OnePython = None,
    operations: choices.Names = ("encode", "decode"),
    gc: str = "on",
    effort: str = "normal",
    precision: float | None = None,
    listener: choices.Listener = None,
    **options: Unpack[choices.OneDocument],
) -> Explanation:
    """Show what one repeated document hides: the time of a case as conditions grow from `hot` to `varied`.

    A format means the codec that the library's authors recommend for it. With `model`, the library may be "yours", which is
    your class, or "yours via cattrs"; a class that reads another document than it writes is measured with both.

    Raises:
        PlanError, WorkloadError: one line that says what to do instead.
    """
    arguments = {**locals(), **options}
    plan = plan_of(
        {
            **arguments,
            "libraries": [library],
            "formats": [codec],
            "model": one_model(model, "explain"),
        }
    )
    listener = listener or RunListener()
    rows = [row for block in case_blocks(plan, codec, listener) for row in _measured(plan, block, listener)]
    points = dict.fromkeys(words.data_words(row.point) for row in rows)
    return Explanation(f"{words.case_name(rows[0])}, {' and '.join(points)}", rows)


def _measured(plan: Plan, block: Block, listener: RunListener) -> list[Row]:
    """The rows of a block's one case under all conditions."""
    (case,) = block.cases
    measured = ladder(plan, block, [Conditions.parse(name) for name in STEPS], listener)
    points = {cell.id: cell.point for cell in measured.cells}
    together = [replace(cell, **vars(block.point), variant=cell.conditions) for cell in measured.cells]  # one board
    rows = [replace(row, **vars(points[row.id]), variant=case.variant) for row in rows_of(together, measured.samples)]
    return sorted(rows, key=lambda row: (plan.operations.index(row.operation), list(STEPS).index(row.conditions)))
