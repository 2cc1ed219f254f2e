"""Times any expressions against each other by the engine's rules: waves of fresh processes, round by round in turn."""

from __future__ import annotations

import pickle
import random
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any, Protocol

from serbench.engine.order import orders
from serbench.engine.process import FIDELITY, Fault, Process, Watchdog
from serbench.engine.results import Cell, Point, Sample
from serbench.engine.waves import ROUNDS, ROUNDS_OF_SLOW
from serbench.names import PlanError
from serbench.schema import STR, Schema
from serbench.worker import Case as PreparedCase
from serbench.worker import Worker
from serbench.worker import describe as described

POINT = Point("expressions", 1, 1, 0)
OPERATION = "encode"  # the worker's word for "call it with an argument"; here the argument is not looked at
BATCH_NS = 500_000
SECONDS = 60.0
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


class Place(Protocol):
    """Where one expression is timed: a worker process, or a worker in this one."""

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Answer a request as the worker does."""


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
    with tempfile.TemporaryDirectory(prefix="serbench-contest-") as scratch:
        watchdog = Watchdog()
        try:
            return _fresh(expressions, namespace, Path(scratch), watchdog, waves, random.Random(seed))
        except _CannotLeave as error:
            places = {key: Here(key, text, namespace) for key, text in expressions.items()}
            cells = _cells(expressions)
            samples: list[Sample] = []
            rng = random.Random(seed)
            for wave in range(1, waves + 1):
                samples += _wave(wave, dict(zip(expressions, cells, strict=True)), places, rng)
            return Contest(cells, samples, str(error))
        finally:
            watchdog.close()


class _CannotLeave(Exception):
    """A name whose value another process cannot have."""


def _fresh(
    expressions: Mapping[str, str],
    namespace: Mapping[str, Any],
    scratch: Path,
    watchdog: Watchdog,
    waves: int,
    rng: random.Random,
) -> Contest:
    cells, samples = _cells(expressions), list[Sample]()
    for key, text in expressions.items():
        (scratch / f"{key}.py").write_text(_module(text, namespace, scratch / f"{key}.pickle"), encoding="utf-8")
    spec = Schema(STR).as_data()
    (scratch / "values.pickle").write_bytes(pickle.dumps("", protocol=4))
    for wave in range(1, waves + 1):
        opened: list[Process] = []
        try:
            places = {}
            for cell, key in zip(cells, expressions, strict=True):
                if cell.status != "unresolved":
                    continue
                process = Process(sys.executable, watchdog, scratch, SECONDS, 0)
                opened.append(process)
                process.ask("start", fidelity=str(FIDELITY), collects=True)
                process.ask("add_data", name="values", spec=spec, values=str(scratch / "values.pickle"))
                _prepare(process, key, scratch, first=wave == 1)
                places[key] = process
            samples += _wave(wave, dict(zip(expressions, cells, strict=True)), places, rng)
        finally:
            for process in opened:
                process.close()
    return Contest(cells, samples, "")


def _prepare(process: Process, key: str, scratch: Path, *, first: bool) -> None:
    try:
        process.ask("prepare", case=key, module=key, path=str(scratch / f"{key}.py"), data="values", writer=None)
        process.ask("freeze", case=key)
    except Fault as fault:
        if not first:
            raise
        raise _CannotLeave(f"a fresh process cannot run it ({fault.reason})") from None


def _cells(expressions: Mapping[str, str]) -> list[Cell]:
    return [
        Cell(number, POINT, text, "default", "", "", OPERATION, reference=number == 0)
        for number, text in enumerate(expressions.values())
    ]


def _wave(wave: int, cells: Mapping[str, Cell], places: Mapping[str, Place], rng: random.Random) -> list[Sample]:
    """One wave, and the sizes of the batches in the first."""
    known = {key: cell for key, cell in cells.items() if cell.status == "unresolved"}
    samples: list[Sample] = []
    for key, cell in list(known.items()):
        if not cell.loops and not _answer(
            cell, lambda key=key: places[key].ask("calibrate", case=key, operation=OPERATION, target_ns=BATCH_NS)
        ):
            del known[key]
    for turn, order in enumerate(orders(list(known), ROUNDS, rng)):
        for key in order:
            cell = known[key]
            if cell.status != "unresolved" or (cell.loops == 1 and turn >= ROUNDS_OF_SLOW):
                continue
            try:
                reply = places[key].ask(
                    "measure", case=key, operation=OPERATION, loops=cell.loops, warmup=cell.loops // 2
                )
            except Fault as fault:
                cell.status, cell.reason = fault.status, fault.reason
            else:
                samples.append(Sample(cell.id, wave, wave, turn, *reply["times"]))
    return samples


def _answer(cell: Cell, ask: Any) -> bool:
    try:
        cell.loops = ask()["loops"]
    except Fault as fault:
        cell.status, cell.reason = fault.status, fault.reason
    return cell.loops > 0


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
