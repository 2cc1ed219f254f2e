"""The explorer's settings: their short text, the run that they describe, and the rows that they select."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, get_type_hints
from urllib.parse import parse_qsl, quote, unquote, urlencode

from serbench.api import choices
from serbench.api.calling import make_plan
from serbench.api.notebook.stored import is_selected
from serbench.api.notebook.user_data import DataFacts, facts
from serbench.display.views import BANDWIDTHS, CORES
from serbench.display.words import counted, held_text
from serbench.errors import PlanError, check
from serbench.judge.outcomes import WorkClass
from serbench.judge.rows import Row
from serbench.measure.options import Option, declared, truth
from serbench.measure.plan import Plan
from serbench.measure.stream import Conditions
from serbench.model.data.dataset import get
from serbench.render.user_class.find import locate
from serbench.results import OPERATIONS, YOURS
from serbench.store.archive import USER_DATA, Sheet, UserData, user_data_of

PRESET = "SERBENCH_EXPLORER"
"""The environment variable that holds the state to begin with."""
OF_DATA = ("records", "depth", "libraries", "formats")
"""The settings whose defaults depend on the user's own data."""
BYTES = "surrogateescape"
"""How texts hold the bytes of a file's name that is no UTF-8."""
VIEWS = ("ranking", "scaling", "tradeoff", "phases", "budget", "table", "fidelity", "strictness", "code")


@dataclass(frozen=True)
class Settings:
    """One value of every control of the explorer; a field without a declaration is an option of `run`.

    `payload`, `schema` and `model` name the user's own data, which is measured instead of the workload; they are paths
    and classes as `Plan` has them. `libraries` and `formats` are empty for all. `case` ("msgspec msgspec/json") is what
    the code view shows, the fastest if it is empty; `present` ("pydantic/json/json") is the case that the others are
    compared with. `bandwidth` is in Mbit/s, `budget` in seconds.
    """

    workload: str = "client-rich"
    payload: str = ""
    schema: str = ""
    model: str = ""
    sample: int = 0
    literal_strings: bool = False
    as_map: tuple[str, ...] = ()
    as_record: tuple[str, ...] = ()
    as_union: tuple[str, ...] = ()
    as_text: tuple[str, ...] = ()
    as_any: tuple[str, ...] = ()
    records: int = 1
    depth: int = 2
    seed: int = 0
    libraries: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    operation: str = declared("decode", "Operation that is shown", choices=lambda: OPERATIONS)
    validating: bool = declared(False, "Hide libraries that do not validate")
    objects: bool = declared(False, "Hide libraries that return dicts instead of model objects")
    conditions: str = "varied"
    gc: str = "on"
    effort: str = "quick"
    budget: int = declared(0, "Stop after so many seconds with what there is; 0 for no limit", limits=(0, None))
    live: bool = declared(False, "Measure what is missing after each move")
    published: bool = declared(False, "Show serbench's published results instead of your runs")
    beside: bool = declared(False, "Show this machine and the published one in one ranking")
    view: str = declared("ranking", "View", choices=lambda: VIEWS)
    grow: str = declared(
        "records",
        "What Run varies in the view scaling: `records`, `depth` or `both`",
        choices=lambda: ("records", "depth", "both"),
    )
    case: str = declared("", "Library and codec that the code view shows")
    contains: str = declared("", "Show only rows of the table with these words")
    every: bool = declared(False, "Show rows of all sizes and depths in the table")
    sort: str = declared("", "Column that the table is sorted by; empty for the order of the ranking")
    descending: bool = declared(False, "Sort the table from the largest value")
    present: str = declared("", "Library and codec that you use today: all others are compared with it")
    bandwidth: float = declared(
        1000.0, "Bandwidth of the line, in Mbit/s", choices=lambda: tuple(bits / 1e6 for bits in BANDWIDTHS)
    )
    cores: int = declared(4, "Number of cores that do this work", choices=lambda: CORES)

    def __post_init__(self) -> None:
        for name, option in DECLARED.items():
            if option.refuse is None:  # libraries and formats may be of a plug-in that has gone
                option.check(name, getattr(self, name))
        object.__setattr__(self, "conditions", str(Conditions.parse(self.conditions)))
        for name in ("payload", "schema"):
            if text := getattr(self, name):
                object.__setattr__(self, name, str(Path(text).absolute()))
        if self.model:
            object.__setattr__(self, "model", locate(self.model))

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
        data = quote(self.payload, errors=BYTES) or ("" if self.model else self.workload)
        return data + (f"?{urlencode(parts, safe=',[]/=@', errors=BYTES, quote_via=quote)}" if parts else "")

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
_OF_RUN = {
    **get_type_hints(choices.Measurement, include_extras=True),
    **get_type_hints(choices.OneDocument, include_extras=True),
    "workload": choices.OneWorkload,
    "libraries": choices.Libraries,
    "effort": str,
}
CONTROLS: dict[str, Any] = {
    one.name: Annotated[TYPES[one.name], one.metadata["option"]] if one.metadata else _OF_RUN[one.name]
    for one in fields(Settings)
}
"""Setting → the type that the explorer takes, with the declaration that is not a plan's."""
DECLARED: dict[str, Option] = {name: choices.option_of(name, hint) or Option("") for name, hint in CONTROLS.items()}
"""Control → the declaration of what it sets."""


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
    texts = parse_qsl(query, keep_blank_values=True, errors=BYTES)
    return {**({name: unquote(data, errors=BYTES)} if data else {}), **dict(texts)}


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
        return truth(value) if isinstance(value, str) else bool(value)
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise PlanError(f"{name} must be a number, not {value!r}") from None


