"""The page in a real browser: every view and choice, links, a phone, paper, and texts that mean harm."""

from __future__ import annotations

import csv
import math
import random
from dataclasses import replace
from functools import cache

import accessibility
import known_runs
import pytest
from pages import copied, new_page
from screens import READ, Tally, drawn_state, every_state
from waits import until

from serbench.api.reports.page import VIEWS, page
from serbench.api.reports.page.boards import boards, overview, steps
from serbench.api.reports.published import published_runs
from serbench.display import words
from serbench.display.board import boards_of
from serbench.judge.compare import relation
from serbench.judge.rows import COLUMNS
from serbench.results import Point
from serbench.store.archive import Sheet, resources

pytestmark = pytest.mark.full
SPOKEN = "document.getElementById('view').innerText"
ALONE = ("fidelity", "strictness")
"""Views of something else than runs."""
NAMELESS_FIGURES = """[...document.querySelectorAll("[role=figure], [role=img], .lanes, .chart")]
    .filter((one) => !one.role || !one.ariaLabel).map((one) => one.outerHTML.slice(0, 120))"""
NO_SIDEWAYS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@cache
def usual_rows():
    """The rows of the first of the usual runs, as the page has them."""
    return [known_runs.rounded(row) for row in known_runs.usual()[1].rows]


@cache
def usual_sheets():
    """The usual runs, as the page is made of them."""
    return [Sheet.of(run) for run in known_runs.usual()[::-1]]


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
        matrices = known_runs.matrices(*([known_runs.HOSTILE] if name == "hostile" else []))
        page(found, made / name, matrices=matrices)
        page(found, made / f"{name}-site", matrices=matrices, inline=False)
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
    until(lambda: found.evaluate("document.documentElement.dataset.shown"), "the first view")


def all_views(found):
    """Each view in turn, by a click on its tab; one workload has no overview."""
    tabs = found.evaluate("[...document.querySelectorAll('[role=tab]')].map((one) => one.dataset.view)")
    assert [*VIEWS][len(VIEWS) - len(tabs) :] == tabs
    for view in tabs:
        found.locator(f"[data-view={view}]").click()
        assert view == found.evaluate("document.documentElement.dataset.shown")
        assert "cannot be drawn" not in found.evaluate(SPOKEN)
        yield view


