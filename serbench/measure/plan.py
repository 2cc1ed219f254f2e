"""The plan of a run: the user's choices, and the blocks and cases that follow from them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from itertools import chain, product
from math import prod
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias

from serbench.errors import PlanError
from serbench.judge.outcomes import DROPPED
from serbench.judge.waves import Wanted
from serbench.measure.listener import Listener, Progress
from serbench.measure.options import Fit, declared, joined
from serbench.measure.stream import Conditions
from serbench.model.data.dataset import MOST_RECORDS, Dataset, generate, workload_names
from serbench.model.data.payload import from_payload
from serbench.model.fidelity import without_further
from serbench.model.inference.decided import Overrides
from serbench.model.json_schema.files import split
from serbench.model.normalise import without_ignored
from serbench.render.case import Case, functions_case, is_of_functions, lay_out, render
from serbench.render.codec import codec_names
from serbench.render.environments import MAIN, Environment, Recipe, built, make
from serbench.render.framework import endpoint_cases, is_own_app, own_cases, shown
from serbench.render.library import libraries as known_libraries
from serbench.render.selection import ChosenCase, chosen_codecs, recipes, selection
from serbench.render.user_class.conversion import TookTooLong, left, limited
from serbench.render.user_class.documents import Reading
from serbench.render.user_class.find import UserModel, load_model, recipe_of, summaries, use_interpreter, with_packages
from serbench.render.user_class.library import base_of, directed, user_cases, via_cases
from serbench.render.user_class.values import by_direction, user_values
from serbench.results import DIRECTIONS, OPERATIONS, VIA, YOURS, Point

DEEPEST = 1000
LARGE_BYTES, SAMPLE_BYTES = 256 << 10, 64 << 10
"""A larger file is sampled by a quick run, in documents of about this size."""
OF_A_PART = ("decode", "read", "load")
"""What can be done with documents of whose fields some are read."""
Make: TypeAlias = Callable[[set[Recipe]], Mapping[Recipe, Environment]]


@dataclass(frozen=True)
class Effort:
    """The least and the greatest number of waves, and the precision at which a cell is done that may lead.

    `everywhere` asks for that precision of all cells.
    """

    waves_min: int
    waves_max: int
    precision: float
    everywhere: bool = False

    @property
    def wanted(self) -> Wanted:
        """The waves and precision wanted of a cell that may lead."""
        return Wanted(self.precision, self.waves_min)


EFFORTS = {
    "quick": Effort(4, 4, 0.03),
    "normal": Effort(6, 16, 0.02),
    "thorough": Effort(6, 32, 0.01),
}


def _waves(name: str) -> str:
    effort = EFFORTS[name]
    most = effort.waves_max
    count = f"{effort.waves_min} to {most}" if effort.waves_min < most else f"{most} repetitions"
    return f"`{name}`: {count}, for ±{effort.precision * 100:g}%"


def _known_library(name: str) -> object:
    return None if is_of_functions(name) or name.startswith(YOURS) else recipes(name)


PLUGGED = ("workloads", "libraries", "formats")
"""Fields whose names a plug-in may add, which a stored plan keeps when it has gone."""
READING = ("literal_strings", "as_map", "as_record", "as_union", "as_text", "as_any")
"""The options that say how a payload is read."""
_OF_PAYLOAD = (Fit(needs=("payload", "file", "what")),)  # --payload, FILE of `recommend`, or what `show` shows


@dataclass(frozen=True)
class Plan:
    """All choices of a run: what is measured, and how. Equal plans ask for the same run.

    The fields declare the options of `serbench.run` of these names, and of all else that has them; `argument_of` has
    those with other names. Tuples are empty for the default; `payload` and `schema` are absolute paths, and `model` is
    "folder:module:Class", as are further classes beside it. What is named twice counts once.
    """

    workloads: tuple[str, ...] = declared(
        ("client",),
        "Generated data: one or several names of `serbench show workloads`, or `all`",
        "--workload -w",
        choices=workload_names,
    )
    records: tuple[int, ...] = declared(
        (),
        "Number of records: one or several numbers, such as `1,100,10_000`",
        "--records -n N",
        "the workload's own",
        limits=(1, MOST_RECORDS),
    )
    depth: tuple[int, ...] = declared(
        (),
        "Levels of nested records: one or several numbers",
        "--depth -d N",
        "the workload's own",
        limits=(1, DEEPEST),
    )
    seed: int = declared(0, "Random seed for the values", "--seed N")
    payload: str | None = declared(
        None,
        "Your own file, measured instead of a workload",
        "--payload -p FILE",
        python="or any Python object",
        fits=(Fit(replaces=("workload",)),),
    )
    literal_strings: bool = declared(
        False,
        "Keep all texts of the payload as text, even if they look like dates",
        "--literal-strings",
        fits=_OF_PAYLOAD,
    )
    sample: int = declared(
        0,
        "Number of records to read of a large payload: of JSON Lines, evenly spaced ones; of a JSON array, CSV or "
        "Parquet, the first, and of a JSON object the first keys; `0` reads all, but 10,000 of JSON Lines or a JSON array "
        "above 64 MB, or of JSON with more than a million different keys",
        "--sample N",
        fits=_OF_PAYLOAD,
        limits=(0, None),
    )
    as_map: tuple[str, ...] = declared(
        (),
        "Paths of objects that are maps: keys joined by dots, such as `packages.labels`, which means all places that "
        "end so; `$` is the root",
        "--map PATH",
        fits=_OF_PAYLOAD,
    )
    as_record: tuple[str, ...] = declared((), "Paths of objects that are records", "--record PATH", fits=_OF_PAYLOAD)
    as_union: tuple[str, ...] = declared(
        (),
        "Paths of keys whose texts tell objects apart, such as `events.type`: a tagged union",
        "--union PATH",
        fits=_OF_PAYLOAD,
    )
    as_text: tuple[str, ...] = declared(
        (),
        "Paths of texts that stay text, even if they look like dates",
        "--text PATH",
        fits=_OF_PAYLOAD,
    )
    as_any: tuple[str, ...] = declared((), "Paths that may hold any JSON", "--any PATH", fits=_OF_PAYLOAD)
    schema: str | None = declared(
        None,
        "JSON Schema in place of the inferred one: a file, or a part of it such as `openapi.yaml#/components/schemas/Pet`",
        "--schema FILE",
        python="or a dict",
        fits=(*_OF_PAYLOAD, Fit(replaces=READING, why="says how the payload is read")),
    )
    model: str | None = declared(
        None,
        "Your own class, `module:Class` or `models.py:Class`; may be repeated, to compare classes with data that all accept",
        "--model -m MODULE:CLASS",
        python="or the class itself, also of a notebook cell",
        fits=(
            Fit(replaces=("workload",)),
            Fit(replaces=("schema", *READING), why="says how its data is read"),
            Fit(replaces=("depth",), why="has no field for further levels", when=lambda values: "payload" in values),
        ),
    )
    more_models: tuple[str, ...] = ()
    libraries: tuple[str, ...] = declared(
        (),
        'Libraries: a name, one variant (`"msgspec[gc=False]"`) or all (`"msgspec[*]"`), a version (`pydantic@2.5`) '
        "or all its generations (`pydantic@*`), `installed`, `all`, or a file with `encode` and `decode` (`mine/json=codec.py`)",
        "--library -l",
        "the core libraries, and your class if any",
        choices=lambda: tuple(known_libraries()),
        refuse=_known_library,
        python='or a dict of your functions, such as `{"mine/json": (encode, decode)}`, alone or in the list',
    )
    formats: tuple[str, ...] = declared(
        (),
        "Formats (`json`), codecs (`orjson`), one codec of a format (`msgspec/json`) or `all`",
        "--format -f",
        "the core codecs",
        choices=codec_names,
        refuse=lambda name: chosen_codecs([name]),
    )
    endpoints: tuple[str, ...] = declared(
        (),
        "Endpoints of web frameworks, measured instead of libraries: a framework of `serbench show frameworks`, with its way of "
        "returning (`fastapi[response-model]`), what writes the body (`litestar/msgspec`), versions "
        "(`fastapi@0.130.0+starlette==0.52.1`), `fastapi[*]` for all its ways, or `all`",
        "--endpoint",
        fits=(Fit(replaces=("libraries", "formats", "python"), why="says what is measured"),),
    )
    request: str | None = declared(
        None,
        "Request to your own app, such as `GET /orders`; `--endpoint` names the app as `shop/api.py:app` or `module:app`, "
        "and other endpoints return the same body",
        "--request REQUEST",
        fits=(
            Fit(needs=("endpoints",)),
            Fit(
                replaces=("workload", "payload", "model", "records", "depth", "conditions"),
                why="decides what is returned",
            ),
        ),
    )
    python: tuple[str, ...] = declared(
        (),
        "Interpreters: `main` (serbench's own), `3.9`, `pypy3`, …; with `--model`, the path of the one that has your class",
        "--python",
        "each library's own",
    )
    operations: tuple[str, ...] = declared(
        ("encode", "decode"),
        f"Operations: {', '.join(f'`{name}`' for name in OPERATIONS)}",
        "--operation -o",
        choices=lambda: OPERATIONS,
    )
    paired: bool = declared(False, "Time combinations that differ only in library side by side, as `gate` does")
    keeps_all: bool = declared(
        False,
        "Leave out combinations that change, refuse or crash on an ordinary value of a type in the data; "
        "the reason names the value",
        "--keeps-all",
    )
    conditions: tuple[str, ...] = declared(
        ("varied",),
        "What consecutive calls get: `varied` (other documents, new objects, recent results still in use, as in a service), "
        "`hot` (the same document again and again), or parts of `varied`, such as `documents`, `documents=64+fresh` or `kept=4`",
        "--conditions",
    )
    gc: str = declared(
        "on", "Garbage collector while timing: `on` or `off`", "--gc on|off", choices=lambda: ("on", "off")
    )
    effort: str = declared(
        "normal",
        f"Repetitions (fresh processes) and precision of rows that may lead: {'; '.join(map(_waves, EFFORTS))}",
        f"--effort -e {'|'.join(EFFORTS)}",
        choices=lambda: tuple(EFFORTS),
    )
    precision: float | None = declared(
        None,
        "Half-width that the interval of every row must reach, such as `1%`",
        "--precision PERCENT",
        "the effort's, but ±5% or ±10% for rows proven slower",
    )
    budget_s: float | None = declared(
        None,
        "Stop after this time, such as `60s` or `5m`, reading and verifying included, and show the results so far",
        "--budget TIME",
    )
    time_limit_s: float = declared(
        60.0,
        "Longest time for one request to a worker process; what exceeds it becomes a row with that reason",
        "--time-limit TIME",
    )
    memory_limit_bytes: int = declared(
        8 << 30, "Address space of a worker process, `0` for no limit", "--memory-limit SIZE"
    )

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.metadata and field.name not in PLUGGED:
                option = field.metadata["option"]
                option.check(option.named(field.name, "").removeprefix("--"), getattr(self, field.name))
        object.__setattr__(self, "conditions", tuple(str(Conditions.parse(text)) for text in self.conditions))
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple):
                object.__setattr__(self, field.name, tuple(dict.fromkeys(value)))
        if not self.operations:
            raise PlanError("no operation to measure; name one of " + ", ".join(OPERATIONS))
        if self.precision is not None and not 0.001 <= self.precision <= 0.5:
            raise PlanError(f"precision must be between 0.1% and 50%, not {self.precision:.4g}; 2% is the usual")
        for what, value in (("budget", self.budget_s), ("time limit", self.time_limit_s)):
            if value is not None and value <= 0:
                raise PlanError(f"{what} must be more than 0 s, not {value:g}")

    @property
    def rules(self) -> Effort:
        """The effort, with the precision that was asked for."""
        effort = EFFORTS[self.effort]
        everywhere = self.paired or self.precision is not None
        return replace(effort, precision=self.precision or effort.precision, everywhere=everywhere)

    @property
    def samples_payload(self) -> bool:
        """True if a large file is measured as smaller documents: a quick run of which no size was asked for."""
        if self.payload is None or self.records or self.depth or self.effort != "quick":
            return False
        try:
            return Path(self.payload).stat().st_size > LARGE_BYTES
        except OSError:  # told when the payload is read
            return False

    def as_data(self) -> dict[str, Any]:
        """The plan as JSON data."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Plan:
        """A plan from `as_data`; those of earlier versions, which name no conditions, had `hot`."""
        known = {f.name for f in fields(cls)}
        data = {"conditions": ["hot"], **data}
        values = {name: tuple(v) if isinstance(v, list) else v for name, v in data.items() if name in known}
        return cls(**values)  # type: ignore[arg-type]  # JSON; __post_init__ checks it


