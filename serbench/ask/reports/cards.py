"""Cards to embed: a library among its neighbours over all published shapes, as an SVG and as the JSON of a badge.

An SVG follows the reader's light or dark setting by itself, and needs no script, font or other file.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from serbench.ask.reports.stale import is_newer
from serbench.display import words
from serbench.display.style import THEMES
from serbench.errors import PlanError, check
from serbench.judge.overall import geometric_means, half_width
from serbench.judge.rows import Row, work_class_key
from serbench.judge.statistics import TIE
from serbench.keep.archive import Sheet
from serbench.keep.run import Run
from serbench.measure.plan import Plan
from serbench.render.environments.files import write_file
from serbench.render.library import libraries
from serbench.results import grouped

FOLDER = "cards"
OPERATIONS = ("decode", "encode")
LEAST = 5
"""A shape is published data of one size that at least so many libraries were measured with, at its least depth.

A run of many sizes has none, or its workload would outweigh the others.
"""
CONDITIONS = Plan().conditions[0]
NEIGHBOURS = 2
"""How many libraries stand on either side of the card's own."""
WIDTH, LINE, LEFT, RIGHT = 640, 22, 220, 450
Shape = tuple[str, int]
_NO_BREAK = "\N{NO-BREAK SPACE}"
CHARACTERS = 100
"""The width of a line of small text."""


@dataclass(frozen=True)
class RankedLibrary:
    """A library's geometric mean over the shapes, as a ratio to the least with a 95 % interval, and its rank with ties."""

    library: str
    work_class: str
    ratio: float
    low: float
    high: float
    rank: int
    is_tied: bool


@dataclass(frozen=True)
class Standing:
    """A library's place in one operation among those that give the same, objects or dicts, measured with the same shapes.

    Each is there with the strictest work class that it has.

    Attributes:
        ranking: all of them, the fastest first.
        shapes: the ratio of each to the fastest, by library and shape.
        runs: the published runs of the shapes.
    """

    operation: str
    ranking: tuple[RankedLibrary, ...]
    shapes: Mapping[str, Mapping[str, float]]
    runs: tuple[Run | Sheet, ...]

    def of(self, library: str) -> RankedLibrary:
        """That library in the ranking."""
        return next(one for one in self.ranking if one.library == library)


def standing(runs: Sequence[Run | Sheet], library: str, operation: str) -> Standing | None:
    """Where a library stands in an operation; None if no published shape has it."""
    shapes: dict[Shape, dict[str, list[Row]]] = {}
    run_of: dict[Shape, Run | Sheet] = {}
    for one in (one for one in runs if len({(row.records, row.depth) for row in one.rows}) == 1):
        rows = [row for row in one.rows if row.operation == operation and _counts(row)]
        usual = [
            row for row in rows if (row.variant, row.environment, row.conditions) == ("default", "main", CONDITIONS)
        ]
        for (shape, _), together in sorted(grouped(usual, lambda row: (_shape(row), row.depth)).items()):
            by_library = grouped(together, lambda row: row.library)
            if shape not in shapes and len(by_library) >= LEAST and library in by_library:
                shapes[shape], run_of[shape] = by_library, one
    if not shapes:
        return None
    best = _best(shapes)
    wanted = best[library][1]
    kind = best[library][0].partition(",")[0]
    rivals = {
        name: (work_class, rows)
        for name, (work_class, rows) in best.items()
        if work_class.partition(",")[0] == kind and rows.keys() >= wanted.keys()
    }
    least = {shape: min(rows[shape].ratio or math.inf for _, rows in rivals.values()) for shape in wanted}
    return Standing(
        operation,
        _ranking(rivals, list(wanted)),
        {
            name: {_label(shape): (rows[shape].ratio or 1.0) / least[shape] for shape in wanted}
            for name, (_, rows) in rivals.items()
        },
        tuple({run_of[shape].info.id: run_of[shape] for shape in wanted}.values()),
    )


def widest(runs: Sequence[Run | Sheet], operation: str) -> Standing | None:
    """The standing over most shapes, and if there are several, the one with most libraries; None without a shape."""
    standings = filter(None, (standing(runs, name, operation) for name in libraries()))
    return max(standings, key=lambda one: (max(map(len, one.shapes.values())), len(one.ranking)), default=None)


def _best(shapes: Mapping[Shape, Mapping[str, Sequence[Row]]]) -> dict[str, tuple[str, dict[Shape, Row]]]:
    """Each library's strictest work class, and its fastest row of that class in each shape."""
    best = {}
    for library in dict.fromkeys(name for by_library in shapes.values() for name in by_library):
        rows = {shape: by_library[library] for shape, by_library in shapes.items() if library in by_library}
        work_class = min((row.work_class or "" for members in rows.values() for row in members), key=work_class_key)
        fit = {
            shape: [row for row in members if (row.work_class or "") == work_class] for shape, members in rows.items()
        }
        first = {
            shape: min(members, key=lambda row: row.ratio or math.inf) for shape, members in fit.items() if members
        }
        best[library] = (work_class, first)
    return best


