"""What a codec does with bytes that are deep, huge or no text, each in a process that it may take with it."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serbench.cases import Case, render
from serbench.engine.process import Fault, Process, Watchdog
from serbench.engine.results import Status
from serbench.environments import main_environment
from serbench.formats import DEEP, Codec, formats
from serbench.libraries import libraries
from serbench.schema import ANY, STR, Field, List, Record, Ref, Schema

UNTYPED = Schema(List(ANY))
TYPED = Schema(List(Ref("Row")), (Record("Row", (Field("text", STR),)),))
NESTED = f"{DEEP:,} lists to encode"


@dataclass(frozen=True)
class Ordeal:
    """One hostile input and what came of it.

    `outcome` is "rejected", "accepted" (with the type of what it became), or the status of a process that
    ended; `reason` is what the codec or the system said.
    """

    codec: str
    format: str
    input: str
    outcome: str
    reason: str | None = None


def ordeals(chosen: Iterable[Codec], time_limit_s: float, memory_limit_bytes: int) -> Iterator[Ordeal]:
    """Every codec with every hostile input of its format, in builtins or, for typed bytes, one record with a text."""
    watchdog = Watchdog()
    try:
        for codec in chosen:
            with tempfile.TemporaryDirectory(prefix="serbench-") as scratch:
                yield from _Trial(codec, Path(scratch), watchdog, time_limit_s, memory_limit_bytes).ordeals()
    finally:
        watchdog.close()


class _Trial:
    """One codec's case, and a process for it as long as that lives."""

    def __init__(self, codec: Codec, scratch: Path, watchdog: Watchdog, seconds: float, memory_bytes: int) -> None:
        self.codec, self.scratch = codec, scratch
        self.opening = (main_environment().python, watchdog, scratch, seconds, memory_bytes)
        self.schema: Schema = UNTYPED
        self.value: list[Any] = [[]]
        self.case = self._case(UNTYPED)
        if self.case.reason is not None:
            self.schema, self.value = TYPED, [{"text": "a"}]
            self.case = self._case(TYPED)

    def _case(self, schema: Schema) -> Case:
        library = min(self.codec.only, default="typeddict")
        return render(libraries()[library], "default", self.codec, schema)

    def ordeals(self) -> Iterator[Ordeal]:
        """Each input in turn; a process that was lost is replaced."""
        inputs = formats()[self.codec.format].hostile
        absent = self.case.absent or self.case.reason
        if absent is not None:
            yield from (self._told(name, "unavailable", absent) for name in inputs)
            return
        decodes, encodes = "decode" in self.case.operations, "encode" in self.case.operations
        for name, make in inputs.items() if decodes else ():
            yield self._ordeal(name, make())
        if encodes and self.schema is UNTYPED:
            yield self._ordeal(NESTED, None)

    def _ordeal(self, name: str, blob: bytes | None) -> Ordeal:
        try:
            with Process(*self.opening) as process:
                self._prepare(process)
                if blob is None:
                    reply = process.ask("nest", case="hostile", depth=DEEP)
                else:
                    given: dict[str, Any] = {"path": [], "blob": blob.hex(), "value": None}
                    reply = process.ask("take", case="hostile", inputs=[given])["outcomes"][0]
        except Fault as fault:
            status: Status = fault.status
            return self._told(name, status, fault.reason)
        if reply["outcome"] == "rejected":
            return self._told(name, "rejected", reply["message"])
        return self._told(name, "accepted", f"as {reply['outcome']}")

    def _prepare(self, process: Process) -> None:
        values, path = self.scratch / "values.pickle", self.scratch / "hostile.py"
        values.write_bytes(pickle.dumps(self.value, protocol=4))
        path.write_text(self.case.source, encoding="utf-8")
        writer = None
        if self.case.writer is not None:
            writer = str(self.scratch / "writer.py")
            Path(writer).write_text(self.case.writer.source, encoding="utf-8")
        process.start()
        process.ask("add_data", name="values", spec=self.schema.as_data(), values=str(values))
        process.ask("prepare", case="hostile", module="hostile", path=str(path), data="values", writer=writer)

    def _told(self, name: str, outcome: str, reason: str | None) -> Ordeal:
        return Ordeal(self.codec.name, self.codec.format, name, outcome, reason)
