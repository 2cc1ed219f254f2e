"""The explorer in a real browser, in Lab and in Voila, with the mouse and without."""

from __future__ import annotations

import re

import pages
import pytest
from pages import Page

pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]
VIEWS = ("scaling", "tradeoff", "phases", "table", "fidelity", "strictness", "code", "budget", "ranking")
CRASHING = """
from dataclasses import replace
import serbench
from serbench.render.library import libraries

usual = libraries()["dataclasses"]

def render(schema, codec, variant):
    rendered = usual.render(schema, codec, variant)
    rendered.module.add("import os\\n\\nos.abort()")
    return rendered

libraries()["deadly"] = replace(usual, name="deadly", render=render)
explorer = serbench.Explorer("tiny?libraries=deadly,msgspec&formats=orjson")
explorer
"""


TWO_PROGRAMS = pytest.mark.parametrize("program", ["lab", "voila"], indirect=True, scope="session")
"""Notebook 7 is made of JupyterLab's parts: what takes long and depends on the front end alone is tried in Lab."""
IN_VOILA = pytest.mark.parametrize("program", ["voila"], indirect=True, scope="session")


@pytest.fixture
def opened(browser, program):
    """Opens a notebook in a new page, with no runs; at the end no page has asked another host for anything, or raised."""
    name, address, folder = program
    made = []
    pages.write_notebook(folder / "crash.ipynb", [CRASHING])
    for path in folder.glob("runs.sqlite*"):
        path.unlink()

    def open_page(notebook, query="", **options):
        page = Page(browser, address, **options)
        made.append(page)
        page.open_voila(notebook, query) if name == "voila" else page.open_jupyter(name, notebook)
        return page

    yield open_page
    for page in made:
        page.page.close()
        assert ([], []) == (page.outside, page.errors)


def test_the_first_screen_shows_results(opened):
    """Before any click there are published results, with their date, machine and versions."""
    page = opened("explore.ipynb")
    origin = page.explorer.locator(".sb-origin").inner_text()
    assert "published with serbench" in origin
    assert re.search(r"\d{4}-\d\d-\d\dT", origin)
    assert "CPython" in origin
    assert "msgspec " in origin
    assert " as fast" in page.title
    assert [] == page.nameless()
    figure = page.explorer.locator(".sb-figure")
    assert "figure" == figure.get_attribute("role")
    assert figure.get_attribute("aria-label").startswith(page.title.splitlines()[0])
    page.page.wait_for_selector(".sb-figure .ytick text")  # on the first drawing labels stand beside their dots


def test_a_person_measures_cancels_and_looks_around(opened):
    """Libraries, sizes and depth are chosen, points come and tighten, and what a cancelled run has is kept."""
    page = opened("explore.ipynb")
    page.choose_libraries("msgspec", "pydantic")
    page.choose_effort("thorough")
    page.slide("Records", 7)
    page.slide("Depth", 3)
    assert "200 records at depth 4 is not measured yet" in page.explorer.locator(".sb-note").inner_text()
    page.explorer.locator(".sb-run").click()
    page.until_points()
    widths = "document.querySelector('.sb-figure').data.flatMap(d => d.error_x.array.map((a, i) => a / d.x[i]))"
    first = page.page.evaluate(widths)
    page.page.wait_for_function(
        "document.querySelector('[role=status].sb-small').textContent.match(/wave ([3-9]|\\d\\d)/)"
    )
    page.explorer.get_by_role("button", name="Cancel").click()
    page.until_running(is_running=False)
    page.page.wait_for_function("document.querySelector('.sb-origin').textContent.includes('your run')")
    assert "what was measured is kept" in page.explorer.locator(".sb-action").inner_text()
    assert len(first) <= len(page.page.evaluate(widths))
    for view in VIEWS:
        page.switch(view)
        assert view == page.explorer.locator("[role=tab][aria-selected=true]").get_attribute("data-view")
    page.switch("table")
    lines = page.results()
    everything = lines.count()
    page.explorer.get_by_label("Filter").fill("pydantic orjson")
    page.until_answered()
    assert 0 < lines.count() < everything
    assert all("orjson" in text for text in lines.all_inner_texts())
    lines.first.get_by_role("button").click()
    page.page.wait_for_selector("tr.sb-base")
    assert "against" in page.explorer.locator("thead").first.inner_text()


@TWO_PROGRAMS
def test_code_is_copied_as_it_was_measured(opened):
    """The button gives the whole module to the clipboard."""
    page = opened("explore.ipynb")
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.switch("code")
    page.explorer.get_by_role("button", name="Copy code").click()
    page.page.wait_for_selector("text=Copied")
    copied = page.page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == page.explorer.locator(".sb-code").inner_text().strip()
    assert "def encode(" in copied


def test_a_crash_is_a_red_row(opened):
    """A library whose worker crashes has a red line with the reason, and the other is measured."""
    page = opened("crash.ipynb")
    page.explorer.locator(".sb-run").click()
    page.page.wait_for_selector(".sb-failures li")
    page.until_running(is_running=False)
    (line,) = page.explorer.locator(".sb-failures li").all()
    assert "deadly via orjson crashed" in line.inner_text()
    assert "SIGABRT" in line.inner_text() or "Aborted" in line.inner_text()
    red, green, blue = page.page.evaluate(
        "getComputedStyle(document.querySelector('.sb-failures li')).color.match(/\\d+/g).slice(0, 3).map(Number)"
    )
    assert red > green + 60 < 255 > blue
    page.page.wait_for_function("document.querySelector('.sb-figure').textContent.includes('msgspec')")
    page.switch("table")
    assert "crashed" in page.explorer.locator("tr.sb-failed").inner_text()


