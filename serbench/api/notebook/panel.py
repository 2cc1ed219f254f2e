"""The widget of a notebook's controls: shows stored results for the chosen values; Run measures missing ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets as widgets
import traitlets

from serbench.api.calling import several
from serbench.api.notebook.background_run import FIGURE, Background, Live, Poster, Replayed, Stored, bundle
from serbench.api.notebook.controls import is_held, is_number, option_of, text_of
from serbench.api.notebook.user_data import uploaded
from serbench.api.running import attended
from serbench.display.style import THEMES
from serbench.display.words import listed
from serbench.errors import PlanError, SerbenchError, line_of
from serbench.measure.options import Option, whole
from serbench.model.classes.fields import kind_of as kind_of_class
from serbench.model.data.dataset import get, workload_names
from serbench.store.archive import DEEPER, SIZES
from serbench.store.opening import default_path
from serbench.store.run import Run

IDLE_BUTTONS = ("select", "lasso", "in", "out", "auto")
"""Buttons of Plotly that select points, which nothing here asks for, or zoom as the mouse does."""
ANY_DATA = ".json,.jsonl,.ndjson,.yaml,.yml,.toml,.csv,.parquet"


class Sizes(widgets.HBox):  # type: ignore[misc]  # ipywidgets is untyped
    """A slider over stops, a box that takes any other number, by keyboard everywhere, and a line on what is none."""

    value = traitlets.Any()

    def __init__(self, name: str, value: Any, option: Option, choices: Sequence[int]) -> None:
        self._name, self._shows, self._check = name, False, partial(option.check, name)
        self._several, self.note = isinstance(value, list | tuple), widgets.HTML()
        value = list(value) if self._several else value
        self._stops = tuple(sorted({*choices, *(value if self._several else [value])}))
        slider = widgets.SelectionRangeSlider if self._several else widgets.SelectionSlider
        options = [(f"{stop:,}", stop) for stop in self._stops]
        released = {"continuous_update": False}  # otherwise the page also tells places at which new stops have put it
        place = self._placed(value)
        self.slider = slider(options=options, value=place, description=name, tooltip=words_of(option), **released)
        look = {"layout": widgets.Layout(width="9em"), "tooltip": f"{name}, any others"}
        self.box = widgets.Text(value=_numbers(value), **look, **released)
        super().__init__([self.slider, self.box, self.note], value=value)
        self.slider.observe(lambda change: self._slid(change["new"]), "value")
        self.box.observe(lambda change: self._typed(change["new"]), "value")
        self.observe(lambda _: self._show(), "value")

    def _placed(self, value: Any) -> Any:
        """The place of a value on the slider: of several, from the least to the greatest."""
        return (min(value), max(value)) if self._several else value

    def _slid(self, place: Any) -> None:
        if self._shows or place == self._placed(self.value):
            return
        self.note.value = ""
        self.value = [stop for stop in self._stops if place[0] <= stop <= place[1]] if self._several else place

    def _typed(self, text: str) -> None:
        if self._shows:
            return
        self.note.value = ""
        try:
            numbers = sorted({whole(part.strip()) for part in text.split(",")})
            self._check(numbers)
            self.value = numbers if self._several else numbers[0]
        except PlanError as error:
            self.note.value = _alert(f"{self._name} {str(error).removeprefix(self._name).strip()}")
        with self._quiet():
            self.box.value = _numbers(self.value)

    def offer(self, stops: Sequence[int]) -> None:
        """Offer other stops; a value below all of them becomes the least."""
        self._stops = tuple(stops)
        some = self.value if self._several else [self.value]
        value = sorted({max(number, min(stops)) for number in some})
        self.value = value if self._several else value[0]
        self._show()

    def _show(self) -> None:
        value, place = self.value, self._placed(self.value)
        stops = tuple(sorted({*self._stops, *(value if self._several else [value])}))
        if [(f"{stop:,}", stop) for stop in stops] != list(self.slider.options):
            self._stops = stops
            with self._quiet():
                self.slider.options = [(f"{stop:,}", stop) for stop in stops]
        with self._quiet():
            self.slider.value, self.box.value = place, _numbers(value)

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        """Take no change of the slider or the box as the user's."""
        before, self._shows = self._shows, True
        try:
            yield
        finally:
            self._shows = before