@dataclass
class Block:
    """One workload at one size and depth with all its cases; ratios never leave it."""

    point: Point
    dataset: Dataset
    cases: list[Case]


def datasets(plan: Plan) -> Iterator[Dataset]:
    """The data of each block, generated or read one at a time.

    Raises:
        WorkloadError: an unknown workload, a size or depth that cannot be, a payload that is not JSON.
    """
    is_user_data = plan.payload is not None or plan.model is not None
    for name, records, depth in product(
        [""] if is_user_data else named_workloads(plan), plan.records or (None,), depths(plan) or (None,)
    ):
        if is_user_data:
            yield from _user_data(plan, records, depth)
        else:
            yield generate(name, records, depth, plan.seed)


def depths(plan: Plan) -> tuple[int, ...]:
    """The depths that are measured: those asked for; none if a class of the user's cannot be nested deeper."""
    if plan.model is None or plan.payload is not None or not plan.depth:
        return plan.depth
    use_interpreter(plan.python)
    return plan.depth if load_model(plan.model).parsed.user_schema.nests else ()


def fixed(plan: Plan) -> list[str]:
    """Say which sizes that are asked for cannot be had, and what is measured instead."""
    if not plan.depth or depths(plan):
        return []
    asked = ", ".join(f"{depth:,}" for depth in plan.depth)
    name = plan.model.rpartition(":")[2] if plan.model else ""
    return [
        f"{name} holds no record of its own type, so it cannot nest deeper: it is measured once, as it is, not at depth {asked}"
    ]


