"""The controls of a notebook in a real browser: moved by mouse and by keyboard, with the result that follows them."""

from __future__ import annotations

import json

import nbformat
import pages
import pytest
from plotly.offline import get_plotlyjs
from waits import until

import serbench
from serbench.api.notebook.panel import InPage
from serbench.display.style import THEMES
from serbench.store.archive import resources

pytestmark = pytest.mark.full
CELL = """import serbench

libraries, formats = ["msgspec", "pydantic"], ["orjson", "msgspec/json"]

@serbench.interact(records=[1, 5, 20, 100, 500], depth=[2, 3, 5, 8], show=lambda run: run.figure("decode"))
def measured(workload="client", records=1, depth=2, libraries=libraries, formats=formats):
    sizes = {"records": records, "depth": depth, "libraries": libraries, "formats": formats}
    return serbench.run(workload, **sizes, effort="quick", store="runs.sqlite")
"""


@pytest.fixture(scope="module", params=["lab", pytest.param("notebook", marks=pytest.mark.every)])
def served(request, tmp_path_factory):
    """A server of Jupyter with a notebook of one cell: its name and address."""
    folder = tmp_path_factory.mktemp(request.param)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, folder / "own.ipynb")
    with pages.server(request.param, folder, folder / "runs.sqlite") as address:
        yield request.param, address


@pytest.fixture
def page(served, browser):
    """The notebook, run, with its first figure."""
    program, address = served
    page = pages.new_page(browser, viewport={"width": 1300, "height": 1200})
    path = {"lab": "lab/tree", "notebook": "notebooks"}[program]
    page.goto(f"{address}/{path}/own.ipynb?reset")
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
    page.wait_for_function(pages.IDLE)
    page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    figure_of(page, "1 record · depth 2")
    yield page
    page.close()


def figure_of(page, setting):
    """Wait for the figure of a size."""
    page.locator(".js-plotly-plot", has_text=setting).first.wait_for()


def test_every_control_moves_the_figure(page):
    """By mouse: the sliders' handles, lists and tags; by keyboard: the boxes. Nothing is measured."""
    handles = page.locator(".widget-slider .noUi-handle")
    handles.nth(0).hover()
    page.mouse.down()
    track = page.locator(".widget-slider .noUi-target").nth(0).bounding_box()
    page.mouse.move(track["x"] + track["width"], track["y"] + 2, steps=5)
    page.mouse.up()
    figure_of(page, "500 records · depth 2")
    boxes = page.locator(".widget-text input")
    boxes.nth(1).fill("5")
    page.keyboard.press("Enter")
    figure_of(page, "500 records · depth 5")
    boxes.nth(0).fill("20")
    page.keyboard.press("Tab")
    figure_of(page, "20 records · depth 5")
    page.locator(".widget-dropdown select").select_option("tree")
    page.locator("[role=status]", has_text="nothing of this is stored: Run measures it").wait_for()
    boxes.nth(1).fill("4")  # which the tree has, among others
    page.keyboard.press("Enter")
    page.locator(".js-plotly-plot", has_text="decode tree · 20 records · depth 4").first.wait_for()
    page.locator(".widget-dropdown select").select_option("client")
    boxes.nth(1).fill("5")
    page.keyboard.press("Enter")
    figure_of(page, "20 records · depth 5")
    offered = page.get_by_placeholder("add another").nth(0)
    offered.fill("cattrs")
    page.keyboard.press("Enter")
    page.locator(".jupyter-widget-tag", has_text="cattrs").wait_for()
    page.locator(".js-plotly-plot", has_text="cattrs via orjson").first.wait_for()
    offered.fill("msgpec")
    page.keyboard.press("Enter")
    page.locator("[role=alert]", has_text="did you mean msgspec").wait_for()
    offered.fill("-pydantic")
    page.keyboard.press("Enter")
    until(
        lambda: "pydantic via" not in page.locator(".js-plotly-plot").first.inner_text(), "the figure without pydantic"
    )
    page.locator(".jupyter-widget-tag", has_text="cattrs").locator(".jupyter-widget-tag-close").click()
    until(
        lambda: "cattrs via orjson" not in page.locator(".js-plotly-plot").first.inner_text(),
        "the figure without cattrs",
    )
    assert page.locator("[role=status]").inner_text().startswith("published, ")


