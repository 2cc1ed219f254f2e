"""The same numbers as a typed column of a data frame and as a column of Python objects."""

import numpy as np
import pandas as pd


def prepare(rows, kind):
    return pd.DataFrame({"a": pd.Series(np.arange(rows) % 1000, dtype=kind), "b": np.arange(rows) % 7})


def total(frame):
    return int(frame["a"].sum())


def chosen(frame):
    return frame[frame["a"] > 500]


def ordered(frame):
    return frame.sort_values("a", kind="stable")


def answer(found):
    return found if isinstance(found, int) else [len(found), int(found["a"].iloc[0]), int(found["b"].iloc[-1])]
