"""The outcome of verifying every library with every workload: a table, and the reasons for failures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from serbench.display.escapes import code, escaped
from serbench.display.table import Column, Table
from serbench.display.words import class_words, models_name
from serbench.results import Cell, bracketed, grouped, rewritten

FINE = ("ok", "unresolved")
HOW_TO_READ = (
    "Each figure is the number of the library's codecs that return the workload exactly, with "
    "bytes that mean the same to an independent reader. Wrong results come first; the reasons for the others are below."
)


def outcomes_markdown(cells: Sequence[Cell], command: str) -> str:
    """Markdown: a row for each library, version and environment, a column for each workload, and the reasons below.

    A figure is the number of the library's codecs that were verified; wrong results come first.
    """
    pairs = one_for_each_case(cells)
    anew = rewritten((cell.library, cell.codec) for cell, _ in pairs)
    workloads = list(dict.fromkeys(cell.point.workload for cell, _ in pairs))
    known = sorted(
        grouped(pairs, lambda pair: _line_key(pair[0], pair[0].library in anew)).items(), key=lambda item: item[0]
    )
    columns = [
        *(
            Column(heading, [key[number] for key, _ in known], "left")
            for number, heading in enumerate(("library", "version", "environment"))
        ),
        Column("work class", [_work_classes(members) for _, members in known], "left"),
    ]
    for name in workloads:
        counts = [_counts([cell for cell, _ in members if cell.workload == name]) for _, members in known]
        columns.append(Column(name, counts, "center", markup=True))
    reasons = [line for key, members in known for line in _reasons(key, members, len(workloads))]
    cells = [cell for cell, _ in pairs]
    fine, wrong = (sum(test(cell) for cell in cells) for test in (_is_fine, _is_wrong))
    answer = f"{fine:,} of {len(cells):,} combinations return the data exactly; {wrong or 'none'} of the others returned wrong data."
    head = ["# Every library with every workload", "", answer, HOW_TO_READ, ""]
    made = ["## How it was made", "", code(command), ""]
    return "\n".join([*head, Table("", columns).to_markdown(), "", "## Reasons", "", *reasons, "", *made])


def _is_fine(cell: Cell) -> bool:
    return cell.status in FINE


def _is_wrong(cell: Cell) -> bool:
    return cell.status not in (*FINE, "unsupported", "unavailable")


def _line_key(cell: Cell, is_anew: bool) -> tuple[str, str, str, str]:
    name = f"{models_name(cell.library, is_anew)} {bracketed(cell.variant)}".rstrip()
    return (name, cell.version or "", cell.environment, cell.python or "")


def _counts(cells: Sequence[Cell]) -> str:
    fine, wrong = sum(map(_is_fine, cells)), sum(map(_is_wrong, cells))
    text = f"{fine}/{len(cells)}" if fine else "–"
    return f"**{wrong} wrong**, {text}" if wrong else text


def _work_classes(members: Sequence[tuple[Cell, str | None]]) -> str:
    return "; ".join(
        sorted({class_words(cell.work_class) for cell, _ in members if cell.work_class and cell.status in FINE})
    )


def _reasons(key: tuple[str, ...], members: Sequence[tuple[Cell, str | None]], workloads: int) -> list[str]:
    """The reasons of a library, each with the workloads and codecs that it concerns."""
    told = ((cell, " ".join(reason.split())) for cell, reason in members if reason)
    lines = []
    for (status, reason), pairs in grouped(told, lambda pair: (pair[0].status, pair[1])).items():
        met_in = dict.fromkeys(cell.workload for cell, _ in pairs)
        names = "any workload" if len(met_in) == workloads else ", ".join(met_in)
        codecs = ", ".join(dict.fromkeys(f"{cell.codec}/{cell.format}" for cell, _ in pairs))
        said = f" ({status})" if status not in (*FINE, "unsupported") else ""
        lines.append(f"- {escaped(key[0])} on {escaped(names)} with {escaped(codecs)}{said}: {_linked(reason)}")
    return lines


def _linked(reason: str) -> str:
    """The reason with its links as they are."""
    return " ".join(word if "https://" in word else escaped(word) for word in reason.split(" "))


def one_for_each_case(cells: Iterable[Cell]) -> list[tuple[Cell, str | None]]:
    """The cell that says most of each case, with the reason why it or its other operation fails."""
    cases: dict[Any, dict[str, Cell]] = {}
    for cell in cells:
        cases.setdefault((cell.point, cell.case.key), {})[cell.operation] = cell
    return [_saying_most(by_operation) for by_operation in cases.values()]


def _saying_most(by_operation: dict[str, Cell]) -> tuple[Cell, str | None]:
    if not {"encode", "decode"} <= by_operation.keys():  # one direction of a user's class, or what was asked for
        cells = list(by_operation.values())
        cell = next((one for one in cells if not _is_fine(one)), cells[0])
        return cell, cell.reason
    encode, decode = by_operation["encode"], by_operation["decode"]
    if decode.status == "unsupported" and encode.status != "unsupported":
        return encode, f"decode: {decode.reason}" if encode.status == "ok" else encode.reason
    if encode.status == "unsupported" and decode.status == "ok":
        return decode, f"encode: {encode.reason}"
    return decode, decode.reason