def _counts(row: Row) -> bool:
    """Tell if a row was measured and is the library's: no other library's code, and none that leaves the library out."""
    return row.ratio is not None and row.rank is not None and row.same_as is None


def _shape(row: Row) -> Shape:
    return row.workload, row.records


def _label(shape: Shape) -> str:
    workload, records = shape
    return f"{workload}{f' ×{records:,}' if records > 1 else ''}"


def _ranking(
    rivals: Mapping[str, tuple[str, Mapping[Shape, Row]]], shapes: Sequence[Shape]
) -> tuple[RankedLibrary, ...]:
    """The libraries by their unweighted geometric means; ties are those whose difference is not proven beyond 1 %."""
    ratios = {name: {shape: rows[shape].ratio or 1.0 for shape in shapes} for name, (_, rows) in rivals.items()}
    means, _ = geometric_means(ratios)
    halves = {name: half_width([rows[shape] for shape in shapes]) for name, (_, rows) in rivals.items()}
    order = sorted(means, key=lambda name: means[name])
    first = order[0]

    def is_faster(one: str, other: str) -> bool:
        return math.log(means[other] / means[one]) - math.hypot(halves[one], halves[other]) > TIE

    ranking = []
    for name in order:
        ratio, half = means[name] / means[first], 0.0 if name == first else math.hypot(halves[name], halves[first])
        tied = any(not is_faster(name, other) and not is_faster(other, name) for other in order if other != name)
        rank = 1 + sum(is_faster(other, name) for other in order)
        low, high = ratio * math.exp(-half), ratio * math.exp(half)
        ranking.append(RankedLibrary(name, rivals[name][0], ratio, low, high, rank, tied))
    return tuple(ranking)


def card(runs: Sequence[Run], library: str, *, newest: str | None = None) -> dict[str, str]:
    """The card of a library: the texts of its SVG and its badge by their file names.

    Args:
        newest: the newest version there is, if it is to be said that what was measured is older.

    Raises:
        PlanError: an unknown library, or one that no published shape has.
    """
    check("library", library, libraries())
    standings = [one for one in (standing(runs, library, operation) for operation in OPERATIONS) if one]
    if not standings:
        raise PlanError(f"no published shape has {library}; `serbench run --library {library}` measures it")
    return {
        f"{library}.svg": _svg(library, standings, _newer(runs, library, standings), newest),
        f"{library}.json": _badge(library, standings),
    }


def outdated_cards(data: Path, runs: Sequence[Run]) -> Iterator[tuple[Path, str]]:
    """Each file of a core library's card that is missing or is not what the published runs give, and its text.

    There is none where no cards are published: a user's own results have no folder of them.
    """
    for library in libraries().values() if (data / FOLDER).is_dir() else ():
        if library.core and any(standing(runs, library.name, operation) for operation in OPERATIONS):
            for name, text in card(runs, library.name).items():
                path = data / FOLDER / name
                if not path.exists() or path.read_text(encoding="utf-8") != text:
                    yield path, text


def remake_cards(data: Path, runs: Sequence[Run]) -> list[Path]:
    """Write every card that is not what the published runs give, if there is a folder of cards; tell which."""
    return [write_file(path, text) for path, text in list(outdated_cards(data, runs))]


def _badge(library: str, standings: Sequence[Standing]) -> str:
    """The JSON that shields.io reads from an address of its endpoint badge."""
    told = [f"{one.operation} {_rank(one.of(library))} of {len(one.ranking)}" for one in standings]
    badge = {"schemaVersion": 1, "label": "serbench", "message": ", ".join(told), "color": "informational"}
    return json.dumps(badge, ensure_ascii=False, indent=1) + "\n"


def _rank(library: RankedLibrary) -> str:
    return f"{library.rank}{'=' if library.is_tied else ''}"


def _svg(library: str, standings: Sequence[Standing], newer: Sequence[str], newest: str | None) -> str:
    parts, y = [], 62.0
    for one in standings:
        drawn, y = _panel(library, one, y)
        parts += drawn
    foot = _foot(library, standings, newer, newest)
    height = round(y + 17 * len(foot) + 10)
    version = _version(library, standings)
    title, headline = f"{library} {version}".strip(), _headline(library, standings)
    spoken = f"serbench: {library}. {headline}"
    light, dark = (_colours(name) for name in ("light", "dark"))
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
                f'role="img" aria-label="{escape(spoken)}">'
            ),
            "<style>",
            "text{font:13px ui-sans-serif,system-ui,sans-serif}",
            f"svg{{{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}",
            ".p{fill:var(--p)}.t{fill:var(--t)}.f{fill:var(--f);font-size:11px}.g{stroke:var(--g)}",
            ".o{stroke:var(--o);fill:var(--o)}.n{stroke:var(--f);fill:var(--f)}.b{font-weight:600}.h{font-size:18px}",
            "</style>",
            f'<rect class="p g" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
            _text(16, 30, title, "t b h"),
            _text(16, 48, headline, "f"),
            *parts,
            *(_text(16, y + 4 + 17 * number, line, "f") for number, line in enumerate(foot)),
            "</svg>\n",
        ]
    )


