"""Looks at a page as a person would: `look_at_page.py screenshots PAGE FOLDER`, or `timings PAGE`.

PAGE is the `index.html` that `serbench report --html` wrote. Screenshots are of every view, light and dark, and
on a phone. Timings are from the start of loading until the first view has been drawn, and from a click on a
tab until its view is on the screen; with the CPU time, which tells more where the machine is shared.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import pages

from serbench.api.reports.page import VIEWS

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 900}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True},
}
LOADS = 9
AFTER_PAINT = """(view) => new Promise((done) => {
  const began = performance.now();
  document.querySelector(`[data-view=${view}]`).click();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
})"""


@contextmanager
def opened(browser: Any, page: Path, **look: Any) -> Iterator[Any]:
    """The page in a new tab, drawn."""
    tab = browser.new_page(**look)
    tab.goto(page.resolve().as_uri())
    tab.wait_for_function("document.documentElement.dataset.shown", polling=20)
    yield tab
    tab.close()


def screenshots(page: Path, folder: Path) -> None:
    """Every view as a PNG file."""
    folder.mkdir(parents=True, exist_ok=True)
    with pages.browser() as browser:
        for name, look in LOOKS.items():
            with opened(browser, page, **look) as tab:
                for view in VIEWS:
                    tab.evaluate("(view) => serbench.go({ view })", view)
                    tab.screenshot(path=folder / f"{name}-{view}.png")


def timings(page: Path) -> None:
    """Print the size of the page and how long everything takes, in ms."""
    print(f"{page.stat().st_size:,} bytes")
    with pages.browser() as browser:
        for name in ("light", "phone"):
            firsts, busy = [], []
            for _ in range(LOADS):
                tab = browser.new_page(**LOOKS[name])
                spy = tab.context.new_cdp_session(tab)
                spy.send("Performance.enable", {"timeDomain": "threadTicks"})
                tab.goto(page.resolve().as_uri())
                firsts.append(tab.evaluate("performance.getEntriesByName('serbench-shown')[0].startTime"))
                tasks = {one["name"]: one["value"] for one in spy.send("Performance.getMetrics")["metrics"]}
                busy.append(tasks["TaskDuration"] * 1e3)
                tab.close()
            firsts.sort()
            middle, most = firsts[LOADS // 2], firsts[-1]
            print(f"{name}: first view {middle:.0f} (at most {most:.0f}), CPU {sorted(busy)[LOADS // 2]:.0f}")
        with opened(browser, page, **LOOKS["light"]) as tab:
            for view in (*VIEWS[1:], VIEWS[0]):
                print(f"{view}: {tab.evaluate(AFTER_PAINT, view):.0f}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["timings", page]:
            timings(Path(page))
        case ["screenshots", page, given]:
            screenshots(Path(page), Path(given))
        case _:
            sys.exit(__doc__)