def operations_of(plan: Plan, dataset: Dataset) -> tuple[str, ...]:
    """The plan's operations; with the document of one direction only what the user's class does with it."""
    return tuple(name for name in plan.operations if name in _able(dataset))


def _able(dataset: Dataset) -> tuple[str, ...]:
    return OF_A_PART if dataset.written else DIRECTIONS[dataset.direction] if dataset.direction else OPERATIONS


def block_count(plan: Plan, dataset: Dataset) -> int:
    """The number of a plan's blocks, one of whose data sets is known: that of a direction has another beside it."""
    is_user_data = plan.payload is not None or plan.model is not None
    parts = (() if is_user_data else named_workloads(plan), plan.records, depths(plan), plan.conditions)
    beside = (
        [way for way, does in DIRECTIONS.items() if set(does) & set(plan.operations)] if dataset.direction else [""]
    )
    return prod([len(beside), *(len(part) or 1 for part in parts)])


def named_workloads(plan: Plan) -> Sequence[str]:
    """The plan's workloads; for "all", the names of all of them."""
    return workload_names() if plan.workloads == ("all",) else plan.workloads


def _user_data(plan: Plan, records: int | None, depth: int | None) -> list[Dataset]:
    use_interpreter(plan.python if plan.model else ())
    model = None if plan.model is None else load_model(plan.model)
    if plan.payload is not None:
        name, reading = Path(plan.payload).name, model and Reading(model)
        try:
            with nullcontext() if plan.budget_s is None else limited(left(plan.budget_s), name):
                dataset = from_payload(
                    plan.payload,
                    records,
                    depth,
                    plan.seed,
                    literal_strings=plan.literal_strings,
                    overrides=Overrides(plan.as_map, plan.as_record, plan.as_union, plan.as_text, plan.as_any),
                    schema=reading or plan.schema,
                    sample=plan.sample,
                    sample_bytes=SAMPLE_BYTES if plan.samples_payload else None,
                )
        except TookTooLong as error:
            if plan.budget_s is None or not str(error).startswith(name):
                raise
            smaller = "a part of the file" if plan.effort == "quick" else "--effort quick, which measures parts of it"
            raise PlanError(
                f"nothing was measured: reading {name} takes more than the budget of {plan.budget_s:g} s; "
                f"raise --budget, or try {smaller}"
            ) from None
        dataset = reading.of(dataset) if reading else dataset
        if any(f.ignored for record in dataset.schema.records for f in record.fields):
            return _reads_of_a_part(dataset, model)
        return [dataset] if model is None else by_direction(model, dataset)
    assert model is not None
    return user_values(model, records, depth, plan.seed, [load_model(model) for model in plan.more_models])


