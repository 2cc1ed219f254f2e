"""Argument types of the public functions, and the options that are not fields of `Plan`.

An argument that has the name of a field of `Plan` is declared there. A function takes the options that several share at
once, as `**options: Unpack[choices.Measurement]`, and its own with the types below. From the declarations come its help
and signature in Python, the options of its command, the tables in the documentation and the tooltips of the explorer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from serbench.measure.options import Fit, Option, size, whole
from serbench.measure.plan import READING, Plan
from serbench.model.data.dataset import workload_names
from serbench.render.selection import parse_gate_side
from serbench.render.user_class.find import function_located, is_class
from serbench.store.recorder import RunListener
from serbench.store.run import Run

Names = str | Iterable[str] | None
Numbers = int | Iterable[int] | None
AnyPath = str | os.PathLike[str]
Schema = AnyPath | Mapping[str, Any] | None
Model = str | type | Iterable[str | type] | None
Libraries = str | Iterable[str | Mapping[str, Any]] | Mapping[str, Any] | None
Function = str | Callable[..., Any]
Comparable = Function | tuple[Function, Function]

FIELDS = {
    "workload": "workloads",
    "budget": "budget_s",
    "time_limit": "time_limit_s",
    "memory_limit": "memory_limit_bytes",
}
"""Arguments that a plan stores under another name."""
_ARGUMENTS = {field: name for name, field in FIELDS.items()}
_PLANNED = {_ARGUMENTS.get(field.name, field.name): field for field in fields(Plan) if field.metadata}
OPTIONS: dict[str, Option] = {name: field.metadata["option"] for name, field in _PLANNED.items()}
"""Argument → its declaration in `Plan`."""
GROUPS = {"data": [*OPTIONS][: [*OPTIONS].index("libraries")], "cases": ["libraries", "formats", "python"]}
"""Arguments that the documentation names together where they are as for `run`."""


_INITIAL = {"resume": False, "jobs": 1, "progress": False, "requirements": (), "unequal": False}


def initial(name: str) -> Any:
    """Return the default of an argument that functions share: of several values, none or one."""
    if name not in _PLANNED:
        return _INITIAL.get(name)
    default = _PLANNED[name].default
    if not isinstance(default, tuple) or len(default) > 1:
        return default
    return default[0] if default else None


# What several functions take

Store = Annotated[
    str | Path | None,
    Option("SQLite file of all results", "--store FILE", "`$SERBENCH_STORE`, or a file in your data folder"),
]
Progress = Annotated[bool, Option("Show progress: in a notebook as one changing line, elsewhere on standard error")]
Listener = Annotated[
    RunListener | None,
    Option("Object of a subclass of `serbench.RunListener`, whose methods are called at each step, visit and wave"),
]
Command = Annotated[str | None, Option("Call that the run records", default="this call")]
LibraryName = Annotated[str, Option("Library, such as `marshmallow`, `pydantic@2.5` or `msgspec[gc=False]`", "LIBRARY")]
CodecName = Annotated[str, Option("Codec, format or codec/format, such as `orjson`, `json` or `json/json`", "CODEC")]
RunName = Annotated[str, Option("A run's id, its beginning, `latest` or `previous`", "RUN")]
With = Annotated[
    str | Iterable[str],
    Option(
        "Packages of an environment in which the functions run, such as `pydantic==2.12.5` or, in quotes, "
        "`pydantic==2.12.5 orjson`; `installed` is serbench's own; several are rows of one run",
        "--with PACKAGES",
        "`installed`",
    ),
]
OneWorkload = Annotated[
    str, Option("Generated data: a name of `serbench show workloads`", "--workload -w", choices=workload_names)
]
OneRecords = Annotated[
    int | None,
    Option(
        "Number of records; 1 makes the document one object, any other number a list",
        "--records -n N",
        "the workload's own",
        limits=OPTIONS["records"].limits,
    ),
]
OneDepth = Annotated[
    int | None,
    Option("Levels of nested records", "--depth -d N", "the workload's own", limits=OPTIONS["depth"].limits),
]


class Reading(TypedDict, total=False):
    """How a payload is read."""

    literal_strings: bool
    sample: int
    as_map: Names
    as_record: Names
    as_union: Names
    as_text: Names
    as_any: Names


class OneDocument(Reading, total=False):
    """The data of functions that take one case and one size."""

    records: OneRecords
    depth: OneDepth
    seed: int
    payload: object
    schema: Schema


class Documents(Reading, total=False):
    """The data of functions that take many cases and sizes."""

    records: Numbers
    depth: Numbers
    seed: int
    payload: object
    schema: Schema
    model: Model


class Limited(Documents, total=False):
    """Within which limits processes work, and where their figures are kept."""

    time_limit: float
    memory_limit: int
    store: Store
    listener: Listener


class Proof(Limited, total=False):
    """What is proven of cases."""

    formats: Names
    python: Names
    operations: Names
    keeps_all: bool


class Measurement(Proof, total=False):
    """How verified cases are timed, and where."""

    conditions: Names
    gc: str
    precision: float | None
    budget: float | None
    resume: Annotated[
        bool | Literal["newest"],
        Option(
            "Resume the newest unfinished run of the same plan; if no other option is given, of any plan",
            "--resume",
            python='"newest" resumes the newest of any plan',
        ),
    ]
    jobs: Annotated[int, Option("Number of blocks measured in parallel, each on its own core", "--jobs N")]
    scheduler: Annotated[
        str | None,
        Option(
            "Address of a Dask scheduler whose workers measure the blocks",
            "--scheduler tcp://HOST:PORT",
            fits=(Fit(replaces=("jobs",)),),
        ),
    ]
    executor: Annotated[
        Executor | None,
        Option(
            "Any `concurrent.futures.Executor` that measures the blocks; serbench does not shut it down",
            fits=(Fit(replaces=("jobs", "scheduler")),),
        ),
    ]
    progress: Progress
    cancel: Annotated[
        threading.Event | None, Option("Event that another thread may set to end the run, as Ctrl-C does")
    ]
    command: Command


ORDER = [*OPTIONS, "store", "resume", "jobs", "scheduler", "executor", "progress", "listener", "cancel", "command"]
"""The arguments that functions share, as every function has them."""


def option_of(name: str, hint: Any) -> Option | None:
    """Return the declaration of an argument: in its type, or of the plan's field."""
    of_type = (part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Option))
    return next(of_type, OPTIONS.get(name))


