"""The page in a real browser: every view and choice, links, a phone, paper, and texts that mean harm."""

from __future__ import annotations

import csv
import math
import random
from dataclasses import replace

import accessibility
import known_runs
import pytest
from pages import copied, new_page

from serbench.ask.reports.page import VIEWS, page
from serbench.display import words
from serbench.display.closing import advice_closing
from serbench.display.figures import budget_figure, tradeoff
from serbench.display.findings import field_text
from serbench.display.findings import finding as headline
from serbench.display.phases import phases
from serbench.display.result_table import boards_of
from serbench.display.scaling import scaling
from serbench.display.style import log_ticks
from serbench.display.words import again, case_text
from serbench.judge import growth
from serbench.judge.compare import relation
from serbench.judge.growth import series
from serbench.judge.leading import field
from serbench.judge.recommend import advise
from serbench.judge.rows import COLUMNS, phase_times, reranked
from serbench.judge.tradeoff import best, budgets, pareto_front
from serbench.results import Point

pytestmark = pytest.mark.full
ROWS = [known_runs.rounded(row) for row in known_runs.usual()[1].rows]
SPOKEN = "document.getElementById('view').innerText"
ALONE = ("fidelity", "strictness", "claims", "costs")
"""Views of something else than runs."""
NAMELESS_FIGURES = """[...document.querySelectorAll("[role=figure], [role=img], .lanes, .chart")]
    .filter((one) => !one.role || !one.ariaLabel).map((one) => one.outerHTML.slice(0, 120))"""
NO_SIDEWAYS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Pages of the usual and of the hostile runs, as one file and as a folder."""
    made = tmp_path_factory.mktemp("pages")
    kinds = {
        "usual": known_runs.usual(),
        "hostile": known_runs.hostile(),
        "shapes": known_runs.shapes(),
        "lone": known_runs.lone(),
    }
    for name, found in kinds.items():
        claims = known_runs.ledger(known_runs.HOSTILE if name == "hostile" else "a is twice as fast as b")
        matrices = known_runs.matrices(*([known_runs.HOSTILE] if name == "hostile" else []))
        costs = known_runs.costs(*([known_runs.HOSTILE] if name == "hostile" else []))
        page(found, made / name, claims=claims, matrices=matrices, costs=costs)
        page(found, made / f"{name}-site", claims=claims, matrices=matrices, costs=costs, inline=False)
    return made


@pytest.fixture
def opened(browser, folder):
    """Opens a page at a choice; at the end none has asked anybody for anything, or complained."""
    made, outside, complaints = [], [], []

    def is_outside(url):
        return not url.startswith((folder.as_uri(), "data:", "blob:"))

    def open_page(choice="", name="usual", size=(1280, 900), **options):
        found = new_page(browser, viewport={"width": size[0], "height": size[1]}, **options)
        made.append(found)
        found.on("request", lambda request: outside.append(request.url) if is_outside(request.url) else None)
        found.on("pageerror", lambda error: complaints.append(str(error)))
        found.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        go_to(found, (folder / name / "index.html").as_uri() + choice)
        return found

    yield open_page
    for found in made:
        found.close()
    assert ([], []) == (outside, complaints)


def go_to(found, address):
    """Load the address anew, even where only what stands behind the # differs."""
    found.goto("about:blank")
    found.goto(address)
    found.wait_for_function("document.documentElement.dataset.shown", polling=20)


def all_views(found):
    """Each view in turn, by a click on its tab."""
    for view in VIEWS:
        found.locator(f"[data-view={view}]").click()
        assert view == found.evaluate("document.documentElement.dataset.shown")
        assert "cannot be drawn" not in found.evaluate(SPOKEN)
        yield view


def rows_at(records=1, depth=2, operation="decode"):
    """The rows of the first run at a point, and how the page finds them."""
    found = [
        row
        for row in ROWS
        if (row.workload, row.records, row.depth, row.operation) == ("client", records, depth, operation)
    ]
    return found, f"#workload=client&records={records}&depth={depth}&operation={operation}"


@pytest.mark.parametrize("name", ["usual", "usual-site"])
def test_every_view_is_drawn(opened, name):
    """Each view has its finding and something below it, from one file and from a folder, without a server."""
    found = opened(name=name)
    for view in all_views(found):
        assert found.locator("#finding").inner_text().strip(), view
        assert found.locator("#view > *").count() > 2, view


