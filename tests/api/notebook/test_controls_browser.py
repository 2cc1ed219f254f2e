"""Every control of the explorer's page in a real browser, at three widths, and when it measures by itself."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import accessibility
import pytest
from pages import new_page, popover

from serbench.api.judging import present_case
from serbench.api.notebook.settings import VIEWS
from serbench.api.reports.page import page as write
from serbench.api.reports.page.content import run_content
from serbench.api.reports.published import published_runs
from serbench.display.words import case_text
from serbench.store.archive import published, resources

pytestmark = pytest.mark.full
WIDTHS = pytest.mark.parametrize("width", [1440, 1024, 390])
CHOSEN = {
    "I use today": ("present", "pydantic/orjson/json"),
    "Operation": ("operation", "encode"),
    "Data": ("workload", "events"),
}
NUMBERS = {"Records": ("records", 7), "Depth": ("depth", 3)}
SLIDERS = {"Records": "records", "Depth": "depth"}
TICKED = {"validating only": ("validating", True), "hide plain dicts": ("objects", True)}
MORE_TICKED = {
    "published results only": ("published", True),
    "measure as I move": ("live", True),
    "garbage collector": ("gc", "off"),
    "varied data": ("conditions", "hot"),
}
MORE_NUMBERS = {"Seed": ("seed", 3), "Stop after (s, 0 for no limit)": ("budget", 30)}
# a panel is placed by an event that comes after the click
OUTSIDE = """async () => {
  const outside = () => [...document.querySelectorAll(".serbench-explorer :is(button, input, select, summary)")]
  .filter((one) => one.checkVisibility() && !one.closest(".list") && one.type !== "file")
  .filter((one) => one.getBoundingClientRect().left < 0 || one.getBoundingClientRect().right > innerWidth)
  .map((one) => one.outerHTML.slice(0, 80));
  for (let waited = 0; outside().length && waited < 2000; waited += 50) await new Promise((done) => setTimeout(done, 50));
  return outside();
}"""


def setting(page, name):
    """The value of a setting as the page has it."""
    return page.evaluate("(name) => values.settings[name]", name)


def fill(page, controls):
    """Type into boxes of numbers, and see that their settings follow."""
    for label, (name, value) in controls.items():
        page.get_by_label(label, exact=True).fill(str(value))
        page.keyboard.press("Tab")
        assert value == setting(page, name)


def tick(page, controls):
    """Click boxes, and see that their settings follow."""
    for label, (name, value) in controls.items():
        page.get_by_label(label, exact=True).click()
        assert value == setting(page, name)


def stops_of(page, label):
    """The sizes that a slider offers."""
    track = page.locator(".sb-track", has=page.get_by_label(f"{label}, slider", exact=True))
    titles = track.locator(".sb-ticks span").evaluate_all("(all) => all.map((one) => one.title)")
    return [int(text.replace(",", "")) for text in titles]


@WIDTHS
def test_every_control_above_the_views_changes_its_setting(rendered, width):
    """At each width every control is within the page, can be used, and changes what it names."""
    page = rendered("client?view=ranking", width)
    assert [] == page.evaluate(OUTSIDE)
    if page.locator(".sb-opener").is_visible():  # a phone's page begins with the answer
        places = [page.locator(name).bounding_box()["y"] for name in ("#finding", "#view .lanes >> nth=0", ".sb-sheet")]
        assert sorted(places) == places
        page.locator(".sb-opener").click()
    fill(page, NUMBERS)
    for label, name in SLIDERS.items():
        stops = stops_of(page, label)
        page.get_by_label(f"{label}, slider", exact=True).fill(str(len(stops) - 1))
        assert stops[-1] == setting(page, name)
    tick(page, TICKED)
    for label, name in (("Libraries", "libraries"), ("Formats", "formats")):
        before = setting(page, name)
        popover(page, label).click()
        assert [] == page.evaluate(OUTSIDE)
        page.locator(".several [open] .check:visible input").nth(1).click()
        assert before != setting(page, name)
        page.locator(".several [open]").get_by_role("button", name="All", exact=True).click()
        assert [] == setting(page, name)
        page.keyboard.press("Escape")
    popover(page, "More").click()
    assert [] == page.evaluate(OUTSIDE)
    tick(page, MORE_TICKED)
    page.get_by_label("Effort", exact=True).select_option("normal")
    assert "normal" == setting(page, "effort")
    fill(page, MORE_NUMBERS)  # the last Tab leaves the panel, which closes
    assert 0 == page.locator(".more[open]").count()
    for label, (name, value) in CHOSEN.items():
        page.get_by_label(label, exact=True).select_option(value)
        assert value == setting(page, name)
    page.locator(".sb-beside").click()  # a published run is shown
    assert setting(page, "beside")
    page.locator(".sb-run").click()
    assert "run" == page.evaluate("sent.at(-1).do")
    more = page.locator("details.more")
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.mouse.click(2, 2)):
        popover(page, "More").click()
        page.get_by_label("Seed").focus()
        close()
        assert more.get_attribute("open") is None
    for view in VIEWS:
        page.locator(f"[data-view={view}]").click()
        assert view == setting(page, "view")
        page.wait_for_function("document.querySelector('.serbench-explorer').scrollWidth <= innerWidth")


def test_the_first_headline_is_that_of_the_page(rendered, browser, tmp_path):
    """Explorer and page open on the same data, cases and sentence."""
    runs = [one.run for one in published_runs(resources("data"))]
    write([run for run in runs if any(row.workload == "client-rich" for row in run.rows)], tmp_path / "page")
    page = new_page(browser)
    page.goto((tmp_path / "page" / "index.html").as_uri() + "#view=ranking")
    told = [one.locator(name).inner_text() for one in (page, rendered(None)) for name in ("#finding", ".where")]
    assert told[:2] == told[2:]
    assert "decodes client-rich" in told[0]


@WIDTHS
def test_every_control_of_a_view_changes_its_setting(rendered, width):
    """Filter, order and sizes of the table, what is compared, the case of the code, and the means of a budget."""
    page = rendered("client?view=table", width)
    assert [] == page.evaluate(OUTSIDE)
    page.get_by_label("Filter").fill("attrs")
    assert "attrs" == setting(page, "contains")
    page.locator("#by-library").click()
    assert "library" == setting(page, "sort")
    tick(page, {"all sizes and depths": ("every", True)})
    page = rendered("client?view=ranking", width)
    page.locator("#view summary").filter(has_text="pydantic").first.click()
    page.get_by_role("button", name="Compare all with this").click()
    assert setting(page, "present").startswith("pydantic/")
    page = rendered("client?view=fidelity", width)
    assert page.locator("#view .matrix .line").count() > 5
    assert page.get_by_label("Run varies").is_hidden()
    page = rendered("client?view=scaling", width)
    if page.locator(".sb-opener").is_visible():
        page.locator(".sb-opener").click()
    assert [] == page.evaluate(OUTSIDE)
    grow = page.get_by_label("Run varies")
    assert "records" == grow.input_value()
    assert re.match(r"Run: 4 sizes at depth 2, about \d+ (s|min)$", page.locator(".sb-run").inner_text())
    grow.select_option("both")
    assert "both" == setting(page, "grow")
    page = rendered("client?view=code", width)
    page.locator("#case").select_option("pydantic json/json")
    assert "pydantic json/json" == setting(page, "case")
    asked = page.evaluate("sent.at(-1)")
    assert {"do": "code", "case": "pydantic json/json", "records": 1, "depth": 2}.items() <= asked.items()
    assert len(asked["sha256"]) == 64
    page = rendered("client?view=budget", width)
    page.locator("#bandwidth").select_option("10 Gbit/s")
    page.locator("#cores").select_option("16")
    assert (10_000, 16) == (setting(page, "bandwidth"), setting(page, "cores"))
    assert "10 Gbit/s and 16 cores" in page.locator("#finding").inner_text()


def test_the_sliders_have_the_sizes_that_were_measured(rendered):
    """Each stop shows the board of its size, with a leader that has a time; a size between is not measured, and says so."""
    page = rendered("client-rich")
    for label in SLIDERS:
        for place, stop in enumerate(stops_of(page, label)):
            page.get_by_label(f"{label}, slider").fill(str(place))
            size = f"{stop:,} record" if label == "Records" else f"depth {stop}"
            assert size in page.locator(".where").inner_text()
            assert 0 == page.locator("#view .note").count()
            leader = page.locator("#view .row .line", has=page.locator(".extra", has_text="leads"))
            assert leader.locator(".value").inner_text()
            assert leader.locator("b").inner_text() in page.locator("#finding").inner_text()
    fill(page, {"Records": ("records", 7), "Depth": ("depth", 2)})
    assert (
        "Not measured: 7 records at depth 2. Shown: 5 records at depth 2." == page.locator("#view .note").inner_text()
    )
    assert "5 records" in page.locator(".where").inner_text()


def test_a_number_that_is_too_small_is_refused_in_words(rendered):
    """The box says what the least is, and the setting stays as it was."""
    page = rendered("client-rich")
    page.evaluate("addEventListener('invalid', ({ target }) => { heard.refused = target.validationMessage; }, true)")
    page.get_by_label("Records", exact=True).fill("-3")
    page.keyboard.press("Enter")
    assert (True, 1) == ("1" in page.evaluate("heard.refused"), setting(page, "records"))


CHANGED = """(changes) => {
  for (const [name, change] of Object.entries(changes)) {
    values[name] = { ...values[name], ...change };
    for (const act of heard[`change:${name}`] ?? []) act();
  }
}"""
RUNS = "() => sent.filter((message) => message.do === 'run').length"


def test_a_second_explorer_says_so(rendered):
    """Below another one of its notebook it says at first that there are two; the first, or one left alone, says nothing."""
    page = rendered("client")
    says = page.locator(".sb-action span")
    assert "" == says.inner_text()
    for where, words in (("prepend", "There is another explorer above"), ("append", "")):
        page.evaluate(
            """(where) => {
          document.querySelector("#other")?.remove();
          const other = document.createElement("div");
          Object.assign(other, { id: "other", className: "serbench-explorer" });
          document.body[where](other);
        }""",
            where,
        )
        page.evaluate(CHANGED, {"progress": {}})
        assert says.inner_text().partition(":")[0] == words


def test_a_move_is_measured_once(rendered):
    """With "measure as I move" a selection is measured once, however often it is drawn, and not again after Cancel."""
    page = rendered("client?records=3&libraries=msgspec&live=1")
    for _ in range(2):
        page.wait_for_function(f"({RUNS})() > 0")
        page.evaluate(CHANGED, {"shown": {}})  # as points of the run come
        page.wait_for_timeout(900)
    assert 1 == page.evaluate(RUNS)
    fill(page, {"Records": ("records", 7)})
    page.evaluate(CHANGED, {"shown": {}})
    page.wait_for_function(f"({RUNS})() > 1")
    page.evaluate(CHANGED, {"progress": {"running": True}})
    page.get_by_role("button", name="Cancel").click()
    assert "cancel" == page.evaluate("sent.at(-1).do")
    page.evaluate(CHANGED, {"shown": {}})
    page.wait_for_timeout(900)
    assert 2 == page.evaluate(RUNS)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_a_screen_reader_can_use_the_explorer(rendered, width, theme):
    """axe-core has no finding of any kind in a figure, a table and code of the explorer, with its controls open."""
    source = accessibility.script()
    for view in ("ranking", "table", "code"):  # the others have their texts in figures like that of the ranking
        page = rendered(f"client-rich?view={view}", width)
        page.emulate_media(color_scheme=theme)
        change = "(theme) => { document.documentElement.style.colorScheme = theme; document.body.className = theme; }"
        page.evaluate(change, theme)
        page.wait_for_selector(f".serbench-explorer[data-theme={theme}]")
        if page.locator(".sb-opener").is_visible():
            page.locator(".sb-opener").click()
        assert [] == accessibility.found(page, source, ".serbench-explorer"), view


def test_a_file_is_read_until_the_kernel_says_more(rendered):
    """At once the page says so in place of what it said of another; that ends with the first other word, or a refusal."""
    page = rendered("client")
    note, says = page.locator(".note[role=status]"), page.locator(".sb-action .sb-small")

    def choose():
        page.locator("input[type=file]").first.set_input_files(
            files=[{"name": "a.json", "mimeType": "application/json", "buffer": b"[]"}]
        )

    page.evaluate(CHANGED, {"progress": {"error": "no such class"}})
    page.evaluate(CHANGED, {"shown": {"note": "b.json: not JSON"}})
    assert note.is_visible()
    choose()
    assert ("reading a.json", False) == (says.inner_text(), note.is_visible())
    assert "sb-error" not in says.get_attribute("class")
    page.evaluate(CHANGED, {"shown": {"note": ""}})
    assert "reading a.json" == says.inner_text()
    page.evaluate(CHANGED, {"progress": {"error": "", "text": "reading a.json"}})
    page.evaluate(CHANGED, {"progress": {"text": "starting", "running": True}})
    assert "starting" == says.inner_text()
    page.evaluate(CHANGED, {"progress": {"text": "", "running": False}})
    choose()
    page.evaluate(CHANGED, {"shown": {"note": "a.json is larger than 512 MiB"}})
    assert ("", True) == (says.inner_text(), note.is_visible())


def test_a_file_is_received_from_a_dialogue_that_was_opened_before(rendered):
    """What the kernel tells while the dialogue of *Your file…* is open replaces neither the button nor what hears of the file."""
    page = rendered("client")
    button = page.get_by_text("Your file…")
    before = [one.element_handle() for one in (button, page.locator("input[type=file]"))]
    with page.expect_file_chooser() as opened:
        button.click()
    for changes in (
        {"shown": {"duration": "about 9 s", "data": {"choices": [{"own": {}, "name": "b.json", "about": "b"}]}}},
        {"progress": {"running": True, "text": "starting"}},
        {"settings": {"view": "table"}},
        {"progress": {"running": False, "text": "took 3 s"}},
    ):
        page.evaluate(CHANGED, changes)
    assert [True, True] == [one.evaluate("(one) => one.isConnected") for one in before]
    opened.value.set_files([{"name": "a.json", "mimeType": "application/json", "buffer": b"[]"}])
    page.wait_for_function("sent.some(({ do: what, name }) => what === 'upload' && name === 'a.json')")


@pytest.mark.parametrize("changes", [{"library": "yours (pydantic)"}, {"variant": "extra=forbid strict=True"}])
def test_what_is_used_today_may_have_spaces_in_its_name(rendered, changes):
    """A class of the user's or a variant of several options: the list and the button set what Python reads as that case."""
    page = rendered("client")
    sheet = next(one for one in published() if any(row.workload == "client" for row in one.rows)).of_data["client", 0]
    rows = [replace(row, **changes) if row.case.name == "pydantic" else row for row in sheet.rows]
    part = json.dumps(run_content(replace(sheet, rows=rows)))
    page.evaluate(CHANGED, {"content": {"parts": [part]}, "shown": {}})
    row = next(row for row in rows if row.codec == "orjson" and changes.items() <= vars(row).items())
    today = page.get_by_label("I use today", exact=True)
    today.select_option(case_text(row))
    assert case_text(row) == setting(page, "present") == today.input_value()
    if "library" in changes:
        assert row.library == present_case(setting(page, "present"), rows)[0]
    assert page.locator("#view .note", has_text="Without a time here").count() == 0
    button = page.get_by_role("button", name="Compare all with this")
    page.locator("#view summary").filter(has_text="attrs").first.click()
    button.first.click()
    assert setting(page, "present") != case_text(row)
    assert page.locator("#view .note", has_text="Without a time here").count() == 0