# Comparing


def _are_runs(values: Mapping[str, Any]) -> bool:
    parts = [part for item in values["compared"] for part in (item.split(",") if isinstance(item, str) else [item])]
    return all(isinstance(part, str) and function_located(part) is None for part in parts)


Compared = Annotated[
    Comparable | Mapping[str, Comparable],
    Option(
        "Two runs (the id, its beginning, `latest`, `previous`; the second is `latest` if it is left out), or functions as "
        "`file.py:function` or `module:function`; pairs that encode and decode as `file.py:encode,file.py:decode`",
        "RUN|FILE.PY:FUNCTION",
        python="functions themselves, pairs of them as tuples, or a dict by labels",
        fits=(
            Fit(leaves=("store", "as_json", "verbose"), why="is a run", when=_are_runs),
            Fit(replaces=("store", "verbose"), why="is a function", when=lambda values: not _are_runs(values)),
        ),
    ),
]
Setup = Annotated[
    Function | None,
    Option(
        "Function that makes the argument of each call, as `file.py:function`; if it takes a parameter, that is the number "
        "of the argument, from 0",
        "--setup FILE.PY:FUNCTION",
        python="or the function",
    ),
]
Unequal = Annotated[bool, Option("Time the functions even if they give different answers", "--unequal")]


class Comparing(TypedDict, total=False):
    """How functions are compared, and where."""

    setup: Setup
    requirements: With
    conditions: Names
    unequal: Unequal
    python: Names
    effort: str
    budget: float | None
    store: Store
    listener: Listener


# Judging


def _names_no_codec(values: Mapping[str, Any]) -> bool:
    """Tell if neither side of a gate is a version of a codec that serbench's own models are measured with."""
    library = values.get("library", "dataclasses")
    sides = (parse_gate_side(values[name], library) for name in ("baseline", "candidate"))
    return "model" in values or not any("+" in side for side in sides)


_AS_IT_IS = "takes a run as it is"
OF_A_LINE = ("bandwidth", "cores", "compression")
"""The options of `recommend` that ask for messages per second."""
VersionedLibrary = Annotated[
    str,
    Option("Library or codec, or the distribution that provides it, such as `pydantic` or `orjson`", "LIBRARY"),
]
Versions = Annotated[
    Names,
    Option(
        "Versions, such as `1.10.2 2.5 installed`: `2.5` is the newest 2.5.x, `installed` that of serbench's own "
        "installation",
        "VERSION",
        "of a library, one for each of its generations",
    ),
]
Baseline = Annotated[
    str,
    Option(
        "What to compare with: a version of a codec or library (`orjson==3.10`), with `--model` that of your class; a library "
        "as for `run`; or `yours` for the class of `--model`",
        "--baseline",
        fits=(Fit(replaces=("library",), why="is not a codec that a run can measure", when=_names_no_codec),),
    ),
]
Candidate = Annotated[str, Option("Version or library to judge, named in the same way", "--candidate")]
ModelLibrary = Annotated[str, Option("Library of the models if you compare codecs", "--library -l")]
Threshold = Annotated[float, Option("Smallest slowdown that counts", "--threshold PERCENT")]
Demands = Annotated[
    Names,
    Option(
        "Demands to meet: `human-readable`; `validating` (it does not accept wrong input or run it as code); "
        "`no-compiled-code`; `standard-library`; `exact-decimal`",
        "--demand",
    ),
]
Present = Annotated[
    str | None,
    Option(
        "Library and codec that you use today, such as `pydantic/json`, `dataclasses/orjson/json`, or `yours/json` for the class of "
        "`--model`, which is the default if there is one: it is measured among the first, and the answer says what it costs and what a change would gain",
        "--present LIBRARY/CODEC",
    ),
]
Measured = Annotated[
    Run | str | None,
    Option(
        "Judge by this stored run (its id, its beginning or `latest`) instead of a new one",
        "--run RUN",
        fits=(
            Fit(leaves=("store", "demands", "present", "operations", *OF_A_LINE, "as_json", "verbose"), why=_AS_IT_IS),
            Fit(replaces=("operations",), why=_AS_IT_IS, when=lambda values: values.keys().isdisjoint(OF_A_LINE)),
        ),
    ),
]

