"""Measures the accuracy of the engine's figures, part by part, and shows what that proves: claims, targets and figures."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

from serbench.api import choices
from serbench.api.calling import public, several
from serbench.display.table import Table, Tables
from serbench.display.values import Displayed
from serbench.display.words import machine_line, three_digits
from serbench.errors import PlanError, StoreError, WrongDataError, check, checked, if_interrupted, parsed
from serbench.judge import statistics
from serbench.judge.control import Pair, agree, as_columns, p95, pairs, share
from serbench.judge.waves import Samples
from serbench.machine.caretaker import scratch_folder
from serbench.machine.platform import machine, now, usable_cores
from serbench.measure.conduct import conduct
from serbench.measure.listener import Finished, Progress
from serbench.measure.plan import Block, Plan
from serbench.measure.session import WEIGHER, RequestLimits, Watchdog, WorkerSession
from serbench.model.data.dataset import Dataset, generate
from serbench.render.case import Case, lay_out, render
from serbench.render.codec import codec_named
from serbench.render.environments import NEIGHBOURS, BuildError, Environment, main_environment, neighbour
from serbench.render.library import libraries
from serbench.results import Cell, Point, Sample
from serbench.store.archive import resources
from serbench.store.opening import store_option
from serbench.store.recorder import Recorder
from serbench.store.store import Store

StoredPart = Mapping[str, Any]
_PAIR: TypeAlias = tuple[str, str, float | None, float, float, float, int, float]
"""The columns of a `Pair`."""
MISSES = (0.02, 0.08)
DETECTED = {"x1.02": 0.6, "x1.05": 0.95, "x1.20": 1.0}
COVERAGE, GROWTH, FASTER, CONDUCTOR, RANKS_DIFFER = 0.92, 1.5, 20, 0.1, 0.05


@dataclass(frozen=True)
class Criterion:
    """One figure of the self-check. `met` says whether it reaches its target; None means that it has none."""

    what: str
    target: str
    reached: str
    cases: str
    met: bool | None = None


@dataclass(frozen=True)
class Selfcheck(Displayed):
    """The stored parts of the self-check, by name; it displays itself as a table of criteria."""

    parts: Mapping[str, StoredPart]

    @property
    def criteria(self) -> list[Criterion]:
        """Every criterion of the measured parts."""
        return [one for name, part in self.parts.items() for one in CRITERIA[name](part)]

    @property
    def met(self) -> bool:
        """True if every part was measured, that of other tools perhaps not, and each target is met."""
        return self.parts.keys() >= NEEDED and all(one.met is not False for one in self.criteria)

    def to_data(self) -> dict[str, Any]:
        """The criteria and the parts that they rest on, as JSON data."""
        return {"claims": [asdict(one) for one in self.criteria], "met": self.met, "parts": dict(self.parts)}

    @property
    def origins(self) -> list[str]:
        """Date, machine and version of each part, those of one machine together."""
        of_machine: dict[str, list[str]] = {}
        for name, part in self.parts.items():
            quick = ", quick" if part["quick"] else ""
            quick += f", {part['conditions']}" if "conditions" in part else ""
            told = f"{part['date'][:10]}{quick}: {machine_line(part['machine'])}, serbench {part['serbench']}"
            of_machine.setdefault(told, []).append(f"{name} ({part['seconds']:,.0f} s)")
        return [f"{', '.join(names)}: {told}" for told, names in of_machine.items()]

    def table(self) -> Tables:
        """The criteria, the origins of their figures, and failures."""
        met = {True: "met", False: "not met", None: ""}
        lines = [(one.what, one.target, one.reached, one.cases, met[one.met]) for one in self.criteria]
        table = Table.of_lines(dict.fromkeys(("claim", "target", "reached", "of", ""), "left"), lines, markup=True)
        failures = [f"{name}: {line}" for name, part in self.parts.items() for line in part.get("failures", ())]
        missing = [f"{name}: not measured" for name in CRITERIA if name in NEEDED - self.parts.keys()]
        return Tables([replace(table, notes=[*self.origins, *failures])], warnings=missing)


@dataclass(frozen=True)
class _Part:
    """What every part has, and the types of what some have."""

    date: str
    seconds: float
    serbench: str | None
    machine: dict[str, str | int | float | bool | None]
    quick: bool
    conditions: str = ""
    failures: list[str] = field(default_factory=list)
    pairs: list[_PAIR] = field(default_factory=list)
    agreement: list[tuple[_PAIR, _PAIR]] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    called_different: dict[str, tuple[int, int]] = field(default_factory=dict)
    wall_ns: float = 1.0
    cpu_ns: float = 1.0
    conductor_ns: float = 0.0
    serbench_ns: list[float] = field(default_factory=list)
    timeit_ns: list[float] = field(default_factory=list)


def read_selfcheck(data: object) -> Selfcheck:
    """The self-check of stored parts, which anybody may have written.

    Raises:
        WrongDataError: an unknown part, a field of another type, or impossible figures.
    """
    parts = checked(dict[str, dict[str, Any]], data, "parts")
    for name, part in parts.items():
        checked(_Part, part, f"part {name}")
        if name not in CRITERIA:
            raise WrongDataError(f"part {name}: unknown part")
        try:
            CRITERIA[name](part)
        except (ValueError, LookupError, ArithmeticError) as error:
            raise WrongDataError(f"part {name}: impossible figures ({error})") from None
    return Selfcheck(parts)


def _pairs(part: StoredPart, group: str | None = None) -> list[Pair]:
    return [pair for pair in (Pair(*columns) for columns in part["pairs"]) if group in (None, pair.group)]


def _aa_criteria(part: StoredPart) -> list[Criterion]:
    pairs = _pairs(part)
    whole = part.get("wall_ns") or part["cpu_ns"]  # earlier versions knew the CPU time of all processes
    misses, conductor = share([not pair.holds for pair in pairs]), part["conductor_ns"] / whole
    reached = f"{misses:.1%}; errors of {p95(pairs):.1%} at most in 95% of cases"
    within, what = MISSES[0] <= misses <= MISSES[1], "share of serbench's own CPU time in the time of measuring"
    ranks_differ = share([pair.ranks_differ for pair in pairs])
    ranked = "identical code that ranks apart, beyond the margin of 1%"
    return [
        Criterion(
            "95% intervals of identical code that miss the truth", "2–8%", reached, f"{len(pairs)} pairs", within
        ),
        Criterion(ranked, "≤ 5%", f"{ranks_differ:.1%}", f"{len(pairs)} pairs", ranks_differ <= RANKS_DIFFER),
        Criterion(what, "< 10%", f"{conductor:.1%}", f"{whole / 1e9:,.0f} s", conductor < CONDUCTOR),
    ]


def _injected_criteria(part: StoredPart) -> list[Criterion]:
    """Work that is truly 1.02, 1.05 or 1.20 times as much."""
    criteria = []
    for name, target in DETECTED.items():
        pairs = _pairs(part, name)
        slower = share([pair.low > 1 for pair in pairs])
        mean = math.exp(math.fsum(math.log(pair.ratio) for pair in pairs) / max(len(pairs), 1))
        told = f"{slower:.0%}; {name[1:]} times the calls took {mean:.4f} times as long on average"
        wanted = f"{'' if target == 1 else '≥ '}{target:.0%}"
        what = f"{name[1:]} times the work is found"
        criteria.append(Criterion(what, wanted, told, f"{len(pairs)} pairs", slower >= target))
    scaled = [pair for pair in _pairs(part) if pair.group in DETECTED]
    held, cases = share([pair.holds for pair in scaled]), f"{len(scaled)} pairs"
    what = "95% intervals that hold these ratios"
    return [*criteria, Criterion(what, "≥ 92%", f"{held:.1%}", cases, held >= COVERAGE)]


def _neighbours_criteria(part: StoredPart) -> list[Criterion]:
    quiet, criteria = p95(_pairs(part, "quiet")), []
    for name in dict.fromkeys(pair.group for pair in _pairs(part) if pair.group != "quiet"):
        pairs = _pairs(part, name)
        error, missed = p95(pairs), share([not pair.holds for pair in pairs])
        told = f"{error / quiet:.2f}×: {quiet:.1%} → {error:.1%}; {missed:.1%} of intervals miss"
        what = f"growth of the noise floor beside a busy neighbour: {name}"
        criteria.append(Criterion(what, "≤ 1.5×", told, f"{len(pairs)} pairs", error / quiet <= GROWTH))
    return criteria


def _rivals_criteria(part: StoredPart) -> list[Criterion]:

    def seconds(group: str) -> float:
        return median([pair.seconds_to_precision for pair in _pairs(part, group)] or [math.nan])

    ours, alone = seconds("serbench"), three_digits(seconds("serbench, one pair alone"))
    criteria = []
    for tool, version in part["versions"].items():
        theirs, pairs = seconds(tool), f"{len(_pairs(part, tool))} pairs"
        told = f"{theirs / ours:.0f}× fewer: {three_digits(theirs)} s → {three_digits(ours)} s in a run of many"
        what = f"seconds to ±2% per pair, against {tool} {version}"
        criteria.append(
            Criterion(what, "≥ 20× fewer", f"{told} ({alone} s for one alone)", pairs, theirs / ours >= FASTER)
        )
    ours_first = sorted(part["called_different"].items(), key=lambda item: item[0] != "serbench")
    called = "; ".join(f"{tool} {wrong} of {cases}" for tool, (wrong, cases) in ours_first)
    known = {
        tool: [pair.holds for pair in _pairs(part, tool) if pair.factor] for tool in ("serbench", *part["versions"])
    }
    held = "; ".join(f"{tool} {sum(holds)} of {len(holds)}" for tool, holds in known.items())
    both = [(Pair(*one), Pair(*other)) for one, other in part["agreement"]]
    agreed = share([agree(one, other) for one, other in both])
    what = "ratios that agree with pyperf's within the joint interval, pyperf's over its runs of each function"
    return [
        *criteria,
        Criterion("identical functions called different", "", called, ""),
        Criterion("known ratios within the intervals of one run", "", held, ""),
        Criterion(what, "≥ 92%", f"{agreed:.1%}", f"{len(both)} ratios", agreed >= COVERAGE)
        if both
        else Criterion(what, "", "not measured by --quick", ""),
    ]


def _loop_criteria(part: StoredPart) -> list[Criterion]:
    ours, theirs = ([math.log(value) for value in part[key]] for key in ("serbench_ns", "timeit_ns"))
    ratio = statistics.estimate([one - other for one, other in zip(ours, theirs, strict=True)])
    each = [math.exp(math.fsum(values) / len(values)) for values in (ours, theirs)]
    told = f"{each[0]:.1f} ns, timeit {each[1]:.1f} ns for an empty function: {math.exp(ratio.mean):.3f}×"
    told += f" ({math.exp(ratio.low):.3f} to {math.exp(ratio.high):.3f})"
    what = "a call and the loop around it, against timeit"
    return [Criterion(what, "≤ timeit's", told, f"{len(ours)} processes", ratio.low <= statistics.TIE)]


CRITERIA: dict[str, Callable[[StoredPart], list[Criterion]]] = {
    "aa": _aa_criteria,
    "injected": _injected_criteria,
    "neighbours": _neighbours_criteria,
    "rivals": _rivals_criteria,
    "loop": _loop_criteria,
}
"""Part → what it proves."""
NEEDED = CRITERIA.keys() - {"rivals"}
"""The parts that `serbench selfcheck` measures."""


BASE, AGAIN = "base", "again"
FACTORS = {BASE: 1.0, AGAIN: 1.0, "x1.02": 1.02, "x1.05": 1.05, "x1.20": 1.20}
"""The name of a case in a block → the factor of its work. Module names begin so, and mashumaro needs identifiers."""
WORKLOADS = ("client", "tiny")
LibraryCodec = tuple[str, str, str]
SETS: tuple[tuple[LibraryCodec, ...], ...] = (
    (
        ("dataclasses", "orjson", "json"),
        ("msgspec", "msgspec", "json"),
        ("class", "msgpack", "msgpack"),
        ("typeddict", "json", "json"),
    ),
    (
        ("namedtuple", "orjson", "json"),
        ("msgspec", "msgspec", "msgpack"),
        ("mashumaro", "orjson", "json"),
        ("dataclasses", "pickle", "pickle"),
    ),
)
"""Library, codec and format of the cases that stand in one block: all take a few µs at most, with one record, so that a batch has enough calls for a factor of 1.02."""


def blocks(names: Sequence[str], count: int, conditions: str) -> Iterator[Block]:
    """So many blocks, each with other data; the sets of cases in turn."""
    for number in range(count):
        data = generate(WORKLOADS[number // len(SETS) % len(WORKLOADS)], 1, None, number)
        cases = [rendered(subject, data) for subject in SETS[number % len(SETS)]]
        yield block(names, data, cases, conditions)


def rendered(subject: LibraryCodec, data: Dataset, environment: Environment | None = None) -> Case:
    """The case as every run has it."""
    library, codec, format_ = subject
    return render(libraries()[library], "default", codec_named(f"{codec}/{format_}"), data.schema, environment)


def planted(case: Case, name: str) -> Case:
    """The case in a library of that name, with as many calls for each that is counted as the name stands for."""
    both = ("encode", "decode")
    library = replace(case.library, name=name)
    return replace(case, library=library, variant=case.library.name, operations=both, calls=FACTORS[name])


def block(
    names: Sequence[str],
    data: Dataset,
    cases: Sequence[Case],
    conditions: str,
    named: Callable[[Case, str], Case] = planted,
) -> Block:
    """The cases under each of these names, with the work that each name stands for."""
    point = Point(data.name, data.records, data.depth, data.seed, conditions)
    laid_out = lay_out(cases)
    return Block(point, data, [named(case, name) for name in names for case in laid_out])


PLAN = Plan(paired=True)
"""The plan of `gate`, with every other setting at its default."""


class Meter(Recorder):
    """A recorder that adds up the CPU time of the conductor, and all the time, of the visits to cases.

    Work classes are not looked for: what is measured here is time.
    """

    conductor_ns = wall_ns = 0
    _began = _began_wall = 0

    def samples(self, samples: Sequence[Sample]) -> None:
        """The samples of one visit; the time it takes to write them is the conductor's too."""
        super().samples(samples)
        now, wall = time.thread_time_ns(), time.perf_counter_ns()
        self.conductor_ns += now - self._began
        self.wall_ns += wall - self._began_wall
        self._began, self._began_wall = now, wall

    def progress(self, progress: Progress) -> None:
        """A step forward; the conducting of a visit begins with its first."""
        if progress.what == "measuring":
            self._began, self._began_wall = time.thread_time_ns(), time.perf_counter_ns()
        super().progress(progress)

    def strictness(self, case: Case, measure: Callable[[], str]) -> str:  # noqa: ARG002  # the listener's signature
        """All cases of a block are one class."""
        return "objects, unchecked"


