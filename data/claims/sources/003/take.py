"""Rows of a small data frame by a condition: with a mask, as printed and as meant, and by position."""

import numpy as np
import pandas as pd


def prepare(rows):
    """A data frame of which about half the rows fulfil the condition."""
    return pd.DataFrame({"a": np.arange(rows) % 20, "i": np.arange(rows)}).set_index("i")


def as_printed(frame):
    """The condition names a column that there is not."""
    return frame[frame["b"] > 10]


def by_mask(frame):
    """The condition as a mask over the index."""
    return frame[frame["a"] > 10]


def by_position(frame):
    """The positions where the condition holds."""
    return frame.take(np.flatnonzero(frame["a"].values > 10))


def answer(frame):
    """Index, values and types of what was found."""
    return [frame.index.tolist(), frame["a"].tolist(), str(frame["a"].dtype)]