def test_the_ranking_has_the_answer_of_a_command(opened):
    """Its lines are those with which `recommend` ends on all cases of the run; a choice of cases, or today's, has none.

    The code that is shown first is that of the answer.
    """
    made = known_runs.usual()[1]
    (advice,) = (
        one
        for one in advise(made.rows, least=made.least)
        if (one.point.workload, one.point.records, one.point.depth) == ("client", 1, 2)
    )
    closing = advice_closing(advice, (), {"records": [1], "depth": [2]}, again(made.info.command, ""))
    assert ["use", "gain", "cost", "next"] == [label for label, _ in closing.lines]
    here = f"#workload=client&records=1&depth=2&run={made.info.id}"
    found = opened(here)
    told = found.locator(".sb-closing dd").all_inner_texts()
    assert [text for _, text in closing.lines] == told
    for choice in ("&format=json", f"&base={case_text(advice.fastest[0].decode, ' ')}", "&view=table"):
        go_to(found, found.url.partition("#")[0] + here + choice)
        assert 0 == found.locator(".sb-closing").count(), choice
    go_to(found, found.url.partition("#")[0] + here + "&view=code")
    assert found.locator("#finding").inner_text().startswith(f"The code of {closing.use.partition(',')[0]} ")


def test_each_view_opens_on_data_that_fits_it(opened):
    """The phases open where steps were measured, the ranking names the reference with its time, and costs are open."""
    found = opened("#view=phases")
    found.evaluate("""() => {
        serbench.page().starts.phases = serbench.rows().findIndex((row) => row.workload === "client" && row.records === 100 && row.depth === 4);
        serbench.go({});
    }""")
    assert {"records": 100, "depth": 4} == found.evaluate(
        "(({ records, depth }) => ({ records, depth }))(serbench.chosen().at)"
    )
    found.evaluate("""() => {
        const isStep = (row) => row.records < 100 && ["dumps", "loads"].includes(row.operation);
        for (const row of serbench.rows().filter(isStep)) Object.defineProperty(row, "time_ns", { value: null });
        serbench.go({ workload: "client", records: "1", depth: "4" });
    }""")
    assert 100 == found.evaluate("serbench.chosen().at.records")
    assert [
        "1 record at depth 4 is not measured in steps; showing the nearest, 100 records at depth 4."
    ] == found.evaluate("serbench.chosen().notes")
    found.locator("[data-view=ranking]").click()
    row = next(row for row in rows_at()[0] if row.reference)
    found.evaluate("serbench.go({ workload: 'client', records: '1', depth: '2', operation: 'decode' })")
    assert f"The reference is {words.case_name(row)}" in found.locator("#reference").inner_text()
    found.locator("[data-view=costs]").click()
    assert found.locator(".costs td").first.is_visible()


def test_texts_stay_texts(opened):
    """Names, reasons, sources and claims that would be markup or code are read as text, and do nothing."""
    found = opened(name="hostile")
    for view in all_views(found):
        for _ in range(2):  # what an open line holds is made when it opens
            found.evaluate("document.querySelectorAll('details').forEach((line) => { line.open = true; })")
            found.evaluate("new Promise((done) => setTimeout(done, 50))")
        assert (0, False) == (found.locator("img").count(), found.evaluate("'harmed' in globalThis")), view
        assert "onerror=" in found.evaluate("document.body.innerText"), view


def test_the_browser_itself_refuses_foreign_code(browser, folder):
    """What came into the page in spite of everything would not run: its policy knows its own script alone."""
    found = new_page(browser)
    found.goto((folder / "usual" / "index.html").as_uri())
    found.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"globalThis.harmed=1\">')")
    found.wait_for_timeout(200)
    assert not found.evaluate("'harmed' in globalThis")
    found.close()


def test_choices_narrow_what_is_shown(opened):
    """Libraries, formats and work classes leave their cases, ranked among themselves; all come back by one click."""
    found = opened("#view=ranking&records=1&depth=2")
    names = lambda: found.locator("details.row b").all_inner_texts()  # noqa: E731
    everything = names()
    found.locator("#library > summary").click()
    found.locator("#library input[value=attrs]").check()
    found.locator("#library input[value=mashumaro]").check()
    assert {"attrs", "mashumaro"} == set(names())
    found.keyboard.press("Escape")
    found.locator("#format > summary").click()
    found.locator("#format input[value='orjson/json']").check()
    assert (["attrs", "mashumaro"], ["1=", "1="]) == (sorted(names()), found.locator(".row .rank").all_inner_texts())
    found.keyboard.press("Escape")
    found.locator("details.row summary").first.click()
    told = "1=: no case of its class before it; no difference to the others of this rank is proven"
    assert told in found.locator(".facts").first.inner_text()
    found.locator("#reset").click()
    found.locator("#checks > summary").click()
    found.locator("#checks input[value='objects, unchecked']").check()
    assert {"dataclasses"} == set(names())
    found.locator("#reset").click()
    assert everything == names()


