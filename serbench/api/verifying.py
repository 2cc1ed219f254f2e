"""The public functions that prove without timing, and their matrices as a value."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING, Any, Unpack

from serbench.api import choices
from serbench.api.calling import plan_of, public, several
from serbench.api.running import Known, heard, recalled
from serbench.display.figures import drawn
from serbench.display.lookup import matrices_markdown
from serbench.display.matrices import OUTCOMES, Matrix, behaviours_data, matrix_figure, matrix_sentences
from serbench.display.style import ThemeName
from serbench.display.table import Table, Tables
from serbench.display.values import Displayed
from serbench.display.words import machine_line, with_models_named
from serbench.errors import PlanError, StoreError, brief, check, checked, installed_by, parsed, typed
from serbench.judge.outcomes import Behaviour, Finding, Swept, finding_rows, packed_text, unpacked
from serbench.machine.caretaker import scratch_folder
from serbench.machine.files import check_folder, schema, write_folder
from serbench.machine.platform import machine, now
from serbench.measure.conduct import conduct
from serbench.measure.listener import Progress
from serbench.measure.plan import blocks, datasets, maker, select_cases
from serbench.measure.probes.probing import Heard, behaviours, each_probed
from serbench.measure.probes.streams import Lines, Streamed, streams
from serbench.measure.probes.sweeping import swept
from serbench.measure.probes.values import GROUPS
from serbench.measure.probes.wrong import CUTS, ROWS, WRONG
from serbench.measure.session import RequestLimits
from serbench.render.codec import formats as known_formats
from serbench.render.environments import MAIN, Environment, Recipe
from serbench.render.selection import ChosenCase, selection, usual
from serbench.results import Cell, bracketed
from serbench.store.archive import resources
from serbench.store.opening import default_path, explained
from serbench.store.recorder import Recorder, RunListener, case_key, conduct_prefix
from serbench.store.run import Findings
from serbench.store.store import Store

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    import pyarrow as pa

    from serbench.machine.files import Content


PUBLISHED = "fidelity"
PACKED = "matrices.json.gz"
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)  # whatever others wrote
COMMAND = "serbench verify --all && serbench report fidelity"
"""Measures everything that is published again."""


MOST_SWEPT = 1_000_000
MOST_SAID = 60  # of the sentences on cases


@lru_cache(1)
def _read(path: Path, _changed_ns: int) -> tuple[Behaviour, ...]:
    """The cases of a file, kept until it changes: reading takes longer than a moved control may."""
    try:
        cases = tuple(unpacked(parsed(gzip.decompress(path.read_bytes()), "matrices")))
        _check(cases)
    except (*_UNREADABLE, EOFError, zlib.error, IndexError) as error:
        raise PlanError(f"{path} has no readable matrices ({error}); `{COMMAND}` writes them") from None
    return cases


class Matrices(tuple[Behaviour, ...]):
    """A sequence of cases, each with the outcome of every probe; it displays itself."""

    __slots__ = ()

    @property
    def cases(self) -> tuple[Behaviour, ...]:
        """The cases, without what displays them."""
        return tuple(self)

    @classmethod
    @typed
    def read(cls, folder: str | Path) -> Matrices:
        """Return what `write` has written into a folder; empty if nothing has been.

        Raises:
            PlanError: the file is damaged.
        """
        check_folder(folder)
        path = Path(folder, PACKED)
        return cls(_read(path, path.stat().st_mtime_ns) if path.exists() else ())

    @typed
    def figure(self, matrix: Matrix = "fidelity", *, probes: str = "", theme: ThemeName = "light") -> go.Figure:
        """The matrix as a heat map of Plotly, "fidelity" or "strictness": a column for each type of probe.

        Args:
            matrix: which of the two.
            probes: a type, such as "int" or "str"; each of its probes has a column then.

        Raises:
            PlanError: no probe is of that type.
        """
        return drawn(matrix_figure(self, matrix, probes=probes, theme=theme))

    def findings(self) -> Findings:
        """Say in sentences what is changed, lost and let through."""
        said = matrix_sentences(self)
        for lines in said.values():
            if more := lines[MOST_SAID:]:
                lines[MOST_SAID:] = [f"and {len(more):,} more; the figures show them all"]
        return Findings(said)

    def to_data(self) -> list[dict[str, Any]]:
        """The cases as JSON data."""
        return behaviours_data(self)

    @typed
    def to_markdown(self, command: str = COMMAND) -> str:
        """Return tables of what happens to each value and to each wrong input."""
        return matrices_markdown(self, command)

    @property
    def date(self) -> str:
        """The date of the newest case, as ISO 8601 in UTC."""
        return max((case.date for case in self), default="")

    @property
    def versions(self) -> dict[str, str]:
        """Versions that were probed in serbench's own installation, by distribution."""
        of_main = sorted((case for case in self if case.environment == "main"), key=lambda one: one.date)
        versions = {name: version for one in of_main for name, version in one.versions.items()}
        return dict(sorted(versions.items()))

    @typed
    def updated(self, newer: Iterable[Behaviour]) -> Matrices:
        """Return these cases with newer ones in their places, and those that are new."""
        by_case = {case.case: case for case in self}
        for case in newer:
            if not isinstance(case, Behaviour):
                raise PlanError(f"newer takes outcomes of cases, not {brief(case)}")
            by_case[case.case] = case
        return Matrices(by_case[case] for case in sorted(by_case))

    @typed
    def write(self, folder: str | Path) -> list[Path]:
        """Write the cases and, if pyarrow is installed, a table of their outcomes, into a folder: all of the files, or none.

        Raises:
            PlanError: the folder cannot be written.
        """
        text = packed_text(self)
        contents: dict[str, Content] = {PACKED: gzip.compress(text.encode(), mtime=0)}
        if find_spec("pyarrow"):  # in the order in which they will be read
            contents["results.parquet"] = Matrices(unpacked(json.loads(text))).parquet()
        return write_folder(folder, contents)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each case and probe, as a data frame."""
        import pandas as pd

        return pd.DataFrame(finding_rows(self))

    def parquet(self) -> pa.Table:
        """A line for each case and probe, as a table of Arrow."""
        import pyarrow as pa

        shape = schema(Behaviour, Finding, about={"command": COMMAND, "versions": json.dumps(self.versions)})
        rows = finding_rows(self)
        kinds = (
            {name: shape.field(name).type if name in shape.names else pa.string() for name in rows[0]} if rows else {}
        )
        return pa.Table.from_pylist(rows, pa.schema(list(kinds.items()), metadata=shape.metadata))

    def __str__(self) -> str:
        return str(self.findings())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The findings: plain for logs, Markdown for notebooks."""
        return self.findings()._repr_mimebundle_()


