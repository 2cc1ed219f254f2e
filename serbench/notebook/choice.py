"""What the explorer is set to, and the short string that recreates it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from serbench.engine.plan import EFFORTS
from serbench.engine.results import OPERATIONS
from serbench.names import PlanError, check
from serbench.workloads import MOST_RECORDS, workload_names

VIEWS = ("ranking", "scaling", "tradeoff", "phases", "table", "fidelity", "strictness", "code", "budget")


@dataclass(frozen=True)
class Choice:
    """One setting of every control.

    `libraries` and `formats` are empty for all; `validating` leaves out what checks nothing and `objects`
    what yields dicts; `case` ("msgspec msgspec/json") is what the code view shows, the fastest where it is
    empty; `live` measures whatever is missing at once. `bandwidth` is in Mbit/s, `budget` in seconds, 0
    for no limit.
    """

    workload: str = "client"
    records: int = 1
    depth: int = 2
    seed: int = 0
    libraries: tuple[str, ...] = ()
    formats: tuple[str, ...] = ("json",)
    operation: str = "decode"
    validating: bool = False
    objects: bool = False
    gc: str = "on"
    effort: str = "quick"
    budget: int = 0
    live: bool = False
    view: str = "ranking"
    case: str = ""
    contains: str = ""
    sort: str = "time"
    descending: bool = False
    base: str = ""
    bandwidth: float = 1000.0
    cores: int = 4

    def __post_init__(self) -> None:
        check("workload", self.workload, workload_names())
        check("operation", self.operation, OPERATIONS)
        check("effort", self.effort, EFFORTS)
        check("view", self.view, VIEWS)
        check("gc", self.gc, ("on", "off"))
        for name, most in (("records", MOST_RECORDS), ("depth", 1000), ("cores", 1 << 20), ("bandwidth", 1e9)):
            if not 0 < getattr(self, name) <= most:
                raise PlanError(f"{name} must be between 1 and {most:,.0f}, not {getattr(self, name):,}")
        if self.budget < 0:
            raise PlanError(f"budget must be a number of seconds, or 0 for no limit, not {self.budget:,}")

    @property
    def state(self) -> str:
        """The workload, and whatever is not as it is without a choice: `client?records=100&view=scaling`."""
        usual = asdict(Choice())
        given = {
            name: _as_text(value) for name, value in asdict(self).items() if name != "workload" and value != usual[name]
        }
        return self.workload + (f"?{urlencode(given, safe=',[]/=@', quote_via=quote)}" if given else "")

    def as_data(self) -> dict[str, Any]:
        """The settings as JSON data."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    def changed(self, changes: dict[str, Any]) -> Choice:
        """The choice with some values replaced, each by one of its type.

        Raises:
            PlanError: a name that is no control, or a value that it cannot have.
        """
        return replace(self, **{name: _of_type(name, value) for name, value in changes.items()})


TYPES: dict[str, Any] = {field.name: type(field.default) for field in fields(Choice)}


def from_state(state: str) -> Choice:
    """The choice that a state string stands for.

    Raises:
        PlanError: a name that is no control, or a value that it cannot have.
    """
    workload, _, query = state.strip().partition("?")
    pairs = dict(parse_qsl(query, keep_blank_values=True))
    return Choice().changed({**({"workload": workload} if workload else {}), **pairs})


def _as_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _of_type(name: str, value: Any) -> Any:
    """The value as this control has it: numbers and yes or no may come as text, names as text with commas."""
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
