"""The public functions that prove without timing: verify, probe, sweep, hostile and stream."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from functools import cache
from hashlib import blake2s
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Unpack

from serbench.ask import choices
from serbench.ask.calling import plan_of, public, several
from serbench.ask.matrices import Matrices, published_matrices
from serbench.display.table import Table, Tables
from serbench.display.values import Displayed
from serbench.display.words import machine_line, with_models_named
from serbench.errors import PlanError, StoreError, checked, installed_by
from serbench.judge.outcomes import Behaviour, Finding, Swept
from serbench.keep.opening import default_path, explained
from serbench.keep.recorder import Recorder, RunListener, case_key
from serbench.keep.store import Store
from serbench.measure.conduct import conduct
from serbench.measure.listener import Progress
from serbench.measure.plan import blocks, datasets, maker, select_cases
from serbench.measure.probes import values
from serbench.measure.probes.hostile import HostileResult, hostile_results
from serbench.measure.probes.probed_case import Heard, each_probed
from serbench.measure.probes.probing import behaviours
from serbench.measure.probes.streams import Lines, Streamed, streams
from serbench.measure.probes.sweeping import swept
from serbench.measure.probes.values import groups
from serbench.measure.probes.values.wrong import CUTS, ROWS, WRONG
from serbench.measure.sessions.session import RequestLimits
from serbench.render.environments.caretaker import scratch_folder
from serbench.render.environments.environment import Environment, Recipe
from serbench.render.environments.platform import machine, now
from serbench.render.format import formats as known_formats
from serbench.render.selection import ChosenCase, chosen_codecs, selection
from serbench.results import Cell

PROBES = Path(values.__file__).parent
EVERY_FORMAT = "every format"


class Verification(Displayed, list[Cell]):
    """The cells of what was proven, a list that displays itself: status, work class and sizes of each case."""

    def to_data(self) -> dict[str, Any]:
        """A row for each case and operation as JSON data."""
        return {
            "rows": [
                {"workload": cell.point.workload, **{name: getattr(cell, name) for name in _FACTS}} for cell in self
            ]
        }

    def table(self) -> Tables:
        """A line for each case and operation; why one cannot be had stands below."""
        named = with_models_named(self.to_data()["rows"])
        return Tables([Table.of_rows(named)] if self else [], [] if self else ["no case"])

    __repr__ = Displayed.__str__


_FACTS = (
    "library",
    "variant",
    "codec",
    "format",
    "operation",
    "environment",
    "version",
    "status",
    "work_class",
    "size_bytes",
    "reason",
)


@public
def verify(
    workload: choices.Names = "client",
    *,
    libraries: choices.Libraries = None,
    **options: Unpack[choices.Proof],
) -> Verification:
    """Prove that every case keeps the data, and determine how it handles wrong input, without timing.

    The store remembers the work classes for `serbench show libraries`. If no store is named and the usual one cannot
    be written, nothing is remembered.

    Returns:
        A cell per case and operation: "ok" with sizes and work class, or a status with its reason.

    Raises:
        PlanError, WorkloadError, StoreError: one line that says what to do instead.
    """
    plan = plan_of(
        {"workload": workload, "libraries": libraries, **options, "conditions": "hot"}
    )  # the data alone; `run` proves every document of its stream
    with _memory(options["store"]) as opened:
        recorder = Recorder(opened, listener=options["listener"])
        conduct(plan, blocks(plan, maker(recorder)), recorder, timed=False)
    return Verification(cell for cell in recorder.known.values() if not cell.control)


def _memory(store: str | Path | None) -> AbstractContextManager[Store | None]:
    """Open the named store; if none is named, the usual one, or none if that cannot be written."""
    try:
        return Store(store)
    except StoreError:
        if store is not None:
            raise
        return nullcontext()


@public
def probe(
    libraries: choices.Libraries = None,
    formats: choices.Names = None,
    *,
    python: choices.Names = None,
    time_limit: float = 10.0,
    memory_limit: int = 8 << 30,
    store: choices.Store = None,
    matrices: choices.Matrices = ("fidelity", "strictness"),
    listener: choices.Listener = None,
) -> Matrices:
    """Try every probe with each case: which values it keeps, and which wrong inputs it refuses.

    The formats may also be "every format": every codec as it is first documented. The matrix "limits" finds how deep,
    long, large and wide a value each case carries within the limits. The store remembers what is found. If no store is
    named and the usual one cannot be written, nothing is remembered.

    Returns:
        The outcome of every probe for each case; a crash, a timeout and too much memory are outcomes too.

    Raises:
        PlanError: an unknown library, format or codec.
    """
    served = tuple(known_formats()) if formats == EVERY_FORMAT else several(formats)
    selected = selection(several(libraries), served, several(python))
    selected += [pitfall for choice in selected for pitfall in _pitfalls(choice)]
    environments, heard = _prepared(selected, listener, "probing")
    bare = behaviours(selected, environments, RequestLimits(time_limit, memory_limit), heard, tuple(matrices))
    date, here = now(), machine_line(machine())
    outcomes = [
        replace(one, date=date, machine=here, versions=_versions(choice, environments[choice.recipe]))
        for choice, one in zip(selected, bare, strict=True)
    ]
    if set(matrices) == {"fidelity", "strictness"}:
        keys = [_key(choice, environments[choice.recipe]) for choice in selected]
        with _memory(store) as opened:
            if opened is not None:
                kept = zip(keys, outcomes, strict=True)
                opened.put_facts({key: asdict(one) for key, one in kept if one.reason is None})
    return Matrices(tuple(outcomes))


@public
def sweep(
    values: choices.Values = 1000,
    libraries: choices.Libraries = None,
    formats: choices.Names = None,
    *,
    seed: int = 0,
    python: choices.Names = None,
    time_limit: float = 10.0,
    memory_limit: int = 8 << 30,
    listener: choices.Listener = None,
) -> list[Swept]:
    """Draw values of every type, and check that each case returns them and that independent readers agree.

    Returns:
        How many values each case keeps and refuses, and the smallest value of each kind that it returns as another.

    Raises:
        PlanError: an unknown library, format or codec, no value to draw, or no Hypothesis to draw it.
    """
    if values < 1:
        raise PlanError(f"a sweep needs at least 1 value of each type, not {values}")
    if find_spec("hypothesis") is None:
        raise PlanError(f"a sweep needs Hypothesis: {installed_by('generate')}")
    selected = selection(several(libraries), several(formats), several(python))
    environments, heard = _prepared(selected, listener, "sweeping")
    limits = RequestLimits(time_limit, memory_limit)
    return each_probed(selected, environments, lambda probed: swept(probed, values, seed), limits, heard)


def _prepared(
    selected: list[ChosenCase], listener: RunListener | None, doing: str
) -> tuple[Mapping[Recipe, Environment], Heard]:
    """Return the environments of these cases, and a function that tells the listener how far the work is."""
    known = listener or RunListener()

    def heard(library: str, done: int, total: int) -> None:
        known.progress(Progress(f"{doing} {library}", 0, done, total))

    return maker(known)({choice.recipe for choice in selected}), heard


def _versions(choice: ChosenCase, environment: Environment) -> dict[str, str]:
    """Return the versions of the library and the codec; Python's stands with the machine."""
    codec = choice.codec.distribution
    versions = environment.versions({*choice.library.distributions, *([codec] if codec else [])})
    return {name: version for name, version in versions.items() if name != "python"}


