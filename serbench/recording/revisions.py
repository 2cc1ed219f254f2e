"""Compares a module of the user's at two revisions of its git repository: its answers, and its times in the same waves."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from serbench.analysis.waves import cell_waves, shared_ratios
from serbench.engine.functions import FunctionBenchmark
from serbench.engine.listener import Progress
from serbench.engine.plan import Effort
from serbench.engine.rounds import is_finished
from serbench.errors import PlanError
from serbench.results import Cell, Point, Sample
from serbench.sessions.programs import ProgramError, output_of

WORK_TREE = "."
SIDES, OPERATIONS = ("baseline", "candidate"), ("encode", "decode")
LOADING = """import importlib
import json
import sys

sys.path.insert(0, {folder!r})
module = importlib.import_module({name!r})


def told(value):
    if hasattr(module, "plain"):
        return module.plain(value)
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, dict):
        return {{repr(key): told(item) for key, item in value.items()}}
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(told, value)]
    if isinstance(value, (set, frozenset)):
        return [type(value).__name__, *sorted(map(told, value), key=repr)]
    if isinstance(value, type):
        return repr(value)
    slots = [name for one in type(value).__mro__ for name in getattr(one, "__slots__", ())]
    names = [*getattr(value, "__struct_fields__", ()), *getattr(value, "__dict__", ()), *slots]
    fields = {{name: told(getattr(value, name)) for name in names if hasattr(value, name)}}
    return [type(value).__name__, fields or repr(value)]
"""
"""`told` describes an answer as types and values, whatever the objects are."""
ENCODE = """

build = getattr(module, "build", lambda values: values)
encode = module.encode


def answer(blob):
    if not isinstance(blob, (bytes, bytearray, memoryview)):
        raise TypeError("encode returned " + type(blob).__name__ + ", not bytes")
    return bytes(blob).hex()
"""
DECODE = """

blobs = []


def build(values):
    blobs[:] = values
    return values[0]


encode = module.decode


def meaning(blob):
    try:
        return json.dumps(told(module.decode(blob)), sort_keys=True, default=repr)
    except Exception as error:
        return type(error).__name__ + ": " + str(error)


def answer(first):
    told(first)
    return [meaning(blob) for blob in blobs]
