"""A lane of probes: one library in one environment, and a worker process for it that may be lost at any of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from serbench.cases import Case, render
from serbench.engine.process import Fault, Process, Watchdog
from serbench.environments import Environment
from serbench.formats import Codec
from serbench.libraries import Library
from serbench.schema import Schema
from serbench.schema.types import SCALAR_KINDS

SETTING_UP, SETTING_UP_S = ("add_data", "load", "prepare"), 60.0

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Limits:
    """What one request may take: seconds, and bytes of address space."""

    seconds: float = 10.0
    memory_bytes: int = 4 << 30


class Lane:
    """The worker of one library and variant; the next question starts another where it was lost."""

    def __init__(self, library: Library, variant: str, environment: Environment, scratch: Path, limits: Limits) -> None:
        self.library, self.variant, self.environment = library, variant, environment
        self.scratch, self.limits = scratch, limits
        self._watchdog = Watchdog()
        self._process: Process | None = None
        self._known: set[str] = set()
        self._module = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()
        self._watchdog.close()

    def leave(self) -> None:
        """End the worker."""
        if self._process is not None:
            self._process.close()
            self._process = None
        self._known.clear()
        self._module = ""

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """The answer of the worker; what imports has more time than what is tried.

        Raises:
            Fault: the case failed, or the process is gone.
        """
        if self._process is None:
            python, bytes_ = self.environment.python, self.limits.memory_bytes
            self._process = Process(python, self._watchdog, self.scratch, SETTING_UP_S, bytes_).start()
        self._process.seconds = max(SETTING_UP_S, self.limits.seconds) if do in SETTING_UP else self.limits.seconds
        try:
            return self._process.ask(do, **arguments)
        except Fault as fault:
            if fault.fatal:
                self.leave()
            raise

    def data(self, key: str, schema: Schema, value: Any) -> str:
        """Have the worker know some values; their name there."""
        if key not in self._known:
            path = self.scratch / f"{key.replace(' ', '_')}.pickle"
            path.write_bytes(pickle.dumps(value, protocol=4))
            self.ask("add_data", name=key, spec=schema.as_data(), values=str(path))
            self._known.add(key)
        return key

    def load(self, case: Case, name: str) -> None:
        """Have the worker import a case's module under that name, unless it has it from before."""
        if self._module == name:
            return
        path, writer = self.scratch / f"{name}.py", None
        path.write_text(case.source, encoding="utf-8")
        if case.writer is not None:
            writer = self.scratch / f"writer_of_{name}.py"
            writer.write_text(case.writer.source, encoding="utf-8")
        self.ask("load", module=name, path=str(path), writer=str(writer) if writer else None)
        self._module = name

    def case(self, codec: Codec, schema: Schema) -> tuple[Case, str | None]:
        """The case as it is rendered where nothing is held back, and what serbench says beforehand that it lacks."""
        declared = render(self.library, self.variant, codec, schema, self.environment)
        library = replace(self.library, lacks={k: v for k, v in self.library.lacks.items() if k not in SCALAR_KINDS})
        try:
            case = render(library, self.variant, _unheld(codec), schema, self.environment)
        except LookupError:  # it has nothing for such a field
            return declared, declared.reason
        return (declared, declared.reason) if case.reason else (case, _said(declared))


def _said(case: Case) -> str | None:
    return case.reason or next(iter(case.codec.cannot.values()), None)


def _unheld(codec: Codec) -> Codec:
    """The codec without what is said of its faults: the probes are to find them."""
    blind = {"decode", "loads", "load"} if codec.loads else set()
    blind |= {"encode", "dumps", "dump"} if codec.dumps else set()
    return replace(codec, lacks={}, cannot={k: v for k, v in codec.cannot.items() if k not in blind})


def each(items: Sequence[Item], work: Callable[[Sequence[Item]], Sequence[Answer]]) -> list[Answer | Fault]:
    """The answers to all items at once; where that ends the process, to each half by itself, down to the culprit."""
    try:
        return list(work(items))
    except Fault as fault:
        if not fault.fatal or len(items) == 1:
            return [fault] * len(items)
    middle = len(items) // 2
    return [*each(items[:middle], work), *each(items[middle:], work)]