class Names(widgets.VBox):  # type: ignore[misc]  # ipywidgets is untyped
    """Names as tags, a box that offers all there are, and a line on one that is unknown.

    The box also takes `-NAME`, which removes a tag: the cross of a tag can only be clicked.
    """

    value: Any = traitlets.List()

    def __init__(self, name: str, value: Sequence[str], option: Option, choices: Sequence[str]) -> None:
        self._check, self._empty, self._choices = partial(option.check, name), option.default or "none", choices
        self.tags = widgets.TagsInput(value=list(value), allow_duplicates=False, tooltip=words_of(option))
        look = widgets.Layout(width="29em", max_width="100%")
        self.add = widgets.Combobox(description=name, continuous_update=False, layout=look)
        self._told(value)
        self.note = widgets.HTML()
        row = widgets.HBox([self.add, self.tags], layout=widgets.Layout(flex_flow="row wrap"))
        super().__init__([row, self.note], value=list(value))
        self.add.observe(lambda change: self._added(change["new"]), "value")
        self.tags.observe(lambda change: self._tagged(change["new"]), "value")

    def _told(self, names: Sequence[str]) -> None:
        """Say what no names stand for, in place of an empty box; offer to add other names, and to remove these."""
        self.add.placeholder = "add another; -name removes it" if names else self._empty
        self.add.options = (*self._choices, *(f"-{name}" for name in names))
        self.tags.layout.display = None if names else "none"

    def _added(self, text: str) -> None:
        if parts := [part.strip() for part in text.split(",") if part.strip()]:
            removed = {part[1:].strip() for part in parts if part.startswith("-")}
            added = [part for part in parts if not part.startswith("-")]
            absent = sorted(removed - {"", *self.tags.value})
            self.add.value = ""
            self.tags.value = [*dict.fromkeys(name for name in [*self.tags.value, *added] if name not in removed)]
            if absent:
                self.note.value = _alert(f"not chosen, so not removed: {listed(absent)}")

    def _tagged(self, names: list[str]) -> None:
        if names == self.value:  # those that are left without an unknown one
            return
        known, said = [], ""
        for one in names:
            try:
                self._check(one)
                known.append(one)
            except SerbenchError as error:
                said = str(error).partition(": known are ")[0]  # the box offers all there are
        self._told(known)  # a box whose offers change drops what is being typed: before the note asks for another name
        self.value = self.tags.value = known
        self.note.value = _alert(said)


class File(widgets.HBox):  # type: ignore[misc]  # ipywidgets is untyped
    """A file to upload, which is kept beside the store, or the path of one."""

    value = traitlets.Unicode()

    def __init__(self, name: str, value: str, option: Option) -> None:
        self.upload = widgets.FileUpload(accept=ANY_DATA, description="your file", tooltip=words_of(option))
        self.path = widgets.Text(value=value, description=name, continuous_update=False, tooltip=words_of(option))
        self.note = widgets.HTML()
        super().__init__([self.path, self.upload, self.note], value=value)
        traitlets.link((self, "value"), (self.path, "value"))
        self.upload.observe(lambda change: self._received(change["new"]), "value")
        self.observe(lambda _: setattr(self.note, "value", ""), "value")

    def _received(self, files: Sequence[Any]) -> None:
        for file in files:
            try:
                kept = uploaded(file["name"], bytes(file["content"]), default_path().parent)
            except SerbenchError as error:
                self.note.value = _alert(str(error))
                return
            self.note.value, self.value = "", kept["payload"]


def _alert(said: str) -> str:
    """Return a line that a screen reader speaks at once; nothing if nothing is said."""
    return f"<small role='alert'>{escape(said)}</small>" if said else ""


def words_of(option: Option) -> str:
    """Return the tooltip of an option's control."""
    return line_of(option.help).replace("`", "")