def _colours(name: str) -> str:
    theme = THEMES[name]
    highlight = "#0072B2" if name == "light" else "#56B4E9"
    return f"--p:{theme.paper};--t:{theme.text};--f:{theme.faint};--g:{theme.grid};--o:{highlight}"


def _panel(library: str, one: Standing, y: float) -> tuple[list[str], float]:
    """The lines of the fastest, of a library and of its neighbours, and the library's shapes side by side."""
    position = next(number for number, other in enumerate(one.ranking) if other.library == library)
    start = max(0, min(position - NEIGHBOURS, len(one.ranking) - 2 * NEIGHBOURS - 1))
    shown = one.ranking[start : start + 2 * NEIGHBOURS + 1]
    shown = (one.ranking[0], *shown[1:])
    least, most = math.log(min(other.low for other in shown)), math.log(max(other.high for other in shown))
    width = max(most - least, math.log(1.05))

    def at(value: float) -> float:
        return round(LEFT + 12 + (RIGHT - LEFT - 24) * (math.log(value) - least) / width, 1)

    heads = [one.operation, "time as a multiple of the fastest, with its 95 % interval"]
    parts = [_text(16, y + 10, heads[0], "t b"), _text(WIDTH - 16, y + 10, heads[1], "f", "end")]
    y += 18
    for other in shown:
        dot, weight = ("o", "t b") if other.library == library else ("n", "t")
        middle = y + LINE / 2
        parts += [
            _text(40, middle + 4, _rank(other), "f", "end"),
            _text(48, middle + 4, other.library, weight),
            _text(LEFT - 8, middle + 4, words.class_words(other.work_class), "f", "end"),
            f'<line class="g" x1="{LEFT}" x2="{RIGHT}" y1="{middle}" y2="{middle}"/>',
            f'<line class="{dot}" stroke-width="3" x1="{at(other.low)}" x2="{at(other.high)}" y1="{middle}" y2="{middle}"/>',
            f'<circle class="{dot}" cx="{at(other.ratio)}" cy="{middle}" r="4"/>',
            _text(WIDTH - 16, middle + 4, _ratio(other), weight, "end"),
        ]
        y += LINE
    told = ", ".join(
        f"{name}: {words.factor_text(ratio)}".replace(" ", _NO_BREAK) for name, ratio in one.shapes[library].items()
    )
    lines = textwrap.wrap(f"{library} with each shape of data: {told}", CHARACTERS)
    parts += [_text(16, y + 14 + 15 * number, line, "f") for number, line in enumerate(lines)]
    return parts, y + 15 + 15 * len(lines)


def _ratio(library: RankedLibrary) -> str:
    if library.low == library.high:
        return words.factor_text(library.ratio)
    digits = 2 if library.high < 10 else 1 if library.high < 100 else 0
    return f"{library.ratio:.{digits}f}× ({library.low:.{digits}f} to {library.high:.{digits}f})"


def _headline(library: str, standings: Sequence[Standing]) -> str:
    told = [
        f"{one.operation}: rank {_rank(one.of(library))} of {len(one.ranking)}, over {len(one.shapes[library])} shapes of data"
        for one in standings
    ]
    return "; ".join(told) + (" (= is a tie)" if any(one.of(library).is_tied for one in standings) else "")


def _version(library: str, standings: Sequence[Standing]) -> str:
    rows = (row for one in standings for run in one.runs for row in run.rows if row.environment == "main")
    versions = {row.version for row in rows if row.library == library}
    return ", ".join(sorted(filter(None, versions)))


def _newer(runs: Sequence[Run], library: str, standings: Sequence[Standing]) -> list[str]:
    """The versions in any of the runs that are newer than those on the card."""
    versions = [version for version in _version(library, standings).split(", ") if version]
    every = {row.version for run in runs for row in run.rows if row.library == library and row.version}
    return sorted(one for one in every if versions and all(is_newer(one, version) for version in versions))


def _foot(library: str, standings: Sequence[Standing], newer: Sequence[str], newest: str | None) -> list[str]:
    runs = [run for one in standings for run in one.runs]
    dates = sorted({run.info.started[:10] for run in runs})
    machines = sorted({words.machine_line(run.info.machine) for run in runs})
    error = max((run.control.get("aa_error") or 0.0 for run in runs), default=0.0)
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    lines = [
        *textwrap.wrap(f"Measured {when} by serbench: {'; '.join(machines)}", CHARACTERS),
        f"A/A error {error:.1%}: in 95 % of cases, identical code under two names differed by less than that",
    ]
    version = _version(library, standings)
    if newer:
        many = "1 release" if len(newer) == 1 else f"{len(newer)} releases"
        lines.append(f"{many} behind: serbench has other published runs with {', '.join(newer)}")
    if newest and newest != version:
        lines.append(f"The package index has version {newest}, which was not measured here")
    return lines


def _text(x: float, y: float, text: str, look: str, anchor: str = "") -> str:
    end = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}" class="{look}"{end}>{escape(text)}</text>'