def _pitfalls(choice: ChosenCase) -> list[ChosenCase]:
    """Return the uses of a library that lose data, each with the first codec of JSON."""
    usual = choice.variant == "default" and (choice.codec.name, choice.codec.format) == ("json", "json")
    return [choice._replace(variant=name) for name in choice.library.pitfalls] if usual else []


@public
def probed(store: choices.Store = None) -> Matrices:
    """Return the known outcomes of the probes: those in the store and, for other cases, those that serbench publishes."""
    path = default_path() if store is None else store
    outcomes: list[Behaviour] = []
    if Path(path).exists():
        with Store(path, read_only=True) as opened:
            known = opened.facts(_prefix())
            with explained(opened.path):
                outcomes = sorted((_from_data(key, data) for key, data in known.items()), key=lambda one: one.date)
    return published_matrices().updated(outcomes)


@public
def hostile(
    formats: choices.Names = "all",
    *,
    time_limit: float = 60.0,
    memory_limit: int = 4 << 30,
) -> list[HostileResult]:
    """Feed codecs deep, huge and malformed bytes, and lists 10,000 deep to encode.

    Each input has a process of its own, to which the limits apply.
    """
    return list(hostile_results(chosen_codecs(several(formats) or ("all",)), time_limit, memory_limit))


@public
def stream(
    workload: choices.OneWorkload = "client",
    *,
    records: choices.OneRecords = None,
    depth: choices.OneDepth = None,
    seed: int = 0,
    payload: object = None,
    schema: choices.Schema = None,
    model: choices.Model = None,
    libraries: choices.Libraries = "dataclasses",
    formats: choices.Names = ("json", "msgpack", "cbor"),
    size: choices.FileSize = 64 << 20,
    time_limit: float = 600.0,
    memory_limit: int = 0,
) -> list[Streamed]:
    """Write records into a file of that size one by one, and read them back; codecs of JSON read your own file as it is.

    Your own file is a payload of JSON Lines (`.jsonl`, `.ndjson`) of at least that size. Its first 8 MB describe its
    records, and are compared with what is read; the rest is counted. The memory limit applies to the process that reads,
    which keeps no record.
    """
    data = {"workload": workload, "records": records, "depth": depth, "seed": seed, "schema": schema, "model": model}
    with scratch_folder() as folder:
        lines = _lines(payload, size, folder)
        plan = plan_of({**data, "payload": payload if lines is None else lines.head})
        dataset = next(datasets(plan))
        selected = select_cases(several(libraries), several(formats), (), plan.model)
        pairs = [(choice.library, choice.variant, choice.codec) for choice in selected]
        return list(streams(pairs, dataset, size, memory_limit, time_limit, lines))