def test_size_depth_operation_and_run_are_chosen(opened):
    """What is chosen above is what the view says it shows."""
    found = opened()
    for name, value in (("records", "100"), ("depth", "4"), ("operation", "encode")):
        found.locator(f"#{name}").select_option(value)
    assert "encode · client · 100 records · depth 4 · hot · objects" == found.locator(".where").inner_text()
    found.locator("#workload").select_option("rows")
    assert "encode · rows · 10 records · depth 1 · hot · objects" == found.locator(".where").inner_text()
    found = opened("#records=1&depth=2")
    found.locator("#run").select_option("20250102-000000-bbbb")
    assert "20250102-000000-bbbb" in found.locator("#origin").inner_text()
    assert "Old, 2 cores" in found.locator("#origin").inner_text()


LINKS = (
    "#view=ranking&records=10&depth=4&operation=encode&library=attrs&library=msgspec&base=msgspec+msgspec%2Fjson",
    "#view=scaling&records=10&format=json",
    "#view=tradeoff&checks=objects%2C+unchecked",
    "#view=phases&bars=time&records=100",
    "#view=budget&bandwidth=10000000&cores=4&compression=zstd",
    "#view=table&find=orjson&sort=bytes&down=1&every=1",
    "#view=code&case=attrs+orjson%2Fjson",
)


def test_a_link_restores_the_view(opened):
    """A link shows the same again, and is what the page itself would write for it."""
    found = opened()
    address, usual = found.url, found.evaluate(SPOKEN)
    for link in LINKS:
        go_to(found, address + link)
        before = found.evaluate(SPOKEN)
        assert usual != before
        found.evaluate("serbench.go({})")
        assert {*link[1:].split("&")} - {"view=ranking"} == {*found.evaluate("location.hash.slice(1)").split("&")}
        go_to(found, found.url)
        assert before == found.evaluate(SPOKEN)


def test_the_page_begins_with_all_shapes(opened):
    """The first screen has the shapes' means in a line that opens their table, and the figure; other views have no shapes."""
    found = opened(name="shapes")
    said = found.locator("#shapes summary").inner_text()
    assert said.startswith("Over 2 shapes of data, mean time to decode: ")
    assert found.locator("#shapes").bounding_box()["y"] < 450
    assert found.locator("span.lane").first.bounding_box()["y"] < found.viewport_size["height"]
    assert not found.locator("#shapes td").first.is_visible()
    found.locator("#shapes summary").click()
    assert ["#", "library", "work class", "mean of 2"] == found.locator("#shapes thead th").all_inner_texts()[:4]
    first = [found.locator("#shapes tbody tr").first.locator(one).first.inner_text() for one in ("th", "td.number")]
    assert f": {first[0].strip()} {first[1]}" in said
    go_to(found, f"{found.url}#workload=events&library=pydantic")
    assert "pydantic" in found.locator("#shapes tr.base").text_content()
    found.locator("[data-view=table]").click()
    assert 0 == found.locator("#shapes").count()


def test_a_link_to_a_library_shows_data_that_has_it(opened):
    """`#library=NAME` opens a workload, conditions and size at which that library has a time."""
    found = opened("#library=class", name="lone")
    assert "events" in found.locator(".where").inner_text()
    assert found.locator(".row", has_text="class").count()


def test_a_link_to_a_library_without_times_says_so(opened):
    """`#library=NAME` of a library that no row has says in one line that there is none, and where its outcomes are."""
    found = opened("#library=colander")
    notes = [text for text in found.locator(".note").all_inner_texts() if "colander" in text]
    assert 1 == len(notes)
    assert notes[0].startswith("No published row has a time of colander. ")
    assert "measures it" in notes[0]
    assert not [
        text for text in opened("#library=msgspec").locator(".note").all_inner_texts() if "No published" in text
    ]


def test_the_way_back_is_the_browsers(opened):
    """Each choice is an entry in the browser's history."""
    found = opened()
    before = found.evaluate(SPOKEN)
    found.locator("[data-view=budget]").click()
    found.locator("#cores").fill("8")
    found.locator("#cores").press("Tab")
    assert "8 cores" in found.locator("#finding").inner_text()
    found.go_back()
    found.locator("#finding", has_text="4 cores,").wait_for()
    found.go_back()
    found.wait_for_function(f"(before) => {SPOKEN} === before", arg=before)


def test_a_link_to_what_is_not_there_says_so(opened):
    """Unknown names and sizes end at the nearest that there is, with a note, whatever the view."""
    odd = "&workload=none&operation=fly&records=7&depth=9&run=x&base=x&library=x&sort=x&bandwidth=x&cores=-1&case=x"
    found = opened()
    address = found.url
    for view in (*VIEWS, "constructor"):
        go_to(found, f"{address}#view={view}{odd}")
        spoken = found.evaluate(SPOKEN)
        assert "cannot be drawn" not in spoken
        if view not in ALONE:
            assert "This page has no workload “none”; it shows client." in spoken
            assert "7 records at depth 9 is not measured; showing the nearest, 10 records at depth 4." in spoken


