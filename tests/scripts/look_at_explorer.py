"""Looks at the explorer as a person would: `screenshots FOLDER [STORE]`, `widths FOLDER [STORE]`, `timings`, `pictures FOLDER`.

Screenshots are of every view in Lab, Notebook and Voila, light and dark, on the runs of a store if one is named; `widths`
are of Voila alone, at 1440, 1024 and 390 px. Pictures are those of the documentation, of published results.

Timings are of the explorer on a store of 10,000 rows in 20 runs: how long until it shows something, until each
control has its answer on the screen, and, with a real run, until the first points and until a cancel has ended it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import pages
from pages import NOTEBOOKS, Page
from synthetic import cell, measure

from serbench.render.library import libraries
from serbench.results import Point
from serbench.store.run import Run
from serbench.store.store import Store

CODECS = (("json", "json"), ("orjson", "json"), ("msgspec", "json"), ("msgpack", "msgpack"), ("pickle", "pickle"))
VIEWS = ("scaling", "tradeoff", "phases", "budget", "table", "fidelity", "strictness", "code", "ranking")


def fill(path: Path, runs: int = 20) -> int:
    """A store with made-up runs of 500 rows each; how many rows with a time there are."""
    count = 0
    with Store(path) as store:
        for run in range(runs):
            pairs = [
                (
                    cell(
                        0,
                        name,
                        codec=codec,
                        format=form,
                        operation=operation,
                        point=Point("client", size, 2 + run % 4, 0),
                    ),
                    (300 + 120 * place + 40 * len(codec)) * size,
                )
                for size in (1, 10, 100, 1000, 10_000)
                for operation in ("encode", "decode")
                for place, name in enumerate(list(libraries())[:10])
                for codec, form in CODECS
            ]
            for number, (one, _) in enumerate(pairs):
                one.id, one.reference = number, number % 50 == 0
            machine = {"cpu": "made up", "cores": 2, "python": "CPython 3.11"}
            plan = {"gc": "on", "budget": run + 1}  # of the same plan only the newest is read
            name = store.begin(command="made up", plan=plan, machine=machine, versions={})
            samples = measure(pairs, waves=4, seed=run)  # which sizes their batches too
            store.put_cells(name, [one for one, _ in pairs])
            store.add_samples(name, samples)
            store.finish(name)
            count += sum(row.measured for row in Run.from_store(store.load(name)).rows)
    return count


@contextmanager
def opened(
    program: str, *, rows: bool, store: Path | None = None, size: tuple[int, int] = (1400, 1300)
) -> Iterator[tuple[Page, float]]:
    """The notebook in a fresh server, and how long it took from "run all" to the first screen."""
    with tempfile.TemporaryDirectory() as name, pages.browser() as browser:
        folder = Path(name)
        shutil.copy(NOTEBOOKS / "explore.ipynb", folder)
        if rows:
            print(f"{fill(folder / 'runs.sqlite'):,} rows are stored")
        if store is not None:
            shutil.copy(store, folder / "runs.sqlite")
        with pages.server(program, folder, folder / "runs.sqlite") as address:
            page = Page(browser, address, size=size)
            in_voila = program == "voila"
            yield page, page.open_voila("explore.ipynb") if in_voila else page.open_jupyter(program, "explore.ipynb")


def timings() -> None:
    """Print how long everything takes, in ms."""
    with opened("lab", rows=True) as (page, seconds):
        print(f"open: {seconds * 1e3:.0f}")
        page.page.wait_for_function("document.querySelector('[aria-label=\"Depth, slider\"]').max > 2")  # all are read
        page.page.wait_for_timeout(4000)
        for view in VIEWS:
            print(f"{view}: {page.switch(view) * 1e3:.0f}")
        for label, place in (("Records", 3), ("Records", 4), ("Depth", 3), ("Depth", 1)):
            print(f"{label} to stop {place}: {page.slide(label, place) * 1e3:.0f}")
        for label, value in (
            ("Operation", "encode"),
            ("Operation", "decode"),
            ("I use today", "attrs/json/json"),
            ("Data", "events"),
            ("Data", "client"),
        ):
            page.explorer.get_by_label(label, exact=True).select_option(value)
            print(f"{label} {value}: {page.until_answered() * 1e3:.0f}")
        for name in ("Libraries", "Formats"):
            pages.popover(page.explorer, name).click()
            page.explorer.locator(".several [open] .check:visible input").nth(1).click()
            print(f"{name}, one: {page.until_answered() * 1e3:.0f}")
            page.explorer.locator(".several [open]").get_by_role("button", name="All", exact=True).click()
            print(f"{name}, all: {page.until_answered() * 1e3:.0f}")
            page.page.keyboard.press("Escape")
        for label in ("validating only", "hide plain dicts"):
            page.explorer.get_by_label(label).check()
            print(f"{label}: {page.until_answered() * 1e3:.0f}")
            page.explorer.get_by_label(label).uncheck()
            page.until_answered()
        pages.popover(page.explorer, "More").click()
        for label in ("published results only", "garbage collector", "varied data"):
            box = page.explorer.get_by_label(label, exact=True)
            for _ in range(2):
                box.click()
                print(f"{label}: {page.until_answered() * 1e3:.0f}")
        for label, value in (("Seed", "1"), ("Seed", "0"), ("Stop after (s, 0 for no limit)", "30")):
            page.explorer.get_by_label(label, exact=True).fill(value)
            page.page.keyboard.press("Tab")
            print(f"{label} {value}: {page.until_answered() * 1e3:.0f}")
        page.page.keyboard.press("Escape")
        page.switch("budget")
        page.explorer.get_by_label("Cores", exact=True).select_option("16")
        print(f"cores: {page.until_answered() * 1e3:.0f}")
        page.switch("table")
        for name, act in (
            ("filter", lambda: page.explorer.get_by_label("Filter").fill("attrs orjson")),
            ("sort", lambda: page.explorer.locator("#by-library").click()),
        ):
            act()
            print(f"table, {name}: {page.until_answered() * 1e3:.0f}")
    with opened("lab", rows=False) as (page, _):
        page.page.wait_for_timeout(2000)
        page.choose_libraries("msgspec", "pydantic")
        page.slide("Records", 4)
        page.slide("Depth", 3)
        began = time.monotonic()
        page.explorer.locator(".sb-run").click()
        page.until_points()
        print(f"first points: {(time.monotonic() - began) * 1e3:.0f}")
        page.page.wait_for_timeout(1500)
        began = time.monotonic()
        page.explorer.get_by_role("button", name="Cancel").click()
        page.until_running(is_running=False)
        print(f"cancel: {(time.monotonic() - began) * 1e3:.0f}")


def screenshots(folder: Path, store: Path | None = None) -> None:
    """Every page and every view as a PNG file, named after program, theme and view."""
    folder.mkdir(parents=True, exist_ok=True)
    for program in ("lab", "notebook", "voila"):
        with opened(program, rows=False, store=store, size=(1400, 2200)) as (page, _):
            for theme in ("light", "dark"):
                page.set_theme(program, theme)
                page.page.screenshot(path=folder / f"{program}-{theme}.png")
                for view in VIEWS:
                    page.switch(view)
                    page.page.wait_for_timeout(500)
                    page.explorer.screenshot(path=folder / f"{program}-{theme}-{view}.png")


def widths(folder: Path, store: Path | None = None) -> None:
    """Every view of Voila at three widths, light and dark, as PNG files named after width, theme and view."""
    folder.mkdir(parents=True, exist_ok=True)
    for width in (1440, 1024, 390):
        with opened("voila", rows=False, store=store, size=(width, 1000)) as (page, _):
            for theme in ("light", "dark"):
                page.set_theme("voila", theme)
                for view in ("ranking", *VIEWS[:-1]):
                    page.switch(view)
                    page.page.wait_for_timeout(700)
                    page.page.screenshot(path=folder / f"{width}-{theme}-{view}.png", full_page=True)
                    most = page.page.evaluate("document.querySelector('.serbench-explorer').scrollWidth")
                    print(f"{width} px, {theme}, {view}: the explorer is {most} px wide", flush=True)


def pictures(folder: Path) -> None:
    """The pictures of the documentation: the first screen, and scaling."""
    with opened("voila", rows=False, size=(1200, 900)) as (page, _):
        page.page.wait_for_timeout(2000)
        clip = {"x": 0, "y": 0, "width": 1200, "height": 900}
        page.page.screenshot(path=folder / "explorer.png", clip=clip)
        page.switch("scaling")
        page.page.wait_for_timeout(2000)
        page.page.screenshot(path=folder / "scaling.png", clip=clip | {"height": 1100}, full_page=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["timings"]:
            timings()
        case ["pictures", given]:
            pictures(Path(given))
        case ["widths", given, *store]:
            widths(Path(given), Path(store[0]) if store else None)
        case ["screenshots", given, *store]:
            screenshots(Path(given), Path(store[0]) if store else None)
        case _:
            sys.exit(__doc__)