SIZES = (1, 10, 100, 1_000)
DEEPER = (0, 2, 6)  # levels beyond a workload's least depth
STEPS = ("encode", "decode", "dump", "dumps", "loads", "load")


FEW = {"libraries": ("dataclasses", "msgspec", "pydantic"), "formats": ("msgspec/json", "pydantic/json")}
"""What is measured of the user's data before the rest of it, so that the first ranks are there within seconds."""


def with_data(settings: Settings, user_data: UserData) -> Settings:
    """Return the settings for the user's data at its own size and depth, with the few cases that are measured at once."""
    known = facts(user_data)
    return settings.of(user_data).changed({"records": known.records, "depth": known.depth, "case": "", **FEW})


def run_arguments(settings: Settings) -> dict[str, Any]:
    """Return the arguments of `serbench.run`: the chosen point, or in the scaling view several sizes, depths or both.

    Own data at its own size or depth is measured as it is, without scaling.
    """
    records, depths = axes(settings)
    library, _, codec = settings.present.partition("/")
    known = facts(settings.user_data) if settings.user_data else None
    return {
        **{name: getattr(settings, name) for name in ("seed", "conditions", "gc", "effort")},
        **(settings.user_data or {"workload": settings.workload}),
        "libraries": _with(settings.libraries, library) if not library.startswith(YOURS) else settings.libraries,
        "formats": _with(settings.formats, codec),
        "records": None if known and records == [known.records] else records,
        "depth": None if known and depths == [known.depth] else depths,
        "operations": _operations(settings),
        "budget": settings.budget or None,
    }


@lru_cache(16)
def plan_of(settings: Settings) -> Plan:
    """Return the plan of the run that the settings stand for.

    Raises:
        SerbenchError, OSError: it cannot be measured.
    """
    return make_plan(**run_arguments(settings))


def axes(settings: Settings) -> tuple[list[int], list[int]]:
    """Return the sizes and the depths that Run would measure: in the scaling view several of those that are to grow."""
    records, depths = [settings.records], [settings.depth]
    if settings.view != "scaling":
        return records, depths
    if settings.grow != "depth":
        records = sorted({*SIZES, settings.records})
    if settings.grow == "records":
        return records, depths
    known = facts(settings.user_data) if settings.user_data else DataFacts(depth=get(settings.workload).shallowest)
    least, deeper = known.depth, DEEPER if known.nests else ()
    return records, sorted({*(least + more for more in deeper), settings.depth})


def _with(chosen: tuple[str, ...], present: str) -> tuple[str, ...]:
    """Add the name of what is used today to chosen names; no names are all of the usual ones."""
    return (*chosen, present) if chosen and present and present not in chosen else chosen


def _operations(settings: Settings) -> tuple[str, ...]:
    if settings.view == "phases":
        return STEPS
    ends = ("encode", "decode") if settings.operation in ("encode", "decode") else ()
    return (settings.operation, *(name for name in ends if name != settings.operation))  # what is looked at comes first


def plan_text(settings: Settings) -> str:
    """Say in a few words what Run would measure."""
    if settings.view != "scaling":
        return f"{counted(settings.records, 'record')} at depth {settings.depth:,}"
    records, depths = axes(settings)
    sizes, levels = counted(len(records), "size"), counted(len(depths), "depth")
    if settings.grow == "both":
        return f"{sizes} × {levels}"
    fixed = held_text(settings.grow, settings.depth if settings.grow == "records" else settings.records)
    return f"{sizes if settings.grow == 'records' else levels} {fixed}"


def of_data(settings: Settings, sheet: Sheet) -> Sheet | None:
    """The sheet with its rows of the chosen data alone; None if it has none, or another collector's policy."""
    return sheet.of_data.get((settings.data_name, settings.seed)) if sheet.gc == settings.gc else None


def at_point(settings: Settings) -> Callable[[Row], bool]:
    """Return a test for rows of the chosen data."""
    point = (settings.data_name, settings.conditions, settings.records, settings.depth)
    return lambda row: (row.workload, row.conditions, row.records, row.depth) == point


def case_filter(settings: Settings, sheet: Sheet) -> Callable[[Row], bool]:
    """Return a test for rows of the chosen cases: by library, format or codec, and work class."""

    def able(row: Row) -> bool:
        work_class = sheet.decoding[id(row)]
        return (
            is_selected(row, settings.libraries, settings.formats)
            and not (settings.objects and work_class and not work_class.startswith("objects"))
            and not (settings.validating and WorkClass.parse(work_class).checks == "unchecked")
        )

    return able