@dataclass(frozen=True)
class Trial:
    """The measurement of one block."""

    cells: list[Cell]
    samples: Samples
    pairs: list[Pair]
    failures: list[str]
    conductor_ns: int
    wall_ns: int


def measured_trials(
    blocks: Iterable[Block], scratch: Path, group: str | None = None, *, plan: Plan = PLAN
) -> Iterator[Trial]:
    """Conduct each block as a run of its own, kept in a store in `scratch` until it ends.

    Their pairs are in groups by the names of their cases, hidden duplicates as "again"; or all in one. The seconds of a
    pair are the block's, divided by the pairs that were asked for, which hidden duplicates were not.
    """
    with Store(scratch / "trials.sqlite") as store:
        for block in blocks:
            run = store.begin(command="serbench selfcheck", plan=plan.as_data(), machine=machine())
            meter = Meter(store, run)
            began = time.monotonic()
            finished = Finished()
            conduct(plan, [block], meter, finished)
            seconds = time.monotonic() - began
            store.finish(run, seconds=seconds)
            cells, samples = list(meter.known.values()), finished.samples.array()
            calls = {case.library.name: case.calls for case in block.cases}
            measured = pairs(cells, samples, _wanted(cells, group, calls))
            asked = sum(not cell.control and cell.library != BASE for cell in cells)
            told = [replace(pair, seconds=seconds / max(asked, 1)) for pair in measured]
            failures = [f"{c.library} {c.variant}: {c.reason}" for c in cells if c.reason and c.operation == "encode"]
            yield Trial(cells, samples, told, failures, meter.conductor_ns, meter.wall_ns)