# Claims

Claims = Annotated[Names, Option("Claims such as `003-take`, or `003` for a whole source", "ID", "all")]
ClaimVersions = Annotated[Names, Option("Only these sets of versions, such as `now`", "--versions", "all")]
ClaimSources = Annotated[str | Path | None, Option("Folder with your own claims", "--sources DIR", "serbench's")]
ClaimOutput = Annotated[
    str | Path | None,
    Option(
        "Folder to which each outcome is written as soon as it is measured, with all its figures and rows",
        "--output DIR",
    ),
]
OnOutcome = Annotated[
    Callable[[Any], None] | None, Option("Function called with each outcome as soon as it is measured")
]

# Data of one's own

Described = Annotated[
    object,
    Option(
        "Data, a JSON Schema or a part of one (`FILE#/…`), or a class as `module:Class`",
        "FILE|MODULE:CLASS",
        python="or any Python object, or the class itself",
        fits=(Fit(replaces=READING, why="says how its data is read", when=lambda values: is_class(values["payload"])),),
    ),
]
Form = Annotated[
    Literal["tree", "json-schema", "python", "example"],
    Option(
        "`tree`, to read; `json-schema`, to edit and pass back with `--schema`; `python`, as dataclasses; `example`, a document to fill in and pass with `--payload`",
        "--as FORM",
    ),
]
Check = Annotated[
    AnyPath | Iterable[AnyPath],
    Option(
        "Further files that the module must read and write again: names, or a pattern such as `more/*.json`",
        "--check FILE",
    ),
]
Lossy = Annotated[bool, Option("Write the module even if it loses data, and name the losses", "--lossy")]
ForbidUnknown = Annotated[
    bool,
    Option(
        "Refuse unknown keys, by the library's documented option",
        "--forbid-unknown",
        fits=(Fit(replaces=("keep_unknown",)),),
    ),
]
KeepUnknown = Annotated[bool, Option("Keep unknown keys, by the library's documented option", "--keep-unknown")]
To = Annotated[AnyPath | None, Option("File to write, which must not exist yet", "--output -o FILE", "standard output")]

# What codecs do, weights and profiles

Matrices = Annotated[Iterable[str], Option("Matrices to measure: `fidelity`, `strictness` or both")]
Values = Annotated[int, Option("Number of values of each type, at least 1", read=whole)]
FileSize = Annotated[int, Option("Minimum size of the file", read=size)]
Metrics = Annotated[
    Names,
    Option(
        "Metrics to weigh: `memory`, `start`, `installed`, `threads`, `leak`",
        "--metric",
        "`memory`, `start`, `installed`",
    ),
]
Servers = Annotated[
    Names,
    Option(
        "Servers through which the endpoints are requested, on loopback: `uvicorn`, `granian`, `hypercorn`, `gunicorn`; the "
        "table has requests per second, latency and memory, and nothing else",
        "--server NAME",
    ),
]
Processes = Annotated[
    int, Option("Number of fresh processes per figure; an interval needs at least 6", "--processes N")
]

# Environments, the check of serbench itself, and notebooks

Environments = Annotated[
    Iterable[str],
    Option(
        "Environments of `serbench show environments`, or libraries as for `run`, such as `pydantic@2.5`", "NAME", "all"
    ),
]
EnvironmentName = Annotated[str, Option("Environment of `serbench show environments`", "NAME")]
Parts = Annotated[Names, Option("Only these parts: `aa`, `injected`, `neighbours`, `loop`", "--part", "all")]
Quick = Annotated[bool, Option("Measure a tenth of everything, in a few minutes, and store it separately", "--quick")]
Measure = Annotated[
    bool, Option("Measure; if False, return only what is stored", fits=(Fit(replaces=("parts",), why="is False"),))
]
