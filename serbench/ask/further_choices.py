"""The arguments that one function takes, or two, each declared once; those that functions share are in `choices`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from serbench.ask.choices import READING, AnyPath, Names
from serbench.ask.options import Fit, Option, fraction, size, whole
from serbench.keep.run import Run
from serbench.render.selection import parse_gate_side
from serbench.render.user_class.find import function_located, is_class


def _are_runs(there: Mapping[str, Any]) -> bool:
    parts = [part for one in there["compared"] for part in (one.split(",") if isinstance(one, str) else [one])]
    return all(isinstance(part, str) and function_located(part) is None for part in parts)


def _names_no_codec(there: Mapping[str, Any]) -> bool:
    """Tell if neither side of a gate is a version of a codec that serbench's own models are measured with."""
    library = there.get("library", "dataclasses")
    sides = (parse_gate_side(there[name], library) for name in ("baseline", "candidate"))
    return "model" in there or ("module" not in there and not any("+" in side for side in sides))


OF_A_LINE = ("bandwidth", "cores", "compression")
"""The options of `recommend` that ask for messages per second."""
_AS_IT_IS = "takes a run as it is"
_OF_MODULE = (
    "baseline",
    "candidate",
    "workload",
    "records",
    "depth",
    "seed",
    "payload",
    "conditions",
    "effort",
    "threshold",
    "output",
    "as_json",
    "verbose",
)
_OF_MODULES = ("requirements", "metrics", "processes", "time_limit", "memory_limit", "store", "output", "as_json")

# Comparing
Function = str | Callable[..., Any]
Comparable = Function | tuple[Function, Function]
Compared = Annotated[
    Comparable | Mapping[str, Comparable],
    Option(
        "Two runs (the id, its beginning, `latest`, `previous`; the second is `latest` if it is left out), or functions as "
        "`file.py:function` or `module:function`; pairs that encode and decode as `file.py:encode,file.py:decode`",
        many=True,
        positional=True,
        metavar="RUN|FILE.PY:FUNCTION",
        python="functions themselves, pairs of them as tuples, or a dict by labels",
        fits=(
            Fit(leaves=("store", "as_json", "verbose"), why="is a run", when=_are_runs),
            Fit(replaces=("store", "verbose"), why="is a function", when=lambda there: not _are_runs(there)),
        ),
    ),
]
Setup = Annotated[
    str | Callable[..., Any] | None,
    Option(
        "Function that makes the argument of each call, as `file.py:function`; if it takes a parameter, that is the number "
        "of the argument, from 0",
        "--setup",
        metavar="FILE.PY:FUNCTION",
        python="or the function",
    ),
]
With = Annotated[
    str | Iterable[str],
    Option(
        "Packages of an environment in which the functions run, such as `pydantic==2.12.5` or, in quotes, "
        "`pydantic==2.12.5 orjson`; `installed` is serbench's own; several are rows of one run",
        "--with",
        "`installed`",
        many=True,
        metavar="PACKAGES",
        fits=(Fit(needs=("modules", "compared")),),
    ),
]
Unequal = Annotated[bool, Option("Time the functions even if they give different answers", "--unequal")]

# Controls
Parameters = Annotated[
    str, Option("Names of variables of the notebook for which `run` has options, such as `records`", many=True)
]

# Judging
Versions = Annotated[
    Names,
    Option(
        "Versions, such as `1.10.2 2.5 installed`: `2.5` is the newest 2.5.x, `installed` that of serbench's own "
        "installation",
        default="those installed and added",
        many=True,
        positional=True,
        metavar="VERSION",
    ),
]
Baseline = Annotated[
    str,
    Option(
        "What to compare with: a version of a codec or library (`orjson==3.10`), with `--model` that of your class; a library "
        "as for `run`; `yours` for the class of `--model`; or with `--module` a git revision",
        "--baseline",
        fits=(
            Fit(
                replaces=("library",), why="is no codec that serbench's models are measured with", when=_names_no_codec
            ),
        ),
    ),
]
Candidate = Annotated[str, Option("What to judge, named in the same way", "--candidate")]
Module = Annotated[
    AnyPath | None,
    Option(
        "Your own Python file with functions `encode` and `decode`; baseline and candidate are git revisions of it, `.` is the work tree",
        "--module",
        metavar="FILE",
        fits=(Fit(leaves=_OF_MODULE, why="chooses its own classes and format"),),
    ),
]
ModelLibrary = Annotated[str, Option("Library of the models if you compare codecs", "--library -l")]
Threshold = Annotated[float, Option("Smallest slowdown that counts", "--threshold", read=fraction)]
Demands = Annotated[
    Names,
    Option(
        "Demands that a case must meet: `human-readable`; `validating` (it does not accept wrong input or run it as code); "
        "`no-compiled-code`; `standard-library`; `exact-decimal`; `keeps-all`, as `--keeps-all` of `run`",
        "--demand",
        many=True,
    ),
]
Present = Annotated[
    str | None,
    Option(
        "Case that you use today, such as `pydantic/json`, `dataclasses/orjson/json`, or `yours/json` for the class of "
        "`--model`, which is the default if there is one: the answer says what it costs and what a change would gain",
        "--present",
        metavar="LIBRARY/CODEC",
    ),
]
Measured = Annotated[
    Run | str | None,
    Option(
        "Judge by this stored run (its id, its beginning or `latest`) instead of a new one",
        "--run",
        metavar="RUN",
        fits=(
            Fit(leaves=("store", "demands", "present", "operations", *OF_A_LINE, "as_json", "verbose"), why=_AS_IT_IS),
            Fit(replaces=("operations",), why=_AS_IT_IS, when=lambda there: there.keys().isdisjoint(OF_A_LINE)),
        ),
    ),
]

