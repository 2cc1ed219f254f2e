"""The explorer: a widget in which every control answers from stored results, and Run measures what is missing."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs

import anywidget
import traitlets

from serbench.api import choices
from serbench.api.adopting import adopt
from serbench.api.calling import kept, kept_schema, settable
from serbench.api.notebook import views
from serbench.api.notebook.background_run import ENDING, Background, Poster
from serbench.api.notebook.controls import is_headless
from serbench.api.notebook.settings import (
    CONTROLS,
    PRESET,
    Settings,
    at_point,
    from_state,
    named_in,
    run_arguments,
    with_data,
)
from serbench.api.notebook.user_data import check_size, class_data, decided, facts, uploaded
from serbench.api.reports.page import drawing, page_style, text_of
from serbench.api.reports.page.content import probes_content
from serbench.api.running import run
from serbench.errors import PlanError, SerbenchError, line_of
from serbench.judge.outcomes import Behaviour
from serbench.judge.statistics import t_quantile
from serbench.measure.options import Option
from serbench.model.data.dataset import workload_names
from serbench.store.active_run import Active, active, alone, ask_to_end, busy
from serbench.store.archive import Archive, Sheet, UserData, state_of, user_data_of
from serbench.store.opening import default_path
from serbench.store.run import Findings, Run

HERE = Path(__file__).parent
SCRIPTS = (
    "kernel.js",
    "explorer_page.js",
    "explorer_controls.js",
    "explorer_views.js",
    "explorer.js",
)  # one module, after the page's
AFTER_S, PAUSE_S = 5.0, 0.02  # the page and its controls come before older runs
READS_S = 5.0
"""How long stored runs are read before what was read is shown; a large store has more than anybody looks at."""
OTHERS_S = 1.0
"""How often is looked if another process measures into the store."""
IDLE: dict[str, Any] = {"running": False, "text": "", "fraction": 0.0, "error": ""}
"""What the page knows of a run; of that of another process also `other`: why there cannot be a second one."""


def front_end() -> str:
    """Return the scripts of the explorer, which define `render`."""
    of_views = f"const STYLE = {json.dumps(page_style())};"
    return "\n".join([of_views, drawing(), *((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)])


def style() -> str:
    """Return the style of the explorer, without that of its views, which the scripts have."""
    return f"{text_of('controls.css')}\n{(HERE / 'explorer.css').read_text(encoding='utf-8')}"


State = Annotated[
    str | None,
    Option(
        'The name of your file, or the `state` of another explorer, such as `"client?records=100&view=scaling"`; if it '
        f"is None, the page's address decides (in Voila), then `${PRESET}`, then the last stored run"
    ),
]
MeasureFirst = Annotated[bool, Option("Measure these settings first, and return when that is done")]


class Explorer(anywidget.AnyWidget):
    """Choose a workload, its size and depth, libraries and formats; see stored results, and measure others."""

    _esm = f"{front_end()}\nexport default {{ render }};\n"
    _css = style()

    options = traitlets.Dict().tag(sync=True)
    settings = traitlets.Dict().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    progress = traitlets.Dict().tag(sync=True)
    state = traitlets.Unicode().tag(sync=True)
    content = traitlets.Dict().tag(sync=True)
    live = traitlets.Dict().tag(sync=True)
    further = traitlets.Dict().tag(sync=True)

    @settable(CONTROLS)
    def __init__(
        self,
        state: State = None,
        *,
        store: choices.Store = None,
        measure: MeasureFirst = False,
        **controls: Any,
    ) -> None:
        """Show the settings of the state, with others that are named; `None` leaves one as it is.

        Your own data is measured in the background if nothing of it is stored.

        Raises:
            PlanError, WorkloadError: a setting that is out of range or unknown, or an object that JSON cannot represent.
        """
        single = {name: value for name, value in controls.items() if value is not None}
        for name, keep in (("payload", kept), ("schema", kept_schema)):
            if name in single:
                single[name] = keep(single[name])
        self._store = store
        self._archive = Archive(store)
        self._archive.read_next()
        self._choice = self._opened(state, single)
        self._data_read = self._data
        self._serial = count(1)
        self._probes: tuple[tuple[Behaviour, ...], dict[str, Any]] = ((), {})
        self._reading = threading.Lock()
        self._reads = True  # from the beginning: the first screen is not kept waiting
        self._post = Poster()
        self._showing = self._post.one_at_a_time
        self._measuring: Background | None = None
        self._other: Active | None = None
        self._upload: float | None = None  # the file that the page is sending, and its parts so far
        self._parts: list[bytes] = []
        self._drawn = threading.Event()
        super().__init__()
        self.options = views.options(store)
        self.progress = IDLE
        self.settings = self._asked = self._choice.as_data()
        self.observe(lambda change: self._answer(change["new"]), "settings")
        self.on_msg(self._on_message)
        self._see_others()
        if measure:
            self.run().join()
        elif self._is_new() and self._other is None:
            self.run()
        self._refresh()
        self._begin_reading()

    def open(self) -> None:
        """Connect to the page; where there is none, an executed notebook then keeps no state of the widget."""
        if not is_headless():
            super().open()

    def _begin_reading(self) -> None:
        """Read what the first screen does not need, and look after other processes."""
        self._thread(self._read_rest, "serbench-archive")
        self._thread(self._watch_others, "serbench-others")

    def _thread(self, work: Callable[[], None], name: str) -> None:
        threading.Thread(target=work, daemon=True, name=name).start()

    @property
    def choice(self) -> Settings:
        """The settings of the controls."""
        return self._choice

    def run(self) -> threading.Thread:
        """Measure the choice in the background, and return the thread that does it.

        Raises:
            PlanError: another process measures into the same store.
        """
        if self._measuring is not None:
            self._measuring.end()
        if other := active(self._archive.store):
            raise PlanError(busy(other))
        choice = self._choice

        def work(background: Background) -> Run:
            with alone(self._store):
                return run(
                    **run_arguments(choice),
                    store=self._store,
                    command=f"serbench.Explorer({choice.state!r})",
                    listener=background,
                    cancel=background.cancelled,
                )

        self._measuring = Background(self._on_measuring, work, builds=False)  # the command line makes environments
        return self._measuring.thread

    def cancel(self) -> None:
        """End the measuring, also that of another process into the same store; what was measured is kept."""
        if self._measuring is not None and self._measures():
            self._measuring.cancel()
        elif other := active(self._archive.store):
            ask_to_end(self._archive.store, other.run)

    def findings(self) -> Findings:
        """Say in sentences what the shown results say; they display themselves."""
        return views.findings(self._choice, self._archive)

    def _opened(self, state: str | None, single: dict[str, Any]) -> Settings:
        """Return the settings to begin with; own data has its own size and depth unless others are named."""
        preset = os.environ.get(PRESET)
        address = None if state else self._address()
        opened = state or address or preset
        if not opened and not {"workload", "payload", "model"} & single.keys():
            return _newest(self._archive).changed(single)
        named = {**named_in(opened or ""), **single}
        choice = Settings().changed(named)
        if address and choice.user_data != (from_state(preset).user_data if preset else {}):
            self._check_known(choice)
        if not choice.user_data:
            return choice
        return with_data(choice, choice.user_data).changed(named)

    def _address(self) -> str | None:
        """Return the state in the address of the page, if Voila tells it."""
        states = parse_qs(os.environ.get("QUERY_STRING", "")).get("state")
        return states[0] if states else None

    def _check_known(self, choice: Settings) -> None:
        """Refuse data that a page asks for unless it was measured before: an address opens no other file and runs no code."""
        if choice.user_data and choice.user_data not in self._archive.user_data():
            raise PlanError(f"{choice.data_name} was not measured here; drop the file into the explorer")

    def _is_new(self) -> bool:
        """Tell if the explorer shows own data that can be measured, and nothing of it was."""
        user_data = self._choice.user_data
        return bool(user_data) and not facts(user_data).reason and self._measured(user_data) is None

    def _measured(self, user_data: UserData) -> Sheet | None:
        """Return the newest run that measured some of this data, read from the store if need be; None if there is none."""
        while True:
            sheet = next((one for one in self._archive.of(user_data) if one.points), None)
            if sheet is not None or not self._archive.read_next(user_data):
                return sheet

    def _answer(self, settings: dict[str, Any]) -> bool:
        """Show what the page asks for; False, with a note, if that is refused."""
        with self._showing:
            self._asked = settings
            try:
                choice = self._choice.changed(settings)
                if choice.user_data != self._choice.user_data:
                    self._check_known(choice)
                if self.progress["error"] and choice != self._choice:  # it spoke of the choice before
                    self.progress = IDLE
                self._choice = choice
            except PlanError as error:
                self._show({**self.shown, "note": line_of(error)})
                return False
            self._refresh()
            return True

    def _open(self, user_data: UserData) -> None:
        """Show the user's own data, and measure it if nothing of it was measured."""
        choice = with_data(replace(self._choice, view="ranking"), user_data)
        if sheet := self._measured(user_data):
            choice = choice.changed(_seen(sheet))
        self._choice = choice
        self.settings = choice.as_data()
        if self._is_new() and self._other is None:
            self.run()

    def _receive(self, upload: float, name: str, part: int, parts: int, content: bytes) -> None:
        """Take a part of a file that the page sends, and open the file with its last part; of several files the last counts."""
        if part and upload != self._upload:
            return  # it was refused, or another file is being sent
        kept = self._parts if part else []
        if not part:
            self._show({**self.shown, "note": ""})  # it spoke of the data before
        self._upload, self._parts = None, []
        check_size(name, sum(map(len, kept)) + len(content))
        if part + 1 < parts:
            self._upload, self._parts = upload, [*kept, content]
            return
        folder = Path(self._store or default_path()).parent
        self._read(name, lambda: uploaded(name, b"".join([*kept, content]), folder))

    def _read(self, name: str, make: Callable[[], UserData]) -> None:
        """Open the data that `make` reads, and say so meanwhile."""
        reading = {**IDLE, "text": f"reading {name}"}
        self.progress = reading
        try:
            self._open(make())
        finally:
            if self.progress == reading:
                self.progress = IDLE

    def _adopt(self, case: str) -> None:
        """Send the page the verified module of a case, for a project of the user's own."""
        library, codec = views.case_named(case)
        data = views.case_data(self._choice)

        def work() -> None:
            try:
                reply = {"case": case, "source": adopt(library, codec, **data).source}
            except SerbenchError as error:
                reply = {"case": case, "reason": str(error)}
            self._post(lambda: self.send({"adopted": reply}))

        self._thread(work, "serbench-adopt")

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        do = content.get("do") if isinstance(content, dict) else None
        try:
            self._do(do, content, buffers)
        except SerbenchError as error:
            self._show({**self.shown, "note": line_of(error)})
        except Exception as error:
            self._show({**self.shown, "note": f"serbench failed: {type(error).__name__} {error}"})
            raise

    def _do(self, do: str | None, content: dict[str, Any], buffers: Any) -> None:
        if do == "open":
            chosen = user_data_of(content["own"])
            if chosen not in self._archive.user_data():
                raise PlanError("this data was not measured here; drop the file into the explorer")
            self._open(chosen)
        elif do == "upload":
            upload, name, part, parts = (content[key] for key in ("upload", "name", "part", "parts"))
            self._receive(upload, name, part, parts, bytes(buffers[0]))
        elif do == "class":
            payload = user_data_of({"payload": self._choice.payload})
            self._read(content["model"], lambda: class_data(content["model"], payload))
        elif do == "decide":
            self._open(decided(self._choice.user_data, content["option"], content["path"]))
        elif do == "adopt":
            self._adopt(content["case"])
        elif do == "run":
            if self._answer(content["settings"]):
                self.run()
        elif do == "cancel":
            self.cancel()
        elif do == "drawn":
            self._drawn.set()
        elif do == "alive":
            self.send({"alive": True})
        elif do == "code":
            size = {name: content[name] for name in ("records", "depth")}
            code = views.code_of(self._choice, self._archive, content["case"], content["sha256"], size)
            self.send({"code": {"key": content["key"], **code}})

    def _refresh(self) -> None:
        with self._showing, self.hold_sync():  # rows and the choice of them come together
            if self._data != self._data_read or not (self._reads or self._has_size()):
                self._data_read = self._data
                if self._read_next():
                    self._thread(self._read_runs, "serbench-archive")
            shown = views.show(self._choice, self._archive)
            self.state = self._choice.state
            self.content = views.rows_content(self._choice.data_name, views.sheets_of(self._choice, self._archive))
            self.live = views.running_content(self._choice, self._archive)
            if self._choice.view in views.MATRICES:
                self._tell_probes()
            self._show(shown)

    @property
    def _data(self) -> tuple[UserData, tuple[str, int]]:
        """The chosen data: what runs of it have, and no others."""
        choice = self._choice
        return choice.user_data, (choice.data_name, choice.seed)

    def _has_size(self) -> bool:
        """Return whether a run of the user's that has been read has the chosen size."""
        here = at_point(self._choice)
        own = (sheet for sheet in views.sheets_of(self._choice, self._archive) if not sheet.published)
        return any(here(row) for sheet in own for row in sheet.rows)

    def _probes_content(self) -> dict[str, Any]:
        """Return what is known of the probes as the page takes it, which is put together again only if there are others."""
        with self._reading:  # the thread that reads ahead and a view that needs them may ask at once
            probes = views.known_probes(self._archive)
            if probes != self._probes[0]:
                self._probes = probes, probes_content(probes)
            return self._probes[1]

    def _tell_probes(self) -> None:
        self.further = self._probes_content()

    def _show(self, shown: dict[str, Any]) -> None:
        self.shown = {**shown, "serial": next(self._serial), "settings": self._asked}

    def _on_measuring(self, progress: dict[str, Any], run: Run | None) -> None:
        """Hand a step on from the measuring's thread, which puts its rows together: widgets are touched on the kernel's loop only."""
        sheet = None if run is None else Sheet.of(run, running=progress["running"])
        if sheet is not None:
            views.prepare(sheet)
        self._post(lambda: self._take(progress, sheet))

    def _take(self, progress: dict[str, Any], sheet: Sheet | None) -> None:
        if sheet is not None:
            self._archive.take(sheet, running=progress["running"])
            self._refresh()
        self.progress = progress
        self._heed_interrupts()

    def _heed_interrupts(self) -> None:
        """Let the interrupt of an idle kernel, which it ignores, end the run that goes on in the background."""
        if threading.current_thread() is not threading.main_thread():
            return
        heeded = signal.getsignal(signal.SIGINT)
        if heeded is signal.SIG_IGN and self._measures():
            signal.signal(signal.SIGINT, self._on_interrupt)
        elif heeded == self._on_interrupt and not self._measures():
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _on_interrupt(self, *_: object) -> None:
        if self._measuring is not None:
            self._measuring.cancel()

    def _measures(self) -> bool:
        """Whether a run of this explorer goes on."""
        return self._measuring is not None and self._measuring.thread.is_alive()

    def _see_others(self) -> None:
        """Look if another process measures into the store: show how far it is, what it has after each wave, and its end."""
        if self._measures():
            return
        before, now = self._other, active(self._archive.store)
        if now == before:
            return
        self._other = now
        if now is None and before is not None:
            told = {**IDLE, "text": f"run {before.run} has ended", "fraction": 1.0}
            self._on_measuring(told, self._archive.read_again(before.run))
        elif now is not None:
            known = before.wave if before is not None and before.run == now.run else 1
            run = self._archive.read_again(now.run) if now.wave > known else None  # a wave has ended
            text = f"{now.who} measures: {now.text}"
            told = {**IDLE, "running": True, "text": text, "fraction": now.part, "other": busy(now)}
            self._on_measuring(told, run)

    def _watch_others(self) -> None:
        seen = None
        while self.comm is not None and not ENDING.wait(OTHERS_S):
            changed = state_of(self._archive.store)
            if changed != seen or self._other is not None:  # the process may have been killed
                seen = changed
                self._see_others()

    def _read_rest(self) -> None:
        """Read what the first screen does not need, once it is drawn or nobody looks."""
        latest = time.monotonic() + AFTER_S
        while time.monotonic() < latest and not self._drawn.is_set() and not ENDING.wait(PAUSE_S):
            pass
        if ENDING.is_set():
            return
        self._probes_content()
        self._post(self._tell_probes)
        t_quantile(0.975, 3.0)  # imports SciPy now, so that the first points of a run need not wait for it
        self._read_runs()

    def _read_next(self) -> bool:
        """Read the newest stored run of the chosen data that has not been read yet; return whether there was one."""
        sheet = self._archive.read_next(*self._data)
        if sheet is not None:
            views.prepare(sheet)
        return sheet is not None

    def _read_runs(self) -> None:
        """Read the newest runs of the chosen data, while no control waits for an answer, and show them.

        Those for which the time does not suffice are read when none that was read has the chosen size.
        """
        read, until, self._reads = 0, time.monotonic() + READS_S, True
        while not ENDING.is_set() and (read == 0 or time.monotonic() < until) and self._read_next():
            read += 1
            self._let_controls_answer()
        self._reads = False
        if read:
            views.rows_content(self._choice.data_name, views.sheets_of(self._choice, self._archive))
            self._post(self._refresh)

    def _let_controls_answer(self) -> None:
        """Wait until no control is being answered."""
        with self._showing:
            pass

    def __repr__(self) -> str:
        return f"serbench.Explorer({self._choice.state!r})"

    def __str__(self) -> str:
        return f"{self!r}\n{self.findings()}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Return the widget, and its findings as text for pages that cannot show it."""
        if self.comm is None:
            return {"text/plain": str(self)}, {}
        parts = super()._repr_mimebundle_(**options)
        bundle, metadata = parts if isinstance(parts, tuple) else (parts, {})
        return {**(bundle or {}), "text/plain": str(self)}, metadata


def _newest(archive: Archive) -> Settings:
    """Return settings for the newest run of the user's own; the defaults if there is none."""
    for sheet in (sheet for sheet in archive if not sheet.published):
        if any(row.measured and (sheet.user_data or row.workload in workload_names()) for row in sheet.rows):
            return Settings().of(sheet.user_data).changed(_seen(sheet))
    return Settings()


def _seen(sheet: Sheet) -> dict[str, Any]:
    """Return settings with which a run's first rows are shown."""
    row = next(row for row in sheet.rows if row.measured)
    operations = {row.operation for row in sheet.rows if row.measured}
    return {
        **({} if sheet.user_data else {"workload": row.workload}),
        **{name: getattr(row, name) for name in ("records", "depth", "seed", "conditions")},
        "operation": "decode" if "decode" in operations else row.operation,
        "libraries": (),
        "formats": (),
        "gc": sheet.gc,
    }
