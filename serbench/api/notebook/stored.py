"""Finds stored results of a plan, own or published, and estimates how long measuring takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from statistics import fmean

from serbench.display.words import counted
from serbench.errors import PlanError
from serbench.judge.figures import distance
from serbench.judge.outcomes import Behaviour
from serbench.judge.rows import Row, case_of
from serbench.measure.case_waves import Pace
from serbench.measure.plan import Plan, chosen_cases, depths, named_workloads
from serbench.model.data.dataset import get
from serbench.render.case import is_of_functions
from serbench.render.codec import Codec
from serbench.render.framework import endpoint_cases, frameworks, is_own_app
from serbench.render.selection import ChosenCase, chosen_codecs, selection
from serbench.results import YOURS
from serbench.store.archive import Archive, Sheet, published_sources, resources, user_data_of
from serbench.store.progress import duration_words
from serbench.store.run import Run

Point = tuple[str, int | None, int | None, str]
"""Workload, records and depth, None for whatever it is, and conditions; no workload for the user's own data."""
Found = tuple[Sheet, list[Row]]
Endpoint = tuple[str, str, str]
"""Framework, way of returning and writer."""
archive = cache(Archive)


def points(plan: Plan) -> set[Point]:
    """Return what a plan asks for: a workload's own size and depth if it asks for none."""
    own = plan.payload is not None or plan.model is not None
    asked: set[Point] = set()
    for name in [""] if own else named_workloads(plan):
        usual = (None, None) if own else (get(name).records, get(name).depth)
        sizes = product(plan.records or usual[:1], depths(plan) or usual[1:], plan.conditions)
        asked |= {(name, *size) for size in sizes}
    return asked


def rows_of(plan: Plan, known: Archive, only: Sheet | None = None, *, measured: bool = True) -> list[Found]:
    """Return each run that has been read, or only one, and its rows of a plan's data, cases and operations, at whichever size.

    These have times, or with `measured=False` a reason for none.
    """
    user_data = user_data_of(plan.as_data())
    names = [] if user_data else named_workloads(plan)
    if not user_data:
        for name, conditions in product(names, plan.conditions):
            known.read_size_grid(name, conditions)
    sheets = [*known.of(user_data), *(_of_sample(known, Path(plan.payload)) if plan.payload and not plan.model else ())]
    endpoints, found = _endpoints(plan.endpoints), []
    places = set(map(_place, _cases(plan))) if plan.python else ()
    for sheet in sheets if only is None else [sheet for sheet in sheets if sheet is only]:
        parts = [
            part for (name, seed), part in sheet.of_data.items() if seed == plan.seed and (user_data or name in names)
        ]
        if sheet.gc == plan.gc and (
            rows := [
                row
                for part in parts
                for row in part.rows
                if row.measured == measured and _is_asked(row, plan, endpoints, places)
            ]
        ):
            found.append((sheet, rows))
    return found


def _is_asked(row: Row, plan: Plan, endpoints: Collection[Endpoint], places: Collection[tuple[str, str, str]]) -> bool:
    return (
        row.operation in plan.operations
        and row.conditions in plan.conditions
        and (_endpoint(row) in endpoints if plan.endpoints else row.library not in frameworks())
        and is_selected(row, () if row.library.startswith(YOURS) else plan.libraries, plan.formats)
        and (not plan.python or (row.library, row.variant, row.environment) in places)
    )


def _endpoint(row: Row) -> Endpoint:
    return row.library, row.variant, row.codec


def _endpoints(texts: Sequence[str]) -> set[Endpoint]:
    return set().union(*map(_named_by, texts))


@cache
def _named_by(text: str) -> set[Endpoint]:
    """The endpoints of a text; that of an app of the user's is none."""
    found = () if is_own_app(text) else endpoint_cases([text])
    return {(framework.name, way, writer.name) for framework, way, writer, _ in found}