def test_a_chosen_case_is_what_others_are_compared_with(opened):
    """A click in a line makes it the measure of all others, with intervals, in the ranking and in the table."""
    found = opened("#records=1&depth=2")
    line = found.locator("details.row", has_text="pickle")
    line.locator("summary").click()
    line.get_by_role("button", name="Compare all with this").click()
    assert 1 == found.locator(".row .line.base").count()
    assert "1× (chosen)" in found.locator(".row .line.base").inner_text()
    found.locator("[data-view=table]").click()
    rows, _ = rows_at()
    base = next(row for row in rows if row.codec == "pickle")
    texts = {relation_text(relation(row, base)) for row in rows if row.measured and row is not base} | {"1× (chosen)"}
    shown = found.locator("tbody tr:not(.failed) td:nth-child(5)").all_inner_texts()
    assert texts == {text.replace("\u00a0", " ") for text in shown}


def test_an_incomplete_cell_is_its_reason(opened):
    """What could not be measured says why, in the views of a board and in the table."""
    found = opened("#records=1&depth=2")
    for view in all_views(found):
        spoken = found.evaluate(SPOKEN)
        if view not in ("code", *ALONE):
            assert "SIGSEGV in wave 2" in spoken
            assert "60 s were not enough" in spoken


def test_a_matrix_says_what_each_cell_is(opened):
    """Pointing at a type tells how many of its probes had which outcome; a line opens to its types, these to problems."""
    found = opened("#view=fidelity")
    assert "63 of 63 cases change a value without saying so; 0 crash" in found.locator("#finding").inner_text()
    assert 33 == found.locator(".strip").count()
    line = found.locator("details.row", has_text="msgspec")
    box = line.locator(".strip").bounding_box()
    found.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 5)
    told = found.locator("#tip").inner_text()
    assert all(text in told for text in ("1 of 2 exact: int 1", "1 of 2 changed: int 2^64")), told
    assert "int" == found.locator(".types text").first.text_content()
    line.locator("summary").click()
    line.locator(".facts summary", has_text="int: 1 of 2 not exact").click()
    assert "expected 1, got 2; written: [2]" in line.locator(".facts").inner_text()
    found.get_by_role("button", name="Show all 63").click()
    assert 63 == found.locator(".strip").count()
    found.locator("[data-view=strictness]").click()
    assert "Of 63 cases given a value of a wrong type, 63 will refuse it" == found.locator("#finding").inner_text()
    found.locator("#library > summary").click()
    found.locator("#library input[value=attrs]").check()
    assert (1, "1/2") == (found.locator(".strip").count(), found.locator("details.row .value").inner_text())


def test_code_is_shown_copied_and_saved(opened):
    """The code is the source, character by character, and so is what Copy takes; a lost one says how to see today's."""
    found = opened("#view=code&case=attrs+orjson%2Fjson", permissions=["clipboard-read", "clipboard-write"])
    source = known_runs.source("attrs", "orjson")
    assert source == found.locator("pre code").inner_text()
    assert found.locator("pre .keyword", has_text="import").count() == 1
    python = 'call(tag="login", raw=b"x")'
    texts = "(python) => [...serbench.lit(python).querySelectorAll('.string')].map((one) => one.textContent)"
    strings = found.evaluate(texts, python)
    assert ['"login"', 'b"x"'] == strings
    copied(found.locator("#copy"), found.locator("#copy").click)
    assert source == found.evaluate("navigator.clipboard.readText()")
    with found.expect_download() as saved:
        found.get_by_role("button", name="Save as a file").click()
    assert source == saved.value.path().read_text()
    lost = opened("#view=code&case=mashumaro+orjson%2Fjson").evaluate(SPOKEN)
    assert "serbench show" in lost


def test_data_are_taken_away(opened):
    """The run and the shown lines come as CSV with all columns of a row and the values that were measured."""
    found = opened("#view=table&records=1&depth=2&find=orjson")
    names = list(COLUMNS)
    for button, wanted in (("CSV", ROWS), ("These lines as CSV", None)):
        with found.expect_download() as saved:
            found.get_by_role("button", name=button, exact=True).click()
        with saved.value.path().open(newline="") as file:
            lines = list(csv.DictReader(file))
        assert names == list(lines[0])
        if wanted is None:
            assert {"orjson"} == {line["codec"] for line in lines}
        else:
            assert [row.time_ns for row in wanted] == [
                float(line["time_ns"] or "nan") if line["time_ns"] else None for line in lines
            ]
    with found.expect_download() as saved:
        found.get_by_role("button", name="JSON", exact=True).click()
    assert saved.value.suggested_filename == "20260102-000000-aaaa.json"


