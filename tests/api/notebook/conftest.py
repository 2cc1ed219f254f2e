"""The explorer in a real browser: the servers that all files share, and its page without a kernel."""

from __future__ import annotations

import shutil
import threading
from functools import cache

import pages
import pytest
from ipywidgets import Widget
from waits import joined

import serbench

RENDERED = """async ({ script, values, shadow }) => {
  const { default: widget } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  const el = document.createElement("div");
  const place = document.body.appendChild(document.createElement("div"));
  (shadow ? place.attachShadow({ mode: "open" }) : place).append(el);
  globalThis.values = values;
  const set = (name, value) => { values[name] = value; };
  globalThis.heard = {};
  globalThis.sent = [];
  const on = (name, act) => { (heard[name] ??= []).push(act); };
  globalThis.isThere = true; // a kernel, which answers at once
  const answer = () => { if (isThere) for (const act of heard["msg:custom"]) act({ alive: true }); };
  const send = (message) => (message.do === "alive" ? answer() : sent.push(message));
  widget.render({ el, model: { set, get: (name) => values[name], on, off() {}, send, save_changes() {} } });
}"""


@pytest.fixture(autouse=True)
def read_to_the_end():
    """No explorer reads on, some seconds later, while another test counts what is put together, or keeps its 25 MB."""
    yield
    for thread in threading.enumerate():
        if thread.name == "serbench-archive":
            if work := getattr(thread, "_target", None):
                work.__self__._drawn.set()
            joined(thread)
    Widget.close_all()


@pytest.fixture(scope="session", params=["lab", pytest.param("notebook", marks=pytest.mark.every), "voila"])
def program(request, tmp_path_factory):
    """A server that shows the explorer: its name, its address, and the folder that it serves."""
    folder = tmp_path_factory.mktemp(request.param)
    shutil.copy(pages.NOTEBOOKS / "explore.ipynb", folder)
    with pages.server(request.param, folder, folder / "runs.sqlite") as address:
        yield request.param, address, folder


@pytest.fixture
def opened(browser, program):
    """Opens a notebook in a new page, with no runs; at the end no page has asked another host for anything, or raised."""
    name, address, folder = program
    made = []
    for path in folder.glob("runs.sqlite*"):
        path.unlink()

    def open_page(notebook, query="", **options):
        page = pages.Page(browser, address, **options)
        made.append(page)
        page.open_voila(notebook, query) if name == "voila" else page.open_jupyter(name, notebook)
        return page

    yield open_page
    for page in made:
        page.page.close()
        assert ([], []) == (page.outside, page.errors)


@pytest.fixture(scope="module")
def as_sent(tmp_path_factory):
    """What the kernel of a state sends its page, made once for all tests of a file, with the style and the script."""
    store = tmp_path_factory.mktemp("store") / "none"
    names = ("options", "settings", "shown", "progress", "state", "content", "live", "further")

    @cache
    def sent(state):
        explorer = serbench.Explorer(state, store=store)
        return {name: getattr(explorer, name) for name in names}, explorer._css, explorer._esm

    return sent


@pytest.fixture
def rendered(browser, as_sent):
    """Renders the explorer without a server: its page, at a width, as the kernel of a state sends it.

    `values` is then what kernel and page share, `sent` the messages to the kernel, and `heard` what the page does if
    one of the values has changed.
    """
    made = []

    def render(state, width=1024, *, shadow=False):
        values, style, script = as_sent(state)
        page = pages.new_page(browser, viewport={"width": width, "height": 900})
        made.append(page)
        page.set_content(f"<style>{style}</style>")
        page.evaluate(RENDERED, {"script": script, "values": values, "shadow": shadow})
        page.wait_for_selector("[aria-busy=false]")
        return page

    yield render
    for page in made:
        page.close()
