"""A page to share: every view of stored or published runs, in one file without any request, or in a folder."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import compress

from serbench.api.reports.page.content import Content, content
from serbench.display.values import csv_text
from serbench.errors import PlanError
from serbench.judge.outcomes import Behaviour
from serbench.judge.rows import as_data
from serbench.machine.files import write_files
from serbench.store.archive import Sheet
from serbench.store.run import Run

HERE = Path(__file__).parent
VIEWS = (
    "overview",
    "ranking",
    "scaling",
    "tradeoff",
    "phases",
    "budget",
    "table",
    "fidelity",
    "strictness",
    "code",
)
SCRIPTS = (
    "numbers.js",
    "charts.js",
    "choice.js",
    "parts.js",
    *(f"views/{name}.js" for name in VIEWS if name != "strictness"),  # fidelity.js draws both matrices
    "around.js",
    "page.js",
)
INLINE_BYTES = 6_000_000
"""What one file may weigh: a phone on a slow line still has it within seconds."""


@dataclass(frozen=True)
class Page:
    """A page that was written: its files, the first of which is to be opened, and what had no room in it."""

    paths: tuple[Path, ...]
    left_out: tuple[str, ...] = ()


def page(
    runs: Sequence[Run],
    folder: str | Path,
    *,
    matrices: Sequence[Behaviour] = (),
    inline: bool = True,
    most_bytes: int = INLINE_BYTES,
) -> Page:
    """Write `index.html` with every view of the runs into a folder, which is made if missing.

    Args:
        runs: stored or published ones, which come with the code that they measured.
        matrices: outcomes of probes, such as `serbench.probed()`; none by default.
        inline: all in one file of at most `most_bytes`; the oldest runs are left out if there is no room.
            Otherwise script, style and data stand beside it, and each run as CSV and JSON under `runs/`.

    Raises:
        PlanError: nothing to show, no room for even one run, or a file that cannot be written.
    """
    shown = sorted((run for run in runs if run.rows), key=lambda run: run.info.started, reverse=True)
    if not shown:
        raise PlanError(
            "there are no results for a page; measure with `serbench run` and name the run with --run latest"
        )
    files, left_out = _one_file(shown, matrices, most_bytes) if inline else (_several_files(shown, matrices), ())
    try:
        for name in files:
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
        paths = write_files(Path(folder), files)
    except OSError as error:
        raise PlanError(
            f"{error.filename or folder} cannot be written: {error.strerror}; name another folder"
        ) from None
    return Page(tuple(paths), left_out)


def _one_file(
    runs: list[Run], matrices: Sequence[Behaviour], most_bytes: int
) -> tuple[dict[str, str], tuple[str, ...]]:
    style, script = page_style(), _page_script()
    policy = f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    sheets = [Sheet.of(run) for run in runs]
    for kept in range(len(runs), 0, -1):
        left_out = tuple(f"run {run.id}, because one file would be too large" for run in runs[kept:])
        data = packed(content(sheets[:kept], matrices, left_out))
        html = _html(
            policy=policy,
            style=f"<style>{style}</style>",
            data=f'<script type="text/plain" id="data">{data}</script>',
            script=f"<script>{script}</script>",
        )
        if len(html.encode()) <= most_bytes:
            return {"index.html": html}, left_out
    raise PlanError(f"one file would exceed {most_bytes:,} bytes; use --site, which writes a folder of any size")


def _several_files(runs: list[Run], matrices: Sequence[Behaviour]) -> dict[str, str]:
    sheets = [Sheet.of(run) for run in runs]
    pages = content(sheets, matrices)
    beside: dict[str, str] = {}
    for number, (told, run) in enumerate(zip(pages["runs"], runs, strict=True)):
        name = run.id if re.fullmatch(r"[\w-]+", run.id, re.ASCII) else f"run{number}"
        told["files"] = {ending: f"runs/{name}.{ending}" for ending in ("csv", "json")}
        beside |= {told["files"]["csv"]: csv_text(run.rows), told["files"]["json"]: _run_json(told, run)}
    return {
        "index.html": _html(
            policy="default-src 'none'; img-src data:; style-src 'self' file:; script-src 'self' file:",
            style='<link rel="stylesheet" href="page.css">',
            data='<script src="data.js"></script>',
            script='<script src="page.js"></script>',
        ),
        "page.css": page_style(),
        "page.js": _page_script(),
        "data.js": f'globalThis.serbenchContent = "{packed(pages)}";\n',
        **beside,
    }


def _run_json(told: Content, run: Run) -> str:
    shown = {name: value for name, value in told.items() if name not in ("rows", "group", "files")}
    return json.dumps(shown | {"rows": [as_data(row) for row in run.rows]}, indent=1, ensure_ascii=False) + "\n"


def _html(**parts: str) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], text_of("page.html"))


def drawing() -> str:
    """A function that draws the views below an element: for itself, or for the explorer, which is the `host`."""
    begin = 'const serbenchPage = (root, host) => {\n"use strict";'
    return "\n".join([text_of("shared.js"), text_of("controls.js"), begin, *map(text_of, SCRIPTS), "};"])


def _page_script() -> str:
    return f"(() => {{\n{drawing()}\nserbenchPage(document, null);\n}})();"


def page_style() -> str:
    """The style of the page and, in a tree of its own, of a view in the explorer."""
    return f"{text_of('controls.css')}\n{text_of('page.css')}"


def text_of(name: str) -> str:
    """Return a file of this folder."""
    return (HERE / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """The digest of an inline script or style for the content security policy; no other may run."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def packed(data: Any) -> str:
    """JSON, compressed, as text that is neither markup nor code wherever it stands."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return b64encode(compress(text.encode(), 9)).decode()


def as_json(data: Any) -> str:
    """JSON that ends no element and no line wherever it stands: text from data must not become markup or code."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
