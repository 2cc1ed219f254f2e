"""Compares functions: the modules that carry them, their answers, and their times in waves."""

from __future__ import annotations

import json
import math
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from itertools import product, zip_longest
from pathlib import Path
from typing import Any

from serbench.errors import PlanError
from serbench.judge import statistics
from serbench.judge.waves import cell_waves
from serbench.machine.caretaker import scratch_folder
from serbench.machine.platform import usable_cores
from serbench.measure.listener import Progress
from serbench.measure.plan import Effort
from serbench.measure.rounds import ROUNDS, SideBySide, calibrate, is_finished
from serbench.measure.session import RequestLimits, Watchdog, WorkerSession, write_values
from serbench.measure.stream import MOST_DOCUMENTS, PRESETS, Conditions, Stream
from serbench.measure.subjects import Data, Subject, prepare, retry_if_killed
from serbench.render.environments import Environment
from serbench.results import CALL, CaseId, Cell, Point, Sample

CLASS = ""  # the key of an object's class
LATIN = "latin-1"
MISSING = object()
SHOWN = 60


class Comparison:
    """The comparison of a function's answers with those of the first.

    Attributes:
        difference: where the first difference is, and what is there; None if the answers are the same.
        notes: what was not compared, or is the same in another form, each once.
    """

    def __init__(self, one: Any, other: Any) -> None:
        self.notes: dict[str, None] = {}
        self.difference = next(self._differences(one, other, "the answer"), None)

    def _differences(self, one: Any, other: Any, path: str) -> Iterator[str]:
        if one == other and type(one) is type(other) and not isinstance(one, dict | list):
            return
        if isinstance(one, list) and isinstance(other, list) and one[0] == other[0]:
            for number, pair in enumerate(zip_longest(one[1:], other[1:], fillvalue=MISSING)):
                yield from self._differences(*pair, f"{path}[{number}]")
        elif isinstance(one, dict) and isinstance(other, dict) and (CLASS in one) == (CLASS in other):
            yield from self._of_mappings(one, other, path)
        elif not self._same_json(one, other):
            yield f"{path} is {shown(one)}, not {shown(other)}"

    def _of_mappings(self, one: dict[str, Any], other: dict[str, Any], path: str) -> Iterator[str]:
        if LATIN in one or LATIN in other:
            if one != other and not self._same_json(one, other):
                yield f"{path} is {shown(one)}, not {shown(other)}"
            return
        if CLASS in one:
            if one[CLASS] != other[CLASS]:
                if "repr" in one or "repr" in other or len(one) == 1 or len(other) == 1:
                    yield f"{path} is {shown(one)}, not {shown(other)}"
                    return
                self.notes[f"objects of {one[CLASS]} and of {other[CLASS]} count as the same if their fields are"] = (
                    None
                )
            if len(one) == len(other) == 1:
                self.notes[f"of a {one[CLASS]} nothing can be compared but its class"] = None
        for key in dict.fromkeys([*one, *other]):
            if key != CLASS:
                inside = f"{path}.{key}" if CLASS in one else f"{path}[{key}]"
                yield from self._differences(one.get(key, MISSING), other.get(key, MISSING), inside)

    def _same_json(self, one: Any, other: Any) -> bool:
        """Tell if two texts or bytes are JSON of the same value."""
        texts = [_text(one), _text(other)]
        if None in texts:
            return False
        try:
            values = [json.loads(text) for text in texts if text is not None]
            same = json.dumps(values[0], sort_keys=True) == json.dumps(values[1], sort_keys=True)
        except (ValueError, RecursionError):
            return False
        if same:
            self.notes["the texts differ, and are JSON of the same value"] = None
        return same


def _text(told: Any) -> str | bytes | None:
    if isinstance(told, dict) and LATIN in told:
        return bytes(told[LATIN], LATIN)
    return told if isinstance(told, str) else None


