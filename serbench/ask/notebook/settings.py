"""The settings of the explorer, and the short string that recreates them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from serbench.ask.calling import arguments
from serbench.ask.cases import show
from serbench.ask.running import run
from serbench.errors import PlanError, check
from serbench.keep.archive import USER_DATA, UserData, user_data_of
from serbench.measure.conditions import Conditions
from serbench.measure.plan import DEEPEST, EFFORTS
from serbench.model.data.dataset import MOST_RECORDS
from serbench.model.data.generate import workload_names
from serbench.render.user_class.find import locate
from serbench.results import OPERATIONS

PRESET = "SERBENCH_EXPLORER"
"""The environment variable that holds the state to begin with."""
OF_DATA = ("records", "depth", "libraries", "formats")
"""The settings whose defaults depend on the user's own data."""
VIEWS = {
    "ranking": "Fastest first in each work class. A dot is a mean time, its line the 95 % interval; a bracket holds rows that "
    "tie: no difference between them is proven. Open dots are less precise than asked for.",
    "scaling": "How time per record grows with the number of records, and with depth. A level line is time in proportion "
    "to the data.",
    "tradeoff": "Time, size and strictness together. Those named are beaten by no other case in all three.",
    "phases": "The share of each step: dump and load are objects ↔ builtins, dumps and loads builtins ↔ bytes.",
    "table": "Every row, to sort, filter and compare. Ranks (#) hold within a work class; = marks a tie. A ratio is the time "
    "over that of the reference of the same data.",
    "fidelity": "Which values come back as they were: for each type the number of probes that did not, in the colour of the worst.",
    "strictness": "Which wrong input is rejected: for each type the number of probes that were not, in the colour of the worst.",
    "code": "The exact code that is measured.",
    "budget": "Messages per second on this line and these cores, and which of the two limits them.",
}
"""View → what it shows."""


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

    `payload`, `schema` and `model` name the user's own data, which is measured instead of the workload; they are paths
    and classes as `Plan` has them. `libraries` and `formats` are empty for all. `case` ("msgspec msgspec/json") is what
    the code view shows, the fastest if it is empty; `present` ("pydantic/json/json") is the case that the others are
    compared with. `bandwidth` is in Mbit/s, `budget` in seconds.
    """

    workload: str = _shared("workload", "client")
    payload: str = _shared("payload", "")
    schema: str = _shared("schema", "")
    model: str = _shared("model", "")
    literal_strings: bool = _shared("literal_strings", False)
    as_map: tuple[str, ...] = _shared("as_map", ())
    as_record: tuple[str, ...] = _shared("as_record", ())
    as_union: tuple[str, ...] = _shared("as_union", ())
    as_text: tuple[str, ...] = _shared("as_text", ())
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
    live: bool = _setting(False, "Measure what is missing after each move")
    published: bool = _setting(False, "Show serbench's published results instead of your runs")
    beside: bool = _setting(False, "Show this machine and the published one in one ranking")
    view: str = _setting("ranking", "View")
    probes: str = _setting(
        "", "Type whose probes the fidelity and strictness views show one by one; all types, counted, if empty"
    )
    case: str = _setting("", "Case that the code view shows")
    contains: str = _setting("", "Show only rows of the table with these words")
    sort: str = _setting("time", "Column that the table is sorted by")
    descending: bool = _setting(False, "Sort the table from the largest value")
    present: str = _setting("", "Library and codec that you use today: all others are compared with it")
    bandwidth: float = _setting(1000.0, "Bandwidth of the line, in Mbit/s", least=1e-3, most=1e9)
    cores: int = _setting(4, "Number of cores that do this work", least=1, most=1 << 20)

    def __post_init__(self) -> None:
        check("workload", self.workload, workload_names())
        check("operation", self.operation, OPERATIONS)
        check("effort", self.effort, EFFORTS)
        check("view", self.view, VIEWS)
        check("gc", self.gc, ("on", "off"))
        object.__setattr__(self, "conditions", str(Conditions.parse(self.conditions)))
        for name in ("payload", "schema"):
            if text := getattr(self, name):
                object.__setattr__(self, name, str(Path(text).absolute()))
        if self.model:
            object.__setattr__(self, "model", locate(self.model))
        for one in fields(self):
            value, least, most = getattr(self, one.name), one.metadata["least"], one.metadata["most"]
            if most is not None and not least <= value <= most:
                raise PlanError(f"{one.name} must be between {least:g} and {most:,.0f}, not {value:,}")
        if self.budget < 0:
            raise PlanError(f"budget must be a number of seconds, or 0 for no limit, not {self.budget:,}")

    @property
    def user_data(self) -> UserData:
        """The user's own data, as a run's plan names it; nothing for a workload."""
        return user_data_of(asdict(self)) if self.payload or self.model else {}

    @property
    def data_name(self) -> str:
        """The name of the data in the rows of a run."""
        if self.payload:
            return Path(self.payload).name
        return self.model.rpartition(":")[2] or self.workload

    @property
    def state(self) -> str:
        """The file or workload, and each setting that is not the default: `client?records=100&view=scaling`."""
        usual = asdict(Settings())
        parts = {
            name: _as_text(value)
            for name, value in asdict(self).items()
            if name not in ("workload", "payload") and (value != usual[name] or (self.user_data and name in OF_DATA))
        }
        data = quote(self.payload) or ("" if self.model else self.workload)
        return data + (f"?{urlencode(parts, safe=',[]/=@', quote_via=quote)}" if parts else "")

    def as_data(self) -> dict[str, Any]:
        """Return the settings as JSON data."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    def changed(self, changes: dict[str, Any]) -> Settings:
        """Return the settings with some values replaced, each by one of its type.

        Raises:
            PlanError: an unknown setting, or a value that it cannot have.
        """
        return replace(self, **{name: _of_type(name, value) for name, value in changes.items()})

    def of(self, user_data: UserData) -> Settings:
        """Return the settings for this data of the user's, or if there is none, for the workload."""
        return replace(
            self, **{name: user_data.get(name, Settings.__dataclass_fields__[name].default) for name in USER_DATA}
        )


TYPES: dict[str, Any] = {one.name: type(one.default) for one in fields(Settings)}


def from_state(state: str) -> Settings:
    """Return the settings that a state string stands for; the name of a file stands for its data.

    Raises:
        PlanError: an unknown setting, or a value that it cannot have.
    """
    return Settings().changed(named_in(state))


def named_in(state: str) -> dict[str, str]:
    """Return the settings that a state string names, as texts."""
    data, _, query = state.strip().partition("?")
    name = "payload" if Path(data).suffix or set(data) & {"/", "\\"} else "workload"
    return {**({name: unquote(data)} if data else {}), **dict(parse_qsl(query, keep_blank_values=True))}


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