def test_a_phone_has_room(opened):
    """At a phone's width nothing has to be moved sideways but what says so itself, and every choice is within reach."""
    found = opened("#every=1", size=(390, 844), is_mobile=True, has_touch=True)
    found.locator("#more").click()
    for name in ("checks", "format", "library"):
        found.locator(f"#{name} > summary").click()
        assert found.locator(f"#{name} [type=checkbox]").first.is_visible()
        assert found.evaluate(NO_SIDEWAYS), name
    found.locator("#library input[value=attrs]").check()
    assert "library=attrs" in found.evaluate("location.hash")
    found.keyboard.press("Escape")
    for view in all_views(found):
        assert found.evaluate(NO_SIDEWAYS), view


def test_a_list_of_ticks_is_used_by_keys(opened):
    """Enter opens a list, its search narrows it, Space ticks, and Escape closes it and leaves the focus on what opened it."""
    found = opened("#view=fidelity")
    summary = found.locator("#library > summary")
    summary.focus()
    found.keyboard.press("Enter")
    found.wait_for_selector("[aria-label='Search libraries']:focus")
    found.keyboard.type("ttr")
    names = found.locator("#library .check:visible").all_inner_texts()
    assert names == [name for name in found.locator("#library .check").all_text_contents() if "ttr" in name]
    for _ in range(3):  # past both buttons
        found.keyboard.press("Tab")
    found.keyboard.press("Space")
    assert f"library={names[0]}" in found.evaluate("location.hash")
    assert names[0] == summary.inner_text()
    found.keyboard.press("Escape")
    assert found.evaluate("document.activeElement.matches('#library > summary')")
    assert not found.locator("#library[open]").count()
    summary.click()
    found.locator("#library").get_by_role("button", name="All", exact=True).click()
    assert "all" == summary.inner_text()
    found.locator("#finding").click()
    assert not found.locator("#library[open]").count()


def test_a_phone_shows_the_answer_first(opened):
    """At a phone's width the headline and its figure come before the controls, which one button leads to."""
    found = opened(size=(390, 844), is_mobile=True, has_touch=True)
    top = lambda name: found.locator(name).bounding_box()["y"]  # noqa: E731
    assert top("#finding") < top(".lanes >> nth=0") < top("#choice")
    assert top("#finding") < 400
    found.locator("#choose").click()
    assert -1 <= top("#choice") < 844
    wide = opened()
    assert wide.locator("#choice").bounding_box()["y"] < wide.locator("#finding").bounding_box()["y"]
    assert not wide.locator("#choose").is_visible()


def test_keys_and_screen_readers_reach_everything(opened):
    """The first key leads past the controls, a change of the headline is announced, and what scrolls has keys and a name."""
    found = opened("#every=1")
    before = found.url
    found.keyboard.press("Tab")
    found.keyboard.press("Enter")
    assert "view" == found.evaluate("document.activeElement.id")
    assert before == found.url
    assert "polite" == found.locator("#told").get_attribute("aria-live")
    for view in all_views(found):
        assert found.locator("#finding").inner_text() == found.locator("#told").text_content(), view
        unnamed = """[...document.querySelectorAll('#view *')].filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowX)
            && !(one.tabIndex >= 0 || one.querySelector('input, button, a, summary'))).map((one) => one.outerHTML.slice(0, 80))"""
        assert [] == found.evaluate(unnamed), view


def test_paper_has_what_is_to_be_read(opened):
    """Printed, a page is dark on white, without controls, within its width, and says where it comes from."""
    found = opened(size=(680, 900), color_scheme="dark")
    for view in all_views(found):
        found.evaluate("dispatchEvent(new Event('beforeprint'))")
        found.emulate_media(media="print")
        assert [False, False] == [found.locator(what).is_visible() for what in ("#choice", "#views")]
        paper = "getComputedStyle(document.body).backgroundColor"
        assert ["rgb(255, 255, 255)", True] == found.evaluate(f"[{paper}, {NO_SIDEWAYS}]"), view
        whose = "serbench" if view in ALONE else "20260102-000000-aaaa"
        assert whose in found.locator("#origin").inner_text()
        found.emulate_media(media="screen")
    assert found.pdf().startswith(b"%PDF")


def test_light_and_dark(opened):
    """The page is as light or dark as the system, until its button says otherwise; a link keeps that."""
    paper = "getComputedStyle(document.body).backgroundColor"
    found = opened(color_scheme="dark")
    assert "rgb(17, 19, 24)" == found.evaluate(paper)
    found.locator("#theme").click()
    assert ("rgb(255, 255, 255)", "#theme=light") == (found.evaluate(paper), found.evaluate("location.hash"))