def _wanted(
    cells: Sequence[Cell], group: str | None, calls: Mapping[str, float]
) -> Iterator[tuple[str, str, float | None, Cell, Cell]]:
    """Each case beside its baseline, and each hidden duplicate beside its original."""
    originals = {(c.library, c.variant, c.codec, c.operation): c for c in cells if not c.control}
    for cell in cells:
        library, control = (cell.library, True) if cell.control else (BASE, False)
        base = originals.get((library, cell.variant, cell.codec, cell.operation))
        if base is not None and base is not cell:
            name = f"{cell.variant}/{cell.codec} {cell.operation}"
            factor = 1.0 if control else FACTORS[cell.library]
            if not control and cell.loops and calls[cell.library] != 1.0:
                factor = round(cell.loops * factor) / cell.loops  # a batch makes whole calls
            yield group or ("again" if control else cell.library), name, factor, base, cell


Tell = Callable[[str], None]
FULL, QUICK = "selfcheck ", "quick selfcheck "
"""The beginnings of the keys under which the store remembers the parts."""
RIVALS = "rivals"
"""The part that tests/scripts/rivals.py measures: other tools on the same functions."""
INJECTED = ("x1.02", "x1.05", "x1.20")
CONDITIONS = Plan().conditions[0]
"""Those of every run that names none; pyperf and pytest-benchmark are `hot`."""
LOOPS, TURNS = 20_000, 30  # calls in a batch around an empty function, and batches


