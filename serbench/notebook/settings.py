"""The settings of the explorer, and the short string that recreates them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from serbench.api.calling import arguments
from serbench.api.cases import show
from serbench.api.running import run
from serbench.engine.conditions import Conditions
from serbench.engine.plan import DEEPEST, EFFORTS
from serbench.errors import PlanError, check
from serbench.results import OPERATIONS
from serbench.workloads import MOST_RECORDS, workload_names

VIEWS = ("ranking", "scaling", "tradeoff", "phases", "table", "fidelity", "strictness", "code", "budget")


def _setting(default: Any, help: str, *, least: float | None = None, most: float | None = None) -> Any:  # noqa: A002  # as in Option
    """Declare a setting: its default, the tooltip of its control, and its range."""
    return field(default=default, metadata={"help": help, "least": least, "most": most})


def _shared(name: str, default: Any, **limits: float) -> Any:
    """Declare a setting with the help of the argument of that name: of `show`, which takes one value, or else of `run`."""
    option = {**arguments(run), **arguments(show)}[name].option
    return _setting(default, option.help.replace("`", ""), **limits)


@dataclass(frozen=True)
class Settings:
    """One value of every control of the explorer.

    `libraries` and `formats` are empty for all. `case` ("msgspec msgspec/json") is what the code view shows, the fastest
    if it is empty. `bandwidth` is in Mbit/s, `budget` in seconds.
    """

    workload: str = _shared("workload", "client")
    records: int = _shared("records", 1, least=1, most=MOST_RECORDS)
    depth: int = _shared("depth", 2, least=1, most=DEEPEST)
    seed: int = _shared("seed", 0)
    libraries: tuple[str, ...] = _shared("libraries", ())
    formats: tuple[str, ...] = _shared("formats", ("json",))
    operation: str = _setting("decode", "Operation that is shown")
    validating: bool = _setting(False, "Leave out cases that check nothing")
    objects: bool = _setting(False, "Leave out cases that yield dicts")
    conditions: str = _shared("conditions", "varied")
    gc: str = _shared("gc", "on")
    effort: str = _shared("effort", "quick")
    budget: int = _setting(0, "Stop after so many seconds with what there is; 0 for no limit", least=0)
    live: bool = _setting(False, "Measure at once what is missing")
    view: str = _setting("ranking", "View")
    case: str = _setting("", "Case that the code view shows")
    contains: str = _setting("", "Show only rows of the table with these words")
    sort: str = _setting("time", "Column that the table is sorted by")
    descending: bool = _setting(False, "Sort the table from the largest value")
    base: str = _setting("", "Row that the others of the table are compared with")
    bandwidth: float = _setting(1000.0, "Bandwidth of the line, in Mbit/s", least=1e-3, most=1e9)
    cores: int = _setting(4, "Number of cores that do this work", least=1, most=1 << 20)

    def __post_init__(self) -> None:
        check("workload", self.workload, workload_names())
        check("operation", self.operation, OPERATIONS)
        check("effort", self.effort, EFFORTS)
        check("view", self.view, VIEWS)
        check("gc", self.gc, ("on", "off"))
        object.__setattr__(self, "conditions", str(Conditions.parse(self.conditions)))
        for one in fields(self):
            value, least, most = getattr(self, one.name), one.metadata["least"], one.metadata["most"]
            if most is not None and not least <= value <= most:
                raise PlanError(f"{one.name} must be between {least:g} and {most:,.0f}, not {value:,}")
        if self.budget < 0:
            raise PlanError(f"budget must be a number of seconds, or 0 for no limit, not {self.budget:,}")

    @property
    def state(self) -> str:
        """The workload, and each setting that is not the default: `client?records=100&view=scaling`."""
        usual = asdict(Settings())
        given = {
            name: _as_text(value) for name, value in asdict(self).items() if name != "workload" and value != usual[name]
        }
        return self.workload + (f"?{urlencode(given, safe=',[]/=@', quote_via=quote)}" if given else "")

    def as_data(self) -> dict[str, Any]:
        """Return the settings as JSON data."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    def changed(self, changes: dict[str, Any]) -> Settings:
        """Return the settings with some values replaced, each by one of its type.

        Raises:
            PlanError: an unknown setting, or a value that it cannot have.
        """
        return replace(self, **{name: _of_type(name, value) for name, value in changes.items()})


TYPES: dict[str, Any] = {one.name: type(one.default) for one in fields(Settings)}


def from_state(state: str) -> Settings:
    """Return the settings that a state string stands for.

    Raises:
        PlanError: an unknown setting, or a value that it cannot have.
    """
    workload, _, query = state.strip().partition("?")
    pairs = dict(parse_qsl(query, keep_blank_values=True))
    return Settings().changed({**({"workload": workload} if workload else {}), **pairs})


def _as_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _of_type(name: str, value: Any) -> Any:
    """Convert a value to the setting's type; it may be a text, names separated by commas."""
    check("setting", name, TYPES)
    kind = TYPES[name]
    if kind is tuple:
        names = value.split(",") if isinstance(value, str) else value
        return tuple(str(part).strip() for part in names if str(part).strip())
    if kind is bool:
        return value in (True, 1, "1", "true", "True", "yes")
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise PlanError(f"{name} must be a number, not {value!r}") from None
