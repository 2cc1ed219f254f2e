"""Measures pyperf and pytest-benchmark, at their defaults and by their own programs, on the functions that serbench measures.

The store keeps the outcome as the part `rivals` of the self-check, which `serbench selfcheck --stored` shows:

    python3 tests/scripts/rivals.py
    python3 tests/scripts/rivals.py --quick --store rivals.sqlite
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from serbench.api.selfcheck import (
    AGAIN,
    BASE,
    FACTORS,
    FULL,
    QUICK,
    RIVALS,
    LibraryCodec,
    Trial,
    block,
    measured,
    measured_trials,
    planted,
    rendered,
)
from serbench.judge import statistics
from serbench.judge.control import Pair, as_columns, pairs
from serbench.judge.statistics import Estimate
from serbench.machine.caretaker import with_us
from serbench.measure.plan import Block
from serbench.model.data.dataset import generate
from serbench.render.case import Case
from serbench.render.environments import Environment, Recipe, build, built, main_environment
from serbench.render.library import libraries
from serbench.store.store import Store

TOOLS = ("pyperf", "pytest-benchmark")
SUBJECTS: tuple[LibraryCodec, ...] = (
    ("dataclasses", "orjson", "json"),
    ("msgspec", "msgspec", "json"),
    ("typeddict", "json", "json"),
)
NAMES = (BASE, AGAIN, "x1.05")
CALLS = 200
"""Calls of the case's own function that one call of the baseline makes here, as these tools cannot be told to make more."""
SCALED = """

from itertools import repeat  # noqa: E402


def scaled(function, calls):
    def several(argument):
        for _ in repeat(None, calls - 1):
            function(argument)
        return function(argument)

    return several


{functions} = {calls}
"""
SESSIONS = 8
"""pytest-benchmark is repeated until its ratios are known to ±2%, so often at most."""
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
def {test}(benchmark):
    module = load({name!r}, {path!r})
    benchmark(module.{operation}, argument(module, {operation!r}))