def test_ranks_are_those_of_the_analysis(opened):
    """Ranks among chosen libraries are those of `analysis.reranked`, for every choice of three libraries."""
    rows, choice = rows_at()
    found = opened(choice)
    names = sorted({row.library for row in rows if row.measured})
    for first in range(len(names)):
        chosen = {names[first], names[(first + 1) % len(names)], names[(first + 2) % len(names)]}
        wanted = reranked([row for row in rows if row.library in chosen], rows)
        shown = found.evaluate(
            """(names) => { const { board } = serbench.chosen(); const kept = board.filter((row) => names.includes(row.library));
            const ranks = serbench.reranked(kept, board); return kept.map((row) => ranks.get(row) ?? null); }""",
            sorted(chosen),
        )
        assert [row.rank for row in wanted] == shown


def relation_text(compared):
    """A relation as the page shows it."""
    if compared.low is None:
        return f"about {words.factor_text(max(compared.ratio, 1 / compared.ratio))} {'slower' if compared.ratio > 1 else 'faster'}"
    return words.difference_words(compared.ratio, compared.low, compared.high)


def test_figures_are_those_of_the_analysis(opened):
    """Relations, the Pareto front, budgets and phases are what the functions of the same names give in Python."""
    rows, choice = rows_at(records=100)
    found = opened(choice)
    measured = [row for row in rows if row.measured]
    places = "const { board } = serbench.chosen(); const able = board.filter((row) => row.time_ns !== null);"
    related = [[relation_text(relation(row, base)) for row in measured] for base in measured]
    assert related == found.evaluate(
        f"() => {{ {places} return able.map((base) => able.map((row) => serbench.relationText(serbench.relation(row, base)))); }}"
    )
    assert [measured.index(row) for row in pareto_front(rows)] == found.evaluate(
        f"() => {{ {places} return serbench.paretoFront(able).map((row) => able.indexOf(row)); }}"
    )
    for bits, cores in ((1e4, 1), (1e7, 1), (1e9, 4), (1e11, 64)):
        wanted = best(budgets(measured, bits, cores))
        shown = found.evaluate(
            f"([bits, cores]) => {{ {places} return serbench.budgets(able, bits, cores, ['none', 'gzip', 'zstd']).map("
            "(one) => [able.indexOf(one.row), one.compression, one.bottleneck, one.perS]); }",
            [bits, cores],
        )
        assert [one.per_s for one in wanted] == pytest.approx([one[3] for one in shown])
        kinds = {measured.index(one.row): (one.compression, one.bottleneck) for one in wanted}
        assert kinds == {rank: (compression, bottleneck) for rank, compression, bottleneck, _ in shown}
    assert [1, 2, 0] == found.evaluate(
        f"() => {{ {places} const rows = able.slice(0, 3).sort((a, b) => a.time_ns - b.time_ns);"
        "rows[0] = Object.create(rows[0], { why_incomparable: { value: 'lossy' } });"
        "return serbench.budgets(rows, 1e12, 1, ['none']).map((one) => rows.indexOf(one.row)); }"
    )
    point = [row for row in ROWS if (row.workload, row.records, row.depth) == ("client", 100, 2)]
    shown = found.evaluate(
        "() => serbench.phaseTimes(serbench.chosen().point, serbench.page().phases).map(([row, times]) => [row.label + row.codec, times])"
    )
    assert [[row.library + row.codec, times] for row, times in phase_times(point)] == [
        [name.split(" ")[0], times] for name, times in shown
    ]


def test_axes_are_those_of_the_figures(opened):
    """A logarithmic axis has the same ticks here and in Python, over parts of a decade and over many."""
    drawn = random.Random(3)
    lows = [10 ** drawn.uniform(-3, 6) for _ in range(500)]
    ends = [[low, low * 10 ** (drawn.random() * drawn.choice([0, 0.05, 0.2, 1, 2, 3, 9]))] for low in lows]
    assert list(map(log_ticks, ends)) == opened().evaluate("(ends) => ends.map(serbench.logTicks)", ends)


@pytest.mark.parametrize("most", [3, 100])
def test_lines_are_those_of_the_analysis(opened, monkeypatch, most):
    """Of more cases than there is room for, each library has the same line here and in Python."""
    monkeypatch.setattr(growth, "MOST_LINES", most)
    rows = [row for row in ROWS if (row.workload, row.operation) == ("client", "decode")]
    shown = opened(rows_at(records=10)[1]).evaluate(
        "(most) => { serbench.page().most_lines = most; return serbench.series(serbench.chosen().everywhere, 10, 2)"
        ".map((members) => [members[0].library, members[0].codec, members.length]); }",
        most,
    )
    wanted = series(rows, 10, 2)
    assert [[key[0], key[4], len(members)] for key, members in wanted.items()] == shown


