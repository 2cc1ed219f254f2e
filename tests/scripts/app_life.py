"""Opens the app in Chromium again and again, and counts the kernels that are left when its pages are gone.

Pages are loaded again, closed and killed with their browser; the memory is that of the app and everything that it has
started. The exit code is 1 if a kernel is left after a minute.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import pages
from waits import until

APP = "import sys; from serbench.ask.notebook.app import open_app; sys.exit(open_app(browser=False))"
LEFT_S = 60
ATTACHED = "globalThis.serbenchFirst === null"


@contextmanager
def app(folder: Path, *, code: str = APP) -> Iterator[tuple[str, psutil.Process]]:
    """A running app with a store of its own: its address with the token, and its process."""
    log = folder / "app.log"
    settings = {**os.environ, "SERBENCH_STORE": str(folder / "runs.sqlite"), "PYTHONWARNINGS": "ignore"}
    with log.open("w") as said:
        running = subprocess.Popen([sys.executable, "-c", code], env=settings, cwd=folder, stdout=said, stderr=said)
    try:
        address = until(
            lambda: re.search(r"http://127\.0\.0\.1:\d+/\?token=\w+", log.read_text()), f"an address in {log}"
        )
        yield address[0], psutil.Process(running.pid)
    finally:
        below = psutil.Process(running.pid).children(recursive=True)
        running.terminate()
        running.wait()
        for process in below:
            if process.is_running():
                process.terminate()


def kernels(server: psutil.Process) -> list[psutil.Process]:
    """The kernels of an app."""
    found = []
    for process in server.children():
        with suppress(psutil.Error):  # it has just ended
            if "ipykernel_launcher" in " ".join(process.cmdline()):
                found.append(process)
    return found


def opened(page: Any, address: str) -> Any:
    """The page with the app, once its kernel has joined it."""
    page.goto(address, wait_until="commit")
    page.wait_for_function(ATTACHED)
    return page


def reloaded(browser: Any, address: str, times: int) -> None:
    """Load a page again so often, each time once its kernel is there; then close it."""
    page = opened(pages.new_page(browser), address)
    for _ in range(times):
        page.reload(wait_until="commit")
        page.wait_for_function(ATTACHED)
    page.close(run_before_unload=True)


def closed(browser: Any, address: str, times: int) -> None:
    """Open and close so many tabs, every other one before its kernel is there."""
    for number in range(times):
        page = pages.new_page(browser)
        page.goto(address, wait_until="commit")
        if number % 2:
            page.wait_for_function(ATTACHED)
        page.close(run_before_unload=True)


def killed(browser: Any, address: str, times: int) -> None:
    """Open the app so often in a browser, and kill its processes."""
    for _ in range(times):
        opened(pages.new_page(browser), address)
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "--headless" in " ".join(process.cmdline()):
                process.kill()


def left(server: psutil.Process) -> tuple[int, float]:
    """How many kernels are left once none is, or after a minute, and after how many seconds."""
    began = time.monotonic()
    while kernels(server) and time.monotonic() - began < LEFT_S:
        time.sleep(0.2)
    return len(kernels(server)), time.monotonic() - began


def memory(server: psutil.Process) -> str:
    """The memory of the server alone, and with its kernels."""
    alone = server.memory_info().rss
    whole = alone
    for kernel in kernels(server):
        with suppress(psutil.Error):
            whole += kernel.memory_info().rss
    return f"{alone / 1e6:.0f} MB, with kernels {whole / 1e6:.0f} MB"


def main() -> int:
    """Print a line for each way of leaving."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args().times
    worst = 0
    with tempfile.TemporaryDirectory() as folder, app(Path(folder)) as (address, server):
        for way in (reloaded, closed, killed):
            with pages.browser() as browser:
                if way is reloaded:
                    closed(browser, address, 2)  # what the server imports and remembers once
                    left(server)
                before = memory(server)
                way(browser, address, times if way is not killed else max(times // 5, 1))
                during = memory(server)
                number, seconds = left(server)
            worst = max(worst, number)
            print(f"{way.__name__}: {number} kernels left after {seconds:.0f} s; server {before} before,", flush=True)
            print(f"    {during} at the end, {memory(server)} afterwards", flush=True)
    return 1 if worst else 0


if __name__ == "__main__":
    sys.exit(main())