"""


FunctionKey = tuple[str, str, str]
"""Subject, operation, and the name that the function goes by in its block."""


@dataclass(frozen=True)
class _Bench:
    """The environment, data and folder in which both tools work, and who hears of each step."""

    environment: Environment
    blob: bytes
    scratch: Path
    tell: Callable[[str], None]

    def write(self, name: str, body: str) -> Path:
        path = self.scratch / name
        path.write_text(LOADING.format(blob=self.blob) + body, encoding="utf-8")
        return path

    def run(self, *arguments: object) -> tuple[str, float]:
        """Run Python with these arguments: its output, and the seconds it took."""
        began = time.monotonic()
        command = [self.environment.python, *map(str, arguments)]
        done = subprocess.run(command, cwd=self.scratch, stdout=subprocess.PIPE, text=True, check=True, **with_us())
        return done.stdout, time.monotonic() - began


def scaled(case: Case, name: str) -> Case:
    """The case in a library of that name, each of whose functions is called `CALLS` times the factor of the name."""
    calls = ", ".join(f"scaled({function}, {_calls(name)})" for function in ("encode", "decode"))
    source = case.source + SCALED.format(functions="encode, decode", calls=calls)
    return replace(planted(case, name), source=source, calls=1.0)


def calls_made(name: str) -> int:
    """Count the calls of a function that the text which scales the work really makes."""
    made = 0

    def counted(_: object) -> None:
        nonlocal made
        made += 1

    namespace: dict[str, Any] = {"counted": counted}
    exec(SCALED.format(functions="operation", calls=f"scaled(counted, {_calls(name)})"), namespace)
    namespace["operation"](None)
    return made


def _calls(name: str) -> int:
    return round(CALLS * FACTORS[name])


def rival_figures(quick: bool, scratch: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    """Measure the same functions with each tool: the ratios by each, and the seconds it takes."""
    subjects, names = (SUBJECTS[:1], NAMES[:2]) if quick else (SUBJECTS, NAMES)
    tell("an environment with pyperf and pytest-benchmark")
    environment = _environment()
    data = generate("client", 1)
    whole = block(names, data, [rendered(subject, data, environment) for subject in subjects], "hot", scaled)
    paths = _written(whole, scratch)
    tell("serbench")
    ours = next(measured_trials([whole], scratch, "serbench"))
    pair = block(NAMES[:2], data, [rendered(subjects[0], data, environment)], "hot", scaled)
    alone = next(measured_trials([pair], scratch))
    bench = _Bench(environment, json.dumps(data.value).encode(), scratch, tell)
    perf = _Pyperf(bench, paths)
    sessions = _Sessions(bench, {key: path for key, path in paths.items() if key[2] in (BASE, AGAIN)})
    found = [*ours.pairs, *(replace(pair, group="serbench, one pair alone") for pair in alone.pairs)]
    return {
        "pairs": as_columns([*found, *perf.pairs(), *sessions.pairs(SESSIONS)]),
        "agreement": [as_columns(both) for both in _agreement(ours, perf)],
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


def _written(whole: Block, scratch: Path) -> dict[FunctionKey, Path]:
    """Each operation of each case → the file of its module, baselines first."""
    found: dict[FunctionKey, Path] = {}
    for case in whole.cases:
        path = scratch / f"{case.module_name}.py"
        path.write_text(case.source, encoding="utf-8")
        subject = f"{case.variant}/{case.codec.name}"
        found |= {(subject, operation, case.library.name): path for operation in case.operations}
    return found


class _Pyperf:
    """pyperf: each function by a script of its own, as its documentation has it."""

    def __init__(self, bench: _Bench, paths: Mapping[FunctionKey, Path]) -> None:
        self.bench = bench
        self.times: dict[FunctionKey, Estimate] = {}
        self.seconds: dict[FunctionKey, float] = {}
        for number, (key, path) in enumerate(paths.items(), 1):
            bench.tell(f"pyperf, function {number} of {len(paths)}")
            text = ONE.format(name=path.stem, path=str(path), operation=key[1])
            script = bench.write(f"pyperf_{number}.py", text)
            _, self.seconds[key] = bench.run(script, "--quiet", "-o", self._file(key))
            (benchmark,) = json.loads(self._file(key).read_text(encoding="utf-8"))["benchmarks"]
            values = [run["values"] for run in benchmark["runs"] if run.get("values")]  # of each process
            self.times[key] = statistics.estimate([math.log(math.fsum(own) / len(own)) for own in values])

    def _file(self, key: FunctionKey) -> Path:
        return self.bench.scratch / f"{'_'.join(key).replace('/', '_')}.json"

    def pair(self, group: str, of: str, base: FunctionKey, other: FunctionKey) -> Pair:
        """The ratio of two functions with Welch's interval over processes."""
        e = statistics.change(self.times[base], self.times[other])
        factor = FACTORS[other[2]] if base[:2] == other[:2] else None
        seconds = self.seconds[base] + self.seconds[other]
        return Pair(group, of, factor, math.exp(e.mean), math.exp(e.low), math.exp(e.high), e.waves, seconds)

    def of_runs(self, subject: str, operation: str) -> Estimate:
        """The log time of a subject over the runs of all its names, each by the work that its name stands for."""
        runs = {key: time for key, time in self.times.items() if key[:2] == (subject, operation)}
        return statistics.estimate(
            [time.mean - math.log(FACTORS[key[2]]) for key, time in runs.items()], statistics.Prior(0.0, 0.0)
        )

    def pairs(self) -> list[Pair]:
        """Every function beside its baseline."""
        return [self.pair("pyperf", f"{k[0]} {k[1]}", (*k[:2], BASE), k) for k in self.times if k[2] != BASE]

    def called(self) -> tuple[int, int]:
        """The number of identical functions that `pyperf compare_to` calls different, and of all."""
        same = [key for key in self.times if key[2] == AGAIN]
        compare = partial(self.bench.run, "-m", "pyperf", "compare_to")
        said = [compare(self._file((*key[:2], BASE)), self._file(key))[0] for key in same]
        return sum("not significant" not in text.lower() for text in said), len(same)


