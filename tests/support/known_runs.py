"""Runs whose rows are known, for pages: several points, every step, failures, and texts that mean harm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from synthetic import cell, measure

from serbench.judge.outcomes import Behaviour, Finding, Weight
from serbench.judge.rows import Row, six_digits
from serbench.results import Cell, Point
from serbench.store.folder import RunInfo
from serbench.store.run import Run
from serbench.store.store import Store, add_weights

HOSTILE = '</script><img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=1</script>{{data}}&amp;\''
CASES = (
    ("msgspec", "msgspec", "json", "objects, strict", 1.0),
    ("msgspec", "msgpack", "msgpack", "objects, strict", 0.9),
    ("pydantic", "pydantic", "json", "objects, coercing", 3.0),
    ("attrs", "orjson", "json", "objects, coercing", 2.5),
    ("attrs", "json", "json", "objects, coercing", 7.0),
    ("mashumaro", "orjson", "json", "objects, coercing", 2.5),
    ("dataclasses", "pickle", "pickle", "objects, unchecked", 2.0),
    ("dataclasses", "orjson", "json", "objects, unchecked", 1.5),
)
STEPS = {"encode": 1.0, "decode": 1.8, "dump": 0.6, "dumps": 0.4, "loads": 0.7, "load": 1.1}
SIZES = {"json": 100, "msgpack": 80, "pickle": 140}


def sha256(library: str, codec: str) -> str:
    """What stands for the sha256 of a case's module."""
    return f"{library}-{codec}".ljust(64, "0")


def source(library: str, codec: str) -> str:
    """The made-up module of a case."""
    return f'import {library}\n\n\ndef encode(value: object) -> bytes:\n    return b"{codec}"\n'


SOURCES = {sha256(library, codec): source(library, codec) for library, codec, *_ in CASES if library != "mashumaro"}
"""One library's modules are lost."""


def run(
    name: str, points: Sequence[Point], operations: Sequence[str] = tuple(STEPS), *, cpu: str = "Abacus", seed: int = 0
) -> Run:
    """A run of all cases at those points, with three that failed; what goes in one step has no steps of its own."""
    pairs = [
        (_cell(point, operation, case), 200.0 * case[-1] * STEPS[operation] * point.records**0.95 * point.depth)
        for point in points
        for operation in operations
        for case in CASES
        if case[0] != case[1] or operation in ("encode", "decode")
    ]
    failed = [
        cell(0, "toasted", point=points[0], status="crashed", reason="SIGSEGV in wave 2", work_class=None),
        cell(0, "marshmallow", point=points[0], status="timeout", reason="60 s were not enough", work_class=None),
        cell(0, "attrs", variant="gone", point=points[0], status="unsupported", reason="no such thing"),
    ]
    for number, one in enumerate([*(one for one, _ in pairs), *failed]):
        one.id = number
    return Run(info(name, cpu=cpu), [*(one for one, _ in pairs), *failed], measure(pairs, waves=4, seed=seed), SOURCES)


def shapes() -> list[Run]:
    """Two runs of one size each, of different workloads, and one of two sizes, all under the usual conditions."""
    sizes = {"small": [("client", 1)], "feed": [("events", 10)], "sizes": [("client", 10), ("client", 100)]}
    return [
        run(name, [Point(workload, records, 2, 0, "varied") for workload, records in points], ("encode", "decode"))
        for name, points in sizes.items()
    ]


def lone() -> list[Run]:
    """A large run without the library `class`, and a small one with nothing else."""
    small = [(cell(0, "class", point=Point("events", 10, 2, 0)), 500.0)]
    return [shapes()[0], Run(info("lone"), [one for one, _ in small], measure(small, waves=4), {})]


def _cell(point: Point, operation: str, case: tuple[str, str, str, str, float]) -> Cell:
    library, codec, form, work_class, _ = case
    size = SIZES[form] * point.records
    return cell(
        0,
        library,
        point=point,
        codec=codec,
        format=form,
        operation=operation,
        work_class=work_class if operation == "decode" else work_class.split(",")[0],
        reference=case is CASES[0],
        status="unresolved" if library == "attrs" else "ok",
        source_sha256=sha256(library, codec),
        size_bytes=size,
        size_gzip_bytes=size // 2 + 20,
        size_zstd_bytes=size // 3 + 20,
        gzip_ns=4000 + size,
        gunzip_ns=900,
        zstd_ns=1500 + size,
        unzstd_ns=300,
    )