# Claims
Claims = Annotated[
    Names,
    Option(
        "Claims such as `003-take`, or `003` for a whole source",
        default="all",
        many=True,
        positional=True,
        metavar="ID",
    ),
]
ClaimVersions = Annotated[Names, Option("Only these sets of versions, such as `now`", "--versions", "all", many=True)]
ClaimSources = Annotated[
    str | Path | None, Option("Folder with your own claims", "--sources", "serbench's", metavar="DIR")
]
ClaimOutput = Annotated[
    str | Path | None,
    Option(
        "Folder to which each outcome is written as soon as it is measured, with all its figures and rows",
        "--output",
        metavar="DIR",
    ),
]
OnOutcome = Annotated[
    Callable[[Any], None] | None, Option("Function that is called with each outcome as soon as it is measured")
]

# Data of one's own
DescribedFile = Annotated[
    AnyPath,
    Option(
        "Data, a JSON Schema or a part of one (`FILE#/…`), or a class as `module:Class`",
        positional=True,
        metavar="FILE|MODULE:CLASS",
        fits=(Fit(replaces=READING, why="says how its data is read", when=lambda there: is_class(there["payload"])),),
    ),
]
Form = Annotated[
    Literal["tree", "json-schema", "python", "example"],
    Option(
        "`tree`, to read; `json-schema`, to edit and pass back with `--schema`; `python`, as dataclasses; `example`, a document to fill in and pass with `--payload`",
        "--as",
        metavar="FORM",
    ),
]
Check = Annotated[
    AnyPath | Iterable[AnyPath],
    Option(
        "Further files that the module must read and write again: names, or a pattern such as `more/*.json`",
        "--check",
        many=True,
        metavar="FILE",
    ),
]
Lossy = Annotated[bool, Option("Write the module even if it loses data; what is lost is said", "--lossy")]
ForbidUnknown = Annotated[
    bool,
    Option(
        "Refuse a key that no field has, by the library's documented option",
        "--forbid-unknown",
        fits=(Fit(replaces=("keep_unknown",)),),
    ),
]
KeepUnknown = Annotated[
    bool, Option("Keep a key that no field has, by the library's documented option", "--keep-unknown")
]
To = Annotated[
    AnyPath | None, Option("File to write, which must not exist yet", "--output -o", "standard output", metavar="FILE")
]

# What codecs do, weights and profiles
Matrices = Annotated[Iterable[str], Option("Matrices to measure: `fidelity`, `strictness` or `limits`")]
Values = Annotated[int, Option("Number of values of each type, at least 1", read=whole)]
FileSize = Annotated[int, Option("Minimum size of the file", read=size)]
UserModules = Annotated[
    str | Iterable[str],
    Option(
        "Your own modules, weighed side by side in place of cases: `file.py` or `module`, with `:function` for its first use",
        "--module",
        many=True,
        metavar="FILE.PY[:FUNCTION]",
        fits=(Fit(leaves=_OF_MODULES, why="is weighed without cases"),),
    ),
]
Metrics = Annotated[
    Names,
    Option(
        "Metrics to weigh: `memory`, `start`, `installed`, `threads`, `leak`",
        "--metric",
        "`memory`, `start`, `installed`; of modules `start`",
        many=True,
    ),
]
Processes = Annotated[
    int, Option("Number of fresh processes per figure; an interval needs at least 6", "--processes", read=whole)
]

# Environments
Environments = Annotated[
    Iterable[str],
    Option("Environments of `serbench show environments`, or libraries", default="all", many=True, positional=True),
]
Requirement = Annotated[
    str,
    Option("Requirement such as `pydantic==2.5`, or a library for `--python`", positional=True, metavar="REQUIREMENT"),
]
Interpreter = Annotated[
    str, Option("Interpreter as uv names it: `3.9`, `pypy3`, `3.13t`", "--python", "the library's own")
]
EnvironmentName = Annotated[
    str, Option("Environment of `serbench show environments`, or an added row", positional=True)
]

# The check of serbench itself
Parts = Annotated[
    Names,
    Option("Only these parts: `aa`, `injected`, `neighbours`, `loop`", "--part", "all", many=True),
]
Quick = Annotated[bool, Option("A tenth of everything, in a few minutes; stored apart", "--quick")]
Measure = Annotated[
    bool, Option("Measure; if False, return only what is stored", fits=(Fit(replaces=("parts",), why="is False"),))
]