def shown(told: Any) -> str:
    """A part of an answer in a sentence, not too long."""
    if told is MISSING:
        return "missing"
    if isinstance(told, dict) and LATIN in told:
        text = repr(bytes(told[LATIN], LATIN))
    elif isinstance(told, dict) and CLASS in told:
        fields = ", ".join(f"{key}={shown(value)}" for key, value in told.items() if key not in (CLASS, "repr"))
        text = told.get("repr") or (f"{told[CLASS]}({fields})" if fields else f"a {told[CLASS]}")
    elif isinstance(told, dict):
        text = "{" + ", ".join(f"{key}: {shown(value)}" for key, value in told.items()) + "}"
    elif isinstance(told, list):
        text = f"{told[0]} of {len(told) - 1}"
    else:
        text = repr(told)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 15]} … {text[-12:]}"


POINT = Point("functions", 1, 1, 0)
LIMITS = RequestLimits(60.0, 8 << 30)


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
        end: the time on the monotonic clock, in s, at which all of it ends, by a KeyboardInterrupt.

    Attributes:
        subjects: the functions in the order in which they were added, by name.
        cells: their cells by name; `status` and `reason` of those that fail.
        samples: everything that was timed.
    """

    def __init__(self, *, seed: int = 0, on_one_core: bool = True, rounds: int = ROUNDS, end: float = math.inf) -> None:
        self.subjects: dict[str, TimedFunction] = {}
        self.cells: dict[str, Cell] = {}
        self.samples: list[Sample] = []
        self._rounds = rounds
        self._rng = random.Random(seed)
        self._core = max(usable_cores(), default=None) if on_one_core else None
        self._folder = scratch_folder()
        self._scratch = self._folder.__enter__()
        self._watchdog = Watchdog(end=end)
        self._sessions: dict[tuple[str, str], WorkerSession] = {}

    def __exit__(self, *_: object) -> None:
        self._watchdog.__exit__()
        self._folder.__exit__(None, None, None)

    @property
    def used_up(self) -> bool:
        """True once the end has come."""
        return self._watchdog.used_up

    def add(
        self,
        name: str,
        label: str,
        source: str,
        environment: Environment,
        values: Any = "",
        process: str = "",
        documents: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a function as a module: its `call`, called with what its `build` makes of `values`.

        Args:
            name: a flat module name, its own among the functions.
            label: its name in tables.
            source: the module's text.
            environment: the environment in which it runs.
            values: the argument of `build`; if the module has none, the argument of `call` itself.
            process: functions of one environment and `process` share a process; by default it has its own.
            documents: the request of a `Stream`, whose documents calls get in turn in the place of `values`.
        """
        key = (environment.name, process or name)
        if key not in self._sessions:
            self._sessions[key] = WorkerSession(environment, self._watchdog, self._scratch, LIMITS)
        path = self._scratch / f"{name}.py"
        path.write_text(source, encoding="utf-8")
        data = Data(name, None, write_values(path.with_suffix(".pickle"), values), documents)
        case = CaseId(label, "default", "", "", environment.name, python=environment.runs_on)
        cell = Cell(id=len(self.cells), **vars(POINT), **vars(case), operation=CALL)
        if environment.reason is not None:
            cell.status, cell.reason = "unavailable", environment.reason
        self.cells[name] = cell
        module = {"module": name, "path": str(path)}
        self.subjects[name] = TimedFunction(
            key=name, session=self._sessions[key], cells={CALL: cell}, module=module, data=data
        )

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
        """Time what can be timed, wave after wave, until `is_known` of the samples, or until the rules or the deadline end it.

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


ALONE = """
_serbench_called = {function}
build, several = (lambda _: None), False


def call(_):
    return _serbench_called()
"""
WITH_SETUP = """
call = {function}
build, several = _serbench_user_code.maker({setup})
"""
AFTER = """
build = _serbench_user_code.after(build, {maker})
"""
ANSWERS = """