CELLS = "window.jupyterapp.shell.currentWidget.content.widgets.length"


def test_keys_move_lists_and_sliders_and_no_cell(page):
    """Lab and Notebook, which have the arrows and letters for themselves, leave them to what has the focus."""
    workload, cells = page.locator(".widget-dropdown select"), page.evaluate(CELLS)
    workload.focus()
    page.keyboard.press("ArrowDown")
    figure_of(page, "decode client-rich · 1 record")
    page.keyboard.press("ArrowUp")
    figure_of(page, "decode client · 1 record")
    page.keyboard.press("b")
    page.locator(".widget-slider .noUi-handle").nth(0).focus()
    page.keyboard.press("ArrowRight")
    figure_of(page, "decode client · 5 records")
    assert cells == page.evaluate(CELLS)


COLOURS = """() => {
  const plot = document.querySelector(".js-plotly-plot");
  const colour = (name, of) => getComputedStyle(plot.querySelector(name))[of];
  const isList = getComputedStyle(document.querySelector("select")).backgroundImage.includes("stroke='rgb");
  return [isList, colour(".main-svg", "backgroundColor"), colour(".gtitle", "fill"), colour(".ytick text", "fill"), colour(".xgrid", "stroke")];
}"""
HIDDEN = """() => {
  const [bar] = [...document.querySelectorAll(".modebar")].map((e) => e.getBoundingClientRect());
  const isUnder = (box) => box.left < bar.right && bar.left < box.right && box.top < bar.bottom && bar.top < box.bottom;
  const texts = [...document.querySelectorAll(".gtitle, .gtitle-subtitle, .legendtext, .ytick text, .textpoint text")];
  return texts.filter((e) => isUnder(e.getBoundingClientRect())).map((e) => e.textContent);
}"""
"""The texts of a figure that its buttons, which appear under the mouse, would hide."""


@pytest.mark.parametrize("name", ["relative_speed", "scaling"])
def test_the_buttons_of_a_figure_hide_no_text(browser, name):
    """At the width that a notebook gives it, a figure's title, names, times and legend are read under the mouse too."""
    run = serbench.load(str(resources("data") / name))
    figure = json.loads((run.scaling("decode") if name == "scaling" else run.figure("decode")).to_json())
    page = pages.new_page(browser, viewport={"width": 850, "height": 900})
    page.set_content(f"<style>{InPage._css}</style><body data-jp-theme-light='false'><div id='figure'></div>")
    page.evaluate(f"{get_plotlyjs()};0")
    page.evaluate("({data, layout}) => Plotly.newPlot('figure', data, layout, { displayModeBar: true })", figure)
    assert [] == page.evaluate(HIDDEN)
    icon = page.locator(".modebar-btn:not(.plotlyjsicon) path").first
    faint = ", ".join(str(part) for part in bytes.fromhex(THEMES["dark"].faint[1:]))
    assert f"rgb({faint})" == icon.evaluate("(e) => getComputedStyle(e).fill")
    page.close()


def test_a_figure_follows_the_theme_of_the_page(browser):
    """In a dark page it has the colours of the dark theme, without being drawn again, and in a light one its own."""
    figure = json.loads(serbench.load(str(resources("data") / "relative_speed")).figure("decode").to_json())
    page = pages.new_page(browser)
    list_ = "<div class='serbench-controls'><select></select></div>"
    arrow = "select { background-image: var(--jp-widgets-dropdown-arrow); }"
    page.set_content(f"<style>{arrow}{InPage._css}</style><body>{list_}<div id='figure'></div>")
    page.evaluate(f"{get_plotlyjs()};0")
    page.evaluate("({data, layout}) => Plotly.newPlot('figure', data, layout)", figure)
    for name, is_light in (("dark", "false"), ("light", "true")):
        page.evaluate("(light) => { document.body.dataset.jpThemeLight = light; }", is_light)
        theme = THEMES[name]
        colours = [theme.paper, theme.text, theme.text, theme.fine_grid]
        wanted = [f"rgb({', '.join(str(part) for part in bytes.fromhex(colour[1:]))})" for colour in colours]
        assert [name == "dark", *wanted] == page.evaluate(COLOURS)
    figure = json.loads(serbench.ledger().figure().to_json())
    page.evaluate(
        "({data, layout}) => { document.body.dataset.jpThemeLight = false; return Plotly.newPlot('figure', data, layout); }",
        figure,
    )
    bar = page.locator(".legendpoints path").first  # of what was published
    assert f"rgb({', '.join(str(part) for part in bytes.fromhex(THEMES['dark'].text[1:]))})" == bar.evaluate(
        "(e) => getComputedStyle(e).stroke"
    )
    page.close()


