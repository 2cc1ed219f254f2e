"""Rows as CSV and as a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from serbench.analysis.rows import COLUMNS, Row, as_data
from serbench.display import tables

if TYPE_CHECKING:
    import pandas as pd


def csv_text(rows: Sequence[Row]) -> str:
    """The rows as CSV with a heading; None is an empty field."""
    return tables.lines_csv(COLUMNS, (as_data(row).values() for row in rows))


def to_pandas(rows: Sequence[Row]) -> pd.DataFrame:
    """The rows as a data frame, with all columns even if there is no row."""
    import pandas as pd

    return pd.DataFrame([as_data(row) for row in rows], columns=list(COLUMNS))
