"""The public function explain: what each part of a service's conditions costs a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any, Unpack

from serbench.ask import choices
from serbench.ask.calling import case_blocks, one_model, plan_of, public
from serbench.display import words
from serbench.display.closing import Closing
from serbench.display.next_command import data_options
from serbench.display.table import Side, Table, Tables
from serbench.display.values import Displayed
from serbench.judge.relation import is_proven
from serbench.judge.rows import Row
from serbench.judge.rows import rows as rows_of
from serbench.keep.recorder import RunListener
from serbench.measure.conditions import KEPT, Conditions
from serbench.measure.ladder import ladder
from serbench.measure.plan import Block, Plan
from serbench.results import grouped

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
        chosen: the case and the data as `serbench explain` takes them.
    """

    title: str
    rows: Sequence[Row]
    chosen: str

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
        only = "" if "decode" in boards else f" -o {next(iter(boards))}"
        following = f"serbench explain {self.chosen} --profile{only}"
        return Closing(use, "; ".join(gains), next=following, tone="good" if proven else "open")

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
    plan = plan_of(
        {
            "libraries": [library],
            "formats": [codec],
            "workload": workload,
            "model": one_model(model, "explain"),
            "python": python,
            "operations": operations,
            "gc": gc,
            "effort": effort,
            "precision": precision,
            **options,
        }
    )
    listener = listener or RunListener()
    rows = [row for block in case_blocks(plan, codec, listener) for row in _measured(plan, block, listener)]
    points = dict.fromkeys(words.data_words(row.point) for row in rows)
    chosen = f"{quote(library)} {quote(codec)}{data_options(plan.as_data())}"
    chosen += f" --python {quote(python)}" if python else ""
    return Explanation(f"{words.case_name(rows[0])}, {' and '.join(points)}", rows, chosen)


def _measured(plan: Plan, block: Block, listener: RunListener) -> list[Row]:
    """The rows of a block's one case under all conditions."""
    (case,) = block.cases
    measured = ladder(plan, block, [Conditions.parse(name) for name in STEPS], listener)
    points = {cell.id: cell.point for cell in measured.cells}
    together = [replace(cell, **vars(block.point), variant=cell.conditions) for cell in measured.cells]  # one board
    rows = [replace(row, **vars(points[row.id]), variant=case.variant) for row in rows_of(together, measured.samples)]
    return sorted(rows, key=lambda row: (plan.operations.index(row.operation), list(STEPS).index(row.conditions)))
