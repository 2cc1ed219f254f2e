"""Statistics of timings: wave medians, intervals, tests and the rule to stop; pure functions."""

from serbench.statistics.intervals import DEFAULT_PRIOR as DEFAULT_PRIOR
from serbench.statistics.intervals import OWN_VARIANCE_WAVES as OWN_VARIANCE_WAVES
from serbench.statistics.intervals import TIE as TIE
from serbench.statistics.intervals import Estimate as Estimate
from serbench.statistics.intervals import Prior as Prior
from serbench.statistics.intervals import change as change
from serbench.statistics.intervals import converged as converged
from serbench.statistics.intervals import estimate as estimate
from serbench.statistics.intervals import fit_prior as fit_prior
from serbench.statistics.intervals import half_width as half_width
from serbench.statistics.intervals import moderate as moderate
from serbench.statistics.intervals import p_above as p_above
from serbench.statistics.intervals import p_beyond as p_beyond
from serbench.statistics.intervals import t_quantile as t_quantile
from serbench.statistics.intervals import trigamma_inverse as trigamma_inverse
from serbench.statistics.medians import CellWaves as CellWaves
from serbench.statistics.medians import sample_table as sample_table
from serbench.statistics.medians import wave_medians as wave_medians
