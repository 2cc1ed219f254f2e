"""The costs beside time: limits by case and axis, hostile input by codec, and the cases that threads make faster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from serbench.display.matrices import case_title
from serbench.display.table import Column, Table
from serbench.display.words import case_words
from serbench.judge.outcomes import Behaviour, Limit
from serbench.judge.weights import WeightRow
from serbench.results import bracketed, grouped

GAIN = 1.1
"""Two threads that do no more than that in place of one may do so by chance."""
NAMED = 3
_SAFE = ("rejected", "accepted", "unavailable")


def limits_table(behaviours: Sequence[Behaviour]) -> Table:
    """A line for each case with the largest value that worked on each axis, and what a larger one did."""
    tried = [one for one in behaviours if any(limit.most is not None for limit in one.limits.values())]
    axes = dict.fromkeys(axis for one in tried for axis in one.limits)
    columns = [Column(axis, [_limit(one.limits.get(axis)) for one in tried], "left") for axis in axes]
    notes = ["–: the case does not support such data; “or more”: the largest value that was tried worked"]
    return Table(
        "limits: the largest value that worked, and what happens beyond it",
        [Column("case", [case_title(one) for one in tried], "left"), *columns],
        notes=notes,
    )


def _limit(limit: Limit | None) -> str:
    if limit is None or limit.most is None:
        return "–"
    if not limit.outcome:
        return f"{limit.most:,} or more"
    beyond = f"; {limit.far.partition(':')[0]}" if limit.far else ""
    return f"{limit.most:,}, then {limit.outcome}{beyond}"


def limit_sentences(behaviours: Sequence[Behaviour]) -> list[str]:
    """Say for each axis what all cases take, and which takes the least."""
    axes = dict.fromkeys(axis for one in behaviours for axis in one.limits)
    return [said for said in (_axis(behaviours, axis) for axis in axes) if said]


def _axis(behaviours: Sequence[Behaviour], axis: str) -> str:
    known = [(one.limits[axis].most, one) for one in behaviours if axis in one.limits]
    reached = sorted(((most, one) for most, one in known if most is not None), key=lambda pair: pair[0])
    if not reached:
        return ""
    least, most = reached[0][0], reached[-1][0]
    if least == most:
        return f"{axis}: {most:,} with all {len(reached)} cases"
    lowest = [case_title(one) for reach, one in reached if reach == least]
    named = ", ".join(lowest) if len(lowest) <= NAMED else f"{len(lowest)} of {len(reached)} cases"
    highest = sum(reach == most for reach, _ in reached)
    return f"{axis}: {least:,} with {named}; the most is {most:,}, with {highest} of {len(reached)}"


def hostile_sentence(rows: Sequence[Mapping[str, Any]]) -> str:
    """Say which codecs end their process on an input that should harm none."""
    codecs = grouped(
        (row for row in rows if row["outcome"] != "unavailable"), lambda row: (row["format"], row["codec"])
    )
    ended = [_codec(*codec) for codec, some in codecs.items() if any(row["outcome"] not in _SAFE for row in some)]
    said = f"codecs that take their process with them on some input: {len(ended)} of {len(codecs)}"
    return f"{said}: {', '.join(ended)}" if ended else said


def hostile_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A line for each codec: how many hostile inputs it rejects, which it accepts, and which end its process."""
    codecs = grouped(rows, lambda row: (row["format"], row["codec"]))
    absent = [codec for codec, some in codecs.items() if all(row["outcome"] == "unavailable" for row in some)]
    codecs = {codec: some for codec, some in codecs.items() if codec not in absent}
    members = list(codecs.values())

    def named(some: Sequence[Mapping[str, Any]], *outcomes: str) -> str:
        return "; ".join(f"{row['input']}" for row in some if row["outcome"] in outcomes) or "–"

    def lost(some: Sequence[Mapping[str, Any]]) -> str:
        return "; ".join(f"{row['input']}: {row['outcome']}" for row in some if row["outcome"] not in _SAFE) or "–"

    columns = [
        Column("codec", [_codec(*codec) for codec in codecs], "left"),
        Column("rejected", [f"{sum(row['outcome'] == 'rejected' for row in some)}" for some in members]),
        Column("accepted", [named(some, "accepted") for some in members], "left"),
        Column("ends the process", [lost(some) for some in members], "left"),
    ]
    title = "hostile: bytes that should harm no decoder, and 10,000 lists in one another to encode"
    left = f"not tried, because they are not installed: {', '.join(_codec(*codec) for codec in absent)}"
    return Table(title, columns, notes=[left] if absent else [])


def _codec(format_: str, name: str) -> str:
    return name if name == format_ else f"{name} ({format_})"


def thread_sentences(rows: Iterable[WeightRow]) -> list[str]:
    """Say for each environment which operations do more in two threads than in one."""
    measured = [row for row in rows if row.quantity.endswith("_2_threads") and row.value is not None]
    return [_threads(members) for members in grouped(measured, lambda row: row.environment).values()]


def _threads(rows: Sequence[WeightRow]) -> str:
    more = [row for row in rows if (row.low if row.low is not None else row.value or 0) > GAIN]
    operations = grouped(
        more, lambda row: case_words(f"{row.library}{bracketed(row.variant)}", row.library, row.codec, row.format)
    )
    named = [f"{case} ({', '.join(_gain(row) for row in members)})" for case, members in operations.items()]
    where = f"{rows[0].environment}: " if rows[0].environment != "main" else ""
    head = f"{where}operations that do more than {GAIN} times as much in two threads: {len(more)} of {len(rows)}"
    return f"{head}: {'; '.join(named)}" if named else head


def _gain(row: WeightRow) -> str:
    return f"{row.quantity.partition('_')[0]} {row.value:.2f}×"