def _lines(payload: object, size: int, folder: Path) -> Lines | None:
    """The user's own file, if it is one of JSON Lines and long enough to be read as it is."""
    path = Path(payload) if isinstance(payload, str | os.PathLike) else None
    if path is None or path.suffix.lower() not in (".jsonl", ".ndjson") or not path.is_file():
        return None
    return Lines.of(path, folder) if path.stat().st_size >= size else None


@cache
def _prefix() -> str:
    """Return the prefix of the keys: a digest of the probes' source, since other probes have other outcomes.

    A digest of their repr would not do: the order of a set differs between processes.
    """
    said = b"".join(path.read_bytes() for path in sorted(PROBES.glob("*.py")))
    return f"behaviour {blake2s(said, digest_size=6).hexdigest()}"


def _key(choice: ChosenCase, environment: Any) -> str:
    return f"{_prefix()}: {case_key(choice.library, choice.variant, choice.codec, environment)}"


def _from_data(key: str, data: object) -> Behaviour:
    """Restore a remembered case with its probes in the order of trying; the store sorts them by name."""
    one = checked(Behaviour, data, f"fact {key}")

    def ordered(findings: Mapping[str, Finding]) -> dict[str, Finding]:
        return dict(sorted(findings.items(), key=lambda pair: _positions().get(pair[0], 0)))

    return replace(one, fidelity=ordered(one.fidelity), strictness=ordered(one.strictness))


@cache
def _positions() -> dict[str, int]:
    """Return each probe's place in its matrix; cut and lengthened bytes come last."""
    kept = [probe.name for group in groups() for probe in group.probes]
    refused = [f"{trial.name}: {wrong.name}" for trial in WRONG for wrong in trial.wrong]
    return {
        name: position
        for names in (kept, [*refused, *(f"{ROWS.name}: {name}" for name in CUTS)])
        for position, name in enumerate(names)
    }
