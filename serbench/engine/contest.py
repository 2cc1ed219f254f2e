"""Times any expressions against each other by the engine's rules: waves of fresh processes, round by round in turn."""

from __future__ import annotations

import pickle
import random
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

from serbench.engine.arena import OPERATION, Arena, Entrant, cells_of, fails, rounds
from serbench.engine.process import Fault
from serbench.engine.results import Cell, Sample
from serbench.engine.seats import SIZING_NS
from serbench.environments import main_environment
from serbench.names import PlanError
from serbench.worker import Case as PreparedCase
from serbench.worker import Worker
from serbench.worker import describe as described

MODULE = """import importlib
import pickle
import sys

sys.path[:] = {path!r}
with open({names!r}, "rb") as file:
    globals().update(pickle.load(file))
for name, module in {modules!r}.items():
    globals()[name] = importlib.import_module(module)


def encode(_):
    return (
{expression}
    )
"""


@dataclass(frozen=True)
class Contest:
    """What was timed: a cell for each expression in the order given, and its samples.

    `here` says why all ran in the calling process instead of fresh ones; empty where they did not.
    """

    cells: list[Cell]
    samples: list[Sample]
    here: str


class Here:
    """A worker in the calling process, for what cannot leave it."""

    def __init__(self, key: str, expression: str, namespace: Mapping[str, Any]) -> None:
        function = eval(compiled(f"lambda _: ({expression}\n)"), dict(namespace))  # noqa: S307 (the caller's own code)
        self._worker = Worker()
        self._worker.cases[key] = PreparedCase(SimpleNamespace(encode=function), "", None)

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Answer as a worker process does."""
        try:
            answer: dict[str, Any] = getattr(self._worker, do)(**arguments)
        except Exception as error:
            raise Fault("failed", described(error), fatal=False) from error
        return answer


def compiled(expression: str) -> CodeType:
    """The expression's code.

    Raises:
        PlanError: it is none.
    """
    try:
        return compile(expression, "<serbench>", "eval")
    except SyntaxError as error:
        raise PlanError(f"{expression!r} is no expression: {error.msg}") from None


def contest(expressions: Mapping[str, str], namespace: Mapping[str, Any], *, waves: int, seed: int = 0) -> Contest:
    """Time each expression in fresh processes; in this one if any of them needs what cannot be taken elsewhere.

    The names that they use are looked up in `namespace`: modules are imported again, other values pickled.
    """
    try:
        return _fresh(expressions, namespace, waves, seed)
    except _CannotLeave as error:
        places = {key: Here(key, text, namespace) for key, text in expressions.items()}
        cells = cells_of(expressions)
        for key, cell in cells.items():
            fails(cell, partial(_size, places[key], key, cell))
        rng = random.Random(seed)
        samples = [sample for wave in range(1, waves + 1) for sample in rounds(wave, cells, places, rng)]
        return Contest(list(cells.values()), samples, str(error))


class _CannotLeave(Exception):
    """A name whose value another process cannot have."""


def _fresh(expressions: Mapping[str, str], namespace: Mapping[str, Any], waves: int, seed: int) -> Contest:
    with tempfile.TemporaryDirectory(prefix="serbench-contest-") as scratch:
        entrants = [
            Entrant(key, text, _module(text, namespace, Path(scratch) / f"{key}.pickle"), main_environment())
            for key, text in expressions.items()
        ]
        with Arena(entrants, seed=seed) as arena:
            arena.try_out()
            for reason in arena.unready.values():
                raise _CannotLeave(f"a fresh process cannot run it ({reason})")
            samples = [sample for _ in range(waves) for sample in arena.wave()]
        return Contest(list(arena.cells.values()), samples, "")


def _size(place: Here, key: str, cell: Cell) -> None:
    cell.loops = place.ask("calibrate", case=key, operation=OPERATION, target_ns=SIZING_NS)["loops"]


def _module(expression: str, namespace: Mapping[str, Any], names: Path) -> str:
    """The module that a fresh process imports; the values of the names it uses are written beside it."""
    used = {name: namespace[name] for name in _names(compiled(f"({expression}\n)")) if name in namespace}
    modules = {name: value.__name__ for name, value in used.items() if isinstance(value, ModuleType)}
    values = {name: value for name, value in used.items() if name not in modules}
    for name, value in values.items():
        try:
            text = pickle.dumps(value, protocol=4)
        except Exception as error:
            raise _CannotLeave(f"{name} cannot be taken to a fresh process ({described(error)})") from None
        if b"__main__" in text:
            raise _CannotLeave(f"{name} is defined here, and a fresh process does not have it")
    names.write_bytes(pickle.dumps(values, protocol=4))
    body = "\n".join(f"        {line}" for line in expression.strip().splitlines())
    return MODULE.format(path=list(sys.path), names=str(names), modules=modules, expression=body)


def _names(code: CodeType) -> set[str]:
    """Every name that the code and what stands inside it looks up."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*(_names(part) for part in inner))
