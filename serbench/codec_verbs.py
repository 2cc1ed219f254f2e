"""The public verbs about what codecs do beyond a round trip: hostile bytes, and files of many records."""

from __future__ import annotations

from serbench.engine.hostile import Ordeal, ordeals
from serbench.engine.plan import datasets
from serbench.engine.selection import chosen_codecs, selection
from serbench.engine.streams import Streamed, streams
from serbench.verbs import Names, make_plan, names_of


def hostile(formats: Names = None, *, time_limit: float = 60.0, memory_limit: int = 4 << 30) -> list[Ordeal]:
    """What codecs do with bytes that are deep, huge or no text, and with lists 10,000 deep to encode.

    Each input has a process of its own, with so much time and memory. `formats` are as in `run`; every codec without.
    """
    return list(ordeals(chosen_codecs(names_of(formats) or ("all",)), time_limit, memory_limit))


def stream(
    workload: str = "client",
    *,
    records: int | None = None,
    depth: int | None = None,
    seed: int = 0,
    libraries: Names = "dataclasses",
    formats: Names = ("json", "msgpack", "cbor"),
    size: int = 64 << 20,
    memory_limit: int = 0,
    time_limit: float = 600.0,
) -> list[Streamed]:
    """Write a workload's records one after the other into a file of that size in bytes, and read them again.

    The reading process has `memory_limit` bytes of address space (0 for any), and keeps no record.
    """
    dataset = next(datasets(make_plan(workload, records=records, depth=depth, seed=seed)))
    choices = selection(names_of(libraries), names_of(formats))
    pairs = [(choice.library, choice.variant, choice.codec) for choice in choices]
    return list(streams(pairs, dataset, size, memory_limit, time_limit))