@TWO_PROGRAMS
def test_the_keyboard_is_enough(opened):
    """Tab, arrows, Space and Enter choose, run, cancel, switch through all views, filter and copy."""
    page = opened("explore.ipynb")
    keyboard = page.page.keyboard
    page.explorer.locator("select").first.focus()
    page.tab_to("Records, slider")
    for _ in range(6):
        keyboard.press("ArrowRight")
    page.tab_to("Depth, slider")
    keyboard.press("ArrowRight")
    page.tab_to("Libraries")
    keyboard.press("Enter")
    page.page.wait_for_selector("[aria-label='Search libraries']:focus")
    keyboard.type("marshmallow")
    page.tab_to("marshmallow ")
    keyboard.press("Space")
    keyboard.press("Escape")
    page.tab_to("More")
    keyboard.press("Enter")
    page.tab_to("Effort")
    keyboard.press("t")  # a thorough run is not over before Cancel has the focus
    page.page.wait_for_selector("text=Run: 100 records at depth 3")
    page.tab_to("Run: 100 records")
    keyboard.press("Enter")
    page.until_points()
    page.tab_to("Cancel")
    keyboard.press("Enter")
    page.until_running(is_running=False)
    page.tab_to("ranking")
    for view in VIEWS:
        keyboard.press("ArrowRight")
        page.until_answered()
        assert view == page.explorer.locator("[role=tab][aria-selected=true]").get_attribute("data-view")
    for _ in ("budget", "code"):
        keyboard.press("ArrowLeft")
    page.page.wait_for_selector(".sb-code")
    page.tab_to("Copy code")
    keyboard.press("Enter")
    page.page.wait_for_selector("text=Copied")


@TWO_PROGRAMS
def test_quick_hands_lose_nothing(opened):
    """What is ticked counts although the list is closed at once, and a control keeps the focus if the view is redrawn."""
    page = opened("explore.ipynb")
    page.page.evaluate("""() => {
      const [list] = document.querySelectorAll(".sb-several");
      list.open = true;
      for (const label of list.querySelectorAll("label")) if (/^(msgspec|pydantic) /.test(label.textContent)) label.click();
      list.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
      document.querySelector(".sb-checks input").click();
    }""")
    page.until_answered()
    assert "Libraries: msgspec, pydantic" == page.explorer.locator(".sb-several summary").first.inner_text()
    page.switch("table")
    page.tab_to("library")
    for arrow in "▲▼":
        page.page.keyboard.press("Enter")
        page.until_answered()
        assert f"library {arrow}" == page.focused()
    page.tab_to("Compare with")
    page.page.keyboard.press("Space")
    page.until_answered()
    assert page.focused().startswith("Compare with")


@TWO_PROGRAMS
def test_a_figure_is_saved(opened):
    """The buttons give the figure as SVG and PNG, also if both are pressed at once."""
    page = opened("explore.ipynb")
    page.page.wait_for_selector(".serbench-explorer .scatterlayer .point", state="attached")
    with (
        page.page.expect_download(lambda file: file.suggested_filename == "serbench-ranking.svg") as svg,
        page.page.expect_download(lambda file: file.suggested_filename == "serbench-ranking.png") as png,
    ):
        page.page.evaluate(
            "document.querySelectorAll('.sb-spring ~ span button').forEach((b) => /G$/.test(b.textContent) && b.click())"
        )
    for saved in (svg, png):
        assert saved.value.path().stat().st_size > 10_000


@TWO_PROGRAMS
def test_it_measures_as_one_moves(opened):
    """With that box ticked, a size that is not stored is measured without a click on Run."""
    page = opened("explore.ipynb")
    page.choose_libraries("marshmallow")
    page.explorer.locator("summary", has_text="More").click()
    page.explorer.get_by_label("Effort").select_option("thorough")
    page.explorer.get_by_label("measure as I move").check()
    page.slide("Records", 5)
    page.until_running(is_running=True)
    page.until_points()
    page.explorer.get_by_role("button", name="Cancel").click()
    page.until_running(is_running=False)


@IN_VOILA  # Jupyter's theme is a setting of its own; in Voila it is in the address
def test_a_dark_page_has_dark_figures(opened):
    """The explorer follows the page's colours: its figures have the widget's own background and light text on it."""
    page = opened("explore.ipynb", "?theme=dark")
    page.page.wait_for_selector(".serbench-explorer[data-theme=dark]")
    page.page.wait_for_function(
        "() => {"
        " const layout = document.querySelector('.sb-figure').layout;"
        " const own = getComputedStyle(document.querySelector('.serbench-explorer')).backgroundColor;"
        " return layout?.paper_bgcolor === own && layout.font.color === '#E6E8EB';"
        "}"
    )


@IN_VOILA
def test_a_link_recreates_the_view(opened):
    """In Voila the address holds the state."""
    page = opened("explore.ipynb", "?state=client-rich%3Fview%3Dtradeoff%26operation%3Dencode")
    assert "tradeoff" == page.explorer.locator("[role=tab][aria-selected=true]").get_attribute("data-view")
    assert "client-rich" == page.explorer.get_by_label("Data", exact=True).input_value()
    assert "encode" == page.explorer.get_by_label("Operation").input_value()
