"""Groups of one column's values by another's keys: with pandas, and by sorting with np.unique."""

import numpy as np
import pandas as pd


def prepare(rows, groups, keys="numbers", missing=False):
    """A data frame whose keys stand in no order; a tenth of the values is missing if asked."""
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, groups, rows)
    values = rng.permutation(rows).astype(float)
    if missing:
        values[rng.random(rows) < 0.1] = np.nan
    if keys == "texts":
        numbers = np.array([f"team {number}" for number in numbers])
        if missing:
            numbers = numbers.astype(object)
            numbers[rng.random(rows) < 0.1] = None
    return pd.DataFrame({"a": numbers, "b": values})


def grouped(keys):
    """The keys, the positions of the rows in the keys' order, and where each group begins."""
    names, indexes, counts = np.unique(keys, return_inverse=True, return_counts=True)
    order = np.argsort(indexes, kind="stable")
    offsets = np.zeros(len(names) + 1, dtype=int)
    np.cumsum(counts, out=offsets[1:])
    return names, order, offsets


def spread(values):
    return float(np.maximum.reduce(values) - np.minimum.reduce(values))


def apply_by_pandas(frame):
    return frame.groupby("a")["b"].apply(lambda group: spread(group.values))


def apply_by_numpy(frame):
    names, order, offsets = grouped(frame["a"].values.astype("U"))
    values = frame["b"].values[order]
    return {name: spread(values[offsets[i] : offsets[i + 1]]) for i, name in enumerate(names)}


def least_by_pandas(frame):
    return frame.groupby("a")["b"].idxmin()


def least_by_numpy(frame):
    names, order, offsets = grouped(frame["a"].values)
    values = frame["b"].values[order]
    return {name: order[offsets[i] + np.argmin(values[offsets[i] : offsets[i + 1]])] for i, name in enumerate(names)}


def count_by_pandas(frame):
    return frame.groupby("a")["b"].count()


def count_by_numpy(frame):
    """Values that are there; keys that are missing have no group."""
    keys, values = frame["a"].values, frame["b"].values
    known = np.array([key is not None for key in keys]) if keys.dtype == object else ~pd.isna(keys)
    there = known & ~np.isnan(values)
    names, indexes = np.unique(keys[known].astype("U"), return_inverse=True)
    counts = np.bincount(indexes[there[known]], minlength=len(names))
    return dict(zip(names, counts))


def positions_by_pandas(frame):
    """The positions of each group's rows, as the article had them before."""
    by = frame.groupby("a")
    return {key: by.indices[key] for key in by.indices}


def positions_by_numpy(frame):
    names, order, offsets = grouped(frame["a"].values)
    return {name: order[offsets[i] : offsets[i + 1]] for i, name in enumerate(names)}


def answer(found):
    """The result for each key, in the order of the keys."""
    plain = {str(key): np.asarray(value).tolist() for key, value in found.items()}
    return [[key, plain[key]] for key in sorted(plain)]
