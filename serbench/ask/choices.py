"""The arguments that public functions share, each declared once: its type, its help, and how the command line reads it.

A function names its arguments with these types (`records: choices.Records = None`), or takes those that several share
at once (`**options: Unpack[choices.Measurement]`). From that come its help and signature in Python, the options of its command, the tables in the documentation and the tooltips of the explorer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor as AnyExecutor
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from serbench.ask.options import Fit, Option, fraction, seconds, size, whole
from serbench.keep.recorder import RunListener
from serbench.measure.plan import EFFORTS
from serbench.results import OPERATIONS

Names = str | Iterable[str] | None
Numbers = int | Iterable[int] | None
AnyPath = str | os.PathLike[str]


def _waves(name: str) -> str:
    effort = EFFORTS[name]
    most = effort.waves_max
    count = f"{effort.waves_min} to {most}" if effort.waves_min < most else f"{most} waves"
    return f"`{name}`: {count}, for ±{effort.precision * 100:g} %"


data_option = partial(Option, group="data")
case_option = partial(Option, group="cases", many=True)
READING = ("literal_strings", "as_map", "as_record", "as_union", "as_text")
"""The arguments that say how a payload is read."""
OF_PAYLOAD = Fit(needs=("payload", "file", "what"))
"""Of what a command takes as a payload: --payload, FILE of `recommend`, or what `show` shows."""
path_option = partial(Option, group="data", many=True, metavar="PATH", fits=(OF_PAYLOAD,))

# The data
Workload = Annotated[
    Names,
    data_option(
        "Generated data: one or several names of `serbench show workloads`, or `all`", "--workload -w", many=True
    ),
]
OneWorkload = Annotated[str, data_option("Generated data: a name of `serbench show workloads`", "--workload -w")]
Records = Annotated[
    Numbers,
    data_option(
        "Number of records: one or several numbers, such as `1,100,10_000`",
        "--records -n",
        "the workload's own",
        whole,
        many=True,
    ),
]
OneRecords = Annotated[
    int | None,
    data_option(
        "Number of records; 1 makes the document one object, any other number a list",
        "--records -n",
        "the workload's own",
        whole,
    ),
]
Depth = Annotated[
    Numbers,
    data_option(
        "Levels of nested records: one or several numbers",
        "--depth -d",
        "the workload's own",
        whole,
        many=True,
    ),
]
OneDepth = Annotated[
    int | None,
    data_option("Levels of nested records", "--depth -d", "the workload's own", whole),
]
Seed = Annotated[
    int,
    data_option("Random seed for the values", "--seed", read=whole, initial=0),
]
Payload = Annotated[
    object,
    data_option(
        "Your own file, measured instead of a workload",
        "--payload -p",
        python="or any Python object",
        metavar="FILE",
        fits=(Fit(replaces=("workload",)),),
    ),
]
LiteralStrings = Annotated[
    bool,
    data_option(
        "Keep all texts of the payload as text, even if they look like dates",
        "--literal-strings",
        initial=False,
        fits=(OF_PAYLOAD,),
    ),
]
AsMap = Annotated[
    Names,
    path_option(
        "Paths of the payload at which objects are maps: keys with points between them, such as `packages.labels`; "
        "`$` is the root, and a path that does not begin with it stands for all that end so",
        "--map",
    ),
]
AsRecord = Annotated[Names, path_option("Paths of the payload at which objects are records", "--record")]
AsUnion = Annotated[
    Names,
    path_option(
        "Paths of keys, such as `events.type`, whose texts tell objects apart: these are a tagged union", "--union"
    ),
]
AsText = Annotated[
    Names, path_option("Paths of the payload at which texts stay text, even if they look like dates", "--text")
]
SchemaFile = Annotated[
    AnyPath | Mapping[str, Any] | None,
    data_option(
        "JSON Schema of the payload, instead of the inferred one: a file, or a part of it such as "
        "`openapi.yaml#/components/schemas/Pet`",
        "--schema",
        python="or a dict",
        metavar="FILE",
        fits=(OF_PAYLOAD, Fit(replaces=READING, why="says how the payload is read")),
    ),
]
Model = Annotated[
    str | type | Iterable[str | type] | None,
    data_option(
        "Your own class, `module:Class` or `models.py:Class`, measured like one more library; further classes are rows "
        "beside it, with data that all of them take",
        "--model -m",
        many=True,
        python="or the class itself, of a cell too",
        metavar="MODULE:CLASS",
        fits=(
            Fit(replaces=("workload",)),
            Fit(replaces=("schema", *READING), why="says how its data is read"),
            Fit(replaces=("depth",), why="has no field for further levels", when=lambda there: "payload" in there),
        ),
    ),
]

# The cases
Libraries = Annotated[
    str | Iterable[Any] | Mapping[str, Any] | None,
    case_option(
        'Libraries: a name, one variant (`"msgspec[gc=False]"`) or all (`"msgspec[*]"`), a version (`pydantic@2.5`) '
        "or all that are there (`pydantic@*`), `installed`, `all`, or a file with `encode` and `decode` (`mine/json=codec.py`)",
        "--library -l",
        "the core libraries and added rows",
        python='or a dict of functions of your own, such as `{"mine/json": (encode, decode)}`, alone or in the list',
    ),
]
Formats = Annotated[
    Names,
    case_option(
        "Formats (`json`), codecs (`orjson`), one codec of a format (`msgspec/json`) or `all`",
        "--format -f",
        "the core codecs",
    ),
]
Python = Annotated[
    Names,
    case_option(
        "Interpreters to use: `main` (serbench's own), `3.9`, `pypy3`, …; with `--model`, the path of the one that has your class",
        "--python",
        "each library's own",
    ),
]
OnePython = Annotated[
    str | None, Option("Interpreter: `main` (serbench's own), `3.9`, `pypy3`, …", "--python", "the library's own")
]
LibraryName = Annotated[
    str,
    Option("Library, such as `marshmallow`, `pydantic@2.5` or `msgspec[gc=False]`", positional=True, metavar="LIBRARY"),
]
VersionedLibrary = Annotated[
    str,
    Option(
        "Library or codec, or the distribution that provides it, such as `pydantic` or `orjson`",
        positional=True,
        metavar="LIBRARY",
    ),
]
CodecName = Annotated[
    str,
    Option("Codec, format or codec/format, such as `orjson`, `json` or `json/json`", positional=True, metavar="CODEC"),
]

# The measuring
Operations = Annotated[
    Names,
    Option(
        f"Operations: {', '.join(f'`{one}`' for one in OPERATIONS)}",
        "--operation -o",
        many=True,
        initial=("encode", "decode"),
    ),
]
OneOperation = Annotated[str, Option("Operation to profile, one of those of `run`")]
Paired = Annotated[bool, Option("Visit cases that differ only in their library together, as `gate` does")]
KeepsAll = Annotated[
    bool,
    Option(
        "Leave out every case that changes, refuses or crashes on an ordinary value of a type that the data uses; "
        "the reason names the value",
        "--keeps-all",
        initial=False,
    ),
]
Conditions = Annotated[
    Names,
    Option(
        "Conditions: `varied` (each call gets another document and newly created objects, and recent results are "
        "still in use, as in a service), `hot` (the same document in each call), or only some parts of `varied`, such as "
        "`documents`, `documents=64+fresh` or `kept=4`",
        "--conditions",
        many=True,
        initial="varied",
    ),
]
Gc = Annotated[
    str,
    Option("Garbage collector while timing: `on` or `off`", "--gc", metavar="on|off", initial="on"),
]
Effort = Annotated[
    str, Option(f"Waves and precision: {'; '.join(map(_waves, EFFORTS))}", "--effort -e", metavar="|".join(EFFORTS))
]
Precision = Annotated[
    float | None,
    Option(
        "Half-width of the interval at which a row is finished, such as `1%`", "--precision", "the effort's", fraction
    ),
]
Budget = Annotated[
    float | None,
    Option(
        "Stop after this time, reading and verifying included, and show what has been measured, such as `60s` or `5m`",
        "--budget",
        read=seconds,
    ),
]
TimeLimit = Annotated[
    float,
    Option(
        "Longest time for one request to a worker process; a case that exceeds it has a row that says so",
        "--time-limit",
        read=seconds,
        initial=60.0,
    ),
]
MemoryLimit = Annotated[
    int,
    Option("Address space of a worker process, `0` for no limit", "--memory-limit", read=size, initial=8 << 30),
]

# The run
Store = Annotated[
    str | Path | None,
    Option("SQLite file of all results", "--store", "`$SERBENCH_STORE`, or a file in your data folder", metavar="FILE"),
]
Resume = Annotated[
    bool | Literal["newest"],
    Option(
        "Resume the newest unfinished run of the same plan; if no other option is given, of any plan",
        "--resume",
        python='"newest" resumes the newest of any plan',
        initial=False,
    ),
]
Jobs = Annotated[
    int,
    Option("Number of blocks measured in parallel, each on its own core", "--jobs", read=whole, initial=1),
]
Scheduler = Annotated[
    str | None,
    Option(
        "Address of a Dask scheduler whose workers measure the blocks",
        "--scheduler",
        metavar="tcp://HOST:PORT",
        fits=(Fit(replaces=("jobs",)),),
    ),
]
Executor = Annotated[
    AnyExecutor | None,
    Option(
        "Any `concurrent.futures.Executor` that measures the blocks; serbench does not shut it down",
        fits=(Fit(replaces=("jobs", "scheduler")),),
    ),
]
Progress = Annotated[
    bool,
    Option("Show progress: in a notebook as one line that changes, elsewhere on standard error", initial=False),
]
Listener = Annotated[
    RunListener | None,
    Option("Object of a subclass of `serbench.RunListener`, whose methods are called for each step, visit and wave"),
]
Cancel = Annotated[threading.Event | None, Option("Event that another thread may set to end the run, as Ctrl-C does")]
Command = Annotated[str | None, Option("Call that the run records", default="this call")]
RunName = Annotated[str, Option("A run's id, its beginning, `latest` or `previous`", positional=True, metavar="RUN")]

# What functions share: each takes these by keyword, and one that is left out has the `initial` value of its declaration


class Reading(TypedDict, total=False):
    """How a payload is read."""

    literal_strings: LiteralStrings
    as_map: AsMap
    as_record: AsRecord
    as_union: AsUnion
    as_text: AsText


class OneDocument(Reading, total=False):
    """The data of functions that take one case and one size."""

    records: OneRecords
    depth: OneDepth
    seed: Seed
    payload: Payload
    schema: SchemaFile


class Documents(Reading, total=False):
    """The data of functions that take many cases and sizes."""

    records: Records
    depth: Depth
    seed: Seed
    payload: Payload
    schema: SchemaFile
    model: Model


class Proof(Documents, total=False):
    """What is proven of cases, within which limits."""

    formats: Formats
    python: Python
    operations: Operations
    keeps_all: KeepsAll
    time_limit: TimeLimit
    memory_limit: MemoryLimit
    store: Store
    listener: Listener


class Measurement(Proof, total=False):
    """How verified cases are timed, and where."""

    conditions: Conditions
    gc: Gc
    precision: Precision
    budget: Budget
    resume: Resume
    jobs: Jobs
    scheduler: Scheduler
    executor: Executor
    progress: Progress
    cancel: Cancel
    command: Command
