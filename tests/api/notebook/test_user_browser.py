"""The explorer as an app in a real browser: own files, what is used today, and a narrow page."""

from __future__ import annotations

import json

import pytest
from pages import TEMPLATE, new_page, popover

pytestmark = pytest.mark.full
ORDERS = [{"id": number, "total": 1.5, "lines": [{"sku": "a"}]} for number in range(5)]


IN_VOILA = pytest.mark.parametrize("program", ["voila"], indirect=True, scope="session")


@IN_VOILA
def test_a_file_of_one_s_own_is_ranked_and_compared(opened, tmp_path):
    """A broken file is one line; a good one has live ranks; what is used today has its sentence and its code."""
    page = opened("explore.ipynb", size=(1024, 900))
    chooser = page.explorer.get_by_label("Your file", exact=True)
    (tmp_path / "broken.json").write_text("[1,")
    chooser.set_input_files(tmp_path / "broken.json")
    page.page.wait_for_selector(".note >> text=broken.json")
    (tmp_path / "orders.json").write_text(json.dumps(ORDERS))
    chooser.set_input_files(tmp_path / "orders.json")
    page.explorer.locator(".sb-now, .sb-yours").wait_for()  # on a busy machine its points may come with its end
    assert "5 records · depth 2: the models" in page.explorer.inner_text()
    page.until_running(is_running=False)
    page.explorer.get_by_label("I use today", exact=True).select_option("pydantic/pydantic/json")
    page.page.wait_for_selector(".today")
    page.explorer.get_by_role("button", name="Show the code of the change").first.click()
    page.page.wait_for_selector("text=Copy the change")
    assert "msgspec" in page.explorer.locator(".today pre").inner_text()
    page.explorer.get_by_label("Data", exact=True).select_option("client")  # the file's size is left behind
    page.explorer.locator(".sb-published").wait_for()
    assert "1" == page.explorer.get_by_label("Records", exact=True).input_value()
    assert [] == page.nameless()


MANIFESTS = [{"id": 1, "needs": {"react": "1", "react-dom": "2"}}, {"id": 2, "needs": {"vue": "1", "vue-x": "2"}}]


@IN_VOILA
def test_a_doubt_about_a_file_is_decided_by_the_keyboard(opened, tmp_path):
    """What was decided on little evidence is counted where the models are, and Enter on its button decides otherwise, and back."""
    page = opened("explore.ipynb", size=(390, 900))
    (tmp_path / "manifests.json").write_text(json.dumps(MANIFESTS))
    page.explorer.get_by_label("Your file", exact=True).set_input_files(tmp_path / "manifests.json")
    page.page.wait_for_selector("text=the models, 1 worth checking")
    page.explorer.locator("summary", has_text="the models").press("Enter")
    models = page.explorer.get_by_label("Models")
    page.explorer.get_by_role("button", name="Read as record: needs").press("Enter")
    models.filter(has_text="class Needs").wait_for()
    page.explorer.get_by_role("button", name="Undo record: needs").press("Enter")
    models.filter(has_not_text="class Needs").wait_for()
    page.page.wait_for_function("document.querySelector('.serbench-explorer').scrollWidth <= 390")
    assert [] == page.nameless()


def test_it_can_be_used_in_a_shadow_tree(rendered):
    """Where a notebook has put it into a shadow tree, as marimo does, a click in a list keeps it open, and arrows change the view."""
    page = rendered("client?view=code", shadow=True)
    popover(page, "Libraries").click()
    page.locator(".several [open] .check input").first.click()
    assert page.locator(".several [open]").count() == 1
    assert len(page.evaluate("values.settings.libraries")) == 1
    page.locator("[data-view=code]").press("ArrowRight")
    assert "ranking" == page.evaluate("values.settings.view")


def test_a_page_without_its_widget_is_loaded_again(browser):
    """Where Voila has drawn before it had the widget, as on a busy machine, the page is loaded again, three times at most."""
    script = TEMPLATE.joinpath("index.html.j2").read_text(encoding="utf-8")
    script = script[script.index("<script>") : script.index("</script>")]
    lost = '<div id="rendered_cells"><p class="jupyter-widgets">Error displaying widget: model not found</p></div>'
    page, loaded = new_page(browser), []

    def answer(route):
        loaded.append(route.request.url)
        body = f'<main data-loads="{len(loaded)}">{lost}{script}</script></main>'
        route.fulfill(content_type="text/html", body=body)

    page.route("http://app.invalid/", answer)
    page.goto("http://app.invalid/")
    page.locator("[data-loads='4']").wait_for()
    assert "3" == page.evaluate("sessionStorage.getItem('serbench-loaded-again')")
    page.wait_for_timeout(2_000)
    page.close()
    assert 4 == len(loaded)