def _reads_of_a_part(dataset: Dataset, model: UserModel | None) -> list[Dataset]:
    """The documents as they are, of which some fields are read; and those of these fields alone, which are written."""
    part = without_rest(dataset)
    name = f"{dataset.name} (reads)"
    reads = replace(dataset, name=name, direction="reads", schema=part.schema, written=dataset.schema)
    writes = part if model is None else by_direction(model, part)[-1]
    return [reads, replace(writes, name=f"{dataset.name} (writes)", direction="writes")]


def without_rest(dataset: Dataset) -> Dataset:
    """The data set with the fields alone that are read."""
    schema, draw = without_ignored(dataset.written or dataset.schema), dataset.draw
    name = dataset.name.removesuffix(" (reads)") if dataset.written else dataset.name
    cut = partial(without_further, schema.as_data())
    drawn = None if draw is None else lambda number: cut(draw(number))
    return replace(dataset, name=name, direction="", schema=schema, value=cut(dataset.value), draw=drawn, written=None)


def blocks(plan: Plan, make: Make | None = None) -> Iterator[Block]:
    """The blocks of a plan, each with its cases rendered.

    `make` gives the environments of the recipes that the plan needs; by default those that are made already, and an
    unavailable one for each of the others. It is asked once the first data is there.

    Raises:
        PlanError: none of the operations can be done with the data; also as `datasets` and `chosen_cases`.
    """
    choices = chosen_cases(plan)
    environments: Mapping[Recipe, Environment] = {}
    able: dict[str, None] = {}
    for dataset in datasets(plan):
        able |= dict.fromkeys(_able(dataset))
        if not operations_of(plan, dataset):
            continue
        environments = environments or (make or as_built)({choice.recipe for choice in choices})
        cases = rendered(plan, choices, dataset, environments)
        for conditions in plan.conditions:
            yield Block(Point(dataset.name, dataset.records, dataset.depth, dataset.seed, conditions), dataset, cases)
    if able.keys().isdisjoint(plan.operations):
        asked, others = joined(plan.operations, "or"), joined(able, "or")
        raise PlanError(f"{asked} cannot be done with this data; name {others} with --operation")


