"""A module of the user's at two revisions of its git repository: taken out, held against each other, and timed in the same waves."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from serbench import statistics
from serbench.analysis.waves import cell_waves, shared_ratios
from serbench.engine.arena import Answer, Arena, Entrant
from serbench.engine.listener import Progress
from serbench.engine.plan import Effort
from serbench.engine.programs import ProgramError, output_of
from serbench.engine.results import Cell, Point, Sample
from serbench.environments import main_environment
from serbench.names import PlanError

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
"""What an answer is told as: types and values, whatever the objects are."""
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
class Duel:
    """What was timed of both sides: cells by side and operation, and the samples."""

    cells: dict[tuple[str, str], Cell]
    samples: list[Sample]


def duel(
    module: Path,
    revisions: Sequence[str],
    document: Any,
    point: Point,
    rules: Effort,
    tell: Callable[[Progress], None],
) -> Duel:
    """Time `encode` and `decode` of a module at two revisions; each must give what the other gives.

    The document is what `encode` is called with, or what the module's `build` makes of it. Both sides decode the
    bytes that the baseline encodes and, where the candidate's are others, those as well.

    Raises:
        PlanError: no repository, revision or module; or the sides give different answers.
    """
    with TemporaryDirectory(prefix="serbench-revisions-") as folder:
        sources = dict(zip(SIDES, taken_out(module, revisions, Path(folder)), strict=True))
        with Arena([_entrant(side, "encode", sources, document) for side in SIDES]) as first:
            blobs = _blobs(first, module)
        arguments = {"encode": document, "decode": blobs}
        entrants = [
            _entrant(side, operation, sources, arguments[operation]) for operation in OPERATIONS for side in SIDES
        ]
        with Arena(entrants) as arena:
            _same(arena, arena.try_out(), module)
            cells = {
                (side, operation): arena.cells[f"{side}_{operation}"] for operation in OPERATIONS for side in SIDES
            }
            for (side, operation), cell in cells.items():
                cell.point, cell.operation, cell.library, cell.codec = point, operation, side, module.name
                cell.reference = side == "baseline"
            samples: list[Sample] = []
            for wave in range(1, rules.waves_max + 1):
                tell(Progress(f"{module.name} at both revisions", wave, wave - 1, rules.waves_max))
                samples += arena.wave()
                if wave >= rules.waves_min and _known(cells, samples, rules):
                    break
    for cell in cells.values():
        cell.status = "ok" if cell.status == "unresolved" else cell.status
    return Duel(cells, samples)


def taken_out(module: Path, revisions: Sequence[str], folder: Path) -> list[str]:
    """The text that loads the module, for each revision, whose files are written below `folder`; "." is the work tree.

    Raises:
        PlanError: no repository, revision or module.
    """
    try:
        top = Path(output_of(["git", "rev-parse", "--show-toplevel"], module.absolute().parent).strip())
    except (ProgramError, NotADirectoryError, FileNotFoundError) as error:
        raise PlanError(f"{module} is in no git repository: {error}") from None
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
        raise PlanError(f"{revision!r} is no revision of {top}; `git log --oneline` names them") from None
    with tarfile.open(archive) as file:
        file.extractall(tree, filter="data")
    archive.unlink()


def _entrant(side: str, operation: str, sources: dict[str, str], argument: Any) -> Entrant:
    source = sources[side] + (ENCODE if operation == "encode" else DECODE)
    return Entrant(f"{side}_{operation}", side, source, main_environment(), argument, seat=side)


def _blobs(arena: Arena, module: Path) -> list[bytes]:
    """What the sides encode: the baseline's bytes, and the candidate's where they are others."""
    answers = arena.try_out()
    _none_failed(arena, module)
    texts = dict.fromkeys(answers[f"{side}_encode"].text for side in SIDES)
    return [bytes.fromhex(text.strip('"')) for text in texts]


def _none_failed(arena: Arena, module: Path) -> None:
    for name, cell in arena.cells.items():
        if cell.reason is not None:
            side, _, operation = name.partition("_")
            raise PlanError(f"{module.name} of the {side} fails to {operation}: {cell.reason}")


def _same(arena: Arena, answers: dict[str, Answer], module: Path) -> None:
    """Check that both sides decode the same bytes to the same objects."""
    _none_failed(arena, module)
    one, other = (answers[f"{side}_decode"].text for side in SIDES)
    if one != other:
        place = next((at for at, both in enumerate(zip(one, other, strict=False)) if len(set(both)) > 1), 0)
        shown = [text[max(0, place - 20) : place + 40] for text in (one, other)]
        raise PlanError(
            f"the revisions of {module.name} do not decode alike: … {shown[0]} … and … {shown[1]} …; only equal work is compared"
        )


def _known(cells: dict[tuple[str, str], Cell], samples: Sequence[Sample], rules: Effort) -> bool:
    """Whether both ratios are known to the precision that is asked for."""
    waves = cell_waves(list(cells.values()), samples)
    for operation in OPERATIONS:
        base, other = (waves.get(cells[side, operation].id) for side in SIDES)
        logs = list(shared_ratios(other, base).values()) if base and other else []
        if not statistics.converged(logs, rules.precision, least=rules.waves_min):
            return False
    return True
