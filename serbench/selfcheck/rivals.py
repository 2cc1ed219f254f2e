"""pyperf and pytest-benchmark, at their defaults and by their own programs, on the functions that serbench measures."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from serbench import analysis, statistics
from serbench.analysis import Pair
from serbench.engine.plan import Block
from serbench.engine.programs import output_of
from serbench.environments import Environment, Recipe, main_environment
from serbench.environments.build import build, built
from serbench.libraries import libraries
from serbench.selfcheck.subjects import AGAIN, BASE, FACTORS, Subject, block, rendered
from serbench.selfcheck.trials import Trial, tried
from serbench.statistics import Estimate
from serbench.workloads import Dataset, generate

TOOLS = ("pyperf", "pytest-benchmark")
SUBJECTS: tuple[Subject, ...] = (
    ("dataclasses", "orjson", "json"),
    ("msgspec", "msgspec", "json"),
    ("typeddict", "json", "json"),
)
NAMES = (BASE, AGAIN, "x1.05")
SESSIONS = 8
"""pytest-benchmark is repeated until its ratios are known to ±2 %, so often at most."""
LOADING = """
import importlib.util
import sys


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def argument(module, operation):
    return {blob!r} if operation == "decode" else module.decode({blob!r})


"""
ONE = """import pyperf

module = load({name!r}, {path!r})
pyperf.Runner().bench_func("operation", module.{operation}, argument(module, {operation!r}))
"""
TEST = """
def test_{number:02}(benchmark):
    module = load({name!r}, {path!r})
    benchmark(module.{operation}, argument(module, {operation!r}))
"""


@dataclass(frozen=True)
class Function:
    """One function that all tools measure: what it stands for, the case and operation, and its module's file."""

    name: str
    subject: str
    operation: str
    path: Path


