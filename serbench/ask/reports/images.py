"""Figures as images.

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
from pathlib import Path

from serbench.display.figures import finding_of
from serbench.display.style import Figure
from serbench.errors import PlanError, installed_by
from serbench.judge.rows import six_digits
from serbench.machine.files import write_file

FORMATS = ("svg", "png")
WIDTH_PX = 1000
STAMP = "<!-- serbench figure {digest}, described -->\n"


def outdated_images(figures: Iterable[tuple[Path, Figure]]) -> Iterator[tuple[Path, Figure]]:
    """Each SVG that is there and not of its figure, with that figure."""
    for stem, figure in figures:
        path = stem.with_name(f"{stem.name}.svg")
        if path.exists() and not _is_of(path, figure):
            yield path, figure


def draw(figures: Iterable[tuple[Path, Figure]], ending: str) -> list[Path]:
    """Draw every figure whose image is missing or not current; return the files that were written.

    Raises:
        PlanError: no Kaleido, or it finds no browser.
    """
    every = ((stem.with_name(f"{stem.name}.{ending}"), figure) for stem, figure in figures)
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