def rows_at(records=1, depth=2, operation="decode"):
    """The rows of the first run at a point, and how the page finds them."""
    found = [
        row
        for row in usual_rows()
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


def said_of(found, sheets, drawn):
    """Compare each board of the sheets, and so many drawn filters and baselines, with the screen; how many there are."""
    states, tally = list(every_state(sheets)), Tally()
    for state in [*states, *(drawn_state(states, random.Random(place)) for place in range(drawn))]:
        tally.take(state, found.evaluate(READ, state.address))
    assert ([], 0, 0) == (tally.contradictions, tally.empty_ranks, tally.timeless_leaders)
    return tally.states


def test_the_screen_says_what_the_board_says(opened):
    """Headline, cost, order, ranks and comparisons of each board, and of drawn filters and baselines, are Python's and the terminal's."""
    assert said_of(opened(), usual_sheets(), 60) > 80


@pytest.mark.every
def test_the_screen_says_what_each_published_board_says(opened, folder):
    """So are those of all published runs."""
    runs = [one.run for one in published_runs(resources("data"))]
    page(runs, folder / "published")
    assert said_of(opened(name="published"), list(map(Sheet.of, runs)), 300) > 300


def test_a_filter_hides_rows_and_changes_no_answer(opened):
    """With the leader hidden the headline names it still, ranks stay, and the count stands beside the filters."""
    found = opened("#records=1&depth=2")
    before = found.locator("#finding").inner_text()
    assert before.startswith("msgspec")
    found.evaluate("serbench.go({ library: ['attrs', 'mashumaro'] })")
    assert before == found.locator("#finding").inner_text()
    assert "3 of 8 shown" == found.locator("#shown").inner_text()
    found.evaluate("serbench.go({ library: ['nobody'] })")
    assert ("0 of 8 shown", 0) == (found.locator("#shown").inner_text(), found.locator("details.row").count())


def test_views_draw_what_python_tells_them(opened):
    """Titles, numbered cases, budgets, lines and phases are those of the views, in their order."""
    told, known_steps = boards(usual_sheets()), steps(usual_sheets())
    rows = [row for sheet in usual_sheets() for row in sheet.rows]
    at = {"workload": "client", "conditions": "hot", "records": 10, "depth": 2}
    board = next(one for one in told if one["run"] == 0 and one["at"] == {**at, "operation": "decode"})
    phases = next(one for one in known_steps if one["run"] == 0 and one["at"] == at)
    found = opened("#view=tradeoff&workload=client&records=10&depth=2&operation=decode")

    def title(view):
        found.evaluate("(view) => serbench.go({ view })", view)
        return found.locator("#finding").inner_text()

    assert board["tradeoff"]["title"] == title("tradeoff")
    assert [rows[number].library for number in board["tradeoff"]["lines"]] == found.locator(
        ".front b"
    ).all_inner_texts()
    assert len(board["tradeoff"]["lines"]) == found.locator(".chart text.number").count()
    assert board["scaling"]["title"] == title("scaling")
    assert len(board["scaling"]["lines"]) == found.locator("#view ul.legend:not(.key) li").count()
    assert phases["title"] == title("phases")
    assert [line[2] for line in phases["lines"]] == found.locator(".row .extra").all_inner_texts()
    for choice, budget in board["budgets"].items():
        bits, cores = choice.split("/")
        found.evaluate("([bandwidth, cores]) => serbench.go({ view: 'budget', bandwidth, cores })", [bits, cores])
        assert budget["title"] == found.locator("#finding").inner_text()
        shown = [text.replace(",", "") for text in found.locator(".row .value").all_inner_texts()]
        assert [line[1] for line in budget["lines"]] == list(map(float, shown))


def test_a_baseline_is_a_column_and_a_rule(opened):
    """What the reader uses today relates the rows by stored ratios; the answer stays, and nothing else is said."""
    found = opened("#records=1&depth=2")
    before = [found.locator(name).inner_text() for name in ("#finding", "#cost")]
    found.locator("#base").select_option("pydantic pydantic/json")
    assert before == [found.locator(name).inner_text() for name in ("#finding", "#cost")]
    assert "time over pydantic" == found.locator(".line.head .extra").first.inner_text()
    assert found.locator("details.row").count() == found.locator(".row .chosen").count()
    assert 0 == found.locator(".today").count()


def test_marks_tell_what_they_are(opened):
    """Pointing at a mark, or reaching it by keys, shows its case with its figures in one element; Escape hides it."""
    found = opened("#view=tradeoff&records=10&depth=2")
    mark = found.locator(".chart [data-tip]").first
    mark.hover()
    first = found.locator("#tip").inner_text()
    assert first.startswith("msgspec")
    assert "bytes" in first
    found.keyboard.press("Escape")
    assert not found.locator("#tip").is_visible()
    found.mouse.move(0, 0)
    found.locator("#view h2").click()
    found.keyboard.press("Tab")
    assert first == found.locator("#tip").inner_text()
    found.keyboard.press("ArrowRight")
    assert first != found.locator("#tip").inner_text()
    found.evaluate("serbench.go({ view: 'ranking' })")
    found.locator(".row .lane").first.hover()
    assert "rank 1 of the rows with the same validation" in found.locator("#tip").inner_text()


def test_what_was_not_measured_stands_below_a_line(opened):
    """Cases without a time here have no place among the rows: failures with status and reason, and those of other sizes."""
    found = opened("#workload=client&records=1&depth=2")
    told = found.locator(".unmeasured").inner_text()
    assert "Not measured here" in told
    assert "crashed: SIGSEGV in wave 2" in told
    assert found.locator("details.row", has_text="toasted").count() == 0


@pytest.mark.parametrize(("selected", "told"), [("library=toasted", 1), ("library=msgspec", 0), ("format=avro", 0)])
def test_what_was_not_measured_follows_the_filters(opened, selected, told):
    """Who selects libraries or formats is told nothing of others."""
    assert told == opened(f"#workload=client&records=1&depth=2&{selected}").locator(".unmeasured").count()


def test_texts_stay_texts(opened):
    """Names, reasons and sources that would be markup or code are read as text, and do nothing."""
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
    """Libraries, formats and work classes leave their cases with the ranks that they have; all come back by one click."""
    found = opened("#view=ranking&records=1&depth=2")
    names = lambda: found.locator("details.row b").all_inner_texts()  # noqa: E731
    everything = names()
    ranks = found.locator(".row .rank").all_inner_texts()
    found.locator("#library > summary").click()
    found.locator("#library input[value=attrs]").check()
    found.locator("#library input[value=mashumaro]").check()
    assert {"attrs", "mashumaro"} == set(names())
    kept = [rank for name, rank in zip(everything, ranks, strict=True) if name in ("attrs", "mashumaro")]
    assert kept == found.locator(".row .rank").all_inner_texts()
    found.keyboard.press("Escape")
    found.locator("#format > summary").click()
    found.locator("#format input[value='orjson/json']").check()
    assert ["attrs", "mashumaro"] == sorted(names())
    found.keyboard.press("Escape")
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
    assert (
        found.locator(".where")
        .inner_text()
        .startswith("encode client · 100 records · depth 4 · one document repeated · objects")
    )
    found.locator("#workload").select_option("rows")
    assert (
        found.locator(".where")
        .inner_text()
        .startswith("encode rows · 10 records · depth 1 · one document repeated · objects")
    )
    found = opened("#records=1&depth=2")
    found.locator("#run").select_option("20250102-000000-bbbb")
    assert "20250102-000000-bbbb" in found.locator("#origin").inner_text()
    assert "Old, 2 cores" in found.locator("#origin").inner_text()


LINKS = (
    "#view=ranking&records=10&depth=4&operation=encode&library=attrs&library=msgspec&base=msgspec+msgspec%2Fjson",
    "#view=scaling&records=10&format=json",
    "#view=tradeoff&checks=objects%2C+unchecked",
    "#view=phases&records=100",
    "#view=budget&bandwidth=100000000&cores=16",
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
        assert {*link[1:].split("&")} == {*found.evaluate("location.hash.slice(1)").split("&")}
        go_to(found, found.url)
        assert before == found.evaluate(SPOKEN)


def test_the_page_begins_with_all_workloads(opened):
    """The first screen is the overview: each cell has the given text and class, opens the ranking of its board, and keys reach it."""
    found = opened(name="shapes")
    told = overview(
        [Sheet.of(run) for run in known_runs.shapes()], boards([Sheet.of(run) for run in known_runs.shapes()])
    )
    assert "overview" == found.evaluate("document.documentElement.dataset.shown")
    for operation in ("encode", "decode"):
        found.locator("#overviewed").select_option(operation)
        texts = [
            [cell.inner_text() for cell in line.locator("td").all()]
            for line in found.locator(".overview tbody tr").all()
        ]
        groups = told[operation]["groups"]
        lines = [line for _, libraries in groups for line in [[], *(cells for _, cells in libraries)]]
        assert [[cell[0] if cell else "" for cell in cells] for cells in lines] == texts
        assert [work for work, _ in groups] == found.locator(".overview [scope=rowgroup]").all_inner_texts()
    assert found.locator(".overview td").first.bounding_box()["y"] < found.viewport_size["height"]
    colours = "cells => new Set(cells.map(cell => getComputedStyle(cell).backgroundColor)).size"
    assert found.locator(".overview td:not(.none)").evaluate_all(colours) > 1
    found.locator(".overview thead a").first.focus()
    found.keyboard.press("ArrowDown")
    found.keyboard.press("ArrowRight")
    assert "1×" == found.evaluate("document.activeElement.textContent")
    found.keyboard.press("Enter")
    [_, (name, number)] = told["decode"]["workloads"]
    board = boards([Sheet.of(run) for run in known_runs.shapes()])[number]
    assert name in found.locator(".where").inner_text()
    assert board["headline"] == found.locator("#finding").inner_text()
    found.go_back()
    assert "overview" == found.evaluate("document.documentElement.dataset.shown")
    assert 0 == opened().locator("[data-view=overview]").count()


def test_a_link_to_a_library_shows_data_that_has_it(opened):
    """`#library=NAME` opens a workload, conditions and size at which that library has a time."""
    found = opened("#library=class", name="lone")
    assert "events" in found.locator(".where").inner_text()
    assert found.locator(".row", has_text="class").count()


def test_a_link_to_a_library_without_times_says_so(opened):
    """`#library=NAME` of a library that no row has says in one line that there is none."""
    found = opened("#library=colander")
    notes = [text for text in found.locator(".note").all_inner_texts() if "colander" in text]
    assert 1 == len(notes)
    assert "Without a time on this page: colander." == notes[0]
    assert [] == opened("#library=msgspec").locator(".note").all_inner_texts()


def test_the_way_back_is_the_browsers(opened):
    """Each choice is an entry in the browser's history."""
    found = opened()
    before = found.evaluate(SPOKEN)
    found.locator("[data-view=budget]").click()
    found.locator("#cores").select_option("16")
    assert "16 cores" in found.locator("#finding").inner_text()
    found.go_back()
    found.locator("#finding", has_text="4 cores,").wait_for()
    found.go_back()
    until(lambda: found.evaluate(SPOKEN) == before, "the first sentence")


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
            assert "Not measured: workload none. Shown: client." in spoken
            assert "Not measured: 7 records at depth 9. Shown: 10 records at depth 4." in spoken


def test_a_chosen_case_is_what_others_are_compared_with(opened):
    """A click in a line makes it the measure of all others, with intervals, in the ranking and in the table."""
    found = opened("#records=1&depth=2")
    line = found.locator("details.row", has_text="pickle")
    line.locator("summary").click()
    line.get_by_role("button", name="Compare all with this").click()
    assert 1 == found.locator(".row .line.base").count()
    assert "1×" == found.locator(".row .line.base .extra").inner_text()
    found.locator("[data-view=table]").click()
    rows, _ = rows_at()
    base = next(row for row in rows if row.codec == "pickle")
    texts = {relation_text(relation(row, base)) for row in rows if row.measured and row is not base} | {"1×"}
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
    """A line has the shares of the outcomes of each type; it opens to its types, these to problems."""
    found = opened("#view=fidelity")
    assert "63 of 63 combinations silently change a value; 0 crash" in found.locator("#finding").inner_text()
    assert 33 == found.locator(".strip").count()
    line = found.locator("details.row", has_text="msgspec")
    assert "int" == found.locator(".types text").first.text_content()
    line.locator("summary").click()
    line.locator(".facts summary", has_text="int: 1 of 2 not exact").click()
    assert "expected 1, got 2; written: [2]" in line.locator(".facts").inner_text()
    found.get_by_role("button", name="Show all 63").click()
    assert 63 == found.locator(".strip").count()
    codecs = {one["codec"] for one in found.evaluate("serbench.page().matrices.cases")}
    codec = min(codecs - {one["format"] for one in found.evaluate("serbench.page().matrices.cases")})
    found.evaluate("(codec) => serbench.go({ format: [codec] })", codec)
    assert 0 < found.locator(".strip").count() < 63
    found.evaluate("serbench.go({ format: [] })")
    found.locator("[data-view=strictness]").click()
    assert "Of 2 kinds of wrong input, 63 combinations let through 1" == found.locator("#finding").inner_text()
    found.locator("#library > summary").click()
    found.locator("#library input[value=attrs]").check()
    assert (1, "1/2") == (found.locator(".strip").count(), found.locator("details.row .value").inner_text())


def test_code_is_shown_and_copied(opened):
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
    lost = opened("#view=code&case=mashumaro+orjson%2Fjson").evaluate(SPOKEN)
    assert "For today's: serbench show mashumaro orjson/json" in lost


def test_data_are_taken_away(opened):
    """The run and the shown lines come as CSV with all columns of a row and the values that were measured."""
    found = opened("#view=table&records=1&depth=2&find=orjson")
    names = list(COLUMNS)
    for button, wanted in (("CSV", usual_rows()), ("These lines as CSV", None)):
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


def test_light_and_dark(opened):
    """The page is as light or dark as the system, until its button says otherwise; a link keeps that."""
    paper = "getComputedStyle(document.body).backgroundColor"
    found = opened(color_scheme="dark")
    assert "rgb(17, 19, 24)" == found.evaluate(paper)
    found.locator("#theme").click()
    assert ("rgb(255, 255, 255)", "#view=ranking&theme=light") == (
        found.evaluate(paper),
        found.evaluate("location.hash"),
    )


def relation_text(compared):
    """A relation as the page shows it."""
    ratio, low, high = (
        None if value is None else words.three_digits(value) for value in (compared.ratio, compared.low, compared.high)
    )
    return f"about {ratio}×" if low is None else f"{ratio}× ({low} to {high})"


def test_marks_and_lines_are_explained_beside_the_figure(opened):
    """Each figure of marks has a line that says what hollow marks and dashes mean, if it has them, and only then."""
    found = opened(rows_at(records=10)[1])
    has = "(selector) => document.querySelectorAll(`:is(.lanes, .drawn) ${selector}`).length > 0"
    for view in ("ranking", "scaling", "tradeoff"):
        found.locator(f"[data-view={view}]").click()
        told = found.locator(".key").inner_text()
        hollow = found.evaluate(has, "svg:not(.stroke) path[fill='var(--paper)']")
        assert hollow == ("interval wider than" in told), view
        assert ("95% interval" in told) == (view != "tradeoff")
    found.locator("[data-view=scaling]").click()
    dashes = """(place) => [...new Set([...document.querySelectorAll(place)].map((one) => one.getAttribute("stroke-dasharray")))].sort()"""
    drawn = found.evaluate(dashes, ".series polyline")
    assert len(drawn) > 1
    assert drawn == found.evaluate(dashes, ".key [stroke-dasharray]")
    found.locator("[data-view=tradeoff]").click()
    shapes = "(place) => [...new Set([...document.querySelectorAll(place)].map((one) => one.getAttribute('d')))].sort()"
    assert set(found.evaluate(shapes, ".chart path")) <= set(found.evaluate(shapes, ".key path"))


@pytest.fixture(scope="module")
def sweep():
    """Two runs of one machine: an older one of all cases at few sizes, and a newer of some at others."""
    points = [Point("client", records, 2, 0) for records in (1, 20, 500)]
    whole = known_runs.run("20260103-000000-cccc", points, ("decode",))
    part = known_runs.run("20260104-000000-dddd", [replace(points[0], records=100)], ("decode",), seed=3)
    fast = {one.id for one in part.cells if one.library in ("msgspec", "mashumaro")}
    kept = [one for one in part.cells if one.id not in fast]
    return [replace(part, cells=kept, samples=[one for one in part.samples if one[0] not in fast]), whole]


def test_only_measured_sizes_can_be_chosen(opened, folder, sweep):
    """The lists of sizes have those that one machine measured; each shows its own board, and another size the nearest, with a note."""
    page(sweep, folder / "sweep")
    found = opened("#view=ranking", name="sweep")
    sizes = found.locator("#records option").evaluate_all("(all) => all.map((one) => one.value)")
    assert ["1", "20", "100", "500"] == sizes
    runs = sorted((Sheet.of(run) for run in sweep), key=lambda run: run.info.started, reverse=True)
    every = [board for run in runs for board in boards_of(run.rows)]
    for size in sizes:
        found.locator("#records").select_option(size)
        [board] = [one for one in every if one.measured[0].records == int(size)]
        assert board.headline == found.locator("#finding").inner_text()
        assert [] == found.locator(".note").all_inner_texts()
    go_to(found, f"{(folder / 'sweep' / 'index.html').as_uri()}#records=50&depth=2")
    assert ["Not measured: 50 records at depth 2. Shown: 100 records at depth 2."] == found.locator(
        ".note"
    ).all_inner_texts()
    assert "100 records" in found.locator(".where").inner_text()


def test_another_machine_changes_no_leader(opened, folder, sweep):
    """A newer run of few cases on another machine takes no size from the machine with most cases, until it is selected."""
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
    for records in (1, 20, 100, 500, 5_000):
        go_to(found, f"{address}{records}")
        assert "Abacus" in found.locator("#origin").inner_text()
    go_to(found, f"{address}5000&run={other.info.id}")
    assert "Old" in found.locator("#origin").inner_text()
    assert "attrs" in found.locator("#finding").inner_text()


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
    """axe-core has no finding of any kind in any view; each figure has a name, and a phone shows the answer first."""
    source = accessibility.script()
    found = opened(size=(width, 900), color_scheme=scheme)
    for view in all_views(found):
        assert [] == accessibility.found(found, source), view
        assert [] == found.evaluate(NAMELESS_FIGURES), view
    found.locator("[data-view=ranking]").click()
    places = [found.locator(name).bounding_box()["y"] for name in ("#finding", "#choice")]
    assert (sorted(places) == places) == (width == 390)
