"""Walks through four tasks in the app as a person would: `python walk_explorer.py [FOLDER]` prints clicks and seconds of each.

(a) from `serbench app orders.json` to the fastest library; (b) what a change from pydantic and json gains, with its code;
(c) how time grows with depth; (d) if the published ranks hold on this machine. With a folder, the screen after each
task is kept there.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import os

import pages
from pages import NOTEBOOKS, Page


class Walk:
    """Counts the clicks and seconds of each task."""

    def __init__(self, page: Page, folder: Path | None) -> None:
        self.page, self.folder, self.clicks = page, folder, 0

    def click(self, locator: object) -> None:
        """Click, and count it."""
        locator.click()
        self.clicks += 1

    def choose(self, label: str, value: str) -> None:
        """Choose from a list: a click that opens it and one on the value."""
        self.page.explorer.get_by_label(label, exact=True).select_option(value)
        self.clicks += 2

    def task(self, name: str, act: Callable[[], str]) -> None:
        """Do a task, and print its answer with clicks and seconds."""
        self.clicks, began = 0, time.monotonic()
        answer = act()
        print(f"{name}: {self.clicks} clicks, {time.monotonic() - began:.1f} s: {answer}", flush=True)
        if self.folder:
            self.page.page.screenshot(path=self.folder / f"{name}.png", full_page=True)


@contextmanager
def app(store: Path, *data: str) -> Iterator[str]:
    """The address of `serbench app`."""
    command = [sys.executable, "-m", "serbench", "app", *data, "--no-browser"]
    environment = {**os.environ, "SERBENCH_STORE": str(store), "PYTHONUNBUFFERED": "1"}
    running = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
    )
    try:
        for line in running.stdout:
            if found := re.search(r"http://(127\.0\.0\.1|localhost):\d+\S*", line):
                yield found[0]
                return
        raise RuntimeError("the app has ended")
    finally:
        running.terminate()
        running.wait(30)


def walk(folder: Path | None) -> None:
    """Do all tasks."""
    with tempfile.TemporaryDirectory() as name, pages.browser() as browser:
        orders = Path(shutil.copy(NOTEBOOKS / "sample_orders.json", Path(name) / "orders.json"))
        began = time.monotonic()
        with app(Path(name) / "runs.sqlite", str(orders)) as address:
            print(f"serbench app: {time.monotonic() - began:.1f} s until its address", flush=True)
            page = Page(browser, address, size=(1440, 1000))
            steps = Walk(page, folder)

            def first() -> str:
                page.page.goto(address)
                page.page.wait_for_selector(".serbench-explorer [aria-busy=false]")
                page.until_points()
                return page.title

            def gain() -> str:
                steps.choose("I use today", "pydantic/json/json")  # there as soon as it has a first time
                page.page.wait_for_selector(".today")
                steps.click(page.explorer.get_by_role("button", name="Show the code of the change").first)
                page.page.wait_for_selector("text=Copy the change")
                return page.explorer.locator(".today").first.inner_text().splitlines()[0]

            def growth() -> str:
                steps.choose("Data", "client")
                page.until_answered()
                steps.click(page.explorer.locator("[data-view=scaling]"))
                page.until_answered()
                return page.title

            def same() -> str:
                steps.click(page.explorer.locator("[data-view=ranking]"))
                page.until_answered()
                steps.click(page.explorer.locator(".sb-beside"))
                page.until_points()
                page.page.wait_for_function("document.querySelector('.sb-badge.sb-both')")
                return page.title

            for task, act in {"a": first, "b": gain, "c": growth, "d": same}.items():
                steps.task(task, act)
            page.page.close()


if __name__ == "__main__":
    walk(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
