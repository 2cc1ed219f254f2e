"""Numbers from cells and samples: waves, rows with intervals and ranks, controls, comparisons; pure functions."""

from serbench.analysis.accuracy import Pair as Pair
from serbench.analysis.accuracy import as_columns as as_columns
from serbench.analysis.accuracy import pairs as pairs
from serbench.analysis.budget import COMPRESSIONS as COMPRESSIONS
from serbench.analysis.budget import Budget as Budget
from serbench.analysis.budget import best as best
from serbench.analysis.budget import budget as budget
from serbench.analysis.budget import budgets as budgets
from serbench.analysis.budget import why_apart as why_apart
from serbench.analysis.control import control as control
from serbench.analysis.packed import finding_rows as finding_rows
from serbench.analysis.packed import packed as packed
from serbench.analysis.packed import packed_text as packed_text
from serbench.analysis.packed import unpacked as unpacked
from serbench.analysis.rows import COLUMNS as COLUMNS
from serbench.analysis.rows import Row as Row
from serbench.analysis.rows import as_data as as_data
from serbench.analysis.rows import reranked as reranked
from serbench.analysis.rows import rows as rows
from serbench.analysis.rows import six_digits as six_digits
