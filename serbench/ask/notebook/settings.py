"""The settings of the explorer, their short string, and the rows that they choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, get_type_hints
from urllib.parse import parse_qsl, quote, unquote, urlencode

from serbench.ask import choices
from serbench.errors import PlanError, check
from serbench.judge.figures import distance
from serbench.judge.outcomes import Behaviour, WorkClass
from serbench.judge.rows import Row, case_of
from serbench.keep.archive import USER_DATA, Archive, Sheet, UserData, user_data_of
from serbench.measure.options import declared
from serbench.measure.plan import DEEPEST, EFFORTS
from serbench.measure.stream import Conditions
from serbench.model.data.dataset import MOST_RECORDS, workload_names
from serbench.render.user_class.find import locate
from serbench.results import OPERATIONS

PRESET = "SERBENCH_EXPLORER"
"""The environment variable that holds the state to begin with."""
OF_DATA = ("records", "depth", "libraries", "formats")
"""The settings whose defaults depend on the user's own data."""
VIEWS = ("ranking", "scaling", "tradeoff", "phases", "budget", "table", "fidelity", "strictness", "code")

GROWTHS = ("records", "depth", "both")
LIMITS: dict[str, tuple[float, float | None]] = {
    "records": (1, MOST_RECORDS),
    "depth": (1, DEEPEST),
    "budget": (0, None),
    "bandwidth": (1e-3, 1e9),
    "cores": (1, 1 << 20),
}
"""Control of a number → the least and the most that it takes; None for no limit."""


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
    operation: str = declared("decode", "Operation that is shown")
    validating: bool = declared(False, "Hide libraries that do not validate")
    objects: bool = declared(False, "Hide libraries that return dicts instead of model objects")
    conditions: str = "varied"
    gc: str = "on"
    effort: str = "quick"
    budget: int = declared(0, "Stop after so many seconds with what there is; 0 for no limit")
    live: bool = declared(False, "Measure what is missing after each move")
    published: bool = declared(False, "Show serbench's published results instead of your runs")
    beside: bool = declared(False, "Show this machine and the published one in one ranking")
    view: str = declared("ranking", "View")
    grow: str = declared("records", "What Run varies in the view scaling: `records`, `depth` or `both`")
    case: str = declared("", "Library and codec that the code view shows")
    contains: str = declared("", "Show only rows of the table with these words")
    every: bool = declared(False, "Show rows of all sizes and depths in the table")
    sort: str = declared("", "Column that the table is sorted by; empty for the order of the ranking")
    descending: bool = declared(False, "Sort the table from the largest value")
    present: str = declared("", "Library and codec that you use today: all others are compared with it")
    bandwidth: float = declared(1000.0, "Bandwidth of the line, in Mbit/s")
    cores: int = declared(4, "Number of cores that do this work")

    def __post_init__(self) -> None:
        check("workload", self.workload, workload_names())
        check("operation", self.operation, OPERATIONS)
        check("effort", self.effort, EFFORTS)
        check("view", self.view, VIEWS)
        check("grow", self.grow, GROWTHS)
        check("gc", self.gc, ("on", "off"))
        object.__setattr__(self, "conditions", str(Conditions.parse(self.conditions)))
        for name in ("payload", "schema"):
            if text := getattr(self, name):
                object.__setattr__(self, name, str(Path(text).absolute()))
        if self.model:
            object.__setattr__(self, "model", locate(self.model))
        for name, (least, most) in LIMITS.items():
            value = getattr(self, name)
            if most is not None and not least <= value <= most:
                raise PlanError(f"{name} must be between {least:g} and {most:,.0f}, not {value:,}")
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
HELP = {
    name: option.help.replace("`", "") for name, hint in CONTROLS.items() if (option := choices.option_of(name, hint))
}
"""Control → its tooltip."""


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


BYTE_STEPS = frozenset({"dumps", "loads"})
"""A run that timed these has timed the other steps too."""


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


def is_selected(row: Row | Behaviour, libraries: Sequence[str], formats: Sequence[str]) -> bool:
    """Whether a row is of one of the libraries and of one of the formats or codecs; an empty list is all.

    A library may have a version and a variant: "msgspec[gc=False]", "pydantic@2.5", "pydantic@*[strict]".
    """
    codecs = {row.format, row.codec, f"{row.codec}/{row.format}"}
    return (not libraries or any(_names(name, row) for name in libraries)) and (
        not formats or bool(codecs & set(formats))
    )


def _names(text: str, row: Row | Behaviour) -> bool:
    """Whether the text names the row's library: "name", "name@version", either with "[variant]"; "2.5" is any 2.5.x."""
    named, bracket, variant = text.partition("[")
    library, at, version = named.partition("@")
    versions = ("*", row.environment, row.version) if at else ("",)
    return (
        library == row.library
        and (version in versions or (bool(at) and f"{row.version}.".startswith(f"{version}.")))
        and (not bracket or variant.removesuffix("]") in ("*", row.variant))
    )


def nearest(settings: Settings, archive: Archive) -> tuple[Settings, Sheet | None]:
    """The choice at the stored point that is nearest to it, and the run to show there; of phases, one with steps.

    All points are of one machine: with another machine's cases at some, the leader would change with the size.
    """
    for operations in (BYTE_STEPS, {settings.operation}) if settings.view == "phases" else ({settings.operation},):
        runs = timed(settings, archive, operations)
        points = {(row.records, row.depth) for _, rows in runs for row in rows}
        if points:
            records, depth = min(sorted(points), key=lambda point: distance(point, settings.records, settings.depth))
            here = [
                (sheet, [row for row in rows if (row.records, row.depth) == (records, depth)]) for sheet, rows in runs
            ]
            return replace(settings, records=records, depth=depth), _best(archive, here)
    return settings, None


def timed(settings: Settings, archive: Archive, operations: AbstractSet[str]) -> list[tuple[Sheet, list[Row]]]:
    """Each run of one machine, the newest first, with its rows of the chosen data, operations and cases.

    The machine is that of the run in progress, else the user's own that measured last, or of published ones
    that which measured most of these cases.
    """
    machines: dict[tuple[Any, ...], list[tuple[Sheet, list[Row]]]] = {}
    for sheet in archive.of(settings.user_data):
        part = of_data(settings, sheet)
        rows = [
            row
            for row in (part.rows if part else ())
            if row.measured
            and row.operation in operations
            and row.conditions == settings.conditions
            and is_selected(row, settings.libraries, settings.formats)
        ]
        if rows:
            machines.setdefault(_measured_by(sheet), []).append((sheet, rows))
    wished = [runs for runs in machines.values() if runs[0][0].published == settings.published]
    able = wished or list(machines.values())
    if not able or not able[0][0][0].published:
        return able[0] if able else []
    return max(able, key=lambda runs: len({case_of(row) for _, rows in runs for row in rows}))


def _best(archive: Archive, runs: Sequence[tuple[Sheet, list[Row]]]) -> Sheet:
    """The run in progress if it has such a row, else that with most cases; of equals the first."""
    now = next((sheet for sheet, rows in runs if rows and sheet is archive.running), None)
    return now or max(runs, key=lambda run: len({case_of(row) for row in run[1]}))[0]


def _measured_by(sheet: Sheet) -> tuple[Any, ...]:
    machine = (sheet.info.machine.get(name) for name in ("cpu", "cores", "system", "python"))
    return (sheet.published, sheet.gc, *machine)