def control_of(name: str, value: Any, choices: Sequence[Any], namespace: Mapping[str, Any]) -> Any:
    """Return the widget of a parameter, which has its `value`.

    It is as what may be chosen asks for, as the option of its name does, or as its value does.

    Raises:
        PlanError: a value that the option cannot have.
    """
    option = option_of(name)
    about: dict[str, Any] = {"description": name, "tooltip": words_of(option)}
    known = option.choices() if option.choices else ()
    if isinstance(value, str) and name in ("records", "depth"):
        numbers = [whole(part.strip()) for part in value.split(",")]
        value = numbers if len(numbers) > 1 else numbers[0]
    several_numbers = isinstance(value, list | tuple) and all(map(is_number, value))
    are_numbers = not value or is_number(value) or several_numbers
    if choices and are_numbers and all(type(choice) is int for choice in choices):
        usual = [choices[0]] if several_numbers else choices[0]
        return Sizes(name, value or usual, option, choices)
    if value and are_numbers and (several_numbers or name in ("records", "depth")):
        stops = {"records": SIZES, "depth": depths_of(namespace.get("workload"))}
        return Sizes(name, value, option, stops.get(name, ()))
    if isinstance(value, list | tuple) or option.refuse:
        return Names(name, several(value), option, tuple(choices or known))
    if choices or known:
        if not choices and value is not None:
            option.check(name, value)
        return widgets.Dropdown(
            options=tuple(dict.fromkeys([*choices, value] if choices else known)), value=value, **about
        )
    if name == "payload":
        return File(name, value or "", option)
    if name == "model":
        look = {"placeholder": "models.py:Order", "continuous_update": False}
        return widgets.Combobox(options=models_in(namespace), value=value or "", **look, **about)
    if isinstance(value, bool):
        return widgets.Checkbox(value=value, **about)
    if isinstance(value, int):
        return widgets.BoundedIntText(value=value, min=min(value, 0), max=2**53, **about)
    if isinstance(value, float):
        return widgets.BoundedFloatText(value=value, min=min(value, 0.0), max=1e15, **about)
    return widgets.Text(value=str(value or ""), continuous_update=False, **about)


