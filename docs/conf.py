"""How Sphinx builds the documentation: `sphinx-build -W -c docs . build/site`.

The sources are the files that a forge shows, so that each link works in both places.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import serbench
from serbench.render.library import libraries

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([\w./-]+)\.(?:md|ipynb)(?:#[\w-]*)?\)")
PICTURE = re.compile(r'<(?:source|img)[^>]* (?:srcset|src)="([^"]+)"')
CONTENTS = {  # page → the beginnings of the documents that stand below it
    "docs/index": ("docs/", "README", "CONTRIBUTING", "CHANGELOG"),
    "docs/articles/index": ("docs/articles/",),
    "docs/commands/index": ("docs/commands/",),
    "docs/libraries/index": ("docs/libraries/",),
    "docs/notebooks": ("notebooks/",),
    "docs/values": ("docs/silent-changes",),
    "docs/reading-results": ("data/",),
    "data/index": ("data/",),
}
SHOWN = '<p><a href="{to}results/index.html{choice}">{text}</a></p>'
PAGE = SHOWN.format(to="../", choice="", text="All results as one page, with filters")
MOVED = {  # a page that is gone → the one that answers its question now; the first page of the site leads to the documentation
    "index": "docs/index.html",
    "docs/bias": "method/accuracy.html#what-the-figures-cannot-show",
    "docs/cores-and-machines": "environments.html#several-cores-and-machines",
    "docs/corrections": "policy.html#corrections",
    "docs/results": "reading-results.html#published-results",
    "docs/method/conditions": "measuring.html#conditions",
    "docs/method/inference": "../own-data.html#what-serbench-infers",
    "docs/method/work-classes": "verification.html#validation",
}
LEADS = '<!doctype html><meta charset="utf-8"><title>serbench</title><meta http-equiv="refresh" content="0; url={to}"><a href="{to}">{to}</a>\n'

project = "serbench"
author = "The serbench authors"
version = release = serbench.__version__
extensions = ["myst_nb"]
root_doc = "docs/index"
include_patterns = ["docs/**", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "notebooks/*.ipynb", "data/**.md"]
exclude_patterns = ["data/executed"]
html_theme = "furo"
html_title = "serbench"
html_static_path = ["_static"]
html_css_files = ["readable.css"]
html_search_scorer = str(ROOT / "docs" / "_static" / "scorer.js")
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, Any] = {}
myst_heading_anchors = 4
smartquotes = False  # they would make one dash of the two before an option
suppress_warnings = [
    "misc.highlighting_failure",
    "myst.header",
]  # a transcript is no Python; a notebook's first heading


@cache
def _shown() -> dict[str, str]:
    """The notebooks with their published outputs."""
    from serbench.api.reports.published import with_outputs

    return with_outputs(ROOT / "data")


def _with_contents(app: Sphinx, docname: str, source: list[str]) -> None:  # noqa: ARG001  # the signature of Sphinx
    """Add what only the site has: contents, made of a page's own links, published outputs, a link to the page of results."""
    if docname in CONTENTS:
        linked = [os.path.normpath(Path(docname).parent / name) for name in LINK.findall(source[0])]
        own = dict.fromkeys(name for name in linked if name.startswith(CONTENTS[docname]) and name != docname)
        lines = "\n".join(f"/{name}" for name in own)
        source[0] += f"\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n"
    if docname.startswith("notebooks/"):
        source[0] = _shown()[Path(docname).name]
    folder, _, name = docname.rpartition("/")
    if docname == "docs/reading-results":
        source[0] += f"\n{PAGE}\n"
    if docname == root_doc:
        source[0] = source[0].replace("\n## ", f"\n{PAGE}\n\n## ", 1)
    if folder == "docs/libraries" and name in libraries():
        link = SHOWN.format(to="../../", choice=f"#library={name}", text=f"Published rows of {name}, with filters")
        source[0] = source[0].replace("## Published ranks\n", f"## Published ranks\n\n{link}\n", 1)


def _notebooks(app: Sphinx, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:  # noqa: ARG001  # as above
    """The pages to read again in each build: their outputs are not in the file that Sphinx looks at."""
    return [name for name in env.found_docs if name.startswith("notebooks/")]


def _write_results(app: Sphinx, failed: Exception | None) -> None:
    """Write the page of all published results, and pages that lead to those that have moved."""
    if failed is None and app.builder.format == "html":
        from serbench.api.reports.page import page
        from serbench.api.reports.published import published_runs
        from serbench.api.verifying import published_matrices

        runs = [one.run for one in published_runs(ROOT / "data")]
        page(runs, Path(app.outdir) / "results", matrices=published_matrices(), inline=True)
        for name, to in MOVED.items():
            (Path(app.outdir) / f"{name}.html").write_text(LEADS.format(to=to), encoding="utf-8")
        for image in PICTURE.findall((ROOT / "README.md").read_text(encoding="utf-8")):  # Sphinx copies none of HTML
            copy = Path(app.outdir) / image
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / image, copy)


def setup(app: Sphinx) -> None:
    """Register what is done beside Sphinx's own work."""
    app.connect("env-get-outdated", _notebooks)
    app.connect("source-read", _with_contents)
    app.connect("build-finished", _write_results)