def test_the_button_of_the_other_machine_says_what_it_does(rendered):
    """It measures, and says so with the time, if nothing is stored here; else it shows both machines, or one alone."""
    page = rendered("client-rich")
    button = page.locator(".sb-beside")
    assert re.fullmatch(r"Measure on this machine, about \d+ (s|min)", button.inner_text())
    button.click()
    assert "run" == page.evaluate("sent.at(-1).do")
    page.evaluate(CHANGED, {"progress": {"running": True}})
    assert button.is_disabled()
    page.evaluate(CHANGED, {"progress": {"running": False}, "settings": {"beside": False}})
    page.evaluate(HERE_TOO)
    page.evaluate(CHANGED, {"shown": {}})
    assert "Beside the published run" == button.inner_text()
    assert page.locator(".note", has_text="34 of 84 combinations have a time").is_visible()
    assert 0 == page.locator("#view .twin").count()
    button.click()
    assert "This machine alone" == button.inner_text()
    assert "This machine and the published one" == page.locator(".sb-badge").inner_text()
    assert page.locator("#view .legend", has_text="the published run").locator(".twin").count() == 1
    assert page.locator("#view .lane .twin").count() > 5
    page.locator("#view .extra", has_text="published").first.wait_for()
    assert [] == page.evaluate(CUT)


