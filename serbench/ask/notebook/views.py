"""Turns settings into what the explorer shows: figures, a table or code, with their origin; pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from serbench.ask import cases
from serbench.ask.notebook.background_run import point_text, run_arguments
from serbench.ask.notebook.choosing import (
    at_point,
    case_filter,
    chosen_rows,
    field_at,
    field_between,
    gathered,
    is_selected,
    nearest,
    sheet_at,
    stored_points,
)
from serbench.ask.notebook.settings import Settings
from serbench.ask.notebook.user_data import DataFacts, doubts_data, facts
from serbench.ask.present import present_case
from serbench.ask.verifying import probed
from serbench.display import words
from serbench.display.advice import against_lines
from serbench.display.beside_figure import beside_figure
from serbench.display.budget_figure import budget_figure
from serbench.display.field import field_text
from serbench.display.figures import Dots, ranking
from serbench.display.findings import findings as sentences
from serbench.display.grid import grid, present_text
from serbench.display.matrices import Matrix, matrix_figure, probed_on
from serbench.display.overall import overall_data
from serbench.display.phases import phases
from serbench.display.scaling import scaling
from serbench.display.style import ThemeName
from serbench.display.tradeoff import tradeoff
from serbench.errors import PlanError
from serbench.judge.field import Field
from serbench.judge.outcomes import Behaviour
from serbench.judge.packed import probe_names
from serbench.judge.probe_types import by_type
from serbench.judge.recommend import CaseKey, advise, key
from serbench.judge.relation import least_difference
from serbench.judge.rows import Row, differing_facts
from serbench.keep.archive import Archive, Sheet, UserData
from serbench.keep.run import Findings
from serbench.render.environments.environment import MAIN
from serbench.results import bracketed

Shown = dict[str, Any]
MATRICES: tuple[Matrix, ...] = ("fidelity", "strictness")


def show(settings: Settings, archive: Archive, theme: ThemeName = "light", *, narrow: bool = False) -> Shown:
    """Return the chosen view as JSON data.

    `kind` is "figure", "grid", "code" or "nothing", with the thing under that name; `origin` names the run
    and machine behind it, and `note` what to know about it; `stored` are the sizes and depths of the
    workload that can be shown without measuring; `missing` whether the chosen point is not among them. A `narrow` page
    has its panels in one column.
    """
    if not settings.user_data:
        archive.read_size_grid(settings.workload, settings.conditions)
    points = stored_points(settings, archive)
    at, sheet = nearest(settings, archive, points)
    missing = sheet is None or (at.records, at.depth) != (settings.records, settings.depth)
    shown: Shown = {
        "view": settings.view,
        "data": _data(settings, archive),
        "present": None if sheet is None else _present(at, sheet, archive),
        "stored": {"records": sorted({r for r, _ in points}), "depth": sorted({d for _, d in points})},
        "missing": missing,
        "beside": None,
        "probes": None,
        "failed": [],
        **_named([] if sheet is None else [sheet], archive),
    }
    shown["note"] = _note(settings, at, sheet, running=sheet is not None and sheet is archive.running)
    if settings.view == "code":
        return shown | _code(settings, at, sheet)
    if settings.view in MATRICES:
        return shown | _matrix(settings, archive, theme)
    if sheet is None:
        return shown | {"kind": "nothing"}
    if settings.view == "ranking" and missing and (gap := field_between(settings, archive)):
        return shown | _between(settings, *gap, shown["present"], archive, theme)
    rows = chosen_rows(at, sheet)
    several = differing_facts(rows)
    shown["failed"] = [_failure(row, several) for row in rows if not row.measured]
    sheets = [sheet]
    if settings.view == "scaling" or (settings.view == "table" and settings.every):
        pairs = gathered(at, archive, sheet)
        sheets = list({id(one): one for _, one in pairs}.values()) or sheets
        shown |= _named(sheets, archive)
        rows = [row for row, _ in pairs]
    if settings.view == "table":
        return shown | {"kind": "grid", "grid": _grid(settings, rows, present_key(settings, sheet))}
    if settings.view == "ranking" and not missing:
        shown |= _beside(at, archive, theme)
        if "figure" in shown:
            return shown
    if settings.view == "ranking":
        return shown | _ranking(at, archive, sheet, theme)
    return shown | {"kind": "figure", "figure": _figure(at, rows, sheets, theme, narrow=narrow)}


def findings(settings: Settings, archive: Archive) -> Findings:
    """Say in sentences what is shown."""
    at, sheet = nearest(settings, archive, stored_points(settings, archive))
    if sheet is None:
        return Findings({settings.data_name: [_note(settings, at, sheet, running=False)]})
    headline, _ = field_at(at, archive, sheet)
    return Findings(
        {f"{at.operation} {settings.data_name}": [field_text(headline)], **sentences(chosen_rows(at, sheet))}
    )


def _figure(
    settings: Settings, rows: list[Row], sheets: Sequence[Sheet], theme: ThemeName, *, narrow: bool
) -> dict[str, Any]:
    """The figure of rows of the first sheet, in the scaling view of all of them."""
    sheet, (info, *others) = sheets[0], [sheet.info for sheet in sheets]
    if settings.view == "scaling":
        at = {"records": settings.records, "depth": settings.depth}
        return scaling(rows, info, **at, others=others, narrow=narrow, theme=theme)
    if settings.view == "tradeoff":
        return tradeoff(rows, info, theme=theme)
    if settings.view == "budget":
        return budget_figure(
            rows, info, bandwidth_bits_per_s=settings.bandwidth * 1e6, cores=settings.cores, theme=theme
        )
    able = case_filter(settings, sheet)
    here = at_point(settings)
    return phases([row for row in sheet.rows if here(row) and able(row)], info, theme=theme)


def _ranking(at: Settings, archive: Archive, sheet: Sheet, theme: ThemeName) -> Shown:
    """The ranking of all that is known at a measured point."""
    field, sheets = field_at(at, archive, sheet)
    dots: Dots = "square" if sheet.published else "circle"
    today = present_row(at, sheet)
    figure = ranking(field.timed, sheet.info, control=sheet.control, theme=theme, present=today, dots=dots, field=field)
    return {"kind": "figure", "figure": figure, **_named(sheets, archive)}


def _between(
    settings: Settings, field: Field, sheets: Sequence[Sheet], present: Shown, archive: Archive, theme: ThemeName
) -> Shown:
    """The ranking of what lies between measured points."""
    note = (
        f"{point_text(settings)} is not measured yet: Run measures it. "
        "Bands are interpolated between the nearest sizes and depths that are measured."
    )
    least = least_difference(*(sheet.control for sheet in sheets))
    figure = ranking(field.timed, sheets[0].info, theme=theme, field=field, least=least)
    unproven = present | {"against": []}  # what is interpolated proves no gain
    return {"kind": "figure", "figure": figure, "note": note, "present": unproven, **_named(sheets, archive)}


def _beside(at: Settings, archive: Archive, theme: ThemeName) -> Shown:
    """Which of the user's own and the published run there are of a point, and both as one figure if that is chosen."""
    both = [sheet_at(at, archive, {at.operation}, published=published) for published in (False, True)]
    mine, published = both
    shown: Shown = {"beside": {"mine": mine is not None, "published": published is not None}}
    if at.beside and mine is None and published is not None:
        shown["note"] = "Nothing of this machine is stored here: Run measures it."
    if not at.beside or mine is None or published is None:
        return shown
    figure = beside_figure(chosen_rows(at, mine), mine.info, chosen_rows(at, published), published.info, theme=theme)
    return shown | {"kind": "figure", "figure": figure, **_named([mine, published], archive)}


