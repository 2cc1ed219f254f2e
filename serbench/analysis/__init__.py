"""Turns cells and samples into tables, figures and verdicts; pure functions that touch no file."""

from serbench.analysis.budget import COMPRESSIONS, Budget, best, budget, budgets, explained
from serbench.analysis.compare import Change, Comparison, compare_runs
from serbench.analysis.control import control, warnings
from serbench.analysis.display import boards, finding, findings
from serbench.analysis.exchange import benchmark_action_text, pyperf_text
from serbench.analysis.export import csv_text, escaped, html, markdown, to_pandas
from serbench.analysis.figures import figure
from serbench.analysis.gate import Check, Gate, gate
from serbench.analysis.history import Series, history, history_figure, history_markdown, history_table
from serbench.analysis.outcomes import one_for_each_case, outcomes_markdown
from serbench.analysis.rows import Row, as_data, rows
from serbench.analysis.tables import as_text, table

__all__ = [
    "COMPRESSIONS",
    "Budget",
    "Change",
    "Check",
    "Comparison",
    "Gate",
    "Row",
    "Series",
    "as_data",
    "as_text",
    "benchmark_action_text",
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
    "gate",
    "history",
    "history_figure",
    "history_markdown",
    "history_table",
    "html",
    "markdown",
    "one_for_each_case",
    "outcomes_markdown",
    "pyperf_text",
    "rows",
    "table",
    "to_pandas",
    "warnings",
]
