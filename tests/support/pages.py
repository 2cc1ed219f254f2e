"""A browser without a window, and servers that show notebooks to it: JupyterLab and Voila on this machine only."""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from waits import LONGEST_S, until

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
TEMPLATE = Path(__file__).parents[2] / "serbench" / "api" / "notebook" / "voila"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ["sandbox", "gpu", "quic", "first-run", "background-networking", "component-update", "sync", "extensions"]
JUPYTER = {"lab": "jupyterlab", "notebook": "notebook"}
IDLE = """() => {
  const kernel = window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel;
  return kernel && kernel.connectionStatus === "connected" && kernel.status === "idle";
}"""


def chromium() -> str | None:
    """Where Chromium is, if it is anywhere: $CHROMIUM, or on the path."""
    return os.environ.get("CHROMIUM") or next((found for name in NAMES if (found := shutil.which(name))), None)


def missing() -> str:
    """Say what a browser test needs and does not find; empty if all is there."""
    for module in ("playwright", "voila", "notebook"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed: uv pip install --group test"
    if chromium() or _fetched():
        return ""
    return "there is no Chromium: install one, name one by $CHROMIUM, or run `playwright install chromium`"


def _fetched() -> bool:
    """Return True if Playwright has a Chromium of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    off = [f"--no-{name}" if name in ("sandbox", "first-run") else f"--disable-{name}" for name in QUIET]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=off)
        yield started
        started.close()


def free_port() -> int:
    """A port that nobody listens on, below those that the system gives to whoever asks for any, so that it stays free."""
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port


@contextmanager
def server(program: str, folder: Path, store: Path, *options: str) -> Iterator[str]:
    """The address of a running `lab`, `notebook` or `voila` that serves the folder and keeps its runs in that store."""
    port = free_port()
    jupyter_folders = {
        name: str(folder / ".own" / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    }
    jupyter_folders["IPYTHONDIR"] = os.environ.get(
        "IPYTHONDIR", jupyter_folders["IPYTHONDIR"]
    )  # a test's own begins each kernel
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # it slows imports
    environment = {**usual, **jupyter_folders, "SERBENCH_STORE": str(store), "PYTHONWARNINGS": "ignore"}
    environment["JUPYTER_PATH"] = str(folder / ".own")
    common = [sys.executable, "-m"]
    if program in JUPYTER:
        common += [JUPYTER[program], f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=", "--allow-root"]
        common += ["--expose-app-in-browser", "--no-browser", f"--port={port}"]
        ready = f"http://127.0.0.1:{port}/api"
    else:
        # The template as it is here: Voila waits for ever for one that was not installed.
        shutil.copytree(TEMPLATE, folder / ".own" / "voila" / "templates" / "serbench", dirs_exist_ok=True)
        common += ["voila", str(folder), "--template=serbench", "--no-browser", f"--port={port}"]
        common += ["--show_tracebacks=True"]
        ready = f"http://127.0.0.1:{port}/"
    with (folder / "server.log").open("w") as log:
        running = subprocess.Popen([*common, *options], env=environment, cwd=folder, stdout=log, stderr=log)
    try:
        _wait_for(ready, running, folder / "server.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        try:
            running.wait(LONGEST_S)
        finally:
            running.kill()


def _wait_for(address: str, running: subprocess.Popen[bytes], log: Path) -> None:
    def answers() -> bool:
        assert running.poll() is None, f"the server ended: {log.read_text()[-2000:]}"
        with suppress(OSError):
            urllib.request.urlopen(address, timeout=5).close()
            return True
        return False

    until(answers, f"an answer from {address}, see {log}")


def new_page(browser: Any, **options: Any) -> Any:
    """A page whose waits end as all others do."""
    made = browser.new_page(**options)
    made.set_default_timeout(LONGEST_S * 1000)  # ms
    return made


class Page:
    """A page that notes every request to another host, and knows its way around the explorer."""

    def __init__(
        self, browser: Any, address: str, *, size: tuple[int, int] = (1400, 1300), scheme: str = "light"
    ) -> None:
        self.address = address
        self.page = new_page(browser, viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        self.outside: list[str] = []
        self.errors: list[str] = []
        here = (address, address.replace("http", "ws"), "data:", "blob:")
        self.page.on("request", lambda r: None if r.url.startswith(here) else self.outside.append(r.url))
        # Widgets are loaded from blobs; what the page around has to say of itself is its own affair.
        self.page.on("pageerror", lambda error: self.errors.append(str(error)) if "blob:" in error.stack else None)

    def open_jupyter(self, program: str, notebook: str) -> float:
        """Open in Lab or Notebook and run all of it; seconds from then until the explorer shows something."""
        path = {"lab": "lab/tree", "notebook": "notebooks"}[program]
        self.page.goto(f"{self.address}/{path}/{notebook}?reset")
        self.page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
        self.page.wait_for_function(IDLE)
        began = time.monotonic()
        self.page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
        return self._drawn(began)

    def open_voila(self, notebook: str, query: str = "") -> float:
        """Open a notebook in Voila; seconds until the explorer shows something."""
        began = time.monotonic()
        self.page.goto(f"{self.address}/voila/render/{notebook}{query}")
        return self._drawn(began)

    def set_theme(self, program: str, theme: str) -> None:
        """Show the page in the "light" or the "dark" theme, and wait until the explorer has followed."""
        if program == "voila":
            self.open_voila("explore.ipynb", f"?theme={theme}")
        else:
            name = f"JupyterLab {theme.title()}"
            self.page.evaluate(f"window.jupyterapp.commands.execute('apputils:change-theme', {{theme: '{name}'}})")
        self.page.wait_for_selector(f".serbench-explorer[data-theme={theme}]")
        self.page.wait_for_timeout(1500)

    def _drawn(self, began: float) -> float:
        self.page.wait_for_selector(".serbench-explorer [aria-busy=false]")
        seconds = time.monotonic() - began
        self.page.wait_for_function("!document.querySelector('#voila-spinner, #loading')?.checkVisibility?.()")
        self.explorer.scroll_into_view_if_needed()
        return seconds

    @property
    def explorer(self) -> Any:
        """The explorer."""
        return self.page.locator(".serbench-explorer")

    @property
    def title(self) -> str:
        """What the view found."""
        return str(self.explorer.locator("#finding").inner_text())

    def until_answered(self) -> float:
        """Wait until the page shows what its controls ask for; seconds that it took."""
        began = time.monotonic()
        self.page.wait_for_function("document.querySelector('.serbench-explorer [aria-busy=false]')", polling=10)
        return time.monotonic() - began

    def until_running(self, *, is_running: bool) -> None:
        """Wait until a run has begun, or ended."""
        wanted = str(is_running).lower()
        self.page.wait_for_function(
            f"document.querySelector('.serbench-explorer').dataset.running === '{wanted}'", polling=10
        )

    def until_points(self) -> None:
        """Wait for the first points of the run in progress."""
        self.explorer.locator(".sb-now").wait_for()

    def choose_libraries(self, *names: str) -> None:
        """Tick these libraries, each found by the search."""
        popover(self.explorer, "Libraries").click()
        for name in names:
            self.explorer.get_by_label("Search libraries").fill(name)
            self.explorer.locator(".several .check:visible input").first.check()
        self.page.keyboard.press("Escape")
        self.until_answered()

    def choose_effort(self, effort: str) -> None:
        """Choose how long a run takes; a thorough one is not over before it is cancelled."""
        more = popover(self.explorer, "More")
        more.click()
        self.explorer.get_by_label("Effort").select_option(effort)
        more.click()
        self.until_answered()

    def slide(self, label: str, position: int) -> float:
        """Move a slider to a stop; seconds until the answer is shown."""
        self.explorer.get_by_label(f"{label}, slider").fill(str(position))
        return self.until_answered()

    def switch(self, view: str) -> float:
        """Click a view's tab; seconds until it is shown."""
        self.explorer.locator(f"[data-view={view}]").click()
        return self.until_answered()

    def results(self) -> Any:
        """The lines of the table of results, without those of the means below it."""
        return self.explorer.locator("table.rows tbody tr")

    def tab_to(self, name: str) -> None:
        """Press Tab until what has the focus has this name, or begins so."""
        for _ in range(120):
            if self.focused().startswith(name):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab never reached {name!r}")

    def focused(self) -> str:
        """The name of what has the focus, as a screen reader would say it."""
        return str(self.page.evaluate(f"({NAME_OF})({ACTIVE})"))

    def nameless(self) -> list[str]:
        """The controls of the explorer that have no name."""
        script = f"""() => [document, document.querySelector(".sb-page").shadowRoot].flatMap((tree) => [...tree.querySelectorAll(
          ":is(.serbench-explorer, #view) :is(button, input, select, summary, [tabindex])")])
          .filter((e) => !({NAME_OF})(e)).map((e) => e.outerHTML.slice(0, 120))"""
        return list(self.page.evaluate(script))


def copied(button: Any, press: Callable[[], None]) -> None:
    """Press a button that copies, and see that it says so, which it does for a moment only."""
    button.evaluate("""(one) => {
      const saw = () => { globalThis.saidCopied ||= one.textContent === "Copied"; };
      new MutationObserver(saw).observe(one, { childList: true });
    }""")
    press()
    until(
        lambda: button.page.evaluate("globalThis.saidCopied"), "what was copied"
    )  # the page forbids what wait_for_function evaluates


def popover(within: Any, name: str) -> Any:
    """The summary that opens a panel of controls: "More", or the label of a list of ticks."""
    of_list = within.locator(f".several:has(> .caption:text-is('{name}')) summary")
    return of_list.or_(within.locator(f".more > summary:text-is('{name}')"))


ACTIVE = "((one) => { while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement; return one; })(document.activeElement)"
"""What has the focus, in a tree of its own too."""
NAME_OF = """(e) => ((e?.getAttribute?.("aria-labelledby") ?? "").split(" ").map((id) => e?.getRootNode().getElementById?.(id)?.textContent)
  .filter(Boolean).join(" ") || e?.getAttribute?.("aria-label") || e?.labels?.[0]?.textContent
  || (["BUTTON", "SUMMARY", "A"].includes(e?.tagName) ? e.textContent : "") || "").trim()"""
