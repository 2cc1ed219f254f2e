"""What the explorer sends to its page: once all choices, then rows and facts of the current one."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from serbench.api import showing
from serbench.api.judging import present_case
from serbench.api.notebook.settings import (
    DECLARED,
    VIEWS,
    Settings,
    at_point,
    case_filter,
    of_data,
    plan_of,
    plan_text,
    run_arguments,
)
from serbench.api.notebook.stored import best, duration_text
from serbench.api.notebook.user_data import DataFacts, doubts_data, facts
from serbench.api.reports.page.boards import headline
from serbench.api.reports.page.content import Content, content, run_content
from serbench.api.verifying import probed
from serbench.display.board import boards_of
from serbench.display.board import findings as sentences
from serbench.display.closing import against_lines
from serbench.display.words import OF_VIEWS, TERMS, case_text
from serbench.errors import PlanError, SerbenchError
from serbench.judge.compare import least_difference
from serbench.judge.leading import CaseKey, advise, key
from serbench.judge.outcomes import Behaviour
from serbench.judge.rows import NOT_REACHED, Row
from serbench.model.data.dataset import get
from serbench.render.environments import MAIN
from serbench.render.library import libraries
from serbench.store.archive import Archive, Sheet, UserData, state_of
from serbench.store.run import Findings

Shown = dict[str, Any]
MATRICES = ("fidelity", "strictness")
MEASURED = "that was measured"


def show(settings: Settings, archive: Archive) -> Shown:
    """Return what to know of the choice: the data, what is used today, a note, and what Run would measure."""
    sheet = stored(settings, archive)
    return {
        "view": settings.view,
        "data": _data(settings, archive),
        "present": None if sheet is None else _present(settings, sheet, archive),
        "note": _note(settings, sheet, running=sheet is not None and sheet is archive.running),
        "run_text": plan_text(settings),
        "duration": _duration(settings, archive),
    }


def stored(settings: Settings, archive: Archive) -> Sheet | None:
    """Return the run to show at the chosen size; None if none has it. Data that can no longer be read has its newest run."""
    try:
        found = best(plan_of(replace(settings, view="ranking")), archive, published=settings.published)
    except (SerbenchError, OSError):
        here = at_point(settings)
        return next((sheet for sheet in sheets_of(settings, archive) if any(map(here, sheet.rows))), None)
    return None if found is None else found[0]


def _duration(settings: Settings, archive: Archive) -> str:
    try:
        return duration_text(plan_of(settings), archive)
    except (SerbenchError, OSError):
        return ""


def sheets_of(settings: Settings, archive: Archive) -> tuple[Sheet, ...]:
    """Return the finished runs' rows of the chosen data, from which the page chooses what it shows.

    Those of a run that was ended before anything had a time would hide what is published.
    """
    if not settings.user_data:
        archive.read_size_grid(settings.workload, settings.conditions)
    parts = (of_data(settings, sheet) for sheet in archive.of(settings.user_data) if sheet is not archive.running)
    return tuple(
        part for part in parts if part and (part.points or all(row.reason != NOT_REACHED for row in part.rows))
    )


@lru_cache(4)
def rows_content(workload: str, sheets: tuple[Sheet, ...]) -> Content:
    """Return the runs' rows of the chosen data as the page takes them, a text for each run, without the code."""
    return content(()) | {"workload": workload, "parts": list(map(sent, sheets))}


def sent(sheet: Sheet) -> str:
    """Return a run's rows of one data as the page takes them, which are put together once."""
    text = _sent.get(sheet)
    if text is None:
        _sent[sheet] = text = json.dumps(run_content(sheet), ensure_ascii=False, separators=(",", ":"))
    return text


_sent: WeakKeyDictionary[Sheet, str] = WeakKeyDictionary()


def prepare(sheet: Sheet) -> None:
    """Put the rows of each data of a run together on a thread, so that the loop that answers the controls need not."""
    for part in sheet.of_data.values():
        sent(part)


def running_content(settings: Settings, archive: Archive) -> Content:
    """Return the rows so far of the run in progress; nothing if it has none of the chosen data."""
    sheet = archive.running
    part = of_data(settings, sheet) if sheet and sheet.user_data == settings.user_data else None
    return {"parts": [sent(part)]} if part else {}


def case_named(case: str) -> tuple[str, str]:
    """Return library and codec as `show` and `adopt` take them: "msgspec@0.21.1[gc=False]" and "msgspec/json".

    Args:
        case: as the page names it, "msgspec[gc=False]@msgspec==0.21.1 msgspec/json".
    """
    library, _, codec = case.rpartition(" ")
    parts = re.fullmatch(r"([^@[]+)(\[.*\])?(?:@(\S+)==(\S+)(?: on \S+)?)?", library)
    if parts is None or not parts[4]:
        return library, codec
    known = libraries().get(parts[1])
    what = "@" if known and parts[3] in known.distributions else f"+{parts[3]}=="
    return f"{parts[1]}{what}{parts[4]}{parts[2] or ''}", codec


def code_of(settings: Settings, archive: Archive, case: str, sha256: str, size: Mapping[str, int]) -> dict[str, str]:
    """Return the measured module of a row, or that of today if no run has kept it; or the reason why there is none."""
    if source := archive.source(sha256):
        return {"source": source, "sha256": sha256, "which": MEASURED}
    library, codec = case_named(case)
    try:
        today = showing.show(library, codec, **case_data(settings.changed(dict(size))))
    except (SerbenchError, ValueError) as error:
        return {"reason": " ".join(str(error).split())}
    return {
        "source": today.source,
        "sha256": today.source_sha256,
        "which": MEASURED
        if today.source_sha256 == sha256
        else "as it is rendered today; the measured code is not kept",
    }