@public
def selfcheck(
    parts: choices.Parts = (),
    *,
    quick: choices.Quick = False,
    measure: choices.Measure = True,
    store: choices.Store = None,
    listener: choices.Listener = None,
) -> Selfcheck:
    """Measure how far serbench's own figures can be believed, and store that.

    Returns:
        What all the stored parts prove, those that were measured earlier included; if none is stored, what serbench
        publishes of itself.

    Raises:
        PlanError: an unknown part, or one that cannot be measured here: the message says why.
    """
    chosen = several(parts) or tuple(PARTS)
    for name in chosen:
        check("part", name, PARTS)
    key = QUICK if quick else FULL
    with Store(store) as opened:
        for done, name in enumerate(chosen if measure else ()):

            def tell(what: str, name: str = name, done: int = done) -> None:
                if listener is not None:
                    listener.progress(Progress(f"{name}: {what}", 0, done, len(chosen)))

            left = ",".join(chosen[done:]) + (" --quick" if quick else "") + store_option(opened.path)
            with if_interrupted(f"parts that were measured are kept, and `serbench selfcheck --part {left}` goes on"):
                opened.put_facts({key + name: measured(PARTS[name], quick, tell)})
        stored = opened.facts(key)
    results = {name: stored[key + name] for name in (*PARTS, RIVALS) if key + name in stored}
    try:
        return read_selfcheck(results) if results or quick else _published()
    except WrongDataError as error:
        raise StoreError(f"{opened.path} is not as serbench makes it ({error}); choose another with --store") from None