def rival_figures(quick: bool, scratch: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    """What each tool says of the same functions, and how long that takes."""
    subjects, names = (SUBJECTS[:1], NAMES[:2]) if quick else (SUBJECTS, NAMES)
    tell("an environment with pyperf and pytest-benchmark")
    environment = _environment()
    data = generate("client", 1)
    whole = block(names, data, [rendered(subject, data, environment) for subject in subjects])
    functions = _written(whole, scratch)
    tell("serbench")
    ours = next(tried([whole], scratch, "serbench"))
    alone = next(tried([block(NAMES[:2], data, [rendered(subjects[0], data, environment)])], scratch))
    perf = _Pyperf(environment, functions, data, scratch, tell)
    sessions = _Sessions(environment, [f for f in functions if f.name in (BASE, AGAIN)], data, scratch, tell)
    found = [*ours.pairs, *(replace(pair, group="serbench, one pair alone") for pair in alone.pairs)]
    return {
        "pairs": analysis.as_columns([*found, *perf.pairs(), *sessions.pairs(SESSIONS)]),
        "agreement": [analysis.as_columns(both) for both in _agreement(ours, perf)],
        "called_different": {
            "serbench": _called(ours.pairs),
            "pyperf": perf.called(),
            "pytest-benchmark": sessions.called(),
        },
        "versions": {tool: environment.installed(tool) for tool in TOOLS},
        "failures": ours.failures,
    }


def _environment() -> Environment:
    """The tools beside the libraries of the functions, in the versions that serbench's own installation has."""
    here = main_environment()
    needed = {d for subject in SUBJECTS for d in libraries()[subject[0]].distributions} | {"orjson"}
    recipe = Recipe(TOOLS, label="rivals", beside=tuple(f"{name}=={here.installed(name)}" for name in sorted(needed)))
    return built().get(recipe) or build(recipe)


def _written(whole: Block, scratch: Path) -> list[Function]:
    """Each operation of each case as a file, baselines first."""
    found = []
    for case in whole.cases:
        path = scratch / f"{case.module_name}.py"
        path.write_text(case.source, encoding="utf-8")
        subject = f"{case.variant}/{case.codec.name}"
        found += [Function(case.library.name, subject, operation, path) for operation in case.operations]
    return found


def _program(data: Dataset, body: str) -> str:
    blob = json.dumps(data.value).encode()
    return LOADING.format(blob=blob) + body


class _Pyperf:
    """pyperf: each function by a script of its own, as its documentation has it."""

    def __init__(
        self,
        environment: Environment,
        functions: Sequence[Function],
        data: Dataset,
        scratch: Path,
        tell: Callable[[str], None],
    ) -> None:
        self.environment, self.scratch = environment, scratch
        self.functions = {(f.subject, f.operation, f.name): f for f in functions}
        self.times: dict[tuple[str, str, str], Estimate] = {}
        self.seconds: dict[tuple[str, str, str], float] = {}
        for number, (key, function) in enumerate(self.functions.items(), 1):
            tell(f"pyperf, function {number} of {len(self.functions)}")
            script = scratch / f"pyperf_{number}.py"
            text = ONE.format(name=function.path.stem, path=str(function.path), operation=function.operation)
            script.write_text(_program(data, text), encoding="utf-8")
            began = time.monotonic()
            output_of([environment.python, str(script), "--quiet", "-o", str(self._file(key))], scratch)
            self.seconds[key] = time.monotonic() - began
            self.times[key] = statistics.estimate(_processes(self._file(key)))

    def _file(self, key: tuple[str, str, str]) -> Path:
        return self.scratch / f"{'_'.join(key).replace('/', '_')}.json"

    def pair(self, group: str, of: str, base: tuple[str, str, str], other: tuple[str, str, str]) -> Pair:
        """The ratio of two functions with Welch's interval over processes."""
        e = statistics.change(self.times[base], self.times[other])
        factor = FACTORS[other[2]] if base[:2] == other[:2] else None
        seconds = self.seconds[base] + self.seconds[other]
        return Pair(group, of, factor, math.exp(e.mean), math.exp(e.low), math.exp(e.high), e.waves, seconds)

    def pairs(self) -> list[Pair]:
        """Every function beside its baseline."""
        return [
            self.pair("pyperf", f"{key[0]} {key[1]}", (*key[:2], BASE), key) for key in self.functions if key[2] != BASE
        ]

    def called(self) -> tuple[int, int]:
        """How many identical functions `pyperf compare_to` calls different, and of how many."""
        same = [key for key in self.functions if key[2] == AGAIN]
        command = [self.environment.python, "-m", "pyperf", "compare_to"]
        said = [
            output_of([*command, str(self._file((*key[:2], BASE))), str(self._file(key))], self.scratch) for key in same
        ]
        return sum("not significant" not in text.lower() for text in said), len(same)


def _processes(path: Path) -> list[float]:
    """The logarithm of the mean of each process's values."""
    (benchmark,) = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
    values = [run["values"] for run in benchmark["runs"] if run.get("values")]
    return [math.log(math.fsum(own) / len(own)) for own in values]


class _Sessions:
    """pytest-benchmark: all functions as tests of one file, session after session."""

    def __init__(
        self,
        environment: Environment,
        functions: Sequence[Function],
        data: Dataset,
        scratch: Path,
        tell: Callable[[str], None],
    ) -> None:
        self.environment, self.functions, self.scratch, self.tell = environment, functions, scratch, tell
        self.file = scratch / "test_functions.py"
        ordered = sorted(functions, key=lambda f: (f.subject, f.operation, f.name == AGAIN))
        self.tests = {f"test_{number:02}": f for number, f in enumerate(ordered)}
        body = "".join(
            TEST.format(number=number, name=f.path.stem, path=str(f.path), operation=f.operation)
            for number, f in enumerate(ordered)
        )
        self.file.write_text(_program(data, body), encoding="utf-8")
        self.stats: list[dict[tuple[str, str, str], dict[str, float]]] = []
        self.seconds: list[float] = []

    def pairs(self, most: int) -> list[Pair]:
        """Every function beside its identical twin, by as few sessions as make it known to ±2 %."""
        found: dict[tuple[str, str], Pair] = {}
        wanted = [(f.subject, f.operation) for f in self.functions if f.name == BASE]
        for session in range(1, most + 1):
            self.tell(f"pytest-benchmark, session {session} of {most} at most")
            self._run(session)
            for subject, operation in wanted:
                earlier = found.get((subject, operation))
                if session > 1 and (earlier is None or earlier.seconds_to_precision > earlier.seconds):
                    found[subject, operation] = self._pair(subject, operation)
            if len(found) == len(wanted) and all(p.seconds_to_precision == p.seconds for p in found.values()):
                break
        return list(found.values())

    def _run(self, session: int) -> None:
        report = self.scratch / f"sessions_{session}.json"
        command = [self.environment.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(self.file)]
        began = time.monotonic()
        output_of([*command, f"--benchmark-json={report}"], self.scratch)
        self.seconds.append(time.monotonic() - began)
        stats = {one["name"]: one["stats"] for one in json.loads(report.read_text(encoding="utf-8"))["benchmarks"]}
        self.stats.append({(f.subject, f.operation, f.name): stats[test] for test, f in self.tests.items()})

    def _pair(self, subject: str, operation: str) -> Pair:
        """The mean of its median times' ratio over sessions, with Student's interval."""
        both = [[one[subject, operation, name]["median"] for name in (BASE, AGAIN)] for one in self.stats]
        values = [math.log(again / base) for base, again in both]
        mean = math.fsum(values) / len(values)
        spread = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
        half = statistics.t_quantile(0.975, len(values) - 1) * math.sqrt(spread / len(values))
        seconds = sum(self.seconds) / len(self.tests) * 2
        ends = (math.exp(mean - half), math.exp(mean + half))
        return Pair("pytest-benchmark", f"{subject} {operation}", 1.0, math.exp(mean), *ends, len(values), seconds)

    def called(self) -> tuple[int, int]:
        """In how many sessions the means of identical functions differ by more than 1.96 of their standard errors."""
        found = []
        for stats, base in itertools.product(self.stats, [f for f in self.functions if f.name == BASE]):
            one, other = (stats[base.subject, base.operation, name] for name in (BASE, AGAIN))
            error = math.hypot(*(s["stddev"] / math.sqrt(s["rounds"]) for s in (one, other)))
            found.append(abs(one["mean"] - other["mean"]) > 1.96 * error)
        return sum(found), len(found)


def _called(pairs: Sequence[Pair]) -> tuple[int, int]:
    same = [pair for pair in pairs if pair.factor == 1.0]
    return sum(pair.different for pair in same), len(same)


def _agreement(ours: Trial, perf: _Pyperf) -> list[tuple[Pair, Pair]]:
    """Every function beside the first baseline of its operation, by serbench and by pyperf."""
    cells = {(f"{c.variant}/{c.codec}", c.operation, c.library): c for c in ours.cells if not c.control}
    found = []
    for operation in ("encode", "decode"):
        keys = [key for key in perf.functions if key[1] == operation]
        first = next(key for key in keys if key[2] == BASE)
        for key in keys:
            if key != first:
                of = f"{' '.join(key)} to {' '.join(first)}"
                one = analysis.pairs(ours.cells, ours.samples, [("agreement", of, None, cells[first], cells[key])])
                found += [(pair, perf.pair("agreement", of, first, key)) for pair in one]
    return found