def findings(settings: Settings, archive: Archive) -> Findings:
    """Say in sentences what is shown."""
    sheet = stored(settings, archive)
    if sheet is None:
        nothing = f"No results for {settings.data_name}, {settings.operation}, with these settings yet: press Run to measure it."
        return Findings({settings.data_name: [_note(settings, sheet, running=False) or nothing]})
    here, least = at_point(settings), least_difference(sheet.control)
    rows = [row for row in sheet.rows if here(row) and row.operation == settings.operation]
    headlines = [headline(board, sheet) for board in boards_of(rows, least)]
    return Findings({f"{settings.operation} {settings.data_name}": headlines, **sentences(rows, least)})


def known_probes(archive: Archive) -> tuple[Behaviour, ...]:
    """What the store remembers of the probes, and what is published; read again only when the store has changed."""
    return _remembered(archive.store, state_of(archive.store))


@lru_cache(1)
def _remembered(store: Path, _changed: tuple[int, ...]) -> tuple[Behaviour, ...]:
    return tuple(probed(store))


def _note(settings: Settings, sheet: Sheet | None, *, running: bool) -> str:
    if settings.user_data and (reason := facts(settings.user_data).reason):
        return reason
    if sheet is None:
        return ""
    if settings.present and not running and present_row(settings, sheet) is None:
        return f"{settings.present} is not measured with this data: Run measures it."
    return ""


def _data(settings: Settings, archive: Archive) -> dict[str, Any]:
    """The user's own data to choose from, what is known of the chosen one, and its models."""
    chosen = [settings.user_data] if settings.user_data else []
    choices = [*chosen, *(one for one in archive.user_data() if one not in chosen)]
    known = facts(settings.user_data) if chosen else DataFacts()
    return {
        "choices": [
            {"own": choice, "name": settings.of(choice).data_name, "about": _whole_name(choice)} for choice in choices
        ],
        "chosen": settings.user_data,
        "about": known.about,
        "models": known.models,
        "doubts": doubts_data(settings.user_data) if chosen else [],
    }


def _whole_name(user_data: UserData) -> str:
    """Data of the user's with all that tells it from others of the same name."""

    def text(name: str, value: Any) -> str:
        return value if isinstance(value, str) else ", ".join(value) if isinstance(value, tuple) else f"{name} {value}"

    return ", ".join(text(name, value) for name, value in user_data.items() if value is not True)


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
    """What is used today as the page names it, and what a change from it would bring and cost."""
    here, able, today = at_point(settings), case_filter(settings, sheet), present_key(settings, sheet)
    if today is None:
        return {"chosen": settings.present, "against": []}
    rows = [row for row in sheet.rows if row.measured and here(row) and row.environment == MAIN.name]
    chosen = next((case_text(row) for row in rows if key(row) == today), settings.present)
    against: list[dict[str, Any]] = []
    if sheet is not archive.running:
        probes, least = known_probes(archive), least_difference(sheet.control)
        for advice in advise([row for row in rows if able(row) or key(row) == today], present=today, least=least):
            against += [
                {"lines": against_lines(one, probes), "case": case_text(one.other.decode, " ")}
                for one in advice.against
            ]
    return {"chosen": chosen, "against": against}


def options(store: str | Path | None) -> dict[str, Any]:
    """Return the libraries, formats, workloads, views, limits and texts of the controls."""
    libraries: dict[str, dict[str, str]] = {}
    for library in showing.list_libraries(store):
        name = library["name"]
        for variant in library["variants"]:
            is_library = variant == "default"
            value = name if is_library else f"{name}[{variant}]"
            is_main = library["environment"] == MAIN.name
            group = (
                f"environment {library['environment']}" if not is_main else "libraries" if is_library else "variants"
            )
            libraries[value] = _entry(value, group, library)
    by_group = {"libraries": 0, "variants": 1}
    formats = showing.list_formats()
    codecs = []
    for name in dict.fromkeys(row["format"] for row in formats):
        codecs.append({"value": name, "group": name, "about": "all its codecs", "reason": ""})
        codecs += [_entry(f"{row['codec']}/{name}", name, row) for row in formats if row["format"] == name]
    workloads = [
        {"value": row["name"], "about": row["summary"], "depth": get(row["name"]).shallowest}
        for row in showing.list_workloads()
    ]
    return {
        "libraries": sorted(libraries.values(), key=lambda entry: by_group.get(entry["group"], 2)),
        "formats": codecs,
        "workloads": workloads,
        "usual": {"records": Settings().records, "depth": Settings().depth},
        "views": list(VIEWS),
        "terms": {term: TERMS[term].replace("`", "") for term in OF_VIEWS},
        "choices": {name: list(option.choices()) for name, option in DECLARED.items() if option.choices},
        "help": {name: option.help.replace("`", "") for name, option in DECLARED.items()},
        "limits": {name: dict(zip(("min", "max"), option.limits, strict=True)) for name, option in DECLARED.items()},
        "app": os.environ.get("SERVER_SOFTWARE", "").startswith("voila"),
    }


def _entry(value: str, group: str, row: dict[str, Any]) -> dict[str, str]:
    return {"value": value, "group": group, "about": row["version"] or "", "reason": row["reason"] or ""}
