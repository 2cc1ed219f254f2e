"""The outcome of verifying each case, from its cells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from serbench.results import Cell


def one_for_each_case(cells: Iterable[Cell]) -> list[tuple[Cell, str | None]]:
    """The cell that says most of each case, with the reason why it or its other operation fails."""
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
