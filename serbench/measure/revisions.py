"""Compares a module of the user's at two revisions of its git repository: its answers, and its times in the same waves."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from serbench.errors import PlanError
from serbench.judge.waves import cell_waves, shared_ratios
from serbench.machine.caretaker import scratch_folder
from serbench.measure.comparing import Answer, FunctionBenchmark
from serbench.measure.listener import Progress
from serbench.measure.plan import Effort
from serbench.measure.rounds import is_finished
from serbench.measure.stream import Conditions, Stream, names_in
from serbench.model.data.dataset import Dataset
from serbench.render.environments import ProgramError, output_of
from serbench.results import Cell, Point, Sample

WORK_TREE = "."
SIDES, OPERATIONS = ("baseline", "candidate"), ("encode", "decode")
LOADING = """import importlib
import json
import sys

import _serbench_user_code

sys.path.insert(0, {folder!r})
module = importlib.import_module({name!r})


def told(value):
    return module.plain(value) if hasattr(module, "plain") else _serbench_user_code.told(value)
"""
TIMED = {
    "encode": """

build = getattr(module, "build", lambda value: value)
call = module.encode
""",
    "decode": """

call = module.decode


def build(blob):
    return bytes(memoryview(blob))
""",
}
"""What is timed: each call gets what `build` makes of a document, or a copy of a document's bytes."""
WRITTEN = """


def build(values):
    return values


def call(values):
    made = getattr(module, "build", build)
    blobs = [module.encode(made(value)) for value in values]
    for blob in blobs:
        if not isinstance(blob, (bytes, bytearray, memoryview)):
            raise TypeError("encode returned " + type(blob).__name__ + ", not bytes")
    return blobs


def answer(blobs):
    return [bytes(blob).hex() for blob in blobs]
"""
READ = """


def build(values):
    return values


def meaning(blob):
    try:
        return json.dumps(told(module.decode(blob)), sort_keys=True, default=repr)
    except Exception as error:
        return type(error).__name__ + ": " + str(error)


def call(values):
    told(module.decode(values[0][0]))
    return [[meaning(blob) for blob in blobs] for blobs in values]


def answer(meanings):
    return meanings
"""


@dataclass(frozen=True)
class SideTimings:
    """The timing of both sides: each baseline's cell with its candidate's, and the samples."""

    pairs: list[tuple[Cell, Cell]]
    samples: list[Sample]


def compare_sides(
    module: Path,
    revisions: Sequence[str],
    data: Mapping[Point, Dataset],
    rules: Effort,
    tell: Callable[[Progress], None],
) -> SideTimings:
    """Time `encode` and `decode` of a module at two revisions, where both give the same data.

    `encode` is called with each document, or with what the module's `build` makes of it. Both sides decode the bytes of
    both for every document of the stream, and each answer must be the baseline's to its own bytes; if it is not, the
    candidate's cell has failed.

    Raises:
        PlanError: there is no such repository, revision or module, or the baseline fails.
    """
    with scratch_folder() as folder, FunctionBenchmark() as benchmark:
        sources = dict(zip(SIDES, extracted(module, revisions, folder), strict=True))
        pairs = []
        for number, (point, dataset) in enumerate(data.items()):
            proof = _prove(module, sources, point, dataset)
            streams = {"encode": proof.documents, "decode": proof.blobs}
            for operation, side in product(OPERATIONS, SIDES):
                values, name = streams[operation], f"{side}_{operation}_{number}"
                stream = _stream(values, point, folder / f"{name}.documents")
                text = sources[side] + TIMED[operation]
                benchmark.add(
                    name,
                    side,
                    text,
                    values=values[0],
                    process=side,
                    documents=None if stream is None else stream.request,
                )
            for operation in OPERATIONS:
                base, other = (benchmark.cells[f"{side}_{operation}_{number}"] for side in SIDES)
                for cell, revision in ((base, revisions[0]), (other, revisions[1])):
                    cell.operation, cell.reference = operation, cell is base
                    for name, value in vars(point).items():
                        setattr(cell, name, value)
                    library = "work tree" if revision == WORK_TREE else revision
                    cell.library, cell.codec, cell.format = library, module.name, module.name
                if operation in proof.faults:
                    other.status, other.reason = "failed", proof.faults[operation]
                pairs.append((base, other))
        _called(benchmark, module)
        timed = [pair for pair in pairs if pair[1].reason is None]
        if timed:
            benchmark.run(
                rules,
                lambda samples: is_finished(_ratios(timed, samples), rules.wanted),
                f"{module.name} at both revisions",
                tell,
            )
    for cell in chain(*pairs):
        cell.status = "ok" if cell.status == "unresolved" else cell.status
    return SideTimings(pairs, benchmark.samples)


class _Proof(NamedTuple):
    """The documents of a point, the baseline's bytes for each, and the candidate's faults by operation."""

    documents: list[Any]
    blobs: list[bytes]
    faults: dict[str, str]


