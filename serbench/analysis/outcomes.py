"""What every library makes of every workload, as verification found it: a table, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from serbench.analysis.export import escaped
from serbench.engine.results import Cell

FINE = ("ok", "unresolved")
HOW_TO_READ = (
    "A figure is how many of the codecs that serve the library brought the workload back exactly, with bytes that "
    "mean the same to an independent reader; the rest has its reason below, and what came back wrong is counted first."
)


def one_for_each_case(cells: Iterable[Cell]) -> list[tuple[Cell, str | None]]:
    """The cell that says most of each case, with what is to be said of its other operation."""
    cases: dict[Any, dict[str, Cell]] = {}
    for cell in cells:
        cases.setdefault((cell.point, cell.case), {})[cell.operation] = cell
    return [_saying_most(by_operation) for by_operation in cases.values()]


def _saying_most(by_operation: dict[str, Cell]) -> tuple[Cell, str | None]:
    encode, decode = by_operation["encode"], by_operation["decode"]
    if decode.status == "unsupported" and encode.status != "unsupported":
        return encode, f"decode: {decode.reason}" if encode.status == "ok" else encode.reason
    if encode.status == "unsupported" and decode.status == "ok":
        return decode, f"encode: {encode.reason}"
    return decode, decode.reason


def outcomes_markdown(cells: Sequence[Cell], command: str) -> str:
    """Markdown: a row for each library where it was verified, a column for each workload, and the reasons below.

    A number is how many codecs were verified of those that serve the library; what fails is named first.
    """
    found = one_for_each_case(cells)
    workloads = list(dict.fromkeys(cell.point.workload for cell, _ in found))
    places: dict[tuple[str, str, str, str], list[tuple[Cell, str | None]]] = {}
    for cell, reason in found:
        variant = "" if cell.variant == "default" else f" [{cell.variant}]"
        place = (f"{cell.library}{variant}", cell.version or "", cell.environment, cell.python or "")
        places.setdefault(place, []).append((cell, reason))
    lines = ["| library | version | environment | work class | " + " | ".join(workloads) + " |"]
    lines.append("| :-- | :-- | :-- | :-- |" + " :-: |" * len(workloads))
    for (library, version, environment, _), members in sorted(places.items()):
        columns = [_column([cell for cell, _ in members if cell.point.workload == name]) for name in workloads]
        row = [escaped(library), escaped(version), escaped(environment), escaped(_work_classes(members)), *columns]
        lines.append(f"| {' | '.join(row)} |")
    reasons = [line for place, members in sorted(places.items()) for line in _reasons(place, members, len(workloads))]
    head = ["# What every library makes of every workload", "", f"Made with `{command}`.", HOW_TO_READ, ""]
    return "\n".join([*head, *lines, "", "## Why not", "", *reasons, ""])


def _column(cells: Sequence[Cell]) -> str:
    fine = sum(cell.status in FINE for cell in cells)
    wrong = sum(cell.status not in (*FINE, "unsupported", "unavailable") for cell in cells)
    text = f"{fine}/{len(cells)}" if fine else "–"
    return f"**{wrong} wrong**, {text}" if wrong else text


def _work_classes(members: Sequence[tuple[Cell, str | None]]) -> str:
    return "; ".join(sorted({cell.work_class for cell, _ in members if cell.work_class and cell.status in FINE}))


def _reasons(place: tuple[str, ...], members: Sequence[tuple[Cell, str | None]], workloads: int) -> list[str]:
    """The reasons of a library, each with the workloads and codecs that it concerns."""
    where: dict[tuple[str, str], list[Cell]] = {}
    for cell, reason in members:
        if reason:
            where.setdefault((cell.status, " ".join(reason.split())), []).append(cell)
    lines = []
    for (status, reason), cells in where.items():
        found = dict.fromkeys(cell.point.workload for cell in cells)
        names = "any workload" if len(found) == workloads else ", ".join(found)
        codecs = ", ".join(dict.fromkeys(f"{cell.codec}/{cell.format}" for cell in cells))
        said = f" ({status})" if status not in (*FINE, "unsupported") else ""
        lines.append(f"- {escaped(place[0])} on {escaped(names)} with {escaped(codecs)}{said}: {_linked(reason)}")
    return lines


def _linked(reason: str) -> str:
    """The reason with its links as they are."""
    return " ".join(word if "https://" in word else escaped(word) for word in reason.split(" "))