def test_small_differences_are_not_painted_as_large(opened):
    """A map of times that differ by a tenth keeps to the pale half of its shades; one of large ones reaches the dark end."""
    shades = """(times) => { for (const row of serbench.rows().filter(({ time_ns }) => time_ns !== null)) {
        const per = times[Number(row.depth > 2)];
        Object.defineProperty(row, "time_per_record_ns", { value: per }); Object.defineProperty(row, "time_ns", { value: per * row.records }); }
        serbench.go({ view: "scaling" });
        return [...document.querySelectorAll(".map td")].map((cell) => parseInt(cell.style.getPropertyValue("--shade"))); }"""
    small, large = (set(opened("#records=10&depth=2").evaluate(shades, [100, most])) for most in (110, 1000))
    assert 8 in small & large
    assert max(small) < 39
    assert 70 == max(large)


def test_findings_are_those_of_the_analysis(opened):
    """What a view finds is what the figure of the same name has as its title."""
    rows, choice = rows_at(records=10)
    info = known_runs.usual()[1].info
    everywhere = [row for row in ROWS if (row.workload, row.operation) == ("client", "decode")]
    point = [row for row in ROWS if (row.workload, row.records, row.depth) == ("client", 10, 2)]
    figures = {
        "tradeoff": tradeoff(rows, info),
        "phases": phases(point, info),
        "budget": budget_figure(rows, info),
        "scaling": scaling(everywhere, info, records=10, depth=2),
    }
    [board] = boards_of(rows)
    found = opened(choice)
    assert headline(board) == found.locator("#finding").inner_text()
    for view, figure in figures.items():
        found.locator(f"[data-view={view}]").click()
        title = figure["layout"]["title"]["text"].replace("<br>", " ").removeprefix("<b>").removesuffix("</b>")
        assert title == found.locator("#finding").inner_text()


def test_marks_and_lines_are_explained_beside_the_figure(opened):
    """Each figure of marks has a line that says what hollow marks and dashes mean, if it has them, and only then."""
    found = opened(rows_at(records=10)[1])
    has = "(selector) => document.querySelectorAll(`:is(.lanes, .drawn) ${selector}`).length > 0"
    for view in ("ranking", "scaling", "tradeoff", "claims"):
        found.locator(f"[data-view={view}]").click()
        told = found.locator(".key").inner_text()
        hollow = found.evaluate(has, "svg:not(.stroke) path[fill='var(--paper)']")
        assert hollow == ("not known to the precision" in told), view
        assert ("95 % interval" in told) == (view != "tradeoff")
    found.locator("[data-view=scaling]").click()
    dashes = """(place) => [...new Set([...document.querySelectorAll(place)].map((one) => one.getAttribute("stroke-dasharray")))].sort()"""
    drawn = found.evaluate(dashes, ".series polyline")
    assert len(drawn) > 1
    assert drawn == found.evaluate(dashes, ".key [stroke-dasharray]")
    found.locator("[data-view=tradeoff]").click()
    shapes = "(place) => [...new Set([...document.querySelectorAll(place)].map((one) => one.getAttribute('d')))].sort()"
    assert set(found.evaluate(shapes, ".chart path")) <= set(found.evaluate(shapes, ".key path"))


def test_scaling_tells_first_of_what_is_used_today(opened):
    """The page's case of today, or the leader as in Python, at each size and depth that is chosen; its line is drawn."""
    everywhere = [row for row in ROWS if (row.workload, row.operation) == ("client", "decode")]
    info = known_runs.usual()[1].info
    found = opened(rows_at()[1] + "&view=scaling")
    for records, depth in {(row.records, row.depth) for row in everywhere if row.measured}:
        found.evaluate("([records, depth]) => serbench.go({ records, depth })", [str(records), str(depth)])
        title = scaling(everywhere, info, records=records, depth=depth)["layout"]["meta"]["finding"]
        assert title == found.locator("#finding").inner_text()
    slow = found.evaluate(
        "serbench.choice().shown.filter((row) => row.time_ns).sort((a, b) => b.time_ns - a.time_ns)[0].case"
    )
    name = found.evaluate("(name) => serbench.rows().find((row) => row.case === name).name", slow)
    found.evaluate("(base) => serbench.go({ base })", slow)
    assert found.locator("#finding").inner_text().startswith(f"{name} is ")
    assert found.locator(f'.series[data-case="{slow}"]').count()


@pytest.fixture(scope="module")
def sweep():
    """Two runs of one machine: an older one of all cases at few sizes, and a newer of some at others."""
    points = [Point("client", records, 2, 0) for records in (1, 20, 500)]
    whole = known_runs.run("20260103-000000-cccc", points, ("decode",))
    part = known_runs.run("20260104-000000-dddd", [replace(points[0], records=100)], ("decode",), seed=3)
    fast = {one.id for one in part.cells if one.library in ("msgspec", "mashumaro")}
    kept = [one for one in part.cells if one.id not in fast]
    return [replace(part, cells=kept, samples=[one for one in part.samples if one[0] not in fast]), whole]


