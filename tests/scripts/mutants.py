"""Mutation tests: small changes to the code that decides, each of which the tests of its folder must notice.

    nox -s mutants
    nox -s mutants -- statistics analysis/ranking --number 60 --seed 1

cosmic-ray makes the mutants, in a copy of the checkout, and runs the module's folder of tests with each.
`tests/data/accepted_mutants.toml` lists the mutants that may survive, each with its reason.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import os
import queue
import random
import resource
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_and_test, mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_item import MutationSpec, TestOutcome
from mutation_operators import OPERATORS
from rich.console import Console
from rich.progress import track
from rich.table import Table

ROOT = Path.cwd()  # of a checkout, where nox runs it
ACCEPTED = ROOT / "tests" / "data" / "accepted_mutants.toml"
MODULES = (
    "statistics",
    "analysis/ranking",
    "analysis/compare",
    "analysis/recommend",
    "engine/rounds",
    "engine/waves",
    "engine/stream",
    "sessions",
    "worker/loop",
    "worker/fidelity",
    "probes/strictness",
    "store",
    "schema/infer",
)
LEAST_KILLED = 0.85
MOST_MEMORY_BYTES = 8 << 30
"""Of one process, which may also use no more than thrice the CPU time of the tests: a mutant may loop for ever."""
SANDBOX = "unshare --map-current-user --pid --fork --mount-proc --kill-child"
"""Mutants of `sessions/` end processes, and with this they see none but their own; what they leave is ended with them."""


Key = tuple[str, str, str]  # file, and the lines before and after


@dataclass(frozen=True)
class Mutant:
    """A change by an operator: `was` and `becomes` are the lines that it changes, without indentation."""

    file: str
    operator: str
    occurrence: int
    line: int
    was: str
    becomes: str

    @property
    def key(self) -> Key:
        """What stays the same if lines are moved."""
        return self.file, self.was, self.becomes


def files_of(module: str) -> list[Path]:
    """The files of a module, which is a file or a folder."""
    path = ROOT / "serbench" / module
    return sorted(path.glob("*.py")) if path.is_dir() else [path.with_suffix(".py")]


def unread(tree: ast.Module) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where a change changes nothing that a test should fix: types, arguments of decorators, assertions and `strict`, errors' text."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                parts = [node.returns, *node.decorator_list]
            case ast.ClassDef():
                parts = node.decorator_list
            case ast.arg() | ast.AnnAssign():
                parts = [node.annotation]
            case ast.Raise():
                parts = [node.exc]
            case ast.Assert() | ast.keyword(arg="strict"):
                parts = [node]
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                parts = [node]
            case _:
                parts = []
        for part in parts:
            if part is not None:
                yield (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)


def changes_of(path: Path) -> Iterator[tuple[Path, str, int, int]]:
    """All changes that the operators make in a file: the file, the operator, which of its changes, and the line."""
    source = path.read_text(encoding="utf-8")
    tree, skipped = get_ast(source), list(unread(ast.parse(source)))
    for operator in OPERATORS:
        made = get_operator(operator)()
        positions = [(node, at) for node in ast_nodes(tree) for at in made.mutation_positions(node)]
        for occurrence, (node, (start, end)) in enumerate(positions):
            separates = node.type == "operator" and node.parent.type == "parameters"  # the `*` of a signature
            if not separates and not any(low <= start and end <= high for low, high in skipped):
                yield path, operator, occurrence, start[0]


def mutant(path: Path, operator: str, occurrence: int, line: int) -> Mutant | None:
    """The file with that change; None if it is not Python, or means the same."""
    source = path.read_text(encoding="utf-8")
    changed = mutate_code(source, get_operator(operator)(), occurrence)
    try:
        if changed is None or ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source)):
            return None
    except SyntaxError:
        return None
    difference = [*difflib.unified_diff(source.splitlines(), changed.splitlines(), n=0, lineterm="")][2:]
    was, becomes = (" ".join(text[1:].strip() for text in difference if text[0] == sign) for sign in "-+")
    return Mutant(path.relative_to(ROOT).as_posix(), operator, occurrence, line, was, becomes)


def drawn(module: str, number: int, seed: str) -> list[Mutant]:
    """So many different mutants of a module, or all if there are fewer, in the order of the lines."""
    changes = [change for path in files_of(module) for change in changes_of(path)]
    random.Random(seed).shuffle(changes)
    chosen: dict[Key, Mutant] = {}
    for change in changes:
        if len(chosen) == number:
            break
        if (made := mutant(*change)) is not None:
            chosen.setdefault(made.key, made)
    return sorted(chosen.values(), key=lambda made: (made.file, made.line))


def copy_into(folder: Path) -> Path:
    """Copy the checkout's files, also those that are not committed yet."""
    listed = subprocess.check_output(["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, text=True)
    for name in listed.rstrip("\0").split("\0"):
        if (ROOT / name).is_file():
            (folder / "project" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / "project" / name)
    if (ROOT.parent / "shared").is_dir():
        (folder / "shared").symlink_to(ROOT.parent / "shared")
    # a cached module is compared by its text: mutants are made faster than the clock of the file system ticks
    command = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "serbench"]
    subprocess.run(command, cwd=folder / "project", check=True)
    return folder / "project"


def tests_of(module: str, copy: Path, most_cpu_s: int | str) -> str:
    """The command that runs the tests of a module's folder in a copy, those of the module first, within that CPU time."""
    top, _, name = module.partition("/")
    folder = Path("tests") / top
    paths = sorted((ROOT / folder).glob(f"test_{name or top}*.py"), reverse=True)
    first = [str(path.relative_to(ROOT)) for path in paths]  # `test_waves_rules.py`, quick, before `test_waves.py`
    # in a scratch folder of its own: a run removes what runs left whose processes it cannot see. CI: Hypothesis is not random
    settings = {"PYTHONPATH": str(copy), "TMPDIR": str(copy.parent), "CI": "true"}
    inside = shlex.join(["--wd", str(copy), "env", *(f"{name}={value}" for name, value in settings.items())])
    limits = f"prlimit --as={MOST_MEMORY_BYTES} --cpu={most_cpu_s}"
    options = "-x -q -n 0 -p no:cacheprovider --hypothesis-profile mutants"
    return f"{SANDBOX} {inside} {limits} {sys.executable} -m pytest {options} {' '.join(first)} {folder}"


def limits_of(module: str, copy: Path) -> tuple[int, float]:
    """The most CPU time of a process, and the most time, that tests of a module may take with a mutant, in seconds.

    Without one they must pass, or nothing that fails later means anything.
    """
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(shlex.split(tests_of(module, copy, "unlimited")), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"mutants: the tests of {module} fail without a mutant:\n{done.stdout}{done.stderr}")
    cpu_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return 10 + 3 * round(cpu_s), 30 + 3 * (time.monotonic() - began)


def outcome(made: Mutant, module: str, limits_s: tuple[int, float], copies: queue.Queue[Path]) -> str:
    """What the tests of the module do with the mutant: it is "killed", ends by the "time limit", or has "survived"."""
    copy = copies.get()
    try:
        spec = MutationSpec(copy / made.file, made.operator, made.occurrence, (1, 0), (1, 1))
        result = mutate_and_test([spec], tests_of(module, copy, limits_s[0]), limits_s[1])
    finally:
        copies.put(copy)
    match result.test_outcome:
        case TestOutcome.SURVIVED:
            return "survived"
        case TestOutcome.KILLED:
            return "time limit" if result.output == "timeout" else "killed"
    raise SystemExit(f"mutants: {made.file}:{made.line} could not be tried:\n{result.output}")


def accepted() -> dict[Key, str]:
    """The mutants that may survive, with their reasons; the line of each must still be there."""
    listed = tomllib.loads(ACCEPTED.read_text(encoding="utf-8"))
    for file, several in listed.items():
        source = "".join((ROOT / file).read_text(encoding="utf-8").split())
        for one in several:
            if "".join(one["was"].split()) not in source:
                raise SystemExit(f"mutants: {file} has no line {one['was']!r} any more: remove it from {ACCEPTED.name}")
    return {(file, one["was"], one["becomes"]): one["reason"] for file, several in listed.items() for one in several}


def try_module(module: str, made: list[Mutant], reasons: Mapping[Key, str], copies: queue.Queue[Path]) -> Counter[str]:
    """Try the mutants of a module, print those that survive, and count the outcomes."""
    limits_s = limits_of(module, copies.queue[0])
    counts: Counter[str] = Counter()
    tried = [one for one in made if one.key not in reasons]
    for one in made:
        if one.key in reasons:
            counts["accepted"] += 1
            print(f"# accepted: {one.file}:{one.line} {one.becomes}: {reasons[one.key]}")
    with ThreadPoolExecutor(copies.qsize()) as pool:
        known = pool.map(partial(outcome, module=module, limits_s=limits_s, copies=copies), tried)
        shown = Console(stderr=True)
        for one, what in track(zip(tried, known, strict=True), module, len(tried), console=shown, transient=True):
            counts[what] += 1
            if what == "survived":  # as the file of those that are accepted has it
                print(f"[['{one.file}']] # line {one.line}, {one.operator}")
                print(f"was = '''{one.was}'''\nbecomes = '''{one.becomes}'''\nreason = ''", flush=True)
    return counts


def main() -> None:
    """Try a sample of mutants of each module; fail if one kills too few of its own."""
    parser = argparse.ArgumentParser(prog="nox -s mutants --", description="Mutation tests of the modules that decide.")
    parser.add_argument("module", nargs="*", default=MODULES, help="a module of serbench, such as analysis/ranking")
    parser.add_argument("--number", type=int, default=30, help="how many mutants of each module to try (default 30)")
    parser.add_argument("--seed", help="draw the mutants by this text (default: $SERBENCH_SEED, or the commit)")
    parser.add_argument("--jobs", type=int, default=1, help="how many to try at once (default 1)")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.module) - set(MODULES)):
        parser.error(f"unknown module {unknown[0]!r}: choose from {', '.join(MODULES)}")
    if subprocess.run([*SANDBOX.split(), "true"], capture_output=True, check=False).returncode:
        raise SystemExit(
            "mutants: `unshare` cannot hide other processes from the mutants here: run this on Linux, or as root"
        )
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    seed = (
        asked.seed or os.environ.get("SERBENCH_SEED") or subprocess.check_output(command, cwd=ROOT, text=True).strip()
    )
    print(f"# seed {seed}, {asked.number} mutants of each module", flush=True)
    reasons, poor = accepted(), []
    columns = ("killed", "time limit", "accepted", "survived")
    table = Table("module", "made", *columns, "killed %")
    with TemporaryDirectory() as scratch:
        copies: queue.Queue[Path] = queue.Queue()
        for number in range(asked.jobs):
            copies.put(copy_into(Path(scratch) / str(number)))
        for module in asked.module:
            counts = try_module(module, drawn(module, asked.number, seed), reasons, copies)
            tried = counts.total() - counts["accepted"]
            share = 1 - counts["survived"] / tried if tried else 1.0
            table.add_row(module, *map(str, (counts.total(), *(counts[name] for name in columns))), f"{share:.0%}")
            if share < LEAST_KILLED:
                poor.append(module)
    Console().print(table)
    if poor:
        raise SystemExit(f"mutants: less than {LEAST_KILLED:.0%} killed in {', '.join(poor)}")


if __name__ == "__main__":
    main()
