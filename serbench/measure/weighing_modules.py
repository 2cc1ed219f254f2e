"""Weighs modules of the user's side by side: what their import and first use cost, and whether a function leaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from serbench.errors import PlanError
from serbench.measure.comparing import InFile
from serbench.measure.listener import Progress
from serbench.measure.sessions.files import write_values
from serbench.measure.sessions.session import STARTER, WEIGHER, Fault, RequestLimits, Watchdog, WorkerSession
from serbench.measure.weighing import NOTHING, PASSES, Readings, in_turns, leak_readings, start_readings, weight_of
from serbench.render.environments.caretaker import scratch_folder
from serbench.render.environments.environment import Environment
from serbench.render.user_class.find import module_located
from serbench.results import CALL, CaseId, Point, Weight

POINT = Point("modules", 1, 1, 0)
CALLED = """import _serbench_user_code

_serbench_called = {function}


def call(_):
    return _serbench_called()
"""


@dataclass(frozen=True, eq=False)
class UserModule:
    """A module of the user's in an environment; `code.name` is the function of its first use, or empty."""

    label: str
    code: InFile
    environment: Environment

    @property
    def case(self) -> CaseId:
        """Its identity in results."""
        environment = self.environment
        return CaseId(self.label, "default", "", "", environment.name, python=environment.runs_on)


def user_modules(names: Sequence[str], environments: Sequence[Environment], metrics: Sequence[str]) -> list[UserModule]:
    """Each module, named as `file.py`, `module`, or one of these with `:function`, in each environment.

    Raises:
        PlanError: there is no such file, a metric is not one of modules, or needs a function.
    """
    if others := [name for name in metrics if name not in READERS]:
        raise PlanError(f"modules are weighed by {' and '.join(READERS)}, not {', '.join(others)}")
    if "leak" in metrics and (bare := [name for name in names if ":" not in name]):
        raise PlanError(f"leak calls a function; name one as {bare[0]}:function")
    code = []
    for name in names:
        located = module_located(name)
        if located is None:
            raise PlanError(f"{name!r} is no module; name one as file.py or file.py:function")
        code.append(InFile(*located))
    pairs = zip(names, code, strict=True)
    return [UserModule(name, one, environment) for name, one in pairs for environment in environments]


def module_weights(
    modules: Sequence[UserModule],
    metrics: Sequence[str],
    processes: int,
    limits: RequestLimits,
    tell: Callable[[Progress], None],
) -> Iterator[Weight]:
    """Each metric of each module, from so many fresh processes; one that cannot be imported has its reason."""
    with scratch_folder() as scratch, Watchdog() as watchdog:
        scale = _Scale(scratch, watchdog, limits)
        for metric in metrics:
            able = [one for one in modules if one.environment.reason is None]
            for one in modules:
                if one.environment.reason is not None:
                    fault = Fault("unavailable", one.environment.reason, fatal=False)
                    yield weight_of(POINT, one.case, metric, NOTHING, fault)
            read = partial(READERS[metric], scale)
            for one, quantity, readings in in_turns(metric, PASSES[metric], able, read, processes, watchdog, tell):
                yield weight_of(POINT, one.case, metric, quantity, readings)


@dataclass(frozen=True)
class _Scale:
    """Reads one module in a fresh process."""

    scratch: Path
    watchdog: Watchdog
    limits: RequestLimits

    def start(self, one: UserModule) -> Readings:
        """CPU time and memory of the import and of the first use."""
        code = one.code
        with WorkerSession(one.environment, self.watchdog, self.scratch, self.limits, program=STARTER) as session:
            return start_readings(session.ask("start", folder=code.folder, module=code.module, function=code.name))

    def leak(self, one: UserModule) -> Readings:
        """The blocks and bytes by which each call makes the process larger."""
        with WorkerSession(one.environment, self.watchdog, self.scratch, self.limits) as session:
            path = self.scratch / f"called_{id(one)}.py"
            path.write_text(CALLED.format(function=one.code.text), encoding="utf-8")
            values = str(write_values(path.with_suffix(".pickle"), 0))
            session.ask("prepare_call", case=path.stem, module=path.stem, path=str(path), values=values)
            session.ask("freeze", case=path.stem)
            return leak_readings(CALL, session.call(WEIGHER, "leak", case=path.stem, operation=CALL))


READERS = {"start": _Scale.start, "leak": _Scale.leak}
