"""Turns cells and samples into tables, figures and verdicts; pure functions that touch no file."""

from serbench.analysis.accuracy import Claim, Pair, Selfcheck, as_columns, pairs
from serbench.analysis.budget import COMPRESSIONS, Budget, best, budget, budgets, explained, why_apart
from serbench.analysis.budget_figure import budget_figure
from serbench.analysis.compare import Change, Comparison, compare_runs
from serbench.analysis.control import control, warnings
from serbench.analysis.display import about_lines, boards, finding, findings
from serbench.analysis.exchange import benchmark_action_text, pyperf_text
from serbench.analysis.export import csv_text, escaped, html, markdown, to_pandas
from serbench.analysis.figures import figure, ranking
from serbench.analysis.gate import Check, Gate, gate
from serbench.analysis.grid import grid
from serbench.analysis.growth import DepthLimit, depth_limits, growth
from serbench.analysis.history import Series, history, history_figure, history_markdown, history_table
from serbench.analysis.machines import machine_notes
from serbench.analysis.matrices import (
    Matrix,
    behaviours_data,
    limits_rows,
    matrix_figure,
    matrix_sentences,
    tally,
)
from serbench.analysis.matrix_tables import matrices_markdown
from serbench.analysis.outcomes import one_for_each_case, outcomes_markdown
from serbench.analysis.overall import Overall, overall, overall_boards
from serbench.analysis.packed import finding_rows, packed, packed_text, unpacked
from serbench.analysis.phases import phases
from serbench.analysis.profile import Frame, HotFunction, flame, flame_svg, hot_functions, profile_table
from serbench.analysis.rows import Row, as_data, reranked, rows, six_digits
from serbench.analysis.scaling import scaling
from serbench.analysis.tables import as_text, table
from serbench.analysis.tradeoff import pareto_front, tradeoff
from serbench.analysis.weights import (
    WeightRow,
    median_interval,
    weight_boards,
    weight_data,
    weight_markdown,
    weight_rows,
    weight_table,
)

__all__ = [
    "COMPRESSIONS",
    "Budget",
    "Change",
    "Check",
    "Claim",
    "Comparison",
    "DepthLimit",
    "Frame",
    "Gate",
    "HotFunction",
    "Matrix",
    "Overall",
    "Pair",
    "Row",
    "Selfcheck",
    "Series",
    "WeightRow",
    "about_lines",
    "as_columns",
    "as_data",
    "as_text",
    "behaviours_data",
    "benchmark_action_text",
    "best",
    "boards",
    "budget",
    "budget_figure",
    "budgets",
    "compare_runs",
    "control",
    "csv_text",
    "depth_limits",
    "escaped",
    "explained",
    "figure",
    "finding",
    "finding_rows",
    "findings",
    "flame",
    "flame_svg",
    "gate",
    "grid",
    "growth",
    "history",
    "history_figure",
    "history_markdown",
    "history_table",
    "hot_functions",
    "html",
    "limits_rows",
    "machine_notes",
    "markdown",
    "matrices_markdown",
    "matrix_figure",
    "matrix_sentences",
    "median_interval",
    "one_for_each_case",
    "outcomes_markdown",
    "overall",
    "overall_boards",
    "packed",
    "packed_text",
    "pairs",
    "pareto_front",
    "phases",
    "profile_table",
    "pyperf_text",
    "ranking",
    "reranked",
    "rows",
    "scaling",
    "six_digits",
    "table",
    "tally",
    "to_pandas",
    "tradeoff",
    "unpacked",
    "warnings",
    "weight_boards",
    "weight_data",
    "weight_markdown",
    "weight_rows",
    "weight_table",
    "why_apart",
]