def _published() -> Selfcheck:
    """Return what serbench publishes of itself."""
    path = resources("data") / "selfcheck.json"
    return selfcheck_file(path) if path.exists() else Selfcheck({})


def selfcheck_file(path: Path) -> Selfcheck:
    """Return the self-check that `serbench selfcheck --output` wrote.

    Raises:
        PlanError: the file cannot be read, or is another.
    """
    try:
        data = checked(dict[str, Any], parsed(path.read_text(encoding="utf-8"), "selfcheck"), "selfcheck")
        return read_selfcheck(data.get("parts"))
    except (OSError, ValueError) as error:
        how = f"`serbench selfcheck --stored --output {path}` writes it"
        raise PlanError(f"{path} cannot be read ({error}); {how}") from None


def measured(part: Callable[[bool, Path, Tell], Mapping[str, Any]], quick: bool, tell: Tell) -> dict[str, Any]:
    """A part with the machine on which and the date when it was measured."""
    began, date = time.monotonic(), now()
    with scratch_folder() as scratch:
        try:
            result = part(quick, scratch, tell)
        except BuildError as error:
            raise PlanError(str(error)) from None
    return {
        "date": date,
        "seconds": time.monotonic() - began,
        "serbench": main_environment().installed("serbench"),
        "machine": machine(),
        "quick": quick,
        **result,
    }


