"""Sessions without processes: they remember what they are asked, and each call takes as long as a test says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from planted import case

from serbench.measure.session import Fault
from serbench.measure.subjects import Data, Subject, TimedCase, cell_of
from serbench.render.environments import Environment, main_environment
from serbench.results import Cell, Point, Sample

POINT = Point("planted", 2, 1, 0)


class PlantedSession:
    """What a `WorkerSession` is to the engine."""

    def __init__(self, machine: PlantedMachine, environment: Environment) -> None:
        self.machine, self.environment = machine, environment
        self.known: set[Any] = set()
        self.cores: list[int | None] = []
        self.ends = 0

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Answer as a worker does, unless a fault is planted."""
        self.machine.asked.append((self, do, arguments))
        fault = self.machine.fault(self, do, arguments)
        if fault is not None:
            if fault.fatal:
                self.known.clear()
            raise fault
        if do == "measure":
            took = round(self.machine.call_ns(arguments["case"], arguments["operation"]) * arguments["loops"])
            return {"times": [took, took, took, 0]}
        if do == "calibrate":
            return {"loops": 1, "each_ns": self.machine.call_ns(arguments["case"], arguments["operation"])}
        return {"warmup_ns": 7} if do == "warm_up" else {}

    def add_data(self, name: str, *_: Any) -> str:
        """Give the data's name back."""
        return name

    def pin(self, core: int | None) -> None:
        """Remember the core."""
        self.cores.append(core)

    def end(self) -> None:
        """Forget everything, as a process that ends does."""
        self.known.clear()
        self.ends += 1

    kill = end

    def take(self, other: PlantedSession) -> None:
        """Know what the other was told."""
        self.end()
        self.known, other.known = other.known, set()


@dataclass
class PlantedMachine:
    """Planted sessions, everything that they were asked, and the time of a call by case and operation."""

    call_ns: Callable[[str, str], float] = lambda _, __: 1000.0
    fault: Callable[[PlantedSession, str, dict[str, Any]], Fault | None] = lambda *_: None
    asked: list[tuple[PlantedSession, str, dict[str, Any]]] = field(default_factory=list)

    def session(self, *, has_jit: bool = False) -> PlantedSession:
        """Return a new one, in serbench's own environment or in one with a JIT."""
        main = main_environment()
        return PlantedSession(self, replace(main, implementation="PyPy") if has_jit else main)

    def batches(self, key: str | None = None) -> list[dict[str, Any]]:
        """Return the requests for a batch, of all cases or of one."""
        return [a for _, do, a in self.asked if do == "measure" and key in (None, a["case"])]


def subject(session: Any, key: str = "one", each_ns: float = 1000.0, loops: int = 500, **facts: Any) -> Subject:
    """Return a subject with one operation, "work", sized like this."""
    cell = cell_of(len(key), POINT, case(key), "work")
    cell.loops = loops
    data = Data("values", {}, Path("values"), facts.pop("documents", None))
    return Subject(
        key=key, session=session, cells={"work": cell}, module={}, data=data, each_ns={"work": each_ns}, **facts
    )


__all__ = ["POINT", "Cell", "PlantedMachine", "PlantedSession", "Sample", "TimedCase", "subject"]