def published_matrices(data: str | Path | None = None) -> Matrices:
    """Return the matrices in a folder of results (default: serbench's own); empty if it has none.

    Raises:
        PlanError: the file is damaged.
    """
    return Matrices.read(Path(resources("data") if data is None else data, PUBLISHED))


def _check(cases: Iterable[Behaviour]) -> None:
    """Refuse what serbench does not write; each finding is looked at once, however many cases have it."""
    findings: dict[int, Finding] = {}
    for case in cases:
        checked(Behaviour, {**vars(case), "fidelity": {}, "strictness": {}}, "case")
        checked(list[str], [*case.fidelity, *case.strictness], "probes")
        for matrix, outcomes in OUTCOMES.items():
            known = getattr(case, matrix).values()
            findings |= {id(finding): finding for finding in known}
            if other := {finding.outcome for finding in known} - outcomes.keys():
                raise ValueError(f"{other.pop()!a} is not an outcome of {matrix}")
    for finding in findings.values():
        checked(Finding, vars(finding), "finding")


EVERY_FORMAT = "every format"


class Verification(Displayed, list[Cell]):
    """The cells of what was proven, a list that displays itself: status, work class and sizes of each case."""

    def to_data(self) -> dict[str, Any]:
        """A row for each case and operation as JSON data."""
        return {"rows": [{name: getattr(cell, name) for name in FACTS} for cell in self]}

    def table(self) -> Tables:
        """A line for each case and operation; why one cannot be had stands below."""
        named = with_models_named(self.to_data()["rows"])
        return Tables([Table.of_rows(named)] if self else [], [] if self else ["nothing is chosen"])

    __repr__ = Displayed.__str__


FACTS = (
    *("workload", "records", "depth", "library", "variant", "version", "environment", "codec", "format", "operation"),
    *("status", "work_class", "size_bytes", "reason"),
)
"""The facts of a cell that tell what was proven."""


