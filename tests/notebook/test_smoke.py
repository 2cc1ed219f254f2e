"""The explorer in a real browser, in a few strokes; all the rest is in test_browser.py."""

from __future__ import annotations

import shutil

import pages
import pytest
from pages import NOTEBOOKS, Page

pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]


@pytest.mark.parametrize("program", ["lab", "voila"])
def test_the_explorer_works_in_a_browser(browser, program, tmp_path):
    """It shows published results, measures two libraries, keeps what a cancelled run has, and asks no other host."""
    shutil.copy(NOTEBOOKS / "explore.ipynb", tmp_path)
    with pages.server(program, tmp_path, tmp_path / "runs.sqlite") as address:
        page = Page(browser, address)
        page.open_voila("explore.ipynb") if program == "voila" else page.open_jupyter(program, "explore.ipynb")
        assert "published with serbench" in page.explorer.locator(".sb-origin").inner_text()
        assert " as fast" in page.title
        assert [] == page.nameless()
        page.choose_libraries("msgspec", "dataclasses")
        page.choose_effort("thorough")
        page.explorer.locator(".sb-run").click()
        page.until_points()
        page.explorer.get_by_role("button", name="Cancel").click()
        page.until_running(is_running=False)
        page.page.wait_for_function("document.querySelector('.sb-origin').textContent.includes('your run')")
        page.switch("table")
        lines = page.results().all_inner_texts()
        assert lines
        assert all("msgspec" in line or "dataclasses" in line for line in lines)
        assert ([], []) == (page.outside, page.errors)
        page.page.close()