def info(name: str, *, cpu: str = "Abacus", **facts: Any) -> RunInfo:
    """What a run says of itself."""
    usual: dict[str, Any] = {
        "id": name,
        "started": f"{name[:4] if name[:4].isdigit() else 2026}-01-01T00:00:00Z",
        "finished": None,
        "status": "finished",
        "command": "serbench run",
        "plan": {"gc": "on"},
        "machine": {"cpu": cpu, "cores": 2, "system": "Linux", "python": "CPython 3.11"},
        "versions": {"msgspec": "1.0"},
        "serbench": "0.1.0",
        "warnings": ["the machine was shared"],
        "seconds": None,
        "cells": 0,
        "waves": 4,
    }
    return RunInfo(**(usual | facts))


def usual() -> list[Run]:
    """Two runs: one over sizes and depths, an older one on another machine at one point."""
    points = tuple(Point("client", records, depth, 0) for records in (1, 10, 100) for depth in (2, 4))
    return [
        run("20250102-000000-bbbb", points[:1], ("encode", "decode"), cpu="Old", seed=7),
        run("20260102-000000-aaaa", (*points, Point("rows", 10, 1, 0))),
    ]


def hostile() -> list[Run]:
    """A run whose every text means harm; one of its rows knows nothing but its time, two have none."""
    point = Point(HOSTILE, 1, 2, 0)
    bad: dict[str, Any] = dict.fromkeys(("variant", "version", "codec", "format", "work_class"), HOSTILE)
    one = cell(0, HOSTILE, point=point, source_sha256="f" * 64, reference=True, **bad)
    bare = cell(1, "bare", point=point, size_bytes=None, work_class=None, version=None)
    failed = [
        cell(2, HOSTILE, point=point, operation="encode", status="failed", reason=HOSTILE, **bad),
        cell(3, "__proto__", point=point, status="failed"),
    ]
    facts = info(HOSTILE, cpu=HOSTILE, command=HOSTILE, versions={HOSTILE: HOSTILE}, warnings=[HOSTILE])
    return [Run(facts, [one, bare, *failed], measure([(one, 100.0), (bare, 200.0)]), {"f" * 64: f"# {HOSTILE}\n"})]


def rounded(row: Row) -> Row:
    """The row with numbers as a page has them."""
    numbers = {name: value for name, value in vars(row).items() if isinstance(value, float)}
    return replace(row, **{name: six_digits(value) for name, value in numbers.items()})


def matrices(text: str = "expected 1, got 2") -> list[Behaviour]:
    """More cases than have room at once, with what was said of one value and of one wrong input."""
    cases = [("msgspec", "msgspec"), *((library, "json") for library in ("attrs", "pydantic"))]
    extra = [(f"library{number}", codec) for number in range(30) for codec in ("json", "orjson")]
    return [
        Behaviour(
            *(library, "default", "1.0", "main", "3.11", codec, "json", "objects, strict"),
            fidelity={"int 1": Finding("exact"), "int 2^64": Finding("changed", text, "[2]")},
            strictness={
                "text for int": Finding("rejected", text, names=True),
                "null for text": Finding("let through", text),
            },
            date="2026-01-02T00:00:00Z",
            machine="Abacus",
        )
        for library, codec in (*cases, *extra)
    ]


def stored(path: Path, of: Run) -> Path:
    """A store that has a run twice, and a weighing of its first case, as somebody may have made it."""
    facts: dict[str, Any] = {"command": of.info.command, "machine": of.machine, "versions": of.info.versions}
    with Store(path) as store:
        for _ in range(2):
            store.serbench = of.info.serbench
            name = store.begin(plan=of.info.plan, **facts)
            store.put_cells(name, of.cells)
            store.add_samples(name, of.samples)
            for digest, text in of.sources.items():
                store.put_source(digest, text)
            store.finish(name, seconds=2.5, warnings=of.info.warnings)
        weighing = store.add_entry("weighing", facts.pop("command"), {"plan": {}, **facts})
        first = of.cells[0]
        case = vars(first.point) | vars(first.case)
        weight = Weight(**case, metric="memory", quantity="retained", unit="bytes", readings=(1.5, 2.0))
        add_weights(store, weighing, [weight])
    return path
