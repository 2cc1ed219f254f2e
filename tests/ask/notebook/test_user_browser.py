"""The explorer as an app in a real browser: own files, what is used today, and a narrow page."""

from __future__ import annotations

import json

import pytest
from pages import Page

import serbench

pytestmark = [pytest.mark.full, pytest.mark.timeout(1200)]
ORDERS = [{"id": number, "total": 1.5, "lines": [{"sku": "a"}]} for number in range(5)]


IN_VOILA = pytest.mark.parametrize("program", ["voila"], indirect=True, scope="session")


@pytest.fixture(scope="module")
def opened(browser, program):
    """Opens the explorer at a width; at the end no page has asked another host for anything, or raised."""
    made = []

    def open_page(width=1024, query=""):
        page = Page(browser, program[1], size=(width, 900))
        made.append(page)
        page.open_voila("explore.ipynb", query)
        return page

    yield open_page
    for page in made:
        page.page.close()
        assert ([], []) == (page.outside, page.errors)


@pytest.fixture(scope="module")
def wide(opened):
    """A page of the usual width, for tests that change nothing."""
    return opened()


@pytest.fixture(scope="module")
def phone(opened):
    """A page of a phone's width, for tests that change the view alone."""
    return opened(390)


@IN_VOILA
def test_a_narrow_page_has_room_for_the_figure(phone):
    """At 390 px nothing is wider than the page, and the figure itself takes most of its width, that of cells too."""
    page = phone
    for view, least in {"fidelity": 0.45, "tradeoff": 0.45, "scaling": 0.3, "ranking": 0.45}.items():
        page.switch(view)
        wide_enough = """(least) => {
          const figure = document.querySelector(".sb-figure");
          return figure._fullLayout.xaxis._length / figure.clientWidth > least;
        }"""
        page.page.wait_for_function(wide_enough, arg=least)  # the view before it may still be drawn
        page.page.wait_for_function("document.querySelector('.serbench-explorer').scrollWidth <= 390")


COVERED = """() => {
  const figure = document.querySelector(".sb-figure");
  const legend = figure.querySelector(".legend .bg").getBoundingClientRect();
  const { left, top } = figure.getBoundingClientRect();
  const plots = Object.values(figure._fullLayout._plots).map(({ xaxis: x, yaxis: y }) => ({
    left: left + x._offset, right: left + x._offset + x._length, top: top + y._offset, bottom: top + y._offset + y._length,
  }));
  const across = (plot) => Math.min(plot.right, legend.right) - Math.max(plot.left, legend.left);
  const along = (plot) => Math.min(plot.bottom, legend.bottom) - Math.max(plot.top, legend.top);
  return [plots.length > 0, plots.filter((plot) => across(plot) > 1 && along(plot) > 1).length];
}"""


@IN_VOILA
def test_a_legend_covers_no_plot(phone):
    """At 390 px the legend of the scaling view stands beside its panels."""
    phone.switch("scaling")
    phone.page.wait_for_selector(".sb-figure .legend .bg")
    assert [True, 0] == phone.page.evaluate(COVERED)


OVERLAPS = """() => {
  const box = (one) => one.getBoundingClientRect();
  const bars = [...document.querySelectorAll(".sb-figure .bars path")].map(box).filter(({ height }) => height > 0);
  const labels = [...document.querySelectorAll(".sb-figure .annotation-text")].filter((one) => one.textContent.includes(" + "));
  return labels.filter((one) => bars.some((bar) => bar.top < box(one).bottom - 3 && box(one).top + 3 < bar.bottom)).length;
}"""
OUTSIDE = """() => [...document.querySelectorAll(".sb-figure .annotation-text")]
  .filter((one) => one.getBoundingClientRect().right > document.querySelector(".sb-figure").getBoundingClientRect().right + 1).length"""


@IN_VOILA
def test_a_file_of_one_s_own_is_ranked_and_compared(opened, tmp_path):
    """A broken file is one line; a good one has live ranks; what is used today has its sentence and its code."""
    page = opened()
    chooser = page.explorer.get_by_label("Your file", exact=True)
    (tmp_path / "broken.json").write_text("[1,")
    chooser.set_input_files(tmp_path / "broken.json")
    page.page.wait_for_selector(".sb-note >> text=broken.json")
    (tmp_path / "orders.json").write_text(json.dumps(ORDERS))
    chooser.set_input_files(tmp_path / "orders.json")
    page.until_points()
    assert "5 records · depth 2: the models" in page.explorer.inner_text()
    page.until_running(is_running=False)
    page.explorer.get_by_label("I use today", exact=True).select_option("pydantic/json/json")
    page.page.wait_for_selector(".sb-change")
    page.explorer.get_by_role("button", name="Show the code of the change").first.click()
    page.page.wait_for_selector("text=Copy the change")
    assert "msgspec" in page.explorer.locator(".sb-change pre").inner_text()
    page.explorer.get_by_label("Data", exact=True).select_option("client")  # the file's size is left behind
    page.explorer.get_by_role("button", name="Beside ").wait_for()
    assert "1" == page.explorer.get_by_label("Records", exact=True).input_value()
    assert [] == page.nameless()


