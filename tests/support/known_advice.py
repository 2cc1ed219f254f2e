"""Rows of cases whose times and sizes are known, to be recommended or not."""

from __future__ import annotations

from dataclasses import replace

from serbench.judge.rows import Row
from serbench.results import CaseId, Point


def rows(library: str, ratio_: float, size: int, **facts: object) -> list[Row]:
    """The encode and decode rows of a case that takes `ratio_` µs each, known to ±1%."""
    row = Row(
        id=0,
        **vars(Point("data", 10, 1, 0)),
        **vars(CaseId(library, "default", "orjson", "json", version="1.0")),
        operation="decode",
        work_class="objects, strict",
        status="ok",
        time_ns=ratio_ * 1000,
        time_ns_low=ratio_ * 990,
        time_ns_high=ratio_ * 1010,
        ratio=ratio_,
        ratio_low=ratio_ * 0.99,
        ratio_high=ratio_ * 1.01,
        size_bytes=size,
    )
    row = replace(row, **facts)  # type: ignore[arg-type]
    return [row, replace(row, operation="encode", work_class="objects")]


FAST = rows("fast", 1.0, 500)
TIED = rows("tied", 1.01, 400)
SLOW = rows("slow", 11.0, 500, work_class="objects, coercing")
SMALL = rows("small", 5.0, 100, format="msgpack")
LOOSE = rows("loose", 0.5, 600, work_class="dicts, unchecked")


def names(options: tuple[object, ...]) -> list[str]:
    """The libraries of the options."""
    return [option.decode.library for option in options]  # type: ignore[attr-defined]