def rendered(
    plan: Plan, choices: Iterable[ChosenCase], dataset: Dataset, environments: Mapping[Recipe, Environment]
) -> list[Case]:
    """The cases of these choices for a data set, with the variants beside them that leave out or ignore as much."""
    return lay_out(
        render(
            directed(c.library, dataset),
            c.variant,
            c.codec,
            dataset.schema,
            with_packages(environments[c.recipe]) if c.library.user_class else environments[c.recipe],
            plan.operations,
            dataset.written,
        )
        for c in dict.fromkeys(with_omitting(choices, dataset))
    )


def chosen_cases(plan: Plan) -> list[ChosenCase]:
    """The cases that the plan asks for."""
    if plan.endpoints:
        return _endpoints(plan)
    names = [text for text in plan.libraries if not is_of_functions(text)]
    users = [ChosenCase(*functions_case(text), MAIN) for text in plan.libraries if is_of_functions(text)]
    if users and not names and plan.model is None:
        return users
    return users + select_cases(names, plan.formats, plan.python, plan.model, plan.more_models)


def _endpoints(plan: Plan) -> list[ChosenCase]:
    """The user's own apps, and the endpoints of frameworks."""
    apps = [text for text in plan.endpoints if is_own_app(text)]
    if apps and plan.request is None:
        raise PlanError(f"{shown(apps[0])} is an app; name a request to it, such as --request 'GET /orders'")
    if plan.request is not None and not apps:
        raise PlanError("--request needs your own app; name it with --endpoint, such as shop/api.py:app")
    own = [ChosenCase(*case, MAIN) for case in own_cases(apps, plan.request)] if plan.request else []
    return own + [
        ChosenCase(*case) for case in endpoint_cases([text for text in plan.endpoints if text not in apps], plan.model)
    ]


