"""Turns cells and samples into tables, figures and verdicts; pure functions that touch no file."""

from serbench.analysis.budget import Throughput, budget, messages_per_second
from serbench.analysis.compare import Change, Comparison, compare_runs
from serbench.analysis.control import control, warnings
from serbench.analysis.display import boards, finding, findings
from serbench.analysis.export import csv_text, escaped, html, markdown, to_pandas
from serbench.analysis.figures import figure, ranking
from serbench.analysis.grid import grid
from serbench.analysis.phases import phases
from serbench.analysis.rows import Row, as_data, reranked, rows
from serbench.analysis.scaling import DepthLimit, depth_limits, growth, scaling
from serbench.analysis.tables import as_text, table
from serbench.analysis.tradeoff import pareto_front, tradeoff

__all__ = [
    "Change",
    "Comparison",
    "DepthLimit",
    "Row",
    "Throughput",
    "as_data",
    "as_text",
    "boards",
    "budget",
    "compare_runs",
    "control",
    "csv_text",
    "depth_limits",
    "escaped",
    "figure",
    "finding",
    "findings",
    "grid",
    "growth",
    "html",
    "markdown",
    "messages_per_second",
    "pareto_front",
    "phases",
    "ranking",
    "reranked",
    "rows",
    "scaling",
    "table",
    "to_pandas",
    "tradeoff",
    "warnings",
]