def test_the_end_of_the_kernel_is_said(page):
    """In place of what was said before, and nothing looks as if it could be moved."""
    page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    page.locator("[role=status]", has_text="The kernel restarted: run this cell again").wait_for()
    for name in (".jupyter-button", ".widget-text input", ".widget-dropdown select"):
        assert page.locator(f".serbench-controls {name}").first.is_disabled()


BUSY = """window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute(
  { code: "import time; time.sleep(9)" })"""


def test_a_kernel_that_does_not_answer_is_said(page):
    """Whoever moves a control while another cell runs is told so; then the figure follows, and the line is as before."""
    page.evaluate(f"{BUSY};0")
    workload, line = page.locator(".widget-dropdown select"), page.locator("[role=status]")
    before = line.inner_text()
    workload.focus()
    page.keyboard.press("ArrowDown")
    line.filter(has_text="The kernel does not answer: it is busy with another cell").wait_for()
    figure_of(page, "decode client-rich · 1 record")
    until(lambda: line.inner_text() == before, "what the line says of the figure")


SHOWN = "<div class='serbench-controls'><select></select><p role='status'>as before</p><div id='in-page'></div></div>"
RENDERED = """async ({ script, isThere }) => {
  const { default: widget } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  globalThis.isThere = isThere;
  const heard = {};
  const on = (name, act) => { heard[name] = act; };
  const send = () => { if (globalThis.isThere) heard["msg:custom"](); };
  widget.render({ el: document.getElementById("in-page"), model: { on, off() {}, send } });
}"""


@pytest.mark.parametrize("is_there", [True, False])
def test_only_a_page_that_was_answered_misses_an_answer(browser, is_there):
    """One that begins slowly gets no messages, although the kernel does what its controls ask for."""
    page = pages.new_page(browser)
    page.clock.install()
    page.set_content(SHOWN)
    page.evaluate(RENDERED, {"script": InPage._esm, "isThere": is_there})
    page.evaluate("globalThis.isThere = false")
    page.locator("select").focus()
    page.keyboard.press("x")
    page.clock.run_for(9_000)
    assert is_there == ("does not answer" in page.locator("[role=status]").inner_text())
    page.evaluate("globalThis.isThere = true")
    page.clock.run_for(9_000)
    assert "as before" == page.locator("[role=status]").inner_text()
    page.close()


def test_run_measures_and_cancel_ends_it(page):
    """The button measures what is not stored, says how far it is, and what was measured is shown until it is cancelled."""
    page.locator(".widget-text input").nth(0).fill("7")
    page.keyboard.press("Enter")
    page.locator("[role=status]", has_text="nothing of this is stored: Run measures it").wait_for()
    assert 0 == page.locator(".js-plotly-plot").count()
    run = page.get_by_role("button", name="Run", exact=True)
    run.focus()
    page.keyboard.press("Enter")
    figure_of(page, "7 records · depth 2")
    page.get_by_role("button", name="Cancel", exact=True).click()
    until(run.is_enabled, "the end of the run")
    assert "run " in page.locator("[role=status]").inner_text()


def test_a_figure_keeps_its_axis_in_a_narrow_page(page):
    """In a page as wide as a phone the box of the result scrolls; the figure is not squeezed into nothing."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.querySelector('.jp-Cell').clientWidth < 390")
    page.evaluate("window.dispatchEvent(new Event('resize'))")
    page.wait_for_timeout(1500)  # until Plotly has drawn it anew
    figure = "document.querySelector('.jupyter-widgets .js-plotly-plot')"
    assert page.evaluate(f"{figure}._fullLayout.xaxis._length") > 100
    assert page.evaluate(f"{figure}.closest('.widget-vbox').scrollWidth > {figure}.closest('.widget-vbox').clientWidth")
