"""The site is built without a warning, each of its links leads somewhere, and no page asks another host."""

from __future__ import annotations

import json
import re
import runpy
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import accessibility
import pytest
from waits import LONG_S, run

from serbench.api.command_line.program import COMMANDS
from serbench.render.library import libraries

ROOT = Path(__file__).parents[1]
LOADED = {"link": "href", "script": "src", "img": "src", "source": "srcset", "iframe": "src"}
PAGES = ("start", "reading-results", "libraries/msgspec", "commands/run", "method/measuring")

SEARCHED = {
    "which validates fastest": "questions.html#which-library-validates-fastest",
    "Decimal comes back changed": "questions.html#why-does-my-decimal",
    "message queue format": "formats.html#a-message-queue",
    "which byte format": "docs/formats.html",
}

BROKEN = """[...document.querySelectorAll("td:first-child code")]
    .filter((name) => name.getClientRects().length > 1).map((name) => name.textContent)"""
"""The names of options and columns that are broken over two lines."""

pytestmark = [pytest.mark.full, pytest.mark.changed("docs", "notebooks", "data", "*.md")]


class Links(HTMLParser):
    """The links of a page, the files that it loads, and the places in it that a link can name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        self.places |= {facts["id"] or ""} if "id" in facts else set()
        self.links |= {facts["href"] or ""} if tag == "a" and "href" in facts else set()
        loaded = facts.get(LOADED.get(tag, ""))
        self.loaded |= {loaded} if loaded and facts.get("rel") != "canonical" else set()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site; a warning is an error."""
    folder = tmp_path_factory.mktemp("site") / "html"
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-c", str(ROOT / "docs"), str(ROOT), str(folder)]
    done = run([*command, "-d", f"{folder}.doctrees"], check=False, seconds=LONG_S)
    assert (0, "") == (done.returncode, done.stderr)
    return folder


@pytest.fixture(scope="module")
def parsed(site):
    """Each page with its links."""
    pages = [path for path in site.rglob("*.html") if path.parent != site / "results"]
    return {path: Links(path.read_text(encoding="utf-8")) for path in pages}


def test_every_command_and_library_has_a_page(site):
    """The site has a page for each command, each library and each notebook, and the page of results."""
    expected = {f"docs/commands/{name}" for name in COMMANDS}
    expected |= {f"docs/libraries/{name}" for name in libraries()}
    expected |= {f"notebooks/{path.stem}" for path in (ROOT / "notebooks").glob("*.ipynb")} | {"results/index"}
    assert [] == [name for name in sorted(expected) if not (site / f"{name}.html").exists()]


NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_shows_its_published_results(name, site):
    """The page has the findings, tables and figures of each cell that shows some, and nothing is measured for it."""
    given = site.parent / "jupyter_execute" / "notebooks" / f"{name}.ipynb"  # as Sphinx had it, with outputs
    cells = json.loads(given.read_text(encoding="utf-8"))["cells"]
    asked = [cell for cell in cells if cell["cell_type"] == "code" and cell["execution_count"]]
    assert asked or name in ("explore", "tutorial")  # which publish none
    assert [] == ["".join(cell["source"]) for cell in asked if not cell["outputs"]]
    kinds = {kind for cell in asked for output in cell["outputs"] for kind in output["data"]}
    assert kinds <= {"image/svg+xml", "text/markdown", "text/html", "text/plain"}
    figures = sum("image/svg+xml" in one["data"] for cell in asked for one in cell["outputs"])
    text = (site / "notebooks" / f"{name}.html").read_text(encoding="utf-8")
    assert len(asked) <= text.count('class="cell_output')
    assert len(re.findall(r'<img[^>]*src="../_images/[^"]*[.]svg', text)) >= figures


def test_links_lead_somewhere(site, parsed):
    """A link within the site leads to a file that is there, and to a place that its page has."""
    wrong = []
    for path, page in parsed.items():
        for link in page.links | page.loaded:
            parts = urlsplit(link)
            if parts.scheme or not (parts.path or parts.fragment):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            places = parsed[target].places if target in parsed and parts.fragment else {parts.fragment}
            if not target.is_file() or unquote(parts.fragment) not in places:
                wrong.append(f"{path.relative_to(site)}: {link}")
    assert wrong == []


def test_every_page_has_one_title(site, parsed):
    """A page has a title, by which the contents list it; the tables of a run have none of their own."""
    titles = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8").count("<h1") for path in parsed}
    moved = {f"{name}.html" for name in runpy.run_path(str(ROOT / "docs" / "conf.py"))["MOVED"]}
    assert {"search.html", *moved} == {name for name, count in titles.items() if count != 1}
    index = (site / "data" / "index.html").read_text(encoding="utf-8")
    assert ">Where does the time of a JSON API go: the bytes, or the models?</a>" in index
    assert "1 record · depth 2 · varied documents</a>" not in index


def test_an_option_keeps_its_two_dashes(site):
    """An option that is no code in its sentence has two dashes, as in the command that a reader copies."""
    assert "serbench verify --all shows each" in (site / "README.html").read_text(encoding="utf-8")


def test_nothing_is_loaded_from_another_host(parsed):
    """Scripts, styles, fonts and images come with the site."""
    assert {} == {path: out for path, page in parsed.items() if (out := {u for u in page.loaded if "//" in u})}


def test_no_page_asks_another_host(site, browser):
    """In a browser, wide and narrow, a page asks for local files only, and is no wider than its window."""
    for width in (1440, 390):
        view = browser.new_page(viewport={"width": width, "height": 900})
        asked: list[str] = []
        view.on("request", lambda request, asked=asked: asked.append(request.url))
        for name in PAGES:
            view.goto((site / "docs" / f"{name}.html").as_uri())
            assert [] == view.evaluate(BROKEN), (name, width)
            assert view.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
        assert [] == [url for url in asked if not url.startswith(("file:", "data:"))]
        view.close()


def test_the_search_leads_to_the_section(site, browser):
    """A question in any words leads to the section whose heading has most of them, "which" and the like not counted."""
    view = browser.new_page()
    for asked, place in SEARCHED.items():
        view.goto(f"{(site / 'search.html').as_uri()}?q={quote(asked)}")
        assert place in view.locator("#search-results li > a").first.get_attribute("href", timeout=20_000), asked
    view.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_reader_can_use_the_first_page(site, browser, scheme):
    """axe-core has no serious finding on the documentation's first page, wide and narrow."""
    source = accessibility.script()
    for width in (1440, 390):
        view = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        view.goto((site / "docs" / "index.html").as_uri())
        assert [] == accessibility.grave(view, source), width
        view.close()