def best(plan: Plan, known: Archive, *, published: bool = False, only: Sheet | None = None) -> Found | None:
    """Return the run with most of a plan's sizes, and its rows of them; None if no run that has been read has one.

    Of equal runs come first those with rows of more of what is chosen, then published ones first or last, then that in
    progress, then those with most cases, then the newest.
    """
    asked = points(plan)
    found = [
        (sheet, [row for row in rows if any(_is_at(row, point) for point in asked)])
        for sheet, rows in rows_of(plan, known, only)
    ]
    return max(
        ((sheet, rows) for sheet, rows in found if rows),
        key=lambda one: (
            len(asked) - len(_lacking(asked, one[1])),
            -len(_absent(plan, one[0].rows)),
            one[0].published == published,
            one[0] is known.running,
            len(set(map(case_of, one[1]))),
        ),
        default=None,
    )


def stored_run(plan: Plan, store: str | Path | None) -> tuple[Run, bool, list[str]] | None:
    """Return the rows of a plan that one run has, whether it is a published one, and what it lacks, in words.

    None if none is stored.
    """

    def lacking(sheet: Sheet, rows: Sequence[Row]) -> list[str]:
        return [*_sizes(plan, rows), *_absent(plan, sheet.rows), *_meant(plan, sheet.rows)]

    known, read = archive(store), None
    known.look_again()
    while (found := best(plan, known, only=read)) is None or found[0].published or lacking(*found):
        if (read := known.read_next(user_data_of(plan.as_data()))) is None:
            break
    if (found := best(plan, known)) is None:
        return None
    sheet, rows = found
    asked, lacks = points(plan), lacking(sheet, rows)
    for _, failed in rows_of(plan, known, sheet, measured=False):
        rows = [*rows, *(row for row in failed if any(_is_at(row, point) for point in asked))]
    if sheet.folder is not None:
        sheet = replace(sheet, sources=published_sources(sheet.folder))
    return Run.of_rows(sheet, rows, plan.as_data()), sheet.published, lacks


def _of_sample(known: Archive, path: Path) -> list[Sheet]:
    """The published results of a file that comes with the notebooks, which know it by its name."""
    sample = resources("notebooks") / path.name
    if not sample.is_file() or not path.is_file() or sample.read_bytes() != path.read_bytes():
        return []
    parts = (part for sheet in known if sheet.published for part in sheet.of_data.values())
    return [part for part in parts if part.rows[0].workload == path.name]


def _sizes(plan: Plan, rows: Sequence[Row]) -> list[str]:
    """Name the workloads of which nothing was measured; of others say at how many sizes, and which conditions the rest lack."""
    asked = points(plan)
    missing = _lacking(asked, rows)
    sizes = {point[:3] for point in missing} - {point[:3] for point in asked - missing}
    absent = {point[0] for point in missing} - {point[0] for point in asked - missing}
    absent = absent if {point[0] for point in asked} - absent else set()
    few = [size for size in sizes if size[0] not in absent]
    count = [counted(len(few), "size")] if few else []
    return sorted(absent) + count + sorted({conditions for *size, conditions in missing if tuple(size) not in sizes})


def _absent(plan: Plan, rows: Sequence[Row]) -> list[str]:
    """Return the chosen operations, libraries, formats and endpoints of which there is no row, not even one without a time."""
    operations, ways = {row.operation for row in rows}, set(map(_endpoint, rows))
    return [
        *(name for name in plan.operations if name not in operations),
        *(
            name
            for name in plan.libraries
            if not name.startswith(YOURS)
            and not is_of_functions(name)
            and not any(is_selected(row, [name], ()) for row in rows)
        ),
        *(name for name in plan.formats if not any(is_selected(row, (), [name]) for row in rows)),
        *(name for name in plan.endpoints if not is_own_app(name) and not _endpoints([name]) <= ways),
    ]


def _meant(plan: Plan, rows: Sequence[Row]) -> list[str]:
    """Return the libraries and codecs that an empty list or a whole format stands for and that have no row."""
    try:
        cases = [] if plan.endpoints else _cases(plan)
    except PlanError:  # none of these codecs works with these libraries, as Run says
        cases = []
    absent = _absent(plan, rows)
    is_any = not plan.libraries or {"all", "installed"} & {*plan.libraries}
    names = [one.library.name for one in cases if is_any and not one.library.name.startswith(YOURS)]
    there = [name for name in plan.formats if name not in absent]
    codecs = chosen_codecs(there) if there or not plan.formats else ()
    served, known = {one.codec for one in cases}, {(row.codec, row.format) for row in rows}
    lacking = [one for one in codecs if one in served and (one.name, one.format) not in known]
    return [*dict.fromkeys(name for name in names if name not in {row.library for row in rows}), *map(_name, lacking)]


