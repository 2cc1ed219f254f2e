"""Statistics of timings: wave medians, intervals, tests and the rule to stop; pure functions."""

from serbench.judge.statistics.intervals import DEFAULT_PRIOR as DEFAULT_PRIOR
from serbench.judge.statistics.intervals import SAMPLE_VARIANCE_WAVES as SAMPLE_VARIANCE_WAVES
from serbench.judge.statistics.intervals import TIE as TIE
from serbench.judge.statistics.intervals import Estimate as Estimate
from serbench.judge.statistics.intervals import Prior as Prior
from serbench.judge.statistics.intervals import change as change
from serbench.judge.statistics.intervals import converged as converged
from serbench.judge.statistics.intervals import estimate as estimate
from serbench.judge.statistics.intervals import fit_prior as fit_prior
from serbench.judge.statistics.intervals import half_width as half_width
from serbench.judge.statistics.intervals import moderate as moderate
from serbench.judge.statistics.intervals import p_above as p_above
from serbench.judge.statistics.intervals import p_beyond as p_beyond
from serbench.judge.statistics.intervals import t_quantile as t_quantile
from serbench.judge.statistics.intervals import trigamma_inverse as trigamma_inverse
from serbench.judge.statistics.medians import CellWaves as CellWaves
from serbench.judge.statistics.medians import sample_table as sample_table
from serbench.judge.statistics.medians import wave_medians as wave_medians
