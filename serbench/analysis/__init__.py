"""Turns cells and samples into tables, figures and verdicts; pure functions that touch no file."""

from serbench.analysis.budget import COMPRESSIONS, Budget, best, budget, budgets, explained
from serbench.analysis.compare import Change, Comparison, compare_runs
from serbench.analysis.control import control, warnings
from serbench.analysis.display import boards, finding, findings
from serbench.analysis.export import csv_text, escaped, html, markdown, to_pandas
from serbench.analysis.figures import figure
from serbench.analysis.rows import Row, as_data, rows
from serbench.analysis.tables import as_text, table

__all__ = [
    "COMPRESSIONS",
    "Budget",
    "Change",
    "Comparison",
    "Row",
    "as_data",
    "as_text",
    "best",
    "boards",
    "budget",
    "budgets",
    "compare_runs",
    "control",
    "csv_text",
    "escaped",
    "explained",
    "figure",
    "finding",
    "findings",
    "html",
    "markdown",
    "rows",
    "table",
    "to_pandas",
    "warnings",
]