def _name(codec: Codec) -> str:
    """Return the name by which a codec is chosen, with its format if others have that name."""
    return codec.name if chosen_codecs([codec.name]) == (codec,) else f"{codec.name}/{codec.format}"


def _lacking(asked: Collection[Point], rows: Sequence[Row]) -> set[Point]:
    return {point for point in asked if not any(_is_at(row, point) for row in rows)}


def _is_at(row: Row, point: Point) -> bool:
    name, records, depth, conditions = point
    return (
        name in ("", row.workload)
        and records in (None, row.records)
        and depth in (None, row.depth)
        and row.conditions == conditions
    )


def is_selected(row: Row | Behaviour, libraries: Sequence[str], formats: Sequence[str]) -> bool:
    """Whether a row is of one of the libraries and of one of the formats or codecs; an empty list is all.

    A library may have a version and a variant: "msgspec[gc=False]", "pydantic@2.5", "pydantic@*[strict]".
    """
    codecs = {row.format, row.codec, f"{row.codec}/{row.format}", "all"}
    return (not libraries or any(_names(name, row) for name in libraries)) and (
        not formats or bool(codecs & set(formats))
    )


def _names(text: str, row: Row | Behaviour) -> bool:
    """Whether the text names the row's library ("name", "name@version", either with "[variant]"; "2.5" is any 2.5.x), or Run measures it so."""
    named, bracket, variant = text.partition("[")
    library, at, version = named.partition("@")
    versions = ("*", row.environment, row.version) if at else ("",)
    return (
        library == row.library
        and (version in versions or (bool(at) and f"{row.version}.".startswith(f"{version}.")))
        and (not bracket or variant.removesuffix("]") in ("*", row.variant))
    ) or (row.library, row.variant, row.environment) in _places(text)


@lru_cache(64)
def _places(text: str) -> set[tuple[str, str, str]]:
    try:
        return set(map(_place, selection([text])))
    except PlanError:  # the user's own, or of a plug-in that has gone
        return set()


def _place(case: ChosenCase) -> tuple[str, str, str]:
    return case.library.name, case.variant, case.recipe.name


def expected_s(plan: Plan, known: Archive) -> tuple[float, bool]:
    """Return the seconds that a run tells at its beginning, and whether they have the times of its calls, as stored."""
    times: dict[tuple[int, int], list[float]] = defaultdict(list)
    for _, rows in rows_of(plan, known):
        for row in rows:
            if row.operation == plan.operations[0]:
                times[row.records, row.depth].append((row.time_ns or 0.0) / 1e9)
    call_s = {point: fmean(each) for point, each in sorted(times.items())}
    cases = len(_cases(plan))
    paces = (
        Pace(cases, cases * len(plan.operations), plan.rules, _nearest_s(call_s, records, depth))
        for _, records, depth, _ in points(plan)
    )
    return sum(pace.left("verifying", 0.0) for pace in paces), bool(call_s)


def duration_text(plan: Plan, known: Archive) -> str:
    """Say how long a run would take: "about 40 s"; "at least" if no time of such data is stored."""
    seconds, is_known = expected_s(plan, known)
    if plan.budget_s and seconds > plan.budget_s:
        return f"at most {duration_words(plan.budget_s)}"
    return f"{'about' if is_known else 'at least'} {duration_words(seconds)}"


@lru_cache(16)
def _cases(plan: Plan) -> list[ChosenCase]:
    return chosen_cases(plan)


def _nearest_s(call_s: dict[tuple[int, int], float], records: int | None, depth: int | None) -> float:
    """The seconds of a call in proportion to those at the nearest known size; 0 if there is none."""
    nearest = min(call_s, key=lambda size: distance(size, records or size[0], depth or size[1]), default=None)
    return 0.0 if nearest is None else call_s[nearest] * (records or nearest[0]) / max(nearest[0], 1)
