"""Controls of a notebook's parameters."""

from __future__ import annotations

import sys
from collections.abc import Callable, MutableMapping
from html import escape
from typing import Any

from serbench.ask import choices
from serbench.ask.calling import arguments, public, several
from serbench.ask.notebook.settings import LIMITS
from serbench.ask.running import run
from serbench.errors import PlanError, check, installed_by
from serbench.measure.options import whole
from serbench.measure.plan import EFFORTS
from serbench.render.environments import main_environment
from serbench.render.selection import chosen_codecs
from serbench.results import OPERATIONS

CHOICES = {"effort": tuple(EFFORTS), "operation": OPERATIONS}
"""Parameter → its values, if there are few."""
HINT = "A control sets the variable of its name; run the cells below for new results."


class Controls:
    """Controls of parameters, made from the options that `serbench.run` declares.

    In a notebook they are widgets of ipywidgets; elsewhere, and unattended, they are a line of text and change nothing.
    """

    def __init__(self, parameters: MutableMapping[str, Any], names: list[str]) -> None:
        self._parameters, self.names = parameters, names

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {self._parameters[name]!r}" for name in self.names)
        return "\n".join([values, *self.missing()])

    def missing(self) -> list[str]:
        """What is not installed, in sentences: distributions of the chosen formats, and what writes Parquet."""
        here, notes = main_environment(), []
        chosen = chosen_codecs(several(self._parameters["formats"])) if "formats" in self.names else ()
        lacking = dict.fromkeys(
            one.distribution for one in chosen if one.distribution and here.installed(one.distribution) is None
        )
        if lacking:
            names = ", ".join(map(str, lacking))
            notes.append(f"{names}: not installed, so rows say so instead of times; {installed_by('formats')}")
        if "output" in self._parameters and here.installed("pyarrow") is None:
            notes.append(f"pyarrow: not installed, so tables are not written as Parquet; {installed_by('report')}")
        return notes

    def set(self, name: str, value: Any) -> None:
        """Give a parameter another value; what cannot be read as one is ignored until it can."""
        try:
            self._parameters[name] = _read(value) if name in ("records", "depth") else value
        except (PlanError, ValueError):
            return

    def widget(self) -> Any:
        """The widgets in a box.

        Raises:
            ImportError: ipywidgets is not installed.
        """
        import ipywidgets as widgets

        shown = [self._control(widgets, name) for name in self.names]
        notes = [widgets.HTML(f"<small>{escape(text)}</small>") for text in (*self.missing(), HINT)]
        return widgets.VBox([*shown, *notes])

    def _control(self, widgets: Any, name: str) -> Any:
        value, declared = self._parameters[name], arguments(run).get("operations" if name == "operation" else name)
        tooltip = "" if declared is None else declared.option.help.replace("`", "")
        about: dict[str, Any] = {"description": name, "tooltip": tooltip}
        if name in CHOICES:
            control = widgets.Dropdown(options=CHOICES[name], value=value, **about)
        elif name in LIMITS and isinstance(value, int):
            least, most = LIMITS[name]
            control = widgets.BoundedIntText(value=value, min=int(least), max=int(most or sys.maxsize), **about)
        elif name in LIMITS:
            control = widgets.Text(value=", ".join(map(str, value)), continuous_update=False, **about)
        else:
            control = widgets.TagsInput(value=list(several(value)), allow_duplicates=False, tooltip=tooltip)
            control.observe(self._setter(name), "value")
            return widgets.HBox([widgets.Label(name), control])
        control.observe(self._setter(name), "value")
        return control

    def _setter(self, name: str) -> Callable[[Any], None]:
        return lambda change: self.set(name, change["new"])

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widgets for notebooks, a line for logs."""
        try:
            bundle = self.widget()._repr_mimebundle_(**options)
        except ImportError:
            return {"text/plain": str(self)}
        return {**bundle, "text/plain": str(self)}


@public
def controls(*names: choices.Parameters) -> Controls:
    """Return controls of variables of the notebook.

    A notebook shows them as widgets; elsewhere they are a line of text. The last line names the packages that are missing.

    Raises:
        PlanError: no variable, or no option, has such a name.
    """
    namespace = vars(sys.modules["__main__"])
    for name in names:
        check("option of serbench.run", name, [*arguments(run), *CHOICES])
        check("parameter", name, namespace)
    return Controls(namespace, list(names))


def _read(value: Any) -> Any:
    """A number as it is, a text as a list of numbers."""
    return [whole(text) for text in several(value)] if isinstance(value, str) else value