def _named(sheets: Sequence[Sheet], archive: Archive) -> Shown:
    """Each run of a view with its machine, and whose they are: "yours", "published" or "both"."""
    whose = {"published" if sheet.published else "yours" for sheet in sheets}
    lines = [_origin(sheet, running=sheet is archive.running) for sheet in sheets]
    return {"origin": "\n".join(lines), "whose": "both" if len(whose) > 1 else "".join(whose)}


def _grid(settings: Settings, rows: Sequence[Row], present: CaseKey | None) -> dict[str, Any]:
    lines = grid(rows, contains=settings.contains, sort=settings.sort, descending=settings.descending, present=present)
    return lines | {"overall": overall_data(rows), "footnotes": words.footnotes(rows)}


def _code(settings: Settings, at: Settings, sheet: Sheet | None) -> Shown:
    rows = [] if sheet is None else sorted(chosen_rows(at, sheet), key=lambda row: row.time_ns or float("inf"))
    known = list(dict.fromkeys(case_text(row) for row in rows))
    case = settings.case if settings.case or not known else known[0]
    library, _, codec = case.partition(" ")
    try:
        shown = cases.show(library or "msgspec", codec or "json", **case_data(settings))
    except ValueError as error:
        return {"kind": "code", "code": {"cases": known, "case": case, "source": "", "reason": str(error)}}
    code = {"source": shown.source, "sha256": shown.source_sha256, "html": _lit(shown.source)}
    return {"kind": "code", "code": {"cases": known, "case": case, **code}}


def _matrix(settings: Settings, archive: Archive, theme: ThemeName) -> Shown:
    shown = [one for one in known_probes(archive) if is_selected(one, settings.libraries, settings.formats)]
    matrix = next(name for name in MATRICES if name == settings.view)
    if not any(getattr(one, matrix) for one in shown):
        note = "Nothing is known of these cases: `serbench verify --all` finds out what they keep and refuse."
        return {"kind": "nothing", "note": note, "missing": False, "origin": "", "whose": ""}
    types = by_type(probe_names(shown, matrix))
    probes = settings.probes if settings.probes in types else ""
    groups = {"chosen": probes, "types": [{"name": name, "count": len(names)} for name, names in types.items()]}
    figure = matrix_figure(shown, matrix, probes=probes, theme=theme)
    return {
        "kind": "figure",
        "figure": figure,
        "probes": groups,
        "note": "",
        "missing": False,
        "origin": probed_on(shown),
        "whose": "",
    }