def _prove(module: Path, sources: Mapping[str, str], point: Point, dataset: Dataset) -> _Proof:
    """Have both sides write every document and read all that was written."""
    with scratch_folder() as folder:
        stream = _stream(dataset.stream(), point, folder / "documents", names_in(dataset.schema))
    documents = [dataset.value] if stream is None else stream.documents
    written, faults = _answers(module, {side: sources[side] + WRITTEN for side in SIDES}, "encode", documents)
    texts = zip(*(written[side] for side in SIDES if side in written), strict=True)
    blobs = [[bytes.fromhex(text) for text in dict.fromkeys(several)] for several in texts]
    read, refused = _answers(module, {side: sources[side] + READ for side in SIDES}, "decode", blobs)
    faults |= refused
    for operation in OPERATIONS:
        for meanings in zip(*(read[side] for side in SIDES if side in read), strict=True):
            if operation not in faults and len(meanings) == len(SIDES):
                reason = _difference(operation, *meanings)
                faults |= {} if reason is None else {operation: reason}
    return _Proof(documents, [several[0] for several in blobs], faults)


def _answers(
    module: Path, sources: Mapping[str, str], operation: str, values: Any
) -> tuple[dict[str, Any], dict[str, str]]:
    """The answer of each side that has one, and the candidate's fault if it has none."""
    with FunctionBenchmark() as benchmark:
        for side, text in sources.items():
            benchmark.add(f"{side}_{operation}_all", side, text, values=values)
        answers = _called(benchmark, module)
    by_side = {name.partition("_")[0]: json.loads(answer.text) for name, answer in answers.items()}
    reasons = [cell.reason for cell in benchmark.cells.values() if cell.reason is not None]
    return by_side, dict.fromkeys([operation], reasons[0]) if reasons else {}


def _stream(values: Iterable[Any], point: Point, path: Path, keys: Sequence[str] = ()) -> Stream | None:
    conditions = Conditions.parse(point.conditions)
    return None if conditions == Conditions() else Stream(values, conditions, path, keys)


def extracted(module: Path, revisions: Sequence[str], folder: Path) -> list[str]:
    """The text that loads the module, for each revision, whose files are written below `folder`; "." is the work tree.

    Raises:
        PlanError: no repository, revision or module.
    """
    try:
        top = Path(output_of(["git", "rev-parse", "--show-toplevel"], module.absolute().parent).strip())
    except (ProgramError, NotADirectoryError, FileNotFoundError) as error:
        raise PlanError(f"{module} is not in a git repository: {error}") from None
    inside = module.absolute().resolve().relative_to(top.resolve())
    texts = []
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
        texts.append(LOADING.format(folder=str(home), name=name))
    return texts


def _extract(top: Path, revision: str, tree: Path) -> None:
    """The files of a revision; nothing in the repository changes."""
    archive = tree.with_suffix(".tar")
    try:
        named = output_of(
            ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"], top
        )
        output_of(["git", "archive", "--format=tar", f"--output={archive}", named.strip()], top)
    except ProgramError:
        raise PlanError(f"{revision!r} is not a revision of {top}; `git log --oneline` lists them") from None
    with tarfile.open(archive) as file:
        file.extractall(tree, filter="data")
    archive.unlink()


def _called(benchmark: FunctionBenchmark, module: Path) -> dict[str, Answer]:
    """The answers by function; the baseline's must not have failed."""
    answers = benchmark.try_out()
    for name, cell in benchmark.cells.items():
        side, operation, _ = name.split("_")
        if side == "baseline" and cell.reason is not None:
            raise PlanError(
                f"{module.name} of the baseline fails to {operation}: {cell.reason}; name a revision that works"
            )
    return answers


def _difference(operation: str, base: Sequence[str], candidate: Sequence[str]) -> str | None:
    """What is wrong with the candidate's `encode` or `decode`, told by what both sides decode: the bytes of each side."""
    if operation == "encode":
        texts, what = base[1:], "the baseline decodes the candidate's bytes to other data"
    else:
        texts, what = candidate if base[-1] == base[0] else candidate[:1], "it decodes to other data than the baseline"
    expected = base[0]
    for text in texts:
        if text != expected:
            pairs = enumerate(zip_longest(expected, text))
            first = next(at for at, (one, other) in pairs if one != other)
            was, now = (whole[max(0, first - 20) : first + 40] for whole in (expected, text))
            return f"{what}: … {was} … became … {now} …"
    return None


def _ratios(pairs: Sequence[tuple[Cell, Cell]], samples: Sequence[Sample]) -> Iterator[list[float]]:
    """The log ratios of the candidate to the baseline over waves, of each pair."""
    waves = cell_waves([*chain(*pairs)], samples)
    for base, other in pairs:
        measured, reference = waves.get(other.id), waves.get(base.id)
        yield list(shared_ratios(measured, reference).values()) if measured and reference else []
