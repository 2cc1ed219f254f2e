"""Turns cells and samples into tables, figures and verdicts; pure functions that touch no file."""

from serbench.analysis.compare import Change, Comparison, compare_runs
from serbench.analysis.control import control, warnings
from serbench.analysis.display import About, finding
from serbench.analysis.export import csv_text, markdown, to_pandas
from serbench.analysis.figures import ranking_figure
from serbench.analysis.rows import Row, as_dicts, rows
from serbench.analysis.tables import tables

__all__ = [
    "About",
    "Change",
    "Comparison",
    "Row",
    "as_dicts",
    "compare_runs",
    "control",
    "csv_text",
    "finding",
    "markdown",
    "ranking_figure",
    "rows",
    "tables",
    "to_pandas",
    "warnings",
]