def test_the_headline_of_every_size_is_that_of_the_analysis(opened, folder, sweep):
    """At and between measured sizes the page names the leader in the words of Python, whatever run is nearest."""
    page(sweep, folder / "sweep")
    found = opened(name="sweep")
    rows = [[known_runs.rounded(row) for row in run.rows] for run in sweep]
    for records in (1, 2, 20, 50, 100, 200, 500, 5_000):
        shown = found.evaluate(
            """(records) => { const all = serbench.rows(); const at = [1, 20, 500].includes(records) ? 1 : 0;
            const held = serbench.field(all, at, records, 2, []);
            return [serbench.fieldText(held, null, serbench.page().verbs, 0.07), held.contest.map((row) => row.name)]; }""",
            records,
        )
        held = field(rows if records not in (1, 20, 500) else rows[::-1], records, 2)
        assert [field_text(held, 0.07), [words.case_name(row) for row in held.contest]] == shown
    for records in (2, 100):
        go_to(found, f"{(folder / 'sweep' / 'index.html').as_uri()}#records={records}&depth=2")
        assert "msgspec" in found.locator("#finding").inner_text()
    assert {"msgspec", "mashumaro"} <= set(found.locator(".line.away b, .line:has(.band) b").all_inner_texts())


def test_another_machine_changes_no_leader(opened, folder, sweep):
    """A newer run of few cases on another machine takes no size from the machine with all cases, until it is selected."""
    points = [Point("client", records, 2, 0) for records in (100, 5_000)]
    other = known_runs.run("20260105-000000-eeee", points, ("decode",), cpu="Old", seed=5)
    slow = {one.id for one in other.cells if one.library in ("attrs", "pydantic")}
    other = replace(
        other,
        cells=[one for one in other.cells if one.id in slow],
        samples=[one for one in other.samples if one[0] in slow],
    )
    page([other, *sweep], folder / "machines")
    found = opened(name="machines")
    address = f"{(folder / 'machines' / 'index.html').as_uri()}#depth=2&records="
    for records in (1, 2, 50, 100, 200, 5_000):
        go_to(found, f"{address}{records}")
        headline = found.locator("#finding").inner_text()
        assert "msgspec" in headline or "mashumaro" in headline, (records, headline)
        assert "Abacus" in found.locator("#origin").inner_text()
    go_to(found, f"{address}5000&run={other.info.id}")
    assert "Old" in found.locator("#origin").inner_text()
    assert "attrs" in found.locator("#finding").inner_text()


def test_rows_without_the_reference_are_related_to_their_fastest(opened):
    """If the reference is filtered out, ratios are to the fastest that is shown, and the heading says so."""
    found = opened("#records=10&depth=2&operation=decode&library=pydantic&library=attrs")
    assert "against the fastest" in found.evaluate(SPOKEN)
    assert "The reference is" not in found.evaluate(SPOKEN)
    ratios = found.locator("#view .lane .extra, #view .line .extra").all_inner_texts()
    assert 1 == sum("1× (fastest)" in text for text in ratios), ratios
    rows, _ = rows_at(records=10)
    fast, slow = (next(row for row in rows if row.case.codec == codec) for codec in ("orjson", "json"))
    assert any(words.factor_text(relation(slow, fast).ratio).removesuffix("×") in text for text in ratios), ratios
    found.locator("[data-view=table]").click()
    assert "1× (fastest)" in found.evaluate(SPOKEN)


def test_numbers_read_alike(opened):
    """Three digits and the unit of a column are those of `analysis.display`."""
    found = opened()
    values = [digits * 10.0**power for power in range(-6, 9) for digits in (1, 1.2345, 4.5678, 9.994, 9.996)]
    assert [words.three_digits(value) for value in values] == found.evaluate(
        "(all) => all.map(serbench.threeDigits)", values
    )
    for some in ([1.0], [999.0, 1000.0], [5e5, 2e6, 3e6], [2e9], []):
        assert list(words.unit_of(some)) == found.evaluate("serbench.unitOf", some)
    assert math.isfinite(values[0])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_a_screen_reader_can_use_every_view(opened, scheme, width):
    """axe-core has no serious finding in any view; each figure has a name, and a phone shows the answer first."""
    source = accessibility.script()
    found = opened(size=(width, 900), color_scheme=scheme)
    for view in all_views(found):
        assert [] == accessibility.grave(found, source), view
        assert [] == found.evaluate(NAMELESS_FIGURES), view
    found.locator("[data-view=ranking]").click()
    places = [found.locator(name).bounding_box()["y"] for name in ("#finding", "#choice")]
    assert (sorted(places) == places) == (width == 390)
