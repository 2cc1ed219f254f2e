"""Sheets whose rows are known, for pages: two runs, several points, every step, failures, and texts that mean harm."""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "analysis"))

from synthetic import cell, measure

from serbench.analysis import Row, rows
from serbench.archive import Origin, Sheet
from serbench.claims import Judged, Ledger, Outcome
from serbench.engine.results import Point
from serbench.reports.page.content import DIGITS

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


def sheet(
    name: str,
    points: tuple[Point, ...],
    operations: tuple[str, ...] = tuple(STEPS),
    *,
    cpu: str = "Abacus",
    seed: int = 0,
) -> Sheet:
    """A run of all cases at those points; the cases of one step have no steps of their own."""
    pairs = []
    for point in points:
        for operation in operations:
            for place, (library, codec, form, work_class, factor) in enumerate(CASES):
                if library == codec and operation not in ("encode", "decode"):
                    continue
                size = SIZES[form] * point.records
                facts = {"gzip_ns": 4000 + size, "gunzip_ns": 900, "zstd_ns": 1500 + size, "unzstd_ns": 300}
                one = cell(
                    len(pairs),
                    library,
                    point=point,
                    codec=codec,
                    format=form,
                    operation=operation,
                    work_class=work_class if operation == "decode" else work_class.split(",")[0],
                    reference=place == 0,
                    status="unresolved" if library == "attrs" else "ok",
                    size_bytes=size,
                    size_gzip_bytes=size // 2 + 20,
                    size_zstd_bytes=size // 3 + 20,
                    source_sha256=f"{place:064d}",
                    **facts,
                )
                pairs.append((one, 200.0 * factor * STEPS[operation] * point.records**0.95 * point.depth))
    failed = [
        cell(10_000, "toasted", point=points[0], status="crashed", reason="SIGSEGV in wave 2", work_class=None),
        cell(10_001, "marshmallow", point=points[0], status="timeout", reason="60 s were not enough", work_class=None),
        cell(10_002, "attrs", variant="gone", point=points[0], status="unsupported", reason="no such thing"),
    ]
    found = rows([*(one for one, _ in pairs), *failed], measure(pairs, waves=4, seed=seed))
    info = Origin(
        name,
        f"{name[:4]}-01-01T00:00:00Z",
        "serbench run",
        {"cpu": cpu, "cores": 2, "system": "Linux", "python": "CPython 3.11"},
        {"msgspec": "1.0"},
    )
    control = {"aa_error": 0.02, "aa_miss_rate": 0.0, "aa_cases": 12}
    return Sheet(info, [rounded(row) for row in found], control, "on", warnings=["the machine was shared"])


def rounded(row: Row) -> Row:
    """The row with numbers as a page has them, so that both sides work with the same."""
    numbers = {f.name: getattr(row, f.name) for f in fields(Row) if isinstance(getattr(row, f.name), float)}
    return replace(row, **{name: float(f"{value:.{DIGITS}g}") for name, value in numbers.items()})


def usual() -> list[Sheet]:
    """Two runs: one over sizes and depths, an older one on another machine at one point."""
    points = tuple(Point("client", records, depth, 0) for records in (1, 10, 100) for depth in (2, 4))
    return [
        sheet("20260102-000000-aaaa", (*points, Point("rows", 10, 1, 0))),
        sheet("20250102-000000-bbbb", (points[0],), ("encode", "decode"), cpu="Old", seed=7),
    ]


def hostile() -> list[Sheet]:
    """A run whose every text means harm, and whose last row knows nothing but its name."""
    [first, *_] = sheet("20260103-000000-cccc", (Point("client", 1, 2, 0),)).rows
    bad = dict.fromkeys(("workload", "library", "variant", "version", "codec", "format", "work_class"), HOSTILE)
    measured = [replace(first, **bad), replace(first, workload=HOSTILE)]
    failed = [
        replace(one, status="failed", reason=HOSTILE, **dict.fromkeys(NOTHING))
        for one in (measured[0], replace(first, workload=HOSTILE, library="__proto__"))
    ]
    bare = replace(first, workload=HOSTILE, library="bare", **dict.fromkeys(NOTHING - {"time_ns"}))
    info = Origin(HOSTILE, HOSTILE, HOSTILE, {"cpu": HOSTILE}, {HOSTILE: HOSTILE})
    return [Sheet(info, [*measured, bare, *failed], {}, "on", warnings=[HOSTILE])]


NOTHING = {f.name for f in fields(Row) if f.default is None}


def source(row: Row) -> str | None:
    """The made-up module of a row; one library's is lost."""
    if row.library == "mashumaro":
        return None
    harm = f"# {HOSTILE}\n" if HOSTILE in row.workload else ""
    return f'{harm}import {row.library}\n\n\ndef encode(value: object) -> bytes:\n    return b"{row.codec}"\n'


def ledger(text: str = "a is twice as fast as b") -> Ledger:
    """One claim that holds in part, in two sets of versions, one of which could not be measured."""
    figures = (
        Judged("a", "b", "then", "time", "about", 2.0, 2.2, "not measurable here", reason="it cannot be installed"),
        Judged("a", "b", "now", "time", "about", 2.0, 2.2, "holds in part", (), 1.5, 1.4, 1.6, 4),
    )
    verdicts = {"then": "not measurable here", "now": "holds in part"}
    outcome = Outcome(
        *("000-one", "An article", text, "two functions", "both return the same", "holds in part", False, verdicts),
        explanation="b has become faster",
        figures=figures,
        rows=(),
        date="2026-01-02T00:00:00Z",
        effort="quick",
        machine={"cpu": "Abacus"},
    )
    return Ledger((outcome,))
