"""The figures of published runs and claims as images.

Kaleido draws images with a Chromium that it finds. An SVG says in its first line which figure it is of, so that whether
it is current is known without a browser, and one that is current is left as it is. A PNG cannot say that, and is drawn anew.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import chain
from pathlib import Path
from typing import get_args

from serbench.ask.reports.published import Published, published_runs
from serbench.claims.judging import against_published
from serbench.claims.ledger import PUBLISHED, ledger
from serbench.display.figures import conditions_figure, finding_of, ranking, scaling
from serbench.display.style import Figure, ThemeName
from serbench.errors import PlanError, installed_by
from serbench.judge.rows import six_digits
from serbench.keep.run import Run
from serbench.machine.files import write_file
from serbench.results import grouped

FORMATS = ("svg", "png")
WIDTH_PX = 1000
FRONT = ("nested_models", "decode", "client-rich")
"""Result, operation and workload of the figure of the README."""
STAMP = "<!-- serbench figure {digest}, described -->\n"


def figures(run: Run) -> dict[str, Figure]:
    """The figures of a run by the names of their files: a ranking for each operation, workload and size, or scaling.

    If a run has several sizes or depths of one workload, one figure of their scaling replaces their rankings. If it has
    cases under `hot` and `varied`, a figure for each operation compares these.
    """
    figures_by_file: dict[str, Figure] = {}
    several = len({row.conditions for row in run.rows}) > 1
    for (workload, conditions, operation), rows in grouped(
        run.rows, lambda row: (row.workload, row.conditions, row.operation)
    ).items():
        named = f"{workload} {conditions}" if several else workload
        name = f"{operation}-{re.sub(r'[^a-z0-9]+', '-', named.lower())}"
        if not any(row.measured for row in rows):
            continue
        if len({(row.records, row.depth) for row in rows}) > 1:
            most, least = max(row.records for row in rows), min(row.depth for row in rows)
            figures_by_file[name] = scaling(rows, run.info, records=most, depth=least, least=run.least)
        else:
            figures_by_file[name] = ranking(rows, run.info, control=run.control)
    for operation, rows in grouped(run.rows, lambda row: row.operation).items():
        both = conditions_figure(rows, run.info, least=run.least)
        if both["data"]:
            figures_by_file[f"{operation}-conditions"] = both
    return figures_by_file


def drawings(data: Path) -> Iterator[tuple[Path, Figure]]:
    """Every published figure, with the path of its image without the ending."""
    for one in (run for run in published_runs(data) if not run.is_size_grid):
        for name, figure in figures(one.run).items():
            yield one.folder / name, figure
        if one.name == FRONT[0]:
            yield from _front(one)
    claims = ledger(data / PUBLISHED).outcomes
    if claims:
        yield data / PUBLISHED / "ledger", against_published(claims)


def _front(published: Published) -> Iterator[tuple[Path, Figure]]:
    """Yield the README's figure, light and dark: the fastest case of each library."""
    rows = [row for row in published.run.rows if row.measured and (row.operation, row.workload) == FRONT[1:]]
    first = [
        min(members, key=lambda row: row.ratio or 0.0) for members in grouped(rows, lambda row: row.library).values()
    ]
    for theme in get_args(ThemeName):
        yield published.folder / f"libraries-{theme}", ranking(first, published.run.info, control=None, theme=theme)


def outdated_images(data: Path, more: Iterable[tuple[Path, Figure]] = ()) -> Iterator[tuple[Path, Figure]]:
    """Each SVG that is there and not of the figure that is published, with that figure; `more` are further ones."""
    if any(data.rglob("*.svg")):
        for stem, figure in chain(drawings(data), more):
            path = stem.with_name(f"{stem.name}.svg")
            if path.exists() and not _is_of(path, figure):
                yield path, figure


def draw(data: Path, ending: str, more: Iterable[tuple[Path, Figure]] = ()) -> list[Path]:
    """Draw every published figure that is missing or not current, and `more`; return the files that were written.

    Raises:
        PlanError: no Kaleido, or it finds no browser.
    """
    every = ((stem.with_name(f"{stem.name}.{ending}"), figure) for stem, figure in chain(drawings(data), more))
    wanted = [(path, figure) for path, figure in every if ending != "svg" or not _is_of(path, figure)]
    for (path, figure), image in zip(wanted, _images([figure for _, figure in wanted], ending), strict=True):
        write_file(path, _stamp(figure) + _described(_plain(image.decode()), figure) if ending == "svg" else image)
    return [path for path, _ in wanted]


def _images(drawn: Sequence[Figure], ending: str) -> list[bytes]:
    """Each figure as an image, all of them by one browser."""
    if not drawn:
        return []
    try:
        return asyncio.run(_by_kaleido(drawn, ending))
    except ImportError:
        raise PlanError(f"drawing figures needs Kaleido: {installed_by('report')}") from None
    except (ValueError, RuntimeError) as error:  # no browser
        raise PlanError(f"figures cannot be drawn ({' '.join(str(error).split())[:200]}); omit --image") from None


async def _by_kaleido(drawn: Sequence[Figure], ending: str) -> list[bytes]:
    import kaleido
    import plotly.graph_objects as go

    async with kaleido.Kaleido(n=1) as browser:
        return [
            await browser.calc_fig(go.Figure(figure), opts={"format": ending, "width": WIDTH_PX}) for figure in drawn
        ]


def _described(svg: str, figure: Figure) -> str:
    """The SVG with its finding as the text that a screen reader says."""
    text = escape(finding_of(figure), quote=True)
    begin = f'<svg role="img" aria-label="{text}" '
    return begin + svg.removeprefix("<svg ").replace(">", f"><title>{text}</title>", 1)


def _plain(svg: str) -> str:
    """The SVG with the names that plotly.js draws at random, of clips and traces, in the order of their use."""
    names = dict.fromkeys(re.findall(r"\b(?:defs-|clip|trace scatter trace|topdefs-)([0-9a-f]{6})", svg))
    for number, name in enumerate(names):
        svg = svg.replace(name, f"{number:06d}")
    return svg + "\n"


def _is_of(path: Path, figure: Figure) -> bool:
    return path.exists() and path.read_bytes().startswith(_stamp(figure).encode())


def _stamp(figure: Figure) -> str:
    return STAMP.format(digest=fingerprint(figure))


def fingerprint(figure: Figure) -> str:
    """The fingerprint of a figure, also as a notebook holds it; of floats six digits, whose last bits differ from machine to machine."""
    text = json.dumps([figure["data"], figure["layout"]])
    rounded = json.loads(text, parse_float=lambda digits: six_digits(float(digits)))
    return hashlib.sha256(json.dumps(rounded, sort_keys=True).encode()).hexdigest()[:16]