def depths_of(workload: Any, choices: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the depths to offer of a workload, of the choices if there are any: none that it cannot have."""
    least = get(workload).shallowest if isinstance(workload, str) and workload in workload_names() else 1
    return tuple(one for one in choices if one >= least) or tuple(least + more for more in DEEPER)


def models_in(namespace: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the classes of cells that are models."""

    def is_model(value: Any) -> bool:
        try:
            return isinstance(value, type) and value.__module__ == "__main__" and bool(kind_of_class(value))
        except SerbenchError:
            return False

    return tuple(name for name, value in namespace.items() if is_model(value))


def _of_figures() -> str:
    """Return the style of serbench's figures, known by the colour of their text: in dark colours if the page is dark.

    So is the arrow of a list, a picture that ipywidgets draws black.

    Plotly's buttons stand in a column, where they hide no title; those that do nothing here are left out, so that they
    end above a legend.
    """
    light, dark = (
        {
            name: f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"
            for name, colour in its.items()
        }
        for its in (vars(THEMES["light"]), vars(THEMES["dark"]))
    )
    page = ':is([data-jp-theme-light="false"], .vscode-dark)'
    figure = f'.js-plotly-plot:has(text[style*="{light["text"]}"])'
    inks = [("text", "fill"), ("text", "stroke"), ("faint", "fill"), ("grid", "stroke"), ("fine_grid", "stroke")]
    rules = [f'[style*="{part}: {light[name]}"] {{ {part}: {dark[name]} !important; }}' for name, part in inks]
    paper = f':is(.main-svg, .bg)[style*="{light["paper"]}"]'
    rules.append(f"{paper} {{ background: {dark['paper']} !important; fill: {dark['paper']} !important; }}")
    rules.append(f".modebar-group {{ background: {dark['paper']} !important; }}")
    rules.append(f".modebar-btn path {{ fill: {dark['faint']} !important; }}")
    buttons = f"""{figure} :is(.modebar, .modebar-group) {{ display: flex; flex-direction: column; }}
{figure} .modebar-btn:is({", ".join(f"[data-val={name}]" for name in IDLE_BUTTONS)}) {{ display: none; }}"""
    path = f"<path d='M4 7l5 5 5-5' fill='none' stroke='{dark['text']}' stroke-width='2'/>"
    arrow = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18'>{path}</svg>"
    lists = f'{page} .serbench-controls {{ --jp-widgets-dropdown-arrow: url("data:image/svg+xml,{arrow}"); }}'
    return "\n".join([buttons, lists, *(f"{page} {figure} {rule}" for rule in rules)])


class InPage(anywidget.AnyWidget):
    """The part of a panel that the page does: it says if the kernel does not answer, and leaves the keys to lists and sliders.

    Otherwise JupyterLab takes the arrows and letters of a list that has the focus, and moves or makes cells. In a dark
    page it gives the notebook's figures dark colours: the kernel, which draws them, knows no page.
    """

    _css = _of_figures()

    _esm = "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("kernel.js", "panel.js"))

    def __init__(self, post: Poster) -> None:
        super().__init__()
        self.on_msg(lambda *_: post(lambda: self.send({"alive": True})))  # on the loop, behind a cell that runs


class Panel(widgets.VBox):  # type: ignore[misc]  # ipywidgets is untyped
    """Controls of parameters, Run, Cancel, and beneath them the result of a function of their values.

    Attributes:
        value: name → value of each control.
        controls: name → widget of each control.
    """

    value = traitlets.Dict()

    def __init__(
        self,
        function: Callable[..., Any],
        values: Mapping[str, Any],
        choices: Mapping[str, Sequence[Any]],
        namespace: MutableMapping[str, Any],
        show: Callable[[Any], Any] | None = None,
        notes: Iterable[str] = (),
    ) -> None:
        self._function, self._namespace, self._choices = function, namespace, choices
        self._shown = show or (lambda result: result)
        self._given = {
            name: (text_of(name, one), one)
            for name, one in values.items()
            if not is_held(name, one) and not any(one is choice for choice in choices.get(name, ()))
        }
        values = {**values, **{name: text for name, (text, _) in self._given.items()}}
        beside = {**namespace, **values}
        self.controls = {name: control_of(name, one, choices.get(name, ()), beside) for name, one in values.items()}
        self.button = widgets.Button(description="Run", button_style="primary", tooltip="Measure on this machine")
        self.stop = widgets.Button(description="Cancel", disabled=True, tooltip="End it; a run keeps what was measured")
        self.follow = widgets.Checkbox(value=False, description="run when changed", indent=False)
        self.follow.layout.width = "auto"
        self.bar = widgets.FloatProgress(min=0.0, max=1.0, layout=widgets.Layout(width="10em", display="none"))
        self.line = widgets.HTML(layout=widgets.Layout(margin="0 0 0 1em"))
        self.output = widgets.Output(layout=widgets.Layout(min_width="46em"))  # in a narrow page it scrolls
        self._result: Any = None
        self._forms: Any = None
        self._about, self._is_about = "", False  # what is said of a stored result, and if that is shown
        self._post = Poster()
        self._looking = threading.Lock()
        self._asked = 0
        self._work: Background | None = None
        self._live: Live | None = None
        acts = widgets.HBox([self.button, self.stop, self.follow, self.bar, self.line])
        acts.layout.flex_flow = "row wrap"
        said = [widgets.HTML(f"<small>{escape(note)}</small>") for note in notes]
        sizes = {name: one.value for name, one in self.controls.items() if isinstance(one, Sizes)}
        children = [*self.controls.values(), *said, acts, self.output, InPage(self._post)]
        super().__init__(children, value={**values, **sizes})
        self.add_class("serbench-controls")
        for name, control in self.controls.items():
            control.observe(lambda change, name=name: self._moved(name, change["new"]), "value")
        self.button.on_click(lambda _: self.run())
        self.stop.on_click(lambda _: self.cancel())
        self._find(self._asked, self.arguments)

    @property
    def result(self) -> Any:
        """What the function has returned last, of what is stored or measured.

        Raises:
            PlanError: nothing is shown.
        """
        if self._result is None:
            raise PlanError("there is no result yet: press Run, then run this cell again")
        return self._result

    @property
    def arguments(self) -> dict[str, Any]:
        """What the function is called with."""
        return {name: self._argument(name, value) for name, value in self.value.items()}

    def _argument(self, name: str, value: Any) -> Any:
        text, given = self._given.get(name, (None, None))
        if value == text:
            return given
        if name == "model" and value in models_in(self._namespace):
            return self._namespace[value]
        return (value or None) if name in ("payload", "model") else list(value) if isinstance(value, list) else value

    def run(self) -> None:
        """Measure in the background what is chosen; what goes on is ended first."""
        if self._work is not None:
            self._work.end()
        self._asked += 1
        values, arguments = self.value, self.arguments
        self._work = Background(self._told, lambda background: self._measure(background, values, arguments))

    def cancel(self) -> None:
        """End what is measured; a run keeps what was measured."""
        if self._work is not None:
            self._work.cancel()

    def _moved(self, name: str, value: Any) -> None:
        self.value = {**self.value, name: value}
        if name in self._namespace:
            self._namespace[name] = self._argument(name, value)
        if name == "workload" and isinstance(sizes := self.controls.get("depth"), Sizes):
            sizes.offer(depths_of(value, self._choices.get("depth", ())))
        self._asked += 1
        number, arguments = self._asked, self.arguments
        threading.Thread(target=self._find, args=(number, arguments), daemon=True, name="serbench-stored").start()

    def _find(self, number: int, arguments: Mapping[str, Any]) -> None:
        """Show what is stored; of several requests the last counts."""
        with self._looking:
            if number != self._asked:
                return
            stored, result, forms, said = Stored(), None, None, ""
            try:
                with attended(stored):
                    result = self._function(**arguments)
                said = "; ".join(stored.notes)
                with suppress(*(() if stored.complete else (PlanError,))):  # what is shown may be what is not measured
                    forms = self._forms_of(result, is_part=not stored.complete)
                said = said if forms or not said else f"too little to show: {said}"
            except Exception as error:  # whatever the function raises, who moved the control is told
                said = _words(error)

        def show() -> None:
            if number == self._asked:
                same = "what is shown stays the same" if number and forms and _seen(forms) == _seen(self._forms) else ""
                self._show(result, forms, said, same)
                if self.follow.value and number and not stored.complete:
                    self.run()

        self._post(show)

    def _measure(self, background: Background, values: Mapping[str, Any], arguments: Mapping[str, Any]) -> Any:
        self._live = Live(background)

        def show(result: Any, forms: Any) -> None:
            if values == self.value:  # a control that was moved meanwhile has a result of its own
                self._show(result, forms)

        def so_far(run: Run) -> None:
            with suppress(Exception), attended(Replayed([*ended.runs, run])):  # it may need more than there is yet
                result = self._function(**arguments)
                forms = self._forms_of(result, is_part=True)
                self._post(lambda: show(result, forms))

        ended, self._so_far = self._live, so_far
        with attended(self._live):
            result = self._function(**arguments)
        is_part = background.cancelled.is_set() and isinstance(result, Run)
        if is_part and not any(row.measured for row in result.rows):
            return result  # what was shown before stays
        with suppress(*((PlanError,) if is_part else ())):  # what is shown may be what was not reached
            forms = self._forms_of(result, is_part=is_part)
            self._post(lambda: show(result, forms))
        return result

    def _forms_of(self, result: Any, *, is_part: bool) -> dict[str, Any]:
        """The forms of what is shown of a result; of a part, a figure that is still empty is a PlanError."""
        forms = bundle(self._shown(result))
        if is_part and FIGURE in forms and not forms[FIGURE]["data"]:
            raise PlanError("nothing of the figure is measured yet")
        return forms

    def _told(self, progress: dict[str, Any], run: Run | None) -> None:
        if run is not None and progress["running"]:
            self._so_far(run)
        self._post(lambda: self._take(progress))

    def _take(self, progress: dict[str, Any]) -> None:
        running = progress["running"]
        self.bar.value, self.bar.layout.display = progress["fraction"], None if running else "none"
        text = progress["error"] or progress["text"]
        self._say(
            text if running or not self._is_about else f"{text}; still shown: {self._about}"
        )  # before Run can be pressed again
        self.button.disabled, self.stop.disabled = running, not running

    def _show(self, result: Any, forms: Any, said: str | None = None, same: str = "") -> None:
        self._result, self._forms, self._is_about = result, forms, bool(said and forms)
        shown = {"output_type": "display_data", "data": forms, "metadata": {}}
        self.output.outputs = (shown,) if forms else ()
        if said is not None:
            self._about = said
            self._say("; ".join(filter(None, (said, same))))

    def _say(self, text: str) -> None:
        self.line.value = f"<span role='status'>{escape(text)}</span>"

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value!r}" for name, value in self.value.items())

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widgets, and a line of text for pages that cannot show them."""
        return {**super()._repr_mimebundle_(**options), "text/plain": str(self)}


def _seen(forms: Any) -> Any:
    """Return the forms of a result without what only a mouse over a figure shows."""
    if not forms or FIGURE not in forms:
        return forms
    traces = [{**trace, "hovertext": None} for trace in forms[FIGURE]["data"]]
    return traces, forms[FIGURE]["layout"]


def _words(error: Exception) -> str:
    text = line_of(error)
    return text if isinstance(error, SerbenchError) else f"{type(error).__name__}: {text}"


def _numbers(value: Any) -> str:
    return ", ".join(map(str, value if isinstance(value, list | tuple) else [value]))
