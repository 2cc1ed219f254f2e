"""Any plan runs to its end, with a row or a reason for each cell: drawn plans, in workers that are planted and time nothing."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from planted import GOOD, VALUE, Heard, case, measured

from serbench.judge.rows import rows
from serbench.judge.waves import SampleTable
from serbench.measure import conduct, subjects
from serbench.measure.listener import Finished
from serbench.measure.plan import Plan, blocks
from serbench.measure.session import Fault, WorkerSession
from serbench.render.environments import main_environment
from serbench.results import OPERATIONS

FAULTS = {
    "raises": lambda: Fault("failed", "planted", fatal=False),
    "crashes": lambda: Fault("crashed", "planted", fatal=True),
    "hangs": lambda: Fault("timeout", "planted", fatal=True),
    "is killed": lambda: Fault("memory", "planted", fatal=True, retryable=True),
}
STEPS = ("prepare", "verify", "calibrate", "measure", "freeze", "drop", "wrong")
ENVIRONMENTS = [main_environment(), replace(main_environment(), name="other")]


@dataclass(frozen=True)
class PlantedCase:
    """A case of a plan: what it has, how fast it is, and what goes wrong with it.

    Attributes:
        written, read: which text its functions have; cases with the same texts run the very same code.
        ns: operation → the time of a call.
        holder: the kind of its records.
        faults: the step at which something goes wrong, from which request on, until which, and how.
        let_through: the wrong documents that it accepts.
    """

    library: str
    variant: str = "default"
    codec: str = "json"
    environment: int = 0
    operations: tuple[str, ...] = ("encode", "decode")
    written: int = 0
    read: int = 0
    ns: tuple[int, ...] = (1000,) * len(OPERATIONS)
    holder: str = "objects"
    faults: tuple[tuple[str, int, int, str], ...] = ()
    let_through: tuple[str, ...] = ()

    def case(self):
        """The case that the engine gets."""
        source = GOOD.replace("def encode(items):\n", "def encode(items):\n" + "    items = items\n" * self.written)
        source = source.replace("def decode(blob):\n", "def decode(blob):\n" + "    blob = blob\n" * self.read)
        made = case(self.library, source, unique=False)
        codec = replace(made.codec, name=self.codec)
        environment = ENVIRONMENTS[self.environment]
        return replace(made, variant=self.variant, codec=codec, operations=self.operations, environment=environment)


@dataclass(frozen=True)
class PlantedPlan:
    """The cases of a run with its options; `stop_after` samples it is interrupted, and resumed."""

    cases: tuple[PlantedCase, ...]
    operations: tuple[str, ...] = ("encode", "decode")
    paired: bool = False
    heavy: bool = False
    stop_after: int | None = None


@dataclass
class Planted:
    """What all workers of a run share: the cases by name, and how often each step of each was asked for."""

    plan: PlantedPlan
    asked: Counter = field(default_factory=Counter)
    by_key: dict[str, PlantedCase] = field(default_factory=dict)

    def __post_init__(self):
        self.by_key = {one.case().module_name: one for one in self.plan.cases}

    def session(self):
        """A class of sessions whose workers do as planted, and hold the engine to the worker's protocol."""
        planted = self

        class Session(WorkerSession):
            def ask(self, do, **arguments):
                key = arguments.get("case")
                if key is not None and do != "prepare":
                    assert key in self.known or do in ("wrong", "freeze", "drop"), (
                        f"{do} of {key}, which is not prepared"
                    )
                one = planted.by_key.get(key)
                planted.asked[do, key] += 1
                for step, first, last, how in one.faults if one else ():
                    if step == do and first <= planted.asked[do, key] <= last:
                        fault = FAULTS[how]()
                        if fault.fatal:
                            self.end()
                        raise fault
                return getattr(self, do)(one, **arguments) if hasattr(Session, do) and do in ANSWERS else {}

            def take(self, other):
                self.end()
                self.known, other.known = other.known, set()

            def verify(self, one, **_):
                return {"blob": json.dumps(VALUE).encode(), "difference": None, "holder": one.holder, "lost": {}}

            def calibrate(self, one, *, operation, target_ns, **_):
                each = one.ns[OPERATIONS.index(operation)]
                assert operation in one.operations
                return {"loops": max(1, target_ns // each), "each_ns": each}

            def measure(self, one, *, operation, loops, **_):
                assert operation in one.operations
                spent = one.ns[OPERATIONS.index(operation)] * loops
                return {"times": [spent, spent, spent, 0]}

            def wrong(self, one, *, wrong, **_):
                return {"let_through": [operation for operation in wrong if operation in one.let_through]}

        return Session


ANSWERS = ("verify", "calibrate", "measure", "wrong")


@st.composite
def planted_cases(draw):
    """A case of a few libraries, variants and codecs, with any of the operations, and perhaps something that goes wrong."""
    faults = st.tuples(
        st.sampled_from(STEPS), st.integers(1, 40), st.sampled_from([0, 1, 3, 999]), st.sampled_from(sorted(FAULTS))
    ).map(lambda fault: (fault[0], fault[1], fault[1] + fault[2], fault[3]))
    return PlantedCase(
        library=draw(st.sampled_from("abc")),
        variant=draw(st.sampled_from(["default", "v"])),
        codec=draw(st.sampled_from(["json", "other"])),
        environment=draw(st.sampled_from([0, 0, 0, 1])),
        operations=tuple(draw(st.lists(st.sampled_from(OPERATIONS), min_size=1, unique=True)))
        if draw(st.booleans())
        else ("encode", "decode"),
        written=draw(st.integers(0, 1)),
        read=draw(st.integers(0, 1)),
        ns=tuple(draw(st.sampled_from([300, 1000, 1100, 2_000_000, 300_000_000])) for _ in OPERATIONS),
        holder=draw(st.sampled_from(["objects", "objects", "generated objects", "builtins"])),
        faults=tuple(draw(st.lists(faults, max_size=2))),
        let_through=tuple(draw(st.sets(st.sampled_from(["reject", "reject_first"])))),
    )


@st.composite
def plans(draw):
    """A plan of up to eight cases."""
    cases = draw(
        st.lists(
            planted_cases(),
            min_size=1,
            max_size=8,
            unique_by=lambda one: (one.library, one.variant, one.codec, one.environment),
        )
    )
    few = st.sampled_from([("encode", "decode"), ("encode",), ("decode", "reject")])
    operations = draw(few | st.lists(st.sampled_from(OPERATIONS), min_size=1, unique=True).map(tuple))
    return PlantedPlan(
        tuple(cases), operations, draw(st.booleans()), draw(st.booleans()), draw(st.none() | st.integers(1, 300))
    )


def run(plan: PlantedPlan) -> Heard:
    """Conduct a plan in planted workers, and once more from where it was interrupted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subjects, "WorkerSession", Planted(plan).session())
        patch.setattr(conduct, "strictness", lambda *_: "objects, unchecked")
        patch.setattr(conduct, "too_deep", lambda *_: None)
        if plan.heavy:
            patch.setattr(subjects, "HEAVY_BYTES", 0)
        heard, options = (
            Heard(stop_after=plan.stop_after),
            {"operations": plan.operations, "paired": plan.paired, "conditions": ("hot",)},
        )
        cases = [one.case() for one in plan.cases]
        try:
            return measured(*cases, heard=heard, **options)
        except KeyboardInterrupt:
            before = Finished(list(heard.known.values()), SampleTable(heard.all_samples))
            rest = measured(*cases, finished=before, **options)
            rest.all_samples = [*heard.all_samples, *rest.all_samples]
            return rest


RIGHT, SLOW = PlantedCase("a"), (10_000,) * len(OPERATIONS)


FAILING = [PlantedCase(c, written=n, read=n, faults=(("measure", 1, 999, "raises"),)) for n, c in enumerate("abcdef")]


def encodes_at(ns: int, rest: int) -> tuple[int, ...]:
    """The times of a case whose other operations take longer or shorter than encoding."""
    return tuple(ns if operation == "encode" else rest for operation in OPERATIONS)


@pytest.mark.slow
@example(PlantedPlan((RIGHT, PlantedCase("b", read=1, ns=encodes_at(1000, 300)))))
@example(PlantedPlan((RIGHT, PlantedCase("b", operations=("decode",), read=1, ns=encodes_at(1000, 300)))))
@example(PlantedPlan((PlantedCase("a", operations=("encode",)), PlantedCase("b")), paired=True))
@example(PlantedPlan((*FAILING, PlantedCase("g", written=7, read=7, ns=SLOW))))
@given(plans())
def test_a_plan_runs_to_its_end_with_a_row_or_a_reason_for_each_cell(plan):
    """Whatever is chosen, merged, slow or failing, and whichever case becomes the reference."""
    heard = run(plan)
    cells = list(heard.known.values())
    cases = [(cell.library, cell.variant, cell.codec, int(cell.environment == "other")) for cell in cells]
    assert {(one.library, one.variant, one.codec, one.environment) for one in plan.cases} == set(cases)
    assert len(heard.all_samples) == len({(s.cell, s.wave, s.visit, s.round) for s in heard.all_samples})
    visited = defaultdict(set)
    for sample in heard.all_samples:
        visited[sample.cell].add(sample.wave)
    references = Counter((cell.operation, cell.status == "ok") for cell in cells if cell.reference and not cell.control)
    assert all(number == 1 for number in references.values())
    faultless = {(one.library, one.variant, one.codec, one.environment) for one in plan.cases if not one.faults}
    original = {cell.identity: cell for cell in cells if cell.same_as is None and not cell.control}
    for cell, case_ in zip(cells, cases, strict=True):
        if cell.status != "ok":
            assert cell.control or cell.reason
            assert cell.control or cell.status == "unsupported" or case_ not in faultless
        elif cell.same_as is not None:
            assert cell.measured_as in original
        elif not cell.control:
            assert len(visited[cell.id]) >= 4
    shown = [cell for cell in cells if not cell.control]
    table = rows(cells, heard.all_samples)
    assert len(shown) == len(table)
    for row in table:
        assert row.measured or row.reason
        assert not row.measured or row.ratio is not None


def test_the_reference_of_one_operation_does_the_others_in_each_visit(monkeypatch):
    """Even if their very same code is another case's: a process that only decodes is slower than one that encodes too."""
    together, visit = [], conduct.visit

    def spied(chosen, operation, *arguments, **options):
        if "wave" in options:
            together.append((operation, {subject.case.library.name for subject in chosen}))
        return visit(chosen, operation, *arguments, **options)

    monkeypatch.setattr("serbench.measure.case_waves.visit", spied)
    heard = run(PlantedPlan((RIGHT, PlantedCase("b", read=1, ns=encodes_at(1000, 300)))))
    assert (heard.cell("b", "encode").same_as, heard.cell("b", "decode").reference) == ("a", True)
    assert all(libraries == {"a", "b"} for _, libraries in together)
    merged = heard.cell("b", "encode").id
    assert merged not in {sample.cell for sample in heard.all_samples}


def test_what_is_named_twice_is_measured_once():
    """Also conditions in other words; the plan is that of a run which names it once, as it is stored."""
    names = {"libraries": ("msgspec",), "formats": ("msgspec/json",)}
    once = {"workloads": ("tiny", "client"), "records": (1, 5), "depth": (2,), "operations": ("decode",)}
    twice = {name: (*values, *values) for name, values in (names | once).items()}
    plan = Plan(**twice, conditions=("varied", "hot", "documents+fresh+kept"))
    assert Plan(**names, **once, conditions=("varied", "hot")) == plan == Plan.from_data(plan.as_data() | twice)
    points = Counter(block.point for block in blocks(plan))
    assert (8, {1}) == (len(points), {*points.values()})
