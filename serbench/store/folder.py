"""Stored runs as values and as published files, and the checks of files that others wrote."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_type_hints

from serbench.errors import WrongDataError, checked, visible
from serbench.judge.rows import COLUMNS, Row
from serbench.judge.waves import SAMPLE
from serbench.machine.files import schema
from serbench.measure.plan import Plan
from serbench.results import CALL, CELL_COLUMNS, OPERATIONS, Cell, MeasuredRun, Origin, Sample

if TYPE_CHECKING:
    from serbench.machine.files import Content


FACTS = "run.json"
PATHS = ("payload", "schema", "model")
"""Parts of a plan that are paths on one machine; only the file's name is published."""
RunStatus = Literal["running", "finished", "interrupted"]


@dataclass(frozen=True)
class RunInfo(Origin):
    """A run without its measurements.

    Attributes:
        finished: ISO 8601 in UTC.
        status: stays "running" if the process was killed.
        serbench: the version that measured it.
        seconds: how long it took in all.
        cells: the number of cells.
        waves: the number of waves with samples.
        machines: name → facts of each machine, if blocks were measured elsewhere.
        by_budget: whether its budget ended the last part of it; None if an earlier version stored it.
    """

    finished: str | None
    status: RunStatus
    plan: Any
    serbench: str
    warnings: list[str]
    seconds: float | None
    cells: int
    waves: int
    machines: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    by_budget: bool | None = None

    @property
    def used_up(self) -> bool:
        """True if its budget ended it, or is likely to have done so."""
        budget = self.plan.get("budget_s")
        likely = budget is not None and (self.seconds or 0) >= budget
        return self.status == "interrupted" and (likely if self.by_budget is None else self.by_budget)


@dataclass(frozen=True)
class StoredRun(MeasuredRun):
    """A run with the measured modules by the sha256 of their text."""

    info: RunInfo
    sources: Mapping[str, str] = field(default_factory=dict)


def as_files(run: StoredRun) -> dict[str, Content]:
    """File name → content of a published run: a text, and Arrow tables.

    Raises:
        ImportError: pyarrow is not installed.
    """
    import numpy as np
    import pyarrow as pa

    facts, samples = asdict(run.info), np.asarray(run.samples, SAMPLE)
    facts["plan"] = {key: Path(value).name if value and key in PATHS else value for key, value in run.info.plan.items()}
    return {
        FACTS: json.dumps(facts, indent=1, ensure_ascii=False) + "\n",
        "cells.parquet": pa.Table.from_pylist(
            [{name: getattr(cell, name) for name in CELL_COLUMNS} for cell in run.cells],
            schema(Cell, columns=CELL_COLUMNS),
        ),
        "samples.parquet": pa.table({name: samples[name] for name in Sample._fields}),
        "sources.parquet": pa.table({"sha256": list(run.sources), "text": list(run.sources.values())}),
    }


class RunLine(TypedDict):
    """What a list shows of a run."""

    run: str
    date: str
    status: RunStatus
    cells: int
    waves: int
    command: str


COUNTS = frozenset({"cores", "usable_cores", "memory_bytes"})
ID = re.compile(r"\w[\w.-]*")


def shown(value: Any) -> Any:
    """The data with each text in one line, without control characters; it is only displayed."""
    if isinstance(value, str):
        return visible(" ".join(value.splitlines()))
    if isinstance(value, Mapping):
        return {shown(name): shown(inner) for name, inner in value.items()}
    return list(map(shown, value)) if isinstance(value, list) else value


def checked_run(facts: Mapping[str, Any], what: str = "run") -> RunInfo:
    """The facts of a run.

    Raises:
        WrongDataError: as `checked` does; also for a plan, a date or an id that cannot be.
    """
    if not isinstance(facts, Mapping):
        raise WrongDataError(f"{what}: not a JSON object")
    facts = shown({name: value for name, value in facts.items() if name != "plan"}) | {"plan": facts.get("plan")}
    info = checked(RunInfo, facts, what)
    if not ID.fullmatch(info.id):
        raise WrongDataError(f"{what}: id {info.id!r} is not a run id")
    what = f"run {info.id}"
    check_plan(info.plan, f"{what}: plan")
    for name in ("started", "finished"):
        moment = getattr(info, name)
        try:
            if moment is not None:
                datetime.fromisoformat(moment)
        except ValueError:
            raise WrongDataError(f"{what}: {name} {moment!r} is not a date") from None
    check_facts(info.machine, f"{what}: machine")
    check_facts(info.versions, f"{what}: versions")
    for name, known in info.machines.items():
        check_facts(known, f"{what}: machines.{name}")
    return info


def check_facts(known: Mapping[str, Any], what: str) -> None:
    """Refuse facts of a machine, or versions, that are neither texts nor numbers.

    Raises:
        WrongDataError: names the fact.
    """
    for key, value in known.items():
        if isinstance(value, dict | list | float) and not (isinstance(value, float) and math.isfinite(value)):
            raise WrongDataError(f"{what}: {key} is neither a text nor a number")
        if key in COUNTS and not isinstance(value, int):
            raise WrongDataError(f"{what}: {key} is not a whole number")


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
    cell = checked(Cell, shown(row), f"{what} {row.get('id')}")
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


def checked_sheet(data: Any, rows: Callable[[Any], Iterable[Row]], what: str) -> tuple[Origin, list[Row]]:
    """Published rows and where they come from; `rows` reads the rows of the data.

    Raises:
        WrongDataError: as `checked` does; also for rows of another form.
    """
    origin = checked(
        Origin, {**checked(dict[str, Any], data, what), "id": data.get("run"), "started": data.get("date")}, what
    )
    check_facts(origin.machine, f"{what}: machine")
    check_facts(origin.versions, f"{what}: versions")
    try:
        known = list(rows(data))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise WrongDataError(f"{what}: rows: {error}") from None
    for number, row in enumerate(known):
        facts = {name: getattr(row, name) for name in COLUMNS}
        checked(Row, {**facts, "id": number}, f"{what}: row {number}")
    return origin, known
