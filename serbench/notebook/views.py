"""Turns settings into what the explorer shows: figures, a table or code, with their origin; pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from serbench.analysis import Row, merged, reranked
from serbench.analysis.recommend import CaseKey, advise, key
from serbench.analysis.relation import row_key
from serbench.analysis.rows import case_of, decoding_classes, told_apart
from serbench.api import cases
from serbench.api.judging import present_case
from serbench.api.verifying import probed
from serbench.display import (
    Matrix,
    budget_figure,
    grid,
    matrix_figure,
    overall_data,
    phases,
    ranking,
    scaling,
    tradeoff,
    words,
)
from serbench.display.advice import against_lines
from serbench.display.findings import findings as sentences
from serbench.display.grid import present_text
from serbench.display.matrices import probed_on
from serbench.display.style import ThemeName
from serbench.environments import MAIN
from serbench.errors import PlanError
from serbench.notebook.own_data import DataFacts, facts
from serbench.notebook.running import plan_text, run_arguments
from serbench.notebook.settings import Settings
from serbench.recording.archive import Archive, OwnData, Sheet
from serbench.recording.run import Findings
from serbench.results import Behaviour, bracketed

Shown = dict[str, Any]
UNRELATED: dict[str, Any] = {"ratio": None, "ratio_low": None, "ratio_high": None, "rank": None, "reference": False}
BYTE_STEPS = frozenset({"dumps", "loads"})
"""A run that timed these has timed the other steps too."""
MATRICES: tuple[Matrix, ...] = ("fidelity", "strictness")


def show(settings: Settings, archive: Archive, theme: ThemeName = "light") -> Shown:
    """Return the chosen view as JSON data.

    `kind` is "figure", "grid", "code" or "nothing", with the thing under that name; `origin` names the run
    and machine behind it, and `note` what to know about it; `stored` are the sizes and depths of the
    workload that can be shown without measuring; `missing` whether the chosen point is not among them.
    """
    points = stored_points(settings, archive)
    at, sheet = _nearest(settings, archive, points)
    found: Shown = {
        "view": settings.view,
        "data": _data(settings, archive),
        "present": None,
        "stored": {"records": sorted({r for r, _ in points}), "depth": sorted({d for _, d in points})},
        "missing": sheet is None or (at.records, at.depth) != (settings.records, settings.depth),
        "origin": _origin(sheet, running=sheet is not None and sheet is archive.running),
        "failed": [],
    }
    found["note"] = _note(settings, at, sheet, running=sheet is not None and sheet is archive.running)
    if settings.view == "code":
        return found | _code(settings, at, sheet)
    if settings.view in MATRICES:
        return found | _matrix(settings, archive, theme)
    if sheet is None:
        return found | {"kind": "nothing"}
    found["present"] = _present(at, sheet, archive)
    rows = chosen_rows(at, sheet)
    several = told_apart(rows)
    found["failed"] = [_failure(row, several) for row in rows if not row.measured]
    if settings.view == "table":
        rows = every_point(at, archive, sheet)
        return found | {"kind": "grid", "grid": _grid(settings, rows, present_key(settings, sheet))}
    return found | {"kind": "figure", "figure": _figure(at, rows, sheet, archive, theme)}


def findings(settings: Settings, archive: Archive) -> Findings:
    """Say in sentences what is shown."""
    at, sheet = _nearest(settings, archive, stored_points(settings, archive))
    if sheet is None:
        return Findings({settings.data_name: [_note(settings, at, sheet, running=False)]})
    return Findings(sentences(chosen_rows(at, sheet)))


def stored_points(settings: Settings, archive: Archive) -> list[tuple[int, int]]:
    """Return records and depth of everything measured of the chosen data."""
    data = (settings.data_name, settings.conditions)
    points = {point for sheet in archive.of(settings.own) for point in sheet.points}
    return sorted((records, depth) for *found, records, depth in points if tuple(found) == data)


def chosen_rows(settings: Settings, sheet: Sheet) -> list[Row]:
    """Return the sheet's rows of the chosen point, operation and cases, ranked among themselves."""
    among = [row for row in sheet.rows if at_point(settings)(row) and row.operation == settings.operation]
    able = case_filter(settings, sheet)
    return merged(reranked([row for row in among if able(row)], among))