def answer(first):
    return _serbench_user_code.answers(call, build, first, several, {hot})
"""


@dataclass(frozen=True)
class InFile:
    """A function in a file: the folder, the module or the file's name, and the function's name."""

    folder: str
    module: str
    name: str

    @property
    def text(self) -> str:
        """The expression by which a module has it."""
        module = f"_serbench_user_code.module_at({self.folder!r}, {self.module!r})"
        return f"_serbench_user_code.attribute({module}, {self.name!r})"


@dataclass(frozen=True)
class After:
    """A function that is called with what another makes of the argument."""

    maker: Code
    function: Code


Code = InFile | Callable[..., Any]
Compared = Code | After
"""What is compared: a function in a file, or anything that can be called."""


@dataclass
class Outcome:
    """The result of a comparison.

    Attributes:
        cells, samples: of everything, the reference first.
        notes: what was not compared of the answers, or is the same in another form.
    """

    cells: list[Cell] = field(default_factory=list)
    samples: Sequence[Sample] = ()
    notes: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How functions are compared.

    Attributes:
        setup: makes the argument of each call; None if functions take none.
        conditions: those under which arguments are made.
        unequal: whether functions may give different answers.
        rules: waves and precision.
        tell: hears of the progress.
        end: when the comparison ends with what there is, on the monotonic clock in s.
    """

    rules: Effort
    setup: InFile | Callable[..., Any] | None = None
    conditions: Conditions = PRESETS["hot"]
    unequal: bool = False
    tell: Callable[[Progress], None] = lambda _: None
    end: float = math.inf


def compare_code(compared: Mapping[str, Compared], environments: Sequence[Environment], terms: Terms) -> Outcome:
    """Compare the answers of functions in each environment, then time them in the same waves of fresh processes.

    Raises:
        PlanError: answers differ, or a function cannot leave the calling process.
    """
    from serbench.measure.carried import CannotTravel  # imports msgspec, as below

    try:
        with scratch_folder() as scratch, FunctionBenchmark(end=terms.end) as benchmark:
            stream = _stream(terms, scratch)
            for number, ((label, code), environment) in enumerate(product(compared.items(), environments)):
                name = f"code_{number:04}"
                text = _module(label, code, terms, environment, scratch / f"{name}.pickle")
                benchmark.add(name, label, text, environment, values=0, documents=stream)
            outcome = Outcome([*benchmark.cells.values()])
            try:
                answers = benchmark.try_out()
                for cell in outcome.cells if terms.setup is None else ():
                    _hint_at_setup(cell, compared[cell.library])
                _time(benchmark, answers, terms, outcome)
            except KeyboardInterrupt:
                if not benchmark.used_up:
                    raise
            outcome.samples = benchmark.samples
            for cell, logs in _ratios(outcome.cells, outcome.samples):
                if cell.reference or is_finished([logs], terms.rules.wanted):
                    cell.status = "ok"
            return outcome
    except CannotTravel as error:
        raise PlanError(f"{error}; put it in a file, and name it as file.py:function") from None


def _hint_at_setup(cell: Cell, compared: Compared) -> None:
    """Have the reason of a function that lacks its argument say what makes one."""
    name = getattr(compared, "name", "") or getattr(compared, "__name__", "")
    if re.search(
        rf"TypeError: ([\w.<>]+\.)?{re.escape(name)}(\.__init__)?\(\) missing \d+ required", cell.reason or ""
    ):
        cell.reason = f"{cell.reason}; --setup file.py:make names the function that makes its argument"


def _time(benchmark: FunctionBenchmark, answers: Mapping[str, Answer], terms: Terms, outcome: Outcome) -> None:
    for cell in outcome.cells:
        cell.conditions = str(terms.conditions)
    _compare_answers(benchmark.cells, answers, terms, outcome.notes)
    if any(subject.alive for subject in benchmark.subjects.values()):
        benchmark.run(terms.rules, partial(_is_known, outcome.cells, terms.rules), "comparing", terms.tell)


