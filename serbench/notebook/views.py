"""What the explorer shows for a choice: figures, a table or code, with where it comes from; pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from serbench import verbs
from serbench.analysis import (
    Matrix,
    Row,
    budget_figure,
    display,
    grid,
    matrix_figure,
    overall_boards,
    phases,
    ranking,
    reranked,
    scaling,
    tradeoff,
)
from serbench.analysis.grid import row_key
from serbench.analysis.matrices import probed_on
from serbench.analysis.rows import case_of, decoding_classes
from serbench.analysis.style import ThemeName
from serbench.archive import Archive, Sheet
from serbench.engine.results import Behaviour
from serbench.notebook.choice import Choice
from serbench.probe_verbs import probed
from serbench.result import Findings

Shown = dict[str, Any]
UNRELATED: dict[str, Any] = {"ratio": None, "ratio_low": None, "ratio_high": None, "rank": None, "reference": False}
BYTE_STEPS = frozenset({"dumps", "loads"})
"""Who has timed these has timed the other steps too."""
MATRICES: tuple[Matrix, ...] = ("fidelity", "strictness")


def show(choice: Choice, archive: Archive, theme: ThemeName = "light") -> Shown:
    """The chosen view as JSON data.

    `kind` is "figure", "grid", "code" or "nothing", with the thing under that name; `origin` says what run
    on what machine it rests on, and `note` what to know about it; `stored` are the sizes and depths of the
    workload that can be shown without measuring; `missing` whether the chosen point is not among them.
    """
    points = sorted(archive.points(choice.workload))
    at, sheet = _nearest(choice, archive, points)
    found: Shown = {
        "view": choice.view,
        "stored": {"records": sorted({r for r, _ in points}), "depth": sorted({d for _, d in points})},
        "missing": sheet is None or (at.records, at.depth) != (choice.records, choice.depth),
        "origin": _origin(sheet, running=sheet is not None and sheet is archive.running),
        "failed": [],
    }
    found["note"] = _note(choice, at, sheet)
    if choice.view == "code":
        return found | _code(choice, at, sheet)
    if choice.view in MATRICES:
        return found | _matrix(choice, archive, theme)
    if sheet is None:
        return found | {"kind": "nothing"}
    rows = chosen_rows(at, sheet)
    several = display.told_apart(rows)
    found["failed"] = [_failure(row, several) for row in rows if not row.measured]
    if choice.view == "table":
        return found | {"kind": "grid", "grid": _grid(choice, every_point(at, archive, sheet))}
    return found | {"kind": "figure", "figure": _figure(at, rows, sheet, archive, theme)}


def findings(choice: Choice, archive: Archive) -> Findings:
    """What is shown, in sentences."""
    at, sheet = _nearest(choice, archive, sorted(archive.points(choice.workload)))
    if sheet is None:
        return Findings({choice.workload: [_note(choice, at, sheet)]})
    return Findings(display.findings(chosen_rows(at, sheet)))


def chosen_rows(choice: Choice, sheet: Sheet) -> list[Row]:
    """The rows of a sheet at the chosen point and operation, of the chosen cases, ranked among themselves."""
    among = [row for row in sheet.rows if at_point(choice)(row) and row.operation == choice.operation]
    able = case_filter(choice, sheet)
    return reranked([row for row in among if able(row)], among)


def at_point(choice: Choice) -> Callable[[Row], bool]:
    """Whether a row is of the chosen data."""
    point = (choice.workload, choice.records, choice.depth)
    return lambda row: (row.workload, row.records, row.depth) == point


def case_filter(choice: Choice, sheet: Sheet) -> Callable[[Row], bool]:
    """Whether a row of the sheet is of a case that is chosen: its library, its format or codec, its work class."""
    classes = dict(zip(map(id, sheet.rows), decoding_classes(sheet.rows), strict=True))

    def able(row: Row) -> bool:
        work_class = classes[id(row)]
        return (
            is_selected(row, choice.libraries, choice.formats)
            and not (choice.objects and work_class and not work_class.startswith("objects"))
            and not (choice.validating and work_class.endswith("unchecked"))
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


def _nearest(choice: Choice, archive: Archive, points: Sequence[tuple[int, int]]) -> tuple[Choice, Sheet | None]:
    """The choice at the stored point that is nearest to it, and the sheet to show there; of phases, one with steps."""
    from math import log

    def distance(point: tuple[int, int]) -> float:
        records, depth = point
        return abs(log(records / choice.records)) + 3 * abs(log(depth / choice.depth))

    for operations in (BYTE_STEPS, {choice.operation}) if choice.view == "phases" else ({choice.operation},):
        for records, depth in sorted(points, key=distance):
            at = replace(choice, records=records, depth=depth)
            sheet = _sheet(at, archive, operations)
            if sheet is not None:
                return at, sheet
    return choice, None


def _sheet(choice: Choice, archive: Archive, operations: AbstractSet[str]) -> Sheet | None:
    here = at_point(choice)

    def fits(row: Row) -> bool:
        return (
            here(row)
            and row.operation in operations
            and row.seed == choice.seed
            and is_selected(row, choice.libraries, choice.formats)
        )

    point = (choice.workload, choice.records, choice.depth)
    able = [
        sheet
        for sheet in archive
        if point in sheet.points and sheet.gc == choice.gc and not operations.isdisjoint(sheet.operations)
    ]
    own = [sheet for sheet in able if not sheet.published]  # what one has measured oneself comes first
    return archive.best(fits, case_of, own) or archive.best(fits, case_of, able)


def _figure(choice: Choice, rows: list[Row], sheet: Sheet, archive: Archive, theme: ThemeName) -> dict[str, Any]:
    info = sheet.info
    if choice.view == "scaling":
        everywhere = every_point(choice, archive, sheet)
        return scaling(everywhere, info, records=choice.records, depth=choice.depth, theme=theme)
    if choice.view == "tradeoff":
        return tradeoff(rows, info, theme=theme)
    if choice.view == "budget":
        return budget_figure(rows, info, bandwidth_bits_per_s=choice.bandwidth * 1e6, cores=choice.cores, theme=theme)
    if choice.view == "phases":
        able = case_filter(choice, sheet)
        here = at_point(choice)
        return phases([row for row in sheet.rows if here(row) and able(row)], info, theme=theme)
    return ranking(rows, info, control=sheet.control, theme=theme)


def every_point(choice: Choice, archive: Archive, like: Sheet) -> list[Row]:
    """The chosen cases at all sizes and depths of the workload, each from `like` or the newest run that has it.

    Only runs on the same processor and Python count: times of two machines do not belong in one figure.
    Ratios and ranks are those of one run at each point: two runs have not the same reference.
    """
    found: dict[str, Row] = {}
    run_at: dict[tuple[int, int], Sheet] = {}
    others = (sheet for sheet in archive if sheet is not like)
    for sheet in (like, *(s for s in others if s.gc == choice.gc and _machine(s) == _machine(like))):
        able = case_filter(choice, sheet)
        data = (choice.workload, choice.seed, choice.operation)
        among = [row for row in sheet.rows if (row.workload, row.seed, row.operation) == data]
        if all(row_key(row) in found for row in among):
            continue
        for row in reranked([row for row in among if able(row)], among):
            if row_key(row) not in found:
                alone = row.measured and run_at.setdefault((row.records, row.depth), sheet) is not sheet
                found[row_key(row)] = replace(row, **UNRELATED) if alone else row
    return list(found.values())


def _machine(sheet: Sheet) -> tuple[Any, ...]:
    return tuple(sheet.info.machine.get(name) for name in ("cpu", "cores", "system", "python"))


def _grid(choice: Choice, rows: Sequence[Row]) -> dict[str, Any]:
    lines = grid(
        rows, contains=choice.contains, sort=choice.sort, descending=choice.descending, base=choice.base or None
    )
    return lines | {"overall": [asdict(board) for board in overall_boards(rows)]}


def _code(choice: Choice, at: Choice, sheet: Sheet | None) -> Shown:
    """The module of the chosen case, with the cases there are to choose from."""
    rows = [] if sheet is None else sorted(chosen_rows(at, sheet), key=lambda row: row.time_ns or float("inf"))
    cases = list(dict.fromkeys(case_text(row) for row in rows))
    case = choice.case if choice.case or not cases else cases[0]
    library, _, codec = case.partition(" ")
    try:
        shown = verbs.show(
            library or "msgspec", codec or "json", choice.workload, records=choice.records, depth=choice.depth
        )
    except ValueError as error:
        return {"kind": "code", "code": {"cases": cases, "case": case, "source": "", "reason": str(error)}}
    code = {
        "cases": cases,
        "case": case,
        "source": shown.source,
        "sha256": shown.source_sha256,
        "html": _lit(shown.source),
    }
    return {"kind": "code", "code": code}


def _matrix(choice: Choice, archive: Archive, theme: ThemeName) -> Shown:
    """What is known of the probes of the chosen cases."""
    shown = [one for one in known_probes(archive) if is_selected(one, choice.libraries, choice.formats)]
    matrix = next(name for name in MATRICES if name == choice.view)
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
    variant = "" if row.variant == "default" else f"[{row.variant}]"
    return f"{row.library}{variant} {row.codec}/{row.format}"


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
    parts = (f"{info.id} ({whose})", info.started, display.machine_line(info.machine))
    return " · ".join(part for part in (*parts, display.versions_line(info.versions)) if part)


def _note(choice: Choice, at: Choice, sheet: Sheet | None) -> str:
    if sheet is None:
        return f"Nothing is stored of {choice.workload}, {choice.operation}, for this choice: Run measures it."
    wanted, shown = ((c.records, c.depth) for c in (choice, at))
    if wanted != shown and choice.view != "code":
        return (
            f"{_point(choice)} is not measured yet: Run measures it. This is {_point(at)}, the nearest that is stored."
        )
    return ""


def _point(choice: Choice) -> str:
    return f"{choice.records:,} record{'' if choice.records == 1 else 's'} at depth {choice.depth:,}"


def _failure(row: Row, several: Mapping[str, AbstractSet[str]]) -> dict[str, str]:
    case = f"{display.library_label(row, several)} + {display.codec_label(row)}"
    return {"case": case, "status": row.status, "reason": " ".join((row.reason or "").split())}
