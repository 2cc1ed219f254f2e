"""The explorer: a widget in which every control answers from stored results, and Run measures what is missing."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import anywidget
import traitlets

from serbench import catalogue
from serbench.analysis.style import ThemeName
from serbench.archive import Archive
from serbench.engine.plan import EFFORTS
from serbench.engine.results import OPERATIONS
from serbench.names import PlanError
from serbench.notebook.choice import VIEWS, Choice, from_state
from serbench.notebook.running import Measuring, plan_for, plan_text
from serbench.notebook.views import findings, known_probes, show
from serbench.result import Findings, Run
from serbench.statistics import t_quantile
from serbench.workloads import get, workload_names

HERE = Path(__file__).parent
PRESET = "SERBENCH_EXPLORER"
AFTER_S, PAUSE_S = 5.0, 0.02  # the page and its controls come before older runs


class Explorer(anywidget.AnyWidget):
    """Choose a workload, its size and depth, libraries and formats; see stored results, and measure others.

    Args:
        state: what `state` of another explorer said, such as "client?records=100&view=scaling". Without it
            the page's address decides (in Voila), then `$SERBENCH_EXPLORER`, then the last stored run.
        store: the file that keeps every run, the usual one without.
        measure: measure this choice first, and return when it is done.
        **choices: single settings by name, such as `records=100` or `libraries=["msgspec"]`.

    Raises:
        PlanError: a setting that cannot be.
    """

    _esm = HERE / "explorer.js"
    _css = HERE / "explorer.css"

    options = traitlets.Dict().tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    progress = traitlets.Dict().tag(sync=True)
    state = traitlets.Unicode().tag(sync=True)
    theme = traitlets.Unicode("light").tag(sync=True)

    def __init__(
        self, state: str | None = None, *, store: str | Path | None = None, measure: bool = False, **choices: Any
    ) -> None:
        self._store = store
        self._archive = Archive(store)
        self._archive.read_next()
        given = state or _address() or os.environ.get(PRESET)
        self._choice = (from_state(given) if given else _newest(self._archive)).changed(choices)
        self._serial = count(1)
        self._loop = _running_loop()
        self._measuring: Measuring | None = None
        self._drawn = threading.Event()
        threading.Thread(target=_plotly, daemon=True, name="serbench-plotly").start()
        super().__init__()
        self.options = _options(store)
        self.progress = {"running": False, "text": "", "fraction": 0.0, "error": ""}
        self.settings = self._choice.as_data()
        self.observe(self._on_settings, "settings")
        self.observe(lambda _: self._refresh(), "theme")
        self.on_msg(self._on_message)
        if measure:
            self.run().join()
        self._refresh()
        threading.Thread(target=self._read_rest, daemon=True, name="serbench-archive").start()

    @property
    def choice(self) -> Choice:
        """What the controls are set to."""
        return self._choice

    def run(self) -> threading.Thread:
        """Measure the choice in the background; the thread that does it."""
        if self._measuring is not None:
            self._measuring.cancel()
            self._measuring.thread.join()
        self._measuring = Measuring(
            plan_for(self._choice), self._store, f"serbench.Explorer({self._choice.state!r})", self._on_measuring
        )
        return self._measuring.thread

    def cancel(self) -> None:
        """End the measuring; what was measured is kept."""
        if self._measuring is not None:
            self._measuring.cancel()

    def findings(self) -> Findings:
        """What the shown results say, in sentences; they show themselves."""
        return findings(self._choice, self._archive)

    def _on_settings(self, change: Any) -> None:
        try:
            self._choice = self._choice.changed(change["new"])
        except PlanError as error:
            self.shown = {**self.shown, "serial": next(self._serial), "note": str(error)}
            return
        self._refresh()

    def _on_message(self, _: Any, content: Any, _buffers: Any) -> None:
        do = content.get("do") if isinstance(content, dict) else None
        if do == "run":
            self.run()
        elif do == "cancel":
            self.cancel()
        elif do == "drawn":
            self._drawn.set()
        elif do == "plotly":
            self.send({"plotly": True}, [_plotly()])

    def _refresh(self) -> None:
        theme: ThemeName = "dark" if self.theme == "dark" else "light"
        shown = show(self._choice, self._archive, theme)
        self.state = self._choice.state
        self.shown = {**shown, "serial": next(self._serial), "run_text": plan_text(self._choice)}

    def _on_measuring(self, progress: dict[str, Any], run: Run | None) -> None:
        """A step of the measuring, on its thread: widgets are touched on the kernel's loop only."""
        self._post(lambda: self._take(progress, run))

    def _take(self, progress: dict[str, Any], run: Run | None) -> None:
        if run is not None:
            self._archive.take(run, running=progress["running"])
            self._refresh()
        self.progress = progress

    def _read_rest(self) -> None:
        """What the first screen does not need, once it is there, or nobody looks."""
        read = 0
        self._drawn.wait(AFTER_S)
        t_quantile(0.975, 3.0)  # imports SciPy now, so that the first points of a run need not wait for it
        known_probes(self._archive)
        while self._archive.read_next():
            read += 1
            time.sleep(PAUSE_S)
        if read:
            self._post(self._refresh)

    def _post(self, act: Callable[[], None]) -> None:
        if self._loop is None or self._loop.is_closed() or not self._loop.is_running():
            act()
        else:
            self._loop.call_soon_threadsafe(act)

    def __repr__(self) -> str:
        return f"serbench.Explorer({self._choice.state!r})"

    def __str__(self) -> str:
        return f"{self!r}\n{self.findings()}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget, and for whoever cannot show it what it shows, as text."""
        found = super()._repr_mimebundle_(**options)
        bundle, metadata = found if isinstance(found, tuple) else (found, {})
        return {**(bundle or {}), "text/plain": str(self)}, metadata


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _address() -> str | None:
    """The state in the address of the page, where Voila tells it."""
    found = parse_qs(os.environ.get("QUERY_STRING", "")).get("state")
    return found[0] if found else None