@public
def verify(
    workload: choices.Names = "client",
    *,
    libraries: choices.Libraries = None,
    endpoints: choices.Names = None,
    request: str | None = None,
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
    # the data alone; `run` proves every document of its stream
    plan = plan_of({**locals(), **options, "conditions": "hot"})
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

    The formats may also be "every format": every codec as it is first documented. The store keeps the outcomes of both
    matrices. If no store is named and the usual one cannot be written, nothing is kept.

    Returns:
        The outcome of every probe for each case; a crash, a timeout and too much memory are outcomes too.

    Raises:
        PlanError: an unknown library, format or codec.
    """
    for name in matrices:
        check("matrix", name, OUTCOMES)
    served = tuple(known_formats()) if formats == EVERY_FORMAT else several(formats)
    selected = selection(several(libraries), served, several(python))
    if (known := recalled(lambda: _known(several(libraries), served, selected, store))) is not None:
        return known
    selected += [pitfall for choice in selected for pitfall in _pitfalls(choice)]
    environments, tell = _prepared(selected, heard(listener), "probing")
    bare = behaviours(selected, environments, RequestLimits(time_limit, memory_limit), tell, tuple(matrices))
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
    return Matrices(outcomes)


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
    """Draw values of every type; check that each case returns them, and that independent readers agree.

    Returns:
        The number of values that each case keeps and refuses, and the smallest changed value of each kind.

    Raises:
        PlanError: an unknown library, format or codec, no value to draw, or no Hypothesis to draw it.
    """
    if not 1 <= values <= MOST_SWEPT:
        raise PlanError(f"a sweep needs at least 1 value of each type and at most {MOST_SWEPT:,}, not {values:,}")
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
    path = Path(default_path() if store is None else store)
    outcomes: list[Behaviour] = []
    if path.is_file() or (store is not None and path.exists()):
        with Store(path, read_only=True) as opened:
            known = opened.facts(conduct_prefix("behaviour"))
            with explained(opened.path):
                outcomes = sorted((_from_data(key, data) for key, data in known.items()), key=lambda one: one.date)
    return published_matrices().updated(outcomes)


def _known(
    named: Sequence[str], codecs: Sequence[str], selected: Iterable[ChosenCase], store: choices.Store
) -> Known[Matrices]:
    """The known outcomes of these libraries and codecs."""
    from serbench.api.notebook.stored import is_selected

    known = Matrices(one for one in probed(store) if is_selected(one, named, codecs))
    if not known:
        return None
    keys = {one.case for one in known}
    cases = [(c.library.name, c.variant, c.recipe.name, c.codec.format, c.codec.name) for c in selected]
    lacking = [case for case in cases if case not in keys]
    where = {case: "" if case[2] == MAIN.name else f" ({case[2]})" for case in lacking}
    return known, [f"{case[0]}{bracketed(case[1])} {case[4]}/{case[3]}{where[case]}" for case in lacking]


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
        if size > (free := disk_usage(folder).free):
            raise PlanError(
                f"{folder.parent} has {free:,} free bytes, too few for a file of {size:,}; give a smaller --stream"
            )
        lines = _lines(payload, size, folder)
        plan = plan_of({**data, "payload": payload if lines is None else lines.head})
        dataset = next(datasets(plan))
        selected = select_cases(several(libraries), several(formats), (), plan.model)
        if any(choice.recipe.name not in (MAIN.name, usual(choice.library).name) for choice in selected):
            raise PlanError("--stream tries only the installed versions; omit the versions behind @")
        here = [choice for choice in selected if choice.recipe.name == MAIN.name]
        pairs = [(choice.library, choice.variant, choice.codec) for choice in here]
        why = "it needs its own environment; streams are measured only in serbench's"
        elsewhere = [
            Streamed(library.name, variant, codec.name, codec.format, "unavailable", why)
            for library, variant, codec, recipe in selected
            if recipe.name != MAIN.name
        ]
        return [*streams(pairs, dataset, size, memory_limit, time_limit, lines), *elsewhere]


def _lines(payload: object, size: int, folder: Path) -> Lines | None:
    """The user's own file, if it is one of JSON Lines and long enough to be read as it is."""
    path = Path(payload) if isinstance(payload, str | os.PathLike) else None
    if path is None or path.suffix.lower() not in (".jsonl", ".ndjson") or not path.is_file():
        return None
    return Lines.of(path, folder) if path.stat().st_size >= size else None


def _key(choice: ChosenCase, environment: Any) -> str:
    return conduct_prefix("behaviour") + case_key(choice.library, choice.variant, choice.codec, environment)


def _from_data(key: str, data: object) -> Behaviour:
    """Restore a remembered case with its probes in the order of trying; the store sorts them by name."""
    one = checked(Behaviour, data, f"fact {key}")

    def ordered(findings: Mapping[str, Finding]) -> dict[str, Finding]:
        return dict(sorted(findings.items(), key=lambda pair: _positions().get(pair[0], 0)))

    return replace(one, fidelity=ordered(one.fidelity), strictness=ordered(one.strictness))


@cache
def _positions() -> dict[str, int]:
    """Return each probe's place in its matrix; cut and lengthened bytes come last."""
    kept = [probe.name for group in GROUPS for probe in group.probes]
    refused = [f"{trial.name}: {wrong.name}" for trial in WRONG for wrong in trial.wrong]
    return {
        name: position
        for names in (kept, [*refused, *(f"{ROWS.name}: {name}" for name in CUTS)])
        for position, name in enumerate(names)
    }
