"""Applies a function to the values of one column, grouped by another: with pandas, and with np.unique as printed and as meant."""

import numpy as np
import pandas as pd


def prepare(rows, groups):
    """A data frame whose keys stand in no order."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.integers(0, groups, rows), "b": rng.integers(0, 1000, rows)})


def spread(values):
    """The function: it takes the values as an array, and costs little."""
    return int(np.maximum.reduce(values) - np.minimum.reduce(values))


def by_groupby(frame):
    return frame.groupby("a")["b"].apply(lambda group: spread(group.values))


def by_unique(frame, orders):
    arr_a = frame["a"].values
    arr_b = frame["b"].values
    keys, indexes, counts = np.unique(arr_a, return_inverse=True, return_counts=True)
    order = np.argsort(indexes)
    if orders:
        arr_b = arr_b[order]
    offsets = np.zeros(len(keys) + 1, dtype=int)
    np.cumsum(counts, out=offsets[1:])
    return {key: spread(arr_b[offsets[i] : offsets[i + 1]]) for i, key in enumerate(keys)}


def as_printed(frame):
    """The order of the keys is found, but the values are not brought into it."""
    return by_unique(frame, orders=False)


def as_meant(frame):
    return by_unique(frame, orders=True)


def answer(found):
    """The function's result for each key."""
    return sorted((int(key), int(value)) for key, value in found.items())