def _newest(archive: Archive) -> Choice:
    """The data of the newest run of the user's own; without one the usual choice."""
    for sheet in (sheet for sheet in archive if not sheet.published):
        row = next((row for row in sheet.rows if row.measured and row.workload in workload_names()), None)
        if row is not None:
            operation = "decode" if any(r.operation == "decode" for r in sheet.rows) else row.operation
            formats = {r.format for r in sheet.rows if r.measured}
            return Choice(
                workload=row.workload,
                records=row.records,
                depth=row.depth,
                seed=row.seed,
                operation=operation,
                formats=("json",) if "json" in formats else (),
                gc=sheet.gc,
            )
    return Choice()


def _options(store: str | Path | None) -> dict[str, Any]:
    """What there is to choose from."""
    libraries: dict[str, dict[str, str]] = {}
    for library in catalogue.list_libraries(store):
        name, requested = library["name"], library["environment"].partition("==")[2].split(" ")[0]
        if name in libraries and requested:  # an added row of a library that is there in another version
            name += f"@{requested}"
        for variant in library["variants"]:
            value = name if variant == "default" else f"{name}[{variant}]"
            libraries[value] = {
                "value": value,
                "group": f"environment {library['environment']}",
                "about": library["version"] or "",
                "reason": library["reason"] or "",
            }
    formats = catalogue.list_formats()
    codecs = [
        entry
        for name in dict.fromkeys(row["format"] for row in formats)
        for entry in [
            {"value": name, "group": name, "about": "all its codecs", "reason": ""},
            *(
                {
                    "value": f"{row['codec']}/{name}",
                    "group": name,
                    "about": row["version"] or "",
                    "reason": row["reason"] or "",
                }
                for row in formats
                if row["format"] == name
            ),
        ]
    ]
    workloads = [
        {"value": row["name"], "about": row["summary"], "depth": get(row["name"]).shallowest}
        for row in catalogue.list_workloads()
    ]
    return {
        "libraries": list(libraries.values()),
        "formats": codecs,
        "workloads": workloads,
        "views": list(VIEWS),
        "operations": list(OPERATIONS),
        "efforts": list(EFFORTS),
        "app": os.environ.get("SERVER_SOFTWARE", "").startswith("voila"),
    }


@cache
def _plotly() -> bytes:
    """The plotly.js that ships with Plotly, compressed: the page needs nothing from anywhere else."""
    import gzip

    from plotly.offline import get_plotlyjs

    # Within the function that wraps it for module loaders a browser compiles it twice, which takes as long as all else.
    text = get_plotlyjs()
    begin, end = text.find("var Plotly=("), text.rfind("\nwindow.Plotly = Plotly;")
    return gzip.compress((text[begin:end] if 0 <= begin < end else text).encode(), 1)
