"""The explorer in a real browser, in Lab and in Voila, with the mouse and without."""

from __future__ import annotations

import re

import pages
import pytest

pytestmark = pytest.mark.full
VIEWS = ("scaling", "tradeoff", "phases", "budget", "table", "fidelity", "strictness", "code", "ranking")
TWO_PROGRAMS = pytest.mark.parametrize("program", ["lab", "voila"], indirect=True, scope="session")
"""Notebook 7 is made of JupyterLab's parts: what takes long and depends on the front end alone is tried in Lab."""
IN_VOILA = pytest.mark.parametrize("program", ["voila"], indirect=True, scope="session")


def test_the_first_screen_shows_results(opened):
    """Before any click there are published results, with their date, machine and versions."""
    page = opened("explore.ipynb")
    origin = page.explorer.locator("#origin").inner_text()
    assert page.explorer.locator(".sb-published").is_visible()
    assert re.search(r"\d{4}-\d\d-\d\dT", origin)
    assert "CPython" in origin
    assert "msgspec " in origin
    assert " faster than " in page.title
    assert [] == page.nameless()
    assert page.explorer.locator("#view [role=figure]").count()
    assert page.title == page.explorer.locator("#told").text_content()


@TWO_PROGRAMS
def test_the_keyboard_is_enough(opened):
    """Tab, arrows, Space and Enter choose, run, cancel, switch through all views, filter and copy."""
    page = opened("explore.ipynb")
    keyboard = page.page.keyboard
    page.explorer.locator("select").first.focus()
    page.tab_to("Records, slider")
    for _ in range(3):
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
    assert "what was measured is kept" in page.explorer.locator(".sb-action").inner_text()
    page.tab_to("Ranking")
    for view in VIEWS:
        keyboard.press("ArrowRight")
        page.until_answered()
        assert view == page.explorer.locator("[role=tab][aria-selected=true]").get_attribute("data-view")
    keyboard.press("ArrowLeft")
    page.explorer.locator("#view pre").wait_for()
    page.tab_to("Copy code")
    pages.copied(page.explorer.get_by_role("button", name="Copy code"), lambda: keyboard.press("Enter"))


@TWO_PROGRAMS
def test_quick_hands_lose_nothing(opened):
    """What is ticked counts although the list is closed at once, and a control keeps the focus if the view is redrawn."""
    page = opened("explore.ipynb")
    page.page.evaluate("""() => {
      const [list] = document.querySelectorAll(".several details");
      list.open = true;
      for (const label of list.querySelectorAll("label")) if (/^(msgspec|pydantic) /.test(label.textContent)) label.click();
      list.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
      document.querySelector(".sb-controls > .check input").click();
    }""")
    page.until_answered()
    assert "msgspec, pydantic" == pages.popover(page.explorer, "Libraries").inner_text()
    page.switch("table")
    page.tab_to("library")
    for order in ("ascending", "descending"):
        page.page.keyboard.press("Enter")
        page.until_answered()
        assert "library" == page.focused()
        assert order == page.explorer.locator("th", has=page.page.locator("#by-library")).get_attribute("aria-sort")


@IN_VOILA
def test_a_link_recreates_the_view(opened):
    """In Voila the address holds the state."""
    page = opened("explore.ipynb", "?state=client-rich%3Fview%3Dtradeoff%26operation%3Dencode")
    assert "tradeoff" == page.explorer.locator("[role=tab][aria-selected=true]").get_attribute("data-view")
    assert "client-rich" == page.explorer.get_by_label("Data", exact=True).input_value()
    assert "encode" == page.explorer.get_by_label("Operation").input_value()


@IN_VOILA  # Jupyter's theme is a setting of its own; in Voila it is in the address
def test_a_dark_page_has_dark_views(opened):
    """The explorer follows the page's colours, also in the tree in which its views are drawn."""
    page = opened("explore.ipynb", "?theme=dark")
    page.page.wait_for_selector(".serbench-explorer[data-theme=dark]")
    colours = "(one) => [getComputedStyle(one).color, getComputedStyle(one.getRootNode().host).backgroundColor].map((text) => text.match(/\\d+/g).map(Number)[0])"
    text, paper = page.explorer.locator("#finding").evaluate(colours)
    assert text > 150
    assert paper < 100


KERNEL = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"


@pytest.mark.parametrize("program", ["lab"], indirect=True, scope="session")
def test_an_interrupt_ends_a_run_and_a_restart_is_told(opened):
    """What was measured until ■ is kept; when the kernel is restarted, the explorer does not go on as if it were there."""
    page = opened("explore.ipynb")
    page.choose_libraries("msgspec")
    page.choose_effort("thorough")
    page.explorer.locator(".sb-run").click()
    page.until_points()
    page.page.evaluate(f"{KERNEL}.interrupt()")
    page.until_running(is_running=False)
    assert "what was measured is kept" in page.explorer.locator(".sb-action").inner_text()
    page.explorer.locator(".sb-run").click()
    page.until_running(is_running=True)
    page.page.evaluate(f"{KERNEL}.restart()")
    page.explorer.locator(".sb-error", has_text="The kernel restarted: run this cell again").wait_for()