"""


@dataclass(frozen=True)
class SideTimings:
    """The timing of both sides: each baseline's cell with its candidate's, and the samples."""

    pairs: list[tuple[Cell, Cell]]
    samples: list[Sample]


def compare_sides(
    module: Path,
    revisions: Sequence[str],
    documents: Mapping[Point, Any],
    rules: Effort,
    tell: Callable[[Progress], None],
) -> SideTimings:
    """Time `encode` and `decode` of a module at two revisions, where both give the same data.

    `encode` is called with each document, or with what the module's `build` makes of it. Both sides decode the bytes of
    both, and each answer must be the baseline's to its own bytes; if it is not, the candidate's cell has failed.

    Raises:
        PlanError: there is no such repository, revision or module, or the baseline fails.
    """
    with TemporaryDirectory(prefix="serbench-revisions-") as folder:
        sources = dict(zip(SIDES, taken_out(module, revisions, Path(folder)), strict=True))
        with FunctionBenchmark() as first:
            for number, document in enumerate(documents.values()):
                for side in SIDES:
                    _add(first, side, "encode", number, sources, document)
            written = _answers(first, module)
        with FunctionBenchmark() as benchmark:
            for number, document in enumerate(documents.values()):
                texts = [written.get(f"{side}_encode_{number}") for side in SIDES]
                blobs = [bytes.fromhex(text) for text in dict.fromkeys(texts) if text is not None]
                for operation, side in product(OPERATIONS, SIDES):
                    argument = document if operation == "encode" else blobs
                    _add(benchmark, side, operation, number, sources, argument)
            answers = _answers(benchmark, module)
            pairs = []
            for (number, point), operation in product(enumerate(documents), OPERATIONS):
                base, other = (benchmark.cells[f"{side}_{operation}_{number}"] for side in SIDES)
                for cell, revision in ((base, revisions[0]), (other, revisions[1])):
                    cell.point, cell.operation, cell.reference = point, operation, cell is base
                    cell.library = "work tree" if revision == WORK_TREE else revision
                    cell.codec = cell.format = module.name
                if other.reason is None:
                    decoded = [answers.get(f"{side}_decode_{number}", []) for side in SIDES]
                    other.reason = _difference(operation, *decoded)
                    other.status = "failed" if other.reason else other.status
                pairs.append((base, other))
            timed = [pair for pair in pairs if pair[1].reason is None]
            for wave in range(1, rules.waves_max + 1 if timed else 1):
                tell(Progress(f"{module.name} at both revisions", wave, wave - 1, rules.waves_max))
                benchmark.wave()
                if wave >= rules.waves_min and is_finished(_ratios(timed, benchmark.samples), rules):
                    break
    for cell in chain(*pairs):
        cell.status = "ok" if cell.status == "unresolved" else cell.status
    return SideTimings(pairs, benchmark.samples)


def taken_out(module: Path, revisions: Sequence[str], folder: Path) -> list[str]:
    """The text that loads the module, for each revision, whose files are written below `folder`; "." is the work tree.

    Raises:
        PlanError: no repository, revision or module.
    """
    try:
        top = Path(output_of(["git", "rev-parse", "--show-toplevel"], module.absolute().parent).strip())
    except (ProgramError, NotADirectoryError, FileNotFoundError) as error:
        raise PlanError(f"{module} is not in a git repository: {error}") from None
    inside = module.absolute().resolve().relative_to(top.resolve())
    found = []
    for number, revision in enumerate(revisions):
        tree = top
        if revision != WORK_TREE:
            tree = folder / str(number)
            _extract(top, revision, tree)
        if not (tree / inside).is_file():
            raise PlanError(f"there is no {inside} at {revision}; name a revision that has it")
        home = (tree / inside).parent
        while (home / "__init__.py").is_file() and home != tree:
            home = home.parent
        name = ".".join((tree / inside).relative_to(home).with_suffix("").parts)
        found.append(LOADING.format(folder=str(home), name=name))
    return found


def _extract(top: Path, revision: str, tree: Path) -> None:
    """The files of a revision; nothing in the repository changes."""
    archive = tree.with_suffix(".tar")
    try:
        named = output_of(
            ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"], top
        )
        output_of(["git", "archive", "--format=tar", f"--output={archive}", named.strip()], top)
    except ProgramError:
        raise PlanError(f"{revision!r} is not a revision of {top}; `git log --oneline` names them") from None
    with tarfile.open(archive) as file:
        file.extractall(tree, filter="data")
    archive.unlink()


def _add(
    benchmark: FunctionBenchmark, side: str, operation: str, number: int, sources: dict[str, str], argument: Any
) -> None:
    source = sources[side] + (ENCODE if operation == "encode" else DECODE)
    benchmark.add(f"{side}_{operation}_{number}", side, source, values=argument, process=side)


def _answers(benchmark: FunctionBenchmark, module: Path) -> dict[str, Any]:
    """The answers by function; the baseline's must not have failed."""
    answers = benchmark.try_out()
    for name, cell in benchmark.cells.items():
        side, operation, _ = name.split("_")
        if side == "baseline" and cell.reason is not None:
            raise PlanError(
                f"{module.name} of the baseline fails to {operation}: {cell.reason}; name a revision that works"
            )
    return {name: json.loads(answer.text) for name, answer in answers.items()}


def _difference(operation: str, base: Sequence[str], candidate: Sequence[str]) -> str | None:
    """What is wrong with the candidate's `encode` or `decode`, told by what both sides decode: the bytes of each side."""
    if operation == "encode":
        found, what = base[1:], "the baseline decodes the candidate's bytes to other data"
    else:
        found, what = candidate if base[-1] == base[0] else candidate[:1], "it decodes to other data than the baseline"
    expected = base[0]
    for text in found:
        if text != expected:
            pairs = enumerate(zip_longest(expected, text))
            place = next(at for at, (one, other) in pairs if one != other)
            was, now = (whole[max(0, place - 20) : place + 40] for whole in (expected, text))
            return f"{what}: … {was} … became … {now} …"
    return None


def _ratios(pairs: Sequence[tuple[Cell, Cell]], samples: Sequence[Sample]) -> Iterator[list[float]]:
    """The log ratios of the candidate to the baseline over waves, of each pair."""
    waves = cell_waves([*chain(*pairs)], samples)
    for base, other in pairs:
        measured, reference = waves.get(other.id), waves.get(base.id)
        yield list(shared_ratios(measured, reference).values()) if measured and reference else []
