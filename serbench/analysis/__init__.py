"""Numbers from cells and samples: waves, rows with intervals and ranks, controls, comparisons; pure functions."""

from serbench.analysis.control import control as control
from serbench.analysis.rows import COLUMNS as COLUMNS
from serbench.analysis.rows import Row as Row
from serbench.analysis.rows import as_data as as_data
from serbench.analysis.rows import merged as merged
from serbench.analysis.rows import reranked as reranked
from serbench.analysis.rows import rows as rows
from serbench.analysis.rows import six_digits as six_digits