class _Sessions:
    """pytest-benchmark: all functions as tests of one file, session after session."""

    def __init__(self, bench: _Bench, paths: Mapping[FunctionKey, Path]) -> None:
        self.bench = bench
        keys = sorted(paths, key=lambda key: (*key[:2], key[2] == AGAIN))
        self.tests = {f"test_{number:02}": key for number, key in enumerate(keys)}
        texts = [
            TEST.format(test=test, name=paths[key].stem, path=str(paths[key]), operation=key[1])
            for test, key in self.tests.items()
        ]
        self.file = bench.write("test_functions.py", "".join(texts))
        self.stats: list[dict[FunctionKey, dict[str, float]]] = []
        self.seconds: list[float] = []

    def pairs(self, most: int) -> list[Pair]:
        """Every function beside its identical twin, by as few sessions as make it known to ±2%."""
        found: dict[FunctionKey, Pair] = {}
        wanted = [key for key in self.tests.values() if key[2] == BASE]
        for session in range(1, most + 1):
            self.bench.tell(f"pytest-benchmark, session {session} of {most} at most")
            self._run(session)
            for key in wanted:
                earlier = found.get(key)
                if session > 1 and (earlier is None or earlier.seconds_to_precision > earlier.seconds):
                    found[key] = self._pair(key)
            if len(found) == len(wanted) and all(p.seconds_to_precision == p.seconds for p in found.values()):
                break
        return list(found.values())

    def _run(self, session: int) -> None:
        report = self.bench.scratch / f"sessions_{session}.json"
        asked = ("-m", "pytest", "-q", "-p", "no:cacheprovider", self.file, f"--benchmark-json={report}")
        self.seconds.append(self.bench.run(*asked)[1])
        stats = {one["name"]: one["stats"] for one in json.loads(report.read_text(encoding="utf-8"))["benchmarks"]}
        self.stats.append({key: stats[test] for test, key in self.tests.items()})

    def _pair(self, key: FunctionKey) -> Pair:
        """The mean of its median times' ratio over sessions, with Student's interval."""
        twin = (*key[:2], AGAIN)
        e = statistics.estimate(
            [math.log(one[twin]["median"] / one[key]["median"]) for one in self.stats], statistics.Prior(0.0, 0.0)
        )
        seconds = sum(self.seconds) / len(self.tests) * 2
        of = f"{key[0]} {key[1]}"
        return Pair("pytest-benchmark", of, 1.0, math.exp(e.mean), math.exp(e.low), math.exp(e.high), e.waves, seconds)

    def called(self) -> tuple[int, int]:
        """The number of sessions in which identical functions' means differ by over 1.96 standard errors, and of all."""
        found = []
        for stats, key in itertools.product(self.stats, [key for key in self.tests.values() if key[2] == BASE]):
            one, other = stats[key], stats[*key[:2], AGAIN]
            error = math.hypot(*(s["stddev"] / math.sqrt(s["rounds"]) for s in (one, other)))
            found.append(abs(one["mean"] - other["mean"]) > 1.96 * error)
        return sum(found), len(found)


def _called(pairs: Sequence[Pair]) -> tuple[int, int]:
    same = [pair for pair in pairs if pair.factor == 1.0]
    return sum(pair.different for pair in same), len(same)


def _agreement(ours: Trial, perf: _Pyperf) -> list[tuple[Pair, Pair]]:
    """The ratios of any two subjects' times, by serbench and by pyperf.

    pyperf measures one function after another, so what the machine does meanwhile is in the difference of two runs, and
    not in the interval of one. Its interval is therefore Welch's over its runs of the same function: under each of its
    names, of which one does more work by a known factor.
    """
    cells = {(f"{c.variant}/{c.codec}", c.operation, c.library): c for c in ours.cells if not c.control}
    found = []
    for operation in ("encode", "decode"):
        subjects = dict.fromkeys(key[0] for key in perf.times if key[1] == operation)
        for one, other in itertools.combinations(subjects, 2):
            of = f"{other} {operation} to {one}"
            both = [cells[subject, operation, BASE] for subject in (one, other)]
            e = statistics.change(*(perf.of_runs(subject, operation) for subject in (one, other)))
            theirs = Pair("agreement", of, None, math.exp(e.mean), math.exp(e.low), math.exp(e.high), e.waves)
            mine = pairs(ours.cells, ours.samples, [("agreement", of, None, both[0], both[1])])
            found += [(pair, theirs) for pair in mine]
    return found


def main() -> None:
    """Measure them and store the part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of everything; stored apart")
    parser.add_argument("--store", type=Path, help="the SQLite file (default: the usual one)")
    asked = parser.parse_args()
    with Store(asked.store) as opened:
        part = measured(rival_figures, asked.quick, lambda what: print(what, flush=True))
        opened.put_facts({(QUICK if asked.quick else FULL) + RIVALS: part})


if __name__ == "__main__":
    main()
