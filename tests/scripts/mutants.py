"""Mutation tests: small changes to the code that decides, each of which the tests of its folder must notice.

    nox -s mutants
    nox -s mutants -- judge/statistics judge/ranking --number 60 --seed 1

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
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from mutation_operators import OPERATORS
from rich.console import Console
from rich.progress import track
from rich.table import Table

ROOT = Path.cwd()  # of a checkout, where nox runs it
ACCEPTED = ROOT / "tests" / "data" / "accepted_mutants.toml"
MODULES = ("judge/statistics", "judge/ranking", "judge/compare", "judge/leading", "model/fidelity", "store/store")
"""Where a wrong number would be believed."""
LEAST_KILLED = 0.9
MOST_MEMORY_BYTES = 8 << 30
"""Of one process; the tests may take three times as long as without a mutant, since a mutant may loop for ever."""
SANDBOX = "unshare --map-current-user --pid --fork --mount-proc --kill-child"
"""Mutants see no processes but their own; what they leave is ended with them."""


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


class Tests:
    """The tests of a module's folder in a copy of the checkout, those of the module first."""

    def __init__(self, module: str, copy: Path) -> None:
        name = module.rpartition("/")[2]
        folder = next(path for path in [ROOT / "tests" / module, *(ROOT / "tests" / module).parents] if path.is_dir())
        first = sorted(folder.glob(f"test_{name}*.py"), reverse=True)
        paths = [*first, *sorted(set(folder.glob("test_*.py")) - set(first))]
        options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--hypothesis-profile", "mutants"]
        self.module, self.copy, self.output, self.seconds = module, copy, "", 3600.0
        self.program = [*SANDBOX.split(), "prlimit", f"--as={MOST_MEMORY_BYTES}", sys.executable, "-m", "pytest"]
        self.program += [*options, *(str(path.relative_to(ROOT)) for path in paths)]
        # in a scratch folder of its own: a run removes what runs left whose processes it cannot see. CI: Hypothesis is not random
        self.variables = {**os.environ, "PYTHONPATH": str(copy), "TMPDIR": str(copy.parent), "CI": "true"}

    def run(self) -> int | None:
        """The exit code of pytest; None if the tests took more than their limit."""
        options = {"cwd": self.copy, "env": self.variables, "timeout": self.seconds}
        try:
            done = subprocess.run(
                self.program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options
            )
        except subprocess.TimeoutExpired:
            return None
        self.output = done.stdout.decode(errors="replace")
        return done.returncode

    def limit(self) -> None:
        """Limit what the tests may take with a mutant; without one they must pass, or nothing that fails later means anything."""
        began = time.monotonic()
        if self.run() != 0:
            raise SystemExit(f"mutants: the tests of {self.module} fail without a mutant:\n{self.output}")
        self.seconds = 30 + 3 * (time.monotonic() - began)

    def outcome(self, made: Mutant) -> str:
        """What the tests do with the mutant: it is "killed", ends by the "time limit", or has "survived"."""
        path = self.copy / made.file
        source = path.read_text(encoding="utf-8")
        path.write_text(mutate_code(source, get_operator(made.operator)(), made.occurrence) or "", encoding="utf-8")
        try:
            code = self.run()
        finally:
            path.write_text(source, encoding="utf-8")
        return "time limit" if code is None else "killed" if code else "survived"


def accepted() -> dict[Key, str]:
    """The mutants that may survive, with their reasons; the line of each must still be there."""
    listed = tomllib.loads(ACCEPTED.read_text(encoding="utf-8"))
    for file, several in listed.items():
        source = "".join((ROOT / file).read_text(encoding="utf-8").split())
        for one in several:
            if "".join(one["was"].split()) not in source:
                raise SystemExit(f"mutants: {file} has no line {one['was']!r} any more: remove it from {ACCEPTED.name}")
    return {(file, one["was"], one["becomes"]): one["reason"] for file, several in listed.items() for one in several}


def outcome(made: Mutant, free: queue.Queue[Tests]) -> str:
    """What the tests in a free copy do with the mutant."""
    tests = free.get()
    try:
        return tests.outcome(made)
    finally:
        free.put(tests)


def try_module(module: str, made: list[Mutant], reasons: Mapping[Key, str], copies: list[Path]) -> Counter[str]:
    """Try the mutants of a module, print those that survive, and count the outcomes."""
    free: queue.Queue[Tests] = queue.Queue()
    several = [Tests(module, copy) for copy in copies]
    for tests in several:
        tests.limit()
        free.put(tests)
    counts: Counter[str] = Counter()
    tried = [one for one in made if one.key not in reasons]
    for one in made:
        if one.key in reasons:
            counts["accepted"] += 1
            print(f"# accepted: {one.file}:{one.line} {one.becomes}: {reasons[one.key]}")
    with ThreadPoolExecutor(len(several)) as pool:
        known = pool.map(partial(outcome, free=free), tried)
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
    parser.add_argument("module", nargs="*", default=MODULES, help="a module of serbench, such as judge/ranking")
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
        copies = [copy_into(Path(scratch) / str(number)) for number in range(asked.jobs)]
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
