"""Compares functions and expressions of the user's: the modules that carry them, their answers, and their times."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path
from types import CodeType
from typing import Any

from serbench.errors import PlanError
from serbench.judge import statistics
from serbench.judge.waves import cell_waves
from serbench.measure.answers import Comparison
from serbench.measure.conditions import PRESETS, Conditions
from serbench.measure.functions import Answer, FunctionBenchmark
from serbench.measure.listener import Progress
from serbench.measure.plan import Effort
from serbench.measure.rounds import is_finished
from serbench.measure.stream import MOST_DOCUMENTS, Stream
from serbench.render.environments.caretaker import scratch_folder
from serbench.render.environments.environment import MAIN, Environment
from serbench.results import Cell, Sample

ALONE = """
_serbench_called = {function}
build, several = (lambda _: None), False


def call(_):
    return _serbench_called()
"""
OF_TEXT = """
call = {function}
build, several = (lambda _: None), False
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
class Expression:
    """The text of an expression."""

    text: str


@dataclass(frozen=True)
class After:
    """A function that is called with what another makes of the argument."""

    maker: Code
    function: Code


Code = InFile | Expression | Callable[..., Any]
Compared = Code | After
"""What is compared: a function in a file, a function or anything that can be called, or an expression."""


@dataclass
class Outcome:
    """The result of a comparison.

    Attributes:
        cells, samples: of everything, the reference first.
        notes: what was not compared of the answers, or is the same in another form.
        local: why all ran in the calling process; empty if they did not.
    """

    cells: list[Cell] = field(default_factory=list)
    samples: Sequence[Sample] = ()
    notes: dict[str, None] = field(default_factory=dict)
    local: str = ""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How functions are compared.

    Attributes:
        setup: makes the argument of each call; None if functions take none.
        namespace: the values of the names in expressions.
        conditions: those under which arguments are made.
        unequal: whether functions may give different answers; None if answers are not looked at.
        rules: waves and precision.
        tell: hears of the progress.
    """

    rules: Effort
    setup: InFile | Callable[..., Any] | None = None
    namespace: Mapping[str, Any] = field(default_factory=dict)
    conditions: Conditions = PRESETS["hot"]
    unequal: bool | None = False
    tell: Callable[[Progress], None] = lambda _: None


def compare_code(compared: Mapping[str, Compared], environments: Sequence[Environment], terms: Terms) -> Outcome:
    """Compare the answers of functions in each environment, then time them in the same waves of fresh processes.

    All run in the calling process if one of them cannot leave it; it is then serbench's own environment without a setup.

    Raises:
        PlanError: answers differ; or a function cannot leave the calling process and has a setup or an environment.
    """
    from serbench.measure.carried import CannotTravel  # imports msgspec, as below

    try:
        with scratch_folder() as scratch, FunctionBenchmark() as benchmark:
            stream = _stream(terms, scratch)
            for number, ((label, code), environment) in enumerate(product(compared.items(), environments)):
                name = f"code_{number:04}"
                text = _module(label, code, terms, environment, scratch / f"{name}.pickle")
                benchmark.add(name, label, text, environment, values=0, documents=stream)
            answers = benchmark.try_out()
            for cell in benchmark.cells.values() if terms.setup is None else ():
                _hint_at_setup(cell, compared[cell.library])
            if terms.unequal is None and len(answers) < len(benchmark.cells) and len(environments) == 1:
                reasons = [cell.reason for name, cell in benchmark.cells.items() if name not in answers]
                raise CannotTravel(f"a fresh process cannot run it ({reasons[0]})")
            return _timed(benchmark, answers, terms)
    except CannotTravel as error:
        reason = str(error)
    if terms.setup is not None or any(one.name != MAIN.name for one in environments):
        raise PlanError(f"{reason}; put it in a file, and name it as file.py:function")
    with FunctionBenchmark(on_one_core=False) as benchmark:
        for number, (label, code) in enumerate(compared.items()):
            benchmark.add_local(f"code_{number:04}", label, _local(code, terms))
        benchmark.try_out()
        outcome = _timed(benchmark, {}, replace(terms, unequal=None))
        return replace(outcome, local=reason)


def _hint_at_setup(cell: Cell, one: Compared) -> None:
    """Have the reason of a function that lacks its argument say what makes one."""
    name = getattr(one, "name", "") or getattr(one, "__name__", "")
    if re.search(
        rf"TypeError: ([\w.<>]+\.)?{re.escape(name)}(\.__init__)?\(\) missing \d+ required", cell.reason or ""
    ):
        cell.reason = f"{cell.reason}; --setup file.py:make names the function that makes its argument"


def _timed(benchmark: FunctionBenchmark, answers: Mapping[str, Answer], terms: Terms) -> Outcome:
    """Compare the answers, and time what has one."""
    outcome = Outcome(list(benchmark.cells.values()))
    for cell in outcome.cells:
        cell.conditions = str(terms.conditions)
    if terms.unequal is not None:
        _compare_answers(benchmark.cells, answers, terms, outcome.notes)
    if any(subject.alive for subject in benchmark.subjects.values()):
        benchmark.run(terms.rules, partial(_is_known, outcome.cells, terms.rules), "comparing", terms.tell)
    outcome.samples = benchmark.samples
    for cell, logs in _ratios(outcome.cells, outcome.samples):
        if cell.reference or is_finished([logs], terms.rules):
            cell.status = "ok"
    return outcome


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
        raise PlanError(f"{text}; --unequal times them all the same")
    notes[text] = None


def _is_known(cells: Sequence[Cell], rules: Effort, samples: Sequence[Sample]) -> bool:
    series = [logs for cell, logs in _ratios(cells, samples) if not cell.reference]
    return is_finished(filter(None, series), rules, statistics.fit_prior(series))


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
    values = {name: _value(part, terms) for name, part in parts.items() if part and not isinstance(part, InFile)}
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
        text += (OF_TEXT if isinstance(function, Expression) else ALONE).format(function=called)
    if terms.unequal is not None:
        text += ANSWERS.format(hot=not terms.conditions.fresh or terms.setup is None)
    return text


def _value(code: Code, terms: Terms) -> Callable[..., Any]:
    """What is called: a text is that of a function that ignores its argument."""
    if not isinstance(code, Expression):
        assert not isinstance(code, InFile)
        return code
    names = dict(terms.namespace) or {"__name__": "__main__"}
    function: Callable[..., Any] = eval(compiled(f"lambda _: ({code.text}\n)"), names)  # noqa: S307 (the caller's own code)
    return function


def _paths(environment: Environment) -> list[str]:
    """Where a module finds what it imports: as here or, in another environment, in folders of the user's own besides."""
    from serbench.measure.carried import user_folders

    return list(sys.path) if environment.packages is None else user_folders()


def _local(code: Compared, terms: Terms) -> Callable[[Any], Any]:
    """What is called in this process."""
    assert not isinstance(code, InFile | After)
    function = _value(code, terms)
    return function if isinstance(code, Expression) else lambda _: function()


def compiled(expression: str) -> CodeType:
    """The expression's code.

    Raises:
        PlanError: it is not an expression.
    """
    try:
        return compile(expression, "<serbench>", "eval")
    except SyntaxError as error:
        raise PlanError(f"{expression!r} is not an expression: {error.msg}") from None