def own_files(plan: Plan) -> list[Path]:
    """The user's files that a plan names: of data and schema, and those that have its classes, functions and apps."""
    named = [Path(plan.payload)] if plan.payload else []
    named += [split(plan.schema)[0]] if plan.schema else []
    named += [Path(text.partition("=")[2]) for text in plan.libraries if is_of_functions(text)]
    for located in filter(None, (plan.model, *plan.more_models, *filter(is_own_app, plan.endpoints))):
        *folder, module, _ = located.rsplit(":", 2)
        path = Path(*folder, *([module] if module.endswith(".py") else module.split(".")))
        named += [path, path.with_name(f"{path.name}.py"), path / "__init__.py"]
    return [path for path in dict.fromkeys(named) if path.is_file()]


def select_cases(
    texts: Sequence[str], formats: Sequence[str], pythons: Sequence[str], model: str | None, more: Sequence[str] = ()
) -> list[ChosenCase]:
    """The cases of libraries, formats and interpreters, with those of the user's class and of `more`, which come first.

    Among the libraries, "yours" is the class, "yours@2.10.6" the class with that version of its library, and
    "yours+orjson==3.10.0" that with this version of a codec, "yours via cattrs" the class, unchanged, in that library
    ("yours via *" in all that take such classes); if none of these is named, the class is added as it is. Further
    classes have the same rows, but no versions.

    Raises:
        PlanError: an unknown name, or a version of a class that nobody names.
    """
    versioned = [text for text in texts if re.match(rf"{YOURS}\b", text)]
    if model is None:
        if versioned:
            raise PlanError(f"{versioned[0]} means your own class; name it with --model")
        return selection(texts, formats, pythons)
    use_interpreter(pythons)
    names = [name for name in pythons if os.sep not in name]
    rest = [text for text in texts if text not in versioned]
    chosen = selection(rest, formats, names) if rest or not texts else []
    here, codecs = [recipe_of(pythons)], chosen_codecs(formats)
    via = [text.removeprefix(VIA).strip() for text in versioned if text.startswith(VIA)]
    called = summaries([load_model(one) for one in (model, *more)])[1:]
    further = dict(zip(more, called, strict=True))
    chosen += [
        ChosenCase(library, variant, codec, recipe)
        for name in via
        for taking, library, variant, codec in via_cases({model: "", **further}, name, codecs)
        for recipe in (here if here[0].python else recipes(taking.name, formats, names))
    ]
    there = [
        here if text == YOURS else recipes(base_of(model) + text.removeprefix(YOURS), formats, names)
        for text in (versioned or [YOURS])
        if not text.startswith(VIA)
    ]
    users = [(case, recipe) for recipe in dict.fromkeys(chain(*there)) for case in user_cases(model, codecs)]
    users += [(case, here[0]) for one, name in further.items() if there for case in user_cases(one, codecs, name)]
    return [*(ChosenCase(*case, recipe) for case, recipe in users), *chosen]


def with_omitting(choices: Iterable[ChosenCase], dataset: Dataset) -> Iterator[ChosenCase]:
    """The choices and the variants of other libraries that do as the user's class: leave out the same, or ignore keys."""
    for choice in choices:
        yield choice
        omits, codec = choice.library.omits, choice.codec
        if choice.variant != "default" or codec.typed or codec.format == "pickle":
            continue
        if dataset.left_out:
            alike = [variant for variant, words in omits.items() if words == dataset.left_out] or list(omits)
            yield from (choice._replace(variant=variant) for variant in alike)
        if dataset.written and DROPPED in choice.library.unknown_keys:
            yield choice._replace(variant=choice.library.unknown_keys[DROPPED])


def as_built(recipes: set[Recipe]) -> dict[Recipe, Environment]:
    """The environments that are made already; another is unavailable, and says what builds it."""
    missing = {r: Environment.unusable(r, f"not built yet: serbench env build {quote(r.name)}") for r in recipes}
    return missing | {recipe: made for recipe, made in built().items() if recipe in recipes}


def maker(listener: Listener, end: float | None = None) -> Make:
    """Return a function that makes the environments that a plan needs, until `end`; the listener hears of each."""

    def step(name: str, done: int, total: int) -> None:
        listener.progress(Progress(f"building {name}", 0, done, total))

    return lambda recipes: make(recipes, step, may_build=listener.may_build(), end=end)