MANIFESTS = [{"id": 1, "needs": {"react": "1", "react-dom": "2"}}, {"id": 2, "needs": {"vue": "1", "vue-x": "2"}}]


@IN_VOILA
def test_a_doubt_about_a_file_is_decided_by_the_keyboard(opened, tmp_path):
    """What was decided on little evidence is counted where the models are, and Enter on its button decides otherwise, and back."""
    page = opened(390)
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


def stored_runs(folder):
    """The number of runs in the store, which the first run makes."""
    store = folder / "runs.sqlite"
    return len(serbench.runs(store=store)) if store.exists() else 0


@IN_VOILA
def test_measuring_as_one_moves_ends(opened, program):
    """A move during a run begins one more run and no third, whose points are shown, and Cancel ends it for good."""
    page = opened(
        query="?state=client%3Flibraries%3Dcattrs,dacite,marshmallow%26formats%3Djson/json%26effort%3Dthorough%26live%3D1"
    )
    before = stored_runs(program[2])
    page.slide("Records", 5)  # many documents are verified: the first points take longer than the pause before a run
    page.until_running(is_running=True)
    page.slide("Records", 7)  # before the first points, so that it is still missing when the first run ends
    page.page.wait_for_timeout(1000)
    page.until_points()
    page.page.wait_for_timeout(3000)
    assert 2 == stored_runs(program[2]) - before
    page.explorer.get_by_role("button", name="Cancel").click()
    page.until_running(is_running=False)
    page.page.wait_for_timeout(1200)
    assert "false" == page.explorer.get_attribute("data-running")
    assert 2 == stored_runs(program[2]) - before


@IN_VOILA
def test_escape_and_a_click_elsewhere_close_more(wide):
    """The panel below More closes with Escape, and with a click anywhere else."""
    more = wide.explorer.locator("details.sb-more")
    more.locator("summary").first.click()
    wide.explorer.get_by_label("Seed").focus()
    wide.page.keyboard.press("Escape")
    assert more.get_attribute("open") is None
    more.locator("summary").first.click()
    whose = wide.explorer.locator(".sb-whose")
    whose.click(position={"x": whose.bounding_box()["width"] - 4, "y": 4})  # the popover covers its left
    assert more.get_attribute("open") is None


@IN_VOILA
def test_no_button_sends_the_figure_away(wide):
    """The buttons above a figure change what is seen of it, and none sends it to a service."""
    names = wide.page.locator(".sb-figure .modebar-btn").evaluate_all("(all) => all.map((e) => e.dataset.title)")
    assert names
    assert [] == [name for name in names if "hare" in name or "loud" in name or "tudio" in name]


def test_a_narrow_page_has_labels_beside_bars_and_the_answer_high_up(rendered):
    """At 390 px no label lies on a bar, no value ends outside the figure, and the answer is the first text of a view."""
    assert 0 == rendered("client?view=phases", 390).evaluate(OVERLAPS)
    page = rendered("client?view=budget", 390)
    assert 0 == page.evaluate(OUTSIDE)
    places = [
        page.locator(name).bounding_box()["y"] for name in (".sb-finding", ".sb-figure", ".sb-origin", ".sb-foot")
    ]
    assert sorted(places) == places


def test_the_machine_is_named_once(rendered):
    """Machine and versions stand below the figure, once, however wide the page is."""
    for width in (1024, 390):
        page = rendered("client?view=ranking", width)
        assert 1 == page.locator(".sb-origin").inner_text().count("CPython")
        assert 0 == page.locator(".sb-foot").inner_text().count("CPython")


def test_it_can_be_used_in_a_shadow_tree(rendered):
    """Where a notebook has put it into a shadow tree, as marimo does, a click in a list keeps it open, and arrows change the view."""
    page = rendered("client?view=code", shadow=True)
    page.locator("summary", has_text="Libraries").click()
    page.locator(".sb-several[open] .sb-line input").first.click()
    assert page.locator(".sb-several[open]").count() == 1
    assert len(page.evaluate("values.settings.libraries")) == 1
    page.locator("[data-view=code]").press("ArrowRight")
    assert "budget" == page.evaluate("values.settings.view")