HERE_TOO = """() => {
  const unfinished = "This run is not finished: 34 of 84 combinations have a time.";
  const here = (run) => ({ ...run, id: "here", published: false, group: "here", unfinished });
  const parts = values.content.parts.map((text) => JSON.parse(text));
  const twins = parts.map((part) => JSON.stringify({ ...part, runs: part.runs.map(here) }));
  values.content = { ...values.content, parts: [...twins, ...values.content.parts] };
}"""
CUT = """() => [...document.querySelector(".sb-page").shadowRoot.querySelectorAll(".line:not(.head) .extra")]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""


@pytest.mark.parametrize("width", [1300, 1024])
def test_a_column_with_a_long_head_is_not_cut(rendered, width):
    """The head of the last column names the compared combination in full, however long its name is."""
    page = rendered("client?present=dataclasses/msgspec/msgpack", width)
    assert page.locator(".head .extra").first.inner_text().endswith("dataclasses via msgspec (msgpack)")
    assert [] == page.evaluate(CUT.replace(":not(.head)", ""))


def test_probes_that_have_not_come_are_loading(rendered):
    """The page says so until the kernel has sent them, and how to probe only if there is none."""
    page = rendered("client?view=fidelity")
    had = page.evaluate("values.further")
    come = "(further) => { values.further = further; for (const act of heard['change:further']) act(); }"
    said = [(page.evaluate(come, one), page.locator("#finding").inner_text())[1] for one in ({}, had)]
    had["matrices"]["cases"] = []
    page.evaluate(come, had)
    assert "Loading the outcomes of the probes…" == said[0]
    assert "silently change a value" in said[1]
    assert page.locator("#view", has_text="serbench verify --all finds").count()


def test_a_kernel_that_does_not_answer_is_reported(rendered):
    """That is told in place of the progress; Run waits until there is an answer. A kernel that was restarted is called so."""
    page = rendered("client")
    says, run = page.locator(".sb-action span"), page.locator(".sb-run")
    page.evaluate(CHANGED, {"progress": {"running": True, "text": "verifying msgspec, 16%, about 45 s left"}})
    page.evaluate("isThere = false")
    page.locator(".sb-error", has_text="The kernel does not answer").wait_for()
    assert run.is_disabled()
    assert not page.locator("progress").is_visible()
    page.evaluate("isThere = true")
    page.locator(".sb-action span:text('verifying msgspec')").wait_for()
    page.evaluate("() => { isThere = false; for (const act of heard.comm_live_update) act(); }")
    restarted = page.locator(".sb-error:text-is('The kernel restarted: run this cell again')")
    restarted.wait_for()
    page.evaluate(CHANGED, {"settings": page.evaluate("values.settings")})  # a move is no answer
    assert restarted.is_visible()
    page.evaluate("isThere = true")
    page.evaluate(CHANGED, {"progress": {"running": False, "text": "took 3 s"}})
    assert ("took 3 s", True) == (says.inner_text(), run.is_enabled())


def test_run_is_not_promised_while_another_run_goes_on(rendered):
    """The button says why it is disabled, and the view without rows does not send to it."""
    page = rendered("client")
    page.evaluate(CHANGED, {"content": {"parts": []}, "shown": {}})
    finding = page.locator("#finding")
    assert "No results for this data yet: press Run to measure it" == finding.inner_text()
    page.evaluate(CHANGED, {"progress": {"running": True, "text": "measuring", "other": "one run at a time"}})
    assert "No results for this data yet: a run is in progress" == finding.inner_text()
    assert (True, "one run at a time") == (
        page.locator(".sb-run").is_disabled(),
        page.locator(".sb-run").get_attribute("title"),
    )
    page.evaluate(CHANGED, {"progress": {"running": False, "other": ""}})
    assert "No results for this data yet: press Run to measure it" == finding.inner_text()


def test_a_class_is_named(rendered):
    """Its name is sent by Enter or the button; an empty one is not."""
    page = rendered("client")
    page.get_by_text("Your class…").click()
    page.get_by_role("button", name="Open", exact=True).click()
    assert [] == page.evaluate("sent.filter(({ do: what }) => what === 'class')")
    page.get_by_label("Class", exact=True).fill(" models.py:Order ")
    page.keyboard.press("Enter")
    assert [{"do": "class", "model": "models.py:Order"}] == page.evaluate(
        "sent.filter(({ do: what }) => what === 'class')"
    )
