"""Compares a module of the user's at two revisions of its git repository: its answers, and its times in the same waves."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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
    return blob.hex()
"""
DECODE = """

blobs = []


def build(values):
    blobs[:] = values
    return values[0]


encode = module.decode


def answer(_):
    return [told(module.decode(blob)) for blob in blobs]
"""


@dataclass(frozen=True)
class SideTimings:
    """The timing of both sides: cells by side and operation, and the samples."""

    cells: dict[tuple[str, str], Cell]
    samples: list[Sample]


def compare_sides(
    module: Path, revisions: Sequence[str], document: Any, point: Point, rules: Effort, tell: Callable[[Progress], None]
) -> SideTimings:
    """Time `encode` and `decode` of a module at two revisions; each must give what the other gives.

    The document is what `encode` is called with, or what the module's `build` makes of it. Both sides decode the
    bytes that the baseline encodes and, if the candidate's differ, those as well.

    Raises:
        PlanError: there is no such repository, revision or module, or the sides give different answers.
    """
    with TemporaryDirectory(prefix="serbench-revisions-") as folder:
        sources = dict(zip(SIDES, taken_out(module, revisions, Path(folder)), strict=True))
        with FunctionBenchmark() as first:
            for side in SIDES:
                _add(first, side, "encode", sources, document)
            texts = dict.fromkeys(_answers(first, "encode", module))  # one, or two if the sides differ
        arguments = {"encode": document, "decode": [bytes.fromhex(text.strip('"')) for text in texts]}
        both = [(side, operation) for operation in OPERATIONS for side in SIDES]
        with FunctionBenchmark() as benchmark:
            for side, operation in both:
                _add(benchmark, side, operation, sources, arguments[operation])
            _check_same(_answers(benchmark, "decode", module), module)
            cells = {(side, operation): benchmark.cells[f"{side}_{operation}"] for side, operation in both}
            for (side, operation), cell in cells.items():
                cell.point, cell.operation, cell.library, cell.codec = point, operation, side, module.name
                cell.reference = side == "baseline"
            for wave in range(1, rules.waves_max + 1):
                tell(Progress(f"{module.name} at both revisions", wave, wave - 1, rules.waves_max))
                benchmark.wave()
                if wave >= rules.waves_min and is_finished(_ratios(cells, benchmark.samples), rules):
                    break
    for cell in cells.values():
        cell.status = "ok" if cell.status == "unresolved" else cell.status
    return SideTimings(cells, benchmark.samples)


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


def _add(benchmark: FunctionBenchmark, side: str, operation: str, sources: dict[str, str], argument: Any) -> None:
    source = sources[side] + (ENCODE if operation == "encode" else DECODE)
    benchmark.add(f"{side}_{operation}", side, source, values=argument, process=side)


def _answers(benchmark: FunctionBenchmark, operation: str, module: Path) -> list[str]:
    """The answers of both sides in one operation; none may have failed in any."""
    answers = benchmark.try_out()
    for name, cell in benchmark.cells.items():
        if cell.reason is not None:
            side, _, failed = name.partition("_")
            raise PlanError(f"{module.name} of the {side} fails to {failed}: {cell.reason}")
    return [answers[f"{side}_{operation}"].text for side in SIDES]


def _check_same(answers: Sequence[str], module: Path) -> None:
    """Check that both sides decode the same bytes to the same objects."""
    one, other = answers
    if one != other:
        place = next((at for at, both in enumerate(zip(one, other, strict=False)) if len(set(both)) > 1), 0)
        shown = [text[max(0, place - 20) : place + 40] for text in (one, other)]
        raise PlanError(
            f"the revisions of {module.name} do not decode alike: … {shown[0]} … and … {shown[1]} …; only equal work is compared"
        )


def _ratios(cells: dict[tuple[str, str], Cell], samples: Sequence[Sample]) -> Iterator[list[float]]:
    """The log ratios of the candidate to the baseline over waves, of each operation."""
    waves = cell_waves(list(cells.values()), samples)
    for operation in OPERATIONS:
        base, other = (waves.get(cells[side, operation].id) for side in SIDES)
        yield list(shared_ratios(other, base).values()) if base and other else []
