"""Planted cases: small modules that are right, wrong, slow, greedy or deadly, as cases of one block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from serbench.measure.conduct import conduct
from serbench.measure.listener import Finished, Listener, Progress
from serbench.measure.plan import Block, Plan
from serbench.model.data.dataset import Dataset
from serbench.model.records import Field, List, Record, Ref, Schema
from serbench.model.scalars import INT, STR
from serbench.render.case import Case
from serbench.render.codec import codec_named
from serbench.render.library import libraries
from serbench.results import Cell, Point, Sample

SCHEMA = Schema(List(Ref("Item")), (Record("Item", (Field("name", STR), Field("size", INT))),))
VALUE = [{"name": "a", "size": 1}, {"name": "b", "size": 2}]
GOOD = """import json
from dataclasses import asdict, dataclass


@dataclass
class Item:
    name: str
    size: int


def encode(items):
    return json.dumps([asdict(item) for item in items]).encode()


def decode(blob):
    return [Item(**item) for item in json.loads(blob)]
"""
AFTER = """
calls = 0
good_decode = decode


def decode(blob):
    global calls
    calls += 1
    if calls > {calls}:
        {then}
    return good_decode(blob)
"""


def after(calls: int, then: str) -> str:
    """The good module, which after so many calls does something else."""
    return GOOD + AFTER.format(calls=calls, then=then)


def case(name: str, source: str = GOOD, *, unique: bool = True) -> Case:
    """A case of a made-up library with this source; its code is `unique`, or the very same as of others with the source."""
    if unique and "def encode(" in source and "def decode(" in source:
        source += f'\n\nencode.made_for = decode.made_for = "{name}"\n'
    library = replace(libraries()["dataclasses"], name=name)
    return Case(library, "default", codec_named("json/json"), source, ("encode", "decode"))


def block(*cases: Case, conditions: str = "hot") -> Block:
    """A block of these cases, whose documents differ in their first name."""
    dataset = Dataset(name="planted", records=2, depth=1, seed=0, schema=SCHEMA, value=VALUE, draw=further)
    return Block(Point("planted", 2, 1, 0, conditions), dataset, list(cases))


def further(number: int) -> list[dict[str, Any]]:
    """The document of that number."""
    return [{"name": f"further {number}", "size": 1}, {"name": "b", "size": 2}]


@dataclass
class Heard(Listener):
    """A listener that remembers everything; `stop_after` samples it interrupts, as Ctrl-C would."""

    stop_after: int | None = None
    known: dict[int, Cell] = field(default_factory=dict)
    all_samples: list[Sample] = field(default_factory=list)
    waves: list[int] = field(default_factory=list)
    steps: list[Progress] = field(default_factory=list)

    def cells(self, cells: Sequence[Cell]) -> None:
        self.known |= {cell.id: replace(cell) for cell in cells}

    def source(self, case: Case) -> None:
        pass

    def samples(self, samples: Sequence[Sample]) -> None:
        self.all_samples += samples
        if self.stop_after is not None and len(self.all_samples) >= self.stop_after:
            raise KeyboardInterrupt

    def progress(self, progress: Progress) -> None:
        self.steps.append(progress)

    def wave_done(self, wave: int) -> None:
        self.waves.append(wave)

    def strictness(self, case: Case, measure: Callable[[], str]) -> str:
        return "objects, unchecked"

    def cell(self, library: str, operation: str = "decode", *, control: bool = False) -> Cell:
        """The one cell of a library and operation."""
        found = [c for c in self.known.values() if (c.library, c.operation, c.control) == (library, operation, control)]
        assert len(found) == 1
        return found[0]


def measured(*cases: Case, finished: Finished | None = None, heard: Heard | None = None, **plan: Any) -> Heard:
    """What a run of these cases tells."""
    heard = heard or Heard()
    settings: dict[str, Any] = {
        "effort": "quick",
        "precision": 0.5,
        "time_limit_s": 20.0,
        "memory_limit_bytes": 1 << 30,
    }
    chosen = Plan(**{**settings, **plan})
    conduct(chosen, [block(*cases, conditions=one) for one in chosen.conditions], heard, finished)
    return heard


__all__ = ["GOOD", "Heard", "after", "block", "case", "measured"]
