"""Rows by column, as small JSON data: numbers to six digits, texts by their place among the different ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from serbench.judge.rows import COLUMNS, Row, six_digits


def column(values: Iterable[Any]) -> Any:
    """A list of numbers as they are; other values as `{"values": [...], "at": [...]}`, each different one once."""
    listed = list(values)
    if not any(isinstance(value, str) for value in listed):
        return [small(value) for value in listed]
    places = {value: index for index, value in enumerate(dict.fromkeys(listed))}
    return {"values": list(places), "at": [places[value] for value in listed]}


def by_column(rows: Sequence[Row]) -> dict[str, Any]:
    """The rows as JSON data, a column for each field that any of them has."""
    columns = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
    return {name: column(values) for name, values in columns.items() if any(value is not None for value in values)}


def from_columns(columns: Mapping[str, Any]) -> list[Row]:
    """The rows that `by_column` was given, with floats to six digits.

    Raises:
        KeyError, IndexError, TypeError, ValueError: the data has another form.
    """
    plain = {
        name: [column["values"][index] for index in column["at"]] if isinstance(column, Mapping) else column
        for name, column in columns.items()
    }
    truths = [name for name in ("reference",) if name in plain]
    plain |= {name: [bool(value) for value in plain[name]] for name in truths}
    empty = dict.fromkeys(COLUMNS)
    return [
        Row.from_data({**empty, **dict(zip(plain, values, strict=True))})
        for values in zip(*plain.values(), strict=True)
    ]


def small(value: float | None) -> float | None:
    """Return a number as JSON writes it: floats have six digits, and None stands for one that is not finite."""
    if isinstance(value, float):
        return six_digits(value) if math.isfinite(value) else None
    return None if value is None else int(value)
