"""The options that several commands have, as Typer reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

StorePath = Annotated[
    Path | None, typer.Option("--store", metavar="FILE", help="The store; $SERBENCH_STORE or the user's data folder.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Workload = Annotated[
    list[str] | None,
    typer.Option("--workload", "-w", help="A name from `serbench list workloads`; repeat, or separate by commas."),
]
Records = Annotated[list[str] | None, typer.Option("--records", "-n", help="How many records: a number, or several.")]
Depth = Annotated[list[str] | None, typer.Option("--depth", "-d", help="Nesting levels: a number, or several.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the generated values.")]
Payload = Annotated[
    Path | None, typer.Option("--payload", "-p", metavar="FILE", help="Measure this file instead of a workload.")
]
LiteralStrings = Annotated[
    bool, typer.Option("--literal-strings", help="A text of the payload is a text, even if it looks like a date.")
]
OutputFile = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write; standard output without.")
]
Model = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="MODULE:CLASS", help="Measure this class of your own as one more library."),
]
SchemaFile = Annotated[
    Path | None, typer.Option("--schema", metavar="FILE", help="A JSON Schema of the payload; it is inferred without.")
]
Library = Annotated[
    list[str] | None,
    typer.Option(
        "--library",
        "-l",
        help="A library, a version or a variant of it (msgspec[gc=False], pydantic@2.5, pydantic@*), installed or all; "
        "the core ones without.",
    ),
]
Format = Annotated[
    list[str] | None,
    typer.Option("--format", "-f", help="A format, a codec, codec/format or all; the core codecs without."),
]
Python = Annotated[
    list[str] | None,
    typer.Option("--python", help="Interpreters: main (serbench's own), 3.9, pypy3, …; each library's own without."),
]
OneWorkload = Annotated[str, typer.Option("--workload", "-w", help="A name from `serbench list workloads`.")]
OneRecords = Annotated[
    int | None, typer.Option("--records", "-n", help="How many records; one is an object, more are a list.")
]
OneDepth = Annotated[int | None, typer.Option("--depth", "-d", help="Nesting levels.")]
LibraryName = Annotated[str, typer.Argument(help="such as marshmallow, pydantic@2.5 or msgspec[gc=False]")]
CodecName = Annotated[str, typer.Argument(help="a codec, a format or codec/format, such as orjson, json or json/json")]
RunName = Annotated[str, typer.Argument(metavar="[RUN]", help="a run's id, its beginning, or latest")]
Budget = Annotated[
    str | None, typer.Option("--budget", help="Stop after this time with what there is, such as 60s or 5m.")
]
Effort = Annotated[str, typer.Option("--effort", "-e", help="quick, normal or thorough.")]
TimeLimit = Annotated[str, typer.Option("--time-limit", help="The longest that one request to a worker may take.")]
MemoryLimit = Annotated[str, typer.Option("--memory-limit", help="Address space of a worker; 0 for no limit.")]