def at_point(settings: Settings) -> Callable[[Row], bool]:
    """Return a test for rows of the chosen data."""
    point = _data_point(settings)
    return lambda row: (row.workload, row.conditions, row.records, row.depth) == point


def _data_point(settings: Settings) -> tuple[str, str, int, int]:
    return (settings.data_name, settings.conditions, settings.records, settings.depth)


def case_filter(settings: Settings, sheet: Sheet) -> Callable[[Row], bool]:
    """Return a test for rows of the chosen cases: by library, format or codec, and work class."""
    classes = dict(zip(map(id, sheet.rows), decoding_classes(sheet.rows), strict=True))

    def able(row: Row) -> bool:
        work_class = classes[id(row)]
        return (
            is_selected(row, settings.libraries, settings.formats)
            and not (settings.objects and work_class and not work_class.startswith("objects"))
            and not (settings.validating and work_class.endswith("unchecked"))
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


def _nearest(settings: Settings, archive: Archive, points: Sequence[tuple[int, int]]) -> tuple[Settings, Sheet | None]:
    """The choice at the stored point that is nearest to it, and the sheet to show there; of phases, one with steps."""
    from math import log

    def distance(point: tuple[int, int]) -> float:
        records, depth = point
        return abs(log(records / settings.records)) + 3 * abs(log(depth / settings.depth))

    for operations in (BYTE_STEPS, {settings.operation}) if settings.view == "phases" else ({settings.operation},):
        for records, depth in sorted(points, key=distance):
            at = replace(settings, records=records, depth=depth)
            sheet = _sheet(at, archive, operations)
            if sheet is not None:
                return at, sheet
    return settings, None


def _sheet(settings: Settings, archive: Archive, operations: AbstractSet[str]) -> Sheet | None:
    here = at_point(settings)

    def fits(row: Row) -> bool:
        return (
            here(row)
            and row.operation in operations
            and row.seed == settings.seed
            and is_selected(row, settings.libraries, settings.formats)
        )

    point = _data_point(settings)
    able = [
        sheet
        for sheet in archive.of(settings.own)
        if point in sheet.points and sheet.gc == settings.gc and not operations.isdisjoint(sheet.operations)
    ]
    first = [sheet for sheet in able if sheet.published == settings.published]
    return archive.best(fits, case_of, first) or archive.best(fits, case_of, able)


def _figure(settings: Settings, rows: list[Row], sheet: Sheet, archive: Archive, theme: ThemeName) -> dict[str, Any]:
    info = sheet.info
    if settings.view == "scaling":
        everywhere = every_point(settings, archive, sheet)
        return scaling(everywhere, info, records=settings.records, depth=settings.depth, theme=theme)
    if settings.view == "tradeoff":
        return tradeoff(rows, info, theme=theme)
    if settings.view == "budget":
        return budget_figure(
            rows, info, bandwidth_bits_per_s=settings.bandwidth * 1e6, cores=settings.cores, theme=theme
        )
    if settings.view == "phases":
        able = case_filter(settings, sheet)
        here = at_point(settings)
        return phases([row for row in sheet.rows if here(row) and able(row)], info, theme=theme)
    return ranking(rows, info, control=sheet.control, theme=theme, present=present_row(settings, sheet))


def every_point(settings: Settings, archive: Archive, like: Sheet) -> list[Row]:
    """The chosen cases at all sizes and depths of the workload, each from `like` or the newest run that has it.

    Only runs on the same processor and Python count: times of two machines do not belong in one figure.
    Ratios and ranks are those of one run at each point: two runs have not the same reference.
    """
    found: dict[str, Row] = {}
    run_at: dict[tuple[int, int], Sheet] = {}
    others = (sheet for sheet in archive.of(settings.own) if sheet is not like)
    for sheet in (like, *(s for s in others if s.gc == settings.gc and _machine(s) == _machine(like))):
        able = case_filter(settings, sheet)
        data = (settings.data_name, settings.conditions, settings.seed, settings.operation)
        among = [row for row in sheet.rows if (row.workload, row.conditions, row.seed, row.operation) == data]
        if all(row_key(row) in found for row in among):
            continue
        for row in merged(reranked([row for row in among if able(row)], among)):
            if row_key(row) not in found:
                alone = row.measured and run_at.setdefault((row.records, row.depth), sheet) is not sheet
                found[row_key(row)] = replace(row, **UNRELATED) if alone else row
    return list(found.values())


def _machine(sheet: Sheet) -> tuple[Any, ...]:
    return tuple(sheet.info.machine.get(name) for name in ("cpu", "cores", "system", "python"))


def _grid(settings: Settings, rows: Sequence[Row], present: CaseKey | None) -> dict[str, Any]:
    lines = grid(rows, contains=settings.contains, sort=settings.sort, descending=settings.descending, present=present)
    return lines | {"overall": overall_data(rows)}


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
        return {"kind": "nothing", "note": note, "missing": False, "origin": ""}
    figure = matrix_figure(shown, matrix, theme=theme)
    return {"kind": "figure", "figure": figure, "note": "", "missing": False, "origin": probed_on(shown)}


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


def _origin(sheet: Sheet | None, *, running: bool) -> str:
    if sheet is None:
        return ""
    whose = "being measured now" if running else "published with serbench" if sheet.published else "your run"
    info = sheet.info
    parts = (f"{info.id} ({whose})", info.started, words.machine_line(info.machine))
    return " · ".join(part for part in (*parts, words.versions_line(info.versions)) if part)


def _note(settings: Settings, at: Settings, sheet: Sheet | None, *, running: bool) -> str:
    if settings.own and (reason := facts(settings.own).reason):
        return reason
    if sheet is None:
        return f"Nothing is stored of {settings.data_name}, {settings.operation}, for these settings: Run measures it."
    wanted, shown = ((c.records, c.depth) for c in (settings, at))
    if wanted != shown and settings.view != "code":
        return f"{plan_text(settings)} is not measured yet: Run measures it. This is {plan_text(at)}, the nearest that is stored."
    if settings.present and not running and present_row(at, sheet) is None:
        return f"{settings.present} is not measured with this data: Run measures it."
    return ""


def _data(settings: Settings, archive: Archive) -> dict[str, Any]:
    """The user's own data to choose from, what is known of the chosen one, and its models."""
    own = [settings.own] if settings.own else []
    choices = [*own, *(one for one in archive.own_data() if one not in own)]
    known = facts(settings.own) if own else DataFacts()
    return {
        "choices": [{"own": one, "name": settings.of(one).data_name, "about": _whole_name(one)} for one in choices],
        "chosen": settings.own,
        "about": known.about,
        "html": _lit(known.models) if known.models else "",
    }


def _whole_name(own: OwnData) -> str:
    return ", ".join(str(value) for name, value in own.items() if name != "literal_strings")


def case_data(settings: Settings) -> dict[str, Any]:
    """Return the arguments of `serbench.show` and `adopt` that name the chosen data; own data at its own size as it is."""
    arguments = run_arguments(replace(settings, view="code"))
    one = {name: None if arguments[name] is None else arguments[name][0] for name in ("records", "depth")}
    return {**(settings.own or {"workload": settings.workload}), "seed": settings.seed, **one}


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
        probes = known_probes(archive)
        for advice in advise([row for row in rows if able(row) or key(row) == today], present=today):
            against += [
                {"lines": against_lines(one, probes), "case": case_text(one.other.decode)} for one in advice.against
            ]
    return {"cases": names, "chosen": chosen, "against": against}


def _failure(row: Row, several: Mapping[str, AbstractSet[str]]) -> dict[str, str]:
    case = f"{words.library_label(row, several)} + {words.codec_label(row)}"
    return {"case": case, "status": row.status, "reason": " ".join((row.reason or "").split())}