def _compare_answers(
    cells: Mapping[str, Cell], answers: Mapping[str, Answer], terms: Terms, notes: dict[str, None]
) -> None:
    """Compare each answer with those of the first, and the first of each with its second.

    Raises:
        PlanError: they differ, and may not.
    """
    several = len({cell.environment for cell in cells.values()}) > 1
    told = [(cells[name], json.loads(answer.text)) for name, answer in answers.items()]
    hot = terms.setup is None or not terms.conditions.fresh
    for position, (cell, mine) in enumerate(told):
        name = f"{cell.library} in {cell.environment}" if several else cell.library
        if hot:
            again = Comparison(mine[1], mine[0])
            if again.difference is not None:
                _differs(f"{name} gives another answer the second time: {again.difference}", terms, notes)
        if position == 0:
            first, first_name = mine, name
            continue
        for number, pair in enumerate(zip(mine, first, strict=False)):
            compared = Comparison(*pair)
            notes |= compared.notes
            if compared.difference is not None:
                of = f" for argument {number}" if number else ""
                _differs(f"{name} gives another answer than {first_name}{of}: {compared.difference}", terms, notes)
                break


def _differs(text: str, terms: Terms, notes: dict[str, None]) -> None:
    if not terms.unequal:
        raise PlanError(f"{text}; --unequal times them anyway")
    notes[text] = None


def _is_known(cells: Sequence[Cell], rules: Effort, samples: Sequence[Sample]) -> bool:
    series = [logs for cell, logs in _ratios(cells, samples) if not cell.reference]
    return is_finished(filter(None, series), rules.wanted, statistics.fit_prior(series))


def _ratios(cells: Sequence[Cell], samples: Sequence[Sample]) -> Iterator[tuple[Cell, list[float]]]:
    waves = cell_waves(cells, samples)
    for cell in cells:
        if cell.id in waves:
            yield cell, list(waves[cell.id].log_ratios.values())


def _stream(terms: Terms, scratch: Path) -> dict[str, Any] | None:
    """The numbers of the arguments that a setup makes; None if all calls get the same one."""
    if terms.setup is None or terms.conditions == PRESETS["hot"]:
        return None
    return Stream(range(MOST_DOCUMENTS), terms.conditions, scratch / "documents.pickle").request


def _module(label: str, compared: Compared, terms: Terms, environment: Environment, path: Path) -> str:
    """The text of the module that has the function as `call`, what makes its argument, and its answers.

    What is in no file is written into `path`.
    """
    from serbench.measure.carried import carried, carry

    function, maker = (compared.function, compared.maker) if isinstance(compared, After) else (compared, None)
    parts = {label: function, f"{label}'s encoder": maker, "setup": terms.setup}
    values = {name: part for name, part in parts.items() if part and not isinstance(part, InFile)}
    if values:
        carry(values, path)
    texts = {
        name: part.text if isinstance(part, InFile) else f"_serbench_values[{name!r}]" for name, part in parts.items()
    }
    called, after, setup = texts.values()
    assigned = "[:] " if environment.packages is None else " +"
    text = f"import sys\n\nimport _serbench_user_code\n\nsys.path{assigned}= {_paths(environment)!r}\n"
    text += f"_serbench_values = {carried(path)}\n" if values else ""
    if terms.setup is not None:
        text += WITH_SETUP.format(function=called, setup=setup) + (AFTER.format(maker=after) if maker else "")
    else:
        text += ALONE.format(function=called)
    return text + ANSWERS.format(hot=not terms.conditions.fresh or terms.setup is None)


def _paths(environment: Environment) -> list[str]:
    """Where a module finds what it imports: as here or, in another environment, in folders of the user's own besides."""
    from serbench.measure.carried import user_folders

    return list(sys.path) if environment.packages is None else user_folders()
