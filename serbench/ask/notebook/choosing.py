"""Chooses what the explorer shows: the run, the nearest stored point, and the rows of the chosen cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from serbench.ask.notebook.settings import Settings
from serbench.judge.field import Field, field
from serbench.judge.interpolation import distance
from serbench.judge.outcomes import Behaviour
from serbench.judge.rows import Row, case_of, merged, reranked
from serbench.judge.work_class import WorkClass
from serbench.keep.archive import Archive, Sheet

BYTE_STEPS = frozenset({"dumps", "loads"})
"""A run that timed these has timed the other steps too."""


def chosen_rows(settings: Settings, sheet: Sheet) -> list[Row]:
    """Return the sheet's rows of the chosen point, operation and cases, ranked among themselves."""
    here = at_point(settings)
    among = [row for row in sheet.rows if here(row) and row.operation == settings.operation]
    able = case_filter(settings, sheet)
    return merged(reranked([row for row in among if able(row)], among))


def of_data(settings: Settings, sheet: Sheet) -> Sheet | None:
    """The sheet with its rows of the chosen data alone; None if it has none, or another collector's policy."""
    return sheet.of_data.get((settings.data_name, settings.seed)) if sheet.gc == settings.gc else None


def at_point(settings: Settings) -> Callable[[Row], bool]:
    """Return a test for rows of the chosen data."""
    point = _data_point(settings)
    return lambda row: (row.workload, row.conditions, row.records, row.depth) == point


def _data_point(settings: Settings) -> tuple[str, str, int, int]:
    return (settings.data_name, settings.conditions, settings.records, settings.depth)


def case_filter(settings: Settings, sheet: Sheet) -> Callable[[Row], bool]:
    """Return a test for rows of the chosen cases: by library, format or codec, and work class."""

    def able(row: Row) -> bool:
        work_class = sheet.decoding[id(row)]
        return (
            is_selected(row, settings.libraries, settings.formats)
            and not (settings.objects and work_class and not work_class.startswith("objects"))
            and not (settings.validating and WorkClass.parse(work_class).checks == "unchecked")
        )

    return able


def is_selected(row: Row | Behaviour, libraries: Sequence[str], formats: Sequence[str]) -> bool:
    """Whether a row is of one of the libraries and of one of the formats or codecs; an empty list is all.

    A library may have a version and a variant: "msgspec[gc=False]", "pydantic@2.5", "pydantic@*[strict]".
    """
    codecs = {row.format, row.codec, f"{row.codec}/{row.format}"}
    return (not libraries or any(_names(name, row) for name in libraries)) and (
        not formats or bool(codecs & set(formats))
    )


def _names(text: str, row: Row | Behaviour) -> bool:
    """Whether the text names the row's library: "name", "name@version", either with "[variant]"; "2.5" is any 2.5.x."""
    named, bracket, variant = text.partition("[")
    library, at, version = named.partition("@")
    versions = ("*", row.environment, row.version) if at else ("",)
    return (
        library == row.library
        and (version in versions or (bool(at) and f"{row.version}.".startswith(f"{version}.")))
        and (not bracket or variant.removesuffix("]") in ("*", row.variant))
    )


def nearest(settings: Settings, archive: Archive) -> tuple[Settings, Sheet | None]:
    """The choice at the stored point that is nearest to it, and the run to show there; of phases, one with steps.

    All points are of one machine: with another machine's cases at some, the leader would change with the size.
    """
    for operations in (BYTE_STEPS, {settings.operation}) if settings.view == "phases" else ({settings.operation},):
        runs = timed(settings, archive, operations)
        points = {(row.records, row.depth) for _, rows in runs for row in rows}
        if points:
            records, depth = min(sorted(points), key=lambda point: distance(point, settings.records, settings.depth))
            here = [
                (sheet, [row for row in rows if (row.records, row.depth) == (records, depth)]) for sheet, rows in runs
            ]
            return replace(settings, records=records, depth=depth), _best(archive, here)
    return settings, None


def timed(settings: Settings, archive: Archive, operations: AbstractSet[str]) -> list[tuple[Sheet, list[Row]]]:
    """Each run of one machine, the newest first, with its rows of the chosen data, operations and cases.

    The machine is that of the run in progress, else the user's own that measured last, or of published ones
    that which measured most of these cases.
    """
    machines: dict[tuple[Any, ...], list[tuple[Sheet, list[Row]]]] = {}
    for sheet in archive.of(settings.user_data):
        part = of_data(settings, sheet)
        rows = [
            row
            for row in (part.rows if part else ())
            if row.measured
            and row.operation in operations
            and row.conditions == settings.conditions
            and is_selected(row, settings.libraries, settings.formats)
        ]
        if rows:
            machines.setdefault(_measured_by(sheet), []).append((sheet, rows))
    wished = [runs for runs in machines.values() if runs[0][0].published == settings.published]
    able = wished or list(machines.values())
    if not able or not able[0][0][0].published:
        return able[0] if able else []
    return max(able, key=lambda runs: len({case_of(row) for _, rows in runs for row in rows}))


def _best(archive: Archive, runs: Sequence[tuple[Sheet, list[Row]]]) -> Sheet:
    """The run in progress if it has such a row, else that with most cases; of equals the first."""
    now = next((sheet for sheet, rows in runs if rows and sheet is archive.running), None)
    return now or max(runs, key=lambda one: len({case_of(row) for row in one[1]}))[0]


def field_at(settings: Settings, archive: Archive, like: Sheet) -> Field:
    """All chosen cases at a point that `like` measured, on its machine.

    Of the run in progress only its own cases count: those of older ones would hide how far it is.
    """
    runs = list(_runs(settings, archive, like))[: 1 if like is archive.running else None]
    shown = chosen_rows(settings, like)
    return field([chosen for _, chosen in runs], settings.records, settings.depth, shown)


def _runs(settings: Settings, archive: Archive, like: Sheet) -> Iterator[tuple[Sheet, list[Row]]]:
    """Each run of the machine, `like` first."""
    data = (settings.data_name, settings.conditions, settings.seed, settings.operation)
    every = archive.of(settings.user_data)
    others = (sheet for sheet in every if sheet is not like and _measured_by(sheet) == _measured_by(like))
    for sheet in (like, *others):
        able = case_filter(settings, sheet)
        yield (
            sheet,
            [
                row
                for row in sheet.rows
                if (row.workload, row.conditions, row.seed, row.operation) == data and able(row)
            ],
        )


def _measured_by(sheet: Sheet) -> tuple[Any, ...]:
    machine = (sheet.info.machine.get(name) for name in ("cpu", "cores", "system", "python"))
    return (sheet.published, sheet.gc, *machine)
