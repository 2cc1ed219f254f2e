"""Times any functions or expressions against each other by the engine's rules, in waves of fresh processes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from serbench.measure.listener import Progress
from serbench.measure.plan import Effort
from serbench.measure.rounds import ROUNDS, calibrate
from serbench.measure.sessions.files import write_values
from serbench.measure.sessions.session import Fault, RequestLimits, Watchdog, WorkerSession
from serbench.measure.subjects import Data, Subject, prepare, retry_if_killed
from serbench.measure.wave_loop import SideBySide
from serbench.measure.worker.prepared_case import PreparedCase
from serbench.measure.worker.worker import Worker, describe
from serbench.render.environments.caretaker import scratch_folder
from serbench.render.environments.environment import Environment, main_environment
from serbench.render.environments.platform import usable_cores
from serbench.results import CALL, CaseId, Cell, Point, Sample

POINT = Point("functions", 1, 1, 0)
LIMITS = RequestLimits(60.0, 0)


@dataclass(frozen=True)
class Answer:
    """The answer of a function before it was timed: JSON text, and the size if it is bytes."""

    text: str
    size_bytes: int | None


@dataclass(eq=False, kw_only=True)
class TimedFunction(Subject):
    """A function as a subject: a module's `call`, with what its `build` makes of its data."""

    def load(self) -> None:
        """Have its worker import it, make its argument and call it once."""
        values, documents = str(self.data.values), self.data.documents
        self.session.ask("prepare_call", case=self.key, values=values, documents=documents, **self.module)


class FunctionBenchmark(AbstractContextManager["FunctionBenchmark"]):
    """Functions that are timed together: a context manager that leaves nothing running.

    The first one that can be timed is the reference.

    Args:
        seed: of the order in which they take turns.
        on_one_core: have all share a core, as they should if CPU time counts; not if waiting does.
        rounds: how often they take turns in a wave.

    Attributes:
        subjects: the functions in the order in which they were added, by name.
        cells: their cells by name; `status` and `reason` of those that fail.
        samples: everything that was timed.
    """

    def __init__(self, *, seed: int = 0, on_one_core: bool = True, rounds: int = ROUNDS) -> None:
        self.subjects: dict[str, TimedFunction] = {}
        self.cells: dict[str, Cell] = {}
        self.samples: list[Sample] = []
        self._rounds = rounds
        self._rng = random.Random(seed)
        self._core = max(usable_cores(), default=None) if on_one_core else None
        self._folder = scratch_folder()
        self._scratch = self._folder.__enter__()
        self._watchdog = Watchdog()
        self._sessions: dict[tuple[str, str], WorkerSession] = {}

    def __exit__(self, *_: object) -> None:
        self._watchdog.__exit__()
        self._folder.__exit__(None, None, None)

    def add(
        self,
        name: str,
        label: str,
        source: str,
        environment: Environment | None = None,
        values: Any = "",
        process: str = "",
        documents: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a function as a module: its `call`, called with what its `build` makes of `values`.

        Args:
            name: a flat module name, its own among the functions.
            label: its name in tables.
            source: the module's text.
            environment: the environment in which it runs; serbench's own installation by default.
            values: the argument of `build`; if the module has none, the argument of `call` itself.
            process: functions of one environment and `process` share a process; by default it has its own.
            documents: the request of a `Stream`, whose documents calls get in turn in the place of `values`.
        """
        environment = environment or main_environment()
        key = (environment.name, process or name)
        if key not in self._sessions:
            self._sessions[key] = WorkerSession(environment, self._watchdog, self._scratch, LIMITS)
        path = self._scratch / f"{name}.py"
        path.write_text(source, encoding="utf-8")
        data = Data(name, None, write_values(path.with_suffix(".pickle"), values), documents)
        self._add(name, label, self._sessions[key], {"module": name, "path": str(path)}, data)

    def add_local(self, name: str, label: str, function: Callable[[Any], Any]) -> None:
        """Add a function that is timed in the calling process, because it cannot leave it."""
        session = LocalSession(name, function, self._watchdog, self._scratch)
        self._add(name, label, session, {}, Data(name, None, self._scratch))

    def _add(self, name: str, label: str, session: WorkerSession, module: Mapping[str, str | None], data: Data) -> None:
        environment = session.environment
        case = CaseId(label, "default", "", "", environment.name, python=environment.runs_on)
        cell = Cell(id=len(self.cells), **vars(POINT), **vars(case), operation=CALL)
        if environment.reason is not None:
            cell.status, cell.reason = "unavailable", environment.reason
        self.cells[name] = cell
        self.subjects[name] = TimedFunction(key=name, session=session, cells={CALL: cell}, module=module, data=data)

    def try_out(self) -> dict[str, Answer]:
        """Call each function once in a process of its own, and size its batches.

        Returns:
            The answers by name, but for functions that cannot even be prepared and called.
        """
        answers: dict[str, Answer] = {}
        for name, subject in self.subjects.items():
            if subject.alive:
                retry_if_killed(partial(self._try_one, name, answers))
                subject.session.end()
        able = [cell for name, cell in self.cells.items() if self.subjects[name].alive]
        for cell in self.cells.values():
            cell.reference = cell is able[0] if able else False
        return answers

    def _try_one(self, name: str, answers: dict[str, Answer]) -> None:
        subject = self.subjects[name]
        prepare([subject])
        reply = subject.ask("answer") if subject.alive else None
        if reply is not None:
            answers[name] = Answer(reply["answer"], reply["size_bytes"])
            calibrate(subject, CALL)

    def run(
        self,
        rules: Effort,
        is_known: Callable[[Sequence[Sample]], bool],
        what: str = "",
        tell: Callable[[Progress], None] = lambda _: None,
        deadline: float | None = None,
    ) -> None:
        """Time all that can be timed in waves until `is_known` says so of the samples, the rules or the deadline.

        `deadline` is on the monotonic clock, in s; it leaves two waves. `tell` hears of each wave under the name `what`.
        """
        loop = SideBySide(
            self.subjects.values(),
            [CALL],
            rules,
            is_known,
            core=self._core,
            rng=self._rng,
            rounds=self._rounds,
            what=what,
            tell=tell,
        )
        self.samples = loop.samples
        loop.run(deadline, least=2)


class LocalSession(WorkerSession):
    """A worker in the calling process, with one function that it knows already."""

    def __init__(self, name: str, function: Callable[[Any], Any], watchdog: Watchdog, scratch: Path) -> None:
        super().__init__(main_environment(), watchdog, scratch, LIMITS)
        self.known.add(name)
        self._worker = Worker()
        self._worker.cases[name] = PreparedCase(SimpleNamespace(call=function), "")

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Answer a request as a worker process does."""
        try:
            answer: dict[str, Any] = getattr(self._worker, do)(**arguments)
        except Exception as error:
            raise Fault("failed", describe(error), fatal=False) from error
        return answer

    def end(self) -> None:
        """Nothing to end: the process is the caller's."""