def known_probes(archive: Archive) -> tuple[Behaviour, ...]:
    """What the store remembers of the probes, and what is published; read again only when the store has changed."""
    wal = archive.store.with_name(f"{archive.store.name}-wal")  # what is new stands there first
    parts = (archive.store, wal)
    return _remembered(archive.store, tuple(part.stat().st_mtime_ns if part.exists() else 0 for part in parts))


@lru_cache(1)
def _remembered(store: Path, _changed: tuple[int, ...]) -> tuple[Behaviour, ...]:
    return tuple(probed(store))


def case_text(row: Row) -> str:
    """A case as `serbench show` takes it: "msgspec[gc=False] orjson/json"."""
    return f"{row.library}{bracketed(row.variant)} {row.codec}/{row.format}"


@lru_cache(64)
def _lit(source: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return str(highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)))


def _origin(sheet: Sheet, *, running: bool) -> str:
    whose = "being measured now" if running else "published with serbench" if sheet.published else "your run"
    info = sheet.info
    parts = (f"{info.id} ({whose})", info.started, words.machine_line(info.machine))
    return " · ".join(part for part in (*parts, words.versions_line(info.versions)) if part)


def _note(settings: Settings, at: Settings, sheet: Sheet | None, *, running: bool) -> str:
    if settings.user_data and (reason := facts(settings.user_data).reason):
        return reason
    if sheet is None:
        return f"Nothing is stored of {settings.data_name}, {settings.operation}, for these settings: Run measures it."
    wanted, shown = ((c.records, c.depth) for c in (settings, at))
    if wanted != shown and settings.view != "code":
        return f"{point_text(settings)} is not measured yet: Run measures it. This is {point_text(at)}, the nearest that is stored."
    if settings.present and not running and present_row(at, sheet) is None:
        return f"{settings.present} is not measured with this data: Run measures it."
    return ""


def _data(settings: Settings, archive: Archive) -> dict[str, Any]:
    """The user's own data to choose from, what is known of the chosen one, and its models."""
    chosen = [settings.user_data] if settings.user_data else []
    choices = [*chosen, *(one for one in archive.user_data() if one not in chosen)]
    known = facts(settings.user_data) if chosen else DataFacts()
    return {
        "choices": [{"own": one, "name": settings.of(one).data_name, "about": _whole_name(one)} for one in choices],
        "chosen": settings.user_data,
        "about": known.about,
        "html": _lit(known.models) if known.models else "",
        "doubts": doubts_data(settings.user_data) if chosen else [],
    }


def _whole_name(user_data: UserData) -> str:
    texts = [value if isinstance(value, str) else ", ".join(value) for value in user_data.values() if value is not True]
    return ", ".join(texts)


def case_data(settings: Settings) -> dict[str, Any]:
    """Return the arguments of `serbench.show` and `adopt` that name the chosen data; own data at its own size as it is."""
    arguments = run_arguments(replace(settings, view="code"))
    one = {name: None if arguments[name] is None else arguments[name][0] for name in ("records", "depth")}
    return {**(settings.user_data or {"workload": settings.workload}), "seed": settings.seed, **one}


def present_key(settings: Settings, sheet: Sheet) -> CaseKey | None:
    """Return the case that is used today; None if none is chosen, or there is no such case."""
    try:
        return present_case(settings.present, sheet.rows) if settings.present else None
    except PlanError:
        return None


def present_row(settings: Settings, sheet: Sheet) -> Row | None:
    """Return the row of what is used today, at the chosen point and operation."""
    wanted, here = present_key(settings, sheet), at_point(settings)
    rows = (row for row in sheet.rows if row.measured and here(row) and row.operation == settings.operation)
    return next((row for row in rows if key(row) == wanted), None)


def _present(settings: Settings, sheet: Sheet, archive: Archive) -> dict[str, Any]:
    """The cases to choose from as what is used today, and what a change from the chosen one would bring and cost."""
    here, able, today = at_point(settings), case_filter(settings, sheet), present_key(settings, sheet)
    rows = [row for row in sheet.rows if row.measured and here(row) and row.environment == MAIN.name]
    names = sorted({present_text(row) for row in rows})
    chosen = next((present_text(row) for row in rows if key(row) == today), settings.present)
    against: list[dict[str, Any]] = []
    if today is not None:
        probes, least = known_probes(archive), least_difference(sheet.control)
        for advice in advise([row for row in rows if able(row) or key(row) == today], present=today, least=least):
            against += [
                {"lines": against_lines(one, probes), "case": case_text(one.other.decode)} for one in advice.against
            ]
    return {"cases": names, "chosen": chosen, "against": against}


def _failure(row: Row, several: Mapping[str, AbstractSet[str]]) -> dict[str, str]:
    case = words.case_name(row, several)
    return {"case": case, "status": row.status, "reason": " ".join((row.reason or "").split())}