def _aa(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """Identical cases under two names."""
    trials = _trials((BASE, AGAIN), 4 if quick else 36, scratch, tell)
    conductor, wall = sum(trial.conductor_ns for trial in trials), sum(trial.wall_ns for trial in trials)
    return {**_of(trials), "conductor_ns": conductor, "wall_ns": wall}


def _injected(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """Cases that make 1.02, 1.05 and 1.20 times the calls."""
    trials = _trials((BASE, *INJECTED), 3 if quick else 24, scratch, tell)
    return _of(trials)


def _neighbours(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    """Identical cases and 1.05 times the work, in turn without and beside each neighbour."""
    if len(usable_cores()) < 2:
        raise PlanError("the part neighbours needs two cores and CPU pinning; leave it out")
    count = 1 if quick else 8
    trials: list[Trial] = []
    for number, block in enumerate(blocks((BASE, AGAIN, "x1.05"), count, CONDITIONS)):
        for kind in ("quiet", *NEIGHBOURS):
            tell(f"block {number + 1} of {count}, {kind}")
            with contextlib.nullcontext() if kind == "quiet" else neighbour(kind):
                trials += measured_trials([block], scratch, kind)
    return _of(trials)


def _loop(quick: bool, scratch: Path, tell: Tell) -> dict[str, Any]:
    tell("the loop around an empty function")
    return dict(loop_times(5 if quick else 20, scratch))


def loop_times(processes: int, scratch: Path) -> dict[str, list[float]]:
    """Nanoseconds per call by serbench's loop and by timeit's, in so many fresh processes."""
    loops = []
    with Watchdog() as watchdog, WorkerSession(main_environment(), watchdog, scratch, RequestLimits(60.0)) as session:
        session.pin(max(usable_cores(), default=None))
        for _ in range(processes):
            with session:
                loops.append(session.call(WEIGHER, "overhead", loops=LOOPS, turns=TURNS))
    return {name: [loop[name] for loop in loops] for name in loops[0]}


def _trials(names: tuple[str, ...], count: int, scratch: Path, tell: Tell) -> list[Trial]:
    trials = []
    for trial in measured_trials(blocks(names, count, CONDITIONS), scratch):
        trials.append(trial)
        tell(f"block {len(trials)} of {count}")
    return trials


def _of(trials: list[Trial]) -> dict[str, Any]:
    pairs = list(chain.from_iterable(trial.pairs for trial in trials))
    failures = sorted(set(chain.from_iterable(trial.failures for trial in trials)))
    return {"conditions": CONDITIONS, "pairs": as_columns(pairs), "failures": failures}


PARTS: Mapping[str, Callable[[bool, Path, Tell], Mapping[str, Any]]] = {
    "aa": _aa,
    "injected": _injected,
    "neighbours": _neighbours,
    "loop": _loop,
}
"""The parts, each of which can be measured by itself."""
